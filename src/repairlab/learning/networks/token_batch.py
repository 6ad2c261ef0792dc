"""A batch of numbered tokens, as networks take it."""

from dataclasses import dataclass

import torch


@dataclass(frozen=True, slots=True)
class TokenBatch:
    """Sources, and targets in training, padded with 0 to the longest; every sequence has its end mark."""

    source: torch.Tensor
    target: torch.Tensor | None = None
    context: torch.Tensor | None = None
    """What a second encoder reads; for a network of trees, the facts of the nodes."""
    span: torch.Tensor | None = None
    """Where the bug is in each source: its first token, and the one behind its last."""
    n_extra: int = 0
    """Most words of a source that the vocabulary lacks."""

    def pinned(self) -> "TokenBatch":
        """Return it in memory from which a GPU can copy while it works."""
        parts = (self.source, self.target, self.context, self.span)
        source, target, context, span = (None if item is None else item.pin_memory() for item in parts)
        return TokenBatch(source=source, target=target, context=context, span=span, n_extra=self.n_extra)

    def to(self, device: torch.device) -> "TokenBatch":
        """Return it on a device."""
        parts = (self.source, self.target, self.context, self.span)
        source, target, context, span = (None if item is None else item.to(device, non_blocking=True) for item in parts)
        return TokenBatch(source=source, target=target, context=context, span=span, n_extra=self.n_extra)


def padded(rows: list[list[int]], pad: int = 0) -> torch.Tensor:
    """Return rows of numbers as one tensor."""
    longest = max(map(len, rows))
    return torch.tensor([row + [pad] * (longest - len(row)) for row in rows], dtype=torch.long)
