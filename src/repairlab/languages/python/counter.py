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
    far_number,
    named,
    other_number,
    other_string,
    replace_change,
    with_own_helpers,
)
from repairlab.languages.parser import Parsed
from repairlab.languages.python.expected import EQUALITIES, other_exceptions, other_parameters, rows_of, value_of

_OPPOSITES = {
    "assertTrue": "assertFalse",
    "assertIn": "assertNotIn",
    "assertIsNone": "assertIsNotNone",
    "assertIs": "assertIsNot",
    "assertEqual": "assertNotEqual",
    "assertIsInstance": "assertNotIsInstance",
}
_SWAPPED = {**_OPPOSITES, **{opposite: name for name, opposite in _OPPOSITES.items()}}
_SWALLOWS = re.compile(r"raises|assertRaises|suppress|warns|assertWarns|assertLogs", re.IGNORECASE)
_PLAIN = ("identifier", "subscript", "none")
_INVERSE = {"==": "!=", "<": ">=", ">": "<=", "in": "not in", "is": "is not"}
_INVERSE = {**_INVERSE, **{inverse: operator for operator, inverse in _INVERSE.items()}}
_ENDS = ("return_statement", "raise_statement")


def test_bodies(source: str, draw: random.Random) -> list[TestBody]:
    """Return the functions of a test file with what can be changed in them."""
    parsed = Parsed("python", source)
    found = []
    for node in descendants(parsed.root):
        name, body = node.child_by_field_name("name"), node.child_by_field_name("body")
        if node.type == "function_definition" and name is not None and body is not None and not node.has_error:
            calls = tuple(parsed.text(call.children[0]).removeprefix("self.") for call in _called(body))
            found.append(TestBody(names=(parsed.text(name),), changes=tuple(_of_function(parsed, node, body, draw)), calls=calls))
    return with_own_helpers(found, {name for body in found for name in body.names if not name.startswith("test")})


def _called(body: Node) -> list[Node]:
    """Return the calls that are statements of a body."""
    lines = [named(statement)[0] for statement in named(body) if statement.type == "expression_statement" and named(statement)]
    return [line for line in lines if line.type == "call"]


def _of_function(parsed: Parsed, function: Node, body: Node, draw: random.Random) -> Iterator[Change]:
    """Yield the changes of a function; a parameter whose values can be changed is left alone where it is compared."""

    def other(cell: Node) -> Iterator[Change | None]:
        yield from (_other(parsed, literal, draw) for literal in _literals(parsed, cell))

    tables = dict(other_parameters(parsed, function, other))
    yield from tables.values()
    yield from (change for change in _changes(parsed, body, draw) if change.neutral not in tables)


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
    block = statement.child_by_field_name("body")
    if block is not None:
        yield from _of_block(parsed, statement, block, draw)
        return
    if statement.type == "assert_statement":
        claim = named(statement)[0]
        literals = _compared(parsed, claim)
        yield from (_other(parsed, literal, draw) for literal in literals)
        if not literals and (expected := _expected(claim)) is not None:
            yield _wrapped(parsed, expected)
        elif not literals:
            yield replace_change(parsed, "negation", claim, _denied(parsed, claim))
    call = named(statement)[0] if statement.type == "expression_statement" and named(statement) else None
    if call is None or call.type != "call":
        return
    yield from other_exceptions(parsed, call, draw)
    function, arguments = call.child_by_field_name("function"), call.child_by_field_name("arguments")
    method = function.child_by_field_name("attribute") if function is not None and function.type == "attribute" else None
    if method is None or arguments is None:
        return
    name = parsed.text(method)
    sides = [list(_literals(parsed, side)) for side in named(arguments)[:2]] if EQUALITIES.fullmatch(name) else []
    # Of two literals one is an input: what comes of another one is not known.
    literals = [leaf for side in sides for leaf in side] if not all(sides) else []
    yield from (_other(parsed, literal, draw, _tolerance(parsed, name, named(arguments)[2:])) for literal in literals)
    if not literals and name == "assertEqual" and len(named(arguments)) > 1:
        yield _wrapped(parsed, _second(*named(arguments)[:2]))
    elif not literals and name in _SWAPPED:
        yield replace_change(parsed, "negation", method, _SWAPPED[name])


def _of_block(parsed: Parsed, statement: Node, block: Node, draw: random.Random) -> Iterator[Change | None]:
    """Yield the changes of a block that always runs, and of the exceptions that it is to end with."""
    is_with = statement.type == "with_statement"
    # What swallows exceptions may swallow that of an assertion, too.
    is_sure = not _SWALLOWS.search(parsed.text(statement.children[1])) if is_with else statement.type == "for_statement"
    if is_sure and (is_with or rows_of(statement)):
        for inner in named(block):
            yield from _of_statement(parsed, inner, draw)
    for call in (node for node in descendants(statement.children[1]) if is_with and node.type == "call"):
        yield from other_exceptions(parsed, call, draw)


def _compared(parsed: Parsed, claim: Node) -> list[Node]:
    """Return the literals of an equality; of several that must hold, those of each."""
    while claim.type == "parenthesized_expression" and len(named(claim)) == 1:
        claim = named(claim)[0]
    if claim.type == "boolean_operator" and any(child.type == "and" for child in claim.children):
        return [literal for part in named(claim) for literal in _compared(parsed, part)]
    if claim.type != "comparison_operator" or [child.type for child in claim.children if not child.is_named] != ["=="]:
        return []
    return [literal for side in named(claim) for literal in _literals(parsed, side)]


def _denied(parsed: Parsed, claim: Node) -> str:
    """Return the opposite of a claim as people write it: nothing may tell that it was changed."""
    sides, operators = named(claim), [child.type for child in claim.children if not child.is_named]
    if claim.type == "not_operator":
        return parsed.text(claim.children[-1])
    if claim.type == "comparison_operator" and len(sides) == 2 and operators[0] in _INVERSE:
        return f"{parsed.text(sides[0])} {_INVERSE[operators[0]]} {parsed.text(sides[1])}"
    is_plain = claim.type in ("call", "identifier", "attribute", "subscript", "parenthesized_expression")
    return f"not {parsed.text(claim)}" if is_plain else f"not ({parsed.text(claim)})"


def _expected(claim: Node) -> Node | None:
    """Return what is expected by an equality without a literal."""
    while claim.type == "parenthesized_expression" and len(named(claim)) == 1:
        claim = named(claim)[0]
    sides = named(claim)
    is_equality = [child.type for child in claim.children if not child.is_named] == ["=="] and len(sides) == 2
    return _second(*sides) if claim.type == "comparison_operator" and is_equality else None


def _second(left: Node, right: Node) -> Node:
    """Return the side of an equality that calls nothing; the right one if both do."""
    return left if left.type in _PLAIN and right.type not in _PLAIN else right


def _wrapped(parsed: Parsed, expected: Node) -> Change | None:
    """Return the change of a value into a list of it: an object that equals everything equals that, too."""
    return replace_change(parsed, "negation", expected, f"[{parsed.text(expected)}]")


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
    elif node.type == "binary_operator" and any(child.type == "+" for child in node.children):
        for child in named(node):  # a sum, or a text, of which one part is another is another
            yield from _literals(parsed, child)
    elif node.type == "call" and parsed.text(node.children[0]).rpartition(".")[2] in ("approx", "Decimal", "Fraction"):
        for argument in named(node.children[1])[:1]:
            yield from _literals(parsed, argument)
    elif node.type == "identifier":
        for value in value_of(node):
            yield from _literals(parsed, value)


def _tolerance(parsed: Parsed, name: str, rest: list[Node]) -> str:
    """Return how far two values may be apart that a call takes for equal: a number if there is one, or nothing."""
    if name != "approx" and "Almost" not in name:
        return ""
    for given in rest:
        option, value = given.child_by_field_name("name"), given.child_by_field_name("value")
        if option is not None and value is not None and parsed.text(option) in ("delta", "abs"):
            return parsed.text(value)
    return name


def _other(parsed: Parsed, literal: Node, draw: random.Random, tolerance: str = "") -> Change | None:
    text = parsed.text(literal)
    about = literal.parent
    while about is not None and about.type in ("unary_operator", "argument_list", "list", "tuple", "dictionary", "pair"):
        about = about.parent
    if about is not None and about.type == "call" and parsed.text(about.children[0]).rpartition(".")[2] == "approx":
        tolerance = _tolerance(parsed, "approx", named(about.children[1])[1:])
    if tolerance and literal.type in ("integer", "float"):
        return replace_change(parsed, "literal", literal, far_number(text, tolerance, draw))
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
