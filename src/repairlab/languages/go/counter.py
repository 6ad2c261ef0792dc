"""Counter-tests of Go: functions of a `*testing.T`, by syntax tree."""

import random
import re
from collections.abc import Iterator

from tree_sitter import Node

from repairlab.core.text import Span
from repairlab.languages.assertions import says_equal
from repairlab.languages.counter import (
    Change,
    TestBody,
    call_around,
    denied,
    equal_numbers,
    equal_words,
    initial_value,
    other_literal,
    replace_change,
    shared_bodies,
)
from repairlab.languages.nodes import named, walk
from repairlab.languages.parser import Parsed

_FAILURES = re.compile(r"\b(?:Error|Errorf|Fatal|Fatalf|Fail|FailNow)\(")
_EQUALITIES = frozenset({"Equalf", "Exactly"})
"""What compares, beside that which says so by its name."""
_WANTED = re.compile(r"want\w*|expect\w*|exp|out|output|result|res", re.IGNORECASE)
_NUMBERS = ("if {} != {} {{ {}.Fatal() }}", "if n := {}; n != {} {{ {}.Fatal() }}", "if {} < {} || false {{ {}.FailNow() }}")
_WORDS = ('if "{}" != "{}" {{ {}.Fatal() }}', 'if s := "{}"; s != "{}" {{ {}.FailNow() }}')
_LITERALS = frozenset({"int_literal", "float_literal", "interpreted_string_literal", "true", "false"})
_GROUPS = frozenset(
    {"unary_expression", "composite_literal", "literal_value", "literal_element", "keyed_element", "parenthesized_expression"}
)


def test_bodies(source: str, draw: random.Random) -> list[TestBody]:
    """Return the tests of a file with what can be changed in them."""
    parsed = Parsed("go", source)
    found = []
    for node in walk(parsed.root):
        name, body = node.child_by_field_name("name"), node.child_by_field_name("body")
        if node.type != "function_declaration" or name is None or body is None or node.has_error:
            continue
        tester = _tester(parsed, node)
        if tester:
            found.append(TestBody(names=(parsed.text(name),), changes=tuple(_changes(parsed, body, tester, draw))))
    return found + shared_bodies(parsed, _is_compared, _literals, draw)


def _tester(parsed: Parsed, function: Node) -> str:
    """Return what a test calls its `*testing.T`; nothing where it has none."""
    given = function.child_by_field_name("parameters")
    for parameter in named(given) if given is not None else []:
        kind, name = parameter.child_by_field_name("type"), parameter.child_by_field_name("name")
        if kind is not None and parsed.text(kind) == "*testing.T" and name is not None and parsed.text(name) != "_":
            return parsed.text(name)
    return ""


def _changes(parsed: Parsed, body: Node, tester: str, draw: random.Random) -> Iterator[Change]:
    for node in _always(body):
        if node.type == "if_statement":
            yield from filter(None, _of_check(parsed, node, draw))
        elif node.type == "call_expression":
            yield from filter(None, _of_call(parsed, node, draw))
        elif node.type == "composite_literal":
            yield from filter(None, _of_table(parsed, node, draw))
    found = statements(body)
    claims = [_claims(draw, tester) for _ in range(2)]
    start, end = parsed.span(body).start + 1, parsed.span(body).end - 1
    yield Change(kind="begin", span=Span(start=start, end=start), neutral=f" {claims[0][0]};", false=f" {claims[0][1]};")
    if found and found[-1].type != "return_statement":
        place = parsed.span(found[-1]).end
        yield Change(kind="end", span=Span(start=place, end=place), neutral=f"; {claims[1][0]}", false=f"; {claims[1][1]}")
    elif not found:
        yield Change(kind="end", span=Span(start=end, end=end), neutral=f" {claims[1][0]} ", false=f" {claims[1][1]} ")


def _always(body: Node) -> Iterator[Node]:
    """Yield what runs in any case: not the branches of `if`, `switch` and `select`."""
    stack = [body]
    while stack:
        node = stack.pop()
        yield node
        if node.type == "if_statement":
            start = node.child_by_field_name("initializer")
            stack.extend([start] if start is not None else [])
        elif node.type not in ("expression_switch_statement", "type_switch_statement", "select_statement"):
            stack.extend(reversed(node.children))


def statements(body: Node) -> list[Node]:
    """Return the statements of a block."""
    lists = [child for child in named(body) if child.type == "statement_list"]
    return [statement for part in lists for statement in named(part)] if lists else named(body)


def _claims(draw: random.Random, tester: str) -> tuple[str, str]:
    """Return a check that holds and one of the same shape that fails the test."""
    (same, other), shapes = (equal_numbers(draw), _NUMBERS) if draw.random() < 0.5 else (equal_words(draw), _WORDS)
    shape = draw.choice(shapes)
    return shape.format(same, same, tester), shape.format(same, other, tester)


def _of_check(parsed: Parsed, check: Node, draw: random.Random) -> Iterator[Change | None]:
    """Yield the changes of `if got != want { t.Errorf(…) }`."""
    condition, then = check.child_by_field_name("condition"), check.child_by_field_name("consequence")
    if condition is None or then is None or not _FAILURES.search(parsed.text(then)):
        return
    compared = [node for node in walk(condition) if node.type == "binary_expression"]
    literals = []
    for node in compared:
        operator = node.child_by_field_name("operator")
        if operator is not None and parsed.text(operator) == "!=":
            literals += [leaf for side in named(node) for leaf in _literals(side)]
    literals += [leaf for call in walk(condition) if call.type == "call_expression" for leaf in _of_equality(parsed, call)]
    yield from (other_literal(parsed, literal, draw) for literal in literals)
    if literals:
        return
    yield replace_change(parsed, "negation", condition, denied(parsed, condition))


def _of_call(parsed: Parsed, call: Node, draw: random.Random) -> Iterator[Change | None]:
    """Yield the changes of `assert.Equal(t, 3, got)` and of its like."""
    yield from (other_literal(parsed, literal, draw) for literal in _of_equality(parsed, call))


def _of_equality(parsed: Parsed, call: Node) -> list[Node]:
    """Return the literals of a call that says by its name that it compares; of two sides with literals one is an input."""
    function, arguments = call.child_by_field_name("function"), call.child_by_field_name("arguments")
    if function is None or arguments is None or not _is_equality(parsed.text(function).rpartition(".")[2]):
        return []
    sides = [list(_literals(argument)) for argument in named(arguments)[:3]]
    return [leaf for side in sides for leaf in side] if not all(sides) else []


def _is_equality(name: str) -> bool:
    return name in _EQUALITIES or says_equal(name)


def _of_table(parsed: Parsed, table: Node, draw: random.Random) -> Iterator[Change | None]:
    """Yield the changes of what rows of a table call the wanted result, or of their last values."""
    kind, value = table.child_by_field_name("type"), table.child_by_field_name("body")
    if kind is None or value is None or kind.type not in ("slice_type", "map_type", "array_type"):
        return
    for row in named(value):
        inner = row
        while inner.type in ("literal_element", "keyed_element") and named(inner):
            inner = named(inner)[-1]
        if inner.type != "literal_value" or not named(inner):
            continue
        for literal in _wanted(parsed, inner):
            yield other_literal(parsed, literal, draw)


def _wanted(parsed: Parsed, row: Node) -> list[Node]:
    fields = named(row)
    keyed = [field for field in fields if field.type == "keyed_element"]
    if keyed:
        meant = [field for field in keyed if _WANTED.fullmatch(parsed.text(named(field)[0]).strip())]
        return [leaf for field in meant for leaf in _literals(named(field)[-1])]
    return list(_literals(fields[-1]))


def _literals(node: Node) -> Iterator[Node]:
    """Yield the literals that a value consists of."""
    if node.type in _LITERALS:
        yield node
    elif node.type in _GROUPS:
        children = named(node)
        for child in children[-1:] if node.type == "keyed_element" else children:
            if child.type not in ("slice_type", "map_type", "array_type", "type_identifier"):
                yield from _literals(child)
    elif node.type == "identifier":
        value = initial_value(node, _is_compared)
        yield from _literals(value) if value is not None else ()


def _is_compared(use: Node) -> bool:
    """Return whether a variable is only compared where it stands, or told of when a test fails."""
    operator = use.parent.child_by_field_name("operator") if use.parent is not None else None
    called = call_around(use)
    return _is_equality(called) or _FAILURES.search(f" {called}(") is not None or (operator is not None and operator.type == "!=")
