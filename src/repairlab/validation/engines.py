"""The engines: ways to build and test candidates of one bug. All reach the same verdicts; the fastest that can tell is used.

The incremental engine has a tree that is restored after each candidate, and rebuilds what the next one changes. The resident one
compiles without a build. If neither can tell, the program is built from scratch.
"""

import time
from collections.abc import Iterator, Mapping
from contextlib import ExitStack
from pathlib import Path
from types import TracebackType
from typing import Protocol, Self

from repairlab.core.bug import Bug
from repairlab.core.candidate import Candidate
from repairlab.core.errors import HarnessError
from repairlab.core.outcome import Outcome, Policy, Verdict
from repairlab.core.record import record
from repairlab.languages.language import Shareable, SharedBuild, Toolchain, Warmable, language
from repairlab.sandbox.sandbox import Runner, Sandbox
from repairlab.validation.apply import lay_out, lay_over
from repairlab.validation.resident import ResidentEngine, TwinEngine, Within
from repairlab.validation.stopwatch import STOPWATCH
from repairlab.validation.tree_tester import Judgement, TestLog, TreeTester
from repairlab.validation.worktree import WorkTree, files_below, temporary_folder


class Engine(Protocol):
    """Judges candidates of one bug; all engines reach the same verdicts."""

    def judge(self, changed: Mapping[str, str | None], policy: Policy, *, confirm: int = 0) -> Judgement | None:
        """Return the judgement on the tree with these files changed; None: this engine cannot tell, another has to.

        A failing test is repeated up to `confirm` times. Our own failures are HarnessErrors.
        """
        ...


class Engines:
    """The engines of one bug, asked in turn; each is opened when first asked."""

    def __init__(self, bug: Bug, sandbox: Sandbox, *, warm: bool = True, twin: "TwinOf | None" = None) -> None:
        """Take whether candidates share work, and of what this bug is a twin."""
        self.bug, self.sandbox, self._twin = bug, sandbox, twin
        self.stack = ExitStack()
        """What ends with the engines."""
        # A conversation is not a command of a slot, and its tree must be open to the user of another sandbox.
        self.shares = warm and not (bug.oracle.checker and bug.oracle.checker.interactive)
        self._engines: tuple[Engine, ...] = ()
        self.resident: ResidentEngine | None = None
        self.incremental: IncrementalEngine | None = None

    def __enter__(self) -> Self:
        return self

    def __exit__(self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None) -> None:
        self.stack.close()

    def judge(self, changed: Mapping[str, str | None], policy: Policy, *, confirm: int = 0) -> Judgement:
        """Ask one engine after another; the last can always tell."""
        if self.shares and not self._engines:
            try:
                self._engines = tuple(self._opened())
            except HarnessError:
                self.shares = False  # it would fail for the next candidate, too; `doctor` and `run` say beforehand what is missing
                raise
        for engine in self._engines:
            if found := engine.judge(changed, policy, confirm=confirm):
                return found
        return self.judge_fresh(changed, policy, confirm=confirm)

    def judge_again(self, changed: Mapping[str, str | None], within: Within, bug: Bug) -> Judgement:
        """Judge a tree once more where another runner stands before that of the engine, and with tests of this bug."""
        for engine in (self.resident, self.incremental):
            if engine and (found := engine.judge(changed, "full", bug=bug, within=within)):
                return found
        return self.judge_fresh(changed, "full", runner=within(self.sandbox), bug=bug)

    def judge_fresh(
        self,
        changed: Mapping[str, str | None],
        policy: Policy,
        *,
        confirm: int = 0,
        runner: Runner | None = None,
        bug: Bug | None = None,
        toolchain: Toolchain | None = None,
    ) -> Judgement:
        """Judge a tree built from scratch, with a process for every command; all engines must agree with the result."""
        bug = bug or self.bug
        with temporary_folder() as folder:
            lay_out(bug, changed, folder / "work")
            where = runner or self.sandbox
            tester = TreeTester(
                bug,
                where,
                policy,
                folder / "work",
                confirm=confirm,
                checker_sandbox=self.sandbox,
                other_toolchain=toolchain,
            )
            return tester.judge()

    def _opened(self) -> Iterator[Engine]:
        """Yield the engines that share work between candidates, the fastest first."""
        toolchain = language(self.bug.problem.language).toolchain
        above = self._twin.engines if self._twin else None
        if above and above.resident and self._twin:
            yield TwinEngine(self.bug, self._twin.texts, above.resident)
        elif isinstance(toolchain, Warmable):
            self.resident = ResidentEngine(self.bug, self.sandbox, toolchain, self.stack.enter_context(temporary_folder()))
            self.stack.callback(self.resident.close)
            yield self.resident
        self.incremental = IncrementalEngine(self.bug, self.sandbox, above.incremental if above else None)
        self.stack.callback(self.incremental.close)
        yield self.incremental


@record
class TwinOf:
    """Says that a bug differs from another in the texts of some test files."""

    engines: Engines
    """Of the other bug."""
    texts: Mapping[str, str]


def outcome_of(judgement: Judgement, candidate: Candidate, bug: Bug, policy: Policy) -> Outcome:
    """Return a judgement as the outcome of a candidate."""
    log = judgement.log
    return Outcome(
        candidate_id=candidate.id,
        bug_id=bug.id,
        verdict=judgement.verdict,
        stage=log.stage,
        policy=policy,
        message=judgement.message[:500],
        n_tests=bug.n_tests,
        tests=tuple(log.tests),
        cpu_s=round(log.cpu_s, 3),
        wall_s=round(log.wall_s, 3),
        peak_mb=round(log.peak_mb, 1),
        evidence="" if judgement.verdict is Verdict.PLAUSIBLE else log.evidence,
    )


CLOCK_TICK_S = 0.02
"""File systems cannot tell two moments within one tick of their clock apart."""


class IncrementalEngine:
    """Judges in one tree, laid out and built when first needed, restored after each candidate."""

    def __init__(self, bug: Bug, sandbox: Sandbox, twin_of: "IncrementalEngine | None" = None) -> None:
        """Take the engine of a bug that differs only in its tests, from whose build this one can start."""
        self._bug, self._sandbox, self._twin_of = bug, sandbox, twin_of
        self._open = ExitStack()
        self._tree: WorkTree | None = None
        self._runner: Runner | None = None
        self._shared: SharedBuild | None = None
        """How the tool chain builds only what a candidate changes, if it can."""
        self._prepared = False
        """Whether the buggy tree is built that way."""
        self._noticed: dict[str, bool] = {}
        """Whether the build sees that a file changed."""
        self._last: tuple[Mapping[str, str | None], TestLog] | None = None
        """The previous candidate, whose tree is still there."""

    @property
    def built_tree(self) -> Path | None:
        """A read-only copy of the tree as its build left it, if that went well."""
        return self._tree.kept if self._tree and self._prepared else None

    def close(self) -> None:
        """Remove the tree."""
        self._open.close()
        self._tree = self._runner = None

    def judge(
        self,
        changed: Mapping[str, str | None],
        policy: Policy,
        *,
        confirm: int = 0,
        bug: Bug | None = None,
        within: Within | None = None,
    ) -> Judgement | None:
        """Return the judgement on the tree with these files changed; None: it must be built and run from scratch.

        The tests may be those of a bug that differs from this one only in files that are among those changed.
        """
        if self._tree is None:
            with STOPWATCH.phase("set-up"):
                self._lay_out()
                self._build_once()
        toolchain = self._shared.toolchain(changed, prepared=self._prepared) if self._shared else None
        if self._shared and (toolchain is None or not all(self._notices(path, toolchain) for path in changed)):
            return None
        return self._tester(changed, policy, confirm=confirm, toolchain=toolchain, bug=bug, within=within).judge()

    def _lay_out(self) -> None:
        """Lay the tree out over the build of a twin, if there is one, so that only the differences are built."""
        tree = WorkTree(self._open.enter_context(temporary_folder()))
        built = self._twin_of.built_tree if self._twin_of else None
        if built:
            lay_over(self._bug, built, tree.work)
        else:
            lay_out(self._bug, {}, tree.work)
        tree.keep()
        toolchain = language(self._bug.problem.language).toolchain
        if isinstance(toolchain, Shareable):
            source, path = Path(self._bug.tree.source), self._bug.problem.path
            # In a twin only its own few, which are the same in both twins: this shows that it is a twin, but not which.
            tests = (*self._bug.oracle.trigger, *self._bug.oracle.regression)
            is_twin = built is not None
            self._shared = toolchain.shared(self._bug.oracle.build, tree=source, changing=path, tests=tests, twin=is_twin)
        self._runner = self._open.enter_context(self._sandbox.slot(tree.work))
        self._tree = tree

    def _build_once(self) -> None:
        """Build the buggy tree, where the tool then builds only what a candidate changes."""
        assert self._tree is not None
        if self._shared is not None:
            commands = self._shared.prepare(self._bug.oracle.test, files_below(self._tree.work))
            self._prepared = not commands or self._tester({}, "first-failure").prepare(commands)
            if commands:
                time.sleep(CLOCK_TICK_S)  # what a candidate changes must be newer than what was built
                self._tree.keep()

    def _tester(
        self,
        changed: Mapping[str, str | None],
        policy: Policy,
        *,
        confirm: int = 0,
        toolchain: Toolchain | None = None,
        bug: Bug | None = None,
        within: Within | None = None,
    ) -> TreeTester:
        """Restore the tree and add a candidate's files, unless it is there as it was built."""
        assert self._tree is not None and self._runner is not None
        before, last = self._last or ({}, TestLog(left_tree_alone=False))
        self._last = None
        if not (self._shared and last.left_build_alone and before == changed):
            self._tree.reset(only_written=last.left_tree_alone)
            self._tree.write(changed)
        tester = TreeTester(
            bug or self._bug,
            within(self._runner) if within else self._runner,
            policy,
            self._tree.work,
            confirm=confirm,
            checker_sandbox=self._sandbox,
            other_toolchain=toolchain,
        )
        self._last = (dict(changed), tester.log)
        return tester

    def _notices(self, path: str, toolchain: Toolchain) -> bool:
        """Return whether the build notices that a file changed: makefiles are known to forget some."""
        if self._bug.oracle.build.tool not in ("make", "autotools"):
            return True  # the compiler tells ninja what depends on what
        if path not in self._noticed:
            broken = self._tester({path: "#error changed\n"}, "first-failure", toolchain=toolchain)
            self._noticed[path] = bool(broken.build())
        return self._noticed[path]
