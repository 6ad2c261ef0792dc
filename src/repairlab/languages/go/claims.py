"""What a condition in a Go test claims: which side is the answer to say, and what must come of it."""

import ast
import json
import re
from collections.abc import Iterator

from tree_sitter import Node

from repairlab.languages.go.names import DEEP, LITERALS, GoNames
from repairlab.languages.nodes import named, operator_of, part, walk
from repairlab.languages.withholding import ORDERS, BlindClaim, Edits, UnclearError, at_end, claims_in, frozen, frozen_text, must_be

_FIXED = LITERALS | {"true", "false", "nil", "imaginary_literal"}
_MADE_OF = ("unary_expression", "composite_literal", "binary_expression", "parenthesized_expression")
_SENTINEL = re.compile(r"(\w+\.)?([Ee]rr[A-Z_]\w*|EOF|Err)")
_EXPECTED = re.compile(r"(?i)(?:.*\.)?(?:want|expect|exp\b)")
_SEARCHES = re.compile(
    r"\b(?:strings|bytes)\.(?:Index|LastIndex|Count|Contains|Has|EqualFold|Cut)|\bregexp\.|\.(?:Match|Find)\w*\("
)
"""What looks for something in a text."""


class GoClaims:
    """The claims of a file, and what they expected."""

    def __init__(self, names: GoNames, edits: Edits, said: str) -> None:
        self._names, self._edits, self.said, self._text = names, edits, said, names.text
        self.gone = list[Node]()
        """Parts of comparisons that are gone, or that stay and may hold an answer."""

    def kept(self, node: Node) -> str:
        """Return the text of a node that goes on standing in the file; it must not look for a literal in an answer."""
        if _SEARCHES.search(self._text(node)) and any(it.type in LITERALS for it in walk(node)):
            raise self._refused(node)
        self._edits.keep(node)
        return self._text(node)

    def saying(self, actual: str, verb: str = "") -> str:
        """Return the call that says a value."""
        return f"{self.said}{verb}($number$, {actual})"

    def _refused(self, node: Node) -> UnclearError:
        return UnclearError(f"it holds what it looks for: {' '.join(self._text(node).split())[:60]}")

    def condition(self, node: Node, *, truth: bool) -> Iterator[BlindClaim]:
        """Yield what to say where a condition must be true, or false."""
        for claim, is_true in claims_in(node, operator_of, is_true=truth):
            yield self._claim(claim, truth=is_true)

    def _claim(self, node: Node, *, truth: bool) -> BlindClaim:
        operator, compared = operator_of(node), self._names.compared(node) if truth else None
        if operator in ("==", "!="):
            return (self.equal if (operator == "==") == truth else self.different)(node, *named(node), truth=truth)
        if compared is not None:
            return self.equal(node, *compared, items=self._text(part(node, "function")) not in DEEP)
        if operator in ORDERS:
            return self.ordered(node, operator, *named(node), truth=truth)
        return self._found(node, truth=truth) or self._truth(node, truth=truth)

    def _found(self, node: Node, *, truth: bool) -> BlindClaim | None:
        """Return what to say where a text must hold a literal, or must not."""
        name, sides = self._text(part(node, "function")), named(part(node, "arguments"))
        literal = json.loads(self.frozen(sides[1]) or "[]") if len(sides) == 2 else []
        if not literal or literal[0] != "s":
            return None
        if name == "strings.Contains":
            return BlindClaim(self.saying(self.kept(sides[0])), how="contains" if truth else "lacks", expected=frozen_text(literal))
        if not truth or name not in ("strings.HasPrefix", "strings.HasSuffix"):
            return None
        pattern = at_end(literal[1], is_start=name.endswith("Prefix"))
        return BlindClaim(self.saying(self.kept(sides[0])), how="matches", expected=frozen_text(pattern))

    # Comparisons: `whole` is the expression that compares, none where an assertion does

    def equal(self, whole: Node | None, left: Node, right: Node, *, truth: bool = True, items: bool = False) -> BlindClaim:
        """Return what to say where two values must be equal."""
        if whole is not None and whole.type == "binary_expression" and "nil" in (left.type, right.type):
            return BlindClaim(self.saying(f"({self.kept(whole)})"), expected=frozen("b", truth))
        is_sentinel = any(_SENTINEL.fullmatch(self._text(side)) for side in (left, right))
        actual, wanted = (left, None) if is_sentinel else self._sides(left, right)
        if wanted is None:
            return self._relation(whole, left, right, truth=truth)
        self.gone.append(wanted)
        return BlindClaim(self.saying(self.kept(actual), "items" if items else ""), expected=self.frozen(wanted))

    def _sides(self, left: Node, right: Node) -> tuple[Node, Node | None]:
        """Return which side is the answer of the code under test, and which the expectation; none where both are answers."""
        derived = self._names.is_derived(left), self._names.is_derived(right)
        if all(derived):
            if any(self.holds_literal(side, everywhere=True) and not self._names.holds_variable(side) for side in (left, right)):
                raise UnclearError("what it expects is made by the code under test")
            return left, None
        if any(derived):
            return (left, right) if derived[0] else (right, left)
        return (right, left) if _is_fixed(left) or _EXPECTED.match(self._text(left)) else (left, right)

    def different(self, whole: Node | None, left: Node, right: Node, *, truth: bool = True) -> BlindClaim:
        """Return what to say where two values must not be equal."""
        for actual, other in ((left, right), (right, left)):
            literal = self.frozen(other)
            if other.type in ("true", "false"):
                return BlindClaim(self.saying(self.kept(actual)), expected=frozen("b", other.type == "false"))
            if literal:
                return BlindClaim(self.saying(self.kept(actual)), how="different", expected=literal)
        return self._relation(whole, left, right, truth=truth if whole else not truth)

    def ordered(self, whole: Node | None, operator: str, left: Node, right: Node, *, truth: bool = True) -> BlindClaim:
        """Return what to say where one value must be less than another, or more."""
        for actual, other, is_turned in ((left, right, False), (right, left, True)):
            if (literal := self.frozen(other)) and other.type not in ("true", "false"):
                return BlindClaim(
                    self.saying(self.kept(actual)), how=must_be(operator, is_true=truth, is_turned=is_turned), expected=literal
                )
        return self._relation(whole, left, right, truth=truth, operator=operator)

    def _relation(self, whole: Node | None, left: Node, right: Node, *, truth: bool, operator: str = "") -> BlindClaim:
        """Return that a comparison of two answers is said as it is."""
        if whole is not None:
            return self._truth(whole, truth=truth)
        for side in (left, right):
            self._truth(side, truth=truth)
        one, other = self.kept(left), self.kept(right)
        text = f"({one}) {operator} ({other})" if operator else f"{self.said}reflect.DeepEqual({one}, {other})"
        return BlindClaim(self.saying(text), expected=frozen("b", truth))

    def _truth(self, node: Node, *, truth: bool) -> BlindClaim:
        """Return that a condition is said as it is; it must not hold what it looks for."""
        if self.holds_literal(node):
            raise self._refused(node)
        self.gone.append(node)
        return BlindClaim(self.saying(f"bool({self.kept(node)})"), expected=frozen("b", truth))

    # Literals

    def holds_literal(self, node: Node, *, everywhere: bool = False) -> bool:
        """Whether a literal stands in an expression; arguments of code under test do not count."""
        if node.type in LITERALS or node.type == "composite_literal":
            return True
        if node.type == "call_expression" and not everywhere and self._names.is_foreign(node):
            return False
        inner = [part(node, "operand")] if node.type == "index_expression" and not everywhere else node.named_children
        return any(self.holds_literal(child, everywhere=everywhere) for child in inner if child is not None)

    def frozen(self, node: Node) -> str:
        """Return the frozen value of a literal; nothing of other nodes."""
        text = self._text(node)
        if node.type == "parenthesized_expression":
            return self.frozen(named(node)[0])
        if node.type in ("true", "false"):
            return frozen("b", node.type == "true")
        if node.type.endswith("string_literal"):
            return frozen("s", value) if (value := _string(text)) is not None else ""
        if re.fullmatch(r"'[^\\]'", text):
            return frozen("i", str(ord(text[1])))
        if re.fullmatch(r"-?(?:0|[1-9]\d*)", text):
            return frozen("i", text)
        return frozen("f", text) if re.fullmatch(r"-?\d+\.\d+", text) else ""


def _is_fixed(node: Node) -> bool:
    """Whether an expression is a literal, or made of literals alone."""
    if node.type not in _MADE_OF:
        return node.type in _FIXED
    inner = list(walk(node))
    names = [it for it in inner if it.type == "identifier" and (it.parent is None or it.parent.type != "literal_element")]
    return not names and not any(it.type in ("call_expression", "selector_expression") for it in inner)


def _string(text: str) -> str | None:
    """Return the text that a string literal means; nothing where it is written in an unusual way."""
    if text.startswith("`"):
        return text[1:-1] if "\r" not in text else None
    return str(ast.literal_eval(text)) if not re.search(r'\\[^nt\\"]', text) else None
