"""What a search writes, and what beam search and sampling share."""

from collections.abc import Iterable
from dataclasses import dataclass

import torch

LOOK_EVERY = 4
"""Steps between looks at whether all is done: each look waits for the device."""
NEVER = float("-inf")


@dataclass(frozen=True, slots=True)
class Hypothesis:
    """One sequence that was written, without its end mark."""

    ids: tuple[int, ...]
    logprob: float
    score: float
    """The log-probability under the length rule: what the order is by."""
    places: tuple[int, ...] = ()
    """What a network pointed to before it wrote."""


@dataclass(frozen=True, slots=True)
class Marks:
    """The special tokens that the search has to know."""

    begin: int
    end: int
    banned: tuple[int, ...] = ()
    """Tokens that are never written."""


def allowed(logs: torch.Tensor, end: int, banned: torch.Tensor, *, only_end: bool) -> torch.Tensor:
    """Forbid tokens; the last place can only hold the end mark."""
    if only_end:
        ends = torch.full_like(logs, NEVER)
        ends[:, end] = logs[:, end]
        return ends
    return logs.index_fill_(1, banned, NEVER)


def best_first(hypotheses: Iterable[Hypothesis]) -> list[Hypothesis]:
    """Return hypotheses in their order; groups may have found the same one."""
    return sorted({(item.places, item.ids): item for item in hypotheses}.values(), key=lambda item: -item.score)
