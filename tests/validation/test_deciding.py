"""Whatever is raised over one candidate leaves that one UNDECIDED; verdicts of earlier runs that change are told of."""

import dataclasses
from pathlib import Path

import pytest

from repairlab.benchmarks.catalog import open_benchmark
from repairlab.core.bug import Bug
from repairlab.core.candidate import Candidate, Edit
from repairlab.core.execution import Command, Execution
from repairlab.core.outcome import Outcome, Verdict
from repairlab.sandbox.fake import FakeSandbox, exited
from repairlab.validation.cache import VerdictCache
from repairlab.validation.deciding import Conditions, Decider, Forms, open_decider
from repairlab.validation.machine import Machine


@pytest.fixture
def conditions(tiny: Path, tmp_path: Path) -> Conditions:
    bug = open_benchmark(str(tiny)).bug("sum")
    machine = Machine(cache=tmp_path / "cache", sandbox="fake", recheck=1, isolation="process")
    return Conditions(bug=bug, machine=machine, environment="e", tools="t")


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


def decided(conditions: Conditions, sandbox: FakeSandbox, text: str = "print(3)\n") -> list[Outcome]:
    found: list[Outcome] = []
    with open_decider(conditions, sandbox, found.append) as decide:
        decide(program(conditions.bug, text))
    return found


def test_a_verdict_that_comes_out_otherwise_is_told_and_forgotten(conditions: Conditions) -> None:
    (wrong,) = decided(conditions, prints("nothing"))
    (same,) = decided(conditions, prints("nothing"))
    assert (wrong.verdict, same.verdict, same.cached) == (Verdict.WRONG, Verdict.WRONG, False)
    earlier, now = decided(conditions, FakeSandbox(lambda _: exited(1)))
    assert (earlier.verdict, now.verdict) == (Verdict.WRONG, Verdict.UNCOMPILABLE)
    trusting = dataclasses.replace(conditions, machine=dataclasses.replace(conditions.machine, recheck=0))
    (again,) = decided(trusting, prints("nothing"))
    assert not again.cached, "what was in doubt is no longer known"
    assert [item.cached for item in decided(trusting, prints("nothing"))] == [True]


def test_an_error_of_ours_costs_one_candidate_and_is_quoted(conditions: Conditions) -> None:
    (outcome,) = decided(conditions, raising(KeyError("oops")))
    assert (outcome.verdict, outcome.message) == (Verdict.UNDECIDED, "internal error: KeyError: 'oops'")
    assert "Traceback" in outcome.evidence
    assert outcome.n_tests == 2
    with pytest.raises(MemoryError):
        decided(conditions, raising(MemoryError()), "print(4)\n")


def test_candidates_that_could_not_be_decided_or_applied_are_counted_apart(conditions: Conditions) -> None:
    plain = dataclasses.replace(conditions, machine=dataclasses.replace(conditions.machine, use_verdicts=False))
    bug = conditions.bug
    with Decider(plain, raising(KeyError("oops"))) as decider:
        decider.decide(program(bug, "print(1)\n"), "a", "a")
        decider.decide(bug.candidate((Edit(path="../x", text=""),), "test"), "b", "b")
        decider.remember("key", "text")
        assert (decider.n_undecided, decider.has_decided) == (1, False)
    with Decider(conditions, prints("x")) as decider:
        decider.remember("key", "text")
        decider.decide(program(bug, "print(1)\n"), "a", "a")
        assert decider.has_decided
    with_forms = VerdictCache(conditions.machine.cache)
    assert with_forms.form("key") == "text"
    with_forms.close()


@pytest.mark.parametrize("error", [RuntimeError("odd"), RecursionError()])
def test_a_form_that_cannot_be_made_costs_a_duplicate_at_most(conditions: Conditions, error: BaseException) -> None:
    odd = _odd(conditions.bug, error)
    assert Forms(conditions.bug, None).of(odd, "name") == "name"
    elsewhere = conditions.bug.candidate((Edit(path="../x", text=""),), "test")
    assert Forms(conditions.bug, None).of(elsewhere, "name") == "name"


def test_no_memory_is_not_the_candidates_fault(conditions: Conditions) -> None:
    with pytest.raises(MemoryError):
        Forms(conditions.bug, None).of(_odd(conditions.bug, MemoryError()), "name")


def _odd(bug: Bug, error: BaseException) -> Candidate:
    class Odd:
        bug_id, edits = bug.id, ()

        @property
        def problem(self) -> str:
            raise error

    return Odd()  # type: ignore[return-value]  # all that is looked at
