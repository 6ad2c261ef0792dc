"""Values that tests in C and C++ compare with: their literals, and others in their place."""

import re
from collections.abc import Iterator

from tree_sitter import Node

from repairlab.languages.assertions import says_equal
from repairlab.languages.counter import (
    initial_value,
)
from repairlab.languages.nodes import named, operator_of

MUST_HOLD = ("==", "&&", "and")
FAILS_UNLESS = ("!=", "||", "or")
"""The comparison whose literal is changed, and what may join several: in assertions, and in an `if` before a failure."""
LITERALS = ("number_literal", "string_literal", "char_literal", "true", "false")
_TEXT_ORDERS = (b"strcmp", b"strncmp", b"strcasecmp", b"strncasecmp", b"memcmp", b"std::strcmp", b"std::memcmp")

_CLASS = re.compile(r"(?:\w+::)*(?:[A-Z]\w*|make_\w+|u?\d*w?string(?:_view)?|\w+<.*>)", re.DOTALL)
"""What makes an object where it is called: classes, by how people and the standard library name them."""


def compared(node: Node | None, operators: tuple[str, ...]) -> Iterator[Node]:
    """Yield the literals of a comparison, or of each of several that are joined."""
    if node is None:
        return
    if node.type in ("parenthesized_expression", "condition_clause"):
        for child in named(node):
            yield from compared(child, operators)
    elif node.type == "binary_expression" and operator_of(node) in operators[1:]:
        for side in named(node):
            yield from compared(side, operators)
    elif node.type == "binary_expression" and operator_of(node) == operators[0]:
        sides = named(node)
        orders = [side for side in sides if _is_text_order(side)]  # the zero beside it is no expected value
        yield from of_sides([argument for side in orders for argument in named(side.children[1])[:2]] or sides)
    elif node.type == "unary_expression" and operator_of(node) == "!" and (call := named(node)[-1]).type == "call_expression":
        if _says_equal(call) or (_is_text_order(call) and operators == MUST_HOLD):
            yield from of_sides(named(call.children[1])[:2])
    elif node.type == "call_expression" and _says_equal(node):
        yield from of_sides(named(node.children[1])[:2])


def of_sides(sides: list[Node]) -> list[Node]:
    """Return the literals of what is compared; where there are none, those that the one side is built with which is built."""
    plain = [literal for side in sides for literal in literals_of(side)]
    built = [list(literals_of(side, is_built=True)) for side in sides]
    return plain or ([literal for side in built for literal in side] if not all(built) else [])


def _is_text_order(call: Node) -> bool:
    return call.type == "call_expression" and call.children[0].text in _TEXT_ORDERS


def _says_equal(call: Node) -> bool:
    """Return whether a call compares by its name, and one of what it compares is no literal."""
    sides = [list(literals_of(argument)) for argument in named(call.children[1])[:2]]
    return says_equal((call.children[0].text or b"").decode()) and len(sides) > 1 and not all(sides)


def literals_of(node: Node, *, is_built: bool = False) -> Iterator[Node]:
    """Yield the literals that a value consists of; with `is_built` also those that objects are made with."""
    if node.type in LITERALS:
        yield node
    elif node.type in ("unary_expression", "parenthesized_expression", "cast_expression"):
        for child in named(node)[-1:]:
            yield from literals_of(child, is_built=is_built)
    elif node.type == "identifier":
        yield from _initial_value(node)
    elif is_built and _is_built(node):
        for child in named(node.children[-1]):
            yield from literals_of(child, is_built=True)


def _is_built(node: Node) -> bool:
    """Return whether an object is made: `Point{1, 2}`, `{1, 2}` within it, `Point(1, 2)`, `std::string("a")`."""
    if node.type in ("compound_literal_expression", "initializer_list"):
        return True
    called = (node.children[0].text or b"").decode() if node.type == "call_expression" else ""
    return _CLASS.fullmatch(called) is not None


def _initial_value(variable: Node) -> Iterator[Node]:
    """Yield the literal that a variable was made with, if it is there for the comparison alone."""
    value = initial_value(variable, lambda use: use == variable)
    while value is not None and value.type in ("unary_expression", "parenthesized_expression", "cast_expression"):
        value = named(value)[-1]
    if value is not None and value.type in LITERALS:
        yield value
