"""Taking turns on this machine: many commands at once, or one that must not be disturbed. Called by `trial`.

Two lock files of the user's cache, always taken in the same order: who wants to be alone closes the gate to newcomers and waits for
the room to be empty. Nobody in the room waits for anything. The kernel frees the locks of a process that dies; one that is stopped
(Ctrl-Z), or busy with a long build, delays others by PATIENCE_S, no more.
"""

import contextlib
import fcntl
import functools
import os
import time
from collections.abc import Iterator

from repairlab.languages.table import default_cache

PATIENCE_S = 30.0
"""How long to wait for others, before going on as if they were not there."""
_PAUSE_S = 0.02


@contextlib.contextmanager
def among_others() -> Iterator[None]:
    """Run something that others may run beside; waits while somebody is alone."""
    folder = _folder()
    gate = _lock(f"{folder}/gate", fcntl.LOCK_SH)
    room = _lock(f"{folder}/room", fcntl.LOCK_SH)
    _unlock(gate)
    try:
        yield
    finally:
        _unlock(room)


@contextlib.contextmanager
def alone() -> Iterator[None]:
    """Run something while nothing else of this user runs."""
    folder = _folder()
    gate = _lock(f"{folder}/gate", fcntl.LOCK_EX)
    room = _lock(f"{folder}/room", fcntl.LOCK_EX)
    try:
        yield
    finally:
        _unlock(room)
        _unlock(gate)


def _folder() -> str:
    return _folder_for(*(os.environ.get(name) for name in ("REPAIRLAB_CACHE", "XDG_CACHE_HOME", "HOME")))


@functools.lru_cache(maxsize=4)
def _folder_for(*_settings: str | None) -> str:
    """Return the folder under these settings; this is asked before every command, and paths are slow."""
    return f"{default_cache()}/turns"


def _lock(path: str, kind: int) -> int | None:
    """Take a lock and return its descriptor, each call a new one; none where there is no place for the file."""
    try:
        number = _open(path)
    except OSError:
        return None
    deadline = time.monotonic() + PATIENCE_S
    while True:
        try:
            fcntl.flock(number, kind | fcntl.LOCK_NB)
        except BlockingIOError:
            if time.monotonic() > deadline:
                return number
            time.sleep(_PAUSE_S)
        except OSError:  # a file system without locks
            return number
        else:
            return number


def _open(path: str) -> int:
    flags = os.O_RDWR | os.O_CREAT | os.O_CLOEXEC
    try:
        return os.open(path, flags, 0o600)
    except FileNotFoundError:
        os.makedirs(os.path.dirname(path), exist_ok=True)  # noqa: PTH103, PTH120  # of the rare first time, on a path of text
        return os.open(path, flags, 0o600)


def _unlock(number: int | None) -> None:
    if number is not None:
        os.close(number)
