"""A parsed source file as the patterns see it: character offsets, lines, indentation, statements and their neighbours."""

from bisect import bisect_right
from collections.abc import Callable, Iterator
from functools import cached_property

from tree_sitter import Node

from repairlab.core.text import newline_of
from repairlab.languages.facts import facts
from repairlab.languages.nodes import walk
from repairlab.languages.parser import Parsed
from repairlab.registry import load
from repairlab.repairers.templates import node_types


class Code:
    """One file with its tree. Offsets are characters of `source`, lines are 1-based."""

    def __init__(self, language: str, path: str, source: str) -> None:
        """Parse the file."""
        self.language = language
        self.path = path
        self.source = source
        self.traits, self.idioms = facts(language).traits, facts(language).idioms
        self.is_python = "python" in self.traits
        self.is_java = "java" in self.traits
        self.is_c = "c" in self.traits
        self.is_cpp = "cpp" in self.traits
        self.is_plain_c = self.is_c and not self.is_cpp
        self.semicolon = "" if self.is_python else ";"
        """What ends a statement."""
        self.newline = newline_of(source)
        self._parsed = Parsed(language, source)
        self._starts = [0, *(index + 1 for index, char in enumerate(source) if char == "\n")]
        self.root = self._parsed.root

    def own(self, name: str) -> str:
        """Return how a method names a member of its object."""
        return f"self.{name}" if self.is_python else f"this.{name}" if self.is_java else f"this->{name}"

    @cached_property
    def rejection(self) -> Callable[[Node], bool] | None:
        """What tells whether the compiler rejects a version of a part of the file, though its syntax is right."""
        path = facts(self.language).rejection
        return load(path)(self.root) if path else None

    @cached_property
    def _offsets(self) -> list[int] | None:
        # Parsed.offset decodes the whole prefix each time; thousands of look-ups need a table.
        if self.source.isascii():
            return None
        table: list[int] = []
        for index, char in enumerate(self.source):
            table.extend([index] * len(char.encode("utf-8", "surrogatepass")))
        table.append(len(self.source))
        return table

    def offset(self, byte: int) -> int:
        """Return the character offset of a byte offset."""
        return byte if self._offsets is None else self._offsets[byte]

    def start(self, node: Node) -> int:
        """Return the offset of a node's first character."""
        return self.offset(node.start_byte)

    def end(self, node: Node) -> int:
        """Return the offset behind a node's last character."""
        return self.offset(node.end_byte)

    def text(self, node: Node) -> str:
        """Return the text of a node."""
        return self.source[self.start(node) : self.end(node)]

    def line(self, offset: int) -> int:
        """Return the line that holds an offset."""
        return bisect_right(self._starts, offset)

    def first_line(self, node: Node) -> int:
        """Return the line on which a node begins."""
        return self.line(self.start(node))

    def last_line(self, node: Node) -> int:
        """Return the line on which a node ends."""
        return self.line(max(self.start(node), self.end(node) - 1))

    @property
    def n_lines(self) -> int:
        """Return the number of lines; a final newline begins one more, empty line."""
        return len(self._starts)

    def line_start(self, line: int) -> int:
        """Return the offset of a line's first character, or the end of the file behind the last line."""
        return self._starts[line - 1] if line <= len(self._starts) else len(self.source)

    def line_text(self, line: int) -> str:
        """Return a line without its line ending."""
        return self.source[self.line_start(line) : self.line_start(line + 1)].rstrip("\r\n")

    def indent(self, line: int) -> str:
        """Return the white space that a line begins with."""
        text = self.line_text(line)
        return text[: len(text) - len(text.lstrip())]

    @cached_property
    def indent_unit(self) -> str:
        """Return one step of indentation, as the file uses it."""
        previous = ""
        steps: dict[str, int] = {}
        for number in range(1, min(self.n_lines, 400) + 1):
            if not self.line_text(number).strip():
                continue
            current = self.indent(number)
            if current.startswith(previous) and current != previous:
                step = current[len(previous) :]
                steps[step] = steps.get(step, 0) + 1
            previous = current
        return max(steps, key=lambda step: steps[step]) if steps else "    "

    @cached_property
    def statements(self) -> list[Node]:
        """Return all statements and declarations of the file, outer before inner."""
        return [node for node in walk(self.root) if is_statement(node)]

    @cached_property
    def functions(self) -> list[Node]:
        """Return all function definitions of the file."""
        return [node for node in walk(self.root) if node.type in node_types.FUNCTIONS]

    def function_of(self, node: Node) -> Node | None:
        """Return the innermost function around a node (or the node itself)."""
        return enclosing(node, node_types.FUNCTIONS)


def own_nodes(statement: Node) -> Iterator[Node]:
    """Yield the nodes of a statement without those of the statements nested in it."""
    stack = [statement]
    while stack:
        current = stack.pop()
        yield current
        stack.extend(
            child for child in reversed(current.children) if not is_statement(child) and child.type not in node_types.BODIES
        )


def is_statement(node: Node) -> bool:
    """Whether a node stands for itself in a block: a `for` header's declaration does not."""
    if node.type not in node_types.STATEMENTS or not node.is_named:
        return False
    parent = node.parent
    if parent is None:
        return False
    if parent.type in ("for_statement", "init_statement", "condition_clause") and node.type in node_types.DECLARATIONS:
        return False
    return not (node.type == "function_definition" and parent.type == "decorated_definition")


def enclosing(node: Node, types: frozenset[str]) -> Node | None:
    """Return the innermost node of one of the types, from the node upwards."""
    current: Node | None = node
    while current is not None and current.type not in types:
        current = current.parent
    return current


def field(node: Node, *names: str) -> Node | None:
    """Return the first child that a field name leads to."""
    for name in names:
        child = node.child_by_field_name(name)
        if child is not None:
            return child
    return None


def strip_parentheses(node: Node) -> Node:
    """Return the expression inside parentheses or a C++ condition clause."""
    while node.type in ("parenthesized_expression", "condition_clause"):
        inner = field(node, "value") or next(iter(node.named_children), None)
        if inner is None:
            return node
        node = inner
    return node
