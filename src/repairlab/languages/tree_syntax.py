"""Reading source text by its tree-sitter grammar alone: what a language gets that has no lexer of its own.

A language says which nodes are whole tokens, how its functions are found, and what looks at layout. In such languages a line break
may end a statement, so normal forms keep one wherever the text has any.
"""

import re
from collections.abc import Callable, Iterable, Iterator

from tree_sitter import Node

from repairlab.core.record import record
from repairlab.languages.language import Function
from repairlab.languages.nodes import walk
from repairlab.languages.parser import Parsed
from repairlab.languages.syntax import LexedSyntax, Piece, Sees

_WORD = re.compile(r"[^\W\d]\w*")
_BLANK = " \t\v\f\r\n"
_GAP = re.compile(f"[{_BLANK}]+|[^{_BLANK}]+")
_ONE = frozenset({"--", "++", "<-", "&&", "&^"})
"""What compilers read as one operator where it stands without a blank, and grammars perhaps as two: `a --b`, `a <-b`."""
_BREAK = re.compile("[\r\n]")


@record
class Nodes:
    """Which nodes of a grammar mean what."""

    strings: frozenset[str]
    """Strings of all kinds, regular expressions, text between tags: whatever is in them is no token of its own."""
    numbers: frozenset[str]
    names: frozenset[str]
    comments: frozenset[str] = frozenset({"comment"})
    prelude: frozenset[str] = frozenset()
    """What may stand before the first token."""


def tree_syntax(language: str, nodes: Nodes, functions: Callable[[Parsed], Iterable[Function]], sees: Sees) -> LexedSyntax:
    """Return the Syntax of a language; a `newline` token stands where a line break may end a statement."""
    return LexedSyntax(
        language,
        lambda source: _pieces(Parsed(language, source), nodes),
        lambda source: functions(Parsed(language, source)),
        sees,
    )


def _pieces(parsed: Parsed, nodes: Nodes) -> list[Piece]:
    """Cut the text into pieces, without gap or overlap."""
    source = parsed.source
    pieces: list[Piece] = []
    end = 0
    breaks = False
    for node in leaves(parsed.root, nodes.strings):
        span = parsed.span(node)
        if span.end <= end or not source[span.start : span.end].strip(_BLANK):
            continue
        start = max(span.start, end)
        kind = _kind(nodes, node, source[start : span.end])
        breaks = _gap(source, end, start, pieces) or breaks
        if kind == "comment":
            breaks = breaks or _BREAK.search(source, start, span.end) is not None
        elif breaks and pieces:
            pieces.append(Piece("newline", start, start))
        breaks = breaks and kind == "comment"
        is_one = kind == "operator" and pieces and pieces[-1].kind == kind and source[start - 1 : start + 1] in _ONE
        pieces.append(Piece(kind, pieces.pop().start if is_one else start, span.end))
        end = span.end
    _gap(source, end, len(source), pieces)
    return pieces


def _kind(nodes: Nodes, node: Node, text: str) -> str:
    for kind, types in (
        ("comment", nodes.comments),
        ("string", nodes.strings),
        ("number", nodes.numbers),
        ("name", nodes.names),
        ("prelude", nodes.prelude),
    ):
        if node.type in types:
            return kind
    if node.type == "ERROR":
        return "error"
    return "keyword" if _WORD.fullmatch(text) else "operator"


def leaves(root: Node, whole: frozenset[str]) -> Iterator[Node]:
    """Yield the nodes without children, and those that are taken as a whole, in the order of the text."""
    stack = [root]
    while stack:
        node = stack.pop()
        if node.type in whole or not node.child_count:
            yield node
        else:
            stack.extend(reversed(node.children))


def parameters(parsed: Parsed, node: Node | None) -> tuple[str, ...]:
    """Return the texts of parameters, white space normalised."""
    found = [] if node is None else [child for child in node.named_children if child.type != "comment"]
    return tuple(" ".join(_uncommented(parsed, child).split()) for child in found)


def _uncommented(parsed: Parsed, node: Node) -> str:
    text = parsed.text(node)
    for comment in (inner for inner in walk(node) if inner.type == "comment"):
        text = text.replace(parsed.text(comment), "")
    return re.sub(r"\s+(?=[,)])", "", text)


def _gap(source: str, start: int, end: int, pieces: list[Piece]) -> bool:
    """Add what stands between two nodes: white space, or what the grammar passed over; returns whether there is a line break."""
    breaks = False
    for match in _GAP.finditer(source, start, end):
        is_space = not match[0].strip(_BLANK)
        pieces.append(Piece("space" if is_space else "error", match.start(), match.end()))
        breaks = is_space and _BREAK.search(match[0]) is not None
    return breaks
