"""Doubtful time-outs and failures that are to be confirmed: what runs again, and what counts in the end."""

import dataclasses
from collections.abc import Iterator
from pathlib import Path

import pytest

from repairlab.benchmarks.catalog import open_benchmark
from repairlab.core.bug import Bug
from repairlab.core.errors import UserError
from repairlab.core.execution import Command, Ending, Execution
from repairlab.core.outcome import Policy, TestVerdict, Verdict
from repairlab.sandbox.sandbox import FakeSandbox, Sandbox, exited
from repairlab.validation.time_limits import BUSY_MARGIN, MARGIN
from repairlab.validation.tree_tester import TreeTester
from repairlab.validation.validator import validate
from tests import builders

RIGHT = exited(stdout=b"3\n")
WRONG = exited(stdout=b"4\n")
LIMIT_S = 2.0
"""CPU limit of the bug `sum`."""


def took(execution: Execution, cpu_s: float, *, wall_s: float | None = None, ending: Ending | None = None) -> Execution:
    ending = ending or execution.ending
    code = execution.exit_code if ending is Ending.EXITED else None
    return dataclasses.replace(execution, cpu_s=cpu_s, wall_s=cpu_s if wall_s is None else wall_s, ending=ending, exit_code=code)


@pytest.fixture
def program(tiny: Path) -> Bug:
    """Return a bug with one case, whose answer is 3."""
    bug = open_benchmark(str(tiny)).bug("sum")
    return dataclasses.replace(bug, oracle=dataclasses.replace(bug.oracle, cases=bug.oracle.cases[:1]))


def trial_of(bug: Bug, work: Path, *executions: Execution, confirm: int = 0, policy: Policy = "full") -> TreeTester:
    """Run the cases of a bug with a program that behaves so, one run after the other; each run must come to pass."""
    left: Iterator[Execution] = iter(executions)
    trial = TreeTester(bug, FakeSandbox(lambda _: next(left)), policy, work, confirm=confirm)
    trial.run((), bug.oracle.cases)
    assert next(left, None) is None
    return trial


def test_commands_get_more_cpu_time_than_their_limit(program: Bug, tmp_path: Path) -> None:
    sandbox = FakeSandbox(lambda _: RIGHT)
    TreeTester(program, sandbox, "full", tmp_path).run((), program.oracle.cases)
    (command,) = sandbox.commands
    assert command.limits.cpu_s in (MARGIN * LIMIT_S, BUSY_MARGIN * LIMIT_S)


def test_builds_have_limits_of_their_own(tiny: Path, tmp_path: Path) -> None:
    facts = tiny / "bugs/sum/bug.toml"
    facts.write_text(facts.read_text() + "[build.limits]\ncpu_s = 900\n")
    sandbox = FakeSandbox(lambda _: took(exited(), 900.0, ending=Ending.CPU_LIMIT))
    (tmp_path / "main.py").touch()
    told = TreeTester(open_benchmark(str(tiny)).bug("sum"), sandbox, "full", tmp_path).build()
    assert told.startswith("the build was stopped: ")
    assert [(command.limits.cpu_s, command.limits.memory_mb) for command in sandbox.commands] == [(900.0, 4096)]
    facts.write_text(facts.read_text().replace("900", "0"))
    with pytest.raises(UserError, match=r"build.limits.cpu_s is 0.0; it must be more than 0"):
        list(open_benchmark(str(tiny)))


def test_what_ends_within_the_limit_or_is_stopped_beyond_the_margin_runs_once(program: Bug, tmp_path: Path) -> None:
    (test,) = trial_of(program, tmp_path, took(RIGHT, LIMIT_S)).log.tests
    assert (test.verdict, test.runs, test.flips) == (TestVerdict.PASSED, 1, 0)
    (test,) = trial_of(program, tmp_path, took(RIGHT, BUSY_MARGIN * LIMIT_S, ending=Ending.CPU_LIMIT)).log.tests
    assert (test.verdict, test.runs, test.flips) == (TestVerdict.TIMEOUT, 1, 0)


def test_what_ends_just_beyond_the_limit_gets_a_second_chance(program: Bug, tmp_path: Path) -> None:
    near = took(RIGHT, LIMIT_S * 1.1)
    (test,) = trial_of(program, tmp_path, near, took(RIGHT, LIMIT_S * 0.95)).log.tests
    assert (test.verdict, test.runs, test.flips) == (TestVerdict.PASSED, 2, 1)
    stopped = took(RIGHT, LIMIT_S * BUSY_MARGIN, ending=Ending.CPU_LIMIT)
    (test,) = trial_of(program, tmp_path, near, stopped).log.tests
    assert (test.verdict, test.runs, test.flips) == (TestVerdict.TIMEOUT, 2, 0)
    assert "cpu limit" in test.message
    (test,) = trial_of(program, tmp_path, took(WRONG, LIMIT_S * 1.1), took(WRONG, LIMIT_S)).log.tests
    assert (test.verdict, test.runs, test.flips) == (TestVerdict.WRONG, 2, 0)


def test_what_fails_otherwise_just_beyond_the_limit_has_failed_in_any_case(program: Bug, tmp_path: Path) -> None:
    (test,) = trial_of(program, tmp_path, took(exited(1), LIMIT_S * 1.1)).log.tests
    assert (test.verdict, test.runs) == (TestVerdict.CRASH, 1)
    (test,) = trial_of(program, tmp_path, took(RIGHT, LIMIT_S * 1.1, ending=Ending.MEMORY_LIMIT)).log.tests
    assert (test.verdict, test.runs) == (TestVerdict.OUT_OF_MEMORY, 1)


@pytest.mark.parametrize("cpu_s", [0.01, 1.9])
def test_a_wall_limit_gets_a_second_chance(program: Bug, tmp_path: Path, cpu_s: float) -> None:
    stuck = took(RIGHT, cpu_s, wall_s=30.0, ending=Ending.WALL_LIMIT)
    assert trial_of(program, tmp_path, stuck, took(RIGHT, 0.8)).log.tests[0].verdict is TestVerdict.PASSED
    (test,) = trial_of(program, tmp_path, stuck, stuck).log.tests
    assert (test.verdict, test.runs) == (TestVerdict.TIMEOUT, 2)


def test_a_failure_that_happens_again_is_confirmed(program: Bug, tmp_path: Path) -> None:
    (test,) = trial_of(program, tmp_path, WRONG, WRONG, confirm=3).log.tests
    assert (test.verdict, test.runs, test.flips) == (TestVerdict.WRONG, 2, 0)
    (test,) = trial_of(program, tmp_path, WRONG, RIGHT, exited(1), confirm=3).log.tests
    assert (test.verdict, test.runs, test.flips) == (TestVerdict.WRONG, 3, 1)


def test_a_failure_that_never_happens_again_does_not_count(program: Bug, tmp_path: Path) -> None:
    trial = trial_of(program, tmp_path, WRONG, RIGHT, RIGHT, confirm=2)
    (test,) = trial.log.tests
    assert (test.verdict, test.runs, test.flips) == (TestVerdict.PASSED, 3, 1)
    assert test.message == "flaky: WRONG at first (token 1 is '4', expected '3'), then passed 2 times"
    assert trial.log.evidence == ""


def test_a_pass_is_never_questioned_and_without_confirm_nothing_runs_again(program: Bug, tmp_path: Path) -> None:
    assert trial_of(program, tmp_path, RIGHT, confirm=3).log.tests[0].runs == 1
    assert trial_of(program, tmp_path, WRONG).log.tests[0].runs == 1


FLAKY = """\
import pathlib
from shop.cart import Cart
seen = pathlib.Path("seen.txt")

def test_total():
    assert Cart([1, 2]).total() == 3

def test_empty():
    assert int(seen.read_text()) >= {fails}
"""


class Counting:
    """A sandbox whose commands find out how many ran before: what they write themselves is gone when they end."""

    name = "counting"

    def __init__(self, sandbox: Sandbox) -> None:
        self._sandbox = sandbox
        self._runs = -1  # the trigger test has a process of its own, before all others
        self.reside = sandbox.reside
        self.slot = sandbox.slot

    def run(self, command: Command, tree: Path) -> Execution:
        (tree / "seen.txt").write_text(str(self._runs))
        self._runs += command.private
        return self._sandbox.run(command, tree)


@pytest.mark.parametrize(
    ("fails", "confirm", "verdict", "flips"),
    [(1, 0, Verdict.WRONG, 0), (1, 1, Verdict.PLAUSIBLE, 1), (1, 3, Verdict.PLAUSIBLE, 1), (2, 3, Verdict.WRONG, 0)],
)
def test_a_flaky_test_of_a_project_is_run_again_alone(
    tiny: Path, sandbox: Sandbox, fails: int, confirm: int, verdict: Verdict, flips: int
) -> None:
    (tiny / "bugs/shop/buggy/tests/test_cart.py").write_text(FLAKY.format(fails=fails))
    bug = open_benchmark(str(tiny)).bug("shop")
    fix = builders.reference(bug)
    outcome = validate(fix, bug, Counting(sandbox), confirm=confirm)
    assert (outcome.verdict, outcome.tests[-1].flips) == (verdict, flips), outcome
    assert ("flaky, passed when run again: tests/test_cart.py::test_empty" in outcome.message) == bool(flips)


SPIN = """

def spin():
    import time
    end = time.process_time() + 0.9
    while time.process_time() < end:
        pass
"""


def test_a_test_whose_process_others_had_used_runs_in_one_of_its_own(tiny: Path, sandbox: Sandbox) -> None:
    tests = tiny / "bugs/shop/buggy/tests/test_cart.py"
    tests.write_text(tests.read_text().replace("():\n    assert", "():\n    spin()\n    assert") + SPIN)
    facts = tiny / "bugs/shop/bug.toml"
    facts.write_text(facts.read_text() + "[limits]\ncpu_s = 1.5\n")
    bug = open_benchmark(str(tiny)).bug("shop")
    fix = builders.reference(bug)
    outcome = validate(fix, bug, sandbox)
    assert (outcome.verdict, [test.verdict for test in outcome.tests]) == (Verdict.PLAUSIBLE, [TestVerdict.PASSED] * 2), outcome
