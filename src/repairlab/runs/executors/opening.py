"""The executor that a machine asks for."""

from collections.abc import Callable, Collection
from contextlib import AbstractContextManager

from repairlab.runs.executors.executor import Executor
from repairlab.runs.executors.pool import Stopping, open_pool
from repairlab.validation.machine import LOCAL, Machine
from repairlab.validation.preflight import ToolNeed


def open_executor(
    machine: Machine,
    needs: Collection[ToolNeed],
    stopping: Stopping | None = None,
    notify: Callable[[str], None] = lambda text: None,  # noqa: ARG005
) -> AbstractContextManager[Executor]:
    """Give what has work done in other processes, all gone after the block; `notify` is told what users should know."""
    if machine.executor == LOCAL:
        return open_pool(machine, stopping)
    from repairlab.runs.executors.ray_cluster import open_ray  # noqa: PLC0415  # an extra

    return open_ray(machine, needs, stopping, notify)
