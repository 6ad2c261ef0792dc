"""A Transformer from sequences to sequences, with an optional second encoder and an optional pointer.

Layers normalise their input (pre-norm). In decoding, keys and values of a source are kept once for all of its hypotheses.
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

KeysValues = tuple[torch.Tensor, torch.Tensor]
_ROOM = 32
"""Places by which the room of what is written grows: more are read in vain, fewer make it move more often."""
_ALIGNED = 16
"""Attention copies a mask at every step whose rows do not begin at multiples of this."""


class Attention(nn.Module):
    """Attention with several heads."""

    def __init__(self, width: int, heads: int, dropout: float) -> None:
        """Take sizes."""
        super().__init__()
        self.heads, self.dropout = heads, dropout
        self.query, self.keys_values, self.out = nn.Linear(width, width), nn.Linear(width, 2 * width), nn.Linear(width, width)

    def project(self, memory: torch.Tensor, turns: torch.Tensor | None) -> KeysValues:
        """Return keys and values of what is attended to: rows, heads, places, units."""
        keys, values = self.keys_values(memory).chunk(2, -1)
        return _turned(self._split(keys), turns), self._split(values)

    def forward(
        self,
        inputs: torch.Tensor,
        memory: KeysValues,
        turns: torch.Tensor | None,
        *,
        bias: torch.Tensor | None = None,
        causal: bool = False,
    ) -> torch.Tensor:
        """Attend from every place of `inputs`; `bias` is a mask, or is added to the scores."""
        dropout = self.dropout if self.training else 0.0
        query = _turned(self._split(self.query(inputs)), turns)
        found = functional.scaled_dot_product_attention(query, *memory, attn_mask=bias, dropout_p=dropout, is_causal=causal)
        return self.out(found.transpose(1, 2).flatten(2))

    def _split(self, values: torch.Tensor) -> torch.Tensor:
        return values.unflatten(-1, (self.heads, -1)).transpose(1, 2)


def _turned(values: torch.Tensor, turns: torch.Tensor | None) -> torch.Tensor:
    """Turn pairs of units by the angle of their place (RoPE, Su et al. 2021): products then depend on distances alone."""
    if turns is None:
        return values
    pairs = torch.view_as_complex(values.float().unflatten(-1, (-1, 2)))
    return torch.view_as_real(pairs * turns).flatten(-2).to(values.dtype)


def _as_bias(mask: torch.Tensor, dtype: torch.dtype) -> torch.Tensor:
    """Return a mask as what is added to scores: attention would turn it into that at every step."""
    if mask.dtype != torch.bool:
        return mask
    n = mask.shape[-1]
    added = torch.zeros_like(functional.pad(mask, (0, -n % _ALIGNED)), dtype=dtype)[..., :n]
    return added.masked_fill_(~mask, float("-inf"))


class FeedForward(nn.Sequential):
    """Two layers at every place."""

    def __init__(self, width: int, inner: int, dropout: float) -> None:
        """Take sizes."""
        super().__init__(nn.Linear(width, inner), nn.GELU(), nn.Dropout(dropout), nn.Linear(inner, width))


class EncoderLayer(nn.Module):
    """Attention to the sequence itself, then two layers."""

    def __init__(self, settings: NetworkSettings) -> None:
        """Take sizes."""
        super().__init__()
        width = settings.width
        self.attention = Attention(width, settings.heads, settings.dropout)
        self.feed_forward = FeedForward(width, settings.feed_forward or 4 * width, settings.dropout)
        self.norms = nn.ModuleList([nn.LayerNorm(width), nn.LayerNorm(width)])
        self.dropout = nn.Dropout(settings.dropout)

    def forward(self, inputs: torch.Tensor, mask: torch.Tensor, turns: torch.Tensor | None) -> torch.Tensor:
        """Return the states of the next layer."""
        normal = self.norms[0](inputs)
        inputs = inputs + self.dropout(self.attention(normal, self.attention.project(normal, turns), turns, bias=mask))
        return inputs + self.dropout(self.feed_forward(self.norms[1](inputs)))


class DecoderLayer(nn.Module):
    """Attention to what was written, to the source, to the context if there is one, then two layers."""

    def __init__(self, settings: NetworkSettings) -> None:
        """Take sizes."""
        super().__init__()
        width, heads, dropout = settings.width, settings.heads, settings.dropout
        self.own = Attention(width, heads, dropout)
        self.across = nn.ModuleList(Attention(width, heads, dropout) for _ in range(2 if settings.context else 1))
        self.feed_forward = FeedForward(width, settings.feed_forward or 4 * width, dropout)
        self.norms = nn.ModuleList(nn.LayerNorm(width) for _ in range(2 + len(self.across)))
        self.dropout = nn.Dropout(dropout)
        self.is_aligned = settings.places == "aligned"

    def forward(
        self,
        inputs: torch.Tensor,
        turns: torch.Tensor | None,
        memories: list[KeysValues],
        biases: list[torch.Tensor],
        written: "WrittenPlaces | None",
        beam: int,
    ) -> torch.Tensor:
        """Return the states of the next layer.

        With `written`, `inputs` is the next place for each of `beam` hypotheses of a source; else all places at once.
        """
        normal = self.norms[0](inputs).to(self.own.query.weight.dtype)  # once for queries, and keys and values
        mine = self.own.project(normal, turns)
        if written is not None:
            mine = written.put(*mine)
        bias = None if written is None else written.bias
        inputs = inputs + self.dropout(self.own(normal, mine, turns, bias=bias, causal=written is None))
        if written is not None:
            inputs = inputs.view(-1, beam, inputs.shape[-1])
        for attention, norm, memory, bias in zip(self.across, self.norms[1:-1], memories, biases, strict=True):
            inputs = inputs + self.dropout(attention(norm(inputs), memory, turns if self.is_aligned else None, bias=bias))
        inputs = inputs + self.dropout(self.feed_forward(self.norms[-1](inputs)))
        return inputs if written is None else inputs.view(-1, 1, inputs.shape[-1])


@dataclass(frozen=True, slots=True)
class SourceMemory:
    """What encoders made of sources: states and masks of the source and, if there is one, of the context."""

    states: list[torch.Tensor]
    biases: list[torch.Tensor]
    source: torch.Tensor
    n_extra: int

    def select(self, sources: torch.Tensor) -> "SourceMemory":
        """Keep some sources."""
        states = [item.index_select(0, sources) for item in self.states]
        biases = [item.index_select(0, sources) for item in self.biases]
        return dataclasses.replace(self, states=states, biases=biases, source=self.source.index_select(0, sources))


@dataclass(frozen=True, slots=True)
class WrittenPlaces:
    """Keys and values of what hypotheses have written, of one layer, with room for more."""

    own: torch.Tensor
    """Hypotheses, places, two, heads, units."""
    bias: torch.Tensor
    place: torch.Tensor

    def put(self, keys: torch.Tensor, values: torch.Tensor) -> KeysValues:
        """Put those of the next place where they belong; return all: hypotheses, heads, places, units."""
        for number, new in enumerate((keys, values)):
            self.own[:, :, number].index_copy_(1, self.place, new.transpose(1, 2))
        return self.own[:, :, 0].transpose(1, 2), self.own[:, :, 1].transpose(1, 2)


@dataclass(frozen=True, slots=True)
class TransformerState:
    """Hypotheses in decoding.

    Shapes depend on the room for what is written and not on how much was written, and where a step writes is a tensor: so a step
    can be recorded, and repeated until the room is filled.
    """

    memory: SourceMemory
    across: list[list[KeysValues]]
    """By layer: keys and values of source and context, a row a source."""
    own: torch.Tensor
    """Keys and values of what was written, and room for more: hypotheses, places, layers, two, heads, units. All of a hypothesis
    lies together, so that choosing hypotheses is one copy of long rows, and appending to them none."""
    bias: torch.Tensor
    """By place: what is added to the scores of attention, which sees no place that is not written."""
    place: torch.Tensor
    """The number of places that were written: where the next one goes."""
    beam: int
    spare: torch.Tensor | None = None
    """As large as `own`: where hypotheses are copied that are chosen."""
    n_written: int = 0


class Transformer(nn.Module):
    """The whole network."""

    def __init__(self, settings: NetworkSettings, n_source: int, n_target: int) -> None:
        """Take settings and the sizes of the vocabularies, which may be one."""
        super().__init__()
        self.settings = settings
        width = settings.width
        self.source_embedding, self.target_embedding = word_embeddings(settings, n_source, n_target, width)
        self.positions = nn.Embedding(settings.positions, width) if settings.places == "learned" else None
        self.encoders = nn.ModuleList(
            nn.ModuleList(EncoderLayer(settings) for _ in range(settings.encoder_layers))
            for _ in range(2 if settings.context else 1)
        )
        self.decoder = nn.ModuleList(DecoderLayer(settings) for _ in range(settings.decoder_layers))
        self.encoder_norms = nn.ModuleList(nn.LayerNorm(width) for _ in self.encoders)
        self.decoder_norm = nn.LayerNorm(width)
        self.dropout = nn.Dropout(settings.dropout)
        self.pointer = nn.ModuleList([nn.Linear(width, width), nn.Linear(width, width)]) if settings.copy else None
        for weights in self.parameters():
            if weights.dim() > 1:
                nn.init.xavier_uniform_(weights)
        for embedding in dict.fromkeys((self.source_embedding, self.target_embedding, self.positions)):  # in a fixed order
            if embedding is not None:
                nn.init.normal_(embedding.weight, std=width**-0.5)
        units = width // settings.heads // 2
        self.register_buffer("angles", 10_000.0 ** -(torch.arange(units) / units), persistent=False)
        self.head = TokenHead(width, n_target, tied=self.target_embedding if settings.tied else None, copy=settings.copy)

    def token_losses(self, batch: TokenBatch, smoothing: float) -> torch.Tensor:
        """Return the loss of every token of the targets, 0 for padding."""
        assert batch.target is not None
        return self.losses_from(self.encode(batch), batch.target, smoothing)

    def losses_from(self, memory: SourceMemory, target: torch.Tensor, smoothing: float) -> torch.Tensor:
        """Return the loss of every token of the targets for sources that were read."""
        inputs = self.placed(self.scaled(written_before(target), self.target_embedding), 0)
        states = self.decode_all(inputs, memory)
        return self.head.losses(states, self._copied(states, memory), memory.source, target, smoothing)

    def decode_all(self, states: torch.Tensor, memory: SourceMemory) -> torch.Tensor:
        """Run the decoder over all places of targets at once."""
        turns = self.turns(0, states.shape[1])
        for layer, across in zip(self.decoder, self._across(memory), strict=True):
            states = layer(states, turns, across, memory.biases, None, 1)
        decoded: torch.Tensor = self.decoder_norm(states)
        return decoded

    def encode(self, batch: TokenBatch) -> SourceMemory:
        """Run the encoders."""
        inputs = [batch.source, *([batch.context] if self.settings.context and batch.context is not None else [])]
        states, biases = [], []
        for tokens, layers, norm in zip(inputs, self.encoders, self.encoder_norms, strict=True):
            mask = (tokens != PAD)[:, None, None, :]
            found, turns = self.placed(self.scaled(tokens, self.source_embedding), 0), self.turns(0, tokens.shape[1])
            for layer in layers:
                found = layer(found, mask, turns)
            states.append(norm(found))
            biases.append(mask)
        return SourceMemory(states=states, biases=biases, source=batch.source, n_extra=batch.n_extra)

    def start(self, batch: TokenBatch, beam: int) -> TransformerState:
        """Return the state of `beam` hypotheses for each source."""
        return self.start_from(self.encode(batch), beam)

    def start_from(self, memory: SourceMemory, beam: int) -> TransformerState:
        """Return the state of hypotheses about sources that were read."""
        across = self._across(memory)
        heads, rows = self.settings.heads, memory.source.shape[0] * beam
        keys = across[0][0][0]
        own = keys.new_zeros(rows, _ROOM, len(across), 2, heads, self.settings.width // heads)
        told = dataclasses.replace(memory, biases=[_as_bias(item, keys.dtype) for item in memory.biases])
        place = torch.zeros(1, dtype=torch.long, device=keys.device)
        return TransformerState(memory=told, across=across, own=own, bias=_bias_of(own, 0), place=place, beam=beam)

    def _across(self, memory: SourceMemory) -> list[list[KeysValues]]:
        """Return keys and values of source and context by layer."""
        turns = [self.turns(0, item.shape[1]) if self.settings.places == "aligned" else None for item in memory.states]
        return [
            [attention.project(*item) for attention, *item in zip(layer.across, memory.states, turns, strict=True)]
            for layer in self.decoder
        ]

    def step(self, state: TransformerState, tokens: torch.Tensor) -> tuple[torch.Tensor, TransformerState]:
        """Return log-probabilities of what follows, and the next state."""
        inputs = self.placed(self.scaled(tokens[:, None], self.target_embedding), state.place)
        states, state = self.decode_next(inputs, state)
        memory = state.memory
        found = self.head.log_probabilities(states, self._copied(states, memory), memory.source.unsqueeze(1), memory.n_extra)
        return found.flatten(0, 1), state

    def decode_next(self, states: torch.Tensor, state: TransformerState) -> tuple[torch.Tensor, TransformerState]:
        """Run the decoder over one new place of every hypothesis: sources, hypotheses, units; and the next state."""
        if state.n_written == state.own.shape[1]:  # nothing was chosen since the last place
            state = _moved(state, _with_room(state.own))
        turns = self.turns(state.place, 1)
        state.bias.index_fill_(-1, state.place, 0.0)
        for number, (layer, across) in enumerate(zip(self.decoder, state.across, strict=True)):
            written = WrittenPlaces(own=state.own[:, :, number], bias=state.bias, place=state.place)
            states = layer(states, turns, across, state.memory.biases, written, state.beam)
        state.place.add_(1)
        states = self.decoder_norm(states).view(-1, state.beam, self.settings.width)
        return states, dataclasses.replace(state, n_written=state.n_written + 1)

    def select(self, state: TransformerState, rows: torch.Tensor, sources: torch.Tensor | None) -> TransformerState:
        """Return the state of these hypotheses."""
        own = state.own
        if state.n_written == own.shape[1]:
            state = _moved(state, _with_room(own, rows))
        elif state.spare is None or sources is not None:
            state = dataclasses.replace(state, own=own.index_select(0, rows), spare=own if sources is None else None)
        else:
            torch.index_select(own, 0, rows, out=state.spare)
            state = dataclasses.replace(state, own=state.spare, spare=own)
        if sources is None:
            return state
        across = [
            [(keys.index_select(0, sources), values.index_select(0, sources)) for keys, values in item] for item in state.across
        ]
        return dataclasses.replace(state, across=across, memory=state.memory.select(sources))

    def ahead(self, state: TransformerState, n: int) -> TransformerState | None:
        """Return the state `n` steps on, in the same tensors; none where steps and choices between them have to move it."""
        if state.n_written + n > state.own.shape[1] or (state.beam > 1 and state.spare is None):
            return None
        return dataclasses.replace(state, n_written=state.n_written + n)

    def scaled(self, tokens: torch.Tensor, embedding: nn.Embedding) -> torch.Tensor:
        """Return the vectors of tokens."""
        return embedded(embedding, tokens) * math.sqrt(self.settings.width)

    def placed(self, vectors: torch.Tensor, first: int | torch.Tensor) -> torch.Tensor:
        """Return vectors with their places, where those are learned, from the first one on."""
        if self.positions is not None:
            vectors = vectors + self._positions(first, vectors.shape[1])
        dropped: torch.Tensor = self.dropout(vectors)
        return dropped

    def _positions(self, first: int | torch.Tensor, n: int) -> torch.Tensor:
        """Return the vectors of `n` places; those behind the last one that was learned are as good as it."""
        assert self.positions is not None
        last = self.settings.positions - 1
        if isinstance(first, int) and first + n <= last + 1:
            return self.positions.weight[first : first + n]
        places = (first + torch.arange(n, device=self.positions.weight.device)).clamp(max=last)
        vectors: torch.Tensor = self.positions(places)
        return vectors

    def turns(self, first: int | torch.Tensor, n: int) -> torch.Tensor | None:
        """Return how the queries and keys of `n` places are turned, as complex numbers: places, half of a head's units."""
        if self.positions is not None:
            return None
        angles = (first + torch.arange(n, device=self.angles.device)).unsqueeze(1) * self.angles
        return torch.polar(torch.ones_like(angles), angles)

    def _copied(self, states: torch.Tensor, memory: SourceMemory) -> torch.Tensor | None:
        if self.pointer is None:
            return None
        scores = self.pointer[0](states) @ self.pointer[1](memory.states[0]).transpose(1, 2)
        scores = scores.float() / math.sqrt(self.settings.width)
        return scores.masked_fill((memory.source == PAD).unsqueeze(1), float("-inf")).softmax(-1)


def _bias_of(own: torch.Tensor, n_written: int) -> torch.Tensor:
    """Return a mask of what is not written, for all hypotheses and heads."""
    bias = own.new_full((1, 1, 1, own.shape[1]), float("-inf"))
    bias[..., :n_written] = 0.0
    return bias


def _with_room(own: torch.Tensor, rows: torch.Tensor | None = None) -> torch.Tensor:
    """Return hypotheses, or these of them, with room for more places; what nobody wrote must be finite, though nobody sees it."""
    n = own.shape[1]
    roomy = own.new_empty(len(own) if rows is None else len(rows), n + _ROOM, *own.shape[2:])
    roomy[:, n:] = 0.0
    if rows is None:
        roomy[:, :n] = own
    else:
        torch.index_select(own, 0, rows, out=roomy[:, :n])
    return roomy


def _moved(state: TransformerState, own: torch.Tensor) -> TransformerState:
    return dataclasses.replace(state, own=own, spare=None, bias=_bias_of(own, state.n_written))
