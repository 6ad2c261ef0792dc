"""What becomes of tests that share a process: reports that break off, time-outs of the one that had begun, builds left to it."""

import dataclasses
from collections.abc import Sequence
from pathlib import Path
from typing import cast

import pytest

from repairlab.benchmarks.catalog import open_benchmark
from repairlab.core.bug import Bug, CheckerProgram
from repairlab.core.errors import HarnessError
from repairlab.core.execution import Command, Ending, Execution
from repairlab.core.outcome import Policy, TestResult, TestVerdict, Verdict
from repairlab.core.recipe import Build, Test
from repairlab.languages.language import Batch, Report, Toolchain
from repairlab.sandbox.sandbox import FakeSandbox, exited
from repairlab.validation.tree_tester import MOST_LATE, TreeTester

ONE, TWO = "tests/test_cart.py::test_total", "tests/test_cart.py::test_empty"
PASSED = TestVerdict.PASSED


class _Toolchain:
    """Runs all tests in one process, whose reports are given."""

    def __init__(self, *reports: Report, built: tuple[Command, ...] = (), inspects: bool = False) -> None:
        self._reports, self._built, self._inspects = list(reports), built, inspects

    def inspects(self, test: Test) -> bool:
        return self._inspects

    def has_begun(self, execution: Execution) -> bool:
        return False

    def build(self, build: Build, test: Test, files: Sequence[str]) -> tuple[Command, ...]:
        return self._built

    def batches(self, build: Build, test: Test, tests: Sequence[str], *, stop: bool) -> tuple[Batch, ...]:
        return (Batch(command=Command(argv=("tests",), private=True), tests=tuple(tests), nonce=""),) if tests else ()

    def report(self, test: Test, batch: Batch, execution: Execution) -> Report:
        return self._reports.pop(0)

    def out_of_memory(self, execution: Execution) -> bool:
        return False


@pytest.fixture
def bug(tiny: Path) -> Bug:
    return open_benchmark(str(tiny)).bug("shop")


def run_of(
    bug: Bug, work: Path, toolchain: _Toolchain, *executions: Execution, policy: Policy = "full", confirm: int = 0
) -> TreeTester:
    left = iter(executions)
    given = cast(Toolchain, toolchain)  # what is asked of one here
    return TreeTester(bug, FakeSandbox(lambda _: next(left)), policy, work, confirm=confirm, other_toolchain=given)


def said(run: TreeTester) -> tuple[Verdict, str]:
    """Return a verdict with its line."""
    judgement = run.judge()
    return judgement.verdict, judgement.message


def result(test: str, verdict: TestVerdict = PASSED) -> TestResult:
    return TestResult(id=test, verdict=verdict, message="" if verdict is PASSED else "no")


def stopped(ending: Ending) -> Execution:
    return dataclasses.replace(exited(), ending=ending, exit_code=None, cpu_s=100.0, wall_s=100.0)


def test_the_test_that_had_begun_when_others_used_up_the_time_runs_alone(bug: Bug, tmp_path: Path) -> None:
    for ending in (Ending.CPU_LIMIT, Ending.WALL_LIMIT):
        again = _Toolchain(Report(results=(result(ONE),), unfinished=TWO), Report(results=(result(TWO),)))
        run = run_of(bug, tmp_path, again, stopped(ending), exited())
        assert said(run) == (Verdict.PLAUSIBLE, "")  # that others used up the time does not make it flaky
        assert [(test.id, test.runs, test.flips) for test in run.log.tests] == [(ONE, 1, 0), (TWO, 2, 0)]


def test_what_is_left_after_a_crash_runs_in_a_new_process(bug: Bug, tmp_path: Path) -> None:
    toolchain = _Toolchain(Report(results=(), unfinished=ONE), Report(results=(result(TWO),)))
    run = run_of(bug, tmp_path, toolchain, exited(9), exited())
    assert said(run) == (Verdict.CRASH, f"{ONE}: the process ended during the test: exit code 9")
    assert [test.verdict for test in run.log.tests] == [TestVerdict.CRASH, PASSED]


def test_a_candidate_that_loops_does_not_run_into_its_limit_in_every_test(bug: Bug, tmp_path: Path) -> None:
    names = tuple(f"tests/test_cart.py::test_{number}" for number in range(MOST_LATE + 3))
    bug = dataclasses.replace(bug, oracle=dataclasses.replace(bug.oracle, regression=names))
    reports = [Report(results=(result(ONE),), unfinished=names[0]), Report(results=(), unfinished=names[0])]
    reports += [Report(results=(), unfinished=name) for name in names[1:]]
    late = [stopped(Ending.CPU_LIMIT)] * (MOST_LATE + 1)
    run = run_of(bug, tmp_path, _Toolchain(*reports), *late)
    assert run.judge().verdict is Verdict.TIMEOUT
    assert [(test.id, test.verdict) for test in run.log.tests] == [(ONE, PASSED), *((name, TestVerdict.TIMEOUT) for name in names)]
    assert [test.runs for test in run.log.tests] == [1, 2, *[1] * (MOST_LATE - 1), 0, 0, 0]
    assert run.log.tests[-1].message == "not run: 5 regression tests before it passed their time limit"


def test_all_tests_run_where_each_counts(bug: Bug, tmp_path: Path) -> None:
    names = tuple(f"tests/test_cart.py::test_{number}" for number in range(MOST_LATE + 1))
    run = run_of(
        bug,
        tmp_path,
        _Toolchain(*(Report(results=(), unfinished=name) for name in names)),
        *[stopped(Ending.CPU_LIMIT)] * len(names),
    )
    run.run(names, ())
    assert [test.runs for test in run.log.tests] == [1] * len(names)


def test_tests_that_are_not_reported_have_failed(bug: Bug, tmp_path: Path) -> None:
    toolchain = _Toolchain(Report(results=(result(ONE),)))
    run = run_of(bug, tmp_path, toolchain, exited())
    assert said(run) == (Verdict.CRASH, f"{TWO}: not reported by the test run")
    assert run.log.stage == "regression"
    stopping = run_of(
        bug, tmp_path, _Toolchain(Report(results=(result(ONE, TestVerdict.WRONG),))), exited(), policy="first-failure"
    )
    assert (stopping.judge().verdict, len(stopping.log.tests)) == (Verdict.WRONG, 1)


def test_behind_a_failure_that_is_excused_tests_are_not_taken_for_missing(bug: Bug, tmp_path: Path) -> None:
    reports = (Report(results=(result(ONE, TestVerdict.WRONG),)), Report(results=(result(ONE),)), Report(results=(result(TWO),)))
    run = run_of(bug, tmp_path, _Toolchain(*reports), exited(), exited(), exited(), policy="first-failure", confirm=1)
    assert run.judge().verdict is Verdict.PLAUSIBLE
    assert [(test.id, test.flips) for test in run.log.tests] == [(ONE, 1), (TWO, 0)]


@pytest.mark.parametrize("tests", [(ONE, TWO), (ONE,)])
def test_a_build_that_was_left_to_the_tests_and_failed_leaves_no_results(bug: Bug, tmp_path: Path, tests: tuple[str, ...]) -> None:
    bug = dataclasses.replace(bug, oracle=dataclasses.replace(bug.oracle, trigger=tests, regression=()))
    said = '  File "cart.py", line 1\nSyntaxError: no'
    run = run_of(bug, tmp_path, _Toolchain(Report(results=(), built=said), inspects=True), exited(1))
    assert (run.judge().verdict, run.log.tests, run.log.stage) == (Verdict.UNCOMPILABLE, [], "build")
    build = (Command(argv=("build",)),)
    run = run_of(
        bug, tmp_path, _Toolchain(Report(results=()), built=build, inspects=True), exited(1), exited(1, stderr=said.encode())
    )
    assert (run.judge().verdict, run.log.tests) == (Verdict.UNCOMPILABLE, [])


def test_evidence_of_other_failures_stays_when_one_is_excused(bug: Bug, tmp_path: Path) -> None:
    failing = Report(results=(result(ONE, TestVerdict.WRONG), result(TWO, TestVerdict.WRONG)))
    alone = [Report(results=(result(ONE, TestVerdict.WRONG),)), Report(results=(result(TWO),))]
    run = run_of(bug, tmp_path, _Toolchain(failing, *alone), exited(1, stdout=b"said"), exited(1), exited(), confirm=1)
    assert run.judge().verdict is Verdict.WRONG
    assert (run.log.evidence, [test.flips for test in run.log.tests]) == ("said", [0, 1])


def test_a_checker_program_does_not_run_where_the_candidate_does(tiny: Path, tmp_path: Path) -> None:
    bug = open_benchmark(str(tiny)).bug("sum")
    checker = CheckerProgram(language="python", files=(), program="judge.py")
    bug = dataclasses.replace(bug, oracle=dataclasses.replace(bug.oracle, checker=checker))
    with pytest.raises(HarnessError, match="needs a sandbox apart from the candidate's"):
        TreeTester(bug, FakeSandbox(lambda _: exited()), "full", tmp_path).run((), bug.oracle.cases)
