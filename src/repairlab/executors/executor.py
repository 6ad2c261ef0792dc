"""What an executor is: anything that has work done in other processes. `pool` is the one for this machine."""

from collections.abc import Callable
from contextlib import AbstractContextManager
from typing import Protocol, TypeVar

from repairlab.sandbox.sandbox import Sandbox

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

    def lose(self, worker: int, reason: str) -> None:
        """Take note that a worker died over its item; a new process takes its number."""
        ...

    def is_over(self) -> bool:
        """Return whether nothing is left but what is at work."""
        ...


class Executor(Protocol):
    """Has items done, each by a worker that has a sandbox; workers may die, which the source of the items is told."""

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
