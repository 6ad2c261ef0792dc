"""Where the time of a worker goes: seconds by phase, each moment counted once. Validation and runs mark their phases.

One for a process: what is open is a bug of one worker, which takes the seconds when it is done with an item.
"""

import time
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from typing import Literal

Phase = Literal["set-up", "propose", "build", "test", "confirm", "store", "other"]
PHASES: tuple[Phase, ...] = ("set-up", "propose", "build", "test", "confirm", "store", "other")
"""`set-up`: the buggy tree laid out and compiled, once a bug; `confirm`: counter-tests of a pass, with all they build and run."""


class Stopwatch:
    """Counts for the innermost phase that is open; within `confirm` all counts for it."""

    def __init__(self) -> None:
        self._seconds: dict[Phase, float] = {}
        self._open: list[Phase] = ["other"]
        self._since = time.monotonic()

    @contextmanager
    def phase(self, name: Phase) -> Iterator[None]:
        """Count what happens in the block."""
        self._count()
        self._open.append("confirm" if self._open[-1] == "confirm" else name)
        try:
            yield
        finally:
            self._count()
            self._open.pop()

    def restart(self) -> None:
        """Forget all counts."""
        self._seconds.clear()
        self._since = time.monotonic()

    def taken(self) -> Mapping[Phase, float]:
        """Return the seconds since this was last asked for."""
        self._count()
        seconds = {name: round(self._seconds[name], 3) for name in PHASES if name in self._seconds}
        self._seconds.clear()
        return seconds

    def _count(self) -> None:
        now = time.monotonic()
        name = self._open[-1]
        self._seconds[name] = self._seconds.get(name, 0.0) + now - self._since
        self._since = now


STOPWATCH = Stopwatch()
"""That of this process."""
