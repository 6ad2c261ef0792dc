"""Fresh workspaces of one bug for programs of others: the buggy tree without hidden tests, under git, in the sandbox.

Only edits leave a workspace; validation starts from a tree of its own.
"""

import contextlib
import shutil
from collections.abc import Iterator
from pathlib import Path

from repairlab.core.bug import Bug
from repairlab.core.errors import HarnessError
from repairlab.core.execution import Command, Limits
from repairlab.core.glob import matching
from repairlab.core.problem import Problem, Visibility
from repairlab.repairers.command.issue import issue_text
from repairlab.runs.changes import OWN_FOLDER, Changes, read_changes
from repairlab.sandbox.failures import our_failure
from repairlab.sandbox.sandbox import Sandbox
from repairlab.validation.apply import lay_out, protected
from repairlab.validation.worktree import files_below

ISSUE = "ISSUE.md"
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
_GIT_ENV = tuple((f"GIT_{who}_DATE", "2000-01-01T00:00:00Z") for who in ("AUTHOR", "COMMITTER"))
_GIT_LIMITS = Limits(cpu_s=300, wall_s=600, memory_mb=2048, disk_mb=4096)


class WorkspaceMaker:
    """The tree that every workspace of a bug is a copy of, and how to read what a program made of it."""

    def __init__(self, bug: Bug, visibility: Visibility, sandbox: Sandbox, folder: Path) -> None:
        """Take an empty folder for the tree and its copies."""
        self._bug, self._visibility, self._sandbox = bug, visibility, sandbox
        self._given, self._work = folder / "given", folder / "work"
        self._is_made = False

    def make(self, problem: Problem) -> None:
        """Lay the tree out with the problem as its issue, once."""
        if self._is_made:
            return
        lay_out(self._bug, {}, self._given)
        with our_failure("cannot make a workspace"):
            for path in self._unseen():
                _remove(self._given, path)
            (self._given / ISSUE).write_text(self.told(problem), encoding="utf-8")
        command = Command(argv=("sh", "-c", _GIT), env=_GIT_ENV, writable=True, limits=_GIT_LIMITS)
        done = self._sandbox.run(command, self._given)
        if not done.succeeded:
            said = (done.stderr or done.stdout).decode(errors="replace").strip()[-300:]
            raise HarnessError(f"cannot put a workspace under git ({said or done.ending}). Is it there? apt install git")
        self._is_made = True

    def told(self, problem: Problem) -> str:
        """Return what a program is told of the bug."""
        oracle = self._bug.oracle
        return issue_text(problem, oracle.trigger if self._visibility.tests else ())

    @contextlib.contextmanager
    def workspace(self) -> Iterator[Path]:
        """Give a fresh copy of the tree, which is gone after the block."""
        with our_failure("cannot make a workspace"):
            shutil.copytree(self._given, self._work, symlinks=True)
        try:
            yield self._work
        finally:
            shutil.rmtree(self._work, ignore_errors=True)

    def changes(self, workspace: Path) -> Changes:
        """Return what a program changed in its workspace, without test files and what decides how tests are run."""
        return read_changes(self._given, workspace, self._excluded)

    def _unseen(self) -> list[str]:
        """Return the files that the policy hides: tests and, where context is hidden, all but the file to fix."""
        files = files_below(self._given)
        hidden = set() if self._visibility.tests else set(matching(files, self._bug.oracle.test.files))
        if not self._visibility.context:
            hidden |= set(files)
        return sorted(hidden - {self._bug.problem.path})

    def _excluded(self, path: str) -> str:
        if path == ISSUE:
            return "the issue"
        if matching([path], self._bug.oracle.test.files):
            return "a test file"
        return "configuration of tests or builds" if protected([path], self._bug) else ""


def _remove(root: Path, path: str) -> None:
    """Remove a file, and the folders above it that are empty then."""
    (root / path).unlink()
    for folder in (root / path).parents:
        if folder == root or any(folder.iterdir()):
            return
        folder.rmdir()
