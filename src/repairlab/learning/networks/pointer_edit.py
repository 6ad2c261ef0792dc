"""A network that says what to delete and what to insert: two pointers, then tokens (Edits).

Ding et al., "Patching as Translation" (ASE 2020): a layer on the states of a Transformer's encoder points to the first token to
delete and to the one behind the last; the decoder's attention to the source gets a learned bias where these are.
"""

import dataclasses
from dataclasses import dataclass

import torch
from torch import nn
from torch.nn import functional

from repairlab.learning.networks.settings import NetworkSettings
from repairlab.learning.networks.tokens import TokenBatch
from repairlab.learning.networks.transformer import SourceMemory, Transformer, TransformerState
from repairlab.learning.networks.vocabulary import FIRST_PLACE, PAD

_INSIDE, _START, _END = range(1, 4)


@dataclass(frozen=True, slots=True)
class EditState:
    """Hypotheses in decoding, each with its places."""

    core: TransformerState
    logprobs: torch.Tensor
    places: torch.Tensor
    biases: torch.Tensor
    """A row a hypothesis."""


class PointerEdit(nn.Module):
    """The whole network; a target is a start, an end, and what is inserted."""

    def __init__(self, settings: NetworkSettings, n_source: int, n_target: int) -> None:
        """Take settings and the sizes of the vocabularies, which may be one."""
        super().__init__()
        self.core = Transformer(settings, n_source, n_target)
        self.pointers = nn.Linear(settings.width, 2)
        self.biases = nn.Parameter(torch.zeros(4))

    def token_losses(self, batch: TokenBatch, smoothing: float) -> torch.Tensor:
        """Return the losses of both places and of every inserted token."""
        assert batch.target is not None
        memory = self.core.encode(batch)
        places = batch.target[:, :2] - FIRST_PLACE
        pointed = self._pointed(memory, batch)
        at_places = -pointed.gather(1, places.unsqueeze(1)).squeeze(1)
        bias = self._bias(memory.source, places.unsqueeze(1))
        told = dataclasses.replace(memory, biases=[bias.unsqueeze(1)])
        return torch.cat((at_places, self.core.losses_from(told, batch.target[:, 2:], smoothing)), 1)

    def start(self, batch: TokenBatch, beam: int) -> EditState:
        """Begin with the likeliest pairs of places whose end is not before their start."""
        memory = self.core.encode(batch)
        pointed = self._pointed(memory, batch)
        width = pointed.shape[1]
        both = pointed[:, :, 0].unsqueeze(2) + pointed[:, :, 1].unsqueeze(1)
        before = torch.ones(width, width, dtype=torch.bool, device=both.device).tril(-1)
        found, order = both.masked_fill(before, float("-inf")).flatten(1).topk(min(beam, width * width))
        missing = beam - found.shape[1]
        found, order = functional.pad(found, (0, missing), value=float("-inf")), functional.pad(order, (0, missing))
        places = torch.stack((order // width, order % width), 2)
        biases = self._bias(memory.source, places).flatten(0, 1)
        return EditState(core=self.core.start_from(memory, beam), logprobs=found, places=places, biases=biases)

    def openings(self, state: EditState) -> tuple[torch.Tensor, torch.Tensor]:
        """Return log-probabilities and places that hypotheses begin with."""
        return state.logprobs, state.places

    def step(self, state: EditState, tokens: torch.Tensor) -> tuple[torch.Tensor, EditState]:
        """Return log-probabilities of what follows, and the next state."""
        bias = state.biases.view(-1, 1, state.core.beam, state.biases.shape[-1])
        memory = dataclasses.replace(state.core.memory, biases=[bias])
        found, core = self.core.step(dataclasses.replace(state.core, memory=memory), tokens)
        return found, dataclasses.replace(state, core=core)

    def select(self, state: EditState, rows: torch.Tensor, sources: torch.Tensor | None) -> EditState:
        """Return the state of these hypotheses."""
        core = self.core.select(state.core, rows, sources)
        return dataclasses.replace(state, core=core, biases=state.biases.index_select(0, rows))

    def _pointed(self, memory: SourceMemory, batch: TokenBatch) -> torch.Tensor:
        """Return log-probabilities of the places of a start and of an end, which both lie where the bug is."""
        assert batch.span is not None
        places = torch.arange(memory.source.shape[1], device=memory.source.device)
        within = (places >= batch.span[:, :1]) & (places <= batch.span[:, 1:]) & (memory.source != PAD)
        within = within | (~within.any(1, keepdim=True) & (memory.source != PAD))  # a bug that was cut off may be anywhere
        scores = self.pointers(memory.states[0]).float().masked_fill(~within.unsqueeze(2), float("-inf"))
        return functional.log_softmax(scores, 1)

    def _bias(self, source: torch.Tensor, places: torch.Tensor) -> torch.Tensor:
        """Return what is added to attention: sources, pairs of places, tokens of the source."""
        at = torch.arange(source.shape[1], device=source.device)
        start, end = places[..., :1], places[..., 1:]
        kinds = ((at >= start) & (at < end)).long() * _INSIDE  # elsewhere is 0
        kinds = kinds.masked_fill(at == start, _START).masked_fill(at == end, _END)
        return self.biases[kinds].masked_fill((source == PAD).unsqueeze(1), float("-inf"))
