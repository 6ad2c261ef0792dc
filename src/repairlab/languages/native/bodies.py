"""Functions of a test file of C or C++, each read by itself: macros around functions confuse the grammar."""

import re
from collections.abc import Iterator
from functools import cached_property
from typing import Literal

from tree_sitter import Node

from repairlab.languages.language import Function
from repairlab.languages.native.forms import TESTS, asserts
from repairlab.languages.nodes import part, walk
from repairlab.languages.parser import Parsed
from repairlab.languages.withholding import Edits

Native = Literal["c", "cpp"]
_HEAD = "void f() "


class Body:
    """A function with its syntax tree and what is to be changed in it; names are told apart within it only."""

    def __init__(self, source: str, function: Function, language: Native) -> None:
        self.function, self.name = function, function.name
        self.parsed = Parsed(language, _HEAD + function.body.of(source))
        self.node = next((it for it in self.parsed.root.children[0].children if it.type == "compound_statement"), None)
        self.is_read = self.node is not None and not self.parsed.root.has_error
        self.edits, self.text = Edits(self.parsed), self.parsed.text
        self.head = source[function.span.start : function.body.start]
        self.line = source[: function.body.start].count("\n") + 1
        self.is_macro = TESTS.fullmatch(function.name) is not None
        """Whether a macro makes a test of it."""
        self.uses = dict[str, list[Node]]()
        self.values = dict[str, list[Node]]()
        """Declarations of variables by their names."""
        for node in walk(self.parsed.root) if self.is_read else ():
            if node.type == "identifier":
                self.uses.setdefault(self.text(node), []).append(node)
            if node.type in ("declaration", "for_range_loop"):
                for name in (name for it in node.children_by_field_name("declarator") for name in _all_declared(it)):
                    self.values.setdefault(self.text(name), []).append(node)

    def kept(self, node: Node) -> str:
        """Return the text of a node that goes on standing in the file."""
        self.edits.keep(node)
        return self.text(node)

    @property
    def applied(self) -> str:
        """The text of the body with its changes."""
        return self.edits.applied(self.node)

    @cached_property
    def calls(self) -> list[Node]:
        """The calls in it."""
        return [it for it in walk(self.node) if it.type == "call_expression"] if self.is_read else []

    @cached_property
    def parameters(self) -> list[tuple[str, str]]:
        """The names and the types of its parameters."""
        found = []
        for parameter in self.function.parameters if not self.is_macro else ():
            match = re.fullmatch(r"(.*?)\b(\w+)(\s*\[.*\])?", parameter, re.DOTALL)
            kind = match[1].strip() if match else ""
            found.append((match[2], kind + ("*" if match[3] else "")) if match and kind else ("", parameter))
        return [] if found == [("", "void")] else found

    def index_of(self, parameter: str) -> int:
        """Return which parameter has a name; -1 where none has."""
        return next((index for index, (name, _) in enumerate(self.parameters) if name == parameter), -1)

    @property
    def is_void(self) -> bool:
        """Whether it returns nothing."""
        return self.is_macro or re.search(rf"\bvoid\s+{re.escape(self.name)}\s*\(", self.head) is not None

    def called(self, call: Node) -> str:
        """Return the text of what is called; nothing for other nodes."""
        return self.text(call.children[0]) if call.type == "call_expression" else ""

    def is_assertion(self, call: Node) -> bool:
        """Whether a call asserts something."""
        return asserts(self.called(call))

    def given(self, place: Node, name: str) -> list[Node]:
        """Return what a declaration gives to a variable."""
        own = [it for it in place.children_by_field_name("declarator") if self.text(declared(it)) == name]
        return [value for it in own if (value := part(it, "value")) is not None]

    def kinds(self, name: str) -> list[str]:
        """Return the types that a name is declared with."""
        return [*map(self.kind, self.values.get(name, ())), *(kind for own, kind in self.parameters if own == name)]

    def kind(self, place: Node) -> str:
        """Return the type that a declaration declares; a star says that it is a pointer or an array."""
        declarator = part(place, "declarator")
        end = declarator.start_byte if declarator is not None else place.end_byte
        is_pointer = any(it.type in ("pointer_declarator", "array_declarator") for it in walk(declarator))
        qualifiers = " ".join(self.text(it) for it in place.children if it.type == "type_qualifier" and it.end_byte <= end)
        return f"{qualifiers} {self.text(part(place, 'type'))}{'*' if is_pointer else ''}".strip()


def declared(declarator: Node | None) -> Node | None:
    """Return the name that a declarator declares."""
    while declarator is not None and declarator.type != "identifier":
        inner = declarator.named_children if declarator.type == "reference_declarator" else []
        declarator = part(declarator, "declarator") or next(iter(inner), None)
    return declarator


def _all_declared(declarator: Node) -> Iterator[Node]:
    """Yield the names that a declarator declares: `[in, want]` declares several."""
    bound = next((it for it in walk(declarator) if it.type == "structured_binding_declarator"), None)
    if bound is not None:
        yield from (it for it in bound.named_children if it.type == "identifier")
    elif (name := declared(declarator)) is not None:
        yield name
