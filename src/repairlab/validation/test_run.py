"""Build a tree and run its tests or cases in a sandbox."""

import dataclasses
from collections.abc import Callable, Iterator, Sequence
from contextlib import ExitStack
from functools import partial
from pathlib import Path
from typing import NamedTuple

from repairlab.core.bug import Bug, Case
from repairlab.core.errors import HarnessError
from repairlab.core.execution import BuildLimits, Command, Ending, Execution, Limits
from repairlab.core.outcome import Policy, Stage, TestResult, TestVerdict, Verdict
from repairlab.languages.facts import facts
from repairlab.languages.language import Batch, Inspecting, Report, Toolchain, language
from repairlab.languages.reports import first_error
from repairlab.sandbox.sandbox import Runner, Sandbox, SeriesRunner
from repairlab.validation.checkers import CheckerResult, compare, describe_end, of_case, of_process
from repairlab.validation.custom_checker import checking
from repairlab.validation.interactive import Interaction, interacting
from repairlab.validation.stopwatch import STOPWATCH
from repairlab.validation.time_limits import Load, is_doubtful, recent_load, repeat, with_margin
from repairlab.validation.worktree import files_below

NOT_FOUND = 127
"""Exit code of shells, and of our launcher, when there is no such program; build tools themselves have others."""
EVIDENCE_CHARS = 4000
NOT_REPORTED = "not reported by the test run"
"""The message of a test that a process did not report although it ended properly."""
MOST_LATE = 5
"""So many regression tests of a candidate may pass their time limit; it loops, and each further one would take as long again."""

HURRIED_S = 5.0
"""CPU time that a test has at least, however many before it were late."""
_ALONE = 2
"""Runs of a test that was ended with a process whose time others had used up, and then ran once by itself."""


class FirstRun(NamedTuple):
    """The first run of a case, and the load of the machine when it began, or a little before."""

    execution: Execution
    load: Load


class TestRun:
    """Builds and tests one tree that is already laid out, and keeps what was seen; one method per stage."""

    def __init__(
        self,
        bug: Bug,
        sandbox: Runner,
        policy: Policy,
        work: Path,
        *,
        confirm: int = 0,
        checker_sandbox: Sandbox | None = None,
    ) -> None:
        """Take the bug whose recipe counts, and the folder `work` that holds the tree.

        A test that fails is run again, up to `confirm` times: the failure stands unless every one of these runs passes.
        A bug's checker program runs in `checker_sandbox`; `sandbox` may be bound to the candidate's.
        """
        self.confirm = confirm
        self._checker_sandbox = checker_sandbox
        self._talk: Interaction | None = None
        self.bug = bug
        self.sandbox = sandbox
        self.policy = policy
        self.work = work
        self.toolchain: Toolchain = language(bug.problem.language).toolchain
        self.stage: Stage = "apply"
        self.evidence = ""
        self.cpu_s = self.wall_s = self.peak_mb = 0.0
        self.tests: list[TestResult] = []
        self.changed: set[str] = set()
        """What commands have changed of the tree that they found; it was put back."""
        self.doubts: dict[str, str] = {}
        """How the checker program failed, by case: whether the program's output is why is for others to find out."""
        self.left_tree_alone = True
        """Whether the sandbox sees to it that no command so far has changed the tree."""
        self._is_built = True
        self._problem = ""
        """Why the tree does not build."""
        self._most_late: int | None = None
        """After how many late regression tests the rest is not run; none: all are."""
        self._limits = bug.oracle.limits
        """Of each test or case."""
        self._hurried = False

    def judge(self) -> tuple[Verdict, str]:
        """Build, run all tests or cases as far as the policy wants, and return the verdict with a line to show."""
        tests, cases = (*self.bug.oracle.trigger, *self.bug.oracle.regression), self.bug.oracle.cases
        is_left = isinstance(self.toolchain, Inspecting) and self.toolchain.inspects(self.bug.oracle.test)
        self._is_built = not (is_left and (tests or cases))
        self._most_late = MOST_LATE
        if self._is_built:
            self._problem = self.build()
        if not self._problem:
            self.run(tests, cases)
        if self._problem:
            self.stage = "build"
            return Verdict.UNCOMPILABLE, self._problem
        failed = next((test for test in self.tests if not test.passed), None)
        if failed:
            message = failed.message if failed.message.startswith("tampering: ") else f"{failed.id}: {failed.message}"
            return Verdict(failed.verdict), message
        flaky = [test.id for test in self.tests if test.flips]
        return Verdict.PLAUSIBLE, f"flaky, passed when run again: {', '.join(flaky)}" if flaky else ""

    def run(self, tests: Sequence[str], cases: Sequence[Case], *, hurried: bool = False) -> None:
        """Run these tests and cases; results go to `tests`.

        With `hurried` each test that is late, and no trigger test, halves the time of those after it: it has cost enough.
        """
        self._hurried, self._limits = hurried, self.bug.oracle.limits
        with STOPWATCH.phase("test"):
            self._run(tests, cases)

    def _run(self, tests: Sequence[str], cases: Sequence[Case]) -> None:
        if cases:
            self._run_cases(cases)
        if tests:
            self._run_tests(tests)

    def _execute(self, command: Command, limits: Limits) -> Execution:
        self.left_tree_alone &= command.private
        return self._counted((self._talk or self.sandbox).run(command.under(limits), self.work))

    def _counted(self, execution: Execution) -> Execution:
        self.changed.update(execution.changed)
        self.cpu_s += execution.cpu_s
        self.wall_s += execution.wall_s
        self.peak_mb = max(self.peak_mb, execution.peak_mb)
        return execution

    def prepare(self, commands: Sequence[Command]) -> bool:
        """Run commands of a build that may fail; return whether none did."""
        executions = [self._execute(command, self.bug.oracle.build.limits) for command in commands]
        return all(execution.succeeded for execution in executions)

    def build(self) -> str:
        """Return why the tree does not build, or nothing."""
        self.stage = "build"
        with STOPWATCH.phase("build"):
            return self._build()

    def _reported(self, batch: Batch, execution: Execution) -> Report:
        """Return what a test process reported; the first may have been left to look at the tree, too."""
        report = self.toolchain.report(self.bug.oracle.test, batch, execution)
        if not self._is_built:
            self._is_built = True
            if report.built is None:
                self._problem = self.build()
            elif report.built:
                self._problem = self._first_error(report.built.encode())
        return report

    def _first_error(self, said: bytes) -> str:
        """Keep what a build said and return the line to show."""
        self.evidence = _tail(said)
        return first_error(said, facts(self.bug.problem.language).error_line)

    def _build(self) -> str:
        for command in self.toolchain.build(self.bug.oracle.build, self.bug.oracle.test, files_below(self.work)):
            execution = self._execute(command, self.bug.oracle.build.limits)
            if execution.exit_code == NOT_FOUND:
                raise HarnessError(f"a tool of the build is not there: {_tail(execution.stderr).strip() or command.argv[0]}")
            if not execution.succeeded:
                error = self._first_error(execution.stdout + execution.stderr)
                if execution.ending is Ending.EXITED:
                    return error
                return f"the build was stopped: {describe_end(execution)}"
        return ""

    def _run_until_sure(self, command: Command, first: FirstRun | None = None) -> tuple[Execution, int]:
        """Run one test or case; where its time limit is in doubt it runs again. Return how often it ran, too."""
        limits = self._limits
        if first is None:
            load = recent_load()
            first = FirstRun(self._execute(command, with_margin(limits)), load)
        if not is_doubtful(first.execution, limits, first.load):
            return first.execution, 1
        return self._run_again(command, first.execution)

    def _run_again(self, command: Command, before: Execution) -> tuple[Execution, int]:
        """Run what was doubtful before; return how often it ran in all."""
        execution, repeats = repeat(partial(self._execute, command), self._limits, before)
        return execution, repeats + 1

    def _run_cases(self, cases: Sequence[Case]) -> None:
        self.stage = "cases"
        program = self.toolchain.program(self.bug.oracle.build, self.bug.oracle.test)
        with ExitStack() as stack:
            check = self._checker(stack)
            for case, first in zip(cases, self._first_runs(cases, program), strict=True):
                if self._does_not_build(first):
                    return
                run = partial(self._run_case, case, program, check)
                result = self._confirmed(run(first), run)
                self.tests.append(result)
                if not result.passed and self.policy == "first-failure":
                    return

    def _does_not_build(self, first: FirstRun | None) -> bool:
        """Return whether the tree does not build, if that was left to the first run of a program."""
        if self._is_built:
            return False
        self._is_built = True
        if first is None or not (isinstance(self.toolchain, Inspecting) and self.toolchain.has_begun(first.execution)):
            self._problem = self.build()
            self.stage = "cases"
        return bool(self._problem)

    def _first_runs(self, cases: Sequence[Case], program: Command) -> Iterator[FirstRun | None]:
        """Yield the first run of each case, or none when it is still to be made.

        Where runs are cheaper together, more and more are made at once: one failure may be the end.
        """
        sandbox, inputs = self.sandbox, [case.input.encode() for case in cases]
        if self._talk or not isinstance(sandbox, SeriesRunner):
            yield from [None] * len(cases)
            return
        self.left_tree_alone = False
        command, n_done, in_steps = program.under(with_margin(self._limits)), 0, self.policy == "first-failure"
        while n_done < len(cases):
            wanted = inputs[n_done : n_done + max(1, 4 * n_done)] if in_steps else inputs[n_done:]
            stop = in_steps or not self._is_built
            load = recent_load()
            for execution in sandbox.run_series(command, wanted, self.work, stop=stop):
                n_done += 1
                yield FirstRun(self._counted(execution), load)

    def _run_case(
        self, case: Case, program: Command, check: Callable[[Case, bytes], CheckerResult], first: FirstRun | None = None
    ) -> TestResult:
        if self._talk:
            self._talk.take(case)
        command = dataclasses.replace(program, stdin=b"" if self._talk else case.input.encode())
        execution, runs = self._run_until_sure(command, first)
        execution = self._talk.seen(execution) if self._talk else execution
        result = of_case(case, execution, self.toolchain, partial(self._noting_doubts, check))
        if not result.passed:
            self.evidence = self.evidence or _tail(execution.stderr or execution.stdout)
        return _after_doubt(result, runs)

    def _noting_doubts(self, check: Callable[[Case, bytes], CheckerResult], case: Case, output: bytes) -> CheckerResult:
        """Judge an output by what its case asks for."""
        found = (check if case.checker.kind == "program" else compare)(case, output)
        if found.doubt:
            self.doubts[case.id] = found.doubt
        return found

    def _checker(self, stack: ExitStack) -> Callable[[Case, bytes], CheckerResult]:
        """Open the bug's checker program, if it has one."""
        program = self.bug.oracle.checker
        if program is None:
            return compare
        if self._checker_sandbox is None:
            raise HarnessError("a checker program needs a sandbox apart from the candidate's")
        if program.interactive:
            self._talk = stack.enter_context(interacting(program, self._checker_sandbox, BuildLimits()))
            return self._talk.judge
        return stack.enter_context(checking(program, self._checker_sandbox, BuildLimits())).judge

    def _confirmed(self, first: TestResult, again: Callable[[], TestResult]) -> TestResult:
        """Run a test that failed again, as often as asked for: one more failure confirms it, passes all the way excuse it.

        Not so a conversation: the program would know what the checker said in the first.
        """
        if not self.confirm or self._talk or first.passed or first.message.startswith("tampering: "):
            return first
        for passes in range(self.confirm):
            last = again()
            runs = first.runs + passes + last.runs
            if not last.passed:
                return dataclasses.replace(first, runs=runs, flips=passes)
        if all(test.passed for test in self.tests):
            self.evidence = ""  # it was of a failure that does not count
        why = f"flaky: {first.verdict} at first ({first.message}), then passed {self.confirm} times"
        return dataclasses.replace(last, runs=runs, flips=1, message=why)

    def _run_tests(self, tests: Sequence[str]) -> None:
        oracle = self.bug.oracle
        pending = list(tests)
        while pending and not self._problem:
            for seen in self._run_pending(pending):
                result = self._confirmed(seen, partial(self._run_one, seen.id))
                self.tests.append(result)
                pending.remove(result.id)
                if not result.passed and self.policy == "first-failure":
                    self.stage = "trigger" if result.id in oracle.trigger else "regression"
                    return
                if self._hurried and result.verdict is TestVerdict.TIMEOUT and result.id not in oracle.trigger:
                    self._limits = _halved(self._limits)
                if self._is_hopeless():
                    why = f"not run: {self._most_late} regression tests before it passed their time limit"
                    self.tests += [TestResult(id=test, verdict=TestVerdict.TIMEOUT, runs=0, message=why) for test in pending]
                    pending = []
                    break
        first_failed = next((test.id for test in self.tests if not test.passed), None)
        self.stage = "trigger" if first_failed in oracle.trigger else "regression"

    def _is_hopeless(self) -> bool:
        """Return whether so many regression tests were late that neither the verdict nor that regression tests fail can change."""
        late = [test for test in self.tests if test.verdict is TestVerdict.TIMEOUT and test.id not in self.bug.oracle.trigger]
        return self._most_late is not None and len(late) >= self._most_late

    def _run_pending(self, pending: Sequence[str]) -> Iterator[TestResult]:
        """Run tests in order and yield their results until one ends its process; at least one, unless the tree does not build."""
        for batch in self._next_batches(pending):
            if len(batch.tests) == 1:
                result = self._run_one(batch.tests[0], batch=batch)
                if self._problem:
                    return
                yield result
                continue
            load = recent_load()
            execution = self._execute(batch.command, with_margin(self._limits))
            report = self._reported(batch, execution)
            if self._problem:
                return
            for result in self._results(batch.tests, report, execution):
                is_late = result.id == report.unfinished and result.verdict is TestVerdict.TIMEOUT
                late = is_late and not self._is_given_up(result.id, report, execution)
                # The limit is for one test: what others of its process used, or that it had to wait, is not its fault.
                if late and (report.results or is_doubtful(execution, self._limits, load)):
                    alone = self._run_one(result.id, before=execution)
                    yield dataclasses.replace(alone, flips=0) if report.results and alone.runs == _ALONE else alone
                else:
                    yield result
            if report.unfinished is not None:
                return  # what is left runs in a new process

    def _is_given_up(self, test: str, report: Report, execution: Execution) -> bool:
        """Return whether a late test had its time, even if others had theirs in the same process, and nobody waits for it."""
        others_s = sum(result.cpu_s for result in report.results)
        return self._hurried and test not in self.bug.oracle.trigger and execution.cpu_s - others_s >= self._limits.cpu_s

    def _next_batches(self, pending: Sequence[str]) -> Sequence[Batch]:
        """Return what to begin with: where a process costs little, trigger tests get one before the rest is even loaded."""
        batches = self._batches([test for test in pending if test in self.bug.oracle.trigger])
        return batches if batches and batches[0].command.forks else self._batches(pending)

    def _batches(self, tests: Sequence[str]) -> Sequence[Batch]:
        oracle = self.bug.oracle
        return self.toolchain.batches(oracle.build, oracle.test, tuple(tests), stop=self.policy == "first-failure")

    def _run_one(self, test: str, *, batch: Batch | None = None, before: Execution | None = None) -> TestResult:
        """Run one test in a process of its own, perhaps after a time-out `before` in one that it shared."""
        batch = batch or self._batches((test,))[0]
        if before and before.ending is Ending.WALL_LIMIT:
            execution, runs = self._run_again(batch.command, before)
        else:
            execution, runs = self._run_until_sure(batch.command)
            runs += before is not None
        report = self._reported(batch, execution)
        return _after_doubt(next(self._results(batch.tests, report, execution)), runs)

    def _results(self, tests: Sequence[str], report: Report, execution: Execution) -> Iterator[TestResult]:
        """Yield what was reported, then a failure for each test that should have been and was not."""
        failed = any(not result.passed for result in report.results)
        if (failed or len(report.results) < len(tests)) and not self.evidence:
            self.evidence = _tail(execution.stdout + execution.stderr)
        yield from report.results
        if failed and self.policy == "first-failure":
            return
        if report.unfinished is not None:
            missing = [report.unfinished]
            message = report.error or f"the process ended during the test: {describe_end(execution)}"
        else:
            reported = {result.id for result in report.results}
            missing = [test for test in tests if test not in reported]
            message = report.error or NOT_REPORTED
        verdict = of_process(execution, self.toolchain) or TestVerdict.CRASH
        for test in missing:
            yield TestResult(id=test, verdict=verdict, cpu_s=round(execution.cpu_s, 3), message=message)


def _halved(limits: Limits) -> Limits:
    """Return half of the time, but not less than any test should have.

    >>> _halved(Limits(cpu_s=60, wall_s=240)).cpu_s, _halved(Limits(cpu_s=7, wall_s=28)).cpu_s, _halved(Limits(cpu_s=2)).cpu_s
    (30.0, 5.0, 2)
    """
    share = min(1.0, max(0.5, HURRIED_S / limits.cpu_s))
    return limits if share == 1 else dataclasses.replace(limits, cpu_s=limits.cpu_s * share, wall_s=limits.wall_s * share)


def _tail(output: bytes) -> str:
    text = output.decode("utf-8", "replace")
    return text if len(text) <= EVIDENCE_CHARS else "…" + text[-EVIDENCE_CHARS:]


def _after_doubt(result: TestResult, runs: int) -> TestResult:
    """Note that a test ran a second time after a time-out; when that went well, the first time says the opposite."""
    return result if runs == 1 else dataclasses.replace(result, runs=runs, flips=int(result.passed))
