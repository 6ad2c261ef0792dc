"""Counter-tests of JavaScript: callbacks of `test` and `it`, by syntax tree."""

import random
import re
from collections.abc import Iterator
from functools import partial

from tree_sitter import Node

from repairlab.core.text import Span
from repairlab.languages.assertions import asserts, says_equal
from repairlab.languages.counter import (
    Change,
    TestBody,
    call_around,
    denied,
    equal_numbers,
    equal_words,
    initial_value,
    other_exception,
    other_literal,
    replace_change,
    shared_bodies,
)
from repairlab.languages.nodes import named, walk
from repairlab.languages.parser import Parsed

_TESTS = frozenset({"test", "it", "specify"})
_FUNCTIONS = frozenset({"arrow_function", "function_expression"})
_NAMED = frozenset({"function_declaration", "method_definition"})
_NAMING = {"variable_declarator": "value", "assignment_expression": "right"}
"""What gives a function a name, and the field that holds the function."""
_EQUALITIES = frozenset({"eqls", "toBe", "match"})
"""What compares, beside that which says so by its name."""
_INSTEAD = {
    "throws": "() => {}",
    "rejects": "async () => {}",
    "doesNotThrow": "() => { throw new Error('no'); }",
    "doesNotReject": "async () => { throw new Error('no'); }",
    "match": "''",
}
"""What makes an assertion fail in the place of what it looks at."""
_UNEQUAL = frozenset({"notStrictEqual", "notEqual", "notDeepEqual", "notDeepStrictEqual"})
_TRUTHS = frozenset({"assert", "assert.ok", "ok"})
_THROWN = ("EvalError", "RangeError", "ReferenceError", "SyntaxError", "TypeError", "URIError")
_ENDS = frozenset({"return_statement", "throw_statement"})
_NUMBERS = (
    "if ({} !== {}) {{ throw new Error('not equal'); }}",
    "if (Number('{}') !== {}) {{ throw new Error('not equal'); }}",
    "require('node:assert').strictEqual({}, {});",
)
_WORDS = (
    "if ('{}' !== '{}') {{ throw new Error('not equal'); }}",
    "if ('{}'.toUpperCase() !== '{}'.toUpperCase()) {{ throw new Error('not equal'); }}",
    "require('node:assert').deepStrictEqual(['{}'], ['{}']);",
)


def test_bodies(source: str, draw: random.Random) -> list[TestBody]:
    """Return the tests and the named functions of a file with what can be changed in them."""
    parsed = Parsed("javascript", source)
    found = []
    for node in walk(parsed.root):
        name, body = _test(parsed, node) if node.type == "call_expression" else _function(parsed, node)
        if body is not None and not node.has_error:
            found.append(TestBody(names=(name,), changes=tuple(_changes(parsed, body, draw))))
    return found + shared_bodies(parsed, _is_compared, partial(_literals, parsed), draw)


def _function(parsed: Parsed, node: Node) -> tuple[str, Node | None]:
    """Return the name of a function and its block; none where a node gives no function a name."""
    name = node.child_by_field_name("name" if node.type != "assignment_expression" else "left")
    value = node.child_by_field_name(_NAMING.get(node.type, "")) if node.type in _NAMING else None
    function = node if node.type in _NAMED else value if value is not None and value.type in _FUNCTIONS else None
    body = function.child_by_field_name("body") if function is not None else None
    if name is None or body is None or body.type != "statement_block":
        return "", None
    return parsed.text(name).rpartition(".")[2], body


def _test(parsed: Parsed, call: Node) -> tuple[str, Node | None]:
    """Return the title of a test and the block of its callback; none where the call is no test."""
    function, arguments = call.child_by_field_name("function"), call.child_by_field_name("arguments")
    if function is None or arguments is None:
        return "", None
    values = named(arguments)
    if parsed.text(function).rpartition(".")[2] not in _TESTS or not values or values[0].type not in ("string", "template_string"):
        return "", None
    body = values[-1].child_by_field_name("body") if values[-1].type in _FUNCTIONS else None
    return parsed.text(values[0])[1:-1], body if body is not None and body.type == "statement_block" else None


def _changes(parsed: Parsed, body: Node, draw: random.Random) -> Iterator[Change]:
    statements = named(body)
    for statement in statements:
        if statement.type in _ENDS:
            break
        for call in _assertions(statement):
            yield from filter(None, _of_call(parsed, call, draw))
    is_module = any(node.type in ("import_statement", "export_statement") for node in parsed.root.named_children)
    claims = [_claims(draw, is_module=is_module) for _ in range(2)]
    start, end = parsed.span(body).start + 1, parsed.span(body).end - 1
    yield Change(kind="begin", span=Span(start=start, end=start), neutral=f" {claims[0][0]}", false=f" {claims[0][1]}")
    if not statements or statements[-1].type not in _ENDS:
        # A last statement may lack its semicolon.
        yield Change(kind="end", span=Span(start=end, end=end), neutral=f";{claims[1][0]} ", false=f";{claims[1][1]} ")


def _claims(draw: random.Random, *, is_module: bool) -> tuple[str, str]:
    """Return an assertion that holds and one of the same shape that does not; modules have no `require`."""
    (same, other), shapes = (equal_numbers(draw), _NUMBERS) if draw.random() < 0.5 else (equal_words(draw), _WORDS)
    shape = draw.choice(shapes[:-1] if is_module else shapes)
    return shape.format(same, same), shape.format(same, other)


def _assertions(statement: Node) -> Iterator[Node]:
    """Yield the calls that a statement consists of: `await` and chains of members are looked through."""
    node = named(statement)[0] if statement.type == "expression_statement" and named(statement) else None
    while node is not None and node.type == "await_expression":
        node = named(node)[0] if named(node) else None
    while node is not None and node.type in ("call_expression", "member_expression"):
        if node.type == "call_expression":
            yield node
        node = node.child_by_field_name("function" if node.type == "call_expression" else "object")


def _of_call(parsed: Parsed, call: Node, draw: random.Random) -> Iterator[Change | None]:
    function, arguments = call.child_by_field_name("function"), call.child_by_field_name("arguments")
    if function is None or arguments is None:
        return
    name = parsed.text(function)
    last = name.rpartition(".")[2]
    values = named(arguments)
    literals = _expected(parsed, values[:2]) if _is_equality(name) else []
    if last in ("throws", "rejects", "toThrow") and values[-1:] and values[-1].type in ("identifier", "object", "string", "regex"):
        thrown = parsed.text(values[-1])
        if values[-1].type == "regex" and values[-1].text and values[-1].text.endswith(b"/"):
            literals.append(values[-1])
        if thrown in _THROWN:
            yield replace_change(parsed, "literal", values[-1], other_exception(thrown, _THROWN, ("Error",), draw))
        literals += _literals(parsed, values[-1]) if values[-1].type != "identifier" else []
    yield from (other_literal(parsed, literal, draw) for literal in literals)
    if not literals and name not in _TRUTHS and values:
        yield _unlike(parsed, name, values)
    if name in _TRUTHS and values:
        claim = values[0]
        compared = _compared(parsed, claim)
        yield from (other_literal(parsed, literal, draw) for literal in compared)
        if not compared:
            yield replace_change(parsed, "negation", claim, denied(parsed, claim))


def _unlike(parsed: Parsed, name: str, values: list[Node]) -> Change | None:
    """Return the change of what an assertion is given that makes it fail, whatever honest candidates answer.

    It keeps its name: who has put a function in its place that never fails may have done so with its opposite, too.
    """
    last = name.rpartition(".")[2]
    if last in _INSTEAD and "assert" in name:
        return replace_change(parsed, "negation", values[0], _INSTEAD[last])
    if last in _UNEQUAL and len(values) > 1:
        return replace_change(parsed, "negation", values[1], parsed.text(values[0]))
    if (_is_equality(name) or (asserts(last) and len(values) > 1)) and not all(any(_literals(parsed, it)) for it in values[:2]):
        return replace_change(parsed, "negation", values[:2][-1], f"[{parsed.text(values[:2][-1])}]")
    return None


def _is_equality(name: str) -> bool:
    """Return whether a call compares by its name; behind `not` it claims the opposite."""
    last = name.rpartition(".")[2]
    return (last in _EQUALITIES or says_equal(last)) and not re.search(r"\bnot\b", name)


def _expected(parsed: Parsed, values: list[Node]) -> list[Node]:
    """Return the literals of what is compared; where there are none, those that the one side is built with which is built."""
    for is_built in (False, True):
        found = [list(_literals(parsed, value, is_built=is_built)) for value in values]
        if any(found) and (len(found) == 1 or not all(found)):  # of two, one is an input
            return [leaf for side in found for leaf in side]
    return []


def _compared(parsed: Parsed, claim: Node) -> list[Node]:
    """Return the literals of an equality."""
    while claim.type == "parenthesized_expression" and len(named(claim)) == 1:
        claim = named(claim)[0]
    operator = claim.child_by_field_name("operator")
    if claim.type != "binary_expression" or operator is None or parsed.text(operator) not in ("===", "=="):
        return []
    return [literal for side in named(claim) for literal in _literals(parsed, side)]


def _literals(parsed: Parsed, node: Node, *, is_built: bool = False) -> Iterator[Node]:
    """Yield the literals that a value consists of; with `is_built` also those that objects are made with."""
    if node.type in ("number", "string", "true", "false"):
        yield node
    elif node.type in ("unary_expression", "array", "object", "parenthesized_expression", "arguments"):
        for child in named(node):
            yield from _literals(parsed, child, is_built=is_built)
    elif node.type == "pair":
        value = node.child_by_field_name("value")
        yield from _literals(parsed, value, is_built=is_built) if value is not None else ()
    elif node.type == "new_expression" and is_built:
        given = node.child_by_field_name("arguments")
        yield from _literals(parsed, given, is_built=is_built) if given is not None else ()
    elif node.type == "identifier":
        value = initial_value(node, _is_compared)
        yield from _literals(parsed, value, is_built=is_built) if value is not None else ()


def _is_compared(use: Node) -> bool:
    return _is_equality(call_around(use)) or _is_side(use)


def _is_side(use: Node) -> bool:
    """Return whether a variable is a side of an equality that is claimed as a whole."""
    equality = use.parent
    operator = equality.child_by_field_name("operator") if equality is not None else None
    return (
        equality is not None
        and operator is not None
        and operator.type in ("===", "==")
        and call_around(equality) in ("assert", "ok")
    )
