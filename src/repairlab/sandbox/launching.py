"""What all back ends with a launcher share: running commands as one unprivileged user, and the host's tool chain they see.

A command runs once, stays, or has a lasting place for more.
"""

import abc
import atexit
import contextlib
import dataclasses
import functools
import os
import socket
import stat
import tempfile
from collections.abc import Callable, Iterator, Sequence
from contextlib import AbstractContextManager, ExitStack, contextmanager, nullcontext
from pathlib import Path

from repairlab.core.errors import HarnessError
from repairlab.core.execution import Command, Execution
from repairlab.sandbox.failures import our_failure
from repairlab.sandbox.resident import Resident, resident
from repairlab.sandbox.snapshot import InPlace
from repairlab.sandbox.supervise import Ends, Launcher
from repairlab.sandbox.trees import base_of

SPARE_PROCESSES = 32
"""Fork servers and keepers that one slot may have; they run as the commands' user and count among its processes."""


IDLE_SLOTS = 4
"""How many slots wait for another tree: a bug and its twins have one each."""


class Slot:
    """Runs one command after another over its tree, as `Sandbox.run` would; for one thread."""

    def __init__(
        self,
        tree: Path,
        start: Callable[[Command, Path], AbstractContextManager[Launcher]],
        in_place: InPlace | None = None,
        base: Path | None = None,
    ) -> None:
        """Take the tree, what starts a launcher for a command, and what restores the tree where layers cannot.

        With a folder of trees as its base, the slot can turn from one to another.
        """
        self._base = base
        self._tree = tree
        self._start = start
        self._in_place = in_place
        self._launchers: dict[object, tuple[Launcher, ExitStack]] = {}

    def run(self, command: Command, tree: Path) -> Execution:
        """Run a command; its mounts, and whether it may write, decide which launcher gets it."""
        if tree != self._tree:
            raise HarnessError(f"this slot is for {self._tree}, not for {tree}")
        in_place = self._in_place.running(command) if self._in_place else nullcontext(command)
        with in_place as ready, self._launcher(ready) as launcher:
            execution = launcher.run(ready, forks=True)
        return self._in_place.noted(execution) if self._in_place and command.private else execution

    def run_series(self, command: Command, inputs: Sequence[bytes], tree: Path, *, stop: bool) -> list[Execution]:
        """Run a command for one input after another, each as `run` would, and at least for the first."""
        if self._in_place and command.private:
            return [self.run(dataclasses.replace(command, stdin=inputs[0]), tree)]  # the tree is restored after each
        if tree != self._tree:
            raise HarnessError(f"this slot is for {self._tree}, not for {tree}")
        with self._launcher(command) as launcher:
            return launcher.run_series(command, inputs, stop=stop)

    @contextmanager
    def _launcher(self, command: Command) -> Iterator[Launcher]:
        """Give the launcher for a command, and end it if it is no longer of use."""
        kind = (command.writable, command.private, command.mounts, command.limits.disk_mb)
        if kind not in self._launchers:
            with ExitStack() as stack:
                launcher = stack.enter_context(self._start(command, self._tree))
                self._launchers[kind] = (launcher, stack.pop_all())
        launcher, _ = self._launchers[kind]
        if self._base:
            launcher.source = self._tree.relative_to(self._base).as_posix()
        usable = False
        try:
            yield launcher
            usable = not launcher.not_reusable
        finally:
            if not usable:
                self._launchers.pop(kind)[1].close()

    def turn_to(self, tree: Path) -> "Slot":
        """Turn to another tree of the same folder."""
        self._tree = tree
        return self

    def leave_tree(self) -> None:
        """End everything that has seen the tree."""
        for launcher, _ in self._launchers.values():
            launcher.leave_tree()

    def close(self) -> None:
        """End all launchers."""
        for _, stack in self._launchers.values():
            stack.close()
        self._launchers.clear()
        if self._in_place:
            self._in_place.close()


SCRATCH = ("/tmp", "/home/user", "/dev/shm")
"""Private file systems in memory, where a back end has its own file systems."""
LIBRARIES = ("bin", "sbin", "lib", "lib32", "lib64", "libx32")
"""Links into /usr or folders beside it, depending on the system's age."""


class LaunchingSandbox(abc.ABC):
    """Runs commands through launchers; a back end says as which user, and how a launcher starts."""

    name: str
    _layers = False
    """Whether a private command gets its own layer over the tree; without one, the tree is restored after it."""

    @abc.abstractmethod
    def _user(self) -> contextlib.AbstractContextManager[int]:
        """Hold a user id for commands; 0 where they keep theirs."""

    @abc.abstractmethod
    def _launched(
        self, command: Command, tree: Path, *, uid: int, keep: bool = False
    ) -> contextlib.AbstractContextManager[Launcher]:
        """Start a launcher for commands like this one; with `keep`, the tree stays the user's in between."""

    @property
    def seals(self) -> bool:
        """Whether parts of the tree can be protected from commands that may write to it: by mounts, or by owner."""
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
        """Run a command that talks with the other ends of its standard input and output."""
        with self._user() as uid, self._launched(command, tree, uid=uid) as launcher:
            return launcher.run(command, ends=ends)

    @contextlib.contextmanager
    def reside(self, command: Command, tree: Path) -> Iterator[Resident]:
        """Start a command that stays and answers requests until the block ends."""
        with (
            self._prepared(command, tree) as ready,
            self._user() as uid,
            self._started(ready, tree, uid=uid) as launcher,
            resident(ready, launcher) as process,
        ):
            yield process

    @contextlib.contextmanager
    def slot(self, tree: Path) -> Iterator[Slot]:
        """Open a place for many commands over a tree, all of one user; another tree may get it afterwards."""
        base = base_of(tree) if self._layers else None
        idle = _idle_slots(os.getpid(), self, base) if base else []
        try:
            slot, stack = idle.pop()
        except IndexError:
            slot, stack = self._new_slot(tree, base)
        if base and (mode := stat.S_IMODE(tree.stat().st_mode)) & 0o005 != 0o005:
            tree.chmod(mode | 0o055)
        with stack:
            yield slot.turn_to(tree)
            slot.leave_tree()
            if base and len(idle) < IDLE_SLOTS:
                idle.append((slot, stack.pop_all()))

    def _new_slot(self, tree: Path, base: Path | None) -> tuple[Slot, ExitStack]:
        with ExitStack() as stack:
            uid = stack.enter_context(self._user())

            def start(command: Command, tree: Path) -> AbstractContextManager[Launcher]:
                return self._started(command, tree, uid=uid, keep=True)

            slot = Slot(tree, start, None if self._layers else InPlace(tree, lasting=True, owner=uid), base)
            stack.callback(slot.close)
            kept = stack.pop_all()
        return slot, kept

    @contextlib.contextmanager
    def _started(self, command: Command, tree: Path, *, uid: int, keep: bool = False) -> Iterator[Launcher]:
        """Start a launcher; what the host lacks for that is a failure of ours."""
        with contextlib.ExitStack() as stack:
            with our_failure("cannot start the sandbox"):
                launcher = stack.enter_context(self._launched(command, tree, uid=uid, keep=keep))
            yield launcher

    @contextlib.contextmanager
    def _prepared(self, command: Command, tree: Path) -> Iterator[Command]:
        """Give what to run for a command, and restore its tree where needed."""
        if self._layers or not command.private:
            yield command
            return
        with contextlib.closing(InPlace(tree, lasting=False)) as in_place, in_place.running(command) as ready:
            yield ready


@functools.lru_cache(maxsize=16)
def _idle_slots(process: int, sandbox: LaunchingSandbox, base: Path) -> list[tuple[Slot, ExitStack]]:  # noqa: ARG001  # for the cache
    """Return a process's list of slots that wait for another tree of a folder; it ends with the process."""
    slots: list[tuple[Slot, ExitStack]] = []

    def close() -> None:
        while slots and process == os.getpid():
            slots.pop()[1].close()

    atexit.register(close)
    return slots


def settings() -> list[Path]:
    """Return the files and folders under /etc that programs need to start, whether or not they exist."""
    names = ("ld.so.cache", "ld.so.conf", "ld.so.conf.d", "alternatives", "ssl/certs")
    return [*(Path("/etc", name) for name in names), *sorted(Path("/etc").glob("java-*-openjdk"))]


def socket_folder() -> str | None:
    """Return a folder for sockets, whose paths must be short; None for the usual temporary folder."""
    return "/tmp" if len(tempfile.gettempdir()) > 50 else None


def inside(command: Command) -> str:
    """Return where a back end with its own file systems puts the tree: /work, unless a mount needs that path."""
    return "/tree" if any(Path(mount.path).is_relative_to("/work") for mount in command.mounts) else "/work"


FIRST_USER = 64000
N_USERS = 1500
"""Ids below 65534 (nobody) also exist in containers, and few systems assign these. A worker holds a handful."""


@contextlib.contextmanager
def unprivileged_id() -> Iterator[int]:
    """Hold a user id that no other running command of this machine has, so that their process counts do not mix."""
    # A name in the abstract socket space belongs to one process at a time, and the kernel frees it in any case.
    for attempt in range(N_USERS):
        number = FIRST_USER + (os.getpid() + attempt) % N_USERS
        with our_failure("cannot hold a user id"):
            lock = socket.socket(socket.AF_UNIX, socket.SOCK_DGRAM)
        with lock:
            try:
                lock.bind(f"\0repairlab-uid-{number}")
            except OSError:
                continue
            yield number
            return
    raise HarnessError(f"all {N_USERS} user ids for sandboxed commands are in use; run fewer at once (-j)")
