"""When a time limit was passed for certain, and when it may have been bad luck. Called by `trial` (policy: docs/verdicts.md).

Load only ever makes times longer. So a command that kept within its limit has kept it, however busy the machine was; one that
passed it on a busy machine is run again, with so much more time that only load beyond reason could explain passing that, too.
Others go on meanwhile.
"""

import dataclasses
import functools
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
PLAIN = 4.0
"""CPU and wall time in repeats, as multiples of the limits: who passes these has plainly passed the limits."""
REPEATS = 3
PAUSE_S = 1.0
"""Before the second repeat, and twice as long before each further one: bursts of load pass."""
_IDLE = 0.05
"""Share of the wall time below which a command waited for something else than a CPU."""
_STOLEN = 0.05
"""Share of all CPU time that other virtual machines may have had; beyond it, ours were charged for what they did not get."""
_RUNNING = 0.75
"""Share of the wall time that a busy command runs when nobody is in its way."""
_PRESSURE = 0.10
"""Share of the time in which somebody on this machine waited for a CPU; below it, nobody was in the way."""


@record
class Load:
    """What the kernel counted so far, since it started."""

    stolen: float
    total: float
    """CPU time of all CPUs: taken by other virtual machines, and in all."""
    waiting_s: float | None
    """Time in which at least one process waited for a CPU; none when the kernel does not say."""
    at_s: float

    def disturbed(self, execution: Execution) -> bool:
        """Return whether something may have lengthened the CPU time of a command that began at this moment and just ended."""
        now = read_load()
        if now.total > self.total and (now.stolen - self.stolen) / (now.total - self.total) > _STOLEN:
            return True
        if execution.cpu_s >= _RUNNING * execution.wall_s:
            return False
        if now.waiting_s is None or self.waiting_s is None:
            return True
        return (now.waiting_s - self.waiting_s) > _PRESSURE * (now.at_s - self.at_s)


def read_load() -> Load:
    """Read the counters of the kernel; those that it does not have count nothing."""
    stolen = total = 0.0
    try:
        fields = [float(field) for field in _read("/proc/stat").split("\n", 1)[0].split()[1:9]]
        stolen, total = fields[7], sum(fields)
    except (OSError, ValueError, IndexError):
        pass
    try:
        found = re.search(r"^some .*total=(\d+)", _read("/proc/pressure/cpu"))
    except OSError:
        found = None
    return Load(stolen=stolen, total=total, waiting_s=int(found[1]) / 1e6 if found else None, at_s=time.monotonic())


def _read(path: str) -> str:
    with open(path, encoding="ascii") as file:  # noqa: PTH123  # twice for each command, and paths are slow
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
        return load.disturbed(execution)
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
    if before.ending is Ending.WALL_LIMIT and before.cpu_s < _IDLE * before.wall_s:
        # It hardly ran at all, so that more time is of no use to it.
        return judged_by(run(with_margin(limits)), limits), 1
    longer = dataclasses.replace(limits, cpu_s=limits.cpu_s * PLAIN, wall_s=limits.wall_s * PLAIN)
    for number in range(1, REPEATS + 1):
        load = look()
        execution = run(longer)
        is_stopped = execution.ending in (Ending.CPU_LIMIT, Ending.WALL_LIMIT)
        is_late = _ended_late(execution, limits) or execution.cpu_s > with_margin(limits).cpu_s
        if is_stopped or not is_late:
            return execution, number
        if not load.disturbed(execution):
            return _stopped(execution), number
        if number < REPEATS:
            time.sleep(pause_s * 2 ** (number - 1))
    raise HarnessError(
        f"the machine is too busy to tell whether a time limit is kept: {execution.cpu_s:.2f} s of CPU time, "
        f"where {limits.cpu_s:g} s are allowed; use fewer workers (-j), or try again later"
    )


def _ended_late(execution: Execution, limits: Limits) -> bool:
    # What fails otherwise beyond the limit has failed in any case; which failure it is should not depend on a few milliseconds.
    return execution.succeeded and execution.cpu_s > limits.cpu_s


def judged_by(execution: Execution, limits: Limits) -> Execution:
    """Return the execution as if it had been stopped at the CPU limit, where it ended well but used more."""
    return _stopped(execution) if _ended_late(execution, limits) else execution


def _stopped(execution: Execution) -> Execution:
    return dataclasses.replace(execution, ending=Ending.CPU_LIMIT, exit_code=None, signal=None)
