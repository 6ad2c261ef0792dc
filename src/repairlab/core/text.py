"""Positions in source text and edits of it. Offsets count characters of the decoded text, line endings as they are in the file."""

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


@record
class Lines:
    """Lines `first` to `last` of a file, 1-based and both included; `last == first - 1` marks the gap before line `first`."""

    path: str
    first: int
    last: int


def newline_of(text: str) -> str:
    r"""Return the line ending that a text uses most: CRLF, CR or LF.

    >>> newline_of("a\r\nb\r\n")
    '\r\n'
    """
    crlf = text.count("\r\n")
    counts = {"\n": text.count("\n") - crlf, "\r\n": crlf, "\r": text.count("\r") - crlf}
    return max(counts, key=lambda ending: counts[ending])


def replace_span(text: str, span: Span, new: str) -> str:
    r"""Replace a span, giving the new text the line endings of the old.

    >>> replace_span("a\r\nb\r\n", Span(start=3, end=4), "x\ny")
    'a\r\nx\r\ny\r\n'
    """
    if span.end > len(text):
        raise UserError(f"span {span.start}..{span.end} lies outside the file, which has {len(text)} characters")
    ending = newline_of(text)
    if ending != "\n":
        new = new.replace("\r\n", "\n").replace("\r", "\n").replace("\n", ending)
    return text[: span.start] + new + text[span.end :]


def line_starts(text: str) -> list[int]:
    """Return the offset of each line's first character; lines end at LF, CRLF or lone CR."""
    starts = [0]
    for index, char in enumerate(text):
        if char == "\n" or (char == "\r" and text[index + 1 : index + 2] != "\n"):
            starts.append(index + 1)
    return starts


def line_span(text: str, first: int, last: int) -> Span:
    """Return the span of lines `first` to `last` (1-based, both included, line endings included)."""
    starts = line_starts(text)
    if not 1 <= first <= len(starts) or last < first - 1 or last > len(starts):
        raise UserError(f"lines {first}-{last} lie outside the file, which has {len(starts)} lines")
    end = starts[last] if last < len(starts) else len(text)
    return Span(start=starts[first - 1], end=max(end, starts[first - 1]) if last >= first else starts[first - 1])


def line_of(text: str, offset: int) -> int:
    """Return the 1-based number of the line that holds the character at `offset`."""
    before = text[:offset].replace("\r\n", "\n")
    return before.count("\n") + before.count("\r") + 1
