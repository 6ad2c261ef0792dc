"""What candidates of one bug share on a validator changes no verdict."""

import dataclasses
import shutil
from pathlib import Path

import pytest

from repairlab.benchmarks.catalog import open_benchmark
from repairlab.core.bug import Bug
from repairlab.core.candidate import Candidate, Edit
from repairlab.core.errors import HarnessError
from repairlab.core.outcome import Outcome, Policy, Verdict
from repairlab.sandbox.sandbox import Sandbox
from repairlab.validation import engines
from repairlab.validation.validator import BugValidator, Conditions, validate
from tests import builders
from tests.conftest import without_places


@pytest.fixture
def bug(tiny: Path, tmp_path: Path) -> Bug:
    """Return a bug whose tree has a second source file, with an error in it."""
    known = open_benchmark(str(tiny)).bug("sum")
    shutil.copytree(known.tree.source, tmp_path / "tree")
    (tmp_path / "tree/other.py").write_text("def broken(:\n")
    return dataclasses.replace(known, tree=dataclasses.replace(known.tree, source=str(tmp_path / "tree")))


def candidate(bug: Bug, *, mended: str | None, rank: int) -> Candidate:
    """Return a candidate that changes main.py, and perhaps the other file."""
    main = Path(bug.tree.source, "main.py").read_text() + f"variant = {rank}\n"
    edits = (Edit(path="main.py", text=main), *((Edit(path="other.py", text=mended),) if mended is not None else ()))
    return builders.candidate(bug, *edits, rank=rank)


def test_a_file_that_does_not_compile_counts_until_a_candidate_mends_it(bug: Bug, sandbox: Sandbox) -> None:
    candidates = [candidate(bug, mended=text, rank=rank) for rank, text in enumerate((None, "x = 1\n", None, "x = (\n", "x = 2\n"))]
    with BugValidator(Conditions(bug=bug), sandbox) as validator:
        warm = [validator.validate(one) for one in candidates]
    broken = [outcome.verdict is Verdict.UNCOMPILABLE for outcome in warm]
    assert broken == [True, False, True, True, False]
    fresh = [validate(one, bug, sandbox) for one in candidates]
    assert [(one.verdict, one.message) for one in warm] == [(one.verdict, one.message) for one in fresh]


def test_only_what_a_candidate_changes_is_compiled_again(tiny: Path, sandbox: Sandbox) -> None:
    bug = open_benchmark(str(tiny)).bug("sum")
    with BugValidator(Conditions(bug=bug), sandbox) as validator:
        outcomes = [
            validator.validate(candidate(bug, mended=text, rank=rank)) for rank, text in enumerate(("x = 1\n", "x = (\n", "x\n"))
        ]
    assert [outcome.verdict is Verdict.UNCOMPILABLE for outcome in outcomes] == [False, True, False]


def test_an_engine_that_cannot_be_opened_is_tried_once(tiny: Path, sandbox: Sandbox, monkeypatch: pytest.MonkeyPatch) -> None:
    tried = []

    def fail(*_: object) -> None:
        tried.append(1)
        raise HarnessError("no servers")

    monkeypatch.setattr(engines, "IncrementalEngine", fail)
    bug = open_benchmark(str(tiny)).bug("sum")
    with BugValidator(Conditions(bug=bug), sandbox) as validator:
        outcomes = [validator.validate(candidate(bug, mended=text, rank=rank)) for rank, text in enumerate(("x = 1\n", "x = (\n"))]
    assert [outcome.verdict is Verdict.UNCOMPILABLE for outcome in outcomes] == [False, True]
    assert len(tried) == 1


GOOD = """\
class Cart:
    def __init__(self, prices):
        self.prices = prices

    def total(self):
        return sum(self.prices)
"""
TEXTS = {
    "sound": {},
    "no Python": {"shop/cart.py": "class Cart(:\n"},
    "spaces and tabs": {"shop/cart.py": "if True:\n        x = 1\n\ty = 2\n"},
    "a NUL": {"shop/cart.py": GOOD + "x = '\0'\n"},
    "an unknown encoding": {"shop/cart.py": "# -*- coding: no-such -*-\n" + GOOD},
    "too deep for a parser": {"shop/cart.py": GOOD + "x = " + "(" * 500 + ")" * 500 + "\n"},
    "too deep for a compiler": {"shop/cart.py": GOOD + "x = " + "-" * 20_000 + "1\n"},
    "a warning": {"shop/cart.py": GOOD + "x = 1 is 1\n"},
    "a warning and an error": {"shop/cart.py": GOOD + "x = 1 is 1\nx = (\n"},
    "a file that nobody imports": {"shop/cart.py": GOOD + "# 1\n", "shop/new.py": "def broken(:\n"},
    "two files": {"shop/cart.py": "x = (\n", "shop/new.py": "def broken(:\n"},
    "ends while it is loaded": {"shop/cart.py": GOOD + "import os\nos._exit(0)\n"},
    "a folder of tests": {"shop/cart.py": GOOD + "# 2\n", "tests/test_new.py": "def broken(:\n"},
}


def test_a_test_process_says_what_the_build_would(tiny: Path, sandbox: Sandbox) -> None:
    shop = open_benchmark(str(tiny)).bug("shop")

    def made(texts: dict[str, str], rank: int) -> Candidate:
        edits = tuple(Edit(path=path, text=text) for path, text in ({"shop/cart.py": GOOD} | texts).items())
        return builders.candidate(shop, *edits, rank=rank)

    candidates = [made(texts, rank) for rank, texts in enumerate(TEXTS.values())]
    with BugValidator(Conditions(bug=shop), sandbox) as validator:
        warm = [validator.validate(one) for one in candidates]
    fresh = [validate(one, shop, sandbox) for one in candidates]
    for name, one, other in zip(TEXTS, warm, fresh, strict=True):
        assert (one.verdict, one.stage, one.message) == (other.verdict, other.stage, other.message), name
        if one.verdict is Verdict.UNCOMPILABLE:
            assert (one.evidence, one.tests) == (other.evidence, ()), name
    assert sum(one.verdict is Verdict.UNCOMPILABLE for one in warm) >= 8


SUM = "print(sum(map(int, input().split())))\n"
PROGRAMS = {
    "sound": SUM,
    "no Python": "print(sum(\n",
    "an error behind what could run": f"{SUM}def broken(:\n",
    "spaces and tabs": "if True:\n        x = 1\n\ty = 2\n",
    "a NUL": f"{SUM}x = '\0'\n",
    "a NUL in a comment": f"{SUM}# \0\n",
    "an unknown encoding": f"# -*- coding: no-such -*-\n{SUM}",
    "half of a surrogate pair": f"{SUM}x = '\ud800'\n",
    "too deep for a parser": f"{SUM}x = {'(' * 500}{')' * 500}\n",
    "too deep for a compiler": f"{SUM}x = {'-' * 20_000}1\n",
    "a warning": f"x = 1 is 1\n{SUM}",
    "a warning and an error": f"x = 1 is 1\n{SUM}x = (\n",
    "return outside of a function": f"{SUM}return\n",
    "raises": "raise ValueError\n",
    "raises an error of syntax": "exec('x = (')\n",
    "looks like an error of syntax": "import sys\nsys.stderr.write('SyntaxError: x')\nsys.exit(1)\n",
    "ends with code 1": f"{SUM}raise SystemExit(1)\n",
    "ends with code 1 and no word": "import os\nos._exit(1)\n",
    "dies": "import os\nos.abort()\n",
    "fails in the second case": "words = input().split()\nassert len(words) > 1\nprint(3)\n",
}


@pytest.mark.parametrize("policy", ["full", "first-failure"])
def test_the_first_run_of_a_program_says_what_the_build_would(tiny: Path, sandbox: Sandbox, policy: Policy) -> None:
    bug = open_benchmark(str(tiny)).bug("sum")
    candidates = [
        builders.candidate(bug, Edit(path="main.py", text=text), rank=rank) for rank, text in enumerate(PROGRAMS.values())
    ]
    with BugValidator(Conditions(bug=bug), sandbox) as validator:
        warm = [validator.validate(one, policy=policy) for one in candidates]
    fresh = [validate(one, bug, sandbox, policy=policy) for one in candidates]
    for name, one, other in zip(PROGRAMS, warm, fresh, strict=True):
        assert facts(one) == facts(other), name
    assert sum(one.verdict is Verdict.UNCOMPILABLE for one in warm) >= 10


def facts(outcome: Outcome) -> tuple[object, ...]:
    tests = [(test.id, test.verdict, test.message) for test in outcome.tests]
    return outcome.verdict, outcome.stage, outcome.message, without_places(outcome.evidence), tests
