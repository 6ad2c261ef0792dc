"""Private commands where a back end has no layers: they run in the tree itself, which is then put back. launching.py calls it."""

import contextlib
import dataclasses
import os
import tempfile
from collections.abc import Iterator
from pathlib import Path

from repairlab.core.execution import Command, Execution
from repairlab.sandbox.failures import our_failure
from repairlab.sandbox.snapshot import TreeSnapshot


class InPlace:
    """Puts one tree back after each private command; what was copied for one serves the next."""

    def __init__(self, tree: Path, *, lasting: bool, owner: int = 0) -> None:
        """Take whether the tree stays with the owner between commands; else it is handed over and back, which changes times."""
        self._tree = tree
        self._lasting = lasting
        self._owner = owner
        self._changed: tuple[str, ...] = ()
        self._stack = contextlib.ExitStack()
        self._snapshot: TreeSnapshot | None = None

    @contextlib.contextmanager
    def running(self, command: Command) -> Iterator[Command]:
        """Give the command to run instead; when the block ends, nothing may run in the tree any more."""
        if not command.private:
            yield command
            return
        if self._snapshot is None:
            with our_failure("cannot keep a tree"):
                folder = self._stack.enter_context(tempfile.TemporaryDirectory(prefix="repairlab-kept-"))
            self._snapshot = TreeSnapshot(self._tree.resolve(), Path(folder, "kept"))
        self._snapshot.keep(owner=self._owner)
        try:
            sealed = () if self._lasting else command.sealed  # what is ours cannot be the user's for the next command
            yield dataclasses.replace(command, private=False, writable=True, sealed=sealed)
        finally:
            self._changed = self._snapshot.reset(trusts_times=self._lasting or os.geteuid() != 0)

    def noted(self, execution: Execution) -> Execution:
        """Return the record of the last private command with what it had changed of the tree."""
        return dataclasses.replace(execution, changed=self._changed)

    def close(self) -> None:
        """Forget the copy."""
        with our_failure("cannot remove the copy of a tree"):
            self._stack.close()
