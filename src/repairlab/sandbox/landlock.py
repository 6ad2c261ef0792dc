"""The back end for machines without namespaces, as in most containers: Landlock and a filter of system calls. table.py opens it.

A command is an ordinary process of the host whose own process gives up, before the program starts, all files but those named here,
all sockets, and signals to others. The rest of the work is process.py's.
"""

import ctypes
import os
from collections.abc import Iterable, Iterator
from pathlib import Path

from repairlab.core.errors import HarnessError
from repairlab.core.execution import Command
from repairlab.core.version import PACKAGE
from repairlab.sandbox.cgroups import ControlGroups
from repairlab.sandbox.launching import LIBRARIES, settings
from repairlab.sandbox.process import Fence, ProcessSandbox

TOOLS = ("/usr", "/proc", *(f"/{name}" for name in LIBRARIES))
"""Read and executed by everybody. /proc shows that other processes exist, and their command lines, but nothing that is in them."""
DEVICES = ("/dev/null", "/dev/zero", "/dev/full", "/dev/random", "/dev/urandom")
NEEDED = {True: (3, "6.2"), False: (6, "6.12")}
"""The version of Landlock, and the kernel that has it, for root and for others: only root gives commands a user of their own."""
_CREATE_RULESET = 444


def open_landlock(cache: Path, *, groups: ControlGroups | None = None) -> ProcessSandbox:
    """Return the back end, or raise HarnessError with the reason why it cannot work here."""
    version, root = landlock_version(), os.geteuid() == 0
    wanted, kernel = NEEDED[root]
    if version < wanted:
        has = f"version {version} of Landlock" if version else "no Landlock"
        who = "root" if root else "an ordinary user"
        raise HarnessError(f"this kernel has {has}, and {who} needs version {wanted} (Linux {kernel})")
    hidden = (PACKAGE, cache.resolve())
    rules = tuple(_tool_chain(hidden))

    def allow(command: Command, tree: Path) -> tuple[str, ...]:
        return (*rules, *_mounts(command, hidden), f"{'w' if command.writable else 'r'}:{tree}")

    return ProcessSandbox(cache, fence=Fence(name="landlock", allow=allow), groups=groups)


def landlock_version() -> int:
    """Return the kernel's version of Landlock; 0 when it has none, or has it switched off."""
    version: int = ctypes.CDLL(None).syscall(_CREATE_RULESET, None, ctypes.c_size_t(0), 1)
    return max(version, 0)


def _tool_chain(hidden: Iterable[Path]) -> Iterator[str]:
    """Yield the rules that are equal for all commands."""
    for path in dict.fromkeys(path.resolve() for path in (*map(Path, TOOLS), *settings()) if path.exists()):
        yield from _readable(path, hidden)
    for device in DEVICES:
        if Path(device).exists():
            yield f"d:{device}"


def _mounts(command: Command, hidden: Iterable[Path]) -> Iterator[str]:
    """Yield the rules for the files of the host that the command asks for."""
    for mount in command.mounts:
        yield from _readable(Path(mount.path).resolve(), hidden)


def _readable(path: Path, hidden: Iterable[Path]) -> Iterator[str]:
    """Yield rules that open a path but not the hidden folders below it, of which only names can be seen."""
    # Landlock cannot close part of what it has opened, so that all beside the way to a hidden folder is opened instead.
    if not any(folder != path and folder.is_relative_to(path) for folder in hidden):
        yield f"r:{path}"
        return
    yield f"l:{path}"
    for entry in sorted(path.iterdir()):
        if entry not in hidden and not entry.is_symlink():
            yield from _readable(entry, hidden)
