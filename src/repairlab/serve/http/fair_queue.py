"""A bounded queue in which clients take turns."""

import asyncio
from collections import OrderedDict, deque
from collections.abc import Sequence
from typing import Generic, TypeVar

T = TypeVar("T")


class QueueFullError(Exception):
    """There is no room for what a client wants to wait for."""


class FairQueue(Generic[T]):
    """Items of many clients: who has waited longest for a turn is next, however many items others have."""

    def __init__(self, size: int) -> None:
        """Take how many items may wait; one client may have half of them."""
        self._size = size
        self._lines: OrderedDict[str, deque[T]] = OrderedDict()
        self._n = 0
        self._is_there = asyncio.Event()

    def __len__(self) -> int:
        return self._n

    def put(self, client: str, items: Sequence[T]) -> None:
        """Let items wait, all of them or none: then QueueFullError is raised."""
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
        """Take an item out that nobody wants any more; returns whether it was still there."""
        line = self._lines.get(client)
        if line is None or item not in line:
            return False
        line.remove(item)
        self._n -= 1
        if not line:
            del self._lines[client]
        return True
