"""Cutting text of languages with braces into pieces, whatever the text; their lexers say how each is written.

What a compiler would not accept becomes an `error` piece: an open string up to the end of its line, a stray character.
"""

import re
from collections.abc import Callable

from repairlab.core.record import record
from repairlab.languages.syntax import SPLICE, Piece

SINGLE = "{}()[]<>;,.?:=+-*/%&|^!~"
# Repeats of groups are atomic, (?>(?:…)*), not possessive, (?:…)*+, which Python before 3.11.5 gets wrong.
NEWLINE = r"\r\n?|\n"
ESCAPE = rf"{SPLICE}|\\(?:\r\n|[\s\S])"
WORD = r"(?:[^\W0-9]|[$]|\\[uU][0-9a-fA-F{])"
GLUE = r"[-+*/%&|^<>=!:.#]"


@record
class Lexicon:
    """How a language is written."""

    keywords: frozenset[str]
    pattern: Callable[[bool, bool], re.Pattern[str]]
    """What cuts a text; long strings and block comments are left out, or known by their start alone when they have no end."""
    prelude: re.Pattern[str] = re.compile("\ufeff")
    """What may stand before the first token."""


def operators_of(several: str, single: str) -> str:
    """Return the pattern of operators of several characters, the longest first, and of one."""
    words = sorted(several.split(), key=len, reverse=True)
    # `<::` is `<` and `::` unless a third colon or `>` follows (C++ [lex.pptoken]).
    escaped = [r"<:(?!:(?![:>]))" if word == "<:" else re.escape(word) for word in words]
    return "|".join([*escaped, "[" + re.escape(single) + "]"])


_HEADER = re.compile(r"<[^>\r\n]*>")


def lex(lexicon: Lexicon, source: str) -> list[Piece]:
    """Cut the text into pieces."""
    reads = {"raw": True, "block": True}
    match_at = lexicon.pattern(reads["raw"], reads["block"]).match
    keywords = lexicon.keywords
    pieces: list[Piece] = []
    position = 0
    start = lexicon.prelude.match(source)
    if start and start.end():
        position = start.end()
        pieces.append(Piece("prelude", 0, position))
    is_line_start = True
    words: list[str] | None = None  # of the directive at hand
    while position < len(source):
        match = match_at(source, position)
        assert match is not None, "the pattern takes any character"
        kind = match.lastgroup or "other"
        if kind in reads:
            # It has no end, so no compiler takes this text; to look for an end of each later one costs the square of its length.
            reads[kind] = False
            match_at = lexicon.pattern(reads["raw"], reads["block"]).match
            continue
        end = match.end()
        if kind == "newline":
            kind = "space" if words is None else "newline"
            words = None
            is_line_start = True
        elif kind in ("space", "spliced", "comment") or (kind == "splice" and pieces[-1].kind in ("space", "comment")):
            kind = "comment" if kind == "comment" else "space"
        else:
            if kind == "hash":
                kind = "directive" if is_line_start else "operator"
                words = [] if is_line_start else words
            elif kind == "word":
                text = source[position:end]
                kind = "keyword" if text in keywords else "name"
                if words is not None:
                    kind = "directive" if not words else kind
                    words.append(text)
            elif kind == "operator" and words in (["include"], ["include_next"], ["import"]) and source[position] == "<":
                header = _HEADER.match(source, position)
                kind, end = ("string", header.end()) if header else (kind, end)
                words = ["include", ""]
            elif kind in ("splice", "other"):
                kind = "operator" if kind == "splice" else "error"
            is_line_start = False
        pieces.append(Piece(kind, position, end))
        position = end
    if words is not None:
        pieces.append(Piece("newline", position, position))
    return pieces
