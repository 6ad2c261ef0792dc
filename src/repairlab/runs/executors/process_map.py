"""A pure function over many items, in processes of its own without a sandbox."""

import traceback
from collections import deque
from collections.abc import Callable, Iterable, Iterator
from contextlib import suppress
from dataclasses import dataclass
from multiprocessing.connection import Connection, Pipe, wait
from typing import Any, Generic, TypeVar

from repairlab.runs.executors.executor import Item
from repairlab.runs.executors.forking import fork, hang_up, wait_for

_AHEAD = 4
"""Items for each worker that are at work, or wait for those before them."""
Result = TypeVar("Result")


@dataclass(slots=True)
class _Task(Generic[Item, Result]):
    item: Item
    results: list[Result]
    """One, when it is done."""


def map_in_order(function: Callable[[Item], Result], items: Iterable[Item], *, workers: int) -> Iterator[Result]:
    """Yield the results in the order of the items, of which a few for each worker are held.

    Whatever a worker dies over is done in this process; with fewer than two workers, all of it is.
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
                with suppress(OSError):  # one that has died shows it when it is listened to
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
    """Be a worker: answer one item after the other until the pipe ends, which it does when the main process does."""
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
