"""Where a pattern works: a statement with its nodes, or a gap between statements; and what it proposes there."""

import re
from collections.abc import Collection, Iterator
from functools import cached_property
from itertools import islice
from typing import NamedTuple

from tree_sitter import Node

from repairlab.repairers.templates import node_types
from repairlab.repairers.templates.code import Code, enclosing, own_nodes
from repairlab.repairers.templates.declarations import Variable
from repairlab.repairers.templates.scope import Scope
from repairlab.repairers.templates.shapes import Binary, Call, binaries, call_of

_MAX_NODES = 500
"""Nodes of one statement that patterns look at; no statement that people write has as many on a few lines."""


class Replacement(NamedTuple):
    """Characters `start` to `end` of the file become `text`."""

    start: int
    end: int
    text: str


class TemplateEdit(NamedTuple):
    """One proposal of a pattern: replacements that belong together, and how likely it is among its pattern's proposals."""

    replacements: tuple[Replacement, ...]
    weight: float = 1.0


class Site:
    """A statement, as far as it lies on the suspicious lines."""

    def __init__(self, scope: Scope, statement: Node, first: int, last: int) -> None:
        """Take the statement and the suspicious lines."""
        self.scope = scope
        self.code: Code = scope.code
        self.statement = statement
        self.first = first
        self.last = last
        self.line = max(first, min(self.code.first_line(statement), max(first, last)))

    @cached_property
    def nodes(self) -> list[Node]:
        """Return the nodes of the statement that touch the lines, without those of nested statements."""
        code = self.code
        touching = (
            node for node in own_nodes(self.statement) if code.first_line(node) <= self.last and code.last_line(node) >= self.first
        )
        return list(islice(touching, _MAX_NODES))

    @cached_property
    def expressions(self) -> list[Node]:
        """Return the nodes that are expressions, outer before inner."""
        return [node for node in self.nodes if node.is_named and node.type in node_types.EXPRESSIONS]

    def of(self, types: Collection[str]) -> Iterator[Node]:
        """Yield the nodes of some types."""
        return (node for node in self.nodes if node.type in types)

    @cached_property
    def binaries(self) -> list[Binary]:
        """Return the binary operations."""
        return [binary for node in self.expressions for binary in binaries(node)]

    @cached_property
    def calls(self) -> list[Call]:
        """Return the calls."""
        return [call for node in self.expressions if (call := call_of(node)) is not None]

    @cached_property
    def loop(self) -> Node | None:
        """Return the innermost loop around the statement, within its function."""
        parent = self.statement.parent
        return None if parent is None else enclosing_loop(parent)

    def replace(self, node: Node, text: str, *, weight: float = 1.0) -> TemplateEdit:
        """Propose another text for a node."""
        return TemplateEdit((Replacement(self.code.start(node), self.code.end(node), text),), weight)

    def swap(self, one: Node, two: Node, *, weight: float = 1.0) -> TemplateEdit:
        """Propose to exchange two nodes."""
        code = self.code
        return TemplateEdit(
            (
                Replacement(code.start(one), code.end(one), code.text(two)),
                Replacement(code.start(two), code.end(two), code.text(one)),
            ),
            weight,
        )

    def insert(self, offset: int, text: str, *, weight: float = 1.0) -> TemplateEdit:
        """Propose to insert text at an offset."""
        return TemplateEdit((Replacement(offset, offset, text),), weight)


class Gap(NamedTuple):
    """A place between two lines where statements can be inserted."""

    scope: Scope
    offset: int
    indent: str
    before: Node | None
    after: Node | None
    function: Node | None
    loop: Node | None
    exact: bool
    """Whether the localisation points at this gap, and not at a statement beside it."""

    @property
    def code(self) -> Code:
        """Return the file."""
        return self.scope.code

    @property
    def line(self) -> int:
        """Return the line before which is inserted."""
        return self.code.line(self.offset)

    @property
    def visible(self) -> list[Variable]:
        """Return the variables visible in the gap: a declaration just before it counts."""
        if self.before is not None:
            return self.scope.visible_at(self.before.end_byte)
        anchor = self.after if self.after is not None else self.function
        return [] if anchor is None else self.scope.visible(anchor)

    @property
    def near(self) -> list[Variable]:
        """Return the function's variables, those that the statements beside the gap mention first."""
        beside = " ".join(self.code.text(node) for node in (self.before, self.after) if node is not None)
        words = set(re.findall(r"\w+", beside))
        return sorted((item for item in self.visible if item.is_local), key=lambda item: item.name not in words)

    def insert(self, text: str, *, weight: float = 1.0) -> TemplateEdit:
        """Propose statements, given without indentation, one or more lines."""
        lines = [self.indent + line if line else line for line in text.split("\n")]
        new = "\n".join(lines) + "\n"
        source = self.code.source
        if self.offset > 0 and source[self.offset - 1] not in "\r\n":
            new = "\n" + new  # the file ends without a newline
        return TemplateEdit((Replacement(self.offset, self.offset, new),), weight)


def enclosing_loop(node: Node) -> Node | None:
    """Return the innermost loop around a node, within its function."""
    found = enclosing(node, node_types.LOOPS | node_types.FUNCTIONS)
    return found if found is not None and found.type in node_types.LOOPS else None


def neighbours(statement: Node) -> tuple[Node | None, Node | None]:
    """Return the statements before and after one in its block, comments left out."""
    return _beside(statement, forward=False), _beside(statement, forward=True)


def _beside(statement: Node, *, forward: bool) -> Node | None:
    current = statement.next_named_sibling if forward else statement.prev_named_sibling
    while current is not None and "comment" in current.type:
        current = current.next_named_sibling if forward else current.prev_named_sibling
    return current if current is not None and current.type in node_types.STATEMENTS else None


def body_of(node: Node) -> Node | None:
    """Return the body of a compound statement or function."""
    return node.child_by_field_name("body") or node.child_by_field_name("consequence")


def body_statements(node: Node) -> Iterator[Node]:
    """Yield the statements of a body: those of its block, or the single statement without braces."""
    body = body_of(node)
    if body is None:
        return
    if body.type in node_types.BODIES:
        yield from (child for child in body.named_children if child.type in node_types.STATEMENTS)
    else:
        yield body
