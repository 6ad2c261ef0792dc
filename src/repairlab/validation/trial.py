"""Build a tree and run its tests or cases in a sandbox. Called by `validate`, and by `runs` for trees checked out by hand."""

import dataclasses
from collections.abc import Iterator, Sequence
from pathlib import Path

from repairlab.core.bug import Bug
from repairlab.core.execution import Command, Ending, Execution, Limits
from repairlab.core.oracle import Case
from repairlab.core.outcome import Policy, Stage, TestResult, Verdict
from repairlab.languages.language import Report, Toolchain
from repairlab.languages.table import language
from repairlab.languages.toolchain.native_tests import canary_name
from repairlab.languages.toolchain.reports import first_error
from repairlab.sandbox.sandbox import Runner
from repairlab.validation.tampering import Guard
from repairlab.validation.verdict import describe_end, of_case, of_process

BUILD_LIMITS = Limits(cpu_s=120.0, wall_s=300.0, memory_mb=4096, output_mb=4.0, processes=256, disk_mb=1024)
"""A build that passes these is UNCOMPILABLE: candidates can make a compiler run forever."""
EVIDENCE_CHARS = 4000


class Trial:
    """Builds and tests one tree that is already laid out, and keeps what was seen; one method per stage."""

    def __init__(self, bug: Bug, sandbox: Runner, policy: Policy, work: Path) -> None:
        """Take the bug whose recipe counts and the folder `work` that holds the tree."""
        self.bug = bug
        self.sandbox = sandbox
        self.policy = policy
        self.work = work
        self.toolchain: Toolchain = language(bug.problem.language).toolchain
        self.stage: Stage = "apply"
        self.evidence = ""
        self.cpu_s = self.wall_s = self.peak_mb = 0.0
        self.tests: list[TestResult] = []

    def judge(self) -> tuple[Verdict, str]:
        """Build, run all tests or cases as far as the policy wants, and return the verdict with a line to show."""
        if problem := self.build():
            return Verdict.UNCOMPILABLE, problem
        tests = (*self.bug.oracle.trigger, *self.bug.oracle.regression)
        guard = Guard(self.bug, self.work) if tests else None  # the output of cases is compared outside: nothing to tamper with
        self.run(tests, self.bug.oracle.cases)
        failed = next((test for test in self.tests if test.verdict is not Verdict.PLAUSIBLE), None)
        if failed:
            message = failed.message if failed.message.startswith("tampering: ") else f"{failed.id}: {failed.message}"
            return failed.verdict, message
        problem = (guard.problem() or self._canary(tests)) if guard else ""
        return (Verdict.WRONG, problem) if problem else (Verdict.PLAUSIBLE, "")

    def _canary(self, tests: Sequence[str]) -> str:
        """Say that a test which does not exist passes, or nothing; runners of ours bring canaries themselves."""
        oracle = self.bug.oracle
        name = canary_name(oracle.test.framework, tests)
        for batch in self.toolchain.batches(oracle.build, oracle.test, (name,), stop=True) if name else ():
            report = self.toolchain.report(oracle.test, batch, self._execute(batch.command, oracle.limits))
            if any(result.verdict is Verdict.PLAUSIBLE for result in report.results):
                return "tampering: a test that does not exist was reported as passed"
        return ""

    def run(self, tests: Sequence[str], cases: Sequence[Case]) -> None:
        """Run these tests and cases; results go to `tests`."""
        if cases:
            self._run_cases(cases)
        if tests:
            self._run_tests(tests)

    def _execute(self, command: Command, limits: Limits) -> Execution:
        execution = self.sandbox.run(command.under(limits), self.work)
        self.cpu_s += execution.cpu_s
        self.wall_s += execution.wall_s
        self.peak_mb = max(self.peak_mb, execution.peak_mb)
        return execution

    def build(self) -> str:
        """Return why the tree does not build, or nothing."""
        self.stage = "build"
        files = sorted(path.relative_to(self.work).as_posix() for path in self.work.rglob("*") if path.is_file())
        for command in self.toolchain.build(self.bug.oracle.build, self.bug.oracle.test, files):
            execution = self._execute(command, BUILD_LIMITS)
            if not execution.succeeded:
                self.evidence = _tail(execution.stdout + execution.stderr)
                if execution.ending is Ending.EXITED:
                    return (
                        first_error(execution.stdout + execution.stderr, self.bug.problem.language)
                        or f"the build failed: {describe_end(execution)}"
                    )
                return f"the build was stopped: {describe_end(execution)}"
        return ""

    def _run_cases(self, cases: Sequence[Case]) -> None:
        self.stage = "cases"
        program = self.toolchain.program(self.bug.oracle.build, self.bug.oracle.test)
        for case in cases:
            execution = self._execute(dataclasses.replace(program, stdin=case.input.encode()), self.bug.oracle.limits)
            self.tests.append(of_case(case, execution, self.toolchain))
            if self.tests[-1].verdict is not Verdict.PLAUSIBLE:
                self.evidence = self.evidence or _tail(execution.stderr or execution.stdout)
                if self.policy == "first-failure":
                    return

    def _run_tests(self, tests: Sequence[str]) -> None:
        oracle = self.bug.oracle
        pending = list(tests)
        while pending:
            for result in self._run_pending(pending):
                self.tests.append(result)
                pending.remove(result.id)
                if result.verdict is not Verdict.PLAUSIBLE and self.policy == "first-failure":
                    self.stage = "trigger" if result.id in oracle.trigger else "regression"
                    return
        first_failed = next((test.id for test in self.tests if test.verdict is not Verdict.PLAUSIBLE), None)
        self.stage = "trigger" if first_failed in oracle.trigger else "regression"

    def _run_pending(self, pending: Sequence[str]) -> Iterator[TestResult]:
        """Run tests in order and yield their results until one ends its process; at least one result is yielded."""
        oracle = self.bug.oracle
        stop = self.policy == "first-failure"
        for batch in self.toolchain.batches(oracle.build, oracle.test, tuple(pending), stop=stop):
            execution = self._execute(batch.command, oracle.limits)
            report = self.toolchain.report(oracle.test, batch, execution)
            for result in self._results(batch.tests, report, execution):
                if result.verdict is not Verdict.PLAUSIBLE and not self.evidence:
                    self.evidence = _tail(execution.stdout + execution.stderr)
                yield result
            if report.unfinished is not None and len(batch.tests) > 1:
                return  # what is left runs in a new process

    def _results(self, tests: Sequence[str], report: Report, execution: Execution) -> Iterator[TestResult]:
        """Yield what was reported, then a failure for each test that should have been and was not."""
        yield from report.results
        failed = any(result.verdict is not Verdict.PLAUSIBLE for result in report.results)
        if failed and self.policy == "first-failure":
            return
        if report.unfinished is not None:
            missing = [report.unfinished]
            message = report.error or f"the process ended during the test: {describe_end(execution)}"
        else:
            reported = {result.id for result in report.results}
            missing = [test for test in tests if test not in reported]
            message = report.error or "not reported by the test run"
        verdict = of_process(execution, self.toolchain) or Verdict.CRASH
        for test in missing:
            yield TestResult(id=test, verdict=verdict, cpu_s=round(execution.cpu_s, 3), message=message)


def _tail(output: bytes) -> str:
    text = output.decode("utf-8", "replace")
    return text if len(text) <= EVIDENCE_CHARS else "…" + text[-EVIDENCE_CHARS:]
