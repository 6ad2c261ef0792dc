"""Has calls done by worker processes, a few at a time, clients in turn.

A call that several clients wait for is done once; a call that nobody waits for any more is dropped.
"""

import asyncio
from collections import OrderedDict, deque
from collections.abc import Callable, Sequence
from concurrent.futures import ThreadPoolExecutor
from typing import Any, Generic, TypeVar

from repairlab.core.errors import Interrupted
from repairlab.runs.validator_pool import CallHandle

GRACE_S = 5.0
"""How long an abandoned call may continue: its verdict will be known when it is asked for again."""
Call = Callable[[CallHandle], Any]


class Ticket:
    """One call, and who waits for it."""

    def __init__(self, key: str, client: str, call: Call) -> None:
        self.key, self.client, self.call = key, client, call
        self.handle = CallHandle()
        self.n_waiting = 0
        self.has_begun = False
        self.done: asyncio.Future[Any] = asyncio.get_running_loop().create_future()


class Dispatcher:
    """Calls that wait, and the lanes in which they are done: as many as there are workers."""

    def __init__(self, n_lanes: int, queue_size: int) -> None:
        """Take how many calls run at the same time, and how many may wait."""
        self.queue: FairQueue[Ticket] = FairQueue(queue_size)
        self.n_running = 0
        self._tickets: dict[str, Ticket] = {}
        self._pool = ThreadPoolExecutor(n_lanes, thread_name_prefix="repairlab")
        self._lanes: list[asyncio.Task[None]] = []
        self._n_lanes = n_lanes
        self._usual_s = 1.0

    def start(self) -> None:
        """Open the lanes."""
        self._lanes = [asyncio.get_running_loop().create_task(self._lane()) for _ in range(self._n_lanes)]

    async def close(self) -> None:
        """End running calls; those who still wait are told."""
        for lane in self._lanes:
            lane.cancel()
        for ticket in list(self._tickets.values()):
            ticket.handle.end()
            ticket.done.cancel()
        await asyncio.gather(*self._lanes, return_exceptions=True)
        await asyncio.to_thread(self._pool.shutdown, cancel_futures=True)

    @property
    def wait_s(self) -> float:
        """How long a new call would wait, judging by earlier ones."""
        return self._usual_s * (1 + len(self.queue)) / self._n_lanes

    def submit(self, client: str, calls: Sequence[tuple[str, Call]]) -> list[Ticket]:
        """Have calls done, each with a key that is equal for equal calls; QueueFullError if they cannot all wait."""
        tickets: dict[str, Ticket] = {}
        for key, call in calls:
            if key not in tickets:
                tickets[key] = self._tickets.get(key) or Ticket(key, client, call)
        new = [ticket for key, ticket in tickets.items() if key not in self._tickets]
        self.queue.put(client, new)
        self._tickets.update({ticket.key: ticket for ticket in new})
        for key, _ in calls:
            tickets[key].n_waiting += 1
        return [tickets[key] for key, _ in calls]

    def leave(self, ticket: Ticket) -> None:
        """Note that somebody no longer waits."""
        ticket.n_waiting -= 1
        if ticket.n_waiting > 0 or ticket.done.done():
            return
        if not ticket.has_begun:
            self.queue.discard(ticket.client, ticket)
            self._forget(ticket)
            ticket.done.cancel()
        else:
            asyncio.get_running_loop().call_later(GRACE_S, self._end, ticket)

    def _end(self, ticket: Ticket) -> None:
        if ticket.n_waiting <= 0 and not ticket.done.done():
            self._forget(ticket)  # who asks for the same now gets a new one
            ticket.handle.end()

    def _forget(self, ticket: Ticket) -> None:
        if self._tickets.get(ticket.key) is ticket:
            del self._tickets[ticket.key]

    async def _lane(self) -> None:
        loop = asyncio.get_running_loop()
        while True:
            ticket = await self.queue.get()
            ticket.has_begun = True
            self.n_running += 1
            begun = loop.time()
            try:
                result = await loop.run_in_executor(self._pool, ticket.call, ticket.handle)
                if not ticket.done.done():
                    ticket.done.set_result(result)
            except Interrupted:
                ticket.done.cancel()
            except Exception as error:  # a bug of ours: who waits for it says so
                if not ticket.done.done():
                    ticket.done.set_exception(error)
            finally:
                self.n_running -= 1
                self._forget(ticket)
                self._usual_s += 0.1 * (loop.time() - begun - self._usual_s)


T = TypeVar("T")


class QueueFullError(Exception):
    """There is no room for a client's calls."""


class FairQueue(Generic[T]):
    """Items of many clients: the one who has waited longest for a turn is next, however many items others have."""

    def __init__(self, size: int) -> None:
        """Take how many items may wait; one client may have half of them."""
        self._size = size
        self._lines: OrderedDict[str, deque[T]] = OrderedDict()
        self._n = 0
        self._is_there = asyncio.Event()

    def __len__(self) -> int:
        return self._n

    def put(self, client: str, items: Sequence[T]) -> None:
        """Queue all items or none, raising QueueFullError."""
        line = self._lines.get(client, ())
        if items and (self._n + len(items) > self._size or len(line) + len(items) > max(1, self._size // 2)):
            raise QueueFullError
        if items:
            self._lines.setdefault(client, deque()).extend(items)
            self._n += len(items)
            self._is_there.set()

    async def get(self) -> T:
        """Wait for an item."""
        while not self._n:
            self._is_there.clear()
            await self._is_there.wait()
        client, line = self._lines.popitem(last=False)
        item = line.popleft()
        self._n -= 1
        if line:
            self._lines[client] = line  # at the end of the round
        return item

    def discard(self, client: str, item: T) -> bool:
        """Remove an unwanted item; return whether it was still there."""
        line = self._lines.get(client)
        if line is None or item not in line:
            return False
        line.remove(item)
        self._n -= 1
        if not line:
            del self._lines[client]
        return True
