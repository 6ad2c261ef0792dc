"""Fill the hole of an infill prompt: cut what the answer repeats of the surrounding text, and fix the indentation."""

import re
from collections.abc import Iterator

from repairlab.core.text import Span
from repairlab.repairers.llm.answers.target import Aim, indentation

_MASK = re.compile(
    r"[ \t/#*]*+(?:>{1,3}[ \t]*)?[\[<({|]*+[ \t]*+"
    r"(?:INFILL|MASK|MASKED|FILL_?ME|FILL_?HERE|FILL_?IN|FILL|HOLE|mask|fill|extra_id_\d|PRE|SUF|MID)"
    r"[ \t]*+[\])>}|]*+(?:[ \t]*<{1,3})?[ \t*/]*$"
)
_MAX_SHARED = 200
_LONGEST = 4000
"""Texts longer than this and four times the function are not checked for errors: parsing endless repetitions takes too long."""


class Hole:
    """A hole in the source file and the lines around it."""

    def __init__(self, aim: Aim, span: Span) -> None:
        self.aim = aim
        self.text = span.of(aim.source).replace("\r\n", "\n")
        before = aim.source[: span.start].replace("\r\n", "\n").split("\n")
        after = aim.source[span.end :].replace("\r\n", "\n").split("\n")
        self.lead = before[-1]
        """The text before the hole on its line."""
        of_lines = self.text.endswith("\n") or not (self.text or self.lead)  # an empty one at the start of a line, too
        self.rest = "" if of_lines else after[0]
        self.before = [line for line in before[:-1] if line.strip()][-_MAX_SHARED:]
        self.after = [line for line in (after if of_lines else after[1:]) if line.strip()][:_MAX_SHARED]
        around = aim.function.span if aim.function else aim.span
        if not around.holds(span):
            around = Span(start=0, end=len(aim.source))
        self._head = aim.source[around.start : span.start].replace("\r\n", "\n")
        self._tail = aim.source[span.end : around.end].replace("\r\n", "\n")
        self.is_inside = aim.function is not None and around == aim.function.span

    @property
    def is_inline(self) -> bool:
        """Return whether other code is on the line of the hole."""
        return bool(self.lead.strip()) or bool(self.rest.strip())

    def has_rest(self, answer: str) -> bool:
        """Return whether an answer has most of the function's lines after the hole, so that it may be the whole function."""
        rest = [_bare(line) for line in self._tail.split("\n") if len(line.strip()) > 1]
        given = {_bare(line) for line in answer.split("\n")}
        return sum(line in given for line in rest) * 2 >= len(rest)

    def expected(self) -> str:
        """Return the indentation that the first line of the answer should have."""
        if self.lead:
            return indentation(self.lead)
        own = next((line for line in self.text.split("\n") if line.strip()), None)
        if own is not None:
            return indentation(own)
        previous = self.before[-1] if self.before else ""
        following = self.after[0] if self.after else ""
        if previous.rstrip().endswith((":", "{")) or len(indentation(following)) > len(indentation(previous)):
            inner = indentation(following)
            return inner if len(inner) > len(indentation(previous)) else indentation(previous) + "    "
        return indentation(previous)

    def fill(self, answer: str) -> str:
        """Return the text for the hole: the first way to cut and lay out the answer without a syntax error."""
        lines = [line for line in answer.strip("\n").split("\n") if not _MASK.match(line[:200])]
        if self.is_inline and len(lines) <= 1:
            return self._inline("".join(lines))
        first: str | None = None
        for part in self._cuts(lines):
            for text in self._layouts(part):
                if self.is_sound(text):
                    return text
                first = text if first is None else first
        return first or ""

    def _inline(self, line: str) -> str:
        """Return a part of a line, without the text around the hole on that line."""
        bare, lead, rest = line.strip(), self.lead.strip(), self.rest.strip()
        if lead and bare.startswith(lead):
            bare = bare[len(lead) :].lstrip()
        if rest and bare.endswith(rest) and (len(rest) > 1 or not self.is_sound(bare)):
            bare = bare[: len(bare) - len(rest)].rstrip()
        blank = self.text[len(self.text.rstrip()) :]
        return self.text[: len(self.text) - len(self.text.lstrip())] + bare + blank if self.text.strip() else bare

    def _cuts(self, lines: list[str]) -> Iterator[list[str]]:
        """Yield the answer without the lines it shares with the text around the hole; then with less cut off."""
        filled = [index for index, line in enumerate(lines) if line.strip()]
        bare = ["".join(lines[index].split()) for index in filled]
        above = _n_shared([*map(_bare, self.before)][::-1], bare)
        below = _n_shared([*map(_bare, self.after)], bare[::-1])
        cuts = [(above, below), (above, 0), (0, below), (0, 0)]
        if all(len(line) <= 2 for line in bare[:above] + bare[len(bare) - below :]):
            # A single brace more likely belongs to the answer.
            cuts.reverse()
        for top, bottom in dict.fromkeys(cuts):
            if top + bottom < len(filled) or not top + bottom:
                kept = filled[top : len(filled) - bottom]
                yield lines[kept[0] : kept[-1] + 1] if kept else []

    def _layouts(self, lines: list[str]) -> Iterator[str]:
        if not lines:
            yield ""
            return
        wanted = self.expected()
        own = indentation(lines[0])
        rest = [len(indentation(line)) for line in lines[1:] if line.strip()]
        moved = [wanted + line[len(own) :] if line.startswith(own) and line.strip() else line for line in lines]
        only_first = [wanted + lines[0].lstrip(), *lines[1:]]
        is_open = lines[0].rstrip().endswith((":", "{"))
        if own == wanted:
            ways = [lines]
        elif not own and rest and (min(rest) > len(wanted) or (min(rest) == len(wanted) and not is_open)):
            ways = [only_first, moved]
        elif not own:
            ways = [moved, only_first]
        else:
            ways = [lines, moved] if self.aim.is_python else [moved]
        for way in ways:
            yield self._joined(way)

    def _joined(self, lines: list[str]) -> str:
        text = "\n".join(lines)
        if self.lead:
            text = text.lstrip(" \t")
        is_whole = self.text.endswith("\n") or (not self.text and not self.lead)
        return text + "\n" if is_whole else text

    def is_sound(self, text: str) -> bool:
        """Return whether the function has no syntax error with this text in the hole."""
        code = self._head + text + self._tail
        if len(text) > _LONGEST + 4 * len(self._head + self._tail):
            return False
        if self.aim.depth(code) not in (0, self.aim.depth(self._head + self.text + self._tail)):
            return False
        return not self.aim.has_errors(code) and not self.aim.is_misindented(code)


def _bare(line: str) -> str:
    return "".join(line.split())


def _n_shared(around: list[str], answer: list[str]) -> int:
    """Return how many lines at the start of an answer are the nearest lines around the hole (listed from the hole outwards)."""
    for count in range(min(len(around), len(answer)), 0, -1):
        if answer[:count] == around[:count][::-1]:
            return count
    return 0
