"""A gated convolutional network from sequences to sequences with one or two encoders, as CoCoNut's.

Gehring et al., "Convolutional Sequence to Sequence Learning" (ICML 2017): gated linear units, residuals scaled by √½, attention in
every layer of the decoder. With a second encoder, attention goes to the line and to its context, and their sum goes on.
"""

import dataclasses
import math
from dataclasses import dataclass

import torch
from torch import nn
from torch.nn import functional

from repairlab.learning.networks.settings import NetworkSettings
from repairlab.learning.networks.tokens import TokenBatch, TokenHead, embedded, word_embeddings, written_before
from repairlab.learning.networks.vocabulary import PAD

_HALF = math.sqrt(0.5)
_FIRST_POSITION = 1
"""Positions begin after that of padding."""


def _stack(shape: list[tuple[int, int]]) -> tuple[nn.ModuleList, nn.ModuleList]:
    """Return the convolutions of layers, and what makes a layer's input as wide as its output."""
    ins = [shape[0][0], *(width for width, _ in shape[:-1])]
    sizes = [(before, *layer) for before, layer in zip(ins, shape, strict=True)]
    return (
        nn.ModuleList(nn.Conv1d(before, 2 * width, kernel) for before, width, kernel in sizes),
        nn.ModuleList(nn.Linear(before, width) if before != width else nn.Identity() for before, width, _ in sizes),
    )


class ConvolutionEncoder(nn.Module):
    """Reads a sequence; returns keys and values for attention."""

    def __init__(self, settings: NetworkSettings, size: int) -> None:
        """Take sizes; `size` is that of an embedding."""
        super().__init__()
        shape = settings.encoder_shape()
        self.inward, self.outward = nn.Linear(size, shape[0][0]), nn.Linear(shape[-1][0], size)
        self.layers, self.residuals = _stack(shape)
        self.dropout = nn.Dropout(settings.dropout)

    def forward(self, words: torch.Tensor, mask: torch.Tensor) -> tuple[torch.Tensor, torch.Tensor]:
        """Return keys and values; nothing depends on padding, which is zero in every layer."""
        states = self.inward(words)
        for layer, residual in zip(self.layers, self.residuals, strict=True):
            around, beside = (states * mask).transpose(1, 2), layer.kernel_size[0] - 1
            seen = functional.pad(self.dropout(around), (beside // 2, beside - beside // 2))
            states = (functional.glu(layer(seen), 1).transpose(1, 2) + residual(states)) * _HALF
        keys = self.outward(states)
        return keys, (keys + words) * _HALF


class ConvolutionAttention(nn.Module):
    """Attention of a decoder's layer to an encoder."""

    def __init__(self, width: int, size: int) -> None:
        """Take sizes."""
        super().__init__()
        self.inward, self.outward = nn.Linear(width, size), nn.Linear(size, width)

    def forward(self, states: torch.Tensor, written: torch.Tensor, memory: "EncoderMemory") -> tuple[torch.Tensor, torch.Tensor]:
        """Return what was found, and the weights of the places."""
        query = (self.inward(states) + written) * _HALF
        scores = (query @ memory.keys.transpose(1, 2)).float().masked_fill(~memory.mask.unsqueeze(1), float("-inf"))
        weights = scores.softmax(-1)
        found = weights.to(memory.values.dtype) @ memory.values
        # This many places are summed up: scaled as published, to keep the size of sums.
        n_places = memory.mask.sum(1).view(-1, 1, 1).to(found.dtype)
        return self.outward(found * n_places.sqrt()), weights


@dataclass(frozen=True, slots=True)
class EncoderMemory:
    """What one encoder made of the sources."""

    keys: torch.Tensor
    values: torch.Tensor
    mask: torch.Tensor

    def select(self, sources: torch.Tensor) -> "EncoderMemory":
        """Keep some sources."""
        return EncoderMemory(*(getattr(self, name).index_select(0, sources) for name in self.__slots__))


@dataclass(frozen=True, slots=True)
class ConvolutionState:
    """Hypotheses in decoding."""

    memories: list[EncoderMemory]
    source: torch.Tensor
    n_extra: int
    earlier: list[torch.Tensor]
    """By layer: what the convolution still sees, a row per hypothesis."""
    beam: int
    n_written: int = 0


class Convolution(nn.Module):
    """The whole network."""

    def __init__(self, settings: NetworkSettings, n_source: int, n_target: int) -> None:
        """Take settings and the sizes of the vocabularies, which may be one."""
        super().__init__()
        self.settings = settings
        shape, size = settings.decoder_shape(), settings.embedding or settings.width
        self.source_embedding, self.target_embedding = word_embeddings(settings, n_source, n_target, size)
        self.source_positions = nn.Embedding(settings.positions, size)
        self.target_positions = nn.Embedding(settings.positions, size)
        self.encoders = nn.ModuleList(ConvolutionEncoder(settings, size) for _ in range(2 if settings.context else 1))
        self.inward, self.outward = nn.Linear(size, shape[0][0]), nn.Linear(shape[-1][0], size)
        self.layers, self.residuals = _stack(shape)
        self.attentions = nn.ModuleList(
            nn.ModuleList(ConvolutionAttention(width, size) for _ in self.encoders) for width, _ in shape
        )
        self.dropout = nn.Dropout(settings.dropout)
        embeddings = (self.source_embedding, self.target_embedding, self.source_positions, self.target_positions)
        for embedding in dict.fromkeys(embeddings):  # in a fixed order
            nn.init.normal_(embedding.weight, std=0.1)
        for layer in [*self.layers, *(layer for encoder in self.encoders for layer in encoder.layers)]:
            nn.init.normal_(layer.weight, std=math.sqrt(4 * (1 - settings.dropout) / (layer.kernel_size[0] * layer.in_channels)))
            nn.init.zeros_(layer.bias)
        self.head = TokenHead(size, n_target, tied=self.target_embedding if settings.tied else None, copy=settings.copy)

    def token_losses(self, batch: TokenBatch, smoothing: float) -> torch.Tensor:
        """Return the loss of every token of the targets, 0 for padding."""
        assert batch.target is not None
        memories = self._encode(batch)
        written = self._embed(written_before(batch.target), self.target_embedding, self.target_positions, 0)
        states, weights = self.inward(written), None
        for layer, residual, attentions in zip(self.layers, self.residuals, self.attentions, strict=True):
            seen = functional.pad(self.dropout(states).transpose(1, 2), (layer.kernel_size[0] - 1, 0))
            states, weights = self._layer(layer(seen), residual(states), written, attentions, memories)
        hidden = self.dropout(self.outward(states))
        return self.head.losses(hidden, weights, batch.source, batch.target, smoothing)

    def start(self, batch: TokenBatch, beam: int) -> ConvolutionState:
        """Return the state of `beam` hypotheses for each source."""
        memories = self._encode(batch)
        n, keys = batch.source.shape[0] * beam, memories[0].keys
        earlier = [keys.new_zeros(n, layer.in_channels, layer.kernel_size[0] - 1) for layer in self.layers]
        return ConvolutionState(memories=memories, source=batch.source, n_extra=batch.n_extra, earlier=earlier, beam=beam)

    def step(self, state: ConvolutionState, tokens: torch.Tensor) -> tuple[torch.Tensor, ConvolutionState]:
        """Return log-probabilities of what follows, and the next state."""
        words = self._embed(tokens[:, None], self.target_embedding, self.target_positions, state.n_written)
        written = words.view(-1, state.beam, words.shape[-1])
        states, weights, earlier = self.inward(written), None, []
        for layer, residual, attentions, before in zip(self.layers, self.residuals, self.attentions, state.earlier, strict=True):
            seen = torch.cat((before, states.reshape(-1, states.shape[-1], 1)), 2)
            earlier.append(seen[:, :, 1:])
            found = layer(seen).view(*states.shape[:2], -1).transpose(1, 2)
            states, weights = self._layer(found, residual(states), written, attentions, state.memories)
        found = self.head.log_probabilities(self.outward(states), weights, state.source.unsqueeze(1), state.n_extra)
        return found.flatten(0, 1), dataclasses.replace(state, earlier=earlier, n_written=state.n_written + 1)

    def select(self, state: ConvolutionState, rows: torch.Tensor, sources: torch.Tensor | None) -> ConvolutionState:
        """Return the state of these hypotheses."""
        state = dataclasses.replace(state, earlier=[item.index_select(0, rows) for item in state.earlier])
        if sources is None:
            return state
        memories = [memory.select(sources) for memory in state.memories]
        return dataclasses.replace(state, memories=memories, source=state.source.index_select(0, sources))

    def _layer(
        self,
        convolved: torch.Tensor,
        states: torch.Tensor,
        written: torch.Tensor,
        attentions: nn.ModuleList,
        memories: list[EncoderMemory],
    ) -> tuple[torch.Tensor, torch.Tensor]:
        """Return the next layer's states, and the weights of the source's places."""
        gated = functional.glu(convolved, 1).transpose(1, 2)
        found = [attention(gated, written, memory) for attention, memory in zip(attentions, memories, strict=True)]
        for seen, _ in found:
            gated = (gated + seen) * _HALF
        return (gated + states) * _HALF, found[0][1]

    def _encode(self, batch: TokenBatch) -> list[EncoderMemory]:
        inputs = [batch.source, *([batch.context] if self.settings.context and batch.context is not None else [])]
        memories = []
        for tokens, encoder in zip(inputs, self.encoders, strict=True):
            mask = tokens != PAD
            keys, values = encoder(self._embed(tokens, self.source_embedding, self.source_positions, 0), mask.unsqueeze(-1))
            memories.append(EncoderMemory(keys=keys, values=values, mask=mask))
        return memories

    def _embed(self, tokens: torch.Tensor, embedding: nn.Embedding, positions: nn.Embedding, first: int) -> torch.Tensor:
        places = torch.arange(first, first + tokens.shape[1], device=tokens.device) + _FIRST_POSITION
        return self.dropout(embedded(embedding, tokens) + positions(places.clamp(max=self.settings.positions - 1)))
