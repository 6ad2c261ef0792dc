"""From two trees to the edits that turn one into the other, and from edits to a tree.

Edits are tried from the deepest differing node upwards; whatever does not give the fixed tokens when applied is written as a change
of the whole node instead.
"""

import ast
from collections.abc import Mapping, Sequence

from repairlab.core.text import common_ends
from repairlab.learning.representations.code_tree import CodeNode
from repairlab.learning.representations.recoder_grammar import (
    COPY,
    EDITS,
    END,
    pointed,
    pointer,
    removed,
    rule_parts,
    terminal,
    terminal_parts,
)

_Key = tuple[str, tuple[str, ...]]


def written_edits(old: CodeNode, new: CodeNode) -> tuple[str, ...]:
    """Return the sequence that turns the tree of the source into another."""
    if old.words() == new.words():
        return (END,)
    sources: dict[_Key, CodeNode] = {}
    for node in old.named():
        sources.setdefault(_key(node), node)
    return (*_Writer(sources).edits(old, new), END)


def subtree_edit(old: CodeNode, new: CodeNode) -> tuple[str, ...]:
    """Return the change of the smallest node that holds all that differs: its new tree by rules, with copied leaves (CODIT)."""
    if old.words() == new.words():
        return (END,)
    leaves = {_key(node): node for node in reversed(old.named()) if not node.children}
    place, wanted = old, new
    while place.children and place.rule == wanted.rule:
        differing = [pair for pair in zip(place.children, wanted.children, strict=True) if _key(pair[0]) != _key(pair[1])]
        if len(differing) != 1 or not differing[0][0].is_named:
            break
        place, wanted = differing[0]
    return ("modify", pointer(place), *_Writer(leaves).tree(wanted), END)


def applied(old: CodeNode, written: Sequence[str], *, copied: Mapping[int, CodeNode] | None = None) -> CodeNode | None:
    """Return a tree with the edits made; none when they make no sense. `copied` are the nodes by number that may be copied."""
    made: CodeNode | None = old.copy()
    assert made is not None
    by_number = {node.number: node for node in made.named()}
    reader = _Reader(written, copied or {node.number: node for node in old.named()})
    while (edit := reader.take()) != END:
        place = by_number.get(reader.number()) if edit in EDITS else None
        tree = reader.tree() if place is not None and EDITS[edit] else None
        if place is None or (tree is None and EDITS[edit]) or not _is_below(place, made):
            return None
        made = _apply(edit, made, place, tree)
        if made is None:
            return None
    return made if reader.is_done() else None


class _Reader:
    """Reads a written sequence from left to right."""

    def __init__(self, written: Sequence[str], originals: Mapping[int, CodeNode]) -> None:
        self._written, self._at, self._originals = written, 0, originals

    def take(self) -> str:
        self._at += 1
        return self._written[self._at - 1] if self._at <= len(self._written) else ""

    def number(self) -> int:
        found = pointed(self.take())
        return -1 if found is None else found

    def is_done(self) -> bool:
        return self._at == len(self._written)

    def tree(self, *, field: str = "", depth: int = 0) -> CodeNode | None:
        token = self.take()
        if token == COPY:
            source = self._originals.get(self.number())
            if source is None:
                return None
            made = source.copy()
            made.field = field
            for node in made.walk():
                node.number = -1
            return made
        rule = rule_parts(token)
        if rule is None:
            leaf = terminal_parts(token)
            return None if leaf is None else CodeNode(leaf[0], leaf[1], is_named=True, field=field)
        if depth > 200:
            return None
        made = CodeNode(rule[0], is_named=True, field=field)
        for symbol in rule[1]:
            if symbol[0] in "'\"":
                made.add(CodeNode("", ast.literal_eval(symbol), is_named=False))
                continue
            child = self.tree(field=symbol[1:] if symbol != "*" else "", depth=depth + 1)
            if child is None:
                return None
            made.add(child)
        return made


def _apply(edit: str, root: CodeNode, place: CodeNode, tree: CodeNode | None) -> CodeNode | None:
    parent = place.parent
    if edit == "modify" and tree is not None:
        if place is root or parent is None:
            return tree
        tree.field, tree.parent = place.field, parent
        parent.children[parent.children.index(place)] = tree
        return root
    if place is root or parent is None:
        return None
    at = parent.children.index(place)
    before = next((i for i in range(at - 1, -1, -1) if parent.children[i].is_named), None)
    after = next((i for i in range(at + 1, len(parent.children)) if parent.children[i].is_named), None)
    if edit == "delete":
        del parent.children[removed([child.is_named for child in parent.children], at)]
        return root
    if tree is None:
        return None
    between = (
        parent.children[before + 1 : at] if before is not None else parent.children[at + 1 : after] if after is not None else []
    )
    separator = [node.copy() for node in between]
    tree.field = place.field
    new = [tree, *separator] if edit == "insert" else [*separator, tree]
    for node in new:
        node.parent = parent
    where = at if edit == "insert" else at + 1
    parent.children[where:where] = new
    return root


def _is_below(node: CodeNode, root: CodeNode) -> bool:
    at: CodeNode | None = node
    while at is not None and at is not root:
        if at.parent is not None and at not in at.parent.children:
            return False
        at = at.parent
    return at is root


def _key(node: CodeNode) -> _Key:
    return node.type, node.words()


class _Writer:
    """Finds edits; `sources` are the nodes that can be copied."""

    def __init__(self, sources: Mapping[_Key, CodeNode]) -> None:
        self._sources = sources
        self._copied = {node.number: node for node in sources.values()}

    def edits(self, old: CodeNode, new: CodeNode) -> tuple[str, ...]:
        """Return edits below a node, or one of the node itself."""
        if old.type == new.type and old.children and new.children:
            made = self._of_children(old, new)
            after = applied(old, (*made, END), copied=self._copied)
            if after is not None and after.words() == new.words():
                return made
        return ("modify", pointer(old), *self.tree(new))

    def tree(self, node: CodeNode) -> tuple[str, ...]:
        """Return how a tree is written: copied if the source has the same, else by its rule."""
        source = self._sources.get(_key(node))
        if source is not None:
            return (COPY, pointer(source))
        if not node.children:
            return (terminal(node),)
        return (node.rule, *(token for child in node.children if child.is_named for token in self.tree(child)))

    def _of_children(self, old: CodeNode, new: CodeNode) -> tuple[str, ...]:
        before, after = ([child for child in node.children if child.is_named] for node in (old, new))
        keys, new_keys = [_key(node) for node in before], [_key(node) for node in after]
        head, tail = common_ends(keys, new_keys)
        if len(before) == len(after):
            head, tail = 0, 0
        gone, come = before[head : len(before) - tail], after[head : len(after) - tail]
        made: list[str] = []
        for one, two in zip(gone, come, strict=False):
            if _key(one) != _key(two):
                made += self.edits(one, two)
        for node in gone[len(come) :]:
            made += ("delete", pointer(node))
        more = come[len(gone) :]
        if more and tail:
            for node in more:
                made += ("insert", pointer(before[len(before) - tail]), *self.tree(node))
        elif more and before:
            for node in reversed(more):
                made += ("append", pointer(before[-1]), *self.tree(node))
        return tuple(made)
