"""Counter-tests of C and C++: functions of whatever framework, found by their names and changed by syntax tree.

`validation.counter_tests` calls it. Assertions are known by words in their names; what is none in truth does no harm, because
nothing is used that the reference fix was not seen to fail.
"""

import random
import re
from collections.abc import Iterable, Iterator, Mapping, Sequence
from typing import Literal

from tree_sitter import Node

from repairlab.core.recipe import Framework
from repairlab.core.text import Span
from repairlab.languages import declarations
from repairlab.languages.counter.change import (
    Change,
    TestBody,
    descendants,
    equal_numbers,
    moved,
    named,
    other_number,
    other_string,
    replace_change,
)
from repairlab.languages.language import Function
from repairlab.languages.parser import Parsed

_ASSERTION = re.compile(
    r"assert|expect|check|require|ensure|verify|equal|eq\b|_eq|streq|^ok$|^is$|test|must|should|compare", re.IGNORECASE
)
_EQUALITY = re.compile(r"equal|eq(?![a-z])|^is$|near", re.IGNORECASE)
_PLAIN_EQUALITY = re.compile(r".*(?:_EQ|_eq|_equals?|_EQUALS?|Equal|Equals)")
_NEGATED = re.compile(r"not_?e|\bne\b|_ne\b|differ|unequal", re.IGNORECASE)
_MUST_HOLD = ("==", "&&", "and")
_FAILS_UNLESS = ("!=", "||", "or")
"""The comparison whose literal is changed, and what may join several: in assertions, and in an `if` before a failure."""
_OTHERWISE = re.compile(r"false|not|throw|fail|null|ne\b", re.IGNORECASE)
"""Names of assertions that hold when their condition does not."""
_SHAPES: Mapping[Framework, tuple[str, ...]] = {
    "gtest": ("EXPECT_EQ({}, {});", "EXPECT_TRUE({} == {});"),
    "catch2": ("CHECK({} == {});", "REQUIRE({} == {});"),
    "cmocka": ("assert_int_equal({}, {});", "assert_true({} == {});"),
    "cunit": ("CU_ASSERT_EQUAL({}, {});", "CU_ASSERT({} == {});"),
}
"""Assertions that frameworks bring; elsewhere those that the file itself uses."""
_TEXT_COMPARISONS = frozenset({"strcmp", "strncmp", "strcasecmp", "std::strcmp", "std::string", "std::string_view"})
_HEAD = "void f() "


def test_bodies(source: str, draw: random.Random, language: Literal["c", "cpp"], framework: Framework) -> list[TestBody]:
    """Return the functions of a test file with what can be changed in them."""
    read = list(_bodies(source, language))
    used = {shape for parsed, body, _ in read for node in descendants(body) for shape in _shape(parsed, node)}
    shapes = _SHAPES.get(framework, tuple(sorted(used)))
    found = []
    for parsed, body, function in read:
        shift = function.body.start - len(_HEAD)
        changes = tuple(
            Change(kind=change.kind, span=moved(change.span, shift), neutral=change.neutral, false=change.false)
            for change in _changes(parsed, body, shapes, draw, is_main=function.name == "main")
        )
        found.append(TestBody(names=_names(function), changes=changes, calls=tuple(_calls(parsed, body))))
    return found


def _bodies(source: str, language: Literal["c", "cpp"]) -> Iterator[tuple[Parsed, Node, Function]]:
    for function in declarations.functions(language, source):
        # Macros around functions confuse the grammar, so each body is read by itself.
        parsed = Parsed(language, _HEAD + function.body.of(source))
        body = next((node for node in parsed.root.children[0].children if node.type == "compound_statement"), None)
        if body is not None and not parsed.root.has_error:
            yield parsed, body, function


def _names(function: Function) -> tuple[str, ...]:
    """Return the name of a function, or what a macro that makes one is given: `TEST(Suite, name)`."""
    if function.name.upper() != function.name and function.name not in ("Test", "Theory"):
        return (function.name,)
    return (function.name, *(parameter.strip('"') for parameter in function.parameters))


def _calls(parsed: Parsed, body: Node) -> Iterator[str]:
    for node in descendants(body):
        if node.type == "call_expression":
            yield parsed.text(node.children[0])


def _changes(parsed: Parsed, body: Node, shapes: Sequence[str], draw: random.Random, *, is_main: bool) -> Iterator[Change]:
    statements = named(body)
    for statement in statements:
        yield from _of_statement(parsed, statement, draw)
    if is_main:
        shapes = ("if (!({} == {})) return 1;",)
    if shapes and statements:
        shape = draw.choice(shapes)
        (same, other), is_last = equal_numbers(draw), statements[-1].type == "return_statement"
        end = parsed.span(statements[-1]).start if is_last else parsed.span(body).end - 1
        for kind, place in (("begin", parsed.span(body).start + 1), ("end", end)):
            neutral, false = (f" {shape.format(same, second)} " for second in (same, other))
            yield Change(kind="end" if kind == "end" else "begin", span=Span(start=place, end=place), neutral=neutral, false=false)


def _of_statement(parsed: Parsed, statement: Node, draw: random.Random) -> Iterator[Change]:
    """Yield the changes of a statement; behind an `if` only where the name of the test decides, and not the code under test."""
    if statement.type in ("compound_statement", "else_clause"):
        for child in named(statement):
            yield from _of_statement(parsed, child, draw)
    elif statement.type == "if_statement":
        condition = statement.child_by_field_name("condition")
        if condition is not None and _chooses_test(parsed, condition):
            for child in named(statement)[1:]:
                yield from _of_statement(parsed, child, draw)
        else:
            yield from _others(parsed, _compared(condition, _FAILS_UNLESS), draw)
    elif statement.type == "return_statement" and named(statement):
        yield from _others(parsed, _compared(named(statement)[0], _MUST_HOLD), draw)
    elif statement.type == "expression_statement" and named(statement):
        call = named(statement)[0]
        if call.type == "call_expression" and _ASSERTION.search(parsed.text(call.children[0])):
            yield from _of_assertion(parsed, call, draw)


def _chooses_test(parsed: Parsed, condition: Node) -> bool:
    called = {parsed.text(node.children[0]) for node in descendants(condition) if node.type == "call_expression"}
    return bool(called) and called <= _TEXT_COMPARISONS


def _others(parsed: Parsed, literals: Iterable[Node], draw: random.Random) -> Iterator[Change]:
    for literal in literals:
        change = _other(parsed, literal, draw)
        if change is not None:
            yield change


def _shape(parsed: Parsed, call: Node) -> Iterator[str]:
    """Yield how to write an assertion about two numbers in the words of the test itself."""
    if call.type != "call_expression" or not _ASSERTION.search(parsed.text(call.children[0])):
        return
    name, arguments = parsed.text(call.children[0]), named(call.children[1])
    if _OTHERWISE.search(name):
        return
    if len(arguments) == 1 and _is_condition(parsed, arguments[0]):
        yield f"{name}({{}} == {{}});"
    elif len(arguments) == 2 and _PLAIN_EQUALITY.fullmatch(name) and not _NEGATED.search(name) and "tr" not in name.lower():
        yield f"{name}({{}}, {{}});"


def _is_condition(parsed: Parsed, node: Node) -> bool:
    if node.type == "binary_expression":
        operator = node.child_by_field_name("operator")
        return operator is not None and parsed.text(operator) in ("==", "!=", "<", ">", "<=", ">=", "&&", "||")
    return False


def _of_assertion(parsed: Parsed, call: Node, draw: random.Random) -> Iterator[Change]:
    name, arguments = parsed.text(call.children[0]), named(call.children[1])
    literals = [literal for argument in arguments for literal in _compared(argument, _MUST_HOLD)]
    if len(arguments) >= 2 and _EQUALITY.search(name) and not _NEGATED.search(name):
        literals += [literal for argument in arguments[:2] for literal in _literals(argument)]
    yield from _others(parsed, literals, draw)
    if not literals and len(arguments) == 1:
        change = replace_change(parsed, "negation", arguments[0], f"!({parsed.text(arguments[0])})")
        if change is not None:
            yield change


def _compared(node: Node | None, operators: tuple[str, ...]) -> Iterator[Node]:
    """Yield the literals of a comparison, or of each of several that are joined."""
    if node is None:
        return
    if node.type in ("parenthesized_expression", "condition_clause"):
        for child in named(node):
            yield from _compared(child, operators)
    elif node.type == "binary_expression":
        operator = node.child_by_field_name("operator")
        word = operator.type if operator is not None else ""
        for side in named(node):
            if word in operators[1:]:
                yield from _compared(side, operators)
            elif word == operators[0]:
                yield from _literals(side)
                if side.type == "call_expression" and side.children[0].text in (b"strcmp", b"strcasecmp", b"std::strcmp"):
                    for argument in named(side.children[1])[:2]:
                        yield from _literals(argument)


def _literals(node: Node) -> Iterator[Node]:
    if node.type in ("number_literal", "string_literal", "char_literal", "true", "false"):
        yield node
    elif node.type in ("unary_expression", "parenthesized_expression", "cast_expression"):
        for child in named(node)[-1:]:
            yield from _literals(child)


def _other(parsed: Parsed, literal: Node, draw: random.Random) -> Change | None:
    text = parsed.text(literal)
    if literal.type in ("true", "false"):
        return replace_change(parsed, "literal", literal, "false" if literal.type == "true" else "true")
    if literal.type == "char_literal":
        return replace_change(parsed, "literal", literal, "'q'" if text != "'q'" else "'k'")
    return replace_change(
        parsed, "literal", literal, (other_string if literal.type == "string_literal" else other_number)(text, draw)
    )
