"""The lexer of Python: cuts any text into pieces, with line ends and changes of depth, and never fails.

The standard library's `tokenize` gives up on broken text; candidates and fragments are often broken.
"""

import keyword
import re

from repairlab.languages.syntax import SPLICE, Piece

_KEYWORDS = frozenset(keyword.kwlist)
_DIGITS = r"[0-9](?:_?[0-9])*"
_NUMBER = (
    r"0[xX](?:_?[0-9a-fA-F])+|0[bB](?:_?[01])+|0[oO](?:_?[0-7])+"
    rf"|(?:{_DIGITS}(?:\.(?:{_DIGITS})?)?|\.{_DIGITS})(?:[eE][+-]?{_DIGITS})?[jJ]?"
)
_OPERATORS = "**= //= >>= <<= ... ** // >> << <= >= == != -> := += -= *= /= %= &= |= ^= @="
_PREFIX = r"(?:[rR][bBfFtT]?|[bBfFtT][rR]?|[uU])?"
_PATTERN = re.compile(
    r"(?P<newline>\r\n?|\n)|(?P<comment>\#[^\r\n]*)"
    rf"|(?P<space>(?:[ \t\f]|{SPLICE})+)"
    rf"|(?P<string>{_PREFIX}(?:\"\"\"|'''|\"|'))"
    rf"|(?P<word>[^\W0-9]\w*)|(?P<number>{_NUMBER})"
    rf"|(?P<operator>{'|'.join(re.escape(word) for word in _OPERATORS.split())}|[-+*/%@&|^~<>()\[\]{{}},:.;=])"
    r"|(?P<error>[\s\S])"
)
_REST_OF_STRING = {
    '"': re.compile(r'(?>(?:[^"\\\r\n]++|\\(?:\r\n|[\s\S]))*)"'),
    "'": re.compile(r"(?>(?:[^'\\\r\n]++|\\(?:\r\n|[\s\S]))*)'"),
    '"""': re.compile(r'(?>(?:[^"\\]++|\\[\s\S]|"(?!""))*)"""'),
    "'''": re.compile(r"(?>(?:[^'\\]++|\\[\s\S]|'(?!''))*)'''"),
}
_REST_OF_LINE = re.compile(r"(?>(?:[^\r\n\\]++|\\(?:\r\n|[\s\S])|\\)*)")
_BLANK = re.compile(r"[ \t\f]*+")
_JOINED_BLANK = re.compile(rf"(?>(?:[ \t\f]|{SPLICE})*)")
_NEWLINE = re.compile(r"\r\n?|\n")
# These words never stand within brackets: a line that starts with one shows that a bracket was left open.
_STATEMENT = re.compile(
    r"(?:(?:async[ \t]+)?def|class|return|import|while|try|raise|with|assert|del|pass|break|continue|global|nonlocal"
    r"|elif|except|finally)\b"
)
_LINES_WITHOUT_CODE = re.compile(r"(?>(?:[ \t\f]*+(?:\#[^\r\n]*+)?(?:\r\n?|\n))*)[ \t\f]*+")
_REST_OF_COMMENT = re.compile(r"[^\r\n]*+")
_STRING_START = re.compile(rf"({_PREFIX})(\"\"\"|'''|\"|')")
_MAX_NESTED_STRINGS = 20
_VAIN_CHARS, _VAIN_SHARE = 100_000, 4
"""How far ends of template strings may be sought in vain: this many characters, and this many times the text's length."""


def lex(source: str) -> list[Piece]:
    """Cut the text into pieces; a `newline` ends each logical line, `indent` and `dedent` open and close blocks."""
    return _Lexer(source).run()


class _Lexer:
    """One walk through a text."""

    def __init__(self, source: str) -> None:
        self.source = source
        self.pieces: list[Piece] = []
        self.position = 0
        self.n_brackets = 0
        self.checked = 0
        """No line up to here ends a bracket left open."""
        self.columns = [(0, 0)]
        """Open blocks: their column with tabs to multiples of eight, and with tabs as one; Python wants both to agree."""
        self.patience = _VAIN_CHARS + _VAIN_SHARE * len(source)

    def run(self) -> list[Piece]:
        self._prelude()
        size = len(self.source)
        while self.position < size:
            if self._has_code_on_line():
                self._logical_line()
        for _ in self.columns[1:]:
            self._add("dedent", size)
        return self.pieces

    def _add(self, kind: str, end: int) -> None:
        self.pieces.append(Piece(kind, self.position, end))
        self.position = end

    def _prelude(self) -> None:
        match = re.match(r"\ufeff?(?:#![^\r\n]*)?", self.source)
        if match and match.end():
            self._add("prelude", match.end())

    def _has_code_on_line(self) -> bool:
        """Step over a line without code, or over the indentation of one with code."""
        end = _end(_JOINED_BLANK, self.source, self.position)
        following = self.source[end : end + 1]
        if following in ("", "\r", "\n", "#"):
            if end > self.position:
                self._add("space", end)
            if following == "#":
                self._add("comment", _end(_REST_OF_COMMENT, self.source, end))
            newline = _NEWLINE.match(self.source, self.position)
            if newline:
                self._add("space", newline.end())
            return False
        self._indentation(_end(_BLANK, self.source, self.position))
        return True

    def _indentation(self, end: int) -> None:
        column = alternative = 0
        for char in self.source[self.position : end]:
            if char == "\f":
                column = alternative = 0
            else:
                column = (column // 8 + 1) * 8 if char == "\t" else column + 1
                alternative += 1
        here = (column, alternative)
        if column > self.columns[-1][0]:
            is_consistent = alternative > self.columns[-1][1]
            self.columns.append(here)
            self._add("indent", end)
        else:
            if end > self.position:
                self._add("space", end)
            while column < self.columns[-1][0]:
                self.columns.pop()
                self._add("dedent", end)
            is_consistent = self.columns[-1] == here
            if column > self.columns[-1][0]:
                # Between two open blocks: Python refuses it; here the line belongs to a block of its own.
                self.columns.append(here)
                self._add("indent", end)
        if not is_consistent:
            self._add("error", end)

    def _is_before_statement(self, position: int) -> bool:
        if position < self.checked:
            return False
        self.checked = _end(_LINES_WITHOUT_CODE, self.source, position)
        return _STATEMENT.match(self.source, self.checked) is not None

    def _logical_line(self) -> None:
        source = self.source
        while self.position < len(source):
            match = _PATTERN.match(source, self.position)
            assert match is not None, "the pattern takes any character"
            kind = match.lastgroup or "error"
            end = match.end()
            if kind == "newline":
                is_open = self.n_brackets > 0 and not self._is_before_statement(end)
                self._add("space" if is_open else "newline", end)
                if not is_open:
                    self.n_brackets = 0
                    return
                continue
            if kind == "string":
                kind, end = _string(source, self.position, 0)
                if end < 0:
                    kind, end = self._template_without_end(~end)
            elif kind == "word":
                kind = "keyword" if match[0] in _KEYWORDS else "name"
            elif kind == "error" and match[0] == "!":
                kind, end = ("operator", end + 1) if source.startswith("!=", self.position) else (kind, end)
            elif kind == "operator":
                if match[0] in "([{":
                    self.n_brackets += 1
                elif match[0] in ")]}":
                    self.n_brackets = max(0, self.n_brackets - 1)
            self._add(kind, end)
        self._add("newline", self.position)

    def _template_without_end(self, looked: int) -> tuple[str, int]:
        """Read a template string as Python up to 3.11 does, after its end was looked for up to `looked`."""
        self.patience -= looked - self.position
        if self.patience < 0:
            return "error", len(self.source)  # no Python accepts this text, and every further search would cost all of it again
        opening = _STRING_START.match(self.source, self.position)
        assert opening is not None, "called at the start of a string"
        return _plain_string(self.source, opening)


def _end(pattern: re.Pattern[str], source: str, position: int) -> int:
    match = pattern.match(source, position)
    return match.end() if match else position


def _string(source: str, start: int, level: int) -> tuple[str, int]:
    """Return kind and end of the string that starts here; that of a template without end is negative, see `_end_of_template`."""
    opening = _STRING_START.match(source, start)
    assert opening is not None, "called at the start of a string"
    prefix, quote = opening.groups()
    if set(prefix.lower()) & {"f", "t"}:
        end = _end_of_template(source, opening.end(), quote, level)
        return "string" if end >= 0 else "error", end
    return _plain_string(source, opening)


def _plain_string(source: str, opening: re.Match[str]) -> tuple[str, int]:
    """Return kind and end of a string without fields; an open one ends with its line, an open long one with the text."""
    rest = _REST_OF_STRING[opening[2]].match(source, opening.end())
    if rest:
        return "string", rest.end()
    return "error", len(source) if len(opening[2]) == 3 else _end(_REST_OF_LINE, source, opening.end())


def _end_of_template(source: str, position: int, quote: str, level: int) -> int:
    """Return the end of an f-string or t-string, whose fields may hold strings with the same quotes (Python 3.12).

    Where there is none, the result is negative: the complement of how far was looked. So it is in the functions below.
    """
    while position < len(source):
        if source.startswith(quote, position):
            return position + len(quote)
        char = source[position]
        if char in "\r\n" and len(quote) == 1:
            return ~position
        if char == "\\" and source[position + 1 : position + 2] not in ("{", "}"):
            position += 3 if source.startswith("\r\n", position + 1) else 2
        elif source.startswith("{{", position):
            position += 2
        elif char == "{":
            position = _end_of_field(source, position + 1, quote, level)
            if position < 0:
                return position
        else:
            position += 1
    return ~position


def _end_of_field(source: str, position: int, quote: str, level: int) -> int:
    """Return the offset behind the `}` of a replacement field, which may take several lines in any string since Python 3.12."""
    n_brackets = 0
    while position < len(source):
        char = source[position]
        if n_brackets == 0 and char in ":}":
            return position + 1 if char == "}" else _end_of_format(source, position + 1, quote, level)
        if char == "#":
            while position < len(source) and source[position] not in "\r\n":
                position += 1
            continue
        if _STRING_START.match(source, position) and not re.match(r"\w", source[position - 1]):
            kind, position = _string(source, position, level + 1) if level < _MAX_NESTED_STRINGS else ("error", position)
            if kind == "error":
                return position if position < 0 else ~position
            continue
        n_brackets += (char in "([{") - (char in ")]}")
        position += 1
    return ~position


def _end_of_format(source: str, position: int, quote: str, level: int) -> int:
    """Return the offset behind the `}` that ends a format specification, which may hold fields itself."""
    while position < len(source):
        char = source[position]
        if source.startswith(quote, position) or (char in "\r\n" and len(quote) == 1) or level > _MAX_NESTED_STRINGS:
            return ~position
        if char == "}":
            return position + 1
        if char == "{":
            position = _end_of_field(source, position + 1, quote, level + 1)
            if position < 0:
                return position
        else:
            position += 1
    return ~position
