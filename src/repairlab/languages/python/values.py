"""Values that a Python test compares with: their literals, and others in their place. `claims` and `counter` call it."""

import builtins
import collections
import datetime
import decimal
import fractions
import random
import re
from collections.abc import Iterator

from tree_sitter import Node

from repairlab.languages.counter import Change, far_number, named, other_number, other_string, replace_change
from repairlab.languages.parser import Parsed
from repairlab.languages.python.expected_values import value_of

_MODULES = (builtins, collections, datetime, decimal, fractions)
"""Where Python has classes of plain values."""
_RECORDED = re.compile(r"(?:(?:unittest\.)?mock\.)?call(?:\.\w+)*")
"""What mocks record."""
_AROUND = ("unary_operator", "argument_list", "list", "tuple", "dictionary", "pair")


def literals(parsed: Parsed, node: Node, *, is_built: bool = False) -> Iterator[Node]:
    """Yield the literals that a value consists of; a value whose parts are equal to another's parts is equal to it.

    With `is_built` also what objects of whatever class are built with: the class may be one of the code under test.
    """
    if node.type in ("integer", "float", "true", "false"):
        yield node
    elif node.type == "string":
        prefix = parsed.text(node.children[0]).lower()
        if "f" not in prefix and not any(child.type == "interpolation" for child in node.children):
            yield node
    elif node.type == "keyword_argument":
        value = node.child_by_field_name("value")
        yield from literals(parsed, value, is_built=is_built) if value is not None else ()
    elif node.type == "call":
        for argument in _built_with(parsed, node, is_built=is_built):
            yield from literals(parsed, argument, is_built=is_built)
    elif node.type == "identifier":
        for value in value_of(node):
            yield from literals(parsed, value, is_built=is_built)
    elif (
        node.type in ("unary_operator", "list", "tuple", "set", "dictionary", "pair", "parenthesized_expression")
        # A sum, or a text, of which one part is another is another.
        or (node.type == "binary_operator" and any(child.type == "+" for child in node.children))
    ):
        for child in named(node):
            yield from literals(parsed, child, is_built=is_built)


def _built_with(parsed: Parsed, call: Node, *, is_built: bool) -> list[Node]:
    """Return what a call that makes a value is given; nothing where a function is called, for which it is an input."""
    called, arguments = parsed.text(call.children[0]), named(call.children[1])
    name = called.rpartition(".")[2]
    if name == "approx":
        return arguments[:1]
    is_plain = any(isinstance(getattr(module, name, None), type) for module in _MODULES) or _RECORDED.fullmatch(called)
    return arguments if is_plain or (is_built and name.lstrip("_")[:1].isupper()) else []


def of_sides(parsed: Parsed, sides: list[Node], *, is_built: bool) -> list[Node]:
    """Return the literals of the sides of an equality; of two that are built one is an input: what comes of it is not known."""
    found = [list(literals(parsed, side, is_built=is_built)) for side in sides]
    return [leaf for side in found for leaf in side] if not (is_built and all(found)) else []


def tolerance(parsed: Parsed, name: str, rest: list[Node]) -> str:
    """Return how far two values may be apart that a call takes for equal: a number if there is one, or nothing."""
    if not re.search(r"approx|almost|close", name, re.IGNORECASE):
        return ""
    for given in rest:
        option, value = given.child_by_field_name("name"), given.child_by_field_name("value")
        if option is not None and value is not None and parsed.text(option) in ("delta", "abs"):
            return parsed.text(value)
    return name


def other(parsed: Parsed, literal: Node, draw: random.Random, within: str = "") -> Change | None:
    """Return the change of a literal into another one; of a number into one that is not equal `within` a tolerance, either."""
    text = parsed.text(literal)
    about = literal.parent
    while about is not None and about.type in _AROUND:
        about = about.parent
    if about is not None and about.type == "call" and parsed.text(about.children[0]).rpartition(".")[2] == "approx":
        within = tolerance(parsed, "approx", named(about.children[1])[1:])
    if within and literal.type in ("integer", "float"):
        return replace_change(parsed, "literal", literal, far_number(text, within, draw))
    if literal.type in ("true", "false"):
        return replace_change(parsed, "literal", literal, "False" if literal.type == "true" else "True")
    return replace_change(parsed, "literal", literal, (other_string if literal.type == "string" else other_number)(text, draw))


def wrapped(parsed: Parsed, value: Node) -> Change | None:
    """Return the change of a value into a list of it: an object that equals everything equals that, too."""
    return replace_change(parsed, "negation", value, f"[{parsed.text(value)}]")
