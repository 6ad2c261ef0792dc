"""What all back ends with a launcher share: one command, one that stays, or a lasting place, each as one user.

And what of the host's tool chain their commands see, which is the same on all of them.
"""

import abc
import contextlib
import tempfile
from collections.abc import Iterator
from pathlib import Path

from repairlab.core.execution import Command, Execution
from repairlab.sandbox.failures import our_failure
from repairlab.sandbox.in_place import InPlace
from repairlab.sandbox.resident import Resident, resident
from repairlab.sandbox.slot import Slot
from repairlab.sandbox.supervise import Ends, Launcher

SCRATCH = ("/tmp", "/home/user", "/dev/shm")
"""Private file systems in memory, where a back end has file systems of its own."""
LIBRARIES = ("bin", "sbin", "lib", "lib32", "lib64", "libx32")
"""Links into /usr or folders beside it, by the age of the system."""


class LaunchingSandbox(abc.ABC):
    """Runs commands through launchers; a back end says as which user, and how a launcher is started."""

    name: str
    _layers = False
    """Whether a private command gets a layer of its own over the tree; without, the tree is put back after it."""

    @abc.abstractmethod
    def _user(self) -> contextlib.AbstractContextManager[int]:
        """Hold a user id for commands; 0 where they stay who they are."""

    @abc.abstractmethod
    def _launched(
        self, command: Command, tree: Path, *, uid: int, keep: bool = False
    ) -> contextlib.AbstractContextManager[Launcher]:
        """Start a launcher for commands like this one; with `keep` the tree stays the user's from one to the next."""

    @property
    def seals(self) -> bool:
        """Whether parts of the tree can be kept from commands that may write to it: by mounts, or as another user's."""
        with self._user() as uid:
            return self._layers or uid != 0

    def run(self, command: Command, tree: Path) -> Execution:
        """Run a command over a tree; a tree that is writable must serve one command at a time."""
        if self._layers or not command.private:
            with self._user() as uid, self._started(command, tree, uid=uid) as launcher:
                return launcher.run(command)
        with contextlib.closing(InPlace(tree, lasting=False)) as in_place:
            with in_place.running(command) as ready, self._user() as uid, self._started(ready, tree, uid=uid) as launcher:
                execution = launcher.run(ready)
            return in_place.noted(execution)

    def converse(self, command: Command, tree: Path, ends: Ends) -> Execution:
        """Run a command that talks with somebody at the other ends of its standard input and output."""
        with self._user() as uid, self._launched(command, tree, uid=uid) as launcher:
            return launcher.run(command, ends=ends)

    @contextlib.contextmanager
    def reside(self, command: Command, tree: Path) -> Iterator[Resident]:
        """Start a command that stays and answers requests, until the block ends."""
        with (
            self._prepared(command, tree) as ready,
            self._user() as uid,
            self._started(ready, tree, uid=uid) as launcher,
            resident(ready, launcher) as process,
        ):
            yield process

    @contextlib.contextmanager
    def slot(self, tree: Path) -> Iterator[Slot]:
        """Open a place for many commands over a tree, all of one user."""
        with self._user() as uid:
            in_place = None if self._layers else InPlace(tree, lasting=True, owner=uid)
            slot = Slot(tree, lambda command: self._started(command, tree, uid=uid, keep=True), in_place)
            with contextlib.closing(slot):
                yield slot

    @contextlib.contextmanager
    def _started(self, command: Command, tree: Path, *, uid: int, keep: bool = False) -> Iterator[Launcher]:
        """Start a launcher; whatever the host is short of for that is a failure of ours."""
        with contextlib.ExitStack() as stack:
            with our_failure("cannot start the sandbox"):
                launcher = stack.enter_context(self._launched(command, tree, uid=uid, keep=keep))
            yield launcher

    @contextlib.contextmanager
    def _prepared(self, command: Command, tree: Path) -> Iterator[Command]:
        """Give what to run for a command, and put its tree back where that is needed."""
        if self._layers or not command.private:
            yield command
            return
        with contextlib.closing(InPlace(tree, lasting=False)) as in_place, in_place.running(command) as ready:
            yield ready


def settings() -> list[Path]:
    """Return the files and folders under /etc that programs need to start, whether they are there or not."""
    names = ("ld.so.cache", "ld.so.conf", "ld.so.conf.d", "alternatives", "ssl/certs")
    return [*(Path("/etc", name) for name in names), *sorted(Path("/etc").glob("java-*-openjdk"))]


def socket_folder() -> str | None:
    """Return where to make a folder for sockets, whose paths must be short; None for the usual place of temporary files."""
    return "/tmp" if len(tempfile.gettempdir()) > 50 else None


def inside(command: Command) -> str:
    """Return where a back end with file systems of its own puts the tree: /work, unless a mount needs that path."""
    return "/tree" if any(Path(mount.path).is_relative_to("/work") for mount in command.mounts) else "/work"
