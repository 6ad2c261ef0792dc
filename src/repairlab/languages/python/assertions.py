"""What Python tests claim, and how a claim becomes one that an honest candidate fails.

A call that asserts keeps its name, and what it is given is changed: so it is met again by whoever has put a function in its place
that never fails. Its opposite could have been replaced, too, by one that always fails.
"""

import random
import re
from collections.abc import Collection, Iterator

from tree_sitter import Node

from repairlab.languages.assertions import asserts, says_equal
from repairlab.languages.counter import Change, descendants, named, replace_change
from repairlab.languages.parser import Parsed
from repairlab.languages.python.expected_values import other_exceptions
from repairlab.languages.python.values import literals, of_sides, other, tolerance, wrapped

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
    yield from (other(parsed, literal, draw, within) for literal in found)
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
    yield from (other(parsed, literal, draw, tolerance(parsed, name, given[2:])) for literal in found)
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
    compared = [node for node in descendants(condition) if node.type in ("comparison_operator", "not_operator")]
    sides = [named(node) for node in compared if [child.type for child in node.children if not child.is_named] == ["!="]]
    sides += [named(_inner(node.children[-1])) for node in compared if _is_denied_equality(node)]
    found = [of_sides(parsed, pair, is_built=False) or of_sides(parsed, pair, is_built=True) for pair in sides]
    yield from (other(parsed, literal, draw) for literals_of_pair in found for literal in literals_of_pair)
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
