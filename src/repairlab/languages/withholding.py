"""Tools of blind test files: edits of a text, the names in it, and values as blind tests say them."""

import json
import re
from collections.abc import Callable, Collection, Iterable, Iterator, Mapping
from typing import NamedTuple, TypeAlias

from tree_sitter import Node

from repairlab.languages.blind import BlindChecks, BlindFile, How
from repairlab.languages.nodes import named, own, walk
from repairlab.languages.parser import Parsed

Frozen: TypeAlias = list[object]
"""A value as blind tests say it: a tag, and its text or parts."""


class UnclearError(Exception):
    """An assertion whose expectation cannot be withheld, with the reason."""


def until_settled(attempt: Callable[[dict[str, str]], BlindFile | dict[str, str]]) -> BlindFile:
    """Return the file that an attempt makes which is told the open tests; until then each finds more of them, and the reasons."""
    opened = dict[str, str]()
    while not isinstance(made := attempt(opened), BlindFile):
        opened |= made
    return made


def unclear(tests: Iterable[str], rewrite: Callable[[str], None]) -> dict[str, str]:
    """Rewrite tests; return those that cannot be, each with the reason."""
    found = dict[str, str]()
    for test in tests:
        try:
            rewrite(test)
        except UnclearError as reason:
            found[test] = str(reason)
    return found


class BlindClaim(NamedTuple):
    """What to say in the place of an assertion, `$number$` being the number of the check."""

    saying: str
    how: How = "equal"
    expected: str = ""
    tolerance: str = ""


def sayings(checks: BlindChecks, claims: Iterable[BlindClaim], line: int, text: str, *, always: bool) -> list[str]:
    """Note the claims of an assertion; return what says them."""
    numbers = ((it, checks.add(line, text, it.how, it.expected, it.tolerance, always=always)) for it in claims)
    return [claim.saying.replace("$number$", f'"{number}"') for claim, number in numbers]


class Edits:
    """Replacements in a test file; one takes along all others within it."""

    def __init__(self, parsed: Parsed) -> None:
        self.parsed = parsed
        self._made: list[tuple[int, int, str]] = []
        self._gone: list[tuple[int, int, bool]] = []
        """What was taken out, and within it what stands in its place nevertheless."""

    def put(self, start: int, end: int, text: str) -> None:
        """Put a text in the place of another, which may be empty and holds nothing that is expected."""
        self._made.append((start, end, text))

    def take_out(self, start: int, end: int, instead: str = "") -> None:
        """Take out what is expected."""
        self._gone.append((start, end, False))
        self._made.append((start, end, instead))

    def replace(self, first: Node, text: str, *, last: Node | None = None) -> None:
        """Take out a node, or several from the first to the last, and put a text in their place."""
        self.between(first.start_byte, (last or first).end_byte, text)

    def between(self, start_byte: int, end_byte: int, text: str) -> None:
        """Take out what stands between two byte offsets, if anything, and put a text there."""
        start, end = self.parsed.offset(start_byte), self.parsed.offset(end_byte)
        self.take_out(start, end, text) if start < end else self.put(start, end, text)

    def keep(self, *nodes: Node) -> None:
        """Note that nodes stand in the text that replaces them."""
        self._gone += [(span.start, span.end, True) for span in map(self.parsed.span, nodes)]

    def removed(self, node: Node) -> bool:
        """Return whether a node lies in what was taken out, and does not stand in what came in its place."""
        span = self.parsed.span(node)
        around = [it for it in self._gone if it[0] <= span.start and span.end <= it[1]]
        return bool(around) and not min(around, key=lambda it: (it[1] - it[0], it[2]))[2]

    def gone(self) -> set[str]:
        """Return the names in what was taken out."""
        return {self.parsed.text(node) for node in walk(self.parsed.root) if "identifier" in node.type and self.removed(node)}

    def applied(self, node: Node | None = None) -> str:
        """Return the text of a node, or of the whole file, with all replacements in it."""
        source = self.parsed.source
        at, whole_end = (0, len(source)) if node is None else (self.parsed.span(node).start, self.parsed.span(node).end)
        parts = list[str]()
        for start, end, text in sorted(self._made, key=lambda made: (made[0], made[0] != made[1], -made[1])):
            if at <= start and end <= whole_end:
                parts += [source[at:start], text]
                at = end
        return "".join((*parts, source[at:whole_end]))


def frozen_text(value: Frozen) -> str:
    r"""Return the text of a frozen value, the same wherever it is made.

    >>> frozen_text(["l", [["s", "é"], ["i", "1"]]])
    '["l",[["s","\\u00e9"],["i","1"]]]'
    """
    return json.dumps(value, separators=(",", ":"))


def frozen(kind: str, *value: object) -> str:
    """Return the text of a frozen value of a kind.

    >>> frozen("i", "12"), frozen("n")
    ('["i","12"]', '["n"]')
    """
    return frozen_text([kind, *value])


def frozen_mapping(pairs: Iterable[tuple[Frozen, Frozen]]) -> Frozen:
    """Return a frozen mapping; the last of equal keys counts.

    >>> frozen_mapping([(["s", "b"], ["n"]), (["s", "a"], ["n"])])
    ['d', [[['s', 'a'], ['n']], [['s', 'b'], ['n']]]]
    """
    by_key = {frozen_text(key): [key, value] for key, value in pairs}
    return ["d", [by_key[key] for key in sorted(by_key)]]


def frozen_number(value: float) -> Frozen:
    """Return a frozen number.

    >>> frozen_number(12), frozen_number(0.5), frozen_number(float("nan")), frozen_number(-0.0)
    (['i', '12'], ['f', '0.5'], ['f', 'nan'], ['f', '-0.0'])
    """
    return ["i", str(value)] if isinstance(value, int) else ["f", repr(value)]


def at_end(text: str, *, is_start: bool) -> Frozen:
    r"""Return the frozen pattern of a text that starts, or ends, with another.

    >>> at_end("a.", is_start=True)
    ['s', '\\Aa\\.']
    """
    return ["s", rf"\A{re.escape(text)}" if is_start else rf"{re.escape(text)}\Z"]


_RELATIONS: dict[str, How] = {
    **{"==": "equal", "===": "equal", "!=": "different", "!==": "different"},
    **{"<": "less", "<=": "at most", ">": "more", ">=": "at least"},
}
_TURNED = {"<": ">", "<=": ">=", ">": "<", ">=": "<="}
ORDERS = frozenset(_TURNED)
"""Operators that put numbers in order."""
_DENIED: dict[How, How] = {"equal": "different", "less": "at least", "at most": "more"}
_DENIED |= {other: how for how, other in _DENIED.items()}


def must_be(operator: str, *, is_true: bool = True, is_turned: bool = False) -> How:
    """Return how a value must relate to another where a comparison must be true, or must not; turned, it stands on the right.

    >>> must_be("<"), must_be("<", is_true=False), must_be("<=", is_turned=True), must_be("===")
    ('less', 'at least', 'at least', 'equal')
    """
    how = _RELATIONS[_TURNED.get(operator, operator) if is_turned else operator]
    return how if is_true else _DENIED[how]


def claims_in(node: Node, operator: Callable[[Node], str], *, is_true: bool) -> Iterator[tuple[Node, bool]]:
    """Yield what must be true, or false, for a condition to be so: behind brackets and negations, on both sides of `&&`."""
    if node.type == "parenthesized_expression":
        yield from claims_in(named(node)[0], operator, is_true=is_true)
    elif node.type == "unary_expression" and operator(node) == "!":
        yield from claims_in(named(node)[0], operator, is_true=not is_true)
    elif node.type == "binary_expression" and operator(node) in (("&&", "and") if is_true else ("||", "or")):
        for side in named(node):
            yield from claims_in(side, operator, is_true=is_true)
    else:
        yield node, is_true


def innermost(bindings: Iterable[Node], use: Node, scope: Callable[[Node], Node]) -> Node | None:
    """Return which of a name's bindings counts where it is used: that of the innermost scope around it."""
    around = [(scope(it), it) for it in bindings]
    around = [(place, it) for place, it in around if place.start_byte <= use.start_byte and use.end_byte <= place.end_byte]
    return max(around, key=lambda item: (item[0].start_byte, item[1].start_byte), default=(None, None))[1]


def with_callers(names: set[str], calls: Mapping[str, set[str]]) -> set[str]:
    """Return functions with all that may call them, from the names that each function calls.

    >>> sorted(with_callers({"c"}, {"a": {"b"}, "b": {"c"}, "d": {"a", "e"}, "e": set()}))
    ['a', 'b', 'c', 'd']
    """
    before = set[str]()
    while names != before:
        before, names = names, names | {name for name, called in calls.items() if called & names}
    return names


def function_reached(node: Node, functions: Collection[str], branching: Collection[str], inner: Collection[str]) -> Node | None:
    """Return the function whose every run comes by a node, or the file; none where a branch or return may pass it by.

    A return statement in `inner` code, such as a lambda, is another function's.
    """
    start = node
    while node.parent is not None and node.type not in functions:
        before = node.prev_named_sibling if node.parent.type.endswith("block") else None
        while before is not None:
            if any(part.type == "return_statement" for part in own(before, inner)):
                return None
            before = before.prev_named_sibling
        if node.type in branching and node != start:
            return None
        node = node.parent
    return node
