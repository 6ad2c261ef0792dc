"""Workers that stay between calls, one for each call that goes on at the same time.

Calls may come from any thread, and from processes that were forked from this one: each process has its own. They end with
`close`, when nobody holds the set any more, or with the process.
"""

import os
import threading
import weakref
from contextlib import ExitStack
from functools import partial
from multiprocessing.util import Finalize
from typing import Any, Generic

from repairlab.core.errors import HarnessError, Interrupted, UserError
from repairlab.runs.executors.executor import DEATHS, Event, Item, Work
from repairlab.runs.executors.pool import Worker
from repairlab.runs.executors.temp_dirs import scratch_folder
from repairlab.validation.machine import Machine


class WorkerLostError(HarnessError):
    """Several workers died over the same item."""


class CallHandle:
    """Lets another thread end a call that goes on: its worker is killed, and the call raises Interrupted."""

    def __init__(self) -> None:
        self._lock = threading.Lock()
        self._worker: Worker | None = None
        self.is_ended = False

    def end(self) -> None:
        """End the call, now or when it begins."""
        with self._lock:
            self.is_ended = True
            if self._worker is not None:
                self._worker.kill()

    def hold(self, worker: Worker | None) -> None:
        """Say which worker the call has; none: no longer any."""
        with self._lock:
            self._worker = worker
            if worker is not None and self.is_ended:
                worker.kill()


class WorkerSet(Generic[Item, Event]):
    """Does items in worker processes that keep open what they did last; what can be pickled of it is where, and how many."""

    def __init__(self, machine: Machine, *, most: int | None = None) -> None:
        """Take how many processes there may be before idle ones turn to other work; none: as many as there are calls."""
        self._machine, self._most = machine, most
        self._by_process: dict[int, _Open] = {}
        self._is_closed = False

    def __reduce__(self) -> tuple[Any, ...]:
        return partial(WorkerSet, most=self._most), (self._machine,)

    def call(self, work: Work[Event, Item], item: Item, handle: CallHandle | None = None) -> list[Event]:
        """Have one item done and return what was emitted; DEATHS workers that die over it are a WorkerLostError."""
        reason, handle = "", handle or CallHandle()
        for _ in range(DEATHS):
            opened = self._opened()
            worker = opened.take(self._machine, work, self._most)
            handle.hold(worker)
            try:
                events = worker.ask(work, item)
            except (UserError, HarnessError):
                handle.hold(None)
                opened.put_back(worker)
                raise
            except BaseException:  # Ctrl-C: what it would answer is half read, or nobody listens any more
                handle.hold(None)
                worker.kill()
                opened.end(worker)
                raise
            handle.hold(None)
            if events is not None:
                opened.put_back(worker)
                return events
            reason = opened.end(worker)
            if handle.is_ended:
                raise Interrupted("nobody waits for this any more")
        raise WorkerLostError(f"{reason}, {DEATHS} times over this candidate")

    def pids(self) -> list[int]:
        """Return the ids of the worker processes of this process."""
        opened = self._by_process.get(os.getpid())
        return opened.pids() if opened else []

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

    def take(self, machine: Machine, work: object, most: int | None) -> Worker:
        """Return an idle worker that has this work open; else a new one, or the one that is idle for the longest time."""
        with self._lock:
            if self.is_closed:
                raise UserError("this validator is closed; open another one")
            self._drop_dead()
            worker = next((worker for worker in reversed(self._idle) if worker.work is work), None)
            if worker is None and self._idle and most is not None and len(self._idle) + len(self._at_work) >= most:
                worker = self._idle[0]
            if worker is not None:
                self._idle.remove(worker)
            else:
                worker = Worker(machine, self._scratch)
            self._at_work.add(worker)
        return worker

    def pids(self) -> list[int]:
        """Return the ids of all workers."""
        with self._lock:
            return [worker.pid for worker in (*self._idle, *self._at_work)]

    def _drop_dead(self) -> None:
        """Forget workers that died while they were idle, so that nobody's item is blamed for it."""
        dead = [worker for worker in self._idle if worker.pipe.poll()]  # who has nothing to do has nothing to say
        self._idle = [worker for worker in self._idle if worker not in dead]
        for worker in dead:
            worker.end()

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
