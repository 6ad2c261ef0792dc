"""Changes of tests that an honest candidate must fail: what one is, and how literals become others.

A counter-test is a real test in which one thing was changed. `neutral` and `false` are of one shape, so that no test file tells
whether it is one.
"""

import dataclasses
import random
import re
from collections import Counter
from collections.abc import Callable, Collection, Iterable, Iterator
from typing import Literal

from tree_sitter import Node

from repairlab.core.record import record
from repairlab.core.text import Span
from repairlab.languages.nodes import named, walk
from repairlab.languages.parser import Parsed

_NEAR = 0.5
"""How many of the numbers that are changed become the next one."""
_ALPHABETS = ("abcdefghijklmnopqrstuvwxyz", "ABCDEFGHIJKLMNOPQRSTUVWXYZ", "0123456789", "+-*/.,;:!?=<>@^~|")
"""Characters of one kind."""
ANY = "any"
"""A tolerance that is not known."""
_ESCAPES = (r"\n", r"\t", r"\r", r"\f")
_INVERSE = {"==": "!=", "===": "!==", "<": ">=", ">": "<="}
_INVERSE = {**_INVERSE, **{inverse: operator for operator, inverse in _INVERSE.items()}}
_PLAIN = frozenset(
    {
        *("call_expression", "method_invocation", "identifier", "parenthesized_expression"),
        *("field_expression", "field_access", "member_expression", "selector_expression"),
        *("subscript_expression", "array_access", "index_expression"),
    }
)
"""What is denied by a mark before it, without brackets."""
_CALLS = ("call", "call_expression", "method_invocation")
_MADE_BY = {
    "assignment": ("left", "right"),
    "const_spec": ("name", "value"),
    "init_declarator": ("declarator", "value"),
    "short_var_declaration": ("left", "right"),
    "var_spec": ("name", "value"),
    "variable_declarator": ("name", "value"),
}
"""What makes a variable, and the fields that hold its name and its value."""
_AROUND_NAMES = ("expression_list", "pointer_declarator", "array_declarator")
_SCOPES = frozenset(
    {
        *("function_definition", "function_declaration", "function_expression", "generator_function_declaration"),
        *("method_declaration", "method_definition", "constructor_declaration"),
        *("lambda", "lambda_expression", "arrow_function", "func_literal"),
    }
)
"""Nodes that have variables of their own."""
_BRANCHES = frozenset({"if", "elif", "else", "switch", "match", "case", "catch", "except", "conditional", "ternary", "while"})
"""Words in the types of nodes whose parts may not be run."""
Kind = Literal["literal", "negation", "end", "begin"]
"""What is changed: the literal of an equality, the sense of an assertion, or an assertion is added behind or before all others."""


@record
class Change:
    """One place of a test and the texts that can stand there."""

    kind: Kind
    span: Span
    neutral: str
    """Without effect."""
    false: str
    """With it the test must fail."""


@record
class TestBody:
    """A function of a test file."""

    names: tuple[str, ...]
    """Words by which the names of tests may refer to it; none where it is a value that several functions compare with."""
    changes: tuple[Change, ...]
    calls: tuple[str, ...] = ()
    """Functions that it calls."""


def words(tests: Iterable[str]) -> frozenset[str]:
    """Return all words that occur in names of tests, the names themselves, and their parts: a title may be a sentence.

    >>> sorted(words(["tests/test_a.py::TestB::test_c[1]"]))
    ['1', 'TestB', 'py', 'test_a', 'test_a.py', 'test_c', 'test_c[1]', 'tests', 'tests/test_a.py::TestB::test_c[1]']
    """
    return frozenset(word for test in tests for word in (test, *re.split(r"\W+", test), *re.split(r"::| > |/", test)) if word)


def of_tests(bodies: Collection[TestBody], tests: Iterable[str]) -> list[TestBody]:
    """Return the bodies of tests that are named after functions."""
    wanted = words(tests)
    return [body for body in bodies if wanted.intersection(body.names)]


def with_own_helpers(bodies: Collection[TestBody], helpers: Collection[str]) -> list[TestBody]:
    """Return bodies with the changes of those helpers that they alone call: so no test is changed by another's change."""
    callers = Counter(name for body in bodies for name in set(body.calls))
    names = Counter(name for body in bodies for name in body.names)
    own = {body.names[0]: body for body in bodies if callers[body.names[0]] == names[body.names[0]] == 1}
    own = {name: body for name, body in own.items() if name in helpers and name not in body.calls}
    made = []
    for body in bodies:
        parts = [own[name] for name in dict.fromkeys(body.calls) if name in own]
        changes = [change for part in parts for change in part.changes if change.kind in ("literal", "negation")]
        if body not in own.values():
            made.append(dataclasses.replace(body, changes=(*body.changes, *changes)))
    return made


def of_programs(bodies: Collection[TestBody]) -> list[TestBody]:
    """Return `main` and all that is called from it, a body for each change: where programs are tests, or choose them by name."""
    reached, before = {"main"}, set[str]()
    while reached != before:
        before = set(reached)
        reached.update(name for body in bodies if before.intersection(body.names) for name in body.calls)
    return [
        TestBody(names=body.names, changes=(change,))
        for body in bodies
        if reached.intersection(body.names)
        for change in body.changes
    ]


def other_number(text: str, draw: random.Random) -> str:
    """Return another number of the same form: its first digit that counts is changed, or a small whole number is the next one.

    Who corrects its own answer by what a test expects does so only where both are near; so some changes must be small.

    >>> other_number("0x10", random.Random(1)), other_number("100", random.Random(1)), other_number("0.05f", random.Random(1))
    ('0x40', '101', '0.02f')
    >>> other_number("-3", random.Random(1)), other_number("+0.5", random.Random(1))
    ('-2', '+0.2')
    """
    if text[:1] in ("-", "+"):
        return text[0] + other_number(text[1:], draw)
    if re.fullmatch(r"[1-9]\d{0,8}", text) and draw.random() < _NEAR:
        return draw.choice([other for other in (str(int(text) - 1), str(int(text) + 1)) if len(other) == len(text)])
    start = 2 if text[:2].lower() in ("0x", "0b", "0o") else 0
    digits = "01" if text[:2].lower() == "0b" else "01234567" if re.fullmatch(r"0[oO]?\d+.*", text) else "0123456789"
    mantissa = re.match(r"[\d_'.a-fA-F]*" if text[:2].lower() == "0x" else r"[\d_'.]*", text[start:])
    end = start + (mantissa.end() if mantissa else 0)
    places = [index for index in range(start, end) if text[index].isalnum()]
    place = next((index for index in places if text[index] != "0"), places[-1] if places else None)
    if place is None:
        return text
    first = place == places[0] and len(places) > 1
    choices = [digit for digit in digits if digit != text[place] and not (digit == "0" and first)]
    return text[:place] + draw.choice(choices) + text[place + 1 :] if choices else text


def far_number(text: str, tolerance: str, draw: random.Random) -> str:
    """Return a number that no value is near which is near the given one; the same number where none is found.

    Where the tolerance is no number in sight, it is one that is at least ten times as large.

    >>> far_number("2.5", "0.1", random.Random(1)), far_number("2.5", "EPSILON", random.Random(1))
    ('4.5', '32.5')
    """
    width, value = _value(tolerance), _value(text)
    others = [other_number(text, draw)] if width is not None else []
    others += ["".join(draw.choice("123456789") for _ in range(n)) + text for n in range(1, 10)]
    if value is None or "x" in text.lower():
        return text
    for other in others:
        changed = _value(other)
        if changed is not None and abs(changed - value) > 2.5 * abs(width or 0):  # twice, and something for rounding
            return other
    return text


def _value(text: str) -> float | None:
    try:
        return float(text.rstrip("fFdDlL"))
    except ValueError:
        return None


def other_string(text: str, draw: random.Random) -> str:
    """Return a string literal that means another text, by a character of the same kind; escapes stay whole.

    >>> other_string('"a"', random.Random(1)), other_string('""', random.Random(1)), other_string("b'?'", random.Random(1))
    ('"t"', '"e"', "b'*'")
    """
    found = re.match(r"\w*(\"\"\"|'''|\"|')", text)
    if not found or len(text) < 2 * len(found[1]):
        return text
    start, end = found.end(), len(text) - len(found[1])
    plain = re.sub(
        r"\\(?:x[0-9a-fA-F]+|u+[0-9a-fA-F{]+|U[0-9a-fA-F]{8}|N\{[^}]*\}|[0-7]{1,3}|.)", lambda it: "\\" * len(it[0]), text
    )
    kinds = {index: kind for index in range(start, end) for kind in _ALPHABETS if plain[index] in kind}
    letters = [index for index, kind in kinds.items() if kind is not _ALPHABETS[-1]] or list(kinds)
    if letters:
        place = draw.choice(letters[1:] or letters)  # a comparison of beginnings is no equality
        others = [other for other in kinds[place] if other.lower() != text[place].lower()]
        return text[:place] + draw.choice(others) + text[place + 1 :]
    # A letter behind an escape such as \x1 would become part of it.
    return text[:end] + draw.choice("ghkmq") + text[end:] if "\\" in text[start:end] else text[:end] + "e" + text[end:]


def other_pattern(text: str, draw: random.Random) -> str:
    r"""Return a pattern that no text matches which matches the given one; the same where it is more than a plain text.

    >>> [other_pattern(text, random.Random(1)) for text in ('"no half"', "'a|b'", r"/^\d/")]
    ['"no talf"', "'a|b'", '/^\\d/']
    """
    if re.search(r"[\\\[\]|*+?{}()]", text):
        return text
    return text[0] + other_string(f'"{text[1:-1]}"', draw)[1:-1] + text[-1]


def other_character(text: str, draw: random.Random) -> str:
    r"""Return another literal of one character, of the same kind: nothing about it may tell that it was changed.

    >>> other_character("'A'", random.Random(1)), other_character(r"'\n'", random.Random(1))
    ("'F'", "'\\t'")
    """
    same = next((kind for kind in _ALPHABETS if text[1:-1] in kind), None)
    others = [other for other in (same or _ESCAPES) if other != text[1:-1]]
    return f"{text[0]}{draw.choice(others)}{text[-1]}"


def denied(parsed: Parsed, claim: Node) -> str:
    """Return the opposite of a condition in a language with braces, as people write it: nothing may tell that it was changed."""
    text, mark = parsed.text(claim), claim.child_by_field_name("operator")
    operator = mark.type if mark is not None else ""
    if claim.type == "binary_expression" and operator in _INVERSE:
        return f"{parsed.text(claim.children[0])} {_INVERSE[operator]} {parsed.text(claim.children[-1])}"
    if claim.type == "unary_expression" and operator == "!":
        return parsed.text(claim.children[-1])
    return f"!{text}" if claim.type in _PLAIN else f"!({text})"


def equal_words(draw: random.Random) -> tuple[str, str]:
    """Return two words of equal length that differ, as ends of assertions need them."""
    word = "".join(draw.choice("bcdfghkmnprstvz") for _ in range(6))
    place = draw.randrange(6)
    return word, word[:place] + draw.choice("aeiou") + word[place + 1 :]


def equal_numbers(draw: random.Random) -> tuple[str, str]:
    """Return two numbers of equal length that differ."""
    number = draw.randrange(1000, 9000)
    return str(number), str(number + draw.randrange(1, 900))


def sure_calls(parsed: Parsed) -> frozenset[str]:
    r"""Return the names of functions that are called in a text, but not those called only in branches, which may not be taken.

    >>> sorted(sure_calls(Parsed("python", "a(1)\nif b(2):\n    c(3)\nfor x in y:\n    d.e(x)")))
    ['a', 'b', 'e']
    """
    found, nodes = set[str](), [parsed.root]
    while nodes:
        node = nodes.pop()
        called = node.child_by_field_name("name" if node.type == "method_invocation" else "function")
        if called is not None and node.type in _CALLS:
            found.add(re.split(r"\W+", parsed.text(called))[-1])
        is_branch = not _BRANCHES.isdisjoint(node.type.split("_"))
        condition = node.child_by_field_name("condition") if is_branch else None
        nodes += ([] if condition is None else [condition]) if is_branch else node.children
    return frozenset(found)


def scope_of(node: Node) -> Node:
    """Return the function that a node is in; the whole text where it is in none."""
    while node.parent is not None and node.type not in _SCOPES:
        node = node.parent
    return node


def uses_of(variable: Node, scope: Node) -> list[Node]:
    """Return every place where the name of a variable stands in a scope, whatever it means there."""
    return [node for node in walk(scope) if "identifier" in node.type and node.text == variable.text and not node.children]


def initial_value(variable: Node, is_compared: Callable[[Node], bool]) -> Node | None:
    """Return what a variable was made with, if it is there for comparisons alone: what may be an input, too, stays.

    Who takes what is expected out of a variable of the test takes the changed value with it. A variable that several functions
    use is not one test's.
    """
    function = root = scope_of(variable)
    while root.parent is not None:
        root = root.parent
    here, everywhere = uses_of(variable, function), uses_of(variable, root)
    values = [value for use in here if (value := _made_with(use)) is not None]
    if not values:
        here, values = everywhere, [value for use in everywhere if (value := _made_with(use)) is not None]
        if any(_made_with(use) is None and scope_of(use) != function for use in here):
            return None
    others = [use for use in here if _made_with(use) is None]
    return values[0] if len(values) == 1 and all(map(is_compared, others)) else None


def shared_values(root: Node, is_compared: Callable[[Node], bool]) -> Iterator[Node]:
    """Yield what variables were made with that several functions use, and only to compare: constants, attributes of `self`."""
    uses = dict[bytes, list[Node]]()
    for node in walk(root):
        if ("identifier" in node.type and not node.children) or (
            node.type == "attribute" and (node.text or b"").startswith(b"self.")
        ):
            uses.setdefault(node.text or b"", []).append(node)
    for found in uses.values():
        made = [(use, value) for use in found if (value := _made_with(use)) is not None]
        others = [use for use in found if len(made) == 1 and use != made[0][0]]
        users = others if made and made[0][0].type != "attribute" else found  # what makes an attribute is another function
        if others and len({scope_of(use).id for use in users}) > 1 and all(map(is_compared, others)):
            yield made[0][1]


def call_around(value: Node) -> str:
    """Return the name of what a value is handed to where it stands, without what stands before its last point."""
    call = value.parent.parent if value.parent is not None and value.parent.type in ("argument_list", "arguments") else None
    called = call.child_by_field_name("name") or call.child_by_field_name("function") if call is not None else None
    return (called.text or b"").decode().rpartition(".")[2] if called is not None else ""


def _made_with(name: Node) -> Node | None:
    """Return the value that a name is given where it stands; none where it is only used."""
    while name.parent is not None and name.parent.type in _AROUND_NAMES and len(named(name.parent)) == 1:
        name = name.parent
    maker = name.parent
    if maker is None or maker.type not in _MADE_BY:
        return None
    target, value = (maker.child_by_field_name(field) for field in _MADE_BY[maker.type])
    while value is not None and value.type == "expression_list" and len(named(value)) == 1:
        value = named(value)[0]
    return value if target == name else None


def other_exception(expected: str, others: Collection[str], general: Collection[str], draw: random.Random) -> str:
    """Return the name of another exception than the one that a test expects; the same where others may be kinds of it.

    An honest candidate may throw any kind of what is expected, so none of the others may be one: they are kinds of `general`.

    >>> other_exception("KeyError", ("KeyError", "OSError"), ("Exception",), random.Random(1))
    'OSError'
    """
    known = [name for name in others if name != expected]
    return expected if expected in general or not known else draw.choice(known)


def moved(change_span: Span, by: int) -> Span:
    """Return a span that begins elsewhere."""
    return Span(start=change_span.start + by, end=change_span.end + by)


def replace_change(parsed: Parsed, kind: Kind, node: Node, false: str) -> Change | None:
    """Return the change of a node's text into another; none where both are the same."""
    text = parsed.text(node)
    if kind == "literal" and not false.strip("0.") and parsed.source[: parsed.span(node).start].endswith("-"):
        false = "2" if text == "1" else "1"  # nobody writes -0
    return None if text == false else Change(kind=kind, span=parsed.span(node), neutral=text, false=false)


def other_literal(parsed: Parsed, literal: Node, draw: random.Random, tolerance: str = "") -> Change | None:
    """Return the change of a literal into another one; of a number into one that is not equal within a tolerance, either."""
    text, kind = parsed.text(literal), literal.type
    if kind in ("true", "false"):
        other = "false" if kind == "true" else "true"
        return replace_change(parsed, "literal", literal, other.capitalize() if text[0].isupper() else other)
    if "char" in kind:
        return replace_change(parsed, "literal", literal, other_character(text, draw))
    if kind == "regex" or "string" in kind:
        return replace_change(parsed, "literal", literal, (other_pattern if kind == "regex" else other_string)(text, draw))
    changed = far_number(text, tolerance, draw) if tolerance else other_number(text, draw)
    return replace_change(parsed, "literal", literal, changed)


def shared_bodies(
    parsed: Parsed,
    is_compared: Callable[[Node], bool],
    literals: Callable[[Node], Iterable[Node]],
    draw: random.Random,
    tolerance: str = "",
) -> list[TestBody]:
    """Return what several functions compare with, as bodies without names."""
    found = []
    for value in shared_values(parsed.root, is_compared):
        changes = (other_literal(parsed, literal, draw, tolerance) for literal in literals(value))
        found.append(TestBody(names=(), changes=tuple(change for change in changes if change is not None)))
    return found
