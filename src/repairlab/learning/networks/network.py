"""What every network promises to the trainer and to beam search. `build` makes the one that settings name."""

from typing import Any, Protocol, runtime_checkable

import torch

from repairlab.learning.networks.token_batch import TokenBatch


class StepDecoder(Protocol):
    """Extends hypotheses by one token; what beam search needs of a network."""

    def start(self, batch: TokenBatch, beam: int) -> Any:
        """Return the state of `beam` hypotheses for each source, in rows of sources."""
        ...

    def openings(self, state: Any) -> tuple[torch.Tensor, torch.Tensor] | None:
        """Return log-probabilities and places that hypotheses begin with, for a network that points; none for others."""
        ...

    def step(self, state: Any, tokens: torch.Tensor) -> tuple[torch.Tensor, Any]:
        """Return log-probabilities of what follows the last tokens, one row a hypothesis, and the next state."""
        ...

    def select(self, state: Any, rows: torch.Tensor, sources: torch.Tensor | None) -> Any:
        """Return the state of these hypotheses; `sources` are those that are kept, none: all."""
        ...


@runtime_checkable
class RecordableDecoder(StepDecoder, Protocol):
    """Its steps and choices have constant shapes and change tensors where they lie, so that a graph can repeat them."""

    def ahead(self, state: Any, n: int) -> Any:
        """Return the state `n` steps on, an even number, in the same tensors; none where the steps would move it."""
        ...


class SequenceNetwork(StepDecoder, Protocol):
    """A network from sequences to sequences, which is a module of torch."""

    def token_losses(self, batch: TokenBatch, smoothing: float) -> torch.Tensor:
        """Return the loss of every token of the targets, 0 for padding."""
        ...
