"""Whatever is raised over one candidate leaves that one UNDECIDED; verdicts of earlier runs that change are told of."""

import dataclasses
from pathlib import Path

import pytest

from repairlab.benchmarks.catalog import open_benchmark
from repairlab.core.bug import Bug
from repairlab.core.candidate import Candidate, Edit
from repairlab.core.execution import Command, Execution
from repairlab.core.outcome import Outcome, Verdict
from repairlab.sandbox.sandbox import FakeSandbox, exited
from repairlab.validation.apply import normal_digest
from repairlab.validation.cache import VerdictCache
from repairlab.validation.validator import BugValidator, Conditions


@pytest.fixture
def conditions(tiny: Path) -> Conditions:
    bug = open_benchmark(str(tiny)).bug("sum")
    return Conditions(bug=bug, environment="e", tools="t", recheck=1, isolation="process")


@pytest.fixture
def cache(tmp_path: Path) -> Path:
    return tmp_path / "cache"


def program(bug: Bug, text: str) -> Candidate:
    return bug.candidate((Edit(path="main.py", text=text),), "test")


def prints(*lines: str) -> FakeSandbox:
    """Return a sandbox in which every command prints these, one after the other, then the last one."""
    left = list(lines)
    return FakeSandbox(lambda _: exited(stdout=(left.pop(0) if len(left) > 1 else left[0]).encode()))


def raising(error: BaseException) -> FakeSandbox:
    def run(command: Command) -> Execution:
        raise error

    return FakeSandbox(run)


def judged(conditions: Conditions, sandbox: FakeSandbox, cache: Path, text: str = "print(3)\n") -> list[Outcome]:
    """Return the outcome of a candidate, after an earlier one that disagrees with it."""
    found: list[Outcome] = []
    candidate = program(conditions.bug, text)
    with BugValidator(conditions, sandbox, cache, disagree=lambda earlier, now: found.append(earlier)) as validator:
        outcome = validator.judge(candidate, candidate.id, validator.form(candidate, candidate.id))
    return [*found, outcome]


def test_a_verdict_that_comes_out_otherwise_is_told_and_forgotten(conditions: Conditions, cache: Path) -> None:
    (wrong,) = judged(conditions, prints("nothing"), cache)
    (same,) = judged(conditions, prints("nothing"), cache)
    assert (wrong.verdict, same.verdict, same.cached) == (Verdict.WRONG, Verdict.WRONG, False)
    earlier, now = judged(conditions, FakeSandbox(lambda _: exited(1)), cache)
    assert (earlier.verdict, now.verdict) == (Verdict.WRONG, Verdict.UNCOMPILABLE)
    trusting = dataclasses.replace(conditions, recheck=0)
    (again,) = judged(trusting, prints("nothing"), cache)
    assert not again.cached, "what was in doubt is no longer known"
    assert [item.cached for item in judged(trusting, prints("nothing"), cache)] == [True]


def test_an_error_of_ours_costs_one_candidate_and_is_quoted(conditions: Conditions, cache: Path) -> None:
    (outcome,) = judged(conditions, raising(KeyError("oops")), cache)
    assert (outcome.verdict, outcome.message) == (Verdict.UNDECIDED, "internal error: KeyError: 'oops'")
    assert "Traceback" in outcome.evidence
    assert outcome.n_tests == 2
    with pytest.raises(MemoryError):
        judged(conditions, raising(MemoryError()), cache, "print(4)\n")


def test_candidates_that_could_not_be_decided_or_applied_are_counted_apart(conditions: Conditions, cache: Path) -> None:
    bug = conditions.bug
    with BugValidator(conditions, raising(KeyError("oops"))) as validator:
        validator.judge(program(bug, "print(1)\n"), "a", "a")
        validator.judge(bug.candidate((Edit(path="../x", text=""),), "test"), "b", "b")
        validator.remember("key", "text")
        assert (validator.n_undecided, validator.has_decided) == (1, False)
    with BugValidator(conditions, prints("x"), cache) as validator:
        validator.remember("key", "text")
        validator.judge(program(bug, "print(1)\n"), "a", "a")
        assert validator.has_decided
    with_forms = VerdictCache(cache)
    assert with_forms.form("key") == "text"
    with_forms.close()


@pytest.mark.parametrize("error", [RuntimeError("odd"), RecursionError()])
def test_a_form_that_cannot_be_made_costs_a_duplicate_at_most(conditions: Conditions, error: BaseException) -> None:
    odd = _odd(conditions.bug, error)
    elsewhere = conditions.bug.candidate((Edit(path="../x", text=""),), "test")
    with BugValidator(conditions, prints("x")) as validator:
        assert validator.form(odd, "name") == "name"
        assert validator.form(elsewhere, "name") == "name"


def test_without_a_cache_the_first_of_equal_candidates_lends_its_name(conditions: Conditions) -> None:
    texts = [
        "x = 1\n",
        "x = 2\n",
        "x  =  1  # one\n",
        "x = '# 1'\n",
        "x = '# 2'\n",
        "x = '# 1'  # 1\n",
        "\nx = 1\n",
        "if x:\n    y = 1\n    z\n",
    ]
    texts += ["if x:\n    y = 1\nz\n", "x = (\n    1)\n", "x = (1)  # 'one'\n", "x = 1 1\n", "x = 11\n"]
    candidates = [program(conditions.bug, text) for text in texts]
    with BugValidator(conditions, prints("x")) as validator:
        forms = [validator.form(candidate, str(number)) for number, candidate in enumerate(candidates)]
    digests = [normal_digest(candidate, conditions.bug) for candidate in candidates]
    assert forms == [str(digests.index(own)) for own in digests]
    assert forms[:7] == ["0", "1", "0", "3", "4", "3", "0"]


def test_no_memory_is_not_the_candidates_fault(conditions: Conditions) -> None:
    with BugValidator(conditions, prints("x")) as validator, pytest.raises(MemoryError):
        validator.form(_odd(conditions.bug, MemoryError()), "name")


def _odd(bug: Bug, error: BaseException) -> Candidate:
    class Odd:
        bug_id, edits = bug.id, ()

        @property
        def problem(self) -> str:
            raise error

    return Odd()  # type: ignore[return-value]  # all that is looked at
