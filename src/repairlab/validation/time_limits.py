"""When a time limit was passed for certain, and when it may have been bad luck.

Load only ever makes times longer. So a command that kept within its limit has kept it, however busy the machine was; one that
passed it on a busy machine is run again, with so much more time that only load beyond reason could explain passing that, too.
Others go on meanwhile.
"""

import dataclasses
import functools
import os
import re
import time
from collections.abc import Callable
from pathlib import Path

from repairlab.core.errors import HarnessError
from repairlab.core.execution import Ending, Execution, Limits
from repairlab.core.record import record

MARGIN = 1.25
"""How much CPU time a command gets at first, as a multiple of its limit."""
THREADS_MARGIN = 2.0
"""The same where two hardware threads share a core: a busy neighbour nearly doubles the CPU time of the same work."""
PLAIN = 3.0
"""CPU and wall time in repeats, as multiples of the limits: who passes these has plainly passed the limits."""
REPEATS = 3
PAUSE_S = 1.0
"""Before the second repeat, and twice as long before each further one: bursts of load pass."""
_IDLE = 0.05
"""Share of the wall time below which a command waited for something else than a CPU."""
_RUNNING = 0.75
"""Share of the time in which it could run that a command does run when nobody is in its way."""
_TICKS_PER_S = os.sysconf("SC_CLK_TCK")
_RECENT_S = 0.25
"""How old counters may be: reading them takes a while on machines with many CPUs."""
_PRESSURE = 0.10
"""Share of the time in which somebody on this machine waited for a CPU; below it, nobody was in the way."""


@record
class Load:
    """What the kernel counted so far, since it started."""

    stolen_s: float
    """CPU time of all CPUs that other virtual machines took; a command may be charged for it as if it had run."""
    waiting_s: float | None
    """Time in which at least one process waited for a CPU; none when the kernel does not say."""
    at_s: float

    def disturbed(self, execution: Execution, limits: Limits) -> bool:
        """Return whether others can be why a command passed its CPU limit, that began at this moment and just ended.

        Who waits for a clock or for itself is not disturbed meanwhile, whatever goes on elsewhere.
        """
        now = read_load()
        ready_s = execution.wall_s if execution.busy_s is None else min(execution.busy_s, execution.wall_s)
        stolen_s = (now.stolen_s - self.stolen_s) * (ready_s / execution.wall_s if execution.wall_s else 1.0)
        if execution.cpu_s - stolen_s <= limits.cpu_s:
            return True
        if execution.cpu_s >= _RUNNING * ready_s:
            return False
        if execution.busy_s is not None or now.waiting_s is None or self.waiting_s is None:
            return True
        return (now.waiting_s - self.waiting_s) > _PRESSURE * (now.at_s - self.at_s)


def read_load() -> Load:
    """Read the counters of the kernel; those that it does not have count nothing."""
    try:
        stolen = int(_read("/proc/stat").split(maxsplit=9)[8])
    except (OSError, ValueError, IndexError):
        stolen = 0
    try:
        found = re.search(r"^some .*total=(\d+)", _read("/proc/pressure/cpu"))
    except OSError:
        found = None
    waiting_s = int(found[1]) / 1e6 if found else None
    return Load(stolen_s=stolen / _TICKS_PER_S, waiting_s=waiting_s, at_s=time.monotonic())


def recent_load() -> Load:
    """Return counters from a moment ago: for commands that take milliseconds, of which few are ever in doubt."""
    if not _recent or time.monotonic() - _recent[-1].at_s > _RECENT_S:
        _recent[:] = [read_load()]
    return _recent[-1]


_recent: list[Load] = []


def _read(path: str) -> str:
    with open(path, encoding="ascii") as file:  # noqa: PTH123  # paths are slow
        return file.read(4096)


def with_margin(limits: Limits) -> Limits:
    """Return the limits under which a command runs that is judged by `limits`."""
    return dataclasses.replace(limits, cpu_s=limits.cpu_s * _margin())


@functools.cache
def _margin() -> float:
    try:
        return THREADS_MARGIN if Path("/sys/devices/system/cpu/smt/active").read_text().strip() == "1" else MARGIN
    except OSError:
        return MARGIN


def is_doubtful(execution: Execution, limits: Limits, load: Load) -> bool:
    """Return whether the time limit may have been passed only because of others; `load` is that of the command's beginning."""
    if execution.ending is Ending.CPU_LIMIT:
        return load.disturbed(execution, limits)
    return execution.ending is Ending.WALL_LIMIT or _ended_late(execution, limits)


def repeat(
    run: Callable[[Limits], Execution],
    limits: Limits,
    before: Execution,
    *,
    look: Callable[[], Load] = read_load,
    pause_s: float = PAUSE_S,
) -> tuple[Execution, int]:
    """Run a doubtful command again until its time tells something; returns what counts, and how often it ran.

    Raises HarnessError when the machine stays too busy to tell.
    """
    if before.ending is Ending.WALL_LIMIT and _waited_for_itself(before):
        # More time is of no use to it.
        return judged_by(run(with_margin(limits)), limits), 1
    longer = dataclasses.replace(limits, cpu_s=limits.cpu_s * PLAIN, wall_s=limits.wall_s * PLAIN)
    for number in range(1, REPEATS + 1):
        load = look()
        execution = run(longer)
        is_stopped = execution.ending in (Ending.CPU_LIMIT, Ending.WALL_LIMIT)
        is_late = _ended_late(execution, limits) or execution.cpu_s > with_margin(limits).cpu_s
        if is_stopped or not is_late:
            return execution, number
        if not load.disturbed(execution, limits):
            return _stopped(execution), number
        if number < REPEATS:
            time.sleep(pause_s * 2 ** (number - 1))
    raise HarnessError(
        f"the machine is too busy to tell whether a time limit is kept: {execution.cpu_s:.2f} s of CPU time, "
        f"where {limits.cpu_s:g} s are allowed; use fewer workers (-j), or try again later"
    )


def _waited_for_itself(execution: Execution) -> bool:
    """Return whether a command hardly ran at all, or hardly ever waited for a CPU: then its wall time is its own."""
    waited_s = execution.wall_s if execution.busy_s is None else execution.busy_s - execution.cpu_s
    return min(execution.cpu_s, waited_s) < _IDLE * execution.wall_s


def _ended_late(execution: Execution, limits: Limits) -> bool:
    # What fails otherwise beyond the limit has failed in any case; which failure it is should not depend on a few milliseconds.
    return execution.succeeded and execution.cpu_s > limits.cpu_s


def judged_by(execution: Execution, limits: Limits) -> Execution:
    """Return the execution as if it had been stopped at the CPU limit, where it ended well but used more."""
    return _stopped(execution) if _ended_late(execution, limits) else execution


def _stopped(execution: Execution) -> Execution:
    return dataclasses.replace(execution, ending=Ending.CPU_LIMIT, exit_code=None, signal=None)


HURRIED_S = 5.0
"""CPU time that a test has at least, however many before it were late."""


class Patience:
    """How long tests may take: those that are late cost the ones after them their time, or their turn."""

    def __init__(self, limits: Limits, *, hurried: bool, most_late: int | None) -> None:
        """Take the limits of each test, whether every late one halves them, and after how many the rest is not run."""
        self.limits, self.hurried, self.most_late = limits, hurried, most_late
        self._n_late = 0

    @property
    def is_over(self) -> bool:
        """Whether so many were late that what is left cannot change the verdict."""
        return self.most_late is not None and self._n_late >= self.most_late

    def take_late(self) -> None:
        """Take note that a regression test was late."""
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
