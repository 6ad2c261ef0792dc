"""When a time limit was passed for certain, and when it may have been bad luck. Called by `trial` (policy: docs/verdicts.md).

CPU time on a busy machine is a little longer than on a quiet one, and wall time much longer. So a command gets more CPU time
than its limit: one that comes to its end in that margin ran near the limit and is run again, alone; any other has plainly failed.
"""

import dataclasses

from repairlab.core.execution import Ending, Execution, Limits

MARGIN = 1.25
"""How much CPU time a command gets before it is stopped, as a multiple of its limit."""
_IDLE = 0.05
"""Share of the wall time below which a command waited for something else than a CPU."""


def with_margin(limits: Limits) -> Limits:
    """Return the limits under which a command runs that is judged by `limits`."""
    return dataclasses.replace(limits, cpu_s=limits.cpu_s * MARGIN)


def is_doubtful(execution: Execution, limits: Limits) -> bool:
    """Whether the time limit may have been passed only because of others: to be run again."""
    return execution.ending is Ending.WALL_LIMIT or _ended_late(execution, limits)


def _ended_late(execution: Execution, limits: Limits) -> bool:
    # What fails otherwise within the margin has failed in any case; which failure it is should not depend on a few milliseconds.
    return execution.succeeded and execution.cpu_s > limits.cpu_s


def was_idle(execution: Execution) -> bool:
    """Whether the command hardly ran at all, so that nobody can have been in its way."""
    return execution.cpu_s < _IDLE * execution.wall_s


def judged_by(execution: Execution, limits: Limits) -> Execution:
    """Return the execution as if it had been stopped at the CPU limit, where it ended well but used more."""
    if not _ended_late(execution, limits):
        return execution
    return dataclasses.replace(execution, ending=Ending.CPU_LIMIT, exit_code=None, signal=None)
