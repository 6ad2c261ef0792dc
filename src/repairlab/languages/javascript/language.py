"""JavaScript: finding functions in its tree, and the language's entry."""

import random
from collections.abc import Iterator, Sequence
from functools import cached_property

from tree_sitter import Node

from repairlab.core.recipe import Framework
from repairlab.core.text import Span
from repairlab.languages.blind import BlindFile, said_in
from repairlab.languages.counter import TestBody
from repairlab.languages.javascript import counter
from repairlab.languages.javascript.blind import blind
from repairlab.languages.javascript.facts import FACTS
from repairlab.languages.javascript.toolchain import JavaScriptToolchain
from repairlab.languages.language import Function, Syntax, Toolchain, Tools
from repairlab.languages.nodes import walk
from repairlab.languages.parser import Parsed
from repairlab.languages.tree_syntax import Nodes, parameters, tree_syntax

_NODES = Nodes(
    strings=frozenset({"string", "template_string", "regex", "jsx_text"}),
    numbers=frozenset({"number"}),
    names=frozenset(
        {
            "identifier",
            "property_identifier",
            "private_property_identifier",
            "shorthand_property_identifier",
            "shorthand_property_identifier_pattern",
            "statement_identifier",
        }
    ),
    comments=frozenset({"comment", "html_comment"}),
    prelude=frozenset({"hash_bang_line"}),
)
_DECLARED = frozenset({"function_declaration", "generator_function_declaration", "method_definition"})
_EXPRESSIONS = frozenset({"arrow_function", "function_expression", "generator_function"})
_CLASSES = frozenset({"class_declaration", "class"})
_BINDINGS = {"variable_declarator": "name", "assignment_expression": "left", "pair": "key", "field_definition": "property"}
_NOT_NAMES = frozenset({"module", "exports", "prototype", "this", "globalThis"})


class JavaScript:
    """The language JavaScript."""

    facts = FACTS

    def __init__(self, tools: Tools) -> None:
        self.syntax: Syntax = tree_syntax("javascript", _NODES, functions, sees_text)
        self._tools = tools

    @cached_property
    def toolchain(self) -> Toolchain:
        """Return the tool chain, made when first asked for."""
        return JavaScriptToolchain(self._tools)

    def test_bodies(self, source: str, framework: Framework, draw: random.Random) -> list[TestBody]:
        """Return the tests of a file and what can be changed in them."""
        del framework
        return counter.test_bodies(source, draw)

    def blind(self, source: str, framework: Framework, nonce: str, first: int) -> BlindFile:
        """Return a test file without its expectations; see `Blinding`."""
        return blind(source, framework, nonce, first)

    def said(self, nonce: str, output: str) -> Sequence[tuple[str, str]]:
        """Return what tests said in their order."""
        return said_in(nonce, output)


def sees_text(source: str, *, of_others: bool) -> bool:
    """Return that a program may look at its own layout: any function becomes its text when a string is needed, as in `"" + f`."""
    del source, of_others
    return True


def functions(parsed: Parsed) -> Iterator[Function]:
    """Yield functions, methods, and those function expressions that are given a name where they stand.

    `Stack.prototype.push = function () {}` is `Stack.push`; callbacks have no name and are left out.
    """
    for node in walk(parsed.root):
        body = node.child_by_field_name("body")
        names = _names(parsed, node) if node.type in _DECLARED | _EXPRESSIONS and body is not None else ()
        if not names or body is None:
            continue
        yield Function(
            name=names[-1],
            qualified=".".join((*_around(parsed, node), *names)),
            span=Span(start=parsed.span(_first(node)).start, end=parsed.span(body).end),
            body=parsed.span(body),
            parameters=_parameters(parsed, node),
        )


def _names(parsed: Parsed, node: Node) -> tuple[str, ...]:
    """Return a function's name, qualified if it is assigned to a member."""
    named = node.child_by_field_name("name") if node.type in _DECLARED else None
    parent = node.parent
    if named is None and node.type in _EXPRESSIONS and parent is not None and parent.type in _BINDINGS:
        named = parent.child_by_field_name(_BINDINGS[parent.type])
    text = "" if named is None else parsed.text(named).strip("\"'")
    words = text.split(".") if named is not None and named.type == "member_expression" else [text]
    return tuple(word for word in words if word and word not in _NOT_NAMES)


def _around(parsed: Parsed, node: Node) -> tuple[str, ...]:
    """Return the names of classes, functions and objects around a function, outermost first."""
    found: list[str] = []
    bound = node.parent if node.parent is not None and node.parent.type in _BINDINGS else node
    current = bound.parent
    while current is not None:
        named = None
        if current.type in _CLASSES | _DECLARED:
            named = current.child_by_field_name("name")
        elif current.type in ("variable_declarator", "pair"):
            named = current.child_by_field_name(_BINDINGS[current.type])
        if named is not None and named.type in _NODES.names:
            found.append(parsed.text(named))
        current = current.parent
    return tuple(reversed(found))


def _whole(node: Node) -> Node:
    """{};`. => {};`."""
    parent = node.parent
    if parent is None or node.type not in _EXPRESSIONS:
        return node
    if parent.type == "variable_declarator":
        statement = parent.parent
        return statement if statement is not None and len(statement.named_children) == 1 else parent
    if parent.type == "assignment_expression" and parent.parent is not None and parent.parent.type == "expression_statement":
        return parent.parent
    return parent if parent.type in _BINDINGS else node


def _first(node: Node) -> Node:
    """Return the node at which a function begins: its first decorator, if it has one."""
    whole = _whole(node)
    before = whole.prev_sibling
    while before is not None and before.type == "decorator":
        whole, before = before, before.prev_sibling
    return whole


def _parameters(parsed: Parsed, node: Node) -> tuple[str, ...]:
    alone = node.child_by_field_name("parameter")
    return (parsed.text(alone),) if alone is not None else parameters(parsed, node.child_by_field_name("parameters"))
