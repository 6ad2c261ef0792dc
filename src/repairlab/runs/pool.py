"""Worker processes, each with a sandbox of its own: the one place where work goes on in parallel. Used by `run` and `check`.

A worker may die at any moment (killed, out of memory): its item then goes to another one. Each worker has a pipe of its own, so
that a death harms nobody else and is noticed at once: the pipe ends.
"""

import ctypes
import multiprocessing
import os
import signal
import tempfile
import threading
import traceback
from collections import Counter, deque
from collections.abc import Callable, Iterable, Iterator
from contextlib import contextmanager, suppress
from multiprocessing.connection import Connection, wait
from multiprocessing.process import BaseProcess
from pathlib import Path
from typing import Any, Literal, TypeVar

from repairlab.core.errors import HarnessError, Interrupted, UserError
from repairlab.core.record import record
from repairlab.repairers.llm.settings import Access
from repairlab.runs.scratch import scratch_folder
from repairlab.sandbox.sandbox import Sandbox
from repairlab.sandbox.table import open_sandbox

Item = TypeVar("Item")
News = TypeVar("News")
Work = Callable[[Item, Sandbox, Callable[[News], None]], None]
"""What a worker does for an item, in a sandbox, telling what it finds out."""
Isolation = Literal["warm", "process"]
"""Share what candidates of a bug have in common (warm), or give every test a fresh process and every candidate a clean build."""

RECHECK = 100
DEATHS = 3
"""How many workers may die over the same thing before it is given up."""


@record
class Machine:
    """How this machine runs the work; none of it changes a verdict."""

    cache: Path
    """Folder for what is kept between runs."""
    sandbox: str = "auto"
    allow_unsafe: bool = False
    workers: int = 1
    isolation: Isolation = "warm"
    use_verdicts: bool = True
    """Whether verdicts of earlier runs count, and those of this one are kept."""
    recheck: int = RECHECK
    """One in so many verdicts of earlier runs is made again and must agree; 0: none."""
    access: Access = Access()
    """How language models are reached."""

    def open_sandbox(self) -> Sandbox:
        """Return a sandbox of the chosen kind."""
        return open_sandbox(self.sandbox, cache=self.cache, allow_unsafe=self.allow_unsafe)


@record
class _Told:
    news: Any


@record
class _Done:
    error: Exception | None = None


class _Worker:
    """One process and our end of its pipe."""

    def __init__(self, machine: Machine, scratch: Path) -> None:
        context = multiprocessing.get_context("spawn")
        self.pipe, theirs = context.Pipe()
        arguments = (machine, str(scratch), theirs, os.getpid())
        self.process: BaseProcess = context.Process(target=_serve, args=arguments, daemon=True)
        self.process.start()
        theirs.close()  # else the pipe would not end with the worker

    def send(self, order: object) -> None:
        """Hand an order over; a worker that has just died shows it when it is listened to."""
        with suppress(OSError):
            self.pipe.send(order)

    def hear(self) -> "_Told | _Done | None":
        """Return what the worker has to say; none when it died."""
        try:
            message: _Told | _Done = self.pipe.recv()
        except (EOFError, OSError):
            return None
        return message

    def end(self) -> str:
        """Let the worker come to its end, wait for that, and say how it ended."""
        self.pipe.close()
        self.process.join()
        code = self.process.exitcode or 0
        if code >= 0:
            return f"a worker process ended with exit code {code}"
        name = {int(item): item.name for item in signal.Signals}.get(-code, f"signal {-code}")
        return f"a worker process died by {name}" + (" (killed, perhaps for want of memory)" if name == "SIGKILL" else "")


class Pool:
    """Up to `machine.workers` processes; `open_pool` makes it."""

    def __init__(self, machine: Machine, scratch: Path) -> None:
        self._machine = machine
        self._scratch = scratch
        self._workers: list[_Worker] = []
        self._at_work: dict[_Worker, Any] = {}

    def run(
        self,
        work: Work[Item, News],
        items: Iterable[Item | None],
        receive: Callable[[News], None],
        *,
        again: Callable[[Item, str], Item | None] | None = None,
        bell: int | None = None,
    ) -> None:
        """Call `work` for every item in worker processes; what it tells through its last argument reaches `receive` here.

        Items may still be in the making: none means that there is no more for now, and the descriptor `bell` can be read when
        there is.

        When a worker dies over an item, `again` gets the item and the reason, and says what another worker shall do instead;
        none: nothing more. Without it the same item is tried again, and DEATHS of them are a HarnessError. Ctrl-C raises
        Interrupted once the workers have stopped, each at the next thing it tells.
        """
        again = again or _again_until_too_often()
        waiting: deque[Item] = deque()
        rest = iter(items)
        self._at_work.clear()
        with _ctrl_c() as ctrl_c:
            try:
                while self._hand_out(work, waiting, rest):
                    for worker in self._ready(ctrl_c, bell):
                        message = worker.hear()
                        if isinstance(message, _Told):
                            receive(message.news)
                            continue
                        item = self._at_work.pop(worker)
                        if message is None:
                            self._workers.remove(worker)
                            if (instead := again(item, worker.end())) is not None:
                                waiting.append(instead)
                        elif message.error:
                            raise message.error
            except KeyboardInterrupt:
                self._stop(receive, ctrl_c)
                raise Interrupted from None
            except BaseException:
                self._stop(lambda news: None, ctrl_c)  # noqa: ARG005  # the failure is what counts now
                raise

    def _hand_out(self, work: Work[Item, News], waiting: deque[Item], rest: Iterator[Item | None]) -> bool:
        """Give items to workers that have none, starting new ones while there are too few; returns whether more will happen."""
        while len(self._at_work) < self._machine.workers:
            try:
                item = waiting.popleft() if waiting else next(rest)
            except StopIteration:
                return bool(self._at_work)
            if item is None:
                return True
            worker = next((worker for worker in self._workers if worker not in self._at_work), None)
            if worker is None:
                worker = _Worker(self._machine, self._scratch)
                self._workers.append(worker)
            self._at_work[worker] = item
            worker.send((work, item))
        return True

    def _ready(self, ctrl_c: int, bell: int | None = None) -> list[_Worker]:
        """Wait until workers have something to say, or died, or the bell rings; raises KeyboardInterrupt."""
        pipes: dict[object, _Worker] = {worker.pipe: worker for worker in self._at_work}
        ready = wait([*(worker.pipe for worker in self._at_work), ctrl_c, *([] if bell is None else [bell])])
        if ctrl_c in ready:
            os.read(ctrl_c, 1)
            raise KeyboardInterrupt
        if bell in ready:
            os.read(bell, 4096)
        return [pipes[pipe] for pipe in ready if pipe != bell]

    def _stop(self, receive: Callable[[News], None], ctrl_c: int) -> None:
        """Ask the workers to stop, and take what they still have to tell until they do, or until another Ctrl-C."""
        for worker in self._at_work:
            worker.send(None)
        with suppress(KeyboardInterrupt):
            while self._at_work:
                for worker in self._ready(ctrl_c):
                    message = worker.hear()
                    if isinstance(message, _Told):
                        receive(message.news)
                    else:
                        del self._at_work[worker]

    def close(self) -> None:
        """End all workers: those that work are killed."""
        for worker in self._workers:
            if worker in self._at_work:
                worker.process.kill()
            worker.end()
        self._workers.clear()


@contextmanager
def open_pool(machine: Machine) -> Iterator[Pool]:
    """Give a pool whose workers, with their temporary files, are gone after the block."""
    with scratch_folder() as scratch:
        pool = Pool(machine, scratch)
        try:
            yield pool
        finally:
            pool.close()


def run_pool(work: Work[Item, News], items: Iterable[Item], machine: Machine, receive: Callable[[News], None]) -> None:
    """Do one piece of work in a pool of its own."""
    with open_pool(machine) as pool:
        pool.run(work, items, receive)


@contextmanager
def _ctrl_c() -> Iterator[int]:
    """Give a descriptor that can be read after Ctrl-C, which would otherwise cut a message of a worker in half.

    SIGTERM, by which schedulers end a job, counts as two of them: stop, and wait for nobody.
    """
    read, write = os.pipe()
    own = threading.current_thread() is threading.main_thread()  # others may not, and are not interrupted
    marks = {signal.SIGINT: b".", signal.SIGTERM: b".."} if own else {}
    before = {number: signal.signal(number, lambda *_, mark=mark: os.write(write, mark)) for number, mark in marks.items()}
    try:
        yield read
    finally:
        for number, handler in before.items():
            signal.signal(number, handler)
        os.close(read)
        os.close(write)


def _again_until_too_often() -> Callable[[Item, str], Item]:
    deaths: Counter[int] = Counter()

    def again(item: Item, reason: str) -> Item:
        deaths[id(item)] += 1  # the same object comes back each time
        if deaths[id(item)] == DEATHS:
            raise HarnessError(f"{reason}, {DEATHS} times over the same work; nothing that was stored is lost")
        return item

    return again


def _serve(machine: Machine, scratch: str, pipe: Connection, parent: int) -> None:
    """Be a worker: do one item after the other until the pipe ends."""
    signal.signal(signal.SIGINT, signal.SIG_IGN)  # Ctrl-C is for the main process, which says so through the pipe
    ctypes.CDLL(None).prctl(1, signal.SIGKILL)  # PR_SET_PDEATHSIG: a killed run leaves no workers behind
    if os.getppid() != parent:
        return  # it was killed before that
    tempfile.tempdir = scratch
    sandbox: Sandbox | None = None
    while True:
        try:
            order = pipe.recv()
        except EOFError:
            return
        if order is None:
            continue  # asked to stop when there was nothing to stop
        work, item = order
        try:
            sandbox = sandbox or machine.open_sandbox()
            work(item, sandbox, lambda news: _tell(pipe, news))
        except Interrupted:
            pipe.send(_Done())
        except (UserError, HarnessError) as error:
            pipe.send(_Done(error=error))
        except MemoryError:
            os._exit(1)  # the machine's fault, not the item's: another worker may have more luck
        except Exception:  # a bug of ours: it is raised again in the main process
            pipe.send(_Done(error=RuntimeError(f"in a worker process:\n{traceback.format_exc()}")))
        else:
            pipe.send(_Done())


def _tell(pipe: Connection, news: Any) -> None:
    """Pass on what is new; between two pieces of news a worker can be asked to stop."""
    pipe.send(_Told(news=news))
    if pipe.poll():
        pipe.recv()
        raise Interrupted
