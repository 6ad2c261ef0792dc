"""A network that edits a syntax tree by rules of its grammar (Recoder).

Zhu et al., "A Syntax-Guided Edit Decoder for Neural Program Repair" (ESEC/FSE 2021): the encoder mixes attention with convolutions
over the tree's graph, the decoder sees the path to what it expands, and writes rules, terminals, and pointers to nodes that are
replaced or copied. While it decodes, only what the grammar allows can follow.
"""

import dataclasses
import math
from dataclasses import dataclass

import torch
from torch import nn
from torch.nn import functional

from repairlab.learning.networks.grammar_vocabulary import N_CHARACTERS, N_CODES, N_FACTS, TreeGrammar
from repairlab.learning.networks.grammar_walk import N_ABOVE, N_MODES, GrammarRules, Touched, TreeNodes, Walk
from repairlab.learning.networks.settings import NetworkSettings
from repairlab.learning.networks.tokens import TokenBatch, written_before
from repairlab.learning.networks.transformer import SourceMemory, Transformer, TransformerState
from repairlab.learning.networks.vocabulary import PAD

_N_TAGS = 4


class GraphConvolution(nn.Module):
    """Each node receives from those with which it shares an edge (Kipf and Welling 2017)."""

    def __init__(self, settings: NetworkSettings) -> None:
        """Take sizes."""
        super().__init__()
        self.norm = nn.LayerNorm(settings.width)
        self.layers = nn.ModuleList([nn.Linear(settings.width, settings.width) for _ in range(2)])
        self.dropout = nn.Dropout(settings.dropout)

    def forward(self, states: torch.Tensor, edges: torch.Tensor) -> torch.Tensor:
        """Return the states of the next layer."""
        found = functional.gelu(edges.to(states.dtype) @ self.layers[0](self.norm(states)))
        return states + self.dropout(self.layers[1](found))


@dataclass(frozen=True, slots=True)
class GrammarState:
    """Hypotheses in decoding, and what each has made of its tree."""

    core: TransformerState
    nodes: TreeNodes
    walk: Walk
    touched: Touched


class GrammarDecoder(nn.Module):
    """The whole network; a number at or above the vocabulary's size points to a node of the source."""

    def __init__(self, settings: NetworkSettings, n_source: int, grammar: TreeGrammar) -> None:
        """Take settings, the number of labels, and the grammar."""
        super().__init__()
        width = settings.width
        self.rules = GrammarRules(grammar)
        own = dataclasses.replace(settings, copy=False, context=False, tied=False)  # labels and words are never the same
        self.core = Transformer(own, n_source, self.rules.size)
        if settings.tied:
            self.core.head.output.weight = self.core.target_embedding.weight
        self.graphs = nn.ModuleList(GraphConvolution(settings) for _ in range(settings.encoder_layers))
        self.types, self.tags = nn.Embedding(self.rules.n_types, width), nn.Embedding(_N_TAGS, width)
        self.characters, self.spelling = nn.Embedding(N_CODES, width // 4), nn.Linear(N_CHARACTERS * (width // 4), width)
        self.modes, self.slots = nn.Embedding(N_MODES, width), nn.Embedding(self.rules.n_slots, width)
        self.path, self.pointed = nn.Linear(N_ABOVE * width, width), nn.Linear(width, width)
        self.pointer = nn.ModuleList([nn.Linear(width, width), nn.Linear(width, width)])
        for embedding in (self.types, self.tags, self.characters, self.modes, self.slots):
            nn.init.normal_(embedding.weight, std=width**-0.5)

    def token_losses(self, batch: TokenBatch, smoothing: float) -> torch.Tensor:
        """Return the loss of every word and pointer of the targets, 0 for padding."""
        assert batch.target is not None
        target, size = batch.target, self.rules.size
        nodes, memory = self._read(batch)
        inputs = self._inputs(written_before(target), self._places(target, nodes), memory)
        states = self.core.decode_all(self.core.placed(inputs, 0), memory)
        words = functional.log_softmax(self.core.head.output(states).float(), -1)
        is_pointer = target >= size
        losses = -words.gather(-1, target.clamp(max=size - 1).unsqueeze(-1)).squeeze(-1)
        if smoothing:
            losses = (1 - smoothing) * losses - smoothing * words.mean(-1)
        pointed = self._pointed(states, memory, nodes)
        at_nodes = -pointed.gather(-1, (target - size).clamp(min=0).unsqueeze(-1)).squeeze(-1)
        return torch.where(is_pointer, at_nodes, losses) * (target != PAD)

    def start(self, batch: TokenBatch, beam: int) -> GrammarState:
        """Return the state of `beam` hypotheses for each source."""
        nodes, memory = self._read(batch)
        walk = self.rules.start(len(batch.source) * beam, batch.source.device)
        return GrammarState(
            core=self.core.start_from(memory, beam), nodes=nodes, walk=walk, touched=self.rules.untouched(nodes, beam)
        )

    def step(self, state: GrammarState, tokens: torch.Tensor) -> tuple[torch.Tensor, GrammarState]:
        """Return log-probabilities of what follows by the grammar, and the next state."""
        n, beam = len(state.nodes.tags), state.core.beam
        core, walk, touched, memory = state.core, state.walk, state.touched, state.core.memory
        if core.n_written:
            places = (tokens - self.rules.size).clamp(min=0).view(n, beam)
            touched = self.rules.touch(touched, walk, tokens, state.nodes)
            walk = self.rules.follow(walk, tokens, state.nodes.slots.gather(1, places).flatten())
        place = _Place(mode=walk.mode.view(n, beam), slot=walk.slot.view(n, beam), path=walk.path.view(n, beam, -1))
        inputs = self._inputs(tokens.view(n, beam), place, memory).view(n * beam, 1, -1)
        states, core = self.core.decode_next(self.core.placed(inputs, core.n_written), core)
        words = functional.log_softmax(self.core.head.output(states).float(), -1)
        found = torch.cat((words, self._pointed(states, memory, state.nodes)), -1).flatten(0, 1)
        found = found.masked_fill(~self.rules.may_follow(walk, touched, state.nodes), float("-inf"))
        return found, GrammarState(core=core, nodes=state.nodes, walk=walk, touched=touched)

    def select(self, state: GrammarState, rows: torch.Tensor, sources: torch.Tensor | None) -> GrammarState:
        """Return the state of these hypotheses."""
        return GrammarState(
            core=self.core.select(state.core, rows, sources),
            nodes=state.nodes if sources is None else state.nodes.select(sources),
            walk=state.walk.select(rows),
            touched=state.touched.select(rows),
        )

    def _read(self, batch: TokenBatch) -> tuple[TreeNodes, SourceMemory]:
        """Run the encoder."""
        assert batch.context is not None
        n, longest = batch.source.shape
        room = functional.pad(batch.context, (0, max(0, longest * N_FACTS - batch.context.shape[1])))
        facts = room[:, : longest * N_FACTS].view(n, longest, N_FACTS)
        first = len(TreeNodes.__slots__)
        nodes = TreeNodes(*facts[..., :first].unbind(-1))
        spelt = self.spelling(self.characters(facts[..., first:]).flatten(2))
        # As large as embeddings that `embed` scales.
        more = (self.types(nodes.types) + self.tags(nodes.tags)) * math.sqrt(self.core.settings.width) + spelt
        states = self.core.placed(self.core.scaled(batch.source, self.core.source_embedding) + more, 0)
        mask, turns, edges = (batch.source != PAD)[:, None, None, :], self.core.turns(0, longest), _edges(nodes)
        for layer, graph in zip(self.core.encoders[0], self.graphs, strict=True):
            states = graph(layer(states, mask, turns), edges)
        states = self.core.encoder_norms[0](states)
        return nodes, SourceMemory(states=[states], biases=[mask], source=batch.source, n_extra=longest)

    def _places(self, target: torch.Tensor, nodes: TreeNodes) -> "_Place":
        """Return where in its tree each token of the targets is written."""
        walk = self.rules.start(len(target), target.device)
        node_slots = nodes.slots.gather(1, (target - self.rules.size).clamp(0, nodes.slots.shape[1] - 1))
        found = []
        for at in range(target.shape[1]):
            found.append((walk.mode, walk.slot, walk.path))
            walk = self.rules.follow(walk, target[:, at], node_slots[:, at])
        mode, slot, path = (torch.stack(items, 1) for items in zip(*found, strict=True))
        return _Place(mode=mode, slot=slot, path=path)

    def _inputs(self, tokens: torch.Tensor, place: "_Place", memory: SourceMemory) -> torch.Tensor:
        """Return the decoder's input: the last word or node, and where in its tree the next one stands."""
        core, size = self.core, self.rules.size
        width = core.settings.width
        is_pointer = (tokens >= size).unsqueeze(-1)
        at = (tokens - size).clamp(min=0).unsqueeze(-1).expand(-1, -1, width)
        words = core.scaled(tokens.masked_fill(is_pointer.squeeze(-1), PAD), core.target_embedding)
        last = torch.where(is_pointer, self.pointed(memory.states[0].gather(1, at)).to(words.dtype), words)
        around = (self.modes(place.mode) + self.slots(place.slot)) * math.sqrt(width)
        path = self.path(core.scaled(place.path, core.target_embedding).flatten(-2))
        return last + around + path

    def _pointed(self, states: torch.Tensor, memory: SourceMemory, nodes: TreeNodes) -> torch.Tensor:
        """Return log-probabilities of the nodes: sources, places of the decoder, nodes."""
        scores = (self.pointer[0](states) @ self.pointer[1](memory.states[0]).transpose(1, 2)).float()
        scores = scores / math.sqrt(self.core.settings.width)
        return functional.log_softmax(scores.masked_fill((nodes.tags == 0).unsqueeze(1), -1e9), -1)


@dataclass(frozen=True, slots=True)
class _Place:
    """Where in a tree something is written: the mode, the open slot, and the words above it."""

    mode: torch.Tensor
    slot: torch.Tensor
    path: torch.Tensor


def _edges(nodes: TreeNodes) -> torch.Tensor:
    """Return the graph of the trees: edges to parents, to siblings and to itself, over the root of both degrees."""
    n, longest = nodes.tags.shape
    own = torch.arange(longest, device=nodes.tags.device).expand(n, -1)
    edges = torch.eye(longest, device=nodes.tags.device).repeat(n, 1, 1)
    for others in (nodes.parents, nodes.left):
        edges.scatter_(2, torch.where(others > 0, others - 1, own).unsqueeze(2), 1.0)
    edges = torch.maximum(edges, edges.transpose(1, 2))
    scale = edges.sum(2).rsqrt()
    return edges * scale.unsqueeze(1) * scale.unsqueeze(2)
