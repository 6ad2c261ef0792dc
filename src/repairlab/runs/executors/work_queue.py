"""Pass items one after another through worker processes: an executor's, with a sandbox, or bare ones for pure functions."""

import traceback
from collections import deque
from collections.abc import Callable, Collection, Iterable, Iterator
from contextlib import AbstractContextManager, contextmanager, suppress
from dataclasses import dataclass
from functools import partial
from multiprocessing.connection import Connection, Pipe, wait
from typing import Any, Generic, TypeVar

from repairlab.core.bug import ToolNeed
from repairlab.core.errors import HarnessError
from repairlab.runs.executors.executor import DEATHS, Deaths, Event, Executor, Item, Source, Work, interruptible
from repairlab.runs.executors.forking import fork, hang_up, wait_for
from repairlab.runs.executors.pool import Stopping, open_pool
from repairlab.sandbox.sandbox import Sandbox
from repairlab.validation.machine import LOCAL, Machine


def open_executor(
    machine: Machine,
    needs: Collection[ToolNeed],
    stopping: Stopping | None = None,
    notify: Callable[[str], None] = lambda text: None,  # noqa: ARG005
) -> AbstractContextManager[Executor]:
    """Give what has work done in other processes, all gone after the block; `notify` gets messages for users."""
    if machine.executor == LOCAL:
        return open_pool(machine, stopping)
    from repairlab.runs.executors.ray_cluster import open_ray  # noqa: PLC0415  # an extra

    return open_ray(machine, needs, stopping, notify)


def run_each(
    work: Work[Event, Item],
    items: Iterable[Item],
    executor: Executor,
    receive: Callable[[Event], None],
    lost: Callable[[Item, str], None] | None = None,
) -> None:
    """Have every item done by workers of an executor, which keep something open in between.

    An item over which DEATHS workers die is `lost`, with the reason; without `lost` it is a HarnessError.
    """
    executor.run(work, _Queue(items, lost), lambda event, worker: receive(event))  # noqa: ARG005


def calling(function: Callable[[Item, Sandbox, Callable[[Event], None]], None]) -> Work[Event, Item]:
    """Return the work of calling a function for every item, with nothing open in between."""
    return partial(_calling, function)


@contextmanager
def _calling(
    function: Callable[[Item, Sandbox, Callable[[Event], None]], None], sandbox: Sandbox, emit: Callable[[Event], None]
) -> Iterator[Callable[[Item], None]]:
    yield lambda item: function(item, sandbox, emit)


class _Queue(Source[Item]):
    """Items in order, made on demand; each is tried again when its worker dies."""

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


_AHEAD = 4
"""Items per worker that are in progress or wait for earlier results."""
Result = TypeVar("Result")


@dataclass(slots=True)
class _Task(Generic[Item, Result]):
    item: Item
    results: list[Result]
    """The result, once there is one."""


def map_in_order(function: Callable[[Item], Result], items: Iterable[Item], *, workers: int) -> Iterator[Result]:
    """Yield the results in the order of the items, holding a few per worker.

    An item over which a worker dies is done in this process; with fewer than two workers, all are.
    """
    if workers < 2:
        yield from map(function, items)
        return
    waiting: deque[_Task[Item, Result]] = deque()
    at_work: dict[Connection, _Task[Item, Result]] = {}
    pids: dict[Connection, int] = {}
    coming = iter(items)
    try:
        idle = [_started(function, pids) for _ in range(workers)]
        while True:
            while idle and len(waiting) < _AHEAD * workers and (found := list(_next(coming))):
                waiting.append(_Task(item=found[0], results=[]))
                at_work[idle[-1]] = waiting[-1]
                with suppress(OSError):  # a dead worker shows it when it is listened to
                    idle[-1].send(found[0])
                idle.pop()
            if not waiting and not idle:
                yield from map(function, coming)  # all workers died
            if not waiting:
                return
            for pipe in wait(list(at_work)) if not waiting[0].results else ():
                assert isinstance(pipe, Connection)
                task = at_work.pop(pipe)
                try:
                    error, result = pipe.recv()
                except (EOFError, OSError):
                    error, result = None, function(task.item)
                else:
                    idle.append(pipe)
                if error is not None:
                    raise error
                task.results.append(result)
            while waiting and waiting[0].results:
                yield waiting.popleft().results[0]
    finally:
        for pipe, pid in pids.items():
            hang_up(pipe.fileno())
            pipe.close()
            wait_for(pid)


def _next(items: Iterator[Item]) -> Iterator[Item]:
    """Yield one item, if there is one."""
    for item in items:
        yield item
        return


def _started(function: Callable[..., Any], pids: dict[Connection, int]) -> Connection:
    ours, theirs = Pipe()
    with theirs:  # else the pipe would not end with the worker
        pids[ours] = fork(_serve_items, (function,), theirs)
    return ours


def _serve_items(function: Callable[[Any], Any], pipe: Connection) -> None:
    """Be a worker: answer one item after another until the pipe ends, which it does when the main process does."""
    while True:
        try:
            item = pipe.recv()
        except (EOFError, OSError):
            return
        error, result = None, None
        try:
            result = function(item)
        except Exception:  # a bug of ours: it is raised again in the main process
            error = RuntimeError(f"in a worker process:\n{traceback.format_exc()}")
        pipe.send((error, result))
