"""The buggy and the fixed tree of a bug, built one after the other to run tests in: what both share is compiled once."""

import dataclasses
from collections.abc import Iterator, Mapping
from contextlib import ExitStack, contextmanager
from pathlib import Path

from repairlab.building.build_folder import BuildFolder
from repairlab.core.bug import Bug
from repairlab.core.candidate import Edit
from repairlab.core.errors import UserError
from repairlab.languages.language import Continuing, Warmable
from repairlab.languages.table import language
from repairlab.sandbox.sandbox import Runner, Sandbox
from repairlab.validation.apply import changed_files, lay_out
from repairlab.validation.engines.resident import ResidentEngine
from repairlab.validation.test_run import TestRun
from repairlab.validation.worktree import temporary_folder


class DoesNotBuildError(UserError):
    """A tree does not build; the message says which, and why."""


class BugTrees:
    """Builds trees of a bug; `opened_trees` makes it."""

    def __init__(self, bug: Bug, sandbox: Sandbox, stack: ExitStack, folder: BuildFolder) -> None:
        self.bug = bug
        self._sandbox = sandbox
        self._stack = stack
        self._folder = folder
        self._engine: ResidentEngine | None = None
        toolchain = language(bug.problem.language).toolchain
        self._continues = isinstance(toolchain, Continuing)
        if isinstance(toolchain, Warmable):
            self._engine = ResidentEngine(bug, sandbox, toolchain, stack.enter_context(temporary_folder()))
            stack.callback(self._engine.close)

    def built(self, edits: tuple[Edit, ...]) -> TestRun:
        """Return what runs tests on the tree with these edits, which ends with the next one; or raise DoesNotBuildError."""
        changed = changed_files(self.bug.candidate(edits, "import"), self.bug)
        trial = self._engine.test_run(self.bug, changed, "full") if self._engine else None
        if trial is None and self._continues:
            trial, problem = self._built_on(changed)
        else:
            trial = trial or self._test_run(self._sandbox, self._stack.enter_context(laid_out(self.bug, edits)))
            problem = trial.build()
        if problem:
            raise DoesNotBuildError(f"the {'fixed' if edits else 'buggy'} tree does not build: {problem}")
        return trial

    def limit(self, limits: Mapping[str, float]) -> None:
        """Have the tests of trees that are built from now on keep time limits by name: one that hangs is to be stopped soon."""
        oracle, old = self.bug.oracle, self.bug.oracle.limits
        new = dataclasses.replace(old, cpu_s=limits.get("cpu_s", old.cpu_s), wall_s=limits.get("wall_s", old.wall_s))
        self.bug = dataclasses.replace(self.bug, oracle=dataclasses.replace(oracle, limits=new))

    def _built_on(self, changed: Mapping[str, str | None]) -> tuple[TestRun, str]:
        """Return the tree built on from the last one, or from nothing, and why it does not build."""
        continues = self._folder.lay(self.bug, changed)
        trial = self._test_run(self._folder.runner, self._folder.work)
        problem = trial.build()
        if not (problem and continues):
            return trial, problem
        self._folder.clear()  # what is left of another build may be why
        return self._built_on(changed)

    def _test_run(self, runner: Runner, work: Path) -> TestRun:
        return TestRun(self.bug, runner, "full", work, judge=self._sandbox)


@contextmanager
def opened_trees(bug: Bug, sandbox: Sandbox, folder: BuildFolder) -> Iterator[BugTrees]:
    """Give the trees of a bug; what is built in the folder stays there after the block, for the next bug."""
    with ExitStack() as stack:
        yield BugTrees(bug, sandbox, stack, folder)


@contextmanager
def laid_out(bug: Bug, edits: tuple[Edit, ...]) -> Iterator[Path]:
    """Give a folder with the tree of a bug and these edits."""
    with temporary_folder() as folder:
        lay_out(bug, changed_files(bug.candidate(edits, "import"), bug), folder / "work")
        yield folder / "work"
