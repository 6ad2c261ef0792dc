"""Fresh workspaces of one bug for external programs, under git and without hidden tests.

Only edits leave a workspace, and validation starts from its own tree.
"""

import contextlib
import os
import shutil
from collections.abc import Iterator
from pathlib import Path

from repairlab.core.bug import Bug
from repairlab.core.errors import HarnessError
from repairlab.core.execution import Command, Limits
from repairlab.core.problem import Problem, Visibility
from repairlab.core.recipe import matching
from repairlab.repairers.command.repairer import issue_text
from repairlab.sandbox.failures import our_failure
from repairlab.sandbox.sandbox import Sandbox
from repairlab.validation.apply import lay_out
from repairlab.validation.changes import OWN_FOLDER, Changes, never_taken, read_changes
from repairlab.validation.worktree import files_below, write_text

ISSUE = "ISSUE.md"
CHECK = "check"
LOG = f"{OWN_FOLDER}/log"
_GIT = """\
set -e
mkdir -p .repairlab
git init -q -b main --template=
git config user.name repairer
git config user.email repairer@localhost
git config gc.auto 0
mkdir -p .git/info
printf '/.repairlab/\\n' > .git/info/exclude
git add -A -f .
git rm -r -q -f --cached --ignore-unmatch .repairlab
git commit -q --allow-empty --no-verify -m 'The buggy tree'"""
_WRITTEN = 946684800  # 2000-01-01
"""Modification time of every file, so that no date reveals the bug."""
_GIT_ENV = tuple((f"GIT_{who}_DATE", "2000-01-01T00:00:00Z") for who in ("AUTHOR", "COMMITTER"))
_GIT_LIMITS = Limits(cpu_s=300, wall_s=600, memory_mb=2048, disk_mb=4096)


class WorkspaceMaker:
    """The tree that every workspace of a bug is copied from, and how to read what a program made of it."""

    def __init__(self, bug: Bug, visibility: Visibility, sandbox: Sandbox, folder: Path, *, script: str = "") -> None:
        """Take an empty folder for the tree and its copies; a script becomes `./check`, unless the tree has one."""
        self._script = "" if (Path(bug.tree.source) / CHECK).exists() else script
        self._bug, self._visibility, self._sandbox = bug, visibility, sandbox
        self._given, self._work = folder / "given", folder / "work"
        self._is_made = False

    def make(self, problem: Problem) -> None:
        """Lay the tree out with the problem as its issue, once."""
        if self._is_made:
            return
        lay_out(self._bug, {}, self._given)
        with our_failure("cannot make a workspace"):
            self.hide(self._given)
            if self._script:
                write_text(self._given / CHECK, self._script)
                (self._given / CHECK).chmod(0o755)
            (self._given / ISSUE).write_text(self.told(problem), encoding="utf-8")
            for item in (self._given, *self._given.rglob("*")):
                os.utime(item, (_WRITTEN, _WRITTEN), follow_symlinks=False)
        command = Command(argv=("sh", "-c", _GIT), env=_GIT_ENV, writable=True, limits=_GIT_LIMITS)
        done = self._sandbox.run(command, self._given)
        if not done.succeeded:
            said = (done.stderr or done.stdout).decode(errors="replace").strip()[-300:]
            raise HarnessError(f"cannot put a workspace under git ({said or done.ending}). Is it there? apt install git")
        self._is_made = True

    def told(self, problem: Problem) -> str:
        """Return what a program is told of the bug."""
        said = issue_text(problem, self._bug.oracle.trigger if self.shows_tests else ())
        does = "builds this tree and runs its tests" if self.shows_tests else "builds this tree; its tests are hidden"
        return f"{said}\n`./{CHECK}` {does}.\n" if self._script else said

    @contextlib.contextmanager
    def workspace(self) -> Iterator[Path]:
        """Give a fresh copy of the tree, deleted after the block."""
        with our_failure("cannot make a workspace"):
            shutil.copytree(self._given, self._work, symlinks=True)
        try:
            yield self._work
        finally:
            shutil.rmtree(self._work, ignore_errors=True)

    def changes(self, workspace: Path) -> Changes:
        """Return what a program changed in its workspace, without test files and test configuration."""
        return read_changes(self._given, workspace, self._excluded)

    @property
    def shows_tests(self) -> bool:
        """Return whether a program sees the tests."""
        return self._visibility.tests

    @property
    def has_check(self) -> bool:
        """Return whether a workspace has the script."""
        return bool(self._script)

    def hide(self, tree: Path) -> None:
        """Remove the files that the policy hides: tests and, if context is hidden, everything but the file to fix."""
        files = files_below(tree)
        hidden = set() if self.shows_tests else set(matching(files, self._bug.oracle.test.files))
        if not self._visibility.context:
            hidden |= set(files)
        for path in sorted(hidden - {self._bug.problem.path}):
            _remove(tree, path)

    def _excluded(self, path: str) -> str:
        if path == ISSUE or (path == CHECK and self._script):
            return "no part of the tree"
        return never_taken(path, self._bug)


def _remove(root: Path, path: str) -> None:
    """Remove a file, and folders above it that become empty."""
    (root / path).unlink()
    for folder in (root / path).parents:
        if folder == root or any(folder.iterdir()):
            return
        folder.rmdir()
