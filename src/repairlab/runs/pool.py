"""Worker processes, each with a sandbox of its own: the one place where work goes on in parallel. Used by `run` and `check`."""

import ctypes
import multiprocessing
import queue
import signal
from collections.abc import Callable, Iterable
from concurrent.futures import Future, ProcessPoolExecutor
from concurrent.futures.process import BrokenProcessPool
from multiprocessing.queues import Queue
from multiprocessing.synchronize import Event
from pathlib import Path
from typing import Any, TypeVar

from repairlab.core.errors import HarnessError
from repairlab.core.record import record
from repairlab.sandbox.sandbox import Sandbox
from repairlab.sandbox.table import open_sandbox

Item = TypeVar("Item")
News = TypeVar("News")


@record
class Machine:
    """How this machine runs the work; none of it changes a verdict."""

    cache: Path
    sandbox: str = "auto"
    allow_unsafe: bool = False
    workers: int = 1

    def open_sandbox(self) -> Sandbox:
        """Return a sandbox of the chosen kind."""
        return open_sandbox(self.sandbox, cache=self.cache, allow_unsafe=self.allow_unsafe)


class Interrupted(Exception):  # noqa: N818  # not an error: somebody asked for it
    """The work was asked to stop; all that was done is stored."""


def run_pool(
    work: Callable[[Item, Sandbox, Callable[[News], None]], None],
    items: Iterable[Item],
    machine: Machine,
    receive: Callable[[News], None],
) -> None:
    """Call `work` for every item in worker processes; what it tells through its last argument reaches `receive` here.

    Ctrl-C raises Interrupted once the workers have stopped, each at the next thing it tells; a dead worker is a HarnessError.
    """
    context = multiprocessing.get_context("spawn")
    news: Queue[News] = context.Queue()
    stop = context.Event()
    pool = ProcessPoolExecutor(machine.workers, mp_context=context, initializer=_start_worker, initargs=(machine, news, stop))
    try:
        waiting: set[Future[None]] = {pool.submit(_work, work, item) for item in items}
        while waiting:
            _pass_on(news, receive, wait_s=0.1)
            done = {future for future in waiting if future.done()}
            waiting -= done
            for future in done:
                future.result()
        _pass_on(news, receive, wait_s=0.01)
    except KeyboardInterrupt:
        raise Interrupted from None
    except BrokenProcessPool:
        raise HarnessError("a worker process died (killed, or out of memory); nothing that was stored is lost") from None
    finally:
        stop.set()
        pool.shutdown(wait=True, cancel_futures=True)


def _pass_on(news: "Queue[News]", receive: Callable[[News], None], *, wait_s: float) -> None:
    try:
        while True:
            receive(news.get(timeout=wait_s))
    except queue.Empty:
        return


_worker: tuple[Sandbox, "Queue[Any]", Event] | None = None


def _start_worker(machine: Machine, news: "Queue[Any]", stop: Event) -> None:
    global _worker  # noqa: PLW0603  # how a process pool hands its workers what cannot travel with a task
    signal.signal(signal.SIGINT, signal.SIG_IGN)  # Ctrl-C is for the main process, which sets `stop`
    ctypes.CDLL(None).prctl(1, signal.SIGKILL)  # PR_SET_PDEATHSIG: a killed run leaves no workers behind
    _worker = (machine.open_sandbox(), news, stop)


def _work(work: Callable[[Item, Sandbox, Callable[[News], None]], None], item: Item) -> None:
    assert _worker is not None
    sandbox, news, stop = _worker

    def tell(item: News) -> None:
        news.put(item)
        if stop.is_set():
            raise Interrupted

    try:
        work(item, sandbox, tell)
    except Interrupted:
        return
