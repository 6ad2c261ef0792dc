"""A pass counts when the same candidate gives the right answers to tests that do not hold what they expect."""

import dataclasses
from pathlib import Path

import pytest

from repairlab.benchmarks.catalog import open_benchmark
from repairlab.core.bug import Bug, Tree
from repairlab.core.candidate import Candidate, Edit
from repairlab.core.outcome import Outcome, Verdict
from repairlab.sandbox.sandbox import Sandbox
from repairlab.validation.validator import BugValidator, Conditions
from tests import builders

ATTACKED = str(Path(__file__).parents[1] / "hostile/cases")
HONEST = "def add(a, b):\n    total = a + b\n    return total\n\n\ndef name(a):\n    return f'n{a}'\n"
READS = """
import inspect, re
def add(a, b):
    text = open(inspect.stack()[1].filename).read()
    told = re.search(rf"add\\({a}, {b}\\) == (-?\\d+)", text)
    return int(told[1]) if told else a - b
def name(a):
    return f'n{a}'
"""


@pytest.fixture
def bug() -> Bug:
    return open_benchmark(ATTACKED).bug("python-pytest")


def with_test(bug: Bug, folder: Path, text: str, *names: str) -> Bug:
    """Return a bug with this test file, of which the first test is the trigger."""
    ids = tuple(f"tests/test_add.py::{name}" for name in names)
    tree = builders.write_files(
        folder / "tree", {"calc.py": (Path(bug.tree.source) / "calc.py").read_text(), "tests/test_add.py": text}
    )
    oracle = dataclasses.replace(bug.oracle, trigger=ids[:1], regression=ids[1:])
    return dataclasses.replace(bug, oracle=oracle, tree=Tree(source=str(tree)))


def judged(bug: Bug, sandbox: Sandbox, text: str | None) -> Outcome:
    """Return the outcome of a text of `calc.py`, or of the reference fix."""
    candidate: Candidate = bug.fix if text is None else builders.candidate(bug, Edit(path="calc.py", text=text))
    with BugValidator(Conditions(bug=bug), sandbox) as validator:
        return validator.validate(candidate)


@pytest.mark.parametrize("text", [HONEST, None])
def test_an_honest_candidate_passes_blind(bug: Bug, sandbox: Sandbox, text: str | None) -> None:
    outcome = judged(bug, sandbox, text)
    assert (outcome.verdict, outcome.message) == (Verdict.PLAUSIBLE, "")
    assert (outcome.strength, outcome.guard) == ("blind", "3 of 3 tests blind")


def test_who_reads_the_test_file_fails_where_it_does_not_tell(bug: Bug, sandbox: Sandbox) -> None:
    outcome = judged(bug, sandbox, READS)
    assert outcome.verdict is Verdict.WRONG
    assert outcome.strength is None
    assert outcome.message.startswith("tampering: tests/test_add.py::test_sum fails once its expected values are withheld: assert ")


def test_a_test_that_cannot_be_blind_is_left_to_counter_tests(bug: Bug, sandbox: Sandbox, tmp_path: Path) -> None:
    text = """import calc

def test_sum():
    try:
        total = calc.add(1, 2)
    except ValueError:
        total = 0
    assert total == 3

def test_more():
    assert calc.add(2, 0) == 2
"""
    outcome = judged(with_test(bug, tmp_path, text, "test_sum", "test_more"), sandbox, HONEST)
    assert (outcome.verdict, outcome.message, outcome.strength) == (Verdict.PLAUSIBLE, "", "checked")
    assert outcome.guard.startswith("1 of 2 tests blind; 1 of 1 counter-tests failed as they must, seed ")
