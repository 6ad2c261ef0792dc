"""Items one after the other through the workers of an executor; one whose workers keep dying is told to be lost."""

from collections import deque
from collections.abc import Callable, Iterable, Iterator
from contextlib import contextmanager
from functools import partial

from repairlab.core.errors import HarnessError
from repairlab.runs.executors.executor import DEATHS, Event, Executor, Item, Source, Work
from repairlab.runs.executors.interrupts import interruptible
from repairlab.runs.executors.pool import open_pool
from repairlab.runs.executors.worker_failures import Deaths
from repairlab.sandbox.sandbox import Sandbox
from repairlab.validation.machine import Machine


def run_pool(
    function: Callable[[Item, Sandbox, Callable[[Event], None]], None],
    items: Iterable[Item],
    machine: Machine,
    receive: Callable[[Event], None],
    lost: Callable[[Item, str], None] | None = None,
) -> None:
    """Call a function for every item in a pool of its own."""
    with open_pool(machine) as pool:
        run_all(function, items, pool, receive, lost)


def run_all(
    function: Callable[[Item, Sandbox, Callable[[Event], None]], None],
    items: Iterable[Item],
    executor: Executor,
    receive: Callable[[Event], None],
    lost: Callable[[Item, str], None] | None = None,
) -> None:
    """Call a function for every item in the workers of an executor, as `run_each` does."""
    run_each(partial(_opened, function), items, executor, receive, lost)


def run_each(
    work: Work[Event, Item],
    items: Iterable[Item],
    executor: Executor,
    receive: Callable[[Event], None],
    lost: Callable[[Item, str], None] | None = None,
) -> None:
    """Have every item done in the workers of an executor, which have something open all the while.

    An item over which DEATHS workers die is `lost`, for the reason given; a HarnessError where nobody is to be told.
    """
    executor.run(work, _Queue(items, lost), lambda event, worker: receive(event))  # noqa: ARG005


@contextmanager
def _opened(
    function: Callable[[Item, Sandbox, Callable[[Event], None]], None], sandbox: Sandbox, emit: Callable[[Event], None]
) -> Iterator[Callable[[Item], None]]:
    yield lambda item: function(item, sandbox, emit)


class _Queue(Source[Item]):
    """Items in order, made when a worker has time for them; each is tried again when its worker dies."""

    def __init__(self, items: Iterable[Item], lost: Callable[[Item, str], None] | None) -> None:
        self._lost = lost
        self._coming = enumerate(items)
        self._waiting: deque[tuple[int, Item]] = deque()
        self._at_work: dict[int, tuple[int, Item]] = {}
        self._deaths = Deaths()
        self._is_read = False

    def take(self, worker: int) -> Item | None:
        with interruptible():
            given = next(self._coming, None)
        if given is None:
            self._is_read = True
            given = self._waiting.popleft() if self._waiting else None
        if given is None:
            return None
        self._at_work[worker] = given
        return given[1]

    def finish(self, worker: int) -> None:
        del self._at_work[worker]

    def lose(self, worker: int, reason: str, *, machine: str | None = None) -> None:
        index, item = self._at_work.pop(worker)
        if self._deaths.add(index, machine) < DEATHS:
            self._waiting.append((index, item))
        elif self._lost:
            self._lost(item, f"{reason}, {DEATHS} times over the same work")
        else:
            raise HarnessError(f"{reason}, {DEATHS} times over the same work; nothing that was stored is lost")

    def is_over(self) -> bool:
        return self._is_read and not self._waiting
