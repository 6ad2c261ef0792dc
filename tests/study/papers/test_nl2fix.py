"""The tables of NL2Fix, on runs whose every candidate is written by hand."""

import dataclasses
from pathlib import Path
from typing import Any

import pytest

from repairlab.core.errors import UserError
from repairlab.core.outcome import Verdict
from repairlab.repairers.llm.settings import LlmSettings
from repairlab.runs.samples import read_samples
from repairlab.runs.store import Store
from repairlab.study.bugs import read_texts
from repairlab.study.papers.bug_groups import bug_sizes, projects
from repairlab.study.papers.facts import read_facts
from repairlab.study.papers.overlap import overlap
from repairlab.study.papers.ranks import ranking
from repairlab.study.papers.rates import candidates, curves, prompts
from repairlab.study.papers.similarity import codebleu, exact, landing, match, similarity
from repairlab.study.papers.table import make_tables
from repairlab.study.ranking.stored import LeftOut, Ranking, RankingRecipe, basis_of, store_ranking
from repairlab.study.scores import scores_of
from repairlab.study.systems import read_systems
from tests.study.papers.conftest import BROKEN, BUGGY, BUGS, FIX, LIKE, LOST, UNBUILT, UNREAD, WRONG, Bench, Draws

TWO_EACH = (("Cli", 2), ("Csv", 2), ("Math", 2), ("Overall", 6))
ONE = {"Cli-1": (WRONG, WRONG, FIX, FIX), "Cli-2": (UNBUILT, UNREAD, BROKEN, LIKE)}


def test_rates_are_taken_within_bugs_and_averaged(bench: Bench) -> None:
    table = candidates(bench.facts(bench.run("chat", ONE)))
    cells = dict(zip(table.columns, table.rows[0], strict=True))
    assert cells["candidates"] == 8
    assert cells["duplicate %"] == 25.0  # 2 of 4 and 0 of 4
    assert cells["compile %"] == 75.0  # 4 of 4 and 2 of 4
    assert cells["regression %"] == 62.5  # 4 of 4 and 1 of 4: wrong ones pass the regression tests
    assert cells["breaks regression %"] == 12.5
    assert cells["plausible %"] == 37.5


def test_the_compile_rate_of_the_table_is_the_score(bench: Bench) -> None:
    folder = bench.run("chat", {**ONE, "Csv-1": (UNREAD, UNREAD), "Csv-2": (LOST, UNBUILT)})
    cells = dict(zip(candidates(bench.facts(folder)).columns, candidates(bench.facts(folder)).rows[0], strict=True))
    score = scores_of(folder)["compile rate"]
    assert cells["compile %"] == pytest.approx(100 * score.value)
    assert score.n_bugs == 4  # of candidates that do not apply, too


def test_regression_is_unknown_when_validation_stopped_at_the_first_failure(bench: Bench) -> None:
    table = candidates(bench.facts(bench.run("chat", ONE, policy="first-failure")))
    cells = dict(zip(table.columns, table.rows[0], strict=True))
    # Of Cli-2 all candidates are known, but an average over such bugs alone would be of a chosen few.
    assert cells["regression %"] is None
    assert cells["breaks regression %"] == 12.5


@pytest.mark.parametrize(
    ("draws", "policy", "share", "note"),
    [
        ({"Cli-1": (FIX,)}, "full", 100.0, "Regression: the share that passes"),
        ({"Cli-1": (FIX,)}, "first-failure", 100.0, "Regression: the share that passes"),
        ({"Cli-1": (BROKEN,)}, "first-failure", 0.0, "Regression: the share that passes"),
        ({"Cli-1": (UNBUILT, UNREAD)}, "first-failure", 0.0, "Regression: the share that passes"),
        ({"Cli-1": (WRONG,)}, "full", 100.0, "Regression: the share that passes"),
        ({"Cli-1": (WRONG,)}, "first-failure", None, "No regression % for alone · acme/large: candidates stopped"),
        ({"Cli-1": (WRONG, FIX)}, "first-failure", None, "run with --policy full"),
        ({"Cli-1": (FIX,), "Cli-2": (WRONG,)}, "first-failure", None, "No regression % for alone · acme/large: candidates stopped"),
        ({"Cli-1": (FIX,)}, "absent", None, "No regression % for alone · acme/large: the benchmark is not at hand"),
    ],
)
def test_the_note_on_regression_says_what_the_table_shows(
    draws: Draws, policy: str, share: float | None, note: str, bench: Bench
) -> None:
    settings: dict[str, Any] = {"benchmark": "no-such-benchmark"} if policy == "absent" else {"policy": policy}
    table = candidates(bench.facts(bench.run("alone", draws, **settings)))
    assert table.rows[0][5] == share
    assert len(table.notes) == 2 and note in table.notes[1]


def test_undecided_candidates_count_for_nothing(bench: Bench) -> None:
    facts = bench.facts(bench.run("chat", {"Cli-1": (FIX, LOST), "Cli-2": (LOST, LOST)}))
    cells = dict(zip(candidates(facts).columns, candidates(facts).rows[0], strict=True))
    assert cells["compile %"] == cells["regression %"] == cells["plausible %"] == 100.0
    assert projects(facts).rows[0] == ("Cli", "1/1")
    assert "1 bug " in projects(facts).notes[0]


def test_bugs_of_several_runs_are_measured_once(bench: Bench) -> None:
    a, b = bench.run("a", {"Cli-1": (FIX,)}), bench.run("b", {"Cli-1": (WRONG,)})
    table = bug_sizes(bench.facts(a, b))
    assert table.columns[:4] == ("project", "bugs", "single-hunk bugs", "hunks")
    assert [row[:6] for row in table.rows] == [(name, n, n, 1.0, 1.0, 2.0) for name, n in TWO_EACH]


def test_projects_are_the_ids_without_their_numbers(bench: Bench) -> None:
    a = bench.run("a", {"Cli-1": (FIX,), "Csv-1": (FIX,), "Math-1": (WRONG,)})
    b = bench.run("b", {"Cli-1": (WRONG,), "Cli-2": (LIKE,)})
    table = projects(bench.facts(a, b))
    assert table.columns == ("project", "a · acme/large", "b · acme/large")
    assert table.rows == (("Cli", "1/2", "1/2"), ("Csv", "1/2", "0/2"), ("Math", "0/2", "0/2"), ("all", "2/6", "1/6"))


def test_prompts_of_the_same_model_stand_together(bench: Bench) -> None:
    draws = dict.fromkeys(BUGS, (FIX, WRONG))
    runs = [
        bench.run("1", draws, llm=LlmSettings(model="acme/b", strategy="few-shot", shots=1)),
        bench.run("2", draws, llm=LlmSettings(model="acme/a")),
        bench.run("3", draws, llm=LlmSettings(model="acme/b", temperature=0.0, comments="stripped")),
        bench.run("4", {**draws, "Cli-1": (FIX,)}, stop_when_fixed=True),
    ]
    facts = bench.facts(*runs)
    assert prompts(facts).rows == (
        ("4 · acme/large", "–", "–", None, None),
        ("acme/a", "zero-shot", "T=0.8", 50.0, 100.0),
        ("acme/b", "few-shot (1 shots)", "T=0.8", 50.0, 100.0),
        ("acme/b", "zero-shot (no comments)", "greedy", 50.0, 100.0),
    )
    assert "top@k" in prompts(facts).notes[0]
    assert curves(facts).rows == ((1, 50.0, 50.0, 50.0), (2, 100.0, 100.0, 100.0))


def test_overlap_sorts_bugs_by_who_fixes_them(bench: Bench) -> None:
    a = bench.run("a", {"Cli-1": (FIX,), "Cli-2": (FIX,), "Csv-1": (FIX,), "Csv-2": (FIX,)})
    b = bench.run("b", {"Cli-1": (LIKE,), "Cli-2": (LIKE,), "Math-1": (FIX,)})
    c = bench.run("c", {"Cli-1": (WRONG,), "Csv-1": (FIX,), "Csv-2": (FIX,)})
    table = overlap(bench.facts(a, b, c))
    names = [run.name for run in bench.facts(a, b, c).runs]
    assert [(row[0], row[2], row[4]) for row in table.rows] == [
        (f"{names[0]} + {names[1]}", 2, "Cli-1, Cli-2"),
        (f"{names[0]} + {names[2]}", 2, "Csv-1, Csv-2"),
        (names[1], 1, "Math-1"),
    ]
    assert table.notes[0] == "All systems fix 0 of 6 bugs, at least one of them fixes 5."
    assert table.figure is not None
    assert f"{names[1]}: 1" in table.figure.words
    assert sum(shape.kind == "box" for shape in table.figure.shapes) == 3
    with pytest.raises(UserError, match="two runs or more"):
        overlap(bench.facts(a))


def test_exact_matches_ignore_white_space_and_count_distinct_candidates(bench: Bench) -> None:
    spaced = (FIX[0].replace("result = value", "result  =  value"), FIX[1])
    table = exact(bench.facts(bench.run("a", {"Cli-1": (FIX, spaced, FIX, LIKE), "Cli-2": (LIKE, WRONG)})))
    assert table.rows == (("a · acme/large", 2, 1, 4, 2, 50.0),)


def test_first_candidates_are_matched_with_the_fix(bench: Bench) -> None:
    spaced = (FIX[0].replace("result = value", "result  =  value"), FIX[1])
    table = match(bench.facts(bench.run("a", {"Cli-1": (spaced, WRONG), "Cli-2": (WRONG, FIX), "Csv-1": (UNREAD,)})))
    (row,) = (dict(zip(table.columns, row, strict=True)) for row in table.rows)
    assert (row["language"], row["compared"]) == ("Python", 2)
    assert (
        row["exact text %"] == row["exact tokens %"] == row["exact tree %"] == pytest.approx(100 / int(str(row["bugs"])), abs=1e-5)
    )
    assert 0 < float(str(row["CodeBLEU"])) < 100 and row["plausible %"] == row["exact text %"]


def test_the_landing_is_averaged_over_candidates_and_bugs(bench: Bench) -> None:
    elsewhere = (BUGGY.replace("import math", "import os"), Verdict.WRONG)
    table = landing(bench.facts(bench.run("a", {"Cli-1": [FIX, elsewhere], "Cli-2": [UNREAD, WRONG]})))
    row = dict(zip(table.columns, table.rows[0], strict=True))
    assert (row["place shown"], row["bugs"], row["candidates"]) == ("line", 2, 3)
    assert (row["file recall %"], row["function recall %"], row["line recall %"]) == (100.0, 75.0, 75.0)


def test_similarity_has_quartiles_and_tests(bench: Bench) -> None:
    draws = {"Cli-1": (FIX, WRONG, FIX), "Cli-2": (LIKE, WRONG, UNREAD)}
    table = similarity(bench.facts(bench.run("a", draws)))
    plausible, other = (dict(zip(table.columns, row, strict=True)) for row in table.rows)
    buggy = "def answer(value): result = value - 1 return result"
    assert plausible["n"] == 2
    assert plausible["median to buggy"] == pytest.approx(((len(buggy) - 4) + (len(buggy) - 2)) / 2 / len(buggy), abs=1e-5)
    assert plausible["p (to buggy > to fixed)"] == pytest.approx(0.75)  # -4 and +2: W = 1 of 3
    assert other["n"] == 2
    assert other["median to buggy"] == pytest.approx(1 - 1 / len(buggy), abs=1e-5)
    assert other["kurtosis to buggy"] is None
    assert other["p (plausible > other) to buggy"] is None
    assert table.figure is not None
    assert sum(shape.kind == "box" for shape in table.figure.shapes) == 4


def test_candidates_that_change_other_files_are_compared_as_files(bench: Bench) -> None:
    outside = ("import math\nimport os\n\n\ndef answer(value):\n    result = value\n    return result\n", FIX[1])
    table = exact(bench.facts(bench.run("a", {"Cli-1": (outside,)})))
    assert table.rows == (("a · acme/large", 1, 0, 1, 0, 0.0),)


def test_rankings_stand_beside_random_order(bench: Bench) -> None:
    folder = bench.run("a", {"Cli-1": (UNBUILT, FIX), "Cli-2": (WRONG, LIKE), "Csv-1": (WRONG, UNBUILT)})
    samples = read_samples(Store(folder))
    ranks: dict[str, tuple[int, ...]] = dict.fromkeys(BUGS, ()) | {"Cli-1": (1, 2), "Cli-2": (2, 1), "Csv-1": (1, 2)}
    store_ranking(
        folder,
        Ranking(
            name="odd", recipe=RankingRecipe(order="original"), threshold=None, n_candidates=6, n_ranked=6, left_out=LeftOut(),
            basis=basis_of(samples), ranks=ranks,
        ),
    )  # fmt: skip
    table = ranking(bench.facts(folder))
    rows = {row[1:3]: row[3:] for row in table.rows}
    assert rows["drawn", "all"] == pytest.approx((0.0, 100 / 6, 200 / 6, 200 / 6), abs=1e-5)
    assert rows["drawn", "compiling"] == pytest.approx((100 / 6, 25.0, 200 / 6, 200 / 6), abs=1e-5)
    assert rows["odd", "all"] == pytest.approx((100 / 6, 100 / 6, 200 / 6, 200 / 6), abs=1e-5)


def test_the_oracle_is_not_among_the_systems_that_overlap(bench: Bench) -> None:
    runs = [bench.run("reference", dict.fromkeys(ONE, (FIX,))), bench.run("a", ONE), bench.run("b", ONE)]
    with_oracle, without = overlap(bench.facts(*runs)), overlap(bench.facts(*runs[1:]))
    assert (with_oracle.rows, with_oracle.notes) == (without.rows, without.notes)
    with pytest.raises(UserError, match="of which the oracle is none"):
        overlap(bench.facts(*runs[:2]))


def test_without_the_benchmark_the_other_tables_still_come(bench: Bench) -> None:
    folder = bench.run("a", ONE)
    manifest = Store(folder).manifest()
    gone = dataclasses.replace(manifest.experiment, benchmark="gone")
    Store(folder).create(dataclasses.replace(manifest, experiment=gone))
    made = make_tables(bench.facts(Path(folder)))
    kept = {"candidates", "projects", "prompts", "curves", "execution", "ranks", "ranking", "cost", "bug-cost"}
    assert {table.name for table in made.tables} == kept
    for name in ("bugs", "similarity", "exact", "categories", "locations"):
        assert "benchmark six cannot be opened" in made.left_out[name]


def test_codebleu_has_its_parts_and_is_made_only_when_asked_for(bench: Bench) -> None:
    folder = bench.run("chat", ONE)
    with pytest.raises(UserError, match="ask with --only codebleu"):
        codebleu(bench.facts(folder))
    systems = read_systems([folder])
    facts = read_facts(systems, read_texts(systems), codebleu=True)
    table = codebleu(facts)
    rows = {(str(row[1]), str(row[2])): row[3:] for row in table.rows}
    assert [name for name, group in rows if group == "other"] == ["CodeBLEU", "n-grams", "weighted n-grams", "syntax", "data flow"]
    to_fixed = table.columns.index("median to fixed") - 3
    assert rows["CodeBLEU", "plausible"][0] == 2, "each distinct one once"
    (fix,) = (item for bug in facts.runs[0].bugs for item in bug.closeness if item.is_exact)
    assert fix.codes and fix.codes[1].value == 1.0
    assert rows["syntax", "other"][to_fixed] is not None
    assert table.figure and "plausible to buggy" in table.figure.words


def test_rankings_with_and_without_unchanged_candidates_stand_beside_each_other(bench: Bench) -> None:
    folder = bench.run("chat", ONE)
    for keep in (False, True):
        recipe = RankingRecipe(order="original", keep_unchanged=keep)
        ranks = {bug: tuple(range(1, 1 + len(ONE.get(bug, ())))) for bug in BUGS}
        made = {"threshold": None, "n_candidates": 8, "n_ranked": 8, "left_out": LeftOut()}
        basis = basis_of(read_samples(Store(folder)))
        store_ranking(folder, Ranking(name=recipe.name, recipe=recipe, basis=basis, ranks=ranks, **made))  # type: ignore[arg-type]  # as above
    assert [row[1:3] for row in ranking(bench.facts(folder)).rows][2:] == [
        ("original-unchanged", "all, unchanged kept"), ("original", "all"),
    ]  # fmt: skip
