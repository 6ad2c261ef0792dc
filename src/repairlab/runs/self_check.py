"""`./check` in a workspace: builds what a program has made of the tree so far, and runs the tests it may see.

Both happen outside the program's sandbox, in one like that of validation. Hidden tests are neither run nor laid out, so that no
code of a program comes near them.
"""

import contextlib
import socket
import tempfile
import threading
from collections.abc import Callable, Iterator, Mapping
from functools import cached_property
from pathlib import Path

from repairlab.core.bug import Bug
from repairlab.core.candidate import Candidate, Origin
from repairlab.core.errors import HarnessError, UserError
from repairlab.runs.checkout import CheckoutResult, build_and_test
from repairlab.runs.workspace import WorkspaceMaker
from repairlab.sandbox.sandbox import Sandbox
from repairlab.validation.apply import changed_files, lay_out

PORT = "REPAIRLAB_CHECK"
"""Variable that holds the port."""
SCRIPT = f"""\
#!/bin/bash
# Builds this tree as its recipe says, and runs the tests that are shown. Exit code: 0 where nothing fails, else 1.
exec 3<>"/dev/tcp/127.0.0.1/${PORT}" || exit 2
{{ read -r code; cat; }} <&3
exit "$code"
"""


class SelfCheck:
    """Answers each connection with an exit code on the first line and the result of building and testing after it."""

    def __init__(self, bug: Bug, maker: WorkspaceMaker, workspace: Path, open_sandbox: Callable[[], Sandbox]) -> None:
        """Take the workspace, and what opens a sandbox beside that of the program."""
        self._bug, self._maker, self._workspace = bug, maker, workspace
        self._open_sandbox = open_sandbox
        self._tests = [*bug.oracle.trigger, *bug.oracle.regression] if maker.shows_tests else []

    @contextlib.contextmanager
    def serve(self, listener: socket.socket) -> Iterator[None]:
        """Answer at a listening socket until the block ends, one connection after another."""
        thread = threading.Thread(target=self._accept, args=(listener,), daemon=True)
        thread.start()
        try:
            yield
        finally:
            with contextlib.suppress(OSError):
                listener.shutdown(socket.SHUT_RDWR)
            thread.join()

    def _accept(self, listener: socket.socket) -> None:
        while True:
            try:
                asking, _ = listener.accept()
            except OSError:
                return
            with asking, contextlib.suppress(OSError):
                failed, said = self._said()
                asking.sendall(f"{int(failed)}\n{said}\n".encode(errors="replace"))
                asking.shutdown(socket.SHUT_WR)

    def _tried(self, changed: Mapping[str, str | None], tree: Path) -> CheckoutResult:
        lay_out(self._bug, changed, tree)
        self._maker.hide(tree)
        return build_and_test(tree, self._bug, self._open_sandbox(), self._tests)

    @cached_property
    def _never_builds(self) -> bool:
        """Whether the unchanged tree does not build without its test files."""
        with tempfile.TemporaryDirectory(prefix="repairlab-check-", ignore_cleanup_errors=True) as folder:
            return bool(self._tried({}, Path(folder) / "tree").build_error)

    def _said(self) -> tuple[bool, str]:
        """Return whether anything fails, and what to tell."""
        edits = self._maker.changes(self._workspace).edits
        candidate = Candidate(bug_id=self._bug.id, edits=edits, rank=1, origin=Origin(repairer="check"))
        try:
            with tempfile.TemporaryDirectory(prefix="repairlab-check-", ignore_cleanup_errors=True) as folder:
                found = self._tried(changed_files(candidate, self._bug), Path(folder) / "tree")
        except (UserError, HarnessError) as error:
            return True, str(error)
        if found.build_error and not self._tests and self._never_builds:
            return False, f"Without its hidden tests, this tree does not build, changed or not: {found.build_error}"
        if found.build_error:
            return True, f"It does not build: {found.build_error}\n{found.log}".rstrip()
        failed = [f"{test.id}: {test.message}" for test in found.results if not test.passed]
        if not self._tests:
            return False, "It builds. Its tests are hidden."
        return bool(failed), "\n".join((*failed, f"{len(found.results) - len(failed)} of {len(found.results)} tests pass"))
