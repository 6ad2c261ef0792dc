"""Find lines in a file despite different white space, and replace them."""

from collections.abc import Callable, Sequence
from typing import NamedTuple

from repairlab.core.candidate import Edit
from repairlab.core.problem import Problem
from repairlab.core.text import Lines, Span, common_ends, line_of, line_span
from repairlab.repairers.llm.answers.target import indentation

Key = Callable[[str], str]
_EXACT: Key = str
KEYS: tuple[Key, ...] = (_EXACT, str.rstrip, str.strip, lambda line: "".join(line.split()))
"""How lines are compared: as they are, without blanks at the end, at both ends, without any."""


class LineMatch(NamedTuple):
    """Where lines were found: index of the first, and by which comparison."""

    first: int
    key: Key


class EditedText:
    """The text of one file while an answer changes it."""

    def __init__(self, problem: Problem, path: str, source: str) -> None:
        self.path = path
        self.source = source
        self.lines = source.replace("\r\n", "\n").split("\n")
        self.original = tuple(self.lines)
        self.problem = problem

    @property
    def wanted(self) -> range:
        """Return the indices of the target's lines, as far as earlier changes have not moved them."""
        if self.path != self.problem.path:
            return range(len(self.lines))
        span = self.problem.target.span
        grown = len(self.lines) - len(self.original)
        return range(line_of(self.source, span.start) - 1, line_of(self.source, span.end) + max(0, grown))

    @property
    def target_lead(self) -> str:
        """Return the text before the target in its first line, unless it is white space."""
        start = self.problem.target.span.start
        lead = self.source[self.source.rfind("\n", 0, start) + 1 : start] if self.path == self.problem.path else ""
        return lead if lead.strip() else ""

    def edit(self) -> Edit:
        """Return the whole change as one edit of the lines that differ."""
        old, new = list(self.original), self.lines
        start, end = common_ends(old, new)
        if start == len(old) == len(new):
            return unchanged(self.problem)
        if not self.source:
            return Edit(path=self.path, text="\n".join(new))
        if end == 0:
            # The last line has no line ending: all from the first change to the end of the file is replaced.
            starts = [0, *(at + 1 for at, char in enumerate(self.source) if char == "\n")]
            at = starts[start] if start < len(old) else len(self.source)
            text = ("" if start < len(old) else "\n") + "\n".join(new[start:])
            if start == len(new) < len(old):
                at, text = len(self.source[:at].removesuffix("\n").removesuffix("\r")), ""
            return Edit(path=self.path, text=text, span=Span(start=at, end=len(self.source)))
        span = line_span(self.source, start + 1, len(old) - end)
        return Edit(path=self.path, text="".join(f"{line}\n" for line in new[start : len(new) - end]), span=span)


def unchanged(problem: Problem) -> Edit:
    """Return the edit that leaves the target as it is."""
    return Edit(path=problem.path, text=problem.target.text, span=problem.target.span)


def places(lines: Sequence[str], old: Sequence[str], keys: Sequence[Key] = KEYS) -> list[LineMatch]:
    """Return where some lines are in a file, by the strictest comparison that finds them at all."""
    if not old or len(old) > len(lines):
        return []
    for key in keys:
        sought = [key(line) for line in old]
        ours = lines if key is _EXACT else [key(line) for line in lines]
        n = len(sought)
        # The rarest line is looked up first, so that files of many equal lines cost little.
        found = [at for at in _starts(ours, sought) if list(ours[at : at + n]) == sought]
        if found:
            return [LineMatch(at, key) for at in found]
    return []


def _starts(ours: Sequence[str], sought: list[str]) -> list[int]:
    index = max(range(len(sought)), key=lambda at: len(sought[at]))
    rare = sought[index]
    last = len(ours) - len(sought)
    return [at - index for at, line in enumerate(ours) if line == rare and 0 <= at - index <= last]


def best(found: Sequence[LineMatch], wanted: range, location: tuple[Lines, ...] | None) -> LineMatch | None:
    """Return the place that is meant: the only one, or the only one in the target or at the shown lines; else None."""
    if len(found) == 1:
        return found[0]
    inside = [place for place in found if place.first in wanted]
    if len(inside) == 1:
        return inside[0]
    if location:
        shown = [place for place in inside if any(lines.first - 4 <= place.first + 1 <= lines.last + 1 for lines in location)]
        if len(shown) == 1:
            return shown[0]
    return None


def adjusted(new: Sequence[str], old: Sequence[str], ours: Sequence[str]) -> list[str]:
    """Return new lines indented by as much as the file's lines exceed the answer's quotation of them."""
    pairs = [
        (indentation(quoted), indentation(own)) for quoted, own in zip(old, ours, strict=False) if quoted.strip() and own.strip()
    ]
    moves = dict(pairs)
    if not pairs or all(quoted == own for quoted, own in pairs):
        return list(new)
    first, target = pairs[0]
    made: list[str] = []
    for line in new:
        lead = indentation(line)
        if not line.strip():
            made.append(line)
        elif lead in moves:
            made.append(moves[lead] + line[len(lead) :])
        elif lead.startswith(first):
            made.append(target + line[len(first) :])
        else:
            known = max((quoted for quoted in moves if lead.startswith(quoted)), key=len, default=None)
            made.append(line if known is None else moves[known] + line[len(known) :])
    return made
