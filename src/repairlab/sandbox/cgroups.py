"""Control groups (version 2): the kernel's own count of memory and processes, as a back-stop.

A group is made beside the one this process is in, which is where the system lets a user make some (a systemd slice), and only
where the memory and process controllers are handed down already; nothing of the system's own groups is changed.
"""

import contextlib
import itertools
import os
import time
from collections.abc import Iterator
from pathlib import Path

from repairlab.core.errors import HarnessError
from repairlab.core.execution import Limits

PREFIX = "repairlab-"
HEADROOM_MB = 256
"""Room above the limits, which the launcher enforces by measuring: the group only stops what is faster than that."""
SPARE = 24
"""Our own processes in a group: the launcher, what started it, fork servers."""

_numbers = itertools.count()


class ControlGroup:
    """One launcher's group; the limits of the largest command so far apply."""

    def __init__(self, folder: Path) -> None:
        self._folder = folder
        self._largest: dict[str, int] = {}
        try:
            folder.mkdir()
        except OSError as error:
            raise HarnessError(f"cannot make a control group: {error}") from None

    @contextlib.contextmanager
    def members(self) -> Iterator[int]:
        """Open the list of the group's processes; a launcher joins by writing to it."""
        number = os.open(self._folder / "cgroup.procs", os.O_WRONLY | os.O_CLOEXEC)
        try:
            yield number
        finally:
            os.close(number)

    def make_room(self, limits: Limits) -> None:
        """Raise the group's limits where a command may use more; files in memory count as memory."""
        wanted = {
            "memory.max": (limits.memory_mb + limits.disk_mb + HEADROOM_MB) << 20,
            "pids.max": limits.processes + SPARE,
        }
        for name, value in wanted.items():
            if value > self._largest.get(name, 0):
                self._largest[name] = value
                (self._folder / name).write_text(str(value))

    def remove(self) -> None:
        """Remove the group; its last processes may take a moment to vanish."""
        for _ in range(100):
            with contextlib.suppress(OSError):
                self._folder.rmdir()
            if not self._folder.exists():
                return
            time.sleep(0.01)


class ControlGroups:
    """A folder of the cgroup file system in which this process may make groups."""

    def __init__(self, folder: Path) -> None:
        self._folder = folder

    def make(self) -> ControlGroup:
        """Make a group for one launcher."""
        return ControlGroup(self._folder / f"{PREFIX}{os.getpid()}-{next(_numbers)}")

    def sweep(self) -> None:
        """Remove the groups of processes that were killed."""
        for group in self._folder.glob(f"{PREFIX}*-*"):
            owner = group.name.removeprefix(PREFIX).partition("-")[0]
            if not Path("/proc", owner).exists():
                with contextlib.suppress(OSError):  # somebody else's, or its last process is still ending
                    group.rmdir()


def find_control_groups(
    *, root: Path = Path("/sys/fs/cgroup"), membership: Path = Path("/proc/self/cgroup")
) -> ControlGroups | None:
    """Return where groups with limits can be made; None if that is impossible."""
    try:
        own = next(line[3:] for line in membership.read_text().splitlines() if line.startswith("0::/"))
        folder = (root / own.lstrip("/")).parent if own != "/" else root
        handed_down = (folder / "cgroup.subtree_control").read_text().split()
    except (OSError, StopIteration):
        return None
    if not folder.is_relative_to(root) or not {"memory", "pids"} <= set(handed_down):
        return None
    groups = ControlGroups(folder)
    groups.sweep()
    try:
        group = groups.make()
        try:
            group.make_room(Limits())
            with group.members():
                return groups
        finally:
            group.remove()
    except (OSError, HarnessError):
        return None
