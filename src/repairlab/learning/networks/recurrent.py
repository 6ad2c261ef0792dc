"""A recurrent network with attention, from sequences to sequences, with an optional pointer.

The encoder reads in both directions. Sequences are turned round within their length, so that padding stands behind in both
directions and no state depends on it.
"""

import dataclasses
from dataclasses import dataclass

import torch
from torch import nn

from repairlab.learning.networks.settings import NetworkSettings
from repairlab.learning.networks.tokens import TokenBatch, TokenHead, embedded, word_embeddings, written_before
from repairlab.learning.networks.vocabulary import PAD

CellState = tuple[torch.Tensor, ...]
"""Of one layer: rows, units; two of them for an LSTM."""


class RecurrentEncoder(nn.Module):
    """Layers that read in both directions."""

    def __init__(self, settings: NetworkSettings, embedding: int) -> None:
        """Take sizes; each direction has half of the units."""
        super().__init__()
        kind = nn.LSTM if settings.cell == "lstm" else nn.GRU
        sizes = [embedding] + [settings.width] * (settings.encoder_layers - 1)
        self.forwards = nn.ModuleList(kind(size, settings.width // 2, batch_first=True) for size in sizes)
        self.backwards = nn.ModuleList(kind(size, settings.width // 2, batch_first=True) for size in sizes)
        self.dropout = nn.Dropout(settings.dropout)

    def forward(self, inputs: torch.Tensor, lengths: torch.Tensor) -> tuple[torch.Tensor, list[CellState]]:
        """Return the states of all places, and the last one of every layer."""
        places = torch.arange(inputs.shape[1], device=inputs.device)
        turned = (lengths.unsqueeze(1) - 1 - places).clamp(min=0)
        last = (lengths - 1).view(-1, 1, 1)
        ends: list[CellState] = []
        for number, (forwards, backwards) in enumerate(zip(self.forwards, self.backwards, strict=True)):
            inputs = self.dropout(inputs) if number else inputs
            one = _last_and_all(forwards, inputs, last)
            other = _last_and_all(backwards, _take(inputs, turned), last)
            inputs = torch.cat((one[0], _take(other[0], turned)), -1)
            ends.append(tuple(torch.cat(pair, -1) for pair in zip(one[1], other[1], strict=True)))
        return inputs, ends


def _take(values: torch.Tensor, places: torch.Tensor) -> torch.Tensor:
    return values.gather(1, places.unsqueeze(-1).expand(-1, -1, values.shape[-1]))


def _last_and_all(cells: nn.Module, inputs: torch.Tensor, last: torch.Tensor) -> tuple[torch.Tensor, CellState]:
    """Return all states, and the one at the end of each sequence; an LSTM's memory there is its state."""
    states, _ = cells(inputs)
    end = states.gather(1, last.expand(-1, 1, states.shape[-1])).squeeze(1)
    return states, (end, end) if isinstance(cells, nn.LSTM) else (end,)


def _bias(source: torch.Tensor, memory: torch.Tensor) -> torch.Tensor:
    """Return what is added to the scores of a source's places: sources, 1, places."""
    return (
        torch.zeros(source.shape, dtype=memory.dtype, device=source.device).masked_fill(source == PAD, float("-inf")).unsqueeze(1)
    )


class SourceAttention(nn.Module):
    """Attention of a recurrent decoder: Luong's general form, or Bahdanau's with its own layer."""

    def __init__(self, width: int, kind: str) -> None:
        """Take the width and which of the two."""
        super().__init__()
        self.keys = nn.Linear(width, width, bias=False)
        self.query = nn.Linear(width, width) if kind == "mlp" else None
        self.score = nn.Linear(width, 1, bias=False) if kind == "mlp" else None
        self.out = nn.Linear(2 * width, width)

    def forward(
        self, states: torch.Tensor, memory: torch.Tensor, keys: torch.Tensor, bias: torch.Tensor
    ) -> tuple[torch.Tensor, torch.Tensor]:
        """Return the decoder's output at its places, and the weights of the source's places; `bias` is -inf for padding."""
        if self.query is not None and self.score is not None:
            scores = self.score(torch.tanh(self.query(states).unsqueeze(2) + keys.unsqueeze(1))).squeeze(-1) + bias
        else:
            scores = torch.baddbmm(bias, states, keys.transpose(1, 2))
        weights = scores.float().softmax(-1)
        seen = weights.to(memory.dtype) @ memory
        return torch.tanh(self.out(torch.cat((seen, states.to(seen.dtype)), -1))), weights


@dataclass(frozen=True, slots=True)
class RecurrentState:
    """Hypotheses in decoding."""

    memory: torch.Tensor
    keys: torch.Tensor
    source: torch.Tensor
    n_extra: int
    cells: list[CellState]
    """By layer, a row a hypothesis."""
    fed: torch.Tensor
    """The last output, a row a hypothesis."""
    beam: int


class Recurrent(nn.Module):
    """The whole network."""

    def __init__(self, settings: NetworkSettings, n_source: int, n_target: int) -> None:
        """Take settings and the sizes of the vocabularies, which may be one."""
        super().__init__()
        self.settings = settings
        width, size = settings.width, settings.embedding or settings.width
        self.source_embedding, self.target_embedding = word_embeddings(settings, n_source, n_target, size)
        self.encoder = RecurrentEncoder(settings, size)
        kind = nn.LSTM if settings.cell == "lstm" else nn.GRU
        layers = settings.decoder_layers
        inputs = size + width if settings.input_feeding else size
        self.cells = kind(inputs, width, layers, batch_first=True, dropout=settings.dropout if layers > 1 else 0.0)
        self.attention = SourceAttention(width, settings.attention)
        n_states = 2 if settings.cell == "lstm" else 1
        self.bridge = nn.ModuleList(nn.Linear(width, width) for _ in range(layers * n_states)) if settings.bridge else None
        self.dropout = nn.Dropout(settings.dropout)
        for weights in self.parameters():
            nn.init.uniform_(weights, -0.1, 0.1)
        self.head = TokenHead(width, n_target, tied=self.target_embedding if settings.tied else None, copy=settings.copy)

    def token_losses(self, batch: TokenBatch, smoothing: float) -> torch.Tensor:
        """Return the loss of every token of the targets, 0 for padding."""
        assert batch.target is not None
        memory, cells = self._encode(batch.source)
        keys, bias = self.attention.keys(memory), _bias(batch.source, memory)
        inputs = self._embed(written_before(batch.target), self.target_embedding)
        if self.settings.input_feeding:
            fed = memory.new_zeros(memory.shape[0], 1, self.settings.width)
            outputs, weights = [], []
            for given in inputs.split(1, 1):
                states, cells = self._advance(torch.cat((given, fed.to(given.dtype)), -1).squeeze(1), cells)
                fed, weight = self.attention(self.dropout(states).unsqueeze(1), memory, keys, bias)
                outputs.append(fed)
                weights.append(weight)
            output, weight = torch.cat(outputs, 1), torch.cat(weights, 1)
        else:
            first = tuple(torch.stack(parts) for parts in zip(*cells, strict=True))
            states, _ = self.cells(inputs, first if len(first) > 1 else first[0])
            output, weight = self.attention(self.dropout(states), memory, keys, bias)
        return self.head.losses(self.dropout(output), weight, batch.source, batch.target, smoothing)

    def start(self, batch: TokenBatch, beam: int) -> RecurrentState:
        """Return the state of `beam` hypotheses for each source."""
        memory, cells = self._encode(batch.source)
        rows = torch.arange(memory.shape[0], device=memory.device).repeat_interleave(beam)
        cells = [tuple(item.index_select(0, rows) for item in layer) for layer in cells]
        fed = memory.new_zeros(len(rows), self.settings.width)
        keys = self.attention.keys(memory)
        return RecurrentState(memory=memory, keys=keys, source=batch.source, n_extra=batch.n_extra, cells=cells, fed=fed, beam=beam)

    def step(self, state: RecurrentState, tokens: torch.Tensor) -> tuple[torch.Tensor, RecurrentState]:
        """Return log-probabilities of what follows, and the next state."""
        inputs = self._embed(tokens, self.target_embedding)
        if self.settings.input_feeding:
            inputs = torch.cat((inputs, state.fed), -1)
        states, cells = self._advance(inputs, state.cells)
        by_source = states.view(-1, state.beam, self.settings.width)
        output, weights = self.attention(by_source, state.memory, state.keys, _bias(state.source, state.memory))
        found = self.head.log_probabilities(output, weights, state.source.unsqueeze(1), state.n_extra)
        return found.flatten(0, 1), dataclasses.replace(state, cells=cells, fed=output.flatten(0, 1))

    def select(self, state: RecurrentState, rows: torch.Tensor, sources: torch.Tensor | None) -> RecurrentState:
        """Return the state of these hypotheses."""
        cells = [tuple(item.index_select(0, rows) for item in layer) for layer in state.cells]
        state = dataclasses.replace(state, cells=cells, fed=state.fed.index_select(0, rows))
        if sources is None:
            return state
        kept = {name: getattr(state, name).index_select(0, sources) for name in ("memory", "keys", "source")}
        return dataclasses.replace(state, **kept)

    def _advance(self, inputs: torch.Tensor, cells: list[CellState]) -> tuple[torch.Tensor, list[CellState]]:
        """Return the output after one token per row, and the cells; this takes fewer kernels than a sequence of one."""
        kept: list[CellState] = []
        for layer, state in enumerate(cells):
            weights = [getattr(self.cells, f"{name}_l{layer}") for name in ("weight_ih", "weight_hh", "bias_ih", "bias_hh")]
            inputs = self.dropout(inputs) if layer else inputs
            found = torch.lstm_cell(inputs, state, *weights) if len(state) > 1 else (torch.gru_cell(inputs, *state, *weights),)
            kept.append(found)
            inputs = found[0]
        return inputs, kept

    def _encode(self, source: torch.Tensor) -> tuple[torch.Tensor, list[CellState]]:
        memory, ends = self.encoder(self._embed(source, self.source_embedding), (source != PAD).sum(1))
        layers = self.settings.decoder_layers
        # A decoder with more layers than the encoder starts all further ones with the encoder's last.
        kept = [ends[min(layer, len(ends) - 1)] for layer in range(layers)]
        if self.bridge is not None:
            kept = [
                tuple(torch.tanh(self.bridge[part * layers + layer](state)) for part, state in enumerate(states))
                for layer, states in enumerate(kept)
            ]
        return memory, [tuple(state.to(memory.dtype) for state in states) for states in kept]

    def _embed(self, tokens: torch.Tensor, embedding: nn.Embedding) -> torch.Tensor:
        return self.dropout(embedded(embedding, tokens))
