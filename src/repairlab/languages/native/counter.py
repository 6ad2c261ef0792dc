"""Counter-tests of C and C++: functions of whatever framework, found by their names and changed by syntax tree.

Assertions are known by words in their names; what is none in truth does no harm, because
nothing is used that the reference fix was not seen to fail.
"""

import random
import re
from collections.abc import Iterable, Iterator, Mapping, Sequence
from typing import Literal, NamedTuple

from tree_sitter import Node

from repairlab.core.recipe import Framework
from repairlab.core.text import Span
from repairlab.languages.assertions import says_equal
from repairlab.languages.counter import (
    Change,
    Kind,
    TestBody,
    denied,
    equal_numbers,
    moved,
    other_exception,
    other_literal,
    replace_change,
)
from repairlab.languages.language import Function
from repairlab.languages.native import declarations
from repairlab.languages.native.values import FAILS_UNLESS, LITERALS, MUST_HOLD, compared, literals_of
from repairlab.languages.nodes import named, operator_of, walk
from repairlab.languages.parser import Parsed

_ASSERTION = re.compile(
    r"assert|expect|check|require|ensure|verify|equal|eq\b|_eq|streq|^ok$|^is$|test|must|should|compare", re.IGNORECASE
)
_EQUALITY = re.compile(r"equal|eq(?![a-z])|^is$|near", re.IGNORECASE)
_PLAIN_EQUALITY = re.compile(r".*(?:_EQ|_eq|_equals?|_EQUALS?|Equal|Equals)")
_NEGATED = re.compile(r"not_?e|\bne\b|_ne\b|differ|unequal", re.IGNORECASE)
_OTHERWISE = re.compile(r"false|not|throw|fail|null|ne\b", re.IGNORECASE)
"""Names of assertions that hold when their condition does not."""
_OPPOSITES = (
    (r"NOT_EQUAL", "EQUAL"),
    (r"not_equal", "equal"),
    (r"_EQUAL", "_NOT_EQUAL"),
    (r"_equal", "_not_equal"),
    (r"EQ$", "NE"),
    (r"NE$", "EQ"),
    (r"_LT$", "_GE"),
    (r"_LE$", "_GT"),
    (r"_GT$", "_LE"),
    (r"_GE$", "_LT"),
)
"""How names of assertions become those of the opposite; one that does not exist does not build, and the file is changed less."""
_SHAPES: Mapping[Framework, tuple[str, ...]] = {
    "gtest": ("EXPECT_EQ({}, {});", "EXPECT_TRUE({} == {});"),
    "catch2": ("CHECK({} == {});", "REQUIRE({} == {});"),
    "cmocka": ("assert_int_equal({}, {});", "assert_true({} == {});"),
    "cunit": ("CU_ASSERT_EQUAL({}, {});", "CU_ASSERT({} == {});"),
}
"""Assertions that frameworks bring; elsewhere those that the file itself uses."""
_TEXT_COMPARISONS = frozenset({"strcmp", "strncmp", "strcasecmp", "std::strcmp", "std::string", "std::string_view"})
_ARGUMENTS = re.compile(r"\barg[cv]\b")
_HEAD = "void f() "
_THROWS = re.compile(r"THROWS?(?:_AS)?$")
_THROWN = ("std::bad_alloc", "std::length_error", "std::out_of_range", "std::overflow_error")
_GENERAL = ("std::exception", "std::logic_error", "std::runtime_error")
"""What those are kinds of."""
_FAILURE = re.compile(r"exit|abort|fail|err|assert|bad|wrong|mismatch|not.?ok|die|panic|throw", re.IGNORECASE)
_RESULT = re.compile(r"fail|err|bad|wrong|ret|rc|res|status|ok|pass|good|code", re.IGNORECASE)
"""Words in names of what ends a test, or says how it ended."""


def test_bodies(source: str, draw: random.Random, language: Literal["c", "cpp"], framework: Framework) -> list[TestBody]:
    """Return the functions of a test file with what can be changed in them."""
    read = list(_bodies(source, language))
    used = {shape for parsed, body, _ in read for node in walk(body) for shape in _shape(parsed, node)}
    shapes = _SHAPES.get(framework, tuple(sorted(used)))
    helpers = frozenset(function.name for _, _, function in read)
    found = []
    for parsed, body, function in read:
        shift = function.body.start - len(_HEAD)
        changes = tuple(
            Change(kind=change.kind, span=moved(change.span, shift), neutral=change.neutral, false=change.false)
            for change in _changes(parsed, body, shapes, _Drawing(draw, helpers), is_main=function.name == "main")
        )
        found.append(TestBody(names=_names(function), changes=changes, calls=tuple(_calls(parsed, body))))
    return found


class _Drawing(NamedTuple):
    """What changes are drawn by, and which functions are the test file's own."""

    random: random.Random
    helpers: frozenset[str]


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


def _calls(parsed: Parsed, code: Node) -> Iterator[str]:
    for node in walk(code):
        if node.type == "call_expression":
            yield parsed.text(node.children[0])


def _changes(parsed: Parsed, body: Node, shapes: Sequence[str], draw: _Drawing, *, is_main: bool) -> Iterator[Change]:
    statements = named(body)
    for statement in statements:
        # What main makes of a count of failures is no assertion: changed, a program would fail whether or not tests ran.
        if not (is_main and statement.type == "return_statement" and not any(_calls(parsed, statement))):
            yield from _of_statement(parsed, statement, draw)
    if is_main:
        shapes = ("if (!({} == {})) return 1;",)
    if shapes and statements:
        shape = draw.random.choice(shapes)
        (same, other), is_last = equal_numbers(draw.random), statements[-1].type == "return_statement"
        end = parsed.span(statements[-1]).start if is_last else parsed.span(body).end - 1
        for kind, place in (("begin", parsed.span(body).start + 1), ("end", end)):
            neutral, false = (f" {shape.format(same, second)} " for second in (same, other))
            yield Change(kind="end" if kind == "end" else "begin", span=Span(start=place, end=place), neutral=neutral, false=false)


def _of_statement(parsed: Parsed, statement: Node, draw: _Drawing) -> Iterator[Change]:
    """Yield the changes of a statement; behind an `if` or in a loop only where the code under test has no say."""
    if statement.type in ("compound_statement", "else_clause"):
        for child in named(statement):
            yield from _of_statement(parsed, child, draw)
    elif statement.type == "for_statement" and _has_fixed_end(parsed, statement):
        yield from _of_statement(parsed, named(statement)[-1], draw)
    elif statement.type == "if_statement":
        condition = statement.child_by_field_name("condition")
        if condition is not None and _chooses_test(parsed, condition):
            for child in named(statement)[1:]:
                yield from _of_statement(parsed, child, draw)
        # What a program was started with is no result of the code under test: a test that fails by it would show nothing.
        if condition is not None and not _ARGUMENTS.search(parsed.text(condition)) and _fails(parsed, statement):
            yield from _of_condition(parsed, condition, FAILS_UNLESS, draw.random)
    elif statement.type == "return_statement" and named(statement):
        result = named(statement)[0]
        condition = result.child_by_field_name("condition") if result.type == "conditional_expression" else result
        for operators in (MUST_HOLD, FAILS_UNLESS):
            yield from _of_condition(parsed, condition, operators, draw.random)
    elif statement.type == "expression_statement" and named(statement):
        call = named(statement)[0]
        asserts = call.type == "call_expression" and _asserts(parsed.text(call.children[0]))
        if asserts and not _ARGUMENTS.search(parsed.text(call)):
            yield from _of_assertion(parsed, call, draw)


def _asserts(name: str) -> bool:
    return _ASSERTION.search(name) is not None or says_equal(name)


def _is_equality(name: str) -> bool:
    return (_EQUALITY.search(name) is not None or says_equal(name)) and not _NEGATED.search(name)


def _fails(parsed: Parsed, choice: Node) -> bool:
    """Whether what follows a condition says that a test failed; else honest candidates may differ in the condition."""
    body = choice
    while body.parent is not None and body.parent.type != "function_definition":
        body = body.parent
    last = named(body)[-1] if named(body) else body
    usual = parsed.text(last) if last.type == "return_statement" else "return;"
    for node in (node for branch in named(choice)[1:] for node in walk(branch)):
        text = parsed.text(node)
        if node.type == "return_statement" and named(node) and text != usual:
            return True
        if node.type in ("goto_statement", "throw_statement") or (node.type == "string_literal" and _FAILURE.search(text)):
            return True
        if node.type == "call_expression" and _FAILURE.search(parsed.text(node.children[0])):
            return True
        if node.type in ("update_expression", "assignment_expression") and _RESULT.search(text):
            return True
    return False


def _has_fixed_end(parsed: Parsed, loop: Node) -> bool:
    """Whether a loop runs as often as its own text says: up to a number, a constant or the size of a table."""
    condition = loop.child_by_field_name("condition")
    ends = [parsed.text(node) for node in walk(condition) if not node.children] if condition is not None else []
    calls = condition is not None and any(node.type == "call_expression" for node in walk(condition))
    return not calls and any(end == "sizeof" or end.isupper() or end.isdigit() for end in ends)


def _of_condition(parsed: Parsed, condition: Node | None, operators: tuple[str, ...], draw: random.Random) -> Iterator[Change]:
    """Yield the changes of what is compared; without a literal, the comparison itself is turned round."""
    literals = list(compared(condition, operators))
    yield from _others(parsed, literals, draw)
    while condition is not None and condition.type in ("parenthesized_expression", "condition_clause") and named(condition):
        condition = named(condition)[0]
    if not literals and condition is not None and operator_of(condition) == operators[0]:
        yield from _negations(parsed, condition)


def _chooses_test(parsed: Parsed, condition: Node) -> bool:
    if _ARGUMENTS.search(parsed.text(condition)):
        return True
    called = {parsed.text(node.children[0]) for node in walk(condition) if node.type == "call_expression"}
    return bool(called) and called <= _TEXT_COMPARISONS


def _others(parsed: Parsed, literals: Iterable[Node], draw: random.Random, tolerance: str = "") -> Iterator[Change]:
    for literal in literals:
        change = other_literal(parsed, literal, draw, tolerance)
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


def _of_assertion(parsed: Parsed, call: Node, draw: _Drawing) -> Iterator[Change]:
    name, arguments = parsed.text(call.children[0]), named(call.children[1])
    literals = [literal for argument in arguments for literal in compared(argument, MUST_HOLD)]
    yield from _others(parsed, literals, draw.random)
    # Functions of the test file may take inputs: what comes of another one is not known.
    has_inputs = name in draw.helpers
    sides = [list(literals_of(argument)) for argument in arguments[:2]]
    if not any(sides):
        sides = [list(literals_of(argument, is_built=True)) for argument in arguments[:2]]
    if _is_equality(name) and not all(sides) and not (has_inputs and len(arguments) > 2):
        tolerance = parsed.text(arguments[2]) if len(arguments) > 2 and arguments[2].type != "string_literal" else ""
        for literal in (literal for side in sides for literal in side if len(sides) > 1):
            literals.append(literal)
            yield from _others(parsed, [literal], draw.random, tolerance)
    if _THROWS.search(name) and len(arguments) > 1 and arguments[1].type in ("identifier", "qualified_identifier"):
        yield from _replaced(
            parsed, "literal", arguments[1], other_exception(parsed.text(arguments[1]), _THROWN, _GENERAL, draw.random)
        )
    elif not literals and len(arguments) == 1:
        if arguments[0].type not in LITERALS and not (has_inputs and arguments[0].type == "identifier"):
            yield from _negations(parsed, arguments[0])
    elif not literals and (opposite := _opposite(name)) and (not has_inputs or opposite in draw.helpers):
        yield from _replaced(parsed, "negation", call.children[0], opposite)


def _opposite(name: str) -> str:
    """Return the assertion of the opposite; nothing where none is known.

    >>> _opposite("EXPECT_EQ"), _opposite("assert_ptr_equal"), _opposite("CHECK")
    ('EXPECT_NE', 'assert_ptr_not_equal', '')
    """
    return next((re.sub(word, other, name) for word, other in _OPPOSITES if re.search(word, name)), "")


def _negations(parsed: Parsed, node: Node) -> Iterator[Change]:
    """Yield the change of a condition into its opposite."""
    yield from _replaced(parsed, "negation", node, denied(parsed, node))


def _replaced(parsed: Parsed, kind: Kind, node: Node, false: str) -> Iterator[Change]:
    change = replace_change(parsed, kind, node, false)
    if change is not None:
        yield change
