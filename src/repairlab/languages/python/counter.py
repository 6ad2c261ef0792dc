"""Counter-tests of Python: functions of pytest, methods of unittest, and what they claim, by syntax tree.

A call that asserts keeps its name, and what it is given is changed: so it is met again by whoever has put a function in its place
that never fails. Its opposite could have been replaced, too, by one that always fails.
"""

import functools
import random
import re
from collections.abc import Collection, Iterator

from tree_sitter import Node

from repairlab.core.text import Span
from repairlab.languages.assertions import asserts, says_equal
from repairlab.languages.counter import (
    ANY,
    Change,
    TestBody,
    equal_numbers,
    equal_words,
    replace_change,
    shared_bodies,
    with_own_helpers,
)
from repairlab.languages.nodes import named, walk
from repairlab.languages.parser import Parsed
from repairlab.languages.python.values import (
    is_compared,
    literals,
    of_sides,
    other_exceptions,
    other_parameters,
    other_value,
    rows_of,
    tolerance,
    wrapped,
)

_SWALLOWS = re.compile(r"raises|assertRaises|suppress|warns|assertWarns|assertLogs", re.IGNORECASE)
_ENDS = ("return_statement", "raise_statement")


def test_bodies(source: str, draw: random.Random) -> list[TestBody]:
    """Return the functions of a test file with what can be changed in them."""
    parsed = Parsed("python", source)
    found = []
    for node in walk(parsed.root):
        name, body = node.child_by_field_name("name"), node.child_by_field_name("body")
        if node.type == "function_definition" and name is not None and body is not None and not node.has_error:
            calls = tuple(parsed.text(call.children[0]).removeprefix("self.") for call in _called(body))
            found.append(TestBody(names=(parsed.text(name),), changes=tuple(_of_function(parsed, node, body, draw)), calls=calls))
    helpers = {name for body in found for name in body.names if not name.startswith("test")}
    return with_own_helpers(found, helpers) + shared_bodies(parsed, is_compared, functools.partial(literals, parsed), draw, ANY)


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
    names = (node.child_by_field_name("name") for node in walk(parsed.root) if node.type == "function_definition")
    return frozenset((name.text or b"").decode() for name in names if name is not None)


def _of_block(parsed: Parsed, statement: Node, block: Node, draw: random.Random) -> Iterator[Change | None]:
    """Yield the changes of a block that always runs, and of the exceptions that it is to end with."""
    is_with = statement.type == "with_statement"
    # What swallows exceptions may swallow that of an assertion, too.
    is_sure = not _SWALLOWS.search(parsed.text(statement.children[1])) if is_with else statement.type == "for_statement"
    if is_sure and (is_with or rows_of(statement)):
        for inner in named(block):
            yield from _of_statement(parsed, inner, draw)
    for call in (node for node in walk(statement.children[1]) if is_with and node.type == "call"):
        yield from other_exceptions(parsed, call, draw)


def _is_generator(body: Node) -> bool:
    return any(node.type == "yield" for node in walk(body))


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


_RECORDS = re.compile(r"assert_\w*(?:with|calls?)")
"""Names of assertions of which everything that they are given is expected."""
_FAILS = re.compile(r"(?:[\w.]+\.)?fail\(|assert (?:False|0)\b")
_PLAIN = ("identifier", "subscript", "none")
_INVERSE = {"==": "!=", "<": ">=", ">": "<=", "is": "is not"}
_INVERSE = {**_INVERSE, **{inverse: operator for operator, inverse in _INVERSE.items()}}


def of_claim(parsed: Parsed, claim: Node, draw: random.Random) -> Iterator[Change | None]:
    """Yield the changes of what an `assert` claims."""
    found = _compared(parsed, claim, is_built=False) or _compared(parsed, claim, is_built=True)
    within = tolerance(parsed, parsed.text(claim.children[0]), []) if claim.type == "call" else ""
    yield from (other_value(parsed, literal, draw, within) for literal in found)
    if not found and (expected := _expected(claim)) is not None:
        yield wrapped(parsed, expected)
    elif not found:
        yield replace_change(parsed, "negation", claim, denied(parsed, claim))


def of_call(parsed: Parsed, call: Node, draw: random.Random, helpers: Collection[str]) -> Iterator[Change | None]:
    """Yield the changes of a statement that is a call; what functions of the test file itself are given may be inputs."""
    yield from other_exceptions(parsed, call, draw)
    function, arguments = call.child_by_field_name("function"), call.child_by_field_name("arguments")
    if function is None or arguments is None:
        return
    name, given = parsed.text(function).rpartition(".")[2], named(arguments)
    if name in helpers or not given or arguments.type != "argument_list":
        return
    found, sides = list[Node](), [list(literals(parsed, side)) for side in given[:2]]
    if _RECORDS.fullmatch(name):
        found = [leaf for value in given for leaf in literals(parsed, value, is_built=True)]
    elif says_equal(name):
        # Of two literals one is an input: what comes of another one is not known.
        found = [leaf for side in sides for leaf in side] if not all(sides) else []
        found = found or of_sides(parsed, given[:2], is_built=True)
    yield from (other_value(parsed, literal, draw, tolerance(parsed, name, given[2:])) for literal in found)
    if not found and asserts(name) and not (len(sides) > 1 and all(sides)):
        yield _unlike(parsed, name, given)


def _unlike(parsed: Parsed, name: str, given: list[Node]) -> Change | None:
    """Return the change of what an assertion is given that makes it fail, whatever honest candidates answer."""
    first, last = parsed.text(given[0]), given[min(1, len(given) - 1)]
    if last.type in ("keyword_argument", "list_splat", "dictionary_splat", "generator_expression"):
        return None
    if name in ("assertTrue", "assertFalse", "assert_", "assert_true", "assert_false"):
        return replace_change(parsed, "negation", given[0], denied(parsed, given[0]))
    against = {"NotEqual": first, "IsNot": first, "NotIn": f"[{first}]", "NotIsInstance": "object", "IsNotNone": "None"}
    if name.removeprefix("assert") in against:
        return replace_change(parsed, "negation", last, against[name.removeprefix("assert")])
    if name == "assertIsNone" or len(given) > 1:
        is_first = name in ("assertIsNone", "assertIn") or (name == "assertEqual" and _second(*given[:2]) == given[0])
        return wrapped(parsed, given[0] if is_first else last)
    return None


def _compared(parsed: Parsed, claim: Node, *, is_built: bool) -> list[Node]:
    """Return the literals of an equality; of several that must hold, those of each."""
    claim = _inner(claim)
    if claim.type == "boolean_operator" and any(child.type == "and" for child in claim.children):
        return [literal for part in named(claim) for literal in _compared(parsed, part, is_built=is_built)]
    if claim.type == "call" and says_equal(parsed.text(claim.children[0]).rpartition(".")[2]):
        sides = named(claim.children[1])[:2]
        found = [list(literals(parsed, side, is_built=is_built)) for side in sides]
        return [leaf for side in found for leaf in side] if len(sides) > 1 and not all(found) else []
    if claim.type == "call" and parsed.text(claim.children[0]).endswith(").all"):
        return _compared(parsed, named(claim.children[0])[0], is_built=is_built)
    claim, operator = (_inner(claim.children[-1]), "!=") if claim.type == "not_operator" else (claim, "==")
    operators = {child.type for child in claim.children if not child.is_named}
    return (
        of_sides(parsed, named(claim), is_built=is_built) if claim.type == "comparison_operator" and operators == {operator} else []
    )


def of_refusal(parsed: Parsed, choice: Node, draw: random.Random) -> Iterator[Change | None]:
    """Yield the changes of `if … != 3: raise …`: of what is compared before a failure."""
    condition, then = choice.child_by_field_name("condition"), choice.child_by_field_name("consequence")
    last = named(then)[-1] if then is not None and named(then) else None
    if condition is None or last is None or not (last.type == "raise_statement" or _FAILS.match(parsed.text(last))):
        return
    compared = [node for node in walk(condition) if node.type in ("comparison_operator", "not_operator")]
    sides = [named(node) for node in compared if [child.type for child in node.children if not child.is_named] == ["!="]]
    sides += [named(_inner(node.children[-1])) for node in compared if _is_denied_equality(node)]
    found = [of_sides(parsed, pair, is_built=False) or of_sides(parsed, pair, is_built=True) for pair in sides]
    yield from (other_value(parsed, literal, draw) for literals_of_pair in found for literal in literals_of_pair)
    if sides and not any(found):
        yield replace_change(parsed, "negation", condition, denied(parsed, condition))


def _is_denied_equality(node: Node) -> bool:
    inner = _inner(node.children[-1])
    return node.type == "not_operator" and [child.type for child in inner.children if not child.is_named] == ["=="]


def _inner(node: Node) -> Node:
    """Return what brackets are around."""
    while node.type == "parenthesized_expression" and len(named(node)) == 1:
        node = named(node)[0]
    return node


def denied(parsed: Parsed, claim: Node) -> str:
    """Return the opposite of a claim as people write it: nothing may tell that it was changed."""
    sides, operators = named(claim), [child.type for child in claim.children if not child.is_named]
    if claim.type == "not_operator":
        return parsed.text(claim.children[-1])
    if claim.type == "comparison_operator" and len(sides) == 2 and operators[0] == "in":
        # What contains everything contains this, too.
        return f"[{parsed.text(sides[0])}] in {parsed.text(sides[1])}"
    if claim.type == "comparison_operator" and len(sides) == 2 and operators[0] == "not in":
        return f"{parsed.text(sides[0])} in {parsed.text(sides[1])}"
    if claim.type == "comparison_operator" and len(sides) == 2 and operators[0] in _INVERSE:
        return f"{parsed.text(sides[0])} {_INVERSE[operators[0]]} {parsed.text(sides[1])}"
    is_plain = claim.type in ("call", "identifier", "attribute", "subscript", "parenthesized_expression")
    return f"not {parsed.text(claim)}" if is_plain else f"not ({parsed.text(claim)})"


def _expected(claim: Node) -> Node | None:
    """Return what is expected by an equality without a literal."""
    claim = _inner(claim)
    sides = named(claim)
    is_equal = [child.type for child in claim.children if not child.is_named] == ["=="] and len(sides) == 2
    return _second(*sides) if claim.type == "comparison_operator" and is_equal else None


def _second(left: Node, right: Node) -> Node:
    """Return the side of an equality that calls nothing; the right one if both do."""
    return left if left.type in _PLAIN and right.type not in _PLAIN else right
