"""Go: finding functions in its tree, and the language's entry; the table of languages loads it by name."""

import random
from collections.abc import Iterator
from functools import cached_property

from tree_sitter import Node

from repairlab.core.recipe import Framework
from repairlab.languages.counter import TestBody
from repairlab.languages.go import counter
from repairlab.languages.go.facts import FACTS
from repairlab.languages.go.layout import sees
from repairlab.languages.go.toolchain import GoToolchain
from repairlab.languages.language import Function, Syntax, Toolchain, Tools
from repairlab.languages.parser import Parsed
from repairlab.languages.tree_syntax import Nodes, TreeSyntax, parameters, walk

_NODES = Nodes(
    strings=frozenset({"interpreted_string_literal", "raw_string_literal", "rune_literal"}),
    numbers=frozenset({"int_literal", "float_literal", "imaginary_literal"}),
    names=frozenset({"identifier", "field_identifier", "type_identifier", "package_identifier", "blank_identifier", "label_name"}),
)
_FUNCTIONS = frozenset({"function_declaration", "method_declaration"})


class Go:
    """The language Go."""

    facts = FACTS

    def __init__(self, tools: Tools) -> None:
        self.syntax: Syntax = TreeSyntax("go", _NODES, functions, sees)
        self._tools = tools

    @cached_property
    def toolchain(self) -> Toolchain:
        """Return the tool chain, made when first asked for."""
        return GoToolchain(self._tools)

    def test_bodies(self, source: str, framework: Framework, draw: random.Random) -> list[TestBody]:
        """Return the tests of a file and what can be changed in them."""
        del framework
        return counter.test_bodies(source, draw)


def functions(parsed: Parsed) -> Iterator[Function]:
    """Yield functions and methods, which are qualified by the type of their receiver: `Stack.Push`."""
    for node in walk(parsed.root):
        name, body = node.child_by_field_name("name"), node.child_by_field_name("body")
        if node.type not in _FUNCTIONS or name is None or body is None:
            continue
        receiver = _receiver(parsed, node.child_by_field_name("receiver"))
        yield Function(
            name=parsed.text(name),
            qualified=".".join([*receiver, parsed.text(name)]),
            span=parsed.span(node),
            body=parsed.span(body),
            parameters=parameters(parsed, node.child_by_field_name("parameters")),
        )


def _receiver(parsed: Parsed, receiver: Node | None) -> list[str]:
    """Return the name of a receiver's type, without what it points to or is made with."""
    types = [] if receiver is None else [node for node in walk(receiver) if node.type == "type_identifier"]
    return [parsed.text(types[0])] if types else []
