"""What the assertions of a file of Java or JavaScript look at, said in the place of each."""

from collections.abc import Callable, Collection, Iterable
from typing import Protocol

from tree_sitter import Node

from repairlab.languages.blind import BlindChecks, How
from repairlab.languages.nodes import named, operator_of, part
from repairlab.languages.parser import Parsed
from repairlab.languages.withholding import ORDERS, Edits, Frozen, UnclearError, at_end, frozen_text, must_be

_COMPARED = frozenset({"==", "!=", "===", "!==", *ORDERS})


class OriginsOfNames(Protocol):
    """Knows the names of a file."""

    def origin(self, node: Node) -> str:
        """Return where a value comes from: `built` here, `derived` from what code under test did, or `unknown`."""
        ...

    def binding(self, use: Node) -> Node | None:
        """Return where the name in use is bound."""
        ...

    def uses_in(self, node: Node) -> list[Node]:
        """Return the variables that a piece of code uses."""
        ...


class ValuesOfLiterals(Protocol):
    """Knows the values that stand in a file as they are."""

    def frozen(self, node: Node) -> Frozen | None:
        """Return the value of a literal, or of a constant that is one; none where it is something else."""
        ...


class TreeClaims:
    """The claims of a file, and what they expect."""

    def __init__(
        self, parsed: Parsed, first: int, said: str, names: OriginsOfNames, literals: ValuesOfLiterals, equals: Collection[str]
    ) -> None:
        """Take the number of the first check, what the object is called that says values, and operators of equality."""
        self.parsed, self.edits, self.checks, self.said = parsed, Edits(parsed), BlindChecks(first), said
        self.names, self.literals, self._operators = names, literals, frozenset({*equals, *ORDERS})
        self.expecting: list[Node] = []
        """What is taken out."""
        self.is_always: Callable[[Node], bool] = lambda _: False
        """Whether each run of a test that passes comes by a node."""

    def check(
        self, node: Node, how: How = "equal", expected: Frozen | None = None, tolerance: str = "", *, of_two: bool = False
    ) -> int:
        """Note a check of what stands in a place; return its number."""
        line = self.parsed.source.count("\n", 0, self.parsed.span(node).start) + 1
        text, due = self.parsed.text(part(node, "condition") or node), "" if expected is None else frozen_text(expected)
        return self.checks.add(line, text, how, due, tolerance, of_two=of_two, always=self.is_always(node))

    def say(self, call: Node, verb: str, number: int, seen: Node, rest: str = "") -> None:
        """Let a call say what it looks at, in the place of an assertion about it."""
        whole, kept = self.parsed.span(call), self.parsed.span(seen)
        self.edits.take_out(whole.start, kept.start, f"{self.said}.{verb}({number}, ")
        self.edits.take_out(kept.end, whole.end, f"{rest}){';' if call.type == 'if_statement' else ''}")

    def expect(
        self,
        call: Node,
        seen: Node,
        how: How,
        value: Frozen | None,
        out: Node | None = None,
        *,
        verb: str = "value",
        width: str = "",
    ) -> None:
        """Let a call say a value that must stand in a relation to one which is known here, or to what the reference fix says."""
        self.expecting += [out] if out is not None else []
        self.say(call, verb, self.check(call, how, value, width), seen)

    def equality(
        self, call: Node, how: How, expected: Node, actual: Node, outermost: Callable[[Node], str], *, two: str, width: str = ""
    ) -> None:
        """Let a call say a value that must be equal to another, near or different; both, where both are answers."""
        value = self.literals.frozen(expected)
        if value is None and (swapped := self.literals.frozen(actual)) is not None:
            actual, expected, value = expected, actual, swapped
        origin = self.names.origin(expected) if value is None else "built"
        if origin == "unknown":
            raise UnclearError("what is expected comes from elsewhere")
        alike = outermost(actual) if value is None else ""
        if value is None and (how == "different" or origin == "derived" or (alike and alike == outermost(expected))):
            number = self.check(call, how, None, width, of_two=True)
            self.say(call, two, number, actual, f", {self.parsed.text(expected)}")
        else:
            self.expect(call, actual, how, value, expected, width=width)

    def compared(self, claim: Node, *, is_true: bool = True) -> tuple[Node, Node, Frozen | None, How] | None:
        """Return what a comparison looks at, what it compares that with, the value of this if it is a literal, and how."""
        operator, left, right = operator_of(claim), part(claim, "left"), part(claim, "right")
        if claim.type != "binary_expression" or left is None or right is None or operator not in self._operators:
            return None
        values = self.literals.frozen(left), self.literals.frozen(right)
        if None not in values:
            return None
        is_turned = values[0] is not None
        seen, out = (right, left) if is_turned else (left, right)
        return seen, out, values[0] or values[1], must_be(operator, is_true=is_true, is_turned=is_turned)

    def is_literal_comparison(self, node: Node) -> bool:
        """Return whether something is compared with a literal."""
        is_comparison = node.type == "binary_expression" and operator_of(node) in _COMPARED
        return is_comparison and any(self.literals.frozen(side) is not None for side in named(node))

    def found(self, call: Node, seen: Node, name: str, needle: Node, *, is_true: bool) -> bool:
        """Let a call say a text or list that must hold a literal part, by the name of a method; return whether it is known."""
        value = self.literals.frozen(needle)
        if value is None:
            return False
        if name in ("contains", "includes", "hasItem", "containsString"):
            self.expect(call, seen, "contains" if is_true else "lacks", value, needle)
            return True
        if name in ("startsWith", "endsWith") and is_true and value[0] == "s":
            self.expect(call, seen, "matches", at_end(str(value[1]), is_start=name == "startsWith"), needle)
            return True
        return False

    def take_out(self, node: Node, instead: str = "") -> None:
        """Take a node out."""
        span = self.parsed.span(node)
        self.edits.take_out(span.start, span.end, instead)

    def wrap(self, node: Node, before: str, behind: str) -> None:
        """Put something before a node and behind it."""
        span = self.parsed.span(node)
        self.edits.put(span.start, span.start, before)
        self.edits.put(span.end, span.end, behind)

    def without_comments(self, nodes: Iterable[Node]) -> None:
        """Take comments out, which may say what is expected."""
        for node in nodes:
            if node.type.endswith("comment"):
                span = self.parsed.span(node)
                self.edits.put(span.start, span.end, "\n" if "\n" in self.parsed.text(node) else " ")
