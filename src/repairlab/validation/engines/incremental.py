"""The engine with one tree that is built once and put back after each candidate: only what a candidate changes is built again."""

import time
from collections.abc import Mapping
from contextlib import ExitStack
from pathlib import Path

from repairlab.core.bug import Bug
from repairlab.core.outcome import Policy
from repairlab.languages.language import Shareable, SharedBuild, Toolchain
from repairlab.languages.table import language
from repairlab.sandbox.sandbox import Runner, Sandbox
from repairlab.validation.apply import lay_out, lay_over
from repairlab.validation.engines.engine import Judgement
from repairlab.validation.stopwatch import STOPWATCH
from repairlab.validation.test_run import TestRun
from repairlab.validation.worktree import WorkTree, files_below, temporary_folder

CLOCK_TICK_S = 0.02
"""File systems tell no two moments within one tick of their clock apart."""


class IncrementalEngine:
    """The tree and the place in the sandbox where it lies, made when first needed."""

    def __init__(self, bug: Bug, sandbox: Sandbox, twin_of: "IncrementalEngine | None" = None) -> None:
        """Take the engine of a bug that differs in its tests alone, from whose build this one can start."""
        self._bug, self._sandbox, self._twin_of = bug, sandbox, twin_of
        self._open = ExitStack()
        self._tree: WorkTree | None = None
        self._runner: Runner | None = None
        self._prepared = False
        self._noticed: dict[str, bool] = {}
        self._last: TestRun | None = None
        self._shared: SharedBuild | None = None

    @property
    def built_tree(self) -> Path | None:
        """A copy of the tree as its build left it, if that went well; not for changing."""
        return self._tree.kept if self._tree and self._prepared else None

    def close(self) -> None:
        """Remove the tree."""
        self._open.close()
        self._tree = self._runner = None

    def judge(
        self, changed: Mapping[str, str | None], policy: Policy, *, confirm: int = 0, bug: Bug | None = None
    ) -> Judgement | None:
        """Return the judgement on the tree with these files changed; none: it must be built and run from scratch.

        The tests may be those of a bug that differs from this one in nothing but files that are among those changed.
        """
        if self._tree is None:
            with STOPWATCH.phase("set-up"):
                self._lay_out()
                self._build_once()
        toolchain = self._shared.toolchain(changed, prepared=self._prepared) if self._shared else None
        if self._shared and (toolchain is None or not all(self._notices(path, toolchain) for path in changed)):
            return None
        test_run = self._test_run(changed, policy, confirm=confirm, toolchain=toolchain, bug=bug)
        verdict, message = test_run.judge()
        return Judgement(verdict=verdict, message=message, test_run=test_run)

    def _lay_out(self) -> None:
        """Lay the tree out, over the build of a twin if there is one: only what differs is then built."""
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
            # In a twin only its own few, which are the same in both twins: what is prepared shows that it is a twin, not which.
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
            self._prepared = self._test_run({}, "first-failure").prepare(commands)
            time.sleep(CLOCK_TICK_S)  # what a candidate changes must be newer than what was built
            self._tree.keep()

    def _test_run(
        self,
        changed: Mapping[str, str | None],
        policy: Policy,
        *,
        confirm: int = 0,
        toolchain: Toolchain | None = None,
        bug: Bug | None = None,
    ) -> TestRun:
        """Put the tree back and a candidate's files into it."""
        assert self._tree is not None and self._runner is not None
        last, self._last = self._last, None
        self._tree.reset(only_written=last is not None and last.left_tree_alone)
        self._tree.write(changed)
        test_run = TestRun(bug or self._bug, self._runner, policy, self._tree.work, confirm=confirm, judge=self._sandbox)
        test_run.toolchain = toolchain or test_run.toolchain
        self._last = test_run
        return test_run

    def _notices(self, path: str, toolchain: Toolchain) -> bool:
        """Return whether the build sees that a file changed: makefiles are known to forget some."""
        if self._bug.oracle.build.tool not in ("make", "autotools"):
            return True  # ninja has the compiler's word for what depends on what
        if path not in self._noticed:
            broken = self._test_run({path: "#error changed\n"}, "first-failure", toolchain=toolchain)
            self._noticed[path] = bool(broken.build())
        return self._noticed[path]
