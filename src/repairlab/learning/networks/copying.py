"""From a decoder's output to probabilities of words: the vocabulary, and a pointer that copies words of the source.

The pointer-generator of See et al. (ACL 2017, §2.2): p(w) = g · p_vocabulary(w) + (1 − g) · Σ attention on w in the source.
"""

import torch
from torch import nn
from torch.nn import functional

from repairlab.learning.networks.vocabulary import PAD

_TINY = 1e-9


class TokenHead(nn.Module):
    """Output layer of all networks of ours."""

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
