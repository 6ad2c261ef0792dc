"""Where hypotheses are in the tree that each writes, and what may follow by the grammar; as tensors, for all at once.

A hypothesis is in one of five modes, and has a stack of open slots. `GrammarDecoder` walks along targets in training and along
hypotheses in decoding.
"""

import dataclasses
from dataclasses import dataclass

import torch
from torch import nn

from repairlab.learning.networks.grammar_vocabulary import ENDLESS, REPEATS, SEPARATED, VANISHES, TreeGrammar, WordKind, word_tables
from repairlab.learning.networks.vocabulary import PAD

EDIT, POINT, TREE, COPIED, DONE = range(5)
"""Modes: expecting an edit or the end, the node it concerns, the next part of a tree, the node to copy, or nothing."""
N_MODES = 5
N_ABOVE = 4
"""Words above an open slot that a network sees."""


@dataclass(frozen=True, slots=True)
class TreeNodes:
    """Facts about the nodes of sources: a row per source, a column per node; padding has tag 0."""

    tags: torch.Tensor
    parents: torch.Tensor
    """Numbered from 1, as `left` and `first`; 0 is none."""
    left: torch.Tensor
    first: torch.Tensor
    ends: torch.Tensor
    types: torch.Tensor
    slots: torch.Tensor
    flags: torch.Tensor

    def select(self, sources: torch.Tensor) -> "TreeNodes":
        """Keep some sources."""
        return TreeNodes(*(getattr(self, name).index_select(0, sources) for name in self.__slots__))


@dataclass(frozen=True, slots=True)
class Walk:
    """Hypotheses, a row each."""

    mode: torch.Tensor
    edit: torch.Tensor
    """The edit that a node is sought for."""
    slots: torch.Tensor
    """Open slots, the next one at `height` - 1; 0 above it."""
    above: torch.Tensor
    """For each open slot the words above it, the nearest first."""
    height: torch.Tensor
    n_written: int = 0

    @property
    def slot(self) -> torch.Tensor:
        """Return the slot that is filled next; 0 where there is none."""
        return self.slots.gather(1, (self.height - 1).clamp(min=0).unsqueeze(1)).squeeze(1)

    @property
    def path(self) -> torch.Tensor:
        """Return the words above the slot that is filled next."""
        top = (self.height - 1).clamp(min=0).view(-1, 1, 1).expand(-1, 1, N_ABOVE)
        return self.above.gather(1, top).squeeze(1)

    def select(self, rows: torch.Tensor) -> "Walk":
        """Keep some hypotheses."""
        kept = {name: getattr(self, name).index_select(0, rows) for name in ("mode", "edit", "slots", "above", "height")}
        return dataclasses.replace(self, **kept)


@dataclass(frozen=True, slots=True)
class Touched:
    """What hypotheses have done to the nodes of their source: a row per hypothesis, a column per node."""

    gone: torch.Tensor
    """Replaced or deleted."""
    changed: torch.Tensor
    """Something in it was edited, so that replacing it would edit twice."""
    alike: torch.Tensor
    """How many of its kind are left beside it, itself included."""
    thinned: torch.Tensor
    """One of its kind was deleted."""

    def select(self, rows: torch.Tensor) -> "Touched":
        """Keep some hypotheses."""
        return Touched(*(getattr(self, name).index_select(0, rows) for name in self.__slots__))


class GrammarRules(nn.Module):
    """The grammar as tensors that are not weights."""

    def __init__(self, grammar: TreeGrammar) -> None:
        """Take the grammar."""
        super().__init__()
        found = word_tables(grammar)
        self.longest, self.n_slots, self.n_types = grammar.longest, len(found.allowed), len(grammar.types) + 1
        self.size = len(found.kinds)
        most = max((len(slots) for slots in found.slots), default=0) or 1
        allowed = torch.zeros(self.n_slots, self.n_types, dtype=torch.bool)
        for slot, types in enumerate(found.allowed):
            allowed[slot, types] = True
        costs = torch.tensor(found.costs)
        opened = torch.tensor([slots[::-1] + [0] * (most - len(slots)) for slots in found.slots])
        counts = torch.tensor([len(slots) for slots in found.slots])
        filled = torch.arange(most) < counts.unsqueeze(1)
        tables = {
            "kinds": torch.tensor(found.kinds),
            "types": torch.tensor(found.types),
            "opened": opened,
            "counts": counts,
            "allowed": allowed,
            "costs": costs,
            "opened_costs": (costs[opened] * filled).sum(1).clamp(max=ENDLESS),
        }
        for name, table in tables.items():
            self.register_buffer(name, table, persistent=False)

    def start(self, rows: int, device: torch.device) -> Walk:
        """Return hypotheses that have written nothing."""
        nothing = torch.zeros(rows, dtype=torch.long, device=device)
        slots = torch.zeros(rows, self.longest + 1, dtype=torch.long, device=device)
        above = torch.zeros(rows, self.longest + 1, N_ABOVE, dtype=torch.long, device=device)
        return Walk(mode=nothing, edit=nothing, slots=slots, above=above, height=nothing)

    def follow(self, walk: Walk, tokens: torch.Tensor, node_slots: torch.Tensor) -> Walk:
        """Return where hypotheses are after their next token; `node_slots` are the slots of the nodes that tokens point at."""
        is_pointer = tokens >= self.size
        word = tokens.masked_fill(is_pointer, 0)
        kind, edit_kind = self.kinds[word], self.kinds[walk.edit]
        opens_tree = (walk.mode == POINT) & is_pointer & (edit_kind != WordKind.DELETE)
        is_tree = (walk.mode == TREE) & ((kind == WordKind.RULE) | (kind == WordKind.TERMINAL))
        fills = is_tree | ((walk.mode == COPIED) & is_pointer)
        # What replaces the filled slot on the stack: the slots of a rule, or that of an edit's node.
        count = torch.where(opens_tree, 1, self.counts[word] * is_tree)
        base = walk.height - fills.long()
        places = torch.arange(walk.slots.shape[1], device=tokens.device) - base.unsqueeze(1)
        is_new = (places >= 0) & (places < count.unsqueeze(1))
        opened = self.opened[word].gather(1, places.clamp(0, self.opened.shape[1] - 1))
        opened = torch.where(opens_tree.unsqueeze(1), node_slots.unsqueeze(1), opened)
        slots = torch.where(is_new, opened, walk.slots.masked_fill(places >= 0, 0))
        path = torch.cat((torch.where(opens_tree, walk.edit, word).unsqueeze(1), walk.path[:, :-1]), 1)
        above = torch.where(is_new.unsqueeze(2), path.unsqueeze(1), walk.above.masked_fill((places >= 0).unsqueeze(2), 0))
        height = (base + count).clamp(0, walk.slots.shape[1])
        begins = (kind == WordKind.MODIFY) | (kind == WordKind.ADD) | (kind == WordKind.DELETE)
        is_over = (kind == WordKind.FINISH) | (kind == WordKind.END) | (walk.mode == DONE)
        mode = torch.where(height > 0, TREE, EDIT).masked_fill(begins, POINT).masked_fill(kind == WordKind.COPY, COPIED)
        return Walk(
            mode=torch.where(tokens == PAD, walk.mode, mode.masked_fill(is_over, DONE)),
            edit=torch.where(begins, word, walk.edit),
            slots=slots,
            above=above,
            height=height,
            n_written=walk.n_written + 1,
        )

    def untouched(self, nodes: TreeNodes, beam: int) -> Touched:
        """Return sources as `beam` hypotheses for each find them."""
        same = (nodes.first.unsqueeze(1) == nodes.first.unsqueeze(2)) & (nodes.tags > 0).unsqueeze(1)
        alike = same.sum(2).repeat_interleave(beam, 0)
        nothing = torch.zeros_like(alike, dtype=torch.bool)
        return Touched(gone=nothing, changed=nothing, alike=alike, thinned=nothing)

    def touch(self, touched: Touched, walk: Walk, tokens: torch.Tensor, nodes: TreeNodes) -> Touched:
        """Record what the pointers of edits do to the nodes; `walk` is where hypotheses were before them."""
        beam = len(tokens) // len(nodes.tags)
        every = torch.arange(nodes.tags.shape[1], device=tokens.device)
        place = (tokens - self.size).clamp(0, len(every) - 1)
        at = place.unsqueeze(1)
        first, end = (item.gather(1, place.view(-1, beam)).view(-1, 1) for item in (nodes.first, nodes.ends))
        kind = self.kinds[walk.edit].unsqueeze(1)
        is_edit = ((walk.mode == POINT) & (tokens >= self.size)).unsqueeze(1)
        fewer = is_edit & (kind == WordKind.DELETE) & (_each(nodes.first, beam) == first)
        return Touched(
            gone=touched.gone | (is_edit & (kind != WordKind.ADD) & (every >= at) & (every < end)),
            changed=touched.changed | (is_edit & (every <= at) & (_each(nodes.ends, beam) > at)),
            alike=touched.alike - fewer.long(),
            thinned=touched.thinned | fewer,
        )

    def may_follow(self, walk: Walk, touched: Touched, nodes: TreeNodes) -> torch.Tensor:
        """Return which words, and behind them which nodes, may come next: a row a hypothesis.

        What could not be brought to its end within the longest sequence may not begin.
        """
        beam = len(walk.mode) // len(nodes.tags)
        left = self.longest - walk.n_written - 1  # words that may follow the next one, the last of which finishes
        mode, kinds = walk.mode.unsqueeze(1), self.kinds
        # Trees: types that fit the slot, and what the other open slots need at least.
        costs = self.costs[walk.slots].masked_fill(walk.slots == 0, 0).sum(1)
        others = (costs - self.costs[walk.slot].masked_fill(walk.slot == 0, 0)).unsqueeze(1)
        fitting = self.allowed[walk.slot]
        in_tree = fitting[:, self.types] & (others + self.opened_costs + 1 <= left)
        is_node = _each(nodes.tags > 0, beam)
        copied = is_node & fitting.gather(1, _each(nodes.types, beam))
        in_tree = in_tree | ((kinds == WordKind.COPY) & copied.any(1, keepdim=True) & (others + 2 <= left))
        # Edits: nodes that still exist, if the grammar has room for the change.
        needed = self.costs[_each(nodes.slots, beam)] + 1
        repeats, separated, vanishes = (_each((nodes.flags & flag) > 0, beam) for flag in (REPEATS, SEPARATED, VANISHES))
        there = is_node & ~touched.gone
        thinner = (repeats & (touched.alike > 1)) | (vanishes & ~touched.thinned)
        targets = {
            WordKind.MODIFY: (there & ~touched.changed, needed),
            WordKind.ADD: (there & repeats & (~separated | (touched.alike > 1)), needed),  # what separates them is copied
            WordKind.DELETE: (there & ~touched.changed & thinner, torch.ones_like(needed)),
        }
        edits = kinds == WordKind.FINISH
        pointed = torch.zeros_like(there)
        for kind, (found, cost) in targets.items():
            edits = edits | ((kinds == kind) & (found & (cost + 1 <= left)).any(1, keepdim=True))
            pointed = pointed | (found & (cost <= left) & (kinds[walk.edit] == kind).unsqueeze(1))
        words = ((mode == TREE) & in_tree) | ((mode == EDIT) & edits) | ((mode == DONE) & (kinds == WordKind.END))
        return torch.cat((words, ((mode == POINT) & pointed) | ((mode == COPIED) & copied)), 1)


def _each(values: torch.Tensor, beam: int) -> torch.Tensor:
    """Return the rows of sources as rows of their hypotheses."""
    return values.repeat_interleave(beam, 0)
