"""Tell certain time-outs from those that load may have caused.

Load only makes times longer, so a command within its limit is in time, however busy the machine was. Other work can at most double
its CPU time, where two share a core, so a command that used twice its limit is late. Between the two, a command that did not run
alone is repeated once.
"""

import dataclasses
import os
import re
import time
from collections.abc import Callable

from repairlab.core.errors import HarnessError
from repairlab.core.execution import Ending, Execution, Limits
from repairlab.core.record import record

MARGIN = 1.25
"""CPU time for a command on a quiet machine, as a multiple of its limit."""
BUSY_MARGIN = 2.0
"""The same next to others: on a shared core the same work takes nearly twice the CPU time, and virtual machines hide that."""
_PLAIN = 0.98 * BUSY_MARGIN
"""CPU time is counted in ticks."""
_OTHERS = 0.25
"""Share of one CPU that others must use to be in the way."""
_STALLED = 0.10
"""Share of time spent waiting for a disk; below it, no disk was slow."""
_OWN = 0.9
"""Share of the wall limit that a command must spend by itself, not waiting for a CPU, to have plainly passed it."""
_TICKS_PER_S = os.sysconf("SC_CLK_TCK")
_RECENT_S = 0.25
"""How old counters may be: reading them takes a while on machines with many CPUs."""


@record
class Load:
    """What the kernel has counted since it started."""

    used_s: float
    """CPU time of everything that ran on this machine."""
    stolen_s: float
    """CPU time that other virtual machines took from all CPUs; a command may be charged for it as if it had run."""
    stalled_s: float
    """Time in which at least one process waited for a disk."""
    at_s: float

    def disturbed(self, execution: Execution, limits: Limits) -> bool:
        """Return whether others may be why a command that began at this moment and just ended passed its CPU limit."""
        now = read_load()
        used_s = now.used_s - self.used_s
        share = min(1.0, execution.cpu_s / used_s) if used_s > 0 else 1.0
        if execution.cpu_s - share * (now.stolen_s - self.stolen_s) <= limits.cpu_s:
            return True
        if execution.cpu_s >= _PLAIN * limits.cpu_s:
            return False
        is_counted = used_s >= execution.cpu_s / 2
        return not is_counted or used_s - execution.cpu_s > _OTHERS * (now.at_s - self.at_s)

    def held_up(self, execution: Execution, limits: Limits) -> bool:
        """Return whether others may be why a command passed its wall limit: it waited for a CPU, or something waited for a disk."""
        now = read_load()
        is_stalled = now.stalled_s - self.stalled_s > _STALLED * (now.at_s - self.at_s)
        return is_stalled or execution.busy_s is None or _starved(execution, limits)


def read_load() -> Load:
    """Read the kernel's counters; missing ones count nothing."""
    try:
        ticks = [int(number) for number in _read("/proc/stat").split("\n", 1)[0].split()[1:9]]
        used, stolen = sum(ticks[:3]) + ticks[5] + ticks[6], ticks[7]
    except (OSError, ValueError, IndexError):
        used = stolen = 0
    try:
        found = re.search(r"^some .*total=(\d+)", _read("/proc/pressure/io"))
    except OSError:
        found = None
    stalled_s = int(found[1]) / 1e6 if found else 0.0
    return Load(used_s=used / _TICKS_PER_S, stolen_s=stolen / _TICKS_PER_S, stalled_s=stalled_s, at_s=time.monotonic())


def recent_load() -> Load:
    """Return counters from a moment ago: for commands that take milliseconds, few of which are ever in doubt."""
    if not _recent or time.monotonic() - _recent[-1].at_s > _RECENT_S:
        _recent[:] = [read_load()]
    return _recent[-1]


_recent: list[Load] = []


def _read(path: str) -> str:
    with open(path, encoding="ascii") as file:  # noqa: PTH123  # paths are slow
        return file.read(4096)


def with_margin(limits: Limits) -> Limits:
    """Return the limits for running a command that is judged by `limits`."""
    return dataclasses.replace(limits, cpu_s=limits.cpu_s * (MARGIN if _is_quiet() else BUSY_MARGIN))


def _is_quiet() -> bool:
    """Return whether only this process runs."""
    try:
        return _read("/proc/loadavg").split()[3].startswith("1/")
    except (OSError, IndexError):
        return False


def settled(execution: Execution, limits: Limits, load: Load) -> Execution | None:
    """Return what counts of a command's first run; None if others can be why it was late. `load` is that at its beginning."""
    return None if is_doubtful(execution, limits, load) else judged_by(execution, limits)


def is_doubtful(execution: Execution, limits: Limits, load: Load) -> bool:
    """Return whether the time limit may have been passed only because of others; `load` is that at the command's beginning."""
    if execution.ending is Ending.CPU_LIMIT or _ended_late(execution, limits):
        return load.disturbed(execution, limits)
    return execution.ending is Ending.WALL_LIMIT and load.held_up(execution, limits)


def repeat(run: Callable[[Limits], Execution], limits: Limits, *, look: Callable[[], Load] = read_load) -> Execution:
    """Run a doubtful command again, with the CPU time that a busy machine may take, and return what counts.

    A command that ends by itself and could have kept its limit without the others has kept it. Raises HarnessError if it is stopped
    and the machine is too busy to tell why.
    """
    load = look()
    execution = run(dataclasses.replace(limits, cpu_s=limits.cpu_s * BUSY_MARGIN))
    if _ended_late(execution, limits):
        return execution if load.disturbed(execution, limits) else judged_by(execution, limits)
    is_stolen = execution.ending is Ending.CPU_LIMIT and load.disturbed(execution, limits)
    if not is_stolen and not (execution.ending is Ending.WALL_LIMIT and _starved(execution, limits)):
        return execution
    raise HarnessError(
        f"the machine is too busy to tell whether a time limit is kept: {execution.cpu_s:.2f} s of CPU time, "
        f"where {limits.cpu_s:g} s are allowed; use fewer workers (-j), or try again later"
    )


def _starved(execution: Execution, limits: Limits) -> bool:
    """Return whether a command that met its wall limit waited for a CPU for much of that time."""
    waited_s = 0.0 if execution.busy_s is None else max(0.0, execution.busy_s - execution.cpu_s)
    return execution.wall_s - waited_s < _OWN * limits.wall_s


def _ended_late(execution: Execution, limits: Limits) -> bool:
    # What fails otherwise beyond the limit has failed in any case; which failure it is should not depend on a few milliseconds.
    return execution.succeeded and execution.cpu_s > limits.cpu_s


def judged_by(execution: Execution, limits: Limits) -> Execution:
    """Return the execution as if stopped at the CPU limit, if it ended well but used more."""
    if not _ended_late(execution, limits):
        return execution
    return dataclasses.replace(execution, ending=Ending.CPU_LIMIT, exit_code=None, signal=None)


HURRIED_S = 5.0
"""CPU time that a test gets at least, however many before it were late."""


class Patience:
    """How long tests may take: late ones cost those after them their time, or their turn."""

    def __init__(self, limits: Limits, *, hurried: bool, most_late: int | None) -> None:
        """Take the limits of each test, whether every late one halves them, and after how many the rest is skipped."""
        self.limits, self.hurried, self.most_late = limits, hurried, most_late
        self._n_late = 0

    @property
    def is_over(self) -> bool:
        """Whether so many were late that the rest cannot change the verdict."""
        return self.most_late is not None and self._n_late >= self.most_late

    def take_late(self) -> None:
        """Note that a regression test was late."""
        self._n_late += 1
        if self.hurried:
            self.limits = _halved(self.limits)


def _halved(limits: Limits) -> Limits:
    """Return half of the time, but not less than any test should have.

    >>> _halved(Limits(cpu_s=60, wall_s=240)).cpu_s, _halved(Limits(cpu_s=7, wall_s=28)).cpu_s, _halved(Limits(cpu_s=2)).cpu_s
    (30.0, 5.0, 2)
    """
    share = min(1.0, max(0.5, HURRIED_S / limits.cpu_s))
    return limits if share == 1 else dataclasses.replace(limits, cpu_s=limits.cpu_s * share, wall_s=limits.wall_s * share)
