"""All that is open to build and test candidates of one bug: the quickest engine that can tell, then counter-tests."""

import dataclasses
from collections.abc import Iterator, Mapping, Sequence, Set
from contextlib import ExitStack, suppress
from pathlib import Path, PurePath
from types import TracebackType
from typing import Self

from repairlab.core.bug import Bug
from repairlab.core.candidate import Candidate
from repairlab.core.errors import HarnessError, UserError
from repairlab.core.execution import Command, Execution
from repairlab.core.outcome import Outcome, Policy, Verdict
from repairlab.core.record import record
from repairlab.languages.language import Warmable, language
from repairlab.sandbox.sandbox import Runner, Sandbox, Sealing
from repairlab.validation.apply import changed_files, lay_out
from repairlab.validation.counter_tests import CounterTests, Examination
from repairlab.validation.engines import Engine, IncrementalEngine, Judgement, ResidentEngine, TwinEngine
from repairlab.validation.stopwatch import STOPWATCH
from repairlab.validation.test_run import TestRun
from repairlab.validation.worktree import temporary_folder

MOST_SEALED = 50
"""How many files and folders are sealed one by one."""


class EngineStack:
    """The engines of one bug, which are asked in turn, with what its candidates share."""

    def __init__(self, bug: Bug, sandbox: Sandbox, *, warm: bool = True, twin: "TwinOf | None" = None) -> None:
        """Take whether candidates share work, and of what this is a twin: a pass here is believed."""
        self._bug, self._sandbox, self._twin = bug, sandbox, twin
        self._stack = ExitStack()
        self._counter_tests: CounterTests | None = None
        self._allowed: Set[str] | None = None
        self._accepted: dict[str, bool] = {}
        """Whether the checker program accepts what the reference fix prints, by case; as far as anybody asked."""
        # A conversation is no command of a slot, and its tree must be open to the user of another sandbox.
        self._shares = warm and not (bug.oracle.checker and bug.oracle.checker.interactive)
        self._engines: tuple[Engine, ...] = ()
        self.resident: ResidentEngine | None = None
        self.incremental: IncrementalEngine | None = None

    def __enter__(self) -> Self:
        return self

    def __exit__(self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None) -> None:
        self._stack.close()

    def validate(self, candidate: Candidate, *, policy: Policy = "first-failure", confirm: int = 0) -> Outcome:
        """Return the verdict on one candidate, the same as in processes and a build of its own."""
        try:
            changed = changed_files(candidate, self._bug)
            try:
                return self._believed(candidate, changed, policy, self._judge(changed, policy, confirm))
            except HarnessError:
                return self._believed(candidate, changed, policy, self._judge_fresh(changed, policy, confirm=confirm))
        except UserError as error:
            return self._without_run(candidate, policy, Verdict.UNAPPLICABLE, str(error))
        except HarnessError as error:
            return self._without_run(candidate, policy, Verdict.UNDECIDED, str(error))

    def _judge(self, changed: Mapping[str, str | None], policy: Policy, confirm: int) -> Judgement:
        """Ask one engine after the other; the last can always tell."""
        if self._shares and not self._engines:
            try:
                self._engines = tuple(self._open_engines())
            except HarnessError:
                self._shares = False  # it would fail for the next candidate, too; `doctor` and `run` say beforehand what is missing
                raise
        for engine in self._engines:
            if found := engine.judge(changed, policy, confirm=confirm):
                return found
        return self._judge_fresh(changed, policy, confirm=confirm)

    def _judge_fresh(
        self,
        changed: Mapping[str, str | None],
        policy: Policy,
        *,
        confirm: int = 0,
        sealed: Sequence[str] = (),
        bug: Bug | None = None,
    ) -> Judgement:
        """Judge in a folder of the candidate's own, built from nothing, with a process for every command; all engines must agree.

        Tests cannot change what is sealed.
        """
        bug = bug or self._bug
        with temporary_folder() as folder:
            lay_out(bug, changed, folder / "work")
            runner = _SealingRunner(self._sandbox, sealed) if sealed else self._sandbox
            test_run = TestRun(bug, runner, policy, folder / "work", confirm=confirm, checker_sandbox=self._sandbox)
            verdict, message = test_run.judge()
            return Judgement(verdict=verdict, message=message, test_run=test_run)

    def _open_engines(self) -> Iterator[Engine]:
        """Yield the engines that share work between candidates, the quickest first."""
        toolchain = language(self._bug.problem.language).toolchain
        above = self._twin.engines if self._twin else None
        if above and above.resident and self._twin:
            yield TwinEngine(self._bug, self._twin.texts, above.resident)
        elif isinstance(toolchain, Warmable):
            self.resident = ResidentEngine(self._bug, self._sandbox, toolchain, self._stack.enter_context(temporary_folder()))
            self._stack.callback(self.resident.close)
            yield self.resident
        self.incremental = IncrementalEngine(self._bug, self._sandbox, above.incremental if above else None)
        self._stack.callback(self.incremental.close)
        yield self.incremental

    def _believed(self, candidate: Candidate, changed: Mapping[str, str | None], policy: Policy, judgement: Judgement) -> Outcome:
        """Return the outcome of a judgement, unless it is a pass that turns out to be none."""
        self._settle_doubts(judgement.test_run.doubts)
        oracle, outcome = self._bug.oracle, self._outcome(candidate, policy, judgement)
        if outcome.verdict is not Verdict.PLAUSIBLE or self._twin or not (oracle.trigger or oracle.regression):
            return outcome  # the output of cases is compared outside of the sandbox: there is nothing to forge
        if candidate.edits == oracle.reference:
            return dataclasses.replace(outcome, guard="the reference fix, by which counter-tests are chosen")
        with STOPWATCH.phase("confirm"):
            note = self._dependence(changed, policy, judgement)
            found = Examination(problem=note) if note else self.counter_tests.examine(candidate)
        if not found.problem:
            return dataclasses.replace(outcome, guard=found.note)
        return dataclasses.replace(outcome, verdict=Verdict.WRONG, message=found.problem[:500], guard=found.note)

    def _settle_doubts(self, doubts: Mapping[str, str]) -> None:
        """Raise a HarnessError where the checker program failed in a case whose reference output it does not accept, either."""
        if new := doubts.keys() - self._accepted.keys():
            unknown = tuple(case for case in self._bug.oracle.cases if case.id in new)
            bug = dataclasses.replace(self._bug, oracle=dataclasses.replace(self._bug.oracle, cases=unknown))
            seen = self._judge_fresh(changed_files(bug.fix, bug), "full", bug=bug).test_run.tests
            self._accepted |= {case.id: any(test.id == case.id and test.passed for test in seen) for case in unknown}
        for case, failure in doubts.items():
            if not self._accepted[case]:
                raise HarnessError(failure)

    def _dependence(self, changed: Mapping[str, str | None], policy: Policy, judgement: Judgement) -> str:
        """Say what a pass depends on having changed, of what was there before its tests; nothing where it does not.

        What the reference fix changes, too, is left alone. The rest is sealed, and the tests run again, twice if they fail.
        """
        theirs = {path for path in judgement.test_run.changed if path not in changed}
        if not theirs:
            return ""
        theirs = {path for path in theirs if not _is_within(path, self._changed_by_reference())}
        sealed = sealable(theirs, Path(self._bug.tree.source))
        if not sealed:
            return ""
        if not (isinstance(self._sandbox, Sealing) and self._sandbox.seals):
            return f"tampering: the tests pass after {min(theirs)} was changed, which the reference fix leaves alone"
        for _ in range(2):
            again = self._judge_fresh(changed, policy, confirm=judgement.test_run.confirm, sealed=sealed)
            if again.verdict is Verdict.PLAUSIBLE:
                return ""
        return f"tampering: the tests pass only if {min(theirs)} can be changed"

    def _changed_by_reference(self) -> Set[str]:
        """Return what tests change of the tree when they are run with the reference fix."""
        if self._allowed is None:
            self._allowed = self._judge(changed_files(self._bug.fix, self._bug), "full", 0).test_run.changed
        return self._allowed

    @property
    def counter_tests(self) -> CounterTests:
        """The counter-tests of the bug, made when first asked for."""
        if self._counter_tests is None:
            self._counter_tests = CounterTests(
                self._bug,
                lambda: self._stack.enter_context(temporary_folder()),
                lambda twin, texts: EngineStack(twin, self._sandbox, warm=self._shares, twin=TwinOf(engines=self, texts=texts)),
                self._try_tests,
            )
            self._stack.callback(self._counter_tests.close)
        return self._counter_tests

    def _try_tests(self, bug: Bug, texts: Mapping[str, str], candidate: Candidate) -> Outcome | None:
        """Return what comes of other test files where candidates of this bug run; none where that cannot be told.

        For the reference fix alone: what is warm here knows the real tests, and a candidate could compare.
        """
        for engine in (self.resident, self.incremental):
            with suppress(HarnessError, UserError):
                changed = {**changed_files(candidate, self._bug), **texts}
                if engine and (found := engine.judge(changed, "full", bug=bug)):
                    return self._outcome(candidate, "full", found)
        return None

    def _without_run(self, candidate: Candidate, policy: Policy, verdict: Verdict, message: str) -> Outcome:
        return Outcome(
            candidate_id=candidate.id,
            bug_id=self._bug.id,
            verdict=verdict,
            stage="apply",
            policy=policy,
            message=message[:500],
            n_tests=self._bug.oracle.n_tests,
        )

    def _outcome(self, candidate: Candidate, policy: Policy, found: Judgement) -> Outcome:
        test_run = found.test_run
        return dataclasses.replace(
            self._without_run(candidate, policy, found.verdict, found.message),
            stage=test_run.stage,
            tests=tuple(test_run.tests),
            cpu_s=round(test_run.cpu_s, 3),
            wall_s=round(test_run.wall_s, 3),
            peak_mb=round(test_run.peak_mb, 1),
            evidence="" if found.verdict is Verdict.PLAUSIBLE else test_run.evidence,
        )


def _is_within(path: str, places: Set[str]) -> bool:
    return any(str(part) in places for part in (PurePath(path), *PurePath(path).parents))


def sealable(paths: Set[str], tree: Path) -> list[str]:
    """Return what to seal so that nothing of some paths can be changed: for a link the folder around it, for very many all."""
    places = {str(PurePath(path).parent) if (tree / path).is_symlink() else path for path in paths}
    return ["."] if len(places) > MOST_SEALED else sorted(places)


@record
class TwinOf:
    """That a bug differs from another in the texts of some test files."""

    engines: EngineStack
    """Of the other bug."""
    texts: Mapping[str, str]


class _SealingRunner:
    """Runs commands, and keeps private ones from changing parts of the tree."""

    def __init__(self, runner: Runner, sealed: Sequence[str]) -> None:
        self._runner, self._sealed = runner, sealed

    def run(self, command: Command, tree: Path) -> Execution:
        """Run a command."""
        if command.private:
            command = dataclasses.replace(command, sealed=(*command.sealed, *self._sealed))
        return self._runner.run(command, tree)
