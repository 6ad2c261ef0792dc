"""Counter-tests for Java: methods of JUnit 3, 4 and 5, found in the syntax tree."""

import random
import re
from collections.abc import Iterator
from functools import partial

from tree_sitter import Node

from repairlab.core.recipe import Framework
from repairlab.core.text import Span
from repairlab.languages.assertions import asserts, says_equal
from repairlab.languages.counter import (
    ANY,
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
    with_own_helpers,
)
from repairlab.languages.java.names import can_end
from repairlab.languages.nodes import named, walk
from repairlab.languages.parser import Parsed

_EQUALITIES = re.compile(r"isEqualByComparingTo|equalTo|is|hasSize|containsExactly")
"""What compares, beside that which says so by its name."""
_VALUES = ("asList", "of", "singletonList", "singleton", "valueOf")
_NUMBERS = re.compile(r"\w+_(?:integer|floating_point)_literal")
_OPPOSITES = {"assertNull": "assertNotNull", "assertSame": "assertNotSame"}
_SWAPPED = {**_OPPOSITES, **{opposite: name for name, opposite in _OPPOSITES.items()}}
_FAIL = re.compile(r"(?:(?:this|super|Assert|Assertions|[\w.]+\.Assert(?:ions)?)\.)?fail\(.*", re.DOTALL)
_THROWN = ("ArithmeticException", "ClassCastException", "IllegalArgumentException", "IllegalStateException", "NullPointerException")
_GENERAL = ("RuntimeException", "Exception", "Throwable")
"""What those are kinds of."""
_CLASSES = {"junit4": "org.junit.Assert", "junit5": "org.junit.jupiter.api.Assertions"}


def test_bodies(source: str, draw: random.Random, framework: Framework) -> list[TestBody]:
    """Return the methods of a test file with what can be changed in them."""
    parsed = Parsed("java", source)
    found, helpers = [], set()
    for node in walk(parsed.root):
        name, body, kind = (node.child_by_field_name(field) for field in ("name", "body", "type"))
        if node.type != "method_declaration" or name is None or body is None or kind is None or node.has_error:
            continue
        if kind.type == "void_type":
            calls = tuple(_name(parsed, call) for call in _called(body))
            head = source[parsed.span(node).start : parsed.span(name).start]
            changes = [
                change
                for change in _changes(parsed, body, draw, framework)
                # Behind the exception that is expected nothing runs.
                if change.kind != "end" or not re.search(r"@Test\s*\([^)]*\bexpected\b", head)
            ]
            annotations = [part for child in node.children if child.type == "modifiers" for part in named(child)]
            changes += [change for part in annotations if part.type == "annotation" for change in _of_thrown(parsed, part, draw)]
            found.append(TestBody(names=(parsed.text(name),), changes=tuple(changes), calls=calls))
            if "@" not in head and not parsed.text(name).startswith("test"):
                helpers.add(parsed.text(name))
    return with_own_helpers(found, helpers) + shared_bodies(parsed, _is_compared, partial(_literals, parsed), draw, ANY)


def _called(body: Node) -> list[Node]:
    """Return the calls that are statements of a body, but those of other objects."""
    lines = [named(statement)[0] for statement in named(body) if statement.type == "expression_statement"]
    calls = [(line, line.child_by_field_name("object")) for line in lines if line.type == "method_invocation"]
    return [call for call, owner in calls if owner is None or owner.type == "this"]


def _changes(parsed: Parsed, body: Node, draw: random.Random, framework: Framework) -> Iterator[Change]:
    yield from _of_block(parsed, body, draw)
    claims = [_claims(framework, draw) for _ in range(2)]
    start, end = parsed.span(body).start + 1, parsed.span(body).end - 1
    yield Change(kind="begin", span=Span(start=start, end=start), neutral=f" {claims[0][0]}", false=f" {claims[0][1]}")
    if can_end(parsed, body):
        yield Change(kind="end", span=Span(start=end, end=end), neutral=f"{claims[1][0]} ", false=f"{claims[1][1]} ")


def _of_block(parsed: Parsed, block: Node, draw: random.Random) -> Iterator[Change]:
    """Yield the changes of statements that run whenever a test passes."""
    for statement in named(block):
        if statement.type == "expression_statement":
            yield from filter(None, _of_call(parsed, named(statement)[0], draw))
        elif statement.type == "block":
            yield from _of_block(parsed, statement, draw)
        elif statement.type in ("try_statement", "try_with_resources_statement"):
            catches = [part for part in named(statement) if part.type == "catch_clause"]
            tried = statement.child_by_field_name("body")
            handled = catches[0].child_by_field_name("body") if len(catches) == 1 else None
            if tried is not None and not catches:
                yield from _of_block(parsed, tried, draw)
            elif tried is not None and handled is not None and named(tried) and _FAIL.fullmatch(parsed.text(named(tried)[-1])):
                yield from _of_block(parsed, handled, draw)


def _claims(framework: Framework, draw: random.Random) -> tuple[str, str]:
    """Return an assertion that holds and one of the same shape that does not."""
    junit = _CLASSES.get(framework, "")
    numbers = [
        "if ({} != {}) {{ throw new AssertionError(); }}",
        'if (Integer.parseInt("{}") != {}) {{ throw new AssertionError(); }}',
    ]
    texts = [
        'if (!"{}".equals("{}")) {{ throw new AssertionError(); }}',
        'if ("{}".compareTo("{}") != 0) {{ throw new AssertionError(); }}',
    ]
    if junit:
        numbers += [f"{junit}.assertEquals({{}}L, {{}}L);", f"{junit}.assertTrue({{}} == {{}});"]
        texts += [f'{junit}.assertEquals("{{}}", "{{}}");', f'{junit}.assertFalse(!"{{}}".equals("{{}}"));']
    (same, other), shapes = (equal_numbers(draw), numbers) if draw.random() < 0.5 else (equal_words(draw), texts)
    shape = draw.choice(shapes)
    return shape.format(same, same), shape.format(same, other)


def _of_call(parsed: Parsed, call: Node, draw: random.Random) -> Iterator[Change | None]:
    """Yield the changes of a statement that is an assertion."""
    is_known = parsed.text(call).lstrip().startswith(("assert", "Assert", "org.junit", "this.assert"))
    if call.type != "method_invocation" or not (is_known or says_equal(_name(parsed, call)) or asserts(_name(parsed, call))):
        return
    literals = [(literal, tolerance) for node in _comparing(parsed, call) for literal, tolerance in _of_equality(parsed, node)]
    yield from (other_literal(parsed, literal, draw, tolerance) for literal, tolerance in literals)
    name, arguments = call.child_by_field_name("name"), call.child_by_field_name("arguments")
    if literals or name is None or arguments is None:
        return
    yield from (_unlike(parsed, node) for node in _comparing(parsed, call))
    if parsed.text(name).startswith("assertThrows"):
        yield from _of_thrown(parsed, arguments, draw)
    opposite, claims = _SWAPPED.get(parsed.text(name)), named(arguments)
    if parsed.text(name) in ("assertTrue", "assertFalse"):
        claims = claims[:1] if "org.junit.jupiter" in parsed.source else claims[-1:]  # else a message comes first
        if claims and claims[0].type not in ("lambda_expression", "method_reference"):
            yield replace_change(parsed, "negation", claims[0], denied(parsed, claims[0]))
    elif opposite and _knows(parsed, call, opposite):
        yield replace_change(parsed, "negation", name, opposite)


def _of_thrown(parsed: Parsed, expecting: Node, draw: random.Random) -> Iterator[Change]:
    """Yield the change of the exception that a test expects: `assertThrows(X.class, …)`, `@Test(expected = X.class)`."""
    for node in walk(expecting):
        if node.type == "class_literal" and node.parent is not None and node.parent.type != "lambda_expression":
            change = replace_change(
                parsed, "literal", named(node)[0], other_exception(parsed.text(named(node)[0]), _THROWN, _GENERAL, draw)
            )
            yield from [change] if change is not None else []
            return


def _knows(parsed: Parsed, call: Node, name: str) -> bool:
    """Whether another assertion can be called as one is; one that cannot would not build."""
    if call.child_by_field_name("object") is not None:
        return True
    if re.search(rf"import\s+static\s+org\.junit[\w.]*\.Assert(?:ions)?\.(?:\*|{name})\s*;", parsed.source):
        return True
    return re.search(r"extends\s+(?:junit\.framework\.)?TestCase\b", parsed.source) is not None


def _comparing(parsed: Parsed, call: Node) -> Iterator[Node]:
    """Yield the calls of a statement that compare: assertions, what is chained to `assertThat`, and the matchers that it is given.

    A method of the code under test may be called `is` as well, and what that is given is an input.
    """
    for node in walk(call):
        if node.type == "method_invocation" and _name(parsed, node).startswith("assert"):
            yield node
    link: Node | None = call
    while link is not None and link.type == "method_invocation" and not _name(parsed, link).startswith("assert"):
        yield link
        link = link.child_by_field_name("object")
    arguments = link.child_by_field_name("arguments") if link is not None and link.type == "method_invocation" else None
    if link is not None and arguments is not None and _name(parsed, link) == "assertThat":
        for matcher in named(arguments)[1:]:
            yield from (node for node in walk(matcher) if node.type == "method_invocation")


def _name(parsed: Parsed, call: Node) -> str:
    name = call.child_by_field_name("name")
    return "" if name is None else parsed.text(name)


def _of_equality(parsed: Parsed, call: Node) -> Iterator[tuple[Node, str]]:
    """Yield the literals that a call compares with, each with the tolerance, if any; or those that one side is built with."""
    values, tolerance = _sides(parsed, call)
    for is_built in (False, True):
        found = [list(_literals(parsed, value, is_built=is_built)) for value in values]
        # Of two that are compared one is an input.
        if any(found) and not (len(found) > 1 and all(found) and says_equal(_name(parsed, call))):
            yield from ((literal, tolerance) for side in found for literal in side)
            return


def _sides(parsed: Parsed, call: Node) -> tuple[list[Node], str]:
    """Return what a call compares, without messages, and the tolerance; nothing where it does not compare."""
    arguments = call.child_by_field_name("arguments")
    if arguments is None or not _is_equality(_name(parsed, call)):
        return [], ""
    values = named(arguments)
    if len(values) < 3:
        return values, ""
    has_message = values[0].type == "string_literal" and values[2].type != "string_literal"
    values, rest = (values[1:3], values[3:]) if has_message else (values[:2], values[2:])
    return values, parsed.text(rest[0]) if rest and rest[0].type != "string_literal" else ""


def _is_equality(name: str) -> bool:
    return _EQUALITIES.fullmatch(name) is not None or (says_equal(name) and name != "assertSame")


def _unlike(parsed: Parsed, call: Node) -> Change | None:
    """Return the change of what is compared last into a list of it: what equals everything equals that, too."""
    values, tolerance = _sides(parsed, call)
    if not values or tolerance or not says_equal(_name(parsed, call)) or "Array" in _name(parsed, call):
        return None
    if all(any(_literals(parsed, value)) for value in values):
        return None
    return replace_change(parsed, "negation", values[-1], f"java.util.Collections.singletonList({parsed.text(values[-1])})")


def _literals(parsed: Parsed, node: Node, *, is_built: bool = False) -> Iterator[Node]:
    """Yield the literals that a value consists of; with `is_built` also those that objects are made with."""
    if _NUMBERS.fullmatch(node.type) or node.type in ("string_literal", "character_literal", "true", "false"):
        yield node
    elif node.type == "identifier" and (value := initial_value(node, _is_compared)) is not None:
        yield from _literals(parsed, value, is_built=is_built)
    for part in _parts(parsed, node, is_built=is_built):
        yield from _literals(parsed, part, is_built=is_built)


def _parts(parsed: Parsed, node: Node, *, is_built: bool) -> list[Node]:
    """Return the values that a value consists of."""
    if node.type in ("unary_expression", "array_initializer", "parenthesized_expression", "cast_expression"):
        return named(node)
    if node.type == "binary_expression" and (operator := node.child_by_field_name("operator")) and operator.type == "+":
        return named(node)  # a sum, or a text, of which one part is another is another
    if node.type == "array_creation_expression":
        return [child for child in named(node) if child.type == "array_initializer"]
    arguments = node.child_by_field_name("arguments")
    is_value = node.type == "method_invocation" and _name(parsed, node) in _VALUES
    is_new = is_built and node.type == "object_creation_expression"
    return named(arguments) if arguments is not None and (is_value or is_new) else []


def _is_compared(use: Node) -> bool:
    return _is_equality(call_around(use))
