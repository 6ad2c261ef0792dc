"""Answers by the bytes of their requests: who asks the very same again is answered before anything is read."""

from collections import OrderedDict

from repairlab.core.record import record

_LARGEST_MB = 32.0


@record
class KeptAnswer:
    """What a request was answered."""

    body: bytes
    verdicts: tuple[str, ...]
    """Of each of its candidates."""


class SameRequests:
    """The latest requests whose verdicts were all known, with their answers, up to a number of bytes."""

    def __init__(self, largest_mb: float = _LARGEST_MB) -> None:
        self._left = int(largest_mb * 1024 * 1024)
        self._kept: OrderedDict[bytes, KeptAnswer] = OrderedDict()

    def find(self, request: bytes) -> KeptAnswer | None:
        """Return the answer to a request; none when it is to be read."""
        found = self._kept.get(request)
        if found is not None:
            self._kept.move_to_end(request)
        return found

    def keep(self, request: bytes, answer: KeptAnswer) -> None:
        """Keep an answer in the place of those that nobody asked for the longest."""
        if request not in self._kept:
            self._kept[request] = answer
            self._left -= len(request) + len(answer.body)
            while self._left < 0:
                old, gone = self._kept.popitem(last=False)
                self._left += len(old) + len(gone.body)
