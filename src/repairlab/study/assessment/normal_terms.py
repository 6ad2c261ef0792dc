"""Code as terms: nested tuples that spell alike what grammars spell differently, so that rules are stated once.

A term is its kind, then its parts; a part is a term or a text. Comments, parentheses and punctuation are gone.
"""

from collections.abc import Callable, Iterator
from typing import Any

from tree_sitter import Node

from repairlab.core.text import Span
from repairlab.languages.parser import Parsed
from repairlab.repairers.templates import node_types
from repairlab.repairers.templates.code import field
from repairlab.repairers.templates.shapes import binaries, call_of

Term = tuple[Any, ...]

NULL: Term = ("null",)
TRUE: Term = ("true",)
FALSE: Term = ("false",)
_PUNCTUATION = frozenset("(){};,:")
_OPERATORS = {"and": "&&", "or": "||", "is": "==", "is not": "!=", "===": "==", "!==": "!="}
_NULLS = frozenset({"none", "null_literal", "null", "nil"})
_SHELLS = frozenset({"parenthesized_expression", "expression_statement", "condition_clause", "else_clause"})
_ATOMS = node_types.NUMBERS | node_types.STRINGS | node_types.CHARACTERS


def term_of(parsed: Parsed, span: Span | None = None) -> Term | None:
    """Return the term of a text, or of its smallest part around a span; None if it does not parse or is nested too deep."""
    node = parsed.root
    while span is not None:
        inner = next((child for child in node.named_children if parsed.span(child).holds(span)), None)
        if inner is None:
            break
        node = inner
    if node.has_error:
        return None
    try:
        return _term(node, parsed)
    except RecursionError:
        return None


def _term(node: Node, parsed: Parsed) -> Term:  # noqa: PLR0911, PLR0912  # one case per kind of node
    kind = node.type

    def part(*names: str) -> Term:
        found = field(node, *names)
        return ("none",) if found is None else _term(found, parsed)

    if kind in _SHELLS and len(_kept(node)) == 1:
        return _term(_kept(node)[0], parsed)
    if kind in _NULLS:
        return NULL
    if kind in ("true", "false"):
        return (kind,)
    if kind in _ATOMS:
        return ("number" if kind in node_types.NUMBERS else "text", parsed.text(node))
    if kind in ("if_statement", "elif_clause"):
        return _conditional(node, parsed)
    if kind in node_types.TERNARIES:
        parts = _kept(node)
        if field(node, "condition") is None:  # Python: value if condition else other
            return ("choice", *(_term(parts[place], parsed) for place in (2, 0, 4) if place < len(parts)))
        return ("choice", part("condition"), part("consequence"), part("alternative"))
    if kind in node_types.BLOCKS:
        return ("block", *(_term(child, parsed) for child in _kept(node)))
    if kind in node_types.BINARY:
        return _binary(node, parsed)
    if kind in node_types.UNARY and node.children and node.children[0].type in ("!", "not"):
        return ("not", _term(node.children[-1], parsed))
    if kind == "cast_expression":
        return ("cast", part("type"), part("value"))
    if kind in ("throw_statement", "raise_statement"):
        return ("throw", *(_term(child, parsed) for child in node.named_children))
    if kind == "return_statement":
        return ("return", *(_term(child, parsed) for child in node.named_children))
    call = call_of(node)
    if call is not None:
        arguments = [_term(child, parsed) for child in call.arguments]
        if kind == "object_creation_expression":
            return ("new", parsed.text(call.name), *arguments)
        receiver = NO_RECEIVER if call.receiver is None else _term(call.receiver, parsed)
        return ("call", receiver, parsed.text(call.name), *arguments)
    if kind in node_types.MEMBERS:
        member = field(node, "attribute", "field", "property")
        return ("field", part("object", "argument", "operand"), "" if member is None else parsed.text(member))
    if kind in node_types.ASSIGNMENTS or kind in node_types.COMPOUND_ASSIGNMENTS:
        operator = next((child.type for child in node.children if child.type.endswith("=")), "=")
        return ("assign", operator, part("left"), part("right"))
    if kind == "update_expression":
        step = next((child.type for child in node.children if child.type in ("++", "--")), "++")
        target = next(child for child in node.children if child.type != step)
        return ("assign", f"{step[0]}=", _term(target, parsed), ("number", "1"))
    kept = _kept(node)
    if not kept or (len(kept) == 1 and not kept[0].is_named):
        text = parsed.text(node)
        return NULL if text in ("NULL", "nullptr") else ("name", text)
    return (kind, *(_term(child, parsed) for child in kept))


NO_RECEIVER: Term = ("none",)
SELF: tuple[Term, ...] = (("this", "this"), ("name", "this"), ("name", "self"))


def _kept(node: Node) -> list[Node]:
    return [child for child in node.children if child.type not in _PUNCTUATION and "comment" not in child.type]


def _conditional(node: Node, parsed: Parsed) -> Term:
    condition, then = field(node, "condition"), field(node, "consequence")
    if condition is None or then is None:
        return ("if", *(_term(child, parsed) for child in _kept(node)))
    others = node.children_by_field_name("alternative")
    last: Term = ("block",)
    for other in reversed(others):
        if other.type == "elif_clause":
            head = _conditional(other, parsed)
            last = ("block", (*head[:-1], last))
        else:
            body = field(other, "body") or other
            inner = [child for child in _kept(other) if child.type != "else"]
            last = _block(_term(inner[0], parsed) if other.type == "else_clause" and inner else _term(body, parsed))
    return ("if", _term(condition, parsed), _block(_term(then, parsed)), last)


def _block(term: Term) -> Term:
    return term if term[0] == "block" else ("block", term)


def _binary(node: Node, parsed: Parsed) -> Term:
    if node.type == "comparison_operator":
        parts = [
            (
                _OPERATORS.get(parsed.text(found.operator), parsed.text(found.operator)),
                _term(found.left, parsed),
                _term(found.right, parsed),
            )
            for found in binaries(node)
        ]
        return parts[0] if len(parts) == 1 else ("&&", *parts)
    for found in binaries(node):
        symbol = parsed.text(found.operator)
        return (_OPERATORS.get(symbol, symbol), _term(found.left, parsed), _term(found.right, parsed))
    return (node.type, *(_term(child, parsed) for child in _kept(node)))


def rewritten(term: Term, rule: Callable[[Term], Term]) -> Term:
    """Apply a rule to all parts of a term, the innermost first."""
    return rule(tuple(rewritten(part, rule) if isinstance(part, tuple) else part for part in term))


def subterms(term: Term) -> Iterator[Term]:
    """Yield a term and all below it."""
    yield term
    for part in term:
        if isinstance(part, tuple):
            yield from subterms(part)


def names_in(term: Term) -> frozenset[str]:
    """Return the names and texts in a term."""
    return frozenset(part for inner in subterms(term) for part in inner[1:] if isinstance(part, str))
