"""Build a tree and run its tests or cases in a sandbox."""

import dataclasses
from collections.abc import Callable, Iterator, Sequence
from contextlib import ExitStack
from dataclasses import KW_ONLY, dataclass, field
from functools import cached_property, partial
from pathlib import Path
from typing import NamedTuple

from repairlab.core.bug import Bug, Case
from repairlab.core.errors import HarnessError
from repairlab.core.execution import BuildLimits, Command, Ending, Execution, Limits
from repairlab.core.outcome import Policy, Stage, TestResult, TestVerdict, Verdict
from repairlab.core.record import record
from repairlab.languages.facts import facts
from repairlab.languages.language import Batch, Inspecting, Report, Toolchain, language
from repairlab.languages.reports import first_error
from repairlab.sandbox.sandbox import Runner, Sandbox, SeriesRunner
from repairlab.validation.checkers import CheckerResult, compare, describe_end, of_case, of_process
from repairlab.validation.custom_checker import checking
from repairlab.validation.interactive import Interaction, interacting
from repairlab.validation.stopwatch import STOPWATCH
from repairlab.validation.time_limits import Load, Patience, is_doubtful, recent_load, repeat, settled, with_margin
from repairlab.validation.worktree import files_below

NOT_FOUND = 127
"""Exit code of shells, and of our launcher, when there is no such program; build tools themselves have others."""
EVIDENCE_CHARS = 4000
NOT_REPORTED = "not reported by the test run"
"""The message of a test that a process did not report although it ended properly."""
MOST_KEPT_MB = 64
"""How much of what test processes write is kept until the verdict."""
MOST_LATE = 5
"""So many regression tests of a candidate may pass their time limit; it loops, and each further one would take as long again."""

_ALONE = 2
"""Runs of a test that was ended with a process whose time others had used up, and then ran once by itself."""


class FirstRun(NamedTuple):
    """The first run of a case, and the load of the machine when it began, or a little before."""

    execution: Execution
    load: Load


@dataclass
class TestLog:
    """The findings about a tree while it is built and tested."""

    stage: Stage = "apply"
    problem: str = ""
    """Why the tree does not build."""
    tests: list[TestResult] = field(default_factory=list)
    """Every test or case that ran, in order."""
    evidence: str = ""
    cpu_s: float = 0.0
    wall_s: float = 0.0
    peak_mb: float = 0.0
    changed: set[str] = field(default_factory=set)
    """What commands have changed of the tree that they found; it was put back."""
    checker_failures: dict[str, str] = field(default_factory=dict)
    """How the checker program failed, by case: whether the program's output is why is for others to find out."""
    outputs: list[Execution] = field(default_factory=list)
    """The processes that ran tests, for what these wrote; no more than fits into `MOST_KEPT_MB`."""
    left_tree_alone: bool = True
    """Whether the sandbox sees to it that no command so far has changed the tree."""
    left_build_alone: bool = False
    """Whether the tree was built, and no command since then has changed it."""
    _kept: int = 0

    def keep(self, execution: Execution) -> None:
        """Keep what a process wrote that ran tests."""
        self._kept += len(execution.stdout) + len(execution.stderr) + len(execution.report)
        if self._kept < MOST_KEPT_MB << 20:
            self.outputs.append(execution)

    def counted(self, execution: Execution) -> Execution:
        """Add up what a command took, and return what came of it."""
        self.changed.update(execution.changed)
        self.cpu_s += execution.cpu_s
        self.wall_s += execution.wall_s
        self.peak_mb = max(self.peak_mb, execution.peak_mb)
        return execution


@record
class Judgement:
    """A verdict, the line to show, and what was seen on the way."""

    verdict: Verdict
    message: str
    log: TestLog


@record
class _CaseTools:
    """What runs the cases of a program and judges what it prints."""

    program: Command
    runner: Runner
    talk: Interaction | None
    """The runner, where the checker program talks with the program."""
    check: Callable[[Case, bytes], CheckerResult]


@dataclass
class TreeTester:
    """Builds and tests one tree that is already laid out; one method per stage. Findings go to `log`."""

    bug: Bug
    """Whose recipe counts."""
    sandbox: Runner
    """May be bound to the candidate's tree."""
    policy: Policy
    work: Path
    """The folder that holds the tree."""
    _: KW_ONLY
    confirm: int = 0
    """How often a test that fails is run again: the failure stands unless every one of these runs passes."""
    checker_sandbox: Sandbox | None = None
    """Where a bug's checker program runs."""
    other_toolchain: Toolchain | None = None
    """Instead of that of the bug's language."""
    log: TestLog = field(default_factory=TestLog, init=False)
    _build_is_due: bool = field(default=False, init=False)
    """Whether the build is left to the first process that runs tests."""

    @cached_property
    def toolchain(self) -> Toolchain:
        """What turns the recipe into commands."""
        return self.other_toolchain or language(self.bug.problem.language).toolchain

    def judge(self) -> Judgement:
        """Build, run all tests or cases as far as the policy wants, and judge what came of them."""
        tests, cases = (*self.bug.oracle.trigger, *self.bug.oracle.regression), self.bug.oracle.cases
        is_left = isinstance(self.toolchain, Inspecting) and self.toolchain.inspects(self.bug.oracle.test)
        self._build_is_due = is_left and bool(tests or cases)
        if not self._build_is_due:
            self.log.problem = self.build()
        if not self.log.problem:
            self.run(tests, cases, most_late=MOST_LATE)
        if self.log.problem:
            self.log.stage = "build"
            return Judgement(verdict=Verdict.UNCOMPILABLE, message=self.log.problem, log=self.log)
        failed = next((test for test in self.log.tests if not test.passed), None)
        if failed:
            message = failed.message if failed.message.startswith("tampering: ") else f"{failed.id}: {failed.message}"
            return Judgement(verdict=Verdict(failed.verdict), message=message, log=self.log)
        flaky = [test.id for test in self.log.tests if test.flips]
        message = f"flaky, passed when run again: {', '.join(flaky)}" if flaky else ""
        return Judgement(verdict=Verdict.PLAUSIBLE, message=message, log=self.log)

    def prepare(self, commands: Sequence[Command]) -> bool:
        """Run commands of a build that may fail; return whether none did."""
        executions = [self._execute(command, self.bug.oracle.build.limits) for command in commands]
        return all(execution.succeeded for execution in executions)

    def build(self) -> str:
        """Return why the tree does not build, or nothing."""
        self.log.stage = "build"
        with STOPWATCH.phase("build"):
            for command in self.toolchain.build(self.bug.oracle.build, self.bug.oracle.test, files_below(self.work)):
                execution = self._execute(command, self.bug.oracle.build.limits)
                if execution.exit_code == NOT_FOUND:
                    raise HarnessError(f"a tool of the build is not there: {_tail(execution.stderr).strip() or command.argv[0]}")
                if not execution.succeeded:
                    error = self._first_error(execution.stdout + execution.stderr)
                    return error if execution.ending is Ending.EXITED else f"the build was stopped: {describe_end(execution)}"
        self.log.left_build_alone = True
        return ""

    def _first_error(self, said: bytes) -> str:
        """Keep what a build said and return the line to show."""
        self.log.evidence = _tail(said)
        return first_error(said, facts(self.bug.problem.language).error_line)

    def run(self, tests: Sequence[str], cases: Sequence[Case], *, hurried: bool = False, most_late: int | None = None) -> None:
        """Run these tests and cases.

        With `hurried` each test that is late, and no trigger test, halves the time of those after it: it has cost enough. After
        `most_late` of them the rest is not run.
        """
        with STOPWATCH.phase("test"):
            if cases:
                self._run_cases(cases)
            if tests:
                self._run_tests(tests, Patience(self.bug.oracle.limits, hurried=hurried, most_late=most_late))

    def _execute(self, command: Command, limits: Limits, runner: Runner | None = None) -> Execution:
        self.log.left_tree_alone &= command.private
        self.log.left_build_alone &= command.private
        return self.log.counted((runner or self.sandbox).run(command.under(limits), self.work))

    def _run_until_sure(
        self, command: Command, limits: Limits, first: FirstRun | None = None, runner: Runner | None = None
    ) -> tuple[Execution, int]:
        """Run one test or case; where its time limit is in doubt it runs again. Return how often it ran, too."""
        if first is None:
            load = recent_load()
            first = FirstRun(self._execute(command, with_margin(limits), runner), load)
        if found := settled(first.execution, limits, first.load):
            return found, 1
        return repeat(partial(self._execute, command, runner=runner), limits), 2

    def _run_cases(self, cases: Sequence[Case]) -> None:
        self.log.stage = "cases"
        with ExitStack() as stack:
            tools = self._case_tools(stack)
            for case, first in zip(cases, self._first_runs(cases, tools), strict=True):
                if self._does_not_build(first):
                    return
                run = partial(self._run_case, case, tools)
                result = self._confirmed(run(first), run, is_final=tools.talk is not None)
                self.log.tests.append(result)
                if not result.passed and self.policy == "first-failure":
                    return

    def _case_tools(self, stack: ExitStack) -> _CaseTools:
        """Open the bug's checker program, if it has one."""
        command = self.toolchain.program(self.bug.oracle.build, self.bug.oracle.test)
        checker = self.bug.oracle.checker
        if checker is None:
            return _CaseTools(program=command, runner=self.sandbox, talk=None, check=compare)
        if self.checker_sandbox is None:
            raise HarnessError("a checker program needs a sandbox apart from the candidate's")
        if checker.interactive:
            talk = stack.enter_context(interacting(checker, self.checker_sandbox, BuildLimits()))
            return _CaseTools(program=command, runner=talk, talk=talk, check=talk.judge)
        judge = stack.enter_context(checking(checker, self.checker_sandbox, BuildLimits())).judge
        return _CaseTools(program=command, runner=self.sandbox, talk=None, check=judge)

    def _does_not_build(self, first: FirstRun | None) -> bool:
        """Return whether the tree does not build, if that was left to the first run of a program."""
        if not self._build_is_due:
            return False
        self._build_is_due = False
        if first is None or not (isinstance(self.toolchain, Inspecting) and self.toolchain.has_begun(first.execution)):
            self.log.problem = self.build()
            self.log.stage = "cases"
        return bool(self.log.problem)

    def _first_runs(self, cases: Sequence[Case], tools: _CaseTools) -> Iterator[FirstRun | None]:
        """Yield the first run of each case, or none when it is still to be made.

        Where runs are cheaper together, more and more are made at once: one failure may be the end.
        """
        sandbox, inputs = self.sandbox, [case.input.encode() for case in cases]
        if tools.talk or not isinstance(sandbox, SeriesRunner):
            yield from [None] * len(cases)
            return
        self.log.left_tree_alone = self.log.left_build_alone = False
        command, n_done = tools.program.under(with_margin(self.bug.oracle.limits)), 0
        in_steps = self.policy == "first-failure"
        while n_done < len(cases):
            wanted = inputs[n_done : n_done + max(1, 4 * n_done)] if in_steps else inputs[n_done:]
            load = recent_load()
            for execution in sandbox.run_series(command, wanted, self.work, stop=in_steps or self._build_is_due):
                n_done += 1
                yield FirstRun(self.log.counted(execution), load)

    def _run_case(self, case: Case, tools: _CaseTools, first: FirstRun | None = None) -> TestResult:
        if tools.talk:
            tools.talk.take(case)
        command = dataclasses.replace(tools.program, stdin=b"" if tools.talk else case.input.encode())
        execution, runs = self._run_until_sure(command, self.bug.oracle.limits, first, tools.runner)
        execution = tools.talk.seen(execution) if tools.talk else execution
        result = of_case(case, execution, self.toolchain, partial(self._noting_failures, tools.check))
        if not result.passed:
            self.log.evidence = self.log.evidence or _tail(execution.stderr or execution.stdout)
        return _after_doubt(result, runs)

    def _noting_failures(self, check: Callable[[Case, bytes], CheckerResult], case: Case, output: bytes) -> CheckerResult:
        """Judge an output by what its case asks for; that the checker program failed at it is noted."""
        found = (check if case.checker.kind == "program" else compare)(case, output)
        if found.doubt:
            self.log.checker_failures[case.id] = found.doubt
        return found

    def _confirmed(self, first: TestResult, again: Callable[[], TestResult], *, is_final: bool = False) -> TestResult:
        """Run a test that failed again, as often as asked for: one more failure confirms it, passes all the way excuse it.

        A conversation is final: in another one the program would know what the checker said in the first.
        """
        if not self.confirm or is_final or first.passed or first.message.startswith("tampering: "):
            return first
        for passes in range(self.confirm):
            last = again()
            runs = first.runs + passes + last.runs
            if not last.passed:
                return dataclasses.replace(first, runs=runs, flips=passes)
        if all(test.passed for test in self.log.tests):
            self.log.evidence = ""  # it was of a failure that does not count
        why = f"flaky: {first.verdict} at first ({first.message}), then passed {self.confirm} times"
        return dataclasses.replace(last, runs=runs, flips=1, message=why)

    def _run_tests(self, tests: Sequence[str], patience: Patience) -> None:
        trigger, log = self.bug.oracle.trigger, self.log
        pending = list(tests)
        while pending and not log.problem:
            for seen in self._run_pending(pending, patience):
                result = self._confirmed(seen, partial(self._run_one, seen.id, patience.limits))
                log.tests.append(result)
                pending.remove(result.id)
                if not result.passed and self.policy == "first-failure":
                    log.stage = "trigger" if result.id in trigger else "regression"
                    return
                if result.verdict is TestVerdict.TIMEOUT and result.id not in trigger:
                    patience.take_late()
                if patience.is_over:
                    why = f"not run: {patience.most_late} regression tests before it passed their time limit"
                    log.tests += [TestResult(id=test, verdict=TestVerdict.TIMEOUT, runs=0, message=why) for test in pending]
                    pending = []
                    break
        first_failed = next((test.id for test in log.tests if not test.passed), None)
        log.stage = "trigger" if first_failed in trigger else "regression"

    def _run_pending(self, pending: Sequence[str], patience: Patience) -> Iterator[TestResult]:
        """Run tests in order and yield their results until one ends its process; at least one, unless the tree does not build."""
        for batch in self._next_batches(pending):
            if len(batch.tests) == 1:
                result = self._run_one(batch.tests[0], patience.limits, batch=batch)
                if self.log.problem:
                    return
                yield result
                continue
            load = recent_load()
            execution = self._execute(batch.command, with_margin(patience.limits))
            report = self._reported(batch, execution)
            if self.log.problem:
                return
            for result in self._results(batch.tests, report, execution):
                is_late = result.id == report.unfinished and result.verdict is TestVerdict.TIMEOUT
                late = is_late and not self._is_given_up(result.id, report, execution, patience)
                # The limit is for one test: what others of its process used, or that it had to wait, is not its fault.
                if late and (report.results or is_doubtful(execution, patience.limits, load)):
                    alone = self._run_one(result.id, patience.limits, before=execution)
                    yield dataclasses.replace(alone, flips=0) if report.results and alone.runs == _ALONE else alone
                else:
                    yield result
            if report.unfinished is not None:
                return  # what is left runs in a new process

    def _is_given_up(self, test: str, report: Report, execution: Execution, patience: Patience) -> bool:
        """Return whether a late test had its time, even if others had theirs in the same process, and nobody waits for it."""
        left_s = execution.cpu_s - sum(result.cpu_s for result in report.results)
        return patience.hurried and test not in self.bug.oracle.trigger and left_s >= patience.limits.cpu_s

    def _next_batches(self, pending: Sequence[str]) -> Sequence[Batch]:
        """Return what to begin with: where a process costs little, trigger tests get one before the rest is even loaded."""
        batches = self._batches([test for test in pending if test in self.bug.oracle.trigger])
        return batches if batches and batches[0].command.forks else self._batches(pending)

    def _batches(self, tests: Sequence[str]) -> Sequence[Batch]:
        oracle = self.bug.oracle
        return self.toolchain.batches(oracle.build, oracle.test, tuple(tests), stop=self.policy == "first-failure")

    def _run_one(self, test: str, limits: Limits, *, batch: Batch | None = None, before: Execution | None = None) -> TestResult:
        """Run one test in a process of its own, perhaps after a time-out `before` in one that it shared."""
        batch = batch or self._batches((test,))[0]
        if before and before.ending is Ending.WALL_LIMIT:
            execution, runs = repeat(partial(self._execute, batch.command), limits), 2
        else:
            execution, runs = self._run_until_sure(batch.command, limits)
            runs += before is not None
        report = self._reported(batch, execution)
        return _after_doubt(next(self._results(batch.tests, report, execution)), runs)

    def _reported(self, batch: Batch, execution: Execution) -> Report:
        """Return what a test process reported; the first may have been left to look at the tree, too."""
        self.log.keep(execution)
        report = self.toolchain.report(self.bug.oracle.test, batch, execution)
        if self._build_is_due:
            self._build_is_due = False
            if report.built is None:
                self.log.problem = self.build()
            elif report.built:
                self.log.problem = self._first_error(report.built.encode())
        return report

    def _results(self, tests: Sequence[str], report: Report, execution: Execution) -> Iterator[TestResult]:
        """Yield what was reported, then a failure for each test that should have been and was not."""
        failed = any(not result.passed for result in report.results)
        if (failed or len(report.results) < len(tests)) and not self.log.evidence:
            self.log.evidence = _tail(execution.stdout + execution.stderr)
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


def _tail(output: bytes) -> str:
    text = output.decode("utf-8", "replace")
    return text if len(text) <= EVIDENCE_CHARS else "…" + text[-EVIDENCE_CHARS:]


def _after_doubt(result: TestResult, runs: int) -> TestResult:
    """Note that a test ran a second time after a time-out; when that went well, the first time says the opposite."""
    return result if runs == 1 else dataclasses.replace(result, runs=runs, flips=int(result.passed))
