"""Counter-tests of Python: functions of pytest, methods of unittest, by syntax tree. `validation.counter_tests` calls it."""

import random
import re
from collections.abc import Iterator

from tree_sitter import Node

from repairlab.core.text import Span
from repairlab.languages.counter import (
    Change,
    TestBody,
    descendants,
    equal_numbers,
    equal_words,
    named,
    other_number,
    other_string,
    replace_change,
)
from repairlab.languages.parser import Parsed

_EQUALITIES = re.compile(r"assert\w*(?<!Not)(?<!NotAlmost)Equals?|assertDictContainsSubset")
_OPPOSITES = {
    "assertTrue": "assertFalse",
    "assertIn": "assertNotIn",
    "assertIsNone": "assertIsNotNone",
    "assertIs": "assertIsNot",
    "assertEqual": "assertNotEqual",
    "assertIsInstance": "assertNotIsInstance",
}
_SWAPPED = {**_OPPOSITES, **{opposite: name for name, opposite in _OPPOSITES.items()}}
_ENDS = ("return_statement", "raise_statement")


def test_bodies(source: str, draw: random.Random) -> list[TestBody]:
    """Return the functions of a test file with what can be changed in them."""
    parsed = Parsed("python", source)
    found = []
    for node in descendants(parsed.root):
        name, body = node.child_by_field_name("name"), node.child_by_field_name("body")
        if node.type == "function_definition" and name is not None and body is not None and not node.has_error:
            found.append(TestBody(names=(parsed.text(name),), changes=tuple(_changes(parsed, body, draw))))
    return found


def _changes(parsed: Parsed, body: Node, draw: random.Random) -> Iterator[Change]:
    statements = named(body)
    for statement in statements:
        if statement.type in _ENDS:
            break
        for change in _of_statement(parsed, statement, draw):
            if change is not None:
                yield change
    if statements and not _is_generator(body):
        first, last = statements[0], statements[-1]
        yield _added(parsed, first, before=True, draw=draw)
        if last.type not in _ENDS:
            yield _added(parsed, last, before=False, draw=draw)


def _of_statement(parsed: Parsed, statement: Node, draw: random.Random) -> Iterator[Change | None]:
    if statement.type == "assert_statement":
        claim = named(statement)[0]
        literals = _compared(parsed, claim)
        yield from (_other(parsed, literal, draw) for literal in literals)
        if not literals:
            yield replace_change(parsed, "negation", claim, f"(not ({parsed.text(claim)}))")
    call = named(statement)[0] if statement.type == "expression_statement" and named(statement) else None
    if call is None or call.type != "call":
        return
    function, arguments = call.child_by_field_name("function"), call.child_by_field_name("arguments")
    method = function.child_by_field_name("attribute") if function is not None and function.type == "attribute" else None
    if method is None or arguments is None:
        return
    name = parsed.text(method)
    literals = [leaf for side in named(arguments)[:2] for leaf in _literals(parsed, side)] if _EQUALITIES.fullmatch(name) else []
    yield from (_other(parsed, literal, draw) for literal in literals)
    if not literals and name in _SWAPPED:
        yield replace_change(parsed, "negation", method, _SWAPPED[name])


def _compared(parsed: Parsed, claim: Node) -> list[Node]:
    """Return the literals of an equality; of several that must hold, those of each."""
    while claim.type == "parenthesized_expression" and len(named(claim)) == 1:
        claim = named(claim)[0]
    if claim.type == "boolean_operator" and any(child.type == "and" for child in claim.children):
        return [literal for part in named(claim) for literal in _compared(parsed, part)]
    if claim.type != "comparison_operator" or [child.type for child in claim.children if not child.is_named] != ["=="]:
        return []
    return [literal for side in named(claim) for literal in _literals(parsed, side)]


def _literals(parsed: Parsed, node: Node) -> Iterator[Node]:
    """Yield the literals that a value consists of; a value whose parts are equal to another's parts is equal to it."""
    if node.type in ("integer", "float", "true", "false"):
        yield node
    elif node.type == "string":
        prefix = parsed.text(node.children[0]).lower()
        if "f" not in prefix and not any(child.type == "interpolation" for child in node.children):
            yield node
    elif node.type == "unary_operator" or node.type in ("list", "tuple", "set", "dictionary", "pair", "parenthesized_expression"):
        for child in named(node):
            yield from _literals(parsed, child)
    elif node.type == "call" and parsed.text(node.children[0]).rpartition(".")[2] in ("approx", "Decimal", "Fraction"):
        for argument in named(node.children[1])[:1]:
            yield from _literals(parsed, argument)


def _other(parsed: Parsed, literal: Node, draw: random.Random) -> Change | None:
    text = parsed.text(literal)
    if literal.type in ("true", "false"):
        return replace_change(parsed, "literal", literal, "False" if literal.type == "true" else "True")
    return replace_change(parsed, "literal", literal, (other_string if literal.type == "string" else other_number)(text, draw))


def _is_generator(body: Node) -> bool:
    return any(node.type == "yield" for node in descendants(body))


def _added(parsed: Parsed, statement: Node, *, before: bool, draw: random.Random) -> Change:
    """Return an assertion before the first or behind the last statement of a body."""
    span = parsed.span(statement)
    start = parsed.source.rfind("\n", 0, span.start) + 1
    indent = parsed.source[start : span.start]
    separator = f"\n{indent}" if not indent.strip() else "; "
    (same, other), shape = (equal_numbers(draw), draw.choice(("{} == {}", "str({0}) == '{1}'", "not {0} != {1}")))
    if draw.random() < 0.5:
        (same, other), shape = equal_words(draw), draw.choice(("'{}' == '{}'", "'{}'.upper() == '{}'.upper()", "'{}' in ('{}',)"))
    texts = [f"assert {shape.format(same, second)}" for second in (same, other)]
    place = Span(start=span.start, end=span.start) if before else Span(start=span.end, end=span.end)
    neutral, false = (text + separator if before else separator + text for text in texts)
    return Change(kind="begin" if before else "end", span=place, neutral=neutral, false=false)
