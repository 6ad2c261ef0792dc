"""Counter-tests of Python: functions of pytest, methods of unittest, by syntax tree. `validation.counter_tests` calls it."""

import functools
import random
import re
from collections.abc import Iterator

from tree_sitter import Node

from repairlab.core.text import Span
from repairlab.languages.counter import (
    ANY,
    Change,
    TestBody,
    descendants,
    equal_numbers,
    equal_words,
    named,
    shared_values,
    with_own_helpers,
)
from repairlab.languages.parser import Parsed
from repairlab.languages.python.assertions import of_call, of_claim, of_refusal
from repairlab.languages.python.expected_values import is_compared, other_exceptions, other_parameters, rows_of
from repairlab.languages.python.values import literals
from repairlab.languages.python.values import other as other_value

_SWALLOWS = re.compile(r"raises|assertRaises|suppress|warns|assertWarns|assertLogs", re.IGNORECASE)
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
    shared = [
        TestBody(names=(), changes=tuple(filter(None, (other_value(parsed, leaf, draw, ANY) for leaf in literals(parsed, value)))))
        for value in shared_values(parsed.root, is_compared)
    ]
    return with_own_helpers(found, {name for body in found for name in body.names if not name.startswith("test")}) + shared


def _called(body: Node) -> list[Node]:
    """Return the calls that are statements of a body."""
    lines = [named(statement)[0] for statement in named(body) if statement.type == "expression_statement" and named(statement)]
    return [line for line in lines if line.type == "call"]


def _of_function(parsed: Parsed, function: Node, body: Node, draw: random.Random) -> Iterator[Change]:
    """Yield the changes of a function; a parameter whose values can be changed is left alone where it is compared."""

    def other(cell: Node) -> Iterator[Change | None]:
        yield from (other_value(parsed, literal, draw) for literal in literals(parsed, cell))

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
    if statement.type == "if_statement":
        yield from of_refusal(parsed, statement, draw)
    if statement.type == "assert_statement":
        yield from of_claim(parsed, named(statement)[0], draw)
    call = named(statement)[0] if statement.type == "expression_statement" and named(statement) else None
    if call is not None and call.type == "call":
        yield from of_call(parsed, call, draw, _functions(parsed))


@functools.lru_cache(maxsize=1)
def _functions(parsed: Parsed) -> frozenset[str]:
    """Return the names of the functions of a test file."""
    names = (node.child_by_field_name("name") for node in descendants(parsed.root) if node.type == "function_definition")
    return frozenset((name.text or b"").decode() for name in names if name is not None)


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
