"""Tokens as networks take and give them: batches of numbers, their vectors, and probabilities of words.

A pointer may copy words of the source, as in the pointer-generator of See et al. (ACL 2017, §2.2): p(w) = g · p_vocabulary(w) + (1
− g) · Σ attention on w in the source.
"""

import dataclasses
from collections.abc import Callable
from dataclasses import dataclass

import torch
from torch import nn
from torch.nn import functional

from repairlab.learning.networks.settings import NetworkSettings
from repairlab.learning.networks.vocabulary import BEGIN, PAD, UNKNOWN


@dataclass(frozen=True, slots=True)
class TokenBatch:
    """Sources, and targets in training, padded with 0 to the longest; every sequence has its end mark."""

    source: torch.Tensor
    target: torch.Tensor | None = None
    context: torch.Tensor | None = None
    """What a second encoder reads; for a network of trees, the facts of the nodes."""
    span: torch.Tensor | None = None
    """Where the bug is in each source: its first token, and the one after its last."""
    n_extra: int = 0
    """Most words of a source that the vocabulary lacks."""

    @property
    def tensors(self) -> dict[str, torch.Tensor]:
        """Return the tensors that it has, by field."""
        parts = {"source": self.source, "target": self.target, "context": self.context, "span": self.span}
        return {name: item for name, item in parts.items() if item is not None}

    def mapped(self, change: Callable[[torch.Tensor], torch.Tensor]) -> "TokenBatch":
        """Return it with all tensors changed."""
        return dataclasses.replace(self, **{name: change(item) for name, item in self.tensors.items()})

    def pinned(self) -> "TokenBatch":
        """Return it in memory from which a GPU can copy asynchronously."""
        return self.mapped(lambda item: item.pin_memory())

    def to(self, device: torch.device) -> "TokenBatch":
        """Return it on a device."""
        return self.mapped(lambda item: item.to(device, non_blocking=True))


def padded(rows: list[list[int]], pad: int = 0) -> torch.Tensor:
    """Return rows of numbers as one tensor."""
    longest = max(map(len, rows))
    return torch.tensor([row + [pad] * (longest - len(row)) for row in rows], dtype=torch.long)


def word_embeddings(settings: NetworkSettings, n_source: int, n_target: int, size: int) -> tuple[nn.Embedding, nn.Embedding]:
    """Return the embeddings of source and target: the same one if weights are tied and vocabularies shared."""
    source = nn.Embedding(n_source, size, padding_idx=PAD)
    shared = settings.tied and n_source == n_target
    return source, source if shared else nn.Embedding(n_target, size, padding_idx=PAD)


def embedded(embedding: nn.Embedding, tokens: torch.Tensor) -> torch.Tensor:
    """Return the vectors of tokens; a word that only a source has counts as unknown."""
    return embedding(tokens.masked_fill(tokens >= embedding.num_embeddings, UNKNOWN))


def written_before(target: torch.Tensor) -> torch.Tensor:
    """Return what a decoder has written before each token of the targets."""
    return torch.cat((torch.full_like(target[:, :1], BEGIN), target[:, :-1]), 1)


_TINY = 1e-9


class TokenHead(nn.Module):
    """Output layer of all our networks."""

    def __init__(self, width: int, size: int, *, tied: nn.Embedding | None = None, copy: bool = False) -> None:
        """Take the width of the decoder and the size of the vocabulary; `tied` lends its weights."""
        super().__init__()
        self.size = size
        self.output = nn.Linear(width, size)
        if tied is not None and tied.embedding_dim == width:
            self.output.weight = tied.weight
        self.gate = nn.Linear(width, 1) if copy else None

    def losses(
        self, hidden: torch.Tensor, attention: torch.Tensor | None, source: torch.Tensor, target: torch.Tensor, smoothing: float
    ) -> torch.Tensor:
        """Return the loss of every target token, 0 for padding; no distribution over copied words is ever built."""
        logs = functional.log_softmax(self.output(hidden).float(), -1)
        known = target.clamp(max=self.size - 1)
        chosen = logs.gather(-1, known.unsqueeze(-1)).squeeze(-1)
        if self.gate is not None and attention is not None:
            gate = torch.sigmoid(self.gate(hidden).float()).squeeze(-1)
            same = source.unsqueeze(1) == target.unsqueeze(2)
            copied = (attention.float() * same).sum(-1)
            generated = chosen.exp() * (target < self.size)
            chosen = (gate * generated + (1 - gate) * copied + _TINY).log()
        losses = -chosen
        if smoothing:
            losses = (1 - smoothing) * losses - smoothing * logs.mean(-1)
        return losses * (target != PAD)

    def log_probabilities(
        self, hidden: torch.Tensor, attention: torch.Tensor | None, source: torch.Tensor, n_extra: int
    ) -> torch.Tensor:
        """Return log-probabilities over the vocabulary and the sources' own words: one row for each row of `hidden`."""
        logits = self.output(hidden)
        if self.gate is None or attention is None:
            return functional.log_softmax(logits, -1, dtype=torch.float32)
        gate = torch.sigmoid(self.gate(hidden).float())
        generated = functional.pad(gate * functional.softmax(logits, -1, dtype=torch.float32), (0, n_extra))
        rows = source.expand_as(attention)
        return (generated.scatter_add(-1, rows, (1 - gate) * attention.float()) + _TINY).log()
