"""The buggy and the fixed tree of a bug, built one after the other to run tests in: what both share is compiled once.

Called by `discovery`.
"""

from collections.abc import Iterator
from contextlib import ExitStack, contextmanager
from pathlib import Path

from repairlab.core.bug import Bug
from repairlab.core.candidate import Edit
from repairlab.core.errors import UserError
from repairlab.languages.language import Warmable
from repairlab.languages.table import language
from repairlab.sandbox.sandbox import Sandbox
from repairlab.validation.apply import changed_files, lay_out
from repairlab.validation.engines.resident import ResidentEngine
from repairlab.validation.test_run import TestRun
from repairlab.validation.worktree import temporary_folder


class DoesNotBuildError(UserError):
    """A tree does not build; the message says which, and why."""


class BugTrees:
    """Builds trees of a bug; `opened_trees` makes it."""

    def __init__(self, bug: Bug, sandbox: Sandbox, stack: ExitStack) -> None:
        self.bug = bug
        self._sandbox = sandbox
        self._stack = stack
        self._engine: ResidentEngine | None = None
        toolchain = language(bug.problem.language).toolchain
        if isinstance(toolchain, Warmable):
            self._engine = ResidentEngine(bug, sandbox, toolchain, stack.enter_context(temporary_folder()))
            stack.callback(self._engine.close)

    def built(self, edits: tuple[Edit, ...]) -> TestRun:
        """Return what runs tests on the tree with these edits, which ends with the next one; or raise DoesNotBuildError."""
        trial = (
            self._engine.test_run(self.bug, changed_files(self.bug.candidate(edits, "import"), self.bug), "full")
            if self._engine
            else None
        )
        if trial is None:
            work = self._stack.enter_context(laid_out(self.bug, edits))
            trial = TestRun(self.bug, self._sandbox, "full", work, judge=self._sandbox)
        if problem := trial.build():
            raise DoesNotBuildError(f"the {'fixed' if edits else 'buggy'} tree does not build: {problem}")
        return trial


@contextmanager
def opened_trees(bug: Bug, sandbox: Sandbox) -> Iterator[BugTrees]:
    """Give the trees of a bug; all that is built is gone after the block."""
    with ExitStack() as stack:
        yield BugTrees(bug, sandbox, stack)


@contextmanager
def laid_out(bug: Bug, edits: tuple[Edit, ...]) -> Iterator[Path]:
    """Give a folder with the tree of a bug and these edits."""
    with temporary_folder() as folder:
        lay_out(bug, changed_files(bug.candidate(edits, "import"), bug), folder / "work")
        yield folder / "work"
