"""Assertions of testify in a Go test: which calls are any, and what they claim."""

import re
from collections.abc import Iterator

from tree_sitter import Node

from repairlab.languages.blind import How
from repairlab.languages.go.claims import GoClaims
from repairlab.languages.go.names import GoNames
from repairlab.languages.nodes import above, named, part
from repairlab.languages.withholding import BlindClaim, UnclearError, frozen

_PACKAGE = re.compile(r"/testify(?:/v\d+)?/(?:assert|require)\"$")
_EQUAL = frozenset({"Equal", "EqualValues", "Exactly"})
_UNEQUAL = frozenset({"NotEqual", "NotEqualValues"})
_ORDERED = {"Greater": ">", "GreaterOrEqual": ">=", "Less": "<", "LessOrEqual": "<="}
_CONTAINS: dict[str, How] = {"Contains": "contains", "ErrorContains": "contains", "NotContains": "lacks"}
_STATES = {
    "Nil": ("{said}none({0})", True),
    "NotNil": ("{said}none({0})", False),
    "NoError": ("({0}) == nil", True),
    "Error": ("({0}) == nil", False),
    "Empty": ("{said}empty({0})", True),
    "NotEmpty": ("{said}empty({0})", False),
    "Zero": ("{said}empty({0})", True),
    "Panics": ("{said}panics({0})", True),
    "NotPanics": ("{said}panics({0})", False),
}
"""Assertions about one value: what to say of it, and what must come of it."""
_NEAR = {"InDelta": "", "InEpsilon": "r"}
_WIDTH = re.compile(r"\d*\.?\d+(?:e-?\d+)?")


def is_testify(names: GoNames, node: Node) -> bool:
    """Return whether a name stands for a package of testify, or for its assertions about one test."""
    if node.type != "identifier":
        return False
    if (declared := names.declaration(node)) is None:
        return _PACKAGE.search(names.imports.get(names.text(node), "")) is not None
    made = part(above(declared, "expression_list", "short_var_declaration"), "right")
    return any(it.type == "call_expression" and assertion(names, it) == "New" for it in named(made))


def assertion(names: GoNames, call: Node) -> str | None:
    """Return the name of the function of testify that is called; none for other calls."""
    operand, field = part(call, "function", "operand"), part(call, "function", "field")
    return names.text(field).removesuffix("f") if operand is not None and field is not None and is_testify(names, operand) else None


def claimed(names: GoNames, claims: GoClaims, name: str, values: list[Node]) -> Iterator[BlindClaim]:
    """Yield what to say in the place of an assertion of testify."""
    if name in ("True", "False") and values:
        yield from claims.condition(values[0], truth=name == "True")
    elif name in _STATES and values:
        text, truth = _STATES[name]
        yield BlindClaim(claims.saying(text.format(claims.kept(values[0]), said=claims.said)), expected=frozen("b", truth))
    elif len(values) < len(("expected", "actual")):
        raise UnclearError(f"asserts by {name}")
    elif name in _EQUAL:
        yield claims.equal(None, values[1], values[0])
    elif name in _UNEQUAL:
        yield claims.different(None, values[1], values[0])
    elif name in _ORDERED:
        yield claims.ordered(None, _ORDERED[name], *values[:2])
    elif name == "ElementsMatch":
        yield claims.equal(None, values[1], values[0], items=True)._replace(how="same items")
    elif name in _NEAR and _WIDTH.fullmatch(width := names.text(values[2])):
        claim = claims.equal(None, values[1], values[0])
        if claim.expected == frozen("b", True):
            raise UnclearError("what it expects is made by the code under test")
        yield claim._replace(how="near", tolerance=width + _NEAR[name])
    else:
        yield _part(names, claims, name, *values[:2])


def _part(names: GoNames, claims: GoClaims, name: str, value: Node, wanted: Node) -> BlindClaim:
    """Return what to say of a part of a value, or of what is part of it."""
    seen, literal = claims.kept(value), claims.frozen(wanted)
    if name == "ErrorIs":
        return BlindClaim(claims.saying(f"{claims.said}is({seen}, {claims.kept(wanted)})"), expected=frozen("b", True))
    if name in _CONTAINS and literal:
        part_of = f"({seen}).Error()" if name == "ErrorContains" else seen
        return BlindClaim(claims.saying(part_of), how=_CONTAINS[name], expected=literal)
    if name not in ("Len", "EqualError") or names.is_derived(wanted):
        raise UnclearError(f"asserts by {name}")
    claims.gone.append(wanted)
    return BlindClaim(claims.saying(f"{claims.said}size({seen})" if name == "Len" else f"({seen}).Error()"), expected=literal)
