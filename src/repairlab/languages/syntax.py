"""What the languages share in reading source text: tokens, comment removal and normal form of the pieces that a lexer cuts.

A lexer cuts a text without gap or overlap. Two texts that differ only in layout behave alike unless something looks at lines,
spacing or comments. Tests are honest: they look where they say so, at line numbers, frames or stack traces, at a macro's argument
as text, at a source file by its name. Code that candidates write or call may put such names together as it runs. So it counts as
looking if it opens files, starts programs, loads code by names, or uses a part of the library that may do so, whatever for.
Whatever mentions one of these counts, in comments, too: a wrong yes costs a validation, a wrong no a verdict.
"""

import re
from collections.abc import Callable, Iterable
from functools import cache
from typing import NamedTuple, Protocol

from repairlab.core.text import Span
from repairlab.languages.facts import every
from repairlab.languages.language import Function, Token
from repairlab.languages.parser import Parsed

SPLICE = r"\\[ \t]*(?:\r\n?|\n)"
"""A backslash that joins two lines (compilers also allow blanks behind it)."""

_GAP = frozenset({"space", "comment", "newline", "indent", "dedent"})
_NOT_TOKEN = frozenset({"space", "comment", "prelude"})
_TERMINATOR = re.compile(rf"{SPLICE}|\r\n?|\n")


class Piece(NamedTuple):
    """A stretch of a text: a token's kind, or `space`, `comment`, `prelude` (shebang line and byte order mark: kept, no token)."""

    kind: str
    start: int
    end: int


class Sees(Protocol):
    """Whether a text may look at its own layout."""

    def __call__(self, source: str, *, of_others: bool) -> bool:
        """Return it, as `Syntax.sees_text` does."""
        ...


class LexedSyntax:
    """The Syntax of a language whose texts are cut into pieces."""

    def __init__(
        self, language: str, lex: Callable[[str], list[Piece]], functions: Callable[[str], Iterable[Function]], sees: Sees
    ) -> None:
        """Take what cuts a text, how functions are found, and what looks at the layout of source text."""
        self._language, self._lex, self._functions, self._sees = language, lex, functions, sees

    def functions(self, source: str) -> list[Function]:
        """Return all functions in order of their start, outer before inner."""
        return sorted(self._functions(source), key=lambda function: (function.span.start, -function.span.end))

    def strip_comments(self, source: str) -> str:
        """Return the text without comments."""
        return _strip_comments(source, self._lex(source))

    def tokens(self, source: str) -> list[Token]:
        """Return the token stream."""
        return [
            Token(kind=kind, text=source[start:end], span=Span(start=start, end=end))
            for kind, start, end in self._lex(source)
            if kind not in _NOT_TOKEN
        ]

    def normal_form(self, source: str) -> str:
        """Return the tokens joined by blanks; line breaks and depth stay where they are tokens, directives have their own line."""
        return _normal_form(source, self._lex(source))

    def has_errors(self, source: str) -> bool:
        """Return whether the grammar of the language finds an error in the text."""
        return Parsed(self._language, source).root.has_error

    def sees_text(self, source: str, *, of_others: bool = False) -> bool:
        """Return whether a program with this text may look at its own layout."""
        return self._sees(source, of_others=of_others)


def _strip_comments(source: str, pieces: Iterable[Piece]) -> str:
    """Return the text without the comments among its pieces; every line that still holds a token keeps its line ending."""
    kept: list[str] = []
    gap: list[Piece] = []
    before = 0
    for piece in (*pieces, Piece("end", len(source), len(source))):
        kind, start, end = piece
        if kind in _GAP or (start == end and kind != "end"):
            gap.append(piece)
            continue
        # Behind a stray backslash a comment stays: without it the backslash would join lines.
        if any(part.kind == "comment" for part in gap) and source[before - 1 : before] != "\\":
            rest = _gap_without_comments(
                source, gap, is_first=before == 0 or (before == 1 and source[0] == "\ufeff"), is_last=kind == "end"
            )
            # What now comes first in the text must not turn into a shebang line or byte order mark.
            kept.append(rest or ("\n" if not before and source.startswith(("#!", "\ufeff"), start) else ""))
        else:
            kept.append(source[before:start])
        kept.append(source[start:end])
        before = end
        gap = []
    return "".join(kept)


class _Line:
    """One line of the gap between two tokens; a comment over several lines counts as one stretch of it."""

    def __init__(self) -> None:
        self.lead = ""
        self.trail = ""
        self.has_comment = False
        self.terminator = ""

    @property
    def is_spliced(self) -> bool:
        return self.terminator.startswith("\\")


def _gap_without_comments(source: str, gap: list[Piece], *, is_first: bool, is_last: bool) -> str:
    lines = _lines(source, gap)
    kept: list[_Line] = []
    for number, line in enumerate(lines):
        follows_token = number == 0 and not is_first
        precedes_token = number == len(lines) - 1 and not is_last
        if not line.has_comment:
            kept.append(line)
        elif follows_token and precedes_token:
            # Only brackets and separators cannot grow together with a neighbour.
            is_safe = source[gap[0].start - 1] in "([" or source[gap[-1].end : gap[-1].end + 1] in tuple(")],;")
            line.lead = "" if is_safe else line.lead or line.trail or " "
            kept.append(line)
        elif follows_token or precedes_token:
            if follows_token:
                line.lead = line.lead or " " if line.is_spliced else ""
            kept.append(line)
        elif kept and kept[-1].is_spliced and not line.is_spliced:
            # The line that vanishes ended the joined line: the one before it must do so now.
            kept[-1].terminator = line.terminator
            kept[-1].lead = kept[-1].lead.rstrip(" \t")
            kept[-1].trail = kept[-1].trail.rstrip(" \t")
    rest = "".join(line.lead + ("" if line.has_comment else line.trail) + line.terminator for line in kept)
    # Joined lines alone do not part the tokens around them as the comment did.
    return f" {rest}" if rest and not is_first and not re.sub(SPLICE, "", rest) else rest


def _lines(source: str, gap: list[Piece]) -> list[_Line]:
    lines = [_Line()]
    for kind, start, end in gap:
        if kind == "comment":
            lines[-1].has_comment = True
            lines[-1].trail = ""
            continue
        position = start
        for match in _TERMINATOR.finditer(source, start, end):
            _add_blank(lines[-1], source[position : match.start()])
            lines[-1].terminator = match[0]
            lines.append(_Line())
            position = match.end()
        _add_blank(lines[-1], source[position:end])
    return lines


def _add_blank(line: _Line, blank: str) -> None:
    if line.has_comment:
        line.trail += blank
    else:
        line.lead += blank


def _normal_form(source: str, pieces: Iterable[Piece]) -> str:
    parts: list[str] = []
    depth = 0
    at_line_start = True
    previous: list[Piece] = []
    for piece in pieces:
        kind, start, end = piece
        if kind in _NOT_TOKEN:
            continue
        if kind in ("indent", "dedent"):
            depth += 1 if kind == "indent" else -1
        elif kind == "newline":
            parts.append("" if at_line_start else "\n")
            at_line_start = True
        else:
            text = source[start:end]
            if kind == "directive" and text == "#" and not at_line_start:
                parts.append("\n")
                at_line_start = True
            # A macro's name and an adjacent bracket make a macro with parameters; a blank between them makes another one.
            # A word right behind a string is its suffix in C++; behind a blank it is a word.
            is_next = bool(previous) and previous[-1].end == start
            is_glued = is_next and (
                (text == "(" and _is_macro_name(source, previous))
                or (kind in ("name", "keyword") and previous[-1].kind == "string")
            )
            parts.append("    " * depth if at_line_start else "" if is_glued else " ")
            # An unreadable stretch may hold anything, so that only a line break tells where it ends.
            parts.append(text if kind != "error" else (text or "?") + "\n")
            if kind in ("name", "number", "keyword"):
                parts[-1] = re.sub(SPLICE, "", text) if "\\" in text else text
            at_line_start = kind == "error"
        previous = [*previous[-1:], piece]
    return "".join(parts)


def _is_macro_name(source: str, previous: list[Piece]) -> bool:
    return len(previous) == 2 and previous[0].kind == "directive" and source[previous[0].start : previous[0].end] == "define"


def joined(source: str, pieces: Iterable[Piece]) -> str:
    """Return the text of neighbouring tokens, with one blank where the source has white space or comments between them."""
    parts: list[str] = []
    last: int | None = None
    for _, start, end in pieces:
        if last is not None and start > last:
            parts.append(" ")
        parts.append(source[start:end])
        last = end
    return "".join(parts)


_STRICT = re.compile(r"Werror|WARNING_AS_ERROR|warnings-as-errors")


@cache
def source_files() -> str:
    """Return the pattern of a string that ends like the name of a source file of any language: the program may read it."""
    endings = "|".join(re.escape(ending.removeprefix(".")) for stated in every() for ending in stated.extensions)
    return rf"""\.(?:{endings})\\?["']"""


@cache
def looking(pattern: str) -> re.Pattern[str]:
    """Return what finds a text that looks at layout: by the ways of a language, or by reading a source file."""
    return re.compile(f"{pattern}|{source_files()}")


def turns_warnings_into_errors(text: str) -> bool:
    """Return whether flags or a build file ask for it: compilers warn of indentation and of comments, too."""
    return _STRICT.search(text) is not None
