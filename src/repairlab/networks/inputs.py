"""What a network reads of a bug and what it writes, as words. Shared by training, prediction and the repairer `neural`."""

from typing import Any

from repairlab.core.record import record


@record
class NetworkInput:
    """What a network reads of one bug."""

    source: tuple[str, ...]
    context: tuple[str, ...] = ()
    span: tuple[int, int] = (0, 0)
    """Where in the source the bug is, for networks that point to it: the first token, and the one behind the last."""


@record
class Written:
    """One thing that a network wrote."""

    tokens: tuple[str, ...]
    logprob: float
    n_tokens: int


def network_input(source: tuple[str, ...], context: tuple[str, ...], memory: Any) -> NetworkInput:
    """Return what a network reads of an encoded sample; where the bug is, its memory says as `first` and `last`."""
    places = memory if isinstance(memory, dict) else {}
    return NetworkInput(source=source, context=context, span=(places.get("first", 0), places.get("last", 0)))
