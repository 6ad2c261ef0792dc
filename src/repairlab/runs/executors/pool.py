"""Worker processes, each with its own sandbox: the one place where work runs in parallel.

A worker may die at any moment (killed, out of memory): its item then goes to another one. Each worker has its own pipe, so that a
death harms nobody else and is noticed at once: the pipe ends.
"""

import os
import signal
import tempfile
import time
import traceback
from collections.abc import Callable, Iterator
from contextlib import ExitStack, contextmanager, suppress
from multiprocessing.connection import Connection, Pipe, wait
from pathlib import Path
from typing import Any

from repairlab.core.errors import HarnessError, Interrupted, UserError
from repairlab.core.record import record
from repairlab.core.storage.folders import scratch_folder
from repairlab.runs.executors.executor import Event, Item, Source, Work, was_pressed, watch_ctrl_c
from repairlab.runs.executors.forking import fork, hang_up, wait_for
from repairlab.sandbox.sandbox import Sandbox
from repairlab.validation.machine import Machine

IDLE_S = 0.2
"""How long a worker without work waits for the next offer: items may become available when others take too long."""


@record
class _Emitted:
    event: Any


@record
class _Done:
    error: Exception | None = None


@record
class _Open:
    work: Any


@record
class _Do:
    item: Any


@record
class _Stop:
    pass


@record
class Stopping:
    """What happens at Ctrl-C."""

    notify: Callable[[int], None] = lambda n: None  # noqa: ARG005
    """Takes the number of busy workers before they are waited for."""
    grace_s: float | None = None
    """How long to wait for them; None: until they have finished what they began."""


@record
class Said:
    """What a worker reports at one time."""

    events: tuple[Any, ...]
    is_done: bool = False
    """Whether it finished its item, with or without an error."""
    error: Exception | None = None
    death: str = ""
    """How it ended, if it died over its item."""


class Worker:
    """One process and our end of its pipe; for one thread at a time."""

    def __init__(self, machine: Machine, scratch: Path) -> None:
        self.pipe, theirs = Pipe()
        with theirs:  # else the pipe would not end with the worker
            self.pid = fork(_serve, (machine, str(scratch)), theirs)
        self.work: object = None
        """What it has open."""

    def send(self, order: object) -> None:
        """Send an order; a worker that has just died shows it when it is listened to."""
        with suppress(OSError):
            self.pipe.send(order)

    def do(self, work: object, item: object) -> None:
        """Send an item."""
        if self.work is not work:
            self.send(_Open(work=work))
            self.work = work
        self.send(_Do(item=item))

    def ask(self, work: object, item: object) -> list[Any] | None:
        """Have an item done and return everything emitted; None if the worker died over it."""
        self.do(work, item)
        events = []
        while isinstance(message := self.hear(), _Emitted):
            events.append(message.event)
        if message is None:
            return None
        if message.error:
            raise message.error
        return events

    def hear(self) -> "_Emitted | _Done | None":
        """Return what the worker reports; None if it died."""
        try:
            message: _Emitted | _Done = self.pipe.recv()
        except (EOFError, OSError):
            return None
        return message

    def listen(self, collect_s: float) -> Said:
        """Wait until the worker reports something, and return that with whatever follows within a moment."""
        events: list[Any] = []
        end = None
        while end is None or self.pipe.poll(max(0.0, end - time.monotonic())):
            message = self.hear()
            if message is None:
                return Said(events=tuple(events), death=self.end())
            if isinstance(message, _Done):
                return Said(events=tuple(events), is_done=True, error=message.error)
            events.append(message.event)
            end = end or time.monotonic() + collect_s
        return Said(events=tuple(events))

    def stop(self) -> None:
        """Ask the worker to stop at the next event it emits."""
        self.send(_Stop())

    def hang_up(self) -> None:
        """Let the worker end once it has finished its work."""
        if not self.pipe.closed:
            hang_up(self.pipe.fileno())

    def kill(self) -> None:
        """Kill the worker in the middle of its work."""
        with suppress(ProcessLookupError):
            os.kill(self.pid, signal.SIGKILL)  # nobody else can get its id until it is waited for

    def end(self) -> str:
        """Let the worker end, wait for that, and say how it ended."""
        self.hang_up()
        self.pipe.close()
        code = wait_for(self.pid)
        if code >= 0:
            return f"a worker process ended with exit code {code}"
        name = {int(item): item.name for item in signal.Signals}.get(-code, f"signal {-code}")
        return f"a worker process died by {name}" + (" (killed, perhaps for want of memory)" if name == "SIGKILL" else "")


class Pool:
    """Up to `machine.workers` processes; `open_pool` makes it."""

    is_remote = False

    def __init__(self, machine: Machine, scratch: Path, stopping: Stopping) -> None:
        self._machine = machine
        self.workers = machine.workers
        self._scratch = scratch
        self._stopping = stopping
        self._workers: dict[int, Worker] = {}
        self._at_work: dict[Worker, int] = {}

    def run(
        self,
        work: Work[Event, Item],
        source: Source[Item],
        receive: Callable[[Event, int], None],
        *,
        wakeup: int | None = None,
    ) -> None:
        """Have all items of a source done in worker processes; what they emit reaches `receive`, with the worker's number.

        Items may still be made outside the pool: the descriptor `wakeup` becomes readable when there are more. Ctrl-C raises
        Interrupted once the workers have stopped, each at the next event it emits.
        """
        self._at_work.clear()
        with watch_ctrl_c() as ctrl_c:
            try:
                while self._hand_out(work, source):
                    is_idle = 0 < len(self._at_work) < self._machine.workers and not source.is_over()
                    for worker in self._ready(ctrl_c, wakeup, wait_s=IDLE_S if is_idle else None):
                        message = worker.hear()
                        if isinstance(message, _Emitted):
                            receive(message.event, self._at_work[worker])
                            continue
                        number = self._at_work.pop(worker)
                        if message is None:
                            del self._workers[number]
                            source.lose(number, worker.end())
                        elif message.error:
                            raise message.error
                        else:
                            source.finish(number)
            except KeyboardInterrupt:
                self._stopping.notify(len(self._at_work))
                self._stop(receive, ctrl_c)
                raise Interrupted from None
            except BaseException:
                self._stop(lambda event, number: None, ctrl_c)  # noqa: ARG005  # the failure is what counts now
                raise

    def _hand_out(self, work: Work[Event, Item], source: Source[Item]) -> bool:
        """Give items to idle workers, starting new ones where needed; return whether anything more will happen."""
        busy = set(self._at_work.values())
        for number in range(self._machine.workers):
            if number in busy or (item := source.take(number)) is None:
                continue
            worker = self._workers.get(number)
            if worker is None:
                worker = self._workers[number] = Worker(self._machine, self._scratch)
            self._at_work[worker] = number
            worker.do(work, item)
        return bool(self._at_work) or not source.is_over()

    def _ready(self, ctrl_c: int, wakeup: int | None = None, *, wait_s: float | None = None) -> list[Worker]:
        """Wait until workers report, die or are woken, or the time is up; raises KeyboardInterrupt."""
        pipes: dict[object, Worker] = {worker.pipe: worker for worker in self._at_work}
        assert pipes or wakeup is not None, "nobody is at work, and nothing is over"
        sources = [*pipes, ctrl_c, *([] if wakeup is None else [wakeup])]
        ready = wait(sources, wait_s)  # type: ignore[arg-type]  # pipes are waitable
        if was_pressed(ctrl_c):
            raise KeyboardInterrupt
        if wakeup in ready:
            os.read(wakeup, 4096)
        return [pipes[pipe] for pipe in ready if pipe in pipes]

    def _stop(self, receive: Callable[[Event, int], None], ctrl_c: int) -> None:
        """Ask the workers to stop, and take what they still report until they do or Ctrl-C is pressed again."""
        for worker in self._at_work:
            worker.stop()
        end = None if self._stopping.grace_s is None else time.monotonic() + self._stopping.grace_s
        with suppress(KeyboardInterrupt):
            while self._at_work and (end is None or time.monotonic() < end):
                for worker in self._ready(ctrl_c, wait_s=None if end is None else max(0.0, end - time.monotonic())):
                    message = worker.hear()
                    if isinstance(message, _Emitted):
                        receive(message.event, self._at_work[worker])
                    else:
                        del self._at_work[worker]

    def close(self) -> None:
        """End all workers; busy ones are killed."""
        for worker in self._workers.values():
            if worker in self._at_work:
                worker.kill()
            worker.hang_up()  # all of them first: closing what they have open takes a while
        for worker in self._workers.values():
            worker.end()
        self._workers.clear()


@contextmanager
def open_pool(machine: Machine, stopping: Stopping | None = None) -> Iterator[Pool]:
    """Give a pool whose workers and temporary files are gone after the block."""
    with scratch_folder() as scratch:
        pool = Pool(machine, scratch, stopping or Stopping())
        try:
            yield pool
        finally:
            pool.close()


def _serve(machine: Machine, scratch: str, pipe: Connection) -> None:
    """Be a worker: do one item after another until the pipe ends, which it does when the main process does."""
    # SIGINT is ignored: Ctrl-C is for the main process, which passes it on through the pipe.
    with ExitStack() as opened:
        _answer(machine, scratch, pipe, opened)


def _answer(machine: Machine, scratch: str, pipe: Connection, opened: ExitStack) -> None:
    sandbox: Sandbox | None = None
    work: Any = None
    do: Callable[[Any], None] | None = None
    while True:
        try:
            order = pipe.recv()
        except EOFError:
            return
        if isinstance(order, _Open):
            opened.close()
            work, do = order.work, None
        if not isinstance(order, _Do):
            continue
        try:
            sandbox = sandbox or machine.open_sandbox()  # first: a proof holds for one temporary folder, the user's
            tempfile.tempdir = scratch
            do = do or opened.enter_context(work(sandbox, lambda event: _emit(pipe, event)))
            do(order.item)
        except Interrupted:
            pipe.send(_Done())
        except (UserError, HarnessError) as error:
            pipe.send(_Done(error=error))
        except MemoryError:
            os._exit(1)  # the machine's fault, not the item's: another worker may succeed
        except Exception:  # a bug of ours: it is raised again in the main process
            pipe.send(_Done(error=RuntimeError(f"in a worker process:\n{traceback.format_exc()}")))
        else:
            pipe.send(_Done())


def _emit(pipe: Connection, event: Any) -> None:
    """Pass an event on; between two events a worker can be asked to stop."""
    pipe.send(_Emitted(event=event))
    if pipe.poll():
        pipe.recv()
        raise Interrupted
