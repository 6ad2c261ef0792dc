"""Counter-tests of Java: methods of JUnit 3, 4 and 5, found by syntax tree. `validation.counter_tests` calls it."""

import random
import re
from collections.abc import Iterator

from tree_sitter import Node

from repairlab.core.recipe import Framework
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

_EQUALITIES = re.compile(
    r"assert(?:Array|Iterable|Lines?|List)?Equals|isEqualTo|isEqualByComparingTo|equalTo|is|hasSize|containsExactly"
)
_VALUES = ("asList", "of", "singletonList", "singleton", "valueOf")
_NUMBERS = re.compile(r"\w+_(?:integer|floating_point)_literal")
_ENDS = ("return_statement", "throw_statement", "while_statement", "do_statement", "for_statement", "try_statement")
"""Statements behind which another one may be out of reach, which is an error in Java."""
_CLASSES = {"junit4": "org.junit.Assert", "junit5": "org.junit.jupiter.api.Assertions"}


def test_bodies(source: str, draw: random.Random, framework: Framework) -> list[TestBody]:
    """Return the methods of a test file with what can be changed in them."""
    parsed = Parsed("java", source)
    found = []
    for node in descendants(parsed.root):
        name, body, kind = (node.child_by_field_name(field) for field in ("name", "body", "type"))
        if node.type != "method_declaration" or name is None or body is None or kind is None or node.has_error:
            continue
        if kind.type == "void_type":
            found.append(TestBody(names=(parsed.text(name),), changes=tuple(_changes(parsed, body, draw, framework))))
    return found


def _changes(parsed: Parsed, body: Node, draw: random.Random, framework: Framework) -> Iterator[Change]:
    statements = named(body)
    for statement in statements:
        if statement.type == "expression_statement":
            yield from filter(None, _of_call(parsed, named(statement)[0], draw))
    claims = [_claims(framework, draw) for _ in range(2)]
    start, end = parsed.span(body).start + 1, parsed.span(body).end - 1
    yield Change(kind="begin", span=Span(start=start, end=start), neutral=f" {claims[0][0]}", false=f" {claims[0][1]}")
    if not statements or statements[-1].type not in _ENDS:
        yield Change(kind="end", span=Span(start=end, end=end), neutral=f"{claims[1][0]} ", false=f"{claims[1][1]} ")


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
    if call.type != "method_invocation" or not parsed.text(call).lstrip().startswith(
        ("assert", "Assert", "org.junit", "this.assert")
    ):
        return
    literals = [literal for node in descendants(call) if node.type == "method_invocation" for literal in _of_equality(parsed, node)]
    yield from (_other(parsed, literal, draw) for literal in literals)
    name, arguments = call.child_by_field_name("name"), call.child_by_field_name("arguments")
    if not literals and name is not None and arguments is not None and parsed.text(name) in ("assertTrue", "assertFalse"):
        claims = named(arguments)
        if len(claims) == 1 and claims[0].type not in ("lambda_expression", "method_reference"):
            yield replace_change(parsed, "negation", claims[0], f"!({parsed.text(claims[0])})")


def _of_equality(parsed: Parsed, call: Node) -> Iterator[Node]:
    """Yield the literals that a call compares with; neither messages nor tolerances."""
    name, arguments = call.child_by_field_name("name"), call.child_by_field_name("arguments")
    if name is None or arguments is None or not _EQUALITIES.fullmatch(parsed.text(name)):
        return
    values = named(arguments)
    if len(values) > 2:
        values = values[1:3] if values[0].type == "string_literal" and values[2].type != "string_literal" else values[:2]
    for value in values:
        yield from _literals(parsed, value)


def _literals(parsed: Parsed, node: Node) -> Iterator[Node]:
    """Yield the literals that a value consists of."""
    if _NUMBERS.fullmatch(node.type) or node.type in ("string_literal", "character_literal", "true", "false"):
        yield node
    elif node.type in ("unary_expression", "array_initializer", "parenthesized_expression"):
        for child in named(node):
            yield from _literals(parsed, child)
    elif node.type == "array_creation_expression":
        for child in named(node):
            if child.type == "array_initializer":
                yield from _literals(parsed, child)
    elif node.type == "method_invocation":
        name, arguments = node.child_by_field_name("name"), node.child_by_field_name("arguments")
        if name is not None and arguments is not None and parsed.text(name) in _VALUES:
            for child in named(arguments):
                yield from _literals(parsed, child)


def _other(parsed: Parsed, literal: Node, draw: random.Random) -> Change | None:
    text = parsed.text(literal)
    if literal.type in ("true", "false"):
        return replace_change(parsed, "literal", literal, "false" if literal.type == "true" else "true")
    if literal.type == "character_literal":
        return replace_change(parsed, "literal", literal, "'q'" if text != "'q'" else "'k'")
    return replace_change(
        parsed, "literal", literal, (other_string if literal.type == "string_literal" else other_number)(text, draw)
    )
