"""What an executor is: anything that has work done in other processes. `pool` is for this machine, `ray_cluster` for many."""

from collections.abc import Callable, Mapping
from contextlib import AbstractContextManager
from pathlib import Path
from typing import Any, Protocol, TypeVar

from repairlab.core.record import record
from repairlab.sandbox.sandbox import Sandbox
from repairlab.validation.machine import Machine

Item = TypeVar("Item")
Event = TypeVar("Event")
Item_co = TypeVar("Item_co", covariant=True)
Work = Callable[[Sandbox, Callable[[Event], None]], AbstractContextManager[Callable[[Item], None]]]
"""Opens, in a worker, what does one item after the other in a sandbox, emitting events; it stays open between items."""
DEATHS = 3
"""How many workers may die over the same thing before it is given up."""


class Source(Protocol[Item_co]):
    """Where workers get their items from; workers are numbered from 0."""

    def take(self, worker: int) -> Item_co | None:
        """Return what an idle worker shall do; none: nothing for now."""
        ...

    def finish(self, worker: int) -> None:
        """Take note that a worker did its item."""
        ...

    def lose(self, worker: int, reason: str, *, machine: str | None = None) -> None:
        """Take note that a worker died over its item; a new process takes its number.

        `machine` is the one that ended with all its workers, where that is why.
        """
        ...

    def is_over(self) -> bool:
        """Return whether nothing is left but what is at work."""
        ...


@record
class Parcel:
    """An item for workers that share no files with this machine, with the folders that it needs, by digest."""

    item: Any
    folders: Mapping[str, Mapping[str, Path]]
    """For each digest what a folder shall hold: files and folders of this machine by their places there."""


@record
class Delivery:
    """A parcel at its worker: the item, where its folders lie there, and that machine."""

    item: Any
    folders: Mapping[str, Path]
    machine: Machine


class Executor(Protocol):
    """Has items done, each by a worker that has a sandbox; workers may die, which the source of the items is told."""

    workers: int
    """How many items are done at the same time."""
    is_remote: bool
    """Whether workers may be on other machines: items are then parcels, and reach the work as deliveries."""

    def run(
        self,
        work: Work[Event, Item],
        source: Source[Item],
        receive: Callable[[Event, int], None],
        *,
        wakeup: int | None = None,
    ) -> None:
        """Have all items of a source done; what workers emit reaches `receive`, with the worker's number.

        Items may still be in the making elsewhere: the descriptor `wakeup` can be read when there are more.
        """
        ...
