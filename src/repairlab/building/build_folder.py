"""One folder in which tree after tree of a project is built: what the next shares with the last is not built again."""

import filecmp
import os
import shutil
import time
from collections.abc import Iterator, Mapping
from contextlib import ExitStack, contextmanager
from pathlib import Path

from repairlab.core.bug import Bug
from repairlab.core.recipe import Build
from repairlab.languages.language import Continuing
from repairlab.languages.table import language
from repairlab.sandbox.failures import our_failure
from repairlab.sandbox.sandbox import Runner, Sandbox
from repairlab.validation.apply import lay_out
from repairlab.validation.engines.incremental import CLOCK_TICK_S
from repairlab.validation.worktree import hand_over, temporary_folder


class BuildFolder:
    """The folder `work` with the last tree and what was built of it; `opened_build_folder` makes it."""

    def __init__(self, folder: Path, sandbox: Sandbox, stack: ExitStack) -> None:
        self._folder, self._sandbox, self._stack = folder, sandbox, stack
        self._runner: Runner | None = None
        self._build: Build | None = None
        self._laid: frozenset[str] = frozenset()
        self.work = folder / "work"

    @property
    def runner(self) -> Runner:
        """What runs commands in the folder."""
        if self._runner is None:
            self.work.mkdir()
            self._runner = self._stack.enter_context(self._sandbox.slot(self.work))
        return self._runner

    def lay(self, bug: Bug, changed: Mapping[str, str | None]) -> bool:
        """Make the tree in the folder that of a bug with these files changed; return whether anything built is left in it."""
        aside = self._folder / "aside"
        lay_out(bug, changed, aside)
        with our_failure(f"cannot lay out bug {bug.id}"):
            wanted = frozenset(_entries(aside))
            differing = {path for path in wanted & self._laid if not _is_same(aside / path, self.work / path)}
            continues = bug.oracle.build == self._build and self._continues(bug, differing, wanted ^ self._laid)
            if not continues:
                self.clear()
                differing = set()
            self._move(aside, differing | (wanted - self._laid), self._laid - wanted)
            shutil.rmtree(aside)
        self._build, self._laid = bug.oracle.build, wanted
        return continues

    def clear(self) -> None:
        """Leave nothing in the folder."""
        self._build, self._laid = None, frozenset()
        for path in [*self.work.iterdir()] if self.work.is_dir() else ():
            shutil.rmtree(path) if path.is_dir() and not path.is_symlink() else path.unlink()

    def _continues(self, bug: Bug, differing: set[str], others: frozenset[str]) -> bool:
        """Delete what the tool would take for up to date and is not; return false where all might be."""
        toolchain = language(bug.problem.language).toolchain
        assert isinstance(toolchain, Continuing)
        outdated = toolchain.outdated(bug.oracle.build, tree=self.work, changed=differing, others=others)
        if outdated is None or any(os.path.lexists(self.work / path) for path in others - self._laid):
            return False
        for pattern in outdated:
            for path in self.work.glob(pattern):
                path.unlink()
        return True

    def _move(self, source: Path, paths: set[str] | frozenset[str], gone: frozenset[str]) -> None:
        """Put files of another tree into this one, newer than all that was built here."""
        assert self.runner is not None
        for path in gone:
            (self.work / path).unlink(missing_ok=True)
        time.sleep(CLOCK_TICK_S)
        for path in paths:
            target = self.work / path
            target.parent.mkdir(parents=True, exist_ok=True)
            (source / path).replace(target)
            os.utime(target, follow_symlinks=False)
            hand_over(self.work, path)


@contextmanager
def opened_build_folder(sandbox: Sandbox) -> Iterator[BuildFolder]:
    """Give a folder that is gone after the block."""
    with temporary_folder() as folder, ExitStack() as stack:
        yield BuildFolder(folder, sandbox, stack)


def _entries(root: Path) -> Iterator[str]:
    """Yield the relative paths of all files and links below a folder."""
    folders = [""]
    for folder in folders:
        with os.scandir(root / folder) as listed:
            for entry in listed:
                if entry.is_dir(follow_symlinks=False):
                    folders.append(f"{folder}{entry.name}/")
                else:
                    yield f"{folder}{entry.name}"


def _is_same(one: Path, other: Path) -> bool:
    if one.is_symlink() or other.is_symlink():
        return one.is_symlink() and other.is_symlink() and one.readlink() == other.readlink()
    is_same_mode = other.is_file() and (one.stat().st_mode ^ other.stat().st_mode) & 0o111 == 0
    return is_same_mode and filecmp.cmp(one, other, shallow=False)
