"""Positions in source text and edits of it. Offsets count characters of the decoded text, line endings as they are in the file."""

import re
from collections.abc import Sequence

from repairlab.core.amounts import count
from repairlab.core.errors import UserError
from repairlab.core.record import record


@record
class Span:
    """Characters `start` (included) to `end` (excluded) of a text."""

    start: int
    end: int

    def __post_init__(self) -> None:
        if not 0 <= self.start <= self.end:
            raise UserError(f"span {self.start}..{self.end} is not a range: need 0 <= start <= end")

    def of(self, text: str) -> str:
        """Return the characters of `text` that this span covers."""
        return text[self.start : self.end]

    def holds(self, other: "Span") -> bool:
        """Return whether another span lies within this one."""
        return self.start <= other.start and other.end <= self.end


@record
class Lines:
    """Lines `first` to `last` of a file, 1-based and both included; `last == first - 1` marks the gap before line `first`."""

    path: str
    first: int
    last: int


def newline_of(text: str) -> str:
    r"""Return the line ending that a text uses most: CRLF or LF.

    >>> newline_of("a\r\nb\r\n")
    '\r\n'
    """
    crlf = text.count("\r\n")
    return "\r\n" if crlf > text.count("\n") - crlf else "\n"


def replace_span(text: str, span: Span, new: str) -> str:
    r"""Replace a span, giving the new text the line endings of the old.

    >>> replace_span("a\r\nb\r\n", Span(start=3, end=4), "x\ny")
    'a\r\nx\r\ny\r\n'
    """
    if span.end > len(text):
        raise UserError(f"span {span.start}..{span.end} lies outside the file, which has {len(text)} characters")
    return text[: span.start] + with_newlines(new, newline_of(text)) + text[span.end :]


def with_newlines(text: str, ending: str) -> str:
    """Return a text with the line endings of the file that it goes into; LF says nothing of those in the text."""
    return text if ending == "\n" else text.replace("\r\n", "\n").replace("\n", ending)


def split_lines(text: str) -> list[str]:
    r"""Split into lines that keep their endings; only LF ends a line, as in diffs, so that form feeds and the like do not.

    >>> split_lines("a\r\nb\x0cc")
    ['a\r\n', 'b\x0cc']
    """
    lines = text.split("\n")
    return [line + "\n" for line in lines[:-1]] + ([lines[-1]] if lines[-1] else [])


def line_span(text: str, first: int, last: int) -> Span:
    """Return the span of lines `first` to `last` (1-based, both included, with line endings); empty when `last == first - 1`."""
    lines = split_lines(text)
    if not 1 <= first <= len(lines) + 1 or not first - 1 <= last <= len(lines):
        raise UserError(f"lines {first}-{last} lie outside the file, which has {count(len(lines), 'line')}")
    start = sum(map(len, lines[: first - 1]))
    return Span(start=start, end=start + sum(map(len, lines[first - 1 : last])))


def line_of(text: str, offset: int) -> int:
    """Return the 1-based number of the line that holds the character at `offset`."""
    return text.count("\n", 0, offset) + 1


def repository_name(address: str) -> str:
    """Return owner and name of a repository, in lower case.

    >>> repository_name("https://api.github.com/repos/Apache/commons-lang"), repository_name("git@example.org:a/b.git")
    ('apache/commons-lang', 'a/b')
    >>> repository_name("curl___curl")  # a clone's folder
    'curl/curl'
    """
    parts = re.split(r"[/:]|___", address.lower().strip().rstrip("/").removesuffix(".git"))
    return "/".join(part for part in parts[-2:] if part)


def common_ends(old: Sequence[object], new: Sequence[object]) -> tuple[int, int]:
    """Return how many lines, characters or other items two sequences share at the start, and how many of the rest at the end.

    >>> common_ends("a = b + c", "a = b - b + c"), common_ends("aa", "a")
    ((6, 3), (1, 0))
    """
    shortest = min(len(old), len(new))
    before = next((place for place in range(shortest) if old[place] != new[place]), shortest)
    behind = next((place for place in range(shortest - before) if old[-1 - place] != new[-1 - place]), shortest - before)
    return before, behind


def without_outer_blanks(lines: list[str]) -> list[str]:
    """Return lines without blank ones at both ends."""
    said = [number for number, line in enumerate(lines) if line.strip()]
    return lines[said[0] : said[-1] + 1] if said else []
