"""Data flow as CodeXGLUE's CodeBLEU extracts it, faults included, so that its numbers can be reached.

Ours differs in one thing: sources are in the order of the text and not of a hash table, so equal texts give equal flow in every
process.
"""

from collections.abc import Sequence
from typing import NamedTuple

from tree_sitter import Node

from repairlab.languages.facts import CodexglueNodes, Defines, flow_of
from repairlab.languages.parser import Parsed

_States = dict[str, tuple[int, ...]]


class CodexglueItem(NamedTuple):
    """One token that has a value, where that comes from, and how."""

    name: str
    at: int
    relation: str
    sources: tuple[str, ...]
    places: tuple[int, ...]


_Items = list[CodexglueItem]


class _NoElseError(Exception):
    """A condition without `else`: the version of 2020 fails and treats the whole text as one without flow."""


def codexglue_flow(language: str, source: str, *, of_2020: bool) -> list[CodexglueItem] | None:
    """Return the tokens that take part in the flow, in text order; empty for a language that CodeXGLUE lacks."""
    table = flow_of(language)
    if table.codexglue is None:
        return None
    walk = _Walk(Parsed(language, source), table.codexglue, table.literals, of_2020=of_2020)
    try:
        items, _ = walk.follow(walk.parsed.root, {})
    except (RecursionError, _NoElseError):
        return []
    used = {item.at for item in items if item.places} | {place for item in items for place in item.places}
    merged: dict[int, CodexglueItem] = {}
    for item in _sorted(items):
        if item.at in used:
            before = merged.get(item.at)
            merged[item.at] = item if before is None else _both(before, item)._replace(relation=item.relation)
    return list(merged.values())


class _Walk:
    """One walk through a tree."""

    def __init__(self, parsed: Parsed, nodes: CodexglueNodes, literals: frozenset[str], *, of_2020: bool) -> None:
        self.parsed, self._nodes, self._literals = parsed, nodes, literals
        self._fails_without_else = of_2020 and nodes.needs_else

    def follow(self, node: Node, states: _States) -> tuple[_Items, _States]:
        nodes, kind = self._nodes, node.type
        if self._is_leaf(node):
            return self._leaf(node, states)
        if kind in nodes.declarations:
            return self._declaration(node, states)
        if kind in nodes.assignments:
            return self._assignment(node, states)
        if kind in nodes.updates:
            places = self._values(node)
            return self._given(places, [places] * len(places), dict(states))
        if kind in nodes.branches:
            return self._branches(node, states)
        if kind in nodes.counting_loops:
            return self._counting_loop(node, states, nodes.counting_loops[kind])
        if kind in nodes.for_each:
            return self._for_each(node, nodes.for_each[kind], states)
        rounds = 2 if kind in nodes.while_loops else 1
        first = [child for child in node.children if child.type in nodes.first]
        items, states = self._all((first + [child for child in node.children if child not in first]) * rounds, states)
        return (_merged(items) if rounds > 1 else _sorted(items)), states

    def _is_leaf(self, node: Node) -> bool:
        # In the grammars of 2020 a string is one token.
        return (not node.child_count or node.type in self._literals) and node.type != "comment"

    def _leaf(self, node: Node, states: _States) -> tuple[_Items, _States]:
        name, at = self.parsed.text(node), node.start_byte
        if node.type == name:
            return [], states
        if name in states:
            return [CodexglueItem(name, at, "comesFrom", (name,), states[name])], states
        if node.type == "identifier":
            states = {**states, name: (at,)}
        return [CodexglueItem(name, at, "comesFrom", (), ())], states

    def _all(self, parts: Sequence[Node], states: _States) -> tuple[_Items, _States]:
        items: _Items = []
        for part in parts:
            found, states = self.follow(part, states)
            items += found
        return items, states

    def _values(self, node: Node | None) -> list[tuple[str, int]]:
        """Return the tokens of a node that are values: those not spelt like their kind."""
        if node is None:
            return []
        if self._is_leaf(node):
            name = self.parsed.text(node)
            return [] if node.type == name else [(name, node.start_byte)]
        return [found for child in node.children for found in self._values(child)]

    def _given(
        self,
        names: Sequence[tuple[str, int]],
        sources: Sequence[Sequence[tuple[str, int]]],
        states: _States,
        *,
        how: str = "computedFrom",
    ) -> tuple[_Items, _States]:
        items = []
        for (name, at), values in zip(names, sources, strict=True):
            items += [CodexglueItem(name, at, how, (value,), (place,)) for value, place in values]
            states[name] = (at,)
        return items, states

    def _declaration(self, node: Node, states: _States) -> tuple[_Items, _States]:
        names, value = self._values(node.child_by_field_name("name")), node.child_by_field_name("value")
        if value is None:
            new = {name: (at,) for name, at in names}
            return [CodexglueItem(name, at, "comesFrom", (), ()) for name, at in names], {**states, **new}
        items, states = self.follow(value, states)
        given, states = self._given(names, [self._values(value)] * len(names), dict(states), how="comesFrom")
        return _sorted(items + given), states

    def _assignment(self, node: Node, states: _States) -> tuple[_Items, _States]:
        left, right = node.child_by_field_name("left"), node.child_by_field_name("right")
        if left is None or right is None:
            return [], states
        if node.type in self._nodes.first:
            right = node.children[-1]
            return self._pairs([left], [right], states)
        return self._pairs(*self._sides(left, right), states)

    def _sides(self, left: Node, right: Node) -> tuple[list[Node], list[Node]]:
        if self._nodes.pairwise:
            lefts, rights = ([part for part in side.children if part.type != ","] for side in (left, right))
            if lefts and len(lefts) == len(rights):
                return lefts, rights
        return [left], [right]

    def _pairs(self, lefts: Sequence[Node], rights: Sequence[Node], states: _States) -> tuple[_Items, _States]:
        items, states = self._all(rights, states)
        states = dict(states)
        for left, right in zip(lefts, rights, strict=True):
            names, values = self._values(left), self._values(right)
            if self._nodes.pairwise:  # one item with all sources, and an item even without any
                for name, at in names:
                    sources = (tuple(value for value, _ in values), tuple(place for _, place in values))
                    items.append(CodexglueItem(name, at, "computedFrom", *sources))
                    states[name] = (at,)
            else:
                given, states = self._given(names, [values] * len(names), states)
                items += given
        return _sorted(items), states

    def _branches(self, node: Node, states: _States) -> tuple[_Items, _States]:
        items: _Items = []
        current, others, has_else = states, list[_States](), "else" in node.type
        for child in node.children:
            has_else = has_else or "else" in child.type
            is_other = child.type in self._nodes.other_branches
            if is_other or (others and not self._nodes.pairwise):
                found, new = self.follow(child, states)
                others.append(new)
            else:
                found, current = self.follow(child, current)
            items += found
        if not has_else and self._fails_without_else:
            raise _NoElseError
        joined: dict[str, set[int]] = {}
        for state in [*others, current, *([] if has_else else [states])]:
            for name, places in state.items():
                joined.setdefault(name, set()).update(places)
        return _sorted(items), {name: tuple(sorted(places)) for name, places in joined.items()}

    def _counting_loop(self, node: Node, states: _States, first: str) -> tuple[_Items, _States]:
        at = next((index for index, child in enumerate(node.children) if child.type == first), len(node.children))
        items, states = self._all([*node.children, *node.children[at + 1 :]], states)
        return _merged(items), states

    def _for_each(self, node: Node, defines: Defines, states: _States) -> tuple[_Items, _States]:
        left, right = node.child_by_field_name(defines.name), node.child_by_field_name(defines.value)
        body = node.children[-1] if self._nodes.pairwise else node.child_by_field_name("body")
        items: _Items = []
        for _ in range(2):
            if left is not None and right is not None:
                found, states = self._pairs(*self._sides(left, right), states)
                items += found
            if body is not None and (not self._nodes.pairwise or body.type == "block"):
                found, states = self.follow(body, states)
                items += found
        return _merged(items), states


def _sorted(items: Sequence[CodexglueItem]) -> _Items:
    return sorted(items, key=lambda item: item.at)


def _merged(items: Sequence[CodexglueItem]) -> _Items:
    found: dict[tuple[str, int, str], CodexglueItem] = {}
    for item in items:
        key = item[:3]
        found[key] = _both(found[key], item) if key in found else item
    return _sorted(list(found.values()))


def _both(one: CodexglueItem, other: CodexglueItem) -> CodexglueItem:
    sources = tuple(dict.fromkeys(one.sources + other.sources))
    return one._replace(sources=sources, places=tuple(sorted({*one.places, *other.places})))
