"""What an executor is: it has work done in other processes. Also how worker deaths count and how Ctrl-C arrives."""

import os
import signal
import threading
from collections import defaultdict
from collections.abc import Callable, Hashable, Iterator, Mapping
from contextlib import AbstractContextManager, contextmanager
from multiprocessing.connection import wait
from pathlib import Path
from typing import Any, Protocol, TypeVar

from repairlab.core.record import record
from repairlab.sandbox.sandbox import Sandbox
from repairlab.validation.machine import Machine

Item = TypeVar("Item")
Event = TypeVar("Event")
Item_co = TypeVar("Item_co", covariant=True)
Work = Callable[[Sandbox, Callable[[Event], None]], AbstractContextManager[Callable[[Item], None]]]
"""Opens, in a worker, a function that does one item after another in a sandbox and emits events; it stays open between items."""
DEATHS = 3
"""How many workers may die over the same item before it is given up."""


class Source(Protocol[Item_co]):
    """Where workers get their items; workers are numbered from 0."""

    def take(self, worker: int) -> Item_co | None:
        """Return the next item for an idle worker; None: nothing for now."""
        ...

    def finish(self, worker: int) -> None:
        """Note that a worker finished its item."""
        ...

    def lose(self, worker: int, reason: str, *, machine: str | None = None) -> None:
        """Note that a worker died over its item; a new process takes its number.

        `machine` names the machine if it went away with all its workers.
        """
        ...

    def is_over(self) -> bool:
        """Return whether all items are finished or in progress."""
        ...


@record
class Parcel:
    """An item for workers that share no files with this machine, with the folders it needs, by digest."""

    item: Any
    folders: Mapping[str, Mapping[str, Path]]
    """The content of each folder by digest: files and folders of this machine by their place in it."""


@record
class Delivery:
    """A parcel at its worker: the item, where its folders are, and the machine."""

    item: Any
    folders: Mapping[str, Path]
    machine: Machine


class Executor(Protocol):
    """Has items done, each by a worker with a sandbox; when a worker dies, the source of the items is told."""

    workers: int
    """How many items are done at the same time."""
    is_remote: bool
    """Whether workers may be on other machines: items are then parcels, and work arrives as deliveries."""

    def run(
        self,
        work: Work[Event, Item],
        source: Source[Item],
        receive: Callable[[Event, int], None],
        *,
        wakeup: int | None = None,
    ) -> None:
        """Have all items of a source done; what workers emit reaches `receive`, with the worker's number.

        Other threads may still make items: the descriptor `wakeup` becomes readable when there are more.
        """
        ...


class Deaths:
    """Counts worker deaths; those that died with their machine count once."""

    def __init__(self) -> None:
        self._machines: defaultdict[Hashable, list[str | None]] = defaultdict(list)

    def add(self, thing: Hashable, machine: str | None) -> int:
        """Take note that a worker, or a machine with all its workers, ended over a thing; return how many did by now.

        >>> deaths = Deaths()
        >>> deaths.add("bug", "a"), deaths.add("bug", "a"), deaths.add("bug", None), deaths.add("bug", None)
        (1, 1, 2, 3)
        """
        ended = self._machines[thing]
        if machine is None or machine not in ended:
            ended.append(machine)
        return len(ended)


_MARK = b"."
"""What Ctrl-C writes; not the number of any signal used here."""


@contextmanager
def watch_ctrl_c() -> Iterator[int]:
    """Give a descriptor that becomes readable after Ctrl-C, which would otherwise cut a worker's message in half.

    SIGTERM, with which schedulers end a job, counts as two of them: stop and wait for nothing.
    """
    read, write = os.pipe()
    own = threading.current_thread() is threading.main_thread()  # only the main thread may, and others are not interrupted
    marks = {signal.SIGINT: _MARK, signal.SIGTERM: 2 * _MARK} if own else {}
    before = {number: signal.signal(number, lambda *_, mark=mark: os.write(write, mark)) for number, mark in marks.items()}
    os.set_blocking(write, False)
    # Handlers run between two steps of the interpreter, so a signal just before it falls asleep would be noticed only when it
    # wakes up. Hence each signal also writes its number to the pipe at once.
    woken = signal.set_wakeup_fd(write, warn_on_full_buffer=False) if own else -1
    try:
        yield read
    finally:
        if own:
            signal.set_wakeup_fd(woken)
        for number, handler in before.items():
            signal.signal(number, handler)
        os.close(read)
        os.close(write)


@contextmanager
def interruptible() -> Iterator[None]:
    """Let Ctrl-C and SIGTERM end what the main process does here at once, which may take minutes and cuts no message in half."""
    own = threading.current_thread() is threading.main_thread()
    numbers = (signal.SIGINT, signal.SIGTERM) if own else ()
    before = {number: signal.signal(number, signal.default_int_handler) for number in numbers}
    try:
        yield
    finally:
        for number, handler in before.items():
            signal.signal(number, handler)


def was_pressed(ctrl_c: int) -> bool:
    """Return whether Ctrl-C was pressed again since the last call."""
    while is_readable(ctrl_c):
        if os.read(ctrl_c, 1) == _MARK:
            return True
    return False


def is_readable(descriptor: int) -> bool:
    """Return whether there is something to read right now."""
    return bool(wait([descriptor], 0))
