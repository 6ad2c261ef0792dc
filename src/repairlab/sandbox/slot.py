"""A lasting place for commands over one tree: what costs time to set up is set up once. Every back end's `slot` gives one."""

import dataclasses
from collections.abc import Callable, Iterator, Sequence
from contextlib import AbstractContextManager, ExitStack, contextmanager, nullcontext
from pathlib import Path

from repairlab.core.errors import HarnessError
from repairlab.core.execution import Command, Execution
from repairlab.sandbox.in_place import InPlace
from repairlab.sandbox.supervise import Launcher

SPARE = 16
"""Fork servers and keepers of one slot at most; they are of the same user as the commands, and count as processes of theirs."""


class Slot:
    """Runs one command after the other over its tree, as `Sandbox.run` would; for one thread."""

    def __init__(
        self, tree: Path, start: Callable[[Command], AbstractContextManager[Launcher]], in_place: InPlace | None = None
    ) -> None:
        """Take the tree, what starts a launcher for commands like a given one, and who puts the tree back where layers cannot."""
        self._tree = tree
        self._start = start
        self._in_place = in_place
        self._launchers: dict[object, tuple[Launcher, ExitStack]] = {}

    def run(self, command: Command, tree: Path) -> Execution:
        """Run a command; what it needs mounted, and whether it may write, decides which launcher gets it."""
        if tree != self._tree:
            raise HarnessError(f"this slot is for {self._tree}, not for {tree}")
        in_place = self._in_place.running(command) if self._in_place else nullcontext(command)
        with in_place as ready, self._launcher(ready) as launcher:
            execution = launcher.run(ready, forks=True)
        return self._in_place.noted(execution) if self._in_place and command.private else execution

    def run_series(self, command: Command, inputs: Sequence[bytes], tree: Path, *, stop: bool) -> list[Execution]:
        """Run a command for one input after the other, each as `run` would, and at least for the first."""
        if self._in_place and command.private:
            return [self.run(dataclasses.replace(command, stdin=inputs[0]), tree)]  # the tree is put back after each
        if tree != self._tree:
            raise HarnessError(f"this slot is for {self._tree}, not for {tree}")
        with self._launcher(command) as launcher:
            return launcher.run_series(command, inputs, stop=stop)

    @contextmanager
    def _launcher(self, command: Command) -> Iterator[Launcher]:
        """Give the launcher for a command, and end it when it is of no more use."""
        kind = (command.writable, command.private, command.mounts, command.limits.disk_mb)
        if kind not in self._launchers:
            with ExitStack() as stack:
                launcher = stack.enter_context(self._start(command))
                self._launchers[kind] = (launcher, stack.pop_all())
        launcher, _ = self._launchers[kind]
        usable = False
        try:
            yield launcher
            usable = not launcher.not_reusable
        finally:
            if not usable:
                self._launchers.pop(kind)[1].close()

    def close(self) -> None:
        """End all launchers."""
        for _, stack in self._launchers.values():
            stack.close()
        self._launchers.clear()
        if self._in_place:
            self._in_place.close()
