"""How many candidates a client may ask about per second."""

import time
from collections import OrderedDict
from collections.abc import Callable

_BURST_S = 10.0
"""What was not asked for in so many seconds may be asked for at once."""
_MOST_CLIENTS = 10_000


class RateLimit:
    """A bucket for each client, which fills at the client's rate."""

    def __init__(self, clock: Callable[[], float] = time.monotonic) -> None:
        self._clock = clock
        self._levels: OrderedDict[str, tuple[float, float]] = OrderedDict()

    def take(self, client: str, n: int, rate: float) -> float:
        """Take n from a client's bucket and return 0, or return in how many seconds that will be possible.

        More than a full bucket is given when it is full, and owed afterwards.
        """
        if rate <= 0:
            return 0.0
        now, full = self._clock(), max(1.0, rate * _BURST_S)
        level, then = self._levels.pop(client, (full, now))
        level = min(full, level + (now - then) * rate)
        wait_s = max(0.0, (min(n, full) - level) / rate)
        self._levels[client] = (level - (0 if wait_s else n), now)
        while len(self._levels) > _MOST_CLIENTS:
            self._levels.popitem(last=False)
        return wait_s
