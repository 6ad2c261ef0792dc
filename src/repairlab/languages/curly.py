"""Languages with braces: any text cut into pieces, and tokens with their brackets matched, even where some are missing.

What a compiler would not accept becomes an `error` piece: an open string up to the end of its line, a stray character. Among
matched brackets, directives of a preprocessor are lost. Of an `#if` whose branches cannot stand one after the other, one branch is
kept.
"""

import functools
import re
from collections.abc import Callable, Sequence

from repairlab.core.record import record
from repairlab.languages.syntax import SPLICE, Piece, joined

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
    """Splits a text; a long string or block comment without an end is recognised by its start."""
    prelude: re.Pattern[str] = re.compile("\ufeff")
    """What may precede the first token."""


def operators_of(several: str, single: str) -> str:
    """Return the pattern of operators, those of several characters first and the longest ahead."""
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
    words: list[str] | None = None  # of the current directive
    while position < len(source):
        match = match_at(source, position)
        assert match is not None, "the pattern takes any character"
        kind = match.lastgroup or "other"
        if kind in reads:
            # It has no end, so no compiler accepts this text; looking for the end of each later one costs quadratic time.
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


_CLOSING = {")": "(", "]": "[", "}": "{"}
# A block under one of these may hold blocks of the same indentation.
_LOOSE = frozenset({"namespace", "class", "struct", "union", "enum", "extern", "interface", "record", "switch", "case", "default"})


class Bracketed:
    """The tokens of a text as parallel lists, and for each bracket the index of its partner."""

    def __init__(self, source: str, cut: Sequence[Piece], *, has_directives: bool = False) -> None:
        """Take a text and its pieces."""
        self.source = source
        self.pieces = [piece for piece in cut if piece.kind not in ("space", "comment", "prelude")]
        if has_directives:
            self.pieces = _without_directives(source, self.pieces)
        self.kinds = [piece.kind for piece in self.pieces]
        # Brackets and words within strings and unreadable stretches must not count as code.
        self.texts = ["" if kind in ("string", "error") else source[start:end] for kind, start, end in self.pieces]
        self.comments = [piece.start for piece in cut if piece.kind == "comment"]
        matched = _match(self.texts)
        self.partner = _Repair(source, self.pieces, self.texts).run() if matched is None else matched

    def __len__(self) -> int:
        return len(self.pieces)

    def after(self, index: int) -> int:
        """Return the index after the group that a bracket opens; after the token itself if it opens none."""
        return max(self.partner.get(index, index), index) + 1

    def start(self, index: int) -> int:
        """Return the offset of a token."""
        return self.pieces[index].start

    def end(self, index: int) -> int:
        """Return the offset after a token."""
        return self.pieces[index].end

    def text(self, index: int) -> str:
        """Return the text of a token, empty outside the list."""
        return self.texts[index] if 0 <= index < len(self.texts) else ""

    def is_name(self, index: int) -> bool:
        """Return whether a token is an identifier."""
        return 0 <= index < len(self.kinds) and self.kinds[index] == "name"

    def after_angles(self, index: int, last: int) -> int:
        """Return the index after the angle brackets that open at `index`; `index` itself if they do not close before `last`."""
        close = self._angles.get(index, last)
        return close + 1 if close < last else index

    @functools.cached_property
    def _angles(self) -> dict[int, int]:
        """Where each matched angle bracket closes, found in one walk: statements and groups end those still open in them."""
        closing: dict[int, int] = {}
        levels: list[tuple[int, list[int]]] = [(len(self.texts), [])]
        """For each open group, its last token and the angle brackets open in it."""
        for index, text in enumerate(self.texts):
            while levels[-1][0] < index:
                levels.pop()
            is_open = levels[-1][1]
            if text == "<":
                is_open.append(index)
            elif text in (">", ">>", ">>>"):
                for _ in range(min(len(text), len(is_open))):
                    closing[is_open.pop()] = index
            elif text in ("(", "[", "{") and self.partner.get(index, index) > index:
                levels.append((self.partner[index], []))
            elif text in (";", "}", ")", "]"):
                is_open.clear()
        return closing

    def parameters(self, group: int) -> tuple[str, ...]:
        """Return the texts between the commas of the bracket that opens at `group`, white space normalised."""
        close = self.partner.get(group, group)
        parameters: list[list[Piece]] = [[]]
        index = group + 1
        while index < close:
            text = self.texts[index]
            following = self.after(index) if text in ("(", "[", "{") else index + 1
            if text == "<" and self.is_name(index - 1):
                following = max(self.after_angles(index, close), following)
            if text == ",":
                parameters.append([])
            else:
                parameters[-1].extend(self.pieces[index : min(following, close)])
            index = following
        return tuple(joined(self.source, parameter) for parameter in parameters if parameter)


def _without_directives(source: str, pieces: list[Piece]) -> list[Piece]:
    """Drop directives, dead code (`#if 0`), and later branches of conditionals that only make sense separately."""
    frames: list[list[list[Piece]]] = [[[]]]
    is_dead: list[bool] = []
    index = 0
    while index < len(pieces):
        if pieces[index].kind != "directive":
            frames[-1][-1].append(pieces[index])
            index += 1
            continue
        words: list[str] = []
        while index < len(pieces) and pieces[index].kind != "newline":
            words.append(source[pieces[index].start : pieces[index].end])
            index += 1
        index += 1
        name = words[1] if len(words) > 1 else ""
        if name in ("if", "ifdef", "ifndef"):
            frames.append([[]])
            is_dead.append(words[1:] == ["if", "0"])
        elif name in ("elif", "else", "elifdef", "elifndef") and is_dead:
            frames[-1] = [] if is_dead[-1] else frames[-1]
            is_dead[-1] = False
            frames[-1].append([])
        elif name == "endif" and is_dead:
            branches = [] if is_dead.pop() else frames[-1]
            frames.pop()
            frames[-1][-1].extend(_kept(source, branches, _following(source, pieces, index)))
    return [piece for frame in frames for branch in frame for piece in branch]


def _following(source: str, pieces: list[Piece], index: int) -> str:
    """Return the text of the first token after `index` that is not part of a directive."""
    while index < len(pieces) and pieces[index].kind == "directive":
        while index < len(pieces) and pieces[index].kind != "newline":
            index += 1
        index += 1
    return source[pieces[index].start : pieces[index].end] if index < len(pieces) else ""


def _kept(source: str, branches: list[list[Piece]], following: str) -> list[Piece]:
    is_open = any(_is_unbalanced(source, branch) for branch in branches)
    # Two signatures for one body: `#ifdef A / int f(int x) / #else / int f(void) / #endif / {`.
    is_header = following == "{" and any(
        source[branch[-1].start : branch[-1].end] not in (";", "}") for branch in branches if branch
    )
    chosen = branches[:1] if is_open or is_header else branches
    return [piece for branch in chosen for piece in branch]


def _is_unbalanced(source: str, branch: list[Piece]) -> bool:
    texts = [source[start:end] for kind, start, end in branch if kind == "operator"]
    return any(texts.count(opening) != texts.count(closing) for closing, opening in _CLOSING.items())


def _match(texts: list[str]) -> dict[int, int] | None:
    """Pair the brackets; None if the braces do not pair up."""
    partner: dict[int, int] = {}
    stack: list[int] = []
    for index, text in enumerate(texts):
        if text in ("(", "[", "{"):
            stack.append(index)
        elif text in (")", "]", "}"):
            if text == "}":
                while stack and texts[stack[-1]] != "{":
                    stack.pop()
                if not stack:
                    return None
            if stack and texts[stack[-1]] == _CLOSING[text]:
                partner[stack[-1]] = index
                partner[index] = stack.pop()
    return None if any(texts[index] == "{" for index in stack) else partner


class _Repair:
    """Pairs the brackets of a text whose braces are broken: indentation tells which one is missing or extra."""

    def __init__(self, source: str, pieces: list[Piece], texts: list[str]) -> None:
        self.source = source
        self.pieces = pieces
        self.texts = texts
        self.partner: dict[int, int] = {}
        self.stack: list[int] = []
        self.columns: dict[int, int] = {}
        """Indentation of the statement that each open brace belongs to."""
        self.header = 0
        """First token of the current statement."""

    def run(self) -> dict[int, int]:
        for index, text in enumerate(self.texts):
            if text in ("(", "["):
                self.stack.append(index)
            elif text in (")", "]"):
                if self.stack and self.texts[self.stack[-1]] == _CLOSING[text]:
                    self._pair(index)
            elif text == "{":
                self._open(index)
            elif text == "}":
                self._close(index)
            if text in (";", "{", "}"):
                self.header = index + 1
        while self.stack:
            self._end(len(self.texts) - 1)
        return self.partner

    def _pair(self, index: int) -> None:
        opening = self.stack.pop()
        self.partner[opening] = index
        self.partner[index] = opening

    def _end(self, last: int) -> None:
        """End the innermost group, which lacks a closing bracket, with token `last`."""
        opening = self.stack.pop()
        if self.texts[opening] == "{":
            self.partner[opening] = max(last, opening)

    def _open(self, index: int) -> None:
        column = _column(self.source, self.pieces, self.header)
        words = set(self.texts[self.header : index])
        while self.stack and self.stack[-1] < self.header and not words & {"else", "catch", "finally"}:
            above = self.stack[-1]
            if self.texts[above] != "{":
                # A round bracket left open must not hide a block that starts further left.
                if _column(self.source, self.pieces, above) < column:
                    break
            elif self.columns[above] < column or (self.columns[above] == column and self._is_loose(words, above)):
                break
            self._end(self.header - 1)
        self.columns[index] = column
        self.stack.append(index)

    def _is_loose(self, words: set[str], above: int) -> bool:
        return bool(_LOOSE & (words | set(_header_words(self.texts, above))))

    def _close(self, index: int) -> None:
        while self.stack and self.texts[self.stack[-1]] != "{":
            self.stack.pop()
        start = _line_start(self.source, self.pieces[index].start)
        column = self.pieces[index].start - start
        is_first = not self.source[start : self.pieces[index].start].strip()
        if is_first and any(self.columns.get(opening) == column for opening in self.stack):
            while self.columns.get(self.stack[-1]) != column:
                self._end(index - 1)
        elif is_first and self.stack and column > self.columns[self.stack[-1]]:
            return  # one too many
        if self.stack:
            self._pair(index)


def _header_words(texts: list[str], opening: int) -> list[str]:
    index = opening
    while index > 0 and texts[index - 1] not in (";", "{", "}") and opening - index < 40:
        index -= 1
    return texts[index:opening]


def _line_start(source: str, offset: int) -> int:
    return max(source.rfind("\n", 0, offset), source.rfind("\r", 0, offset)) + 1


def _column(source: str, pieces: list[Piece], index: int) -> int:
    """Return the indentation of the line that a token is on."""
    start = _line_start(source, pieces[min(index, len(pieces) - 1)].start)
    line = source[start : start + 200]
    return len(line) - len(line.lstrip(" \t"))
