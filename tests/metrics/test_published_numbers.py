"""Figures of the papers, recomputed."""

import json
from typing import Any

import pytest

from repairlab.core.outcome import Verdict
from repairlab.core.score import Samples
from repairlab.metrics.compare import mcnemar
from repairlab.metrics.pass_at_k import pass_at_k, top_at_k
from repairlab.metrics.rates import compile_rate, fixed, plausible_rate
from tests.published import DATA

VERDICTS = {
    "plausible": Verdict.PLAUSIBLE,
    "wrong": Verdict.WRONG,
    "timeout": Verdict.TIMEOUT,
    "uncompilable": Verdict.UNCOMPILABLE,
}


def samples_of(counts: list[int], n: int) -> list[Samples]:
    return [
        Samples(
            bug_id=str(index), language="java", verdicts=(Verdict.PLAUSIBLE,) * c + (Verdict.WRONG,) * (n - c), passed=(0.0,) * n,
            distinct=n, ended="asked",
        )
        for index, c in enumerate(counts)
    ]  # fmt: skip


def read(name: str) -> Any:
    path = DATA / name
    if not path.exists():
        pytest.skip(f"the published data are not here: {path}")
    return json.loads(path.read_text(encoding="utf-8"))


def test_fixeval_pass_at_10_is_137_of_490_problems() -> None:
    # FixEval, table 4a, Java with verdict: with n = k = 10 pass@k is the share of problems with a fix.
    assert round(100 * pass_at_k(samples_of([1] * 137 + [0] * 353, 10), 10, n=10).value, 2) == 27.96


def test_the_example_of_the_pass_at_k_paper() -> None:
    # Chen et al. 2021, figure 3: the product form 1 - prod(1 - k / i) for i from n - c + 1 to n.
    product = 1.0
    for i in range(200 - 13 + 1, 201):
        product *= 1 - 10 / i
    assert pass_at_k(samples_of([13], 200), 10, n=200).value == pytest.approx(1 - product)


def test_mcnemars_published_example() -> None:
    # Fagerland, Lydersen and Laake 2013, airway hyper-responsiveness: 1 and 7 discordant pairs, exact p = 0.070.
    assert round(mcnemar(1, 7), 3) == 0.07


@pytest.mark.parametrize("setting", ["java", "python"])
def test_fixeval_tables_give_whole_numbers_of_fixed_problems(setting: str) -> None:
    tables = read("expected/fixeval_tables.json")
    notebook = tables[f"notebook_{setting}_verdict"]
    n_fixed = sum(group["top"][-1] for group in notebook["by_verdict"].values())
    samples = samples_of([1] * n_fixed + [0] * (notebook["n"] - n_fixed), 10)
    found = 100 * pass_at_k(samples, 10, n=10).value
    column = tables["table4a"]["columns"].index("pass@10")
    # Java agrees to the last digit; the published Python figure is about six problems above its own notebook.
    assert found == pytest.approx(tables["table4a"][f"{setting}_verdict"][column], abs=0.005 if setting == "java" else 1.5)


@pytest.mark.parametrize(
    ("name", "n_bugs", "n_fixed", "n_plausible", "n_uncompilable"),
    [
        ("quixbugs/codet5_base", 40, 17, 36, 133),
        ("quixbugs/incoder_1B", 40, 20, 44, 119),
        ("humaneval/codet5_base", 163, 54, 104, 510),
        ("humaneval/incoder_1B", 163, 64, 144, 374),
        ("defects4j/incoder_6B", 213, 94, 188, 829),
    ],
)
def test_executed_verdicts_of_ten_candidates_per_bug(
    name: str, n_bugs: int, n_fixed: int, n_plausible: int, n_uncompilable: int
) -> None:
    raw = read(f"clm_verdicts/{name}_finetune_validate.json")["data"]
    samples = [_samples(bug_id, entry["output"]) for bug_id, entry in raw.items()]
    assert len(samples) == n_bugs
    assert pass_at_k(samples, 10, n=10).value == fixed(samples).value == top_at_k(samples, 10, n=10).value == n_fixed / n_bugs
    # Every bug has ten candidates, so pass@1 and the rates are the pooled shares too.
    assert pass_at_k(samples, 1, n=10).value == pytest.approx(n_plausible / (10 * n_bugs))
    assert plausible_rate(samples).value == pytest.approx(n_plausible / (10 * n_bugs))
    assert compile_rate(samples).value == pytest.approx(1 - n_uncompilable / (10 * n_bugs))


def _samples(bug_id: str, patches: list[dict[str, str]]) -> Samples:
    verdicts = tuple(VERDICTS[patch["correctness"]] for patch in patches)
    distinct = len({patch["patch"] for patch in patches})
    passed = (0.0,) * len(verdicts)
    return Samples(bug_id=bug_id, language="java", verdicts=verdicts, passed=passed, distinct=distinct, ended="exhausted")
