"""What somebody may type by intuition: each guess works, or the error says what was wrong, what is possible and what to do."""

import subprocess
import sys
import types
from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np
import pytest

import repairlab
import repairlab as rl
from repairlab.sandbox.sandbox import Sandbox
from tests.conftest import write_tiny

FIXED = "def total(self):\n        return sum(self.prices)\n"
api: Any = rl
"""The API without its types: type checkers refuse most guesses."""


@pytest.fixture(scope="module")
def tiny_folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return write_tiny(tmp_path_factory.mktemp("guesses") / "tiny")


@pytest.fixture(scope="module")
def bench(tiny_folder: Path) -> rl.Benchmark:
    return rl.load(tiny_folder)


@pytest.fixture(scope="module")
def validator(bench: rl.Benchmark, sandbox: Sandbox) -> Any:
    with rl.Validator(bench["shop"], workers=1, cache=False) as opened:
        yield opened


class Mine:
    """A repairer of somebody's own."""

    name = "mine"

    def propose(self, problem: rl.Problem, history: tuple[rl.Attempt, ...]) -> list[str]:
        """Propose nothing."""
        del problem, history
        return []


Guess = Callable[[Any, str], object]
GUESSES: list[tuple[Guess, tuple[str, ...]]] = [
    # one thing for another
    (lambda b, to: api.Validator(b), ("Validator(): bug is <benchmark", "a bug, or BENCHMARK/BUG")),
    (lambda b, to: api.Validator("shop"), ("'shop' names no benchmark", "BENCHMARK/BUG", "repairlab list")),
    (lambda b, to: api.Validator(f"{b.source}/shpo"), ("unknown bug of tiny 'shpo'", "shop, sum", "Did you mean 'shop'?")),
    (lambda b, to: api.Validator("strater/x"), ("unknown benchmark 'strater'", "starter", "Did you mean 'starter'?")),
    (lambda b, to: api.validate(FIXED, b["shop"]), ("names no benchmark", "BENCHMARK/BUG")),
    (lambda b, to: api.load(f"{b.source}/shop"), ("names the bug 'shop'", "name the benchmark alone: '")),
    (lambda b, to: api.load(None), ("load(): benchmark is None", "name or folder")),
    (lambda b, to: b[None], ("which is None", "an id, a place or a slice")),
    (lambda b, to: b["smu"], ("unknown bug of tiny 'smu'", "shop, sum", "Did you mean 'sum'?")),
    (lambda b, to: api.run(b["shop"], "copy", to=to), ("run(): benchmark is Bug(", "name or folder of a benchmark")),
    (lambda b, to: api.run("copy", b, to=to), ("run(): repairer is <benchmark", "repairer_names()")),
    (lambda b, to: api.run(b, "tempaltes", to=to), ("unknown repairer 'tempaltes'", "templates", "Did you mean 'templates'?")),
    (lambda b, to: api.Reward("http://localhost:8400"), ("is no benchmark", "url='http://localhost:8400'")),
    (lambda b, to: api.compare([to, to], to), ("compare(): a is [", "a run or the path of its folder")),
    (lambda b, to: api.open_run(None), ("open_run(): path is None", "a path")),
    (lambda b, to: api.open_run(to), ("run is no run folder", "it does not exist", "repairlab run")),
    (lambda b, to: api.score(b.source), ("is no run folder", "it has no run.json", "repairlab run")),
    # text, or one of a kind, for a list
    (lambda b, to: api.check("starter"), ("check(): bugs is 'starter'", "[bug]", "load('starter')")),
    (lambda b, to: api.check(b["shop"]), ("check(): bugs is Bug(", "[bug]")),
    (lambda b, to: api.check([3]), ("check(): a bug is 3", "BENCHMARK/BUG")),
    (lambda b, to: b.filter(["s*"]), ("filter(): patterns is ['s*']", "an argument of its own")),
    (lambda b, to: api.Reward(b)(completions=FIXED, bug=["shop"]), ("Reward(): completions is", "a list of completions")),
    (lambda b, to: api.Reward(b)(completions=["x"] * 4, bug="shop"), ("Reward(): bug is 'shop'", "a list of ids")),
    (lambda b, to: api.Reward(b).rewards("shop"), ("Reward.rewards(): pairs is 'shop'", "a list of pairs")),
    (lambda b, to: api.run(b, lambda problem: FIXED, to=to, n=9), ("the repairer <lambda>: what it returns", "[patch]")),
    (lambda b, to: api.run(b, lambda problem: None, to=to), ("what it returns for s", "is None", "[patch]")),
    # options that there are not
    (lambda b, to: api.load("starter", limit=3), ("load(): unknown option 'limit'", "benchmark")),
    (lambda b, to: api.validate(b["shop"], "", polcy="full"), ("validate(): unknown option 'polcy'", "Did you mean 'policy'?")),
    (lambda b, to: api.Validator(b["shop"], n_workers=2), ("Validator(): unknown option 'n_workers'", "Did you mean 'workers'?")),
    (lambda b, to: api.run(b, "copy", to=to, seeds=1), ("run(): unknown option 'seeds'", "Did you mean 'seed'?")),
    (lambda b, to: api.repairer("llm", modl="x"), ("repairer(): unknown option 'modl'", "Did you mean 'model'?")),
    (lambda b, to: api.repairer("templates", temperature=1), ("repairer(): unknown option 'temperature'", "Known: confirm")),
    (lambda b, to: api.score(to, ks=(1,)), ("score(): unknown option 'ks'", "Did you mean 'k'?")),
    (lambda b, to: api.compare(to, to, partail=True), ("compare(): unknown option 'partail'", "Did you mean 'partial'?")),
    (lambda b, to: api.check(b, repeats=2), ("check(): unknown option 'repeats'", "Did you mean 'repeat'?")),
    (lambda b, to: api.Reward(b, scales={}), ("Reward(): unknown option 'scales'", "Did you mean 'scale'?")),
    (lambda b, to: b.filter(lang="python"), ("unknown label 'lang'", "Did you mean 'language'?")),
    # values of the wrong kind
    (lambda b, to: api.Validator(b["shop"], policy="ful"), ("Validator(): unknown policy 'ful'", "first-failure", "mean 'full'?")),
    (lambda b, to: api.Validator(b["shop"], policy=None), ("policy is None", "'first-failure' or 'full'")),
    (lambda b, to: api.Validator(b["shop"], sandbox="bubblewarp"), ("unknown sandbox", "landlock", "Did you mean 'bubblewrap'?")),
    (lambda b, to: api.Validator(b["shop"], workers=0), ("workers (-j) is 0", "at least 1")),
    (lambda b, to: api.Validator(b["shop"], workers="2"), ("Validator(): workers is '2'", "a whole number")),
    (lambda b, to: api.Validator(b["shop"], cache=None), ("Validator(): cache is None", "True, False or a folder")),
    (lambda b, to: api.validate(b["shop"], FIXED, form="func"), ("unknown form 'func'", "diff", "Did you mean 'function'?")),
    (lambda b, to: api.run(b, Mine, to=to), ("run(): repairer is the class Mine", "Mine(…)")),
    (lambda b, to: api.run(b, api.repairer("llm", model=object()), to=to), ("model is", "it must be text")),
    (lambda b, to: api.run(b, "copy", to=to, n="10"), ("run(): n is '10'", "a whole number")),
    (lambda b, to: api.run(b, "copy", to=to, k="1,5"), ("run(): k is '1,5'", "(1, 5)")),
    (lambda b, to: api.repairer("copy", k="1,5"), ("repairer(): k is '1,5'", "(1, 5)")),
    (lambda b, to: api.score(to, k="1,5"), ("score(): k is '1,5'", "(1, 5)")),
    (lambda b, to: api.score(to, duplicates="merge"), ("unknown duplicates 'merge'", "counted", "Did you mean 'merged'?")),
    (lambda b, to: api.check(b, repeat=True), ("check(): repeat is True", "a whole number")),
    (lambda b, to: b.filter(limit="3"), ("filter(): limit is '3'", "a whole number")),
    (lambda b, to: b.filter(limit=0), ("limit is 0", "at least 1")),
    (lambda b, to: b.filter(language="pyhton"), ("unknown language 'pyhton'", "java", "Did you mean 'python'?")),
    (lambda b, to: b.filter(difficulty="esay"), ("unknown difficulty 'esay'", "hard", "Did you mean 'easy'?")),
    (lambda b, to: api.Reward(b, localisation="lines"), ("unknown localisation 'lines'", "hunk", "Did you mean 'line'?")),
    (lambda b, to: api.Reward(b, scale=1), ("Reward(): scale is 1", "{'plausible': 1.0}")),
    (lambda b, to: api.Reward(b, url="http://x", patience="5"), ("Reward(): patience is '5'", "a number")),
]


@pytest.mark.parametrize(("guess", "parts"), GUESSES, ids=[parts[0] for _, parts in GUESSES])
def test_a_wrong_guess_is_an_error_that_helps(guess: Guess, parts: tuple[str, ...], bench: rl.Benchmark, tmp_path: Path) -> None:
    with pytest.raises(rl.UserError) as error:
        guess(bench, str(tmp_path / "run"))
    assert [part for part in parts if part not in str(error.value)] == []


@pytest.mark.parametrize(
    "options",
    [
        {"n": np.int64(2), "k": np.int64(1), "seed": np.int32(3), "limit": np.int64(1), "confirm": np.int8(0)},
        {"n": 2, "k": range(1, 3)},
        {"n": 2, "k": np.array([1, 2])},
        {"n": 2, "k": {1: "a", 2: "b"}.keys()},
        {"n": 2, "k": {1, 2}},
        {"visibility": types.MappingProxyType({"localisation": "file"})},
    ],
    ids=str,
)
def test_numbers_and_lists_of_any_kind_are_fine(
    options: dict[str, Any], bench: rl.Benchmark, tmp_path: Path, sandbox: Sandbox
) -> None:
    del sandbox
    made = api.run(bench, "copy", to=tmp_path / "run", **{"n": 1, "limit": 1, **options})
    assert len(list(made.rows())) == 1, "a copy is only ever one"


@pytest.mark.parametrize("name", ["map", "imap"])
@pytest.mark.parametrize("patches", [FIXED, FIXED.encode(), {"shop/cart.py": FIXED}, None, 3])
def test_one_patch_for_a_list_of_patches_is_an_error(validator: Any, name: str, patches: object) -> None:
    with pytest.raises(rl.UserError, match=rf"Validator\.{name}\(\): patches is .*; write a list of patches, such as \[patch\]"):
        getattr(validator, name)(patches)


def test_a_bug_may_be_given_by_its_benchmark_and_id(tiny_folder: Path, sandbox: Sandbox) -> None:
    for reference in (f"{tiny_folder}/shop", tiny_folder / "shop"):
        assert rl.validate(reference, FIXED, workers=1).verdict is rl.Verdict.PLAUSIBLE
    with rl.Validator("starter/python-version-order", workers=1) as opened:
        assert opened.bug.id == "python-version-order"
    assert [health.bug_id for health in rl.check([f"{tiny_folder}/sum"], workers=1)] == ["sum"]


def test_what_load_returned_one_k_and_a_list_of_k_are_fine(bench: rl.Benchmark, tmp_path: Path, sandbox: Sandbox) -> None:
    assert rl.load(bench) is bench
    one = rl.run(bench, "copy", to=tmp_path / "one", n=2, k=1, workers=1)
    assert one.manifest.experiment.k == (1,)
    assert rl.score(one, k=[1, 2])["pass@2"].value == 0.0  # type: ignore[arg-type]  # a list instead of a tuple
    with pytest.raises(rl.UserError, match=r"its folders one have one\. Name one of them"):
        rl.open_run(tmp_path)
    with pytest.raises(rl.UserError, match=r"does not exist\. Did you mean .*/one'"):
        rl.open_run(tmp_path / "oen")
    with pytest.raises(KeyError, match="unknown bug 'shpo'"):
        one.of_bug("shpo")


def test_what_is_not_there_is_an_error_of_mappings_and_lists(bench: rl.Benchmark) -> None:
    with pytest.raises(KeyError) as error:
        bench["smu"]
    assert isinstance(error.value, rl.UserError) and "Did you mean 'sum'?" in str(error.value)
    with pytest.raises(IndexError, match="tiny has no bug at place 2; it has 2"):
        bench[2]


def test_dir_shows_the_api_alone_and_a_wrong_name_the_nearest() -> None:
    program = "import repairlab; repairlab.load('starter'); import repairlab.api; print(*dir(repairlab))"
    done = subprocess.run([sys.executable, "-c", program], capture_output=True, text=True, check=True)
    assert done.stdout.split() == repairlab.__all__
    with pytest.raises(AttributeError, match=r"'laod'\. Did you mean 'load'"):
        api.laod  # noqa: B018  # it raises
