"""Workers that stay between calls, one for each call that goes on at the same time. Used by the Python API.

Calls may come from any thread, and from processes that were forked from this one: each process has its own. They end with
`close`, when nobody holds the set any more, or with the process.
"""

import os
import threading
import weakref
from contextlib import ExitStack
from multiprocessing.util import Finalize
from typing import Any, Generic

from repairlab.core.errors import HarnessError, UserError
from repairlab.executors.executor import DEATHS, Event, Item, Work
from repairlab.executors.pool import Worker
from repairlab.executors.scratch import scratch_folder
from repairlab.validation.machine import Machine


class WorkerLostError(HarnessError):
    """Several workers died over the same item."""


class WorkerSet(Generic[Item, Event]):
    """Does items in worker processes, all of which have the same work open; what can be pickled of it is what to do, and where."""

    def __init__(self, machine: Machine, work: Work[Event, Item]) -> None:
        """Take what workers open; nothing is started yet."""
        self._machine, self._work = machine, work
        self._by_process: dict[int, _Open] = {}
        self._is_closed = False

    def __reduce__(self) -> tuple[Any, ...]:
        return WorkerSet, (self._machine, self._work)

    def call(self, item: Item) -> list[Event]:
        """Have one item done and return what was emitted; DEATHS workers that die over it are a WorkerLostError."""
        reason = ""
        for _ in range(DEATHS):
            opened = self._opened()
            worker = opened.take(self._machine)
            try:
                events = worker.ask(self._work, item)
            except (UserError, HarnessError):
                opened.put_back(worker)
                raise
            except BaseException:  # Ctrl-C: what it would answer is half read, or nobody listens any more
                worker.kill()
                opened.end(worker)
                raise
            if events is not None:
                opened.put_back(worker)
                return events
            reason = opened.end(worker)
        raise WorkerLostError(f"{reason}, {DEATHS} times over this candidate")

    def close(self) -> None:
        """End the workers of this process; those at work are killed."""
        self._is_closed = True
        if opened := self._by_process.get(os.getpid()):
            opened.close()

    def _opened(self) -> "_Open":
        if self._is_closed:
            raise UserError("this validator is closed; open another one")
        pid = os.getpid()
        if pid not in self._by_process:
            made = _Open()
            if self._by_process.setdefault(pid, made) is made:
                weakref.finalize(self, _close_aside, made).atexit = False  # `Finalize` does it then
            else:
                made.close()  # another thread was faster
        return self._by_process[pid]


class _Open:
    """The workers of one process."""

    def __init__(self) -> None:
        self._pid = os.getpid()
        self._lock = threading.Lock()
        self._idle: list[Worker] = []
        self._at_work: set[Worker] = set()
        self._stack = ExitStack()
        self._scratch = self._stack.enter_context(scratch_folder())
        self.is_closed = False
        self._at_exit = Finalize(None, self.close, exitpriority=10)

    def take(self, machine: Machine) -> Worker:
        """Return a worker without work; a new one when all have some."""
        with self._lock:
            if self.is_closed:
                raise UserError("this validator is closed; open another one")
            worker = self._idle.pop() if self._idle else Worker(machine, self._scratch)
            self._at_work.add(worker)
        return worker

    def put_back(self, worker: Worker) -> None:
        """Take a worker that did its work, for the next item."""
        with self._lock:
            if worker in self._at_work:
                self._at_work.remove(worker)
                self._idle.append(worker)

    def end(self, worker: Worker) -> str:
        """Take a worker that died or was killed, and say how it ended."""
        with self._lock:
            self._at_work.discard(worker)
        return worker.end()

    def close(self) -> None:
        """End all workers."""
        with self._lock:
            if self.is_closed or self._pid != os.getpid():
                return
            self.is_closed = True
            for worker in self._at_work:
                worker.kill()  # whoever waits for it learns that it died
            idle, self._idle = self._idle, []
        for worker in idle:
            worker.hang_up()  # all of them first: closing what they have open takes a while
        for worker in idle:
            worker.end()
        self._stack.close()
        self._at_exit.cancel()


def _close_aside(opened: _Open) -> None:
    """End workers that nobody holds any more, in a thread: the garbage collector comes at any moment, whatever is locked then."""
    if not opened.is_closed:
        threading.Thread(target=opened.close).start()
