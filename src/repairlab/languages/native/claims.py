"""What assertions of C and C++ claim: which side is the answer to say, and what must come of it."""

import json
import re
from collections.abc import Callable, Iterator

from tree_sitter import Node

from repairlab.languages.blind import How
from repairlab.languages.native.bodies import Body
from repairlab.languages.native.forms import SEARCHES, form_of, is_of_texts, ulps
from repairlab.languages.native.helpers import NativeHelpers, outside_calls, tolerated
from repairlab.languages.native.literals import LITERALS, TRUTHS, frozen_literal
from repairlab.languages.native.origins import NativeOrigins
from repairlab.languages.nodes import named, operator_of, own, walk
from repairlab.languages.withholding import ORDERS, BlindClaim, UnclearError, claims_in, frozen, must_be

_NULLS = frozenset({"NULL", "nullptr"})
_APPROX = re.compile(r"(?:Catch::)?(?:Detail::)?Approx\((-?[\d.]+)\)")
_WIDTH = re.compile(r"\d*\.?\d+(?:[eE]-?\d+)?")


class NativeClaims:
    """The claims of a file, and what they expected."""

    def __init__(self, origins: NativeOrigins, helpers: NativeHelpers, said: str, rewritten: Callable[[Body, Node], str]) -> None:
        """Take what rewrites the call of a helper, which says itself what it compares."""
        self._origins, self._helpers, self._said, self._rewritten = origins, helpers, said, rewritten
        self._gone, self.raises = helpers.gone, False

    def of(self, body: Body, name: str, given: list[Node]) -> Iterator[BlindClaim]:
        """Yield what to say in the place of an assertion."""
        match form_of(name, len(given)):
            case "true" | "false" as form:
                yield from self.condition(body, given[0], truth=form == "true")
            case "near":
                yield self._near(body, *given)
            case "equal":
                yield self._equal(body, *given, is_text=is_of_texts(name), width=ulps(name))
            case "different":
                yield self._different(body, *given, is_text=is_of_texts(name))
            case "bytes":
                yield self._bytes(body, *given)
            case "<" | "<=" | ">" | ">=" as operator:
                yield self._ordered(body, operator, *given)
            case "null" | "not null" as form:
                yield self._is_null(body, given[0], truth=form == "null")
            case "throws":
                yield self._raised(body, given)
            case "throws nothing":
                yield BlindClaim(f"(void)({body.kept(given[0])}); {self._said}_truth($number$, 1);", expected=frozen("b", True))
            case _:
                raise UnclearError(f"{name} is not understood")

    def condition(self, body: Body, node: Node, *, truth: bool) -> Iterator[BlindClaim]:
        """Yield what to say where a condition must be true, or false."""
        for claim, is_true in claims_in(node, operator_of, is_true=truth):
            yield from self._claimed(body, claim, truth=is_true)

    def _claimed(self, body: Body, node: Node, *, truth: bool) -> Iterator[BlindClaim]:
        operator = operator_of(node) if node.type == "binary_expression" else ""
        if operator in ("==", "!="):
            yield (self._equal if (operator == "==") == truth else self._different)(body, *named(node))
        elif operator in ORDERS:
            yield self._ordered(body, operator, *named(node), truth=truth)
        elif truth and node.type == "conditional_expression":
            yield from self._either(body, *named(node))
        elif truth and (helper := self._origins.helper(body, node)) is not None:
            yield self._asked(body, node, helper)
        else:
            yield self._truth(body, node, truth=truth)

    def _either(self, body: Body, condition: Node, then: Node, otherwise: Node) -> Iterator[BlindClaim]:
        """Yield what to say of `a ? b : c`, as one statement each that says what is chosen."""
        for branch, sign in ((then, ""), (otherwise, "!")):
            for claim in self.condition(body, branch, truth=True):
                yield claim._replace(saying=f"if ({sign}({body.kept(condition)})) {{ {claim.saying} }}")

    def _asked(self, body: Body, call: Node, helper: Body) -> BlindClaim:
        """Return what to say of what a helper answers; it says itself what it compares, if need be."""
        if helper.node is None or not helper.is_read:
            raise UnclearError(f"{helper.name} cannot be read")
        given, width = named(call.children[1]), tolerated(helper)
        if width and len(given) == len(helper.parameters):
            actual, wanted = self._sides(body, *given)
            if wanted is None:
                return self._whether(body.kept(call))
            return self._alike(body, actual, wanted, width if width != "0" else "")
        returned = [named(it)[0] for it in own(helper.node, ("lambda_expression",)) if it.type == "return_statement" and named(it)]
        compares = any(self._origins.holds_literal(helper, it) and it.type not in LITERALS for it in returned)
        if self._origins.is_pure(helper.name) and any(part.type in LITERALS for it in given for part in outside_calls(it)):
            raise UnclearError(f"it holds what {helper.name} compares")
        if not compares and not self._helpers.dropped(helper):
            return self._truth(body, call)
        return self._whether(self._rewritten(body, call))

    # Two values

    def _equal(self, body: Body, left: Node, right: Node, *, is_text: bool = False, width: str = "") -> BlindClaim:
        """Return what to say where two values must be equal."""
        both = ((left, right), (right, left))
        for side, other in both:
            if body.text(other) in _NULLS:
                return self._is_null(body, side, truth=True)
            if (order := self._order(body, side, other)) is not None:
                return order
            if body.text(other) in TRUTHS:
                return self._whether(body.kept(side), truth=TRUTHS[body.text(other)])
            if approx := _APPROX.fullmatch(body.text(other)):
                return BlindClaim(self._saying(body, side), how="near", expected=frozen("f", approx[1]), tolerance="1.2e-5r")
        for side, other in both if not is_text else ():
            if (base := self._origins.pointed(body, other)) is not None:
                start = body.kept(base)
                return BlindClaim(f"{self._said}_int($number$, (const char *)({body.kept(side)}) - (const char *)({start}));")
        actual, wanted = self._sides(body, left, right)
        if wanted is None:
            return self._whether(f"({body.kept(left)}) == ({body.kept(right)})")
        return self._alike(body, actual, wanted, width, is_text=is_text and not width)

    def _alike(self, body: Body, actual: Node, wanted: Node, width: str, *, is_text: bool = False) -> BlindClaim:
        """Return what to say where two values must be equal, or as near as a width."""
        self._gone.append((body, wanted))
        how: How = "near" if width else "equal"
        return BlindClaim(self._saying(body, actual, is_text=is_text), how=how, expected=frozen_literal(wanted), tolerance=width)

    def _different(self, body: Body, left: Node, right: Node, *, is_text: bool = False) -> BlindClaim:
        for actual, other in ((left, right), (right, left)):
            if body.text(other) in _NULLS:
                return self._is_null(body, actual, truth=False)
            if body.text(other) in TRUTHS:
                return self._whether(body.kept(actual), truth=not TRUTHS[body.text(other)])
            if (literal := frozen_literal(other)) and self._order(body, actual, other) is None:
                return BlindClaim(self._saying(body, actual, is_text=is_text), how="different", expected=literal)
        self._refuse_search(body, left, right)
        if is_text or self._holds_literal(body, left, right):
            raise UnclearError("it holds what must not come")
        return self._whether(f"({body.kept(left)}) == ({body.kept(right)})", truth=False)

    def _ordered(self, body: Body, operator: str, left: Node, right: Node, *, truth: bool = True) -> BlindClaim:
        hows = [must_be(operator, is_true=truth, is_turned=is_turned) for is_turned in (False, True)]
        if hows[0] in ("less", "at most") and (distance := self._distance(body, left, right)):
            return distance
        for actual, other, how in ((left, right, hows[0]), (right, left, hows[1])):
            if literal := frozen_literal(other):
                return BlindClaim(self._saying(body, actual), how=how, expected=literal)
        if self._holds_literal(body, left, right):
            raise UnclearError("it holds what it compares with")
        self._gone += [(body, left), (body, right)]
        return self._whether(f"({body.kept(left)}) {operator} ({body.kept(right)})", truth=truth)

    def _distance(self, body: Body, apart: Node, width: Node) -> BlindClaim | None:
        """Return what to say where `fabs(a - b)` must be small; `a + 1` is how far `a` is from -1."""
        is_apart = body.called(apart).removeprefix("std::") in ("abs", "fabs", "fabsf", "labs")
        given = named(apart.children[1]) if is_apart else []
        sign = operator_of(given[0]) if len(given) == 1 and given[0].type == "binary_expression" else ""
        allowed = body.text(width).rstrip("fF")
        if sign not in ("-", "+") or not _WIDTH.fullmatch(allowed):
            return None
        left, right = named(given[0])
        if sign == "-":
            actual, wanted = self._sides(body, left, right)
            return self._alike(body, actual, wanted, allowed) if wanted is not None else None
        kind, value = json.loads(frozen_literal(right) or '["",""]')
        return BlindClaim(self._saying(body, left), "near", frozen(kind, f"-{value}"), allowed) if kind else None

    def _near(self, body: Body, left: Node, right: Node, width: Node) -> BlindClaim:
        actual, wanted = self._sides(body, left, right)
        if wanted is None or not re.fullmatch(r"[\d.]+(?:[eE]-?\d+)?[fF]?", body.text(width)):
            raise UnclearError("its tolerance is not known")
        return self._alike(body, actual, wanted, body.text(width).rstrip("fF"))

    # Texts and memory

    def _order(self, body: Body, call: Node, zero: Node) -> BlindClaim | None:
        """Return what to say of `strcmp(a, b) == 0` and its like."""
        name = body.called(call).removeprefix("std::")
        if name not in ("strcmp", "strncmp", "memcmp") or body.text(zero) != "0":
            return None
        given = named(call.children[1])
        if name == "memcmp":
            return self._bytes(body, *given)
        actual, wanted = self._sides(body, given[0], given[1])
        if wanted is None:
            return self._truth(body, call, truth=False)
        self._gone.append((body, wanted))
        if name == "strncmp":
            return BlindClaim(f"{self._said}_prefix($number$, {body.kept(actual)}, {body.kept(given[2])});")
        return BlindClaim(f"{self._said}_string($number$, {body.kept(actual)});", expected=frozen_literal(wanted))

    def _bytes(self, body: Body, left: Node, right: Node, size: Node) -> BlindClaim:
        actual, wanted = self._sides(body, left, right)
        if wanted is None or any(it.type == "identifier" and body.text(it) in body.text(wanted) for it in walk(size)):
            raise UnclearError("its expectation is in memory")
        self._gone.append((body, wanted))
        return BlindClaim(f"{self._said}_bytes($number$, {body.kept(actual)}, {body.kept(size)});")

    # One value

    def _whether(self, text: str, *, truth: bool = True) -> BlindClaim:
        """Return that an expression is said as it is, and must be true, or false."""
        return BlindClaim(f"{self._said}_truth($number$, ({text}) ? 1 : 0);", expected=frozen("b", truth))

    def _truth(self, body: Body, node: Node, *, truth: bool = True) -> BlindClaim:
        """Return that a condition is said as it is; it must not hold what it looks for."""
        self._refuse_search(body, node)
        if self._holds_literal(body, node):
            raise _refused(body, node)
        self._gone.append((body, node))
        for call in (it for it in walk(node) if it.type == "call_expression"):
            helper = self._origins.helper(body, call)
            if helper is not None and (self._origins.is_asserting(helper) or self._helpers.dropped(helper) or not helper.is_read):
                raise UnclearError(f"{helper.name} is not understood here")
        return self._whether(body.kept(node), truth=truth)

    def _is_null(self, body: Body, node: Node, *, truth: bool) -> BlindClaim:
        self._refuse_search(body, node)
        return BlindClaim(f"{self._said}_truth($number$, ({body.kept(node)}) == 0);", expected=frozen("b", truth))

    def _raised(self, body: Body, given: list[Node]) -> BlindClaim:
        self.raises = True
        kind = body.text(given[1]) if len(given) > 1 else ""
        said = f"{self._said}_{'raised' if kind else 'truth'}($number$, "
        tried = f"try {{ (void)({body.kept(given[0])}); {said}false); }} catch (...) {{ {said}true); }}"
        name = kind.removesuffix("&").removeprefix("const ").strip()
        return BlindClaim(tried, "raised", frozen("s", name)) if kind else BlindClaim(tried, expected=frozen("b", True))

    def _saying(self, body: Body, actual: Node, *, is_text: bool = False) -> str:
        self._refuse_search(body, actual)
        text = body.kept(actual)
        if is_text:
            return f"{self._said}_string($number$, {text});"
        return f"{self._said}($number$, {text});" if self._origins.language == "c" else f"{self._said}($number$, ({text}));"

    def _holds_literal(self, body: Body, *nodes: Node) -> bool:
        return any(self._origins.holds_literal(body, node) for node in nodes)

    def _refuse_search(self, body: Body, *nodes: Node) -> None:
        """Leave a test open that looks for a literal in an answer."""
        for node in nodes:
            if SEARCHES.search(body.text(node)) and any(it.type in ("string_literal", "char_literal") for it in walk(node)):
                raise _refused(body, node)

    def _sides(self, body: Body, left: Node, right: Node) -> tuple[Node, Node | None]:
        """Return which side is the answer of the code under test, and which the expectation; none where both are answers."""
        origins = self._origins
        derived = origins.is_derived(body, left), origins.is_derived(body, right)
        if body.text(left).split() == body.text(right).split():
            return left, None
        if all(derived):
            if origins.is_column(body, left) or origins.is_column(body, right):
                raise UnclearError("what it expects stands in a table")
            if origins.is_made_of_literals(body, left) or origins.is_made_of_literals(body, right):
                raise UnclearError("what it expects is made by the code under test")
            self._gone += [(body, left), (body, right)]
            return left, None
        if any(derived):
            return (left, right) if derived[0] else (right, left)
        is_turned = left.type in LITERALS or re.match(r"(?i)(?:want|expect)", body.text(left))
        return (right, left) if is_turned else (left, right)


def _refused(body: Body, node: Node) -> UnclearError:
    return UnclearError(f"it holds what it looks for: {' '.join(body.text(node).split())[:60]}")
