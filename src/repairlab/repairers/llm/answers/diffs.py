"""Read the diffs that models write, with wrong numbers, headers and white space, and apply them only by their lines."""

import re
from itertools import pairwise
from typing import NamedTuple

from repairlab.core.problem import Problem
from repairlab.core.text import without_outer_blanks
from repairlab.repairers.llm.answers.matching import KEYS, EditedText, LineMatch, adjusted, best, places
from repairlab.repairers.llm.answers.reading import AMBIGUOUS_DIFF, DIFF_DOES_NOT_FIT, Reading
from repairlab.repairers.llm.answers.search_replace import Drafts

_HUNK = re.compile(r"@@(?:[ \t]*-?(\d{1,9})(?:,\d{1,9})?(?:[ \t]+\+?\d{1,9}(?:,\d{1,9})?)?[ \t]*@@)?")
_HEADER = re.compile(r"(?:diff |index [0-9a-f]|new file mode|old mode|similarity |\*\*\* (?:Begin|End) Patch|Index: |={20,}$)")
_FILE = re.compile(r"\*\*\* (?:Update|Add) File: *(.+)$")
_MAX_FUZZ = 3


class LooseHunk(NamedTuple):
    """Lines with their mark, and their claimed place."""

    path: str | None
    said: int | None
    lines: list[str]

    @property
    def old(self) -> list[str]:
        """Return what must be in the file."""
        return [line[1:] for line in self.lines if line[0] != "+"]


def is_diff(text: str, info: str) -> bool:
    """Return whether a piece of an answer is a diff."""
    lines = text.split("\n")
    if any(line.startswith("@@") for line in lines) or "*** Begin Patch" in text:
        return any(line.startswith(("+", "-")) for line in lines)
    has_header = any(line.startswith("--- ") and after.startswith("+++ ") for line, after in pairwise(lines))
    return has_header or (
        info.split(" ", maxsplit=1)[0] in ("diff", "patch", "udiff") and any(line[:1] in ("+", "-") for line in lines)
    )


def hunks(text: str) -> list[LooseHunk]:
    """Return the hunks of a diff, whatever its headers look like."""
    found: list[LooseHunk] = []
    path: str | None = None
    said: int | None = None
    lines: list[str] = []
    rows = text.split("\n")
    number = 0
    while number < len(rows):
        row = rows[number]
        match = _HUNK.match(row)
        file = _FILE.match(row)
        is_header = row.startswith("--- ") and number + 1 < len(rows) and rows[number + 1].startswith("+++ ")
        if match or file or is_header or _HEADER.match(row):
            found.append(LooseHunk(path, said, lines))
            lines, said = [], int(match[1]) if match and match[1] else None
            if file:
                path = file[1].strip()
            if is_header:
                path = _path(rows[number + 1][4:]) or _path(row[4:])
                number += 1
        elif not row.startswith(("\\", "```")):
            lines.append(row if row[:1] in ("+", "-", " ") else f" {row}")
        number += 1
    found.append(LooseHunk(path, said, lines))
    return [hunk for hunk in found if any(line[0] in "+-" for line in hunk.lines)]


def _path(header: str) -> str | None:
    name = header.split("\t", maxsplit=1)[0].strip()
    return None if not name or name == "/dev/null" else name


def apply(found: list[LooseHunk], problem: Problem) -> Reading:
    """Return the edits of some hunks, applied one after another."""
    drafts = Drafts(problem)
    for hunk in found:
        removed = [line[1:] for line in hunk.lines if line[0] == "-"]
        draft = drafts.of(hunk.path, removed or hunk.old)
        reason = _apply(hunk, draft)
        if reason:
            return Reading(problem=reason)
    return drafts.reading()


def _apply(hunk: LooseHunk, draft: EditedText) -> str | None:
    is_ambiguous = False
    for lines in _fuzzed(without_outer_blanks(hunk.lines)):
        # Context lines may have lost their leading blank.
        for old_of in (_old, _old_bare):
            old = old_of(lines)
            if not any(line.strip() for line in old):
                continue
            found = places(draft.lines, old, KEYS)
            place = best(found, draft.wanted, draft.problem.location) or _nearest(found, hunk.said, draft)
            if place is not None:
                _replace(lines, old, place, draft)
                return None
            is_ambiguous = is_ambiguous or bool(found)
        if is_ambiguous:
            return AMBIGUOUS_DIFF
    added = [line[1:] for line in hunk.lines if line[0] == "+"]
    is_insertion = not any(line[0] == "-" or line.strip() for line in hunk.lines if line[0] != "+")
    if is_insertion and hunk.said is not None and hunk.said <= len(draft.lines):
        draft.lines[hunk.said : hunk.said] = added
        return None
    return DIFF_DOES_NOT_FIT


def _old(lines: list[str]) -> list[str]:
    return [line[1:] for line in lines if line[0] != "+"]


def _old_bare(lines: list[str]) -> list[str]:
    return [line[1:].strip() for line in lines if line[0] != "+"]


def _fuzzed(lines: list[str]) -> list[list[str]]:
    """Return the hunk with less and less outer context: what is next to the change matters most."""
    changed = [index for index, line in enumerate(lines) if line[0] in "+-"]
    first, last = changed[0], changed[-1] + 1
    n_outer = max(first, len(lines) - last)
    kept = [n for n in range(n_outer, -1, -1) if n_outer - n <= _MAX_FUZZ or n <= _MAX_FUZZ]
    made = [lines[max(0, first - n) : last + n] for n in kept]
    return [part for part in made if any(line[0] != "+" for line in part)]


def _nearest(found: list[LineMatch], said: int | None, draft: EditedText) -> LineMatch | None:
    """Return the place nearest to the line that the diff names, if it lies in the target or nothing there fits."""
    if said is None or not found:
        return None
    inside = [place for place in found if place.first in draft.wanted] or found
    return min(inside, key=lambda place: (abs(place.first + 1 - said), place.first))


def _replace(lines: list[str], old: list[str], place: LineMatch, draft: EditedText) -> None:
    """Replace the old lines by the new ones; context stays as the file has it."""
    ours = draft.lines[place.first : place.first + len(old)]
    kept = [line for line in lines if line[0] != "+"]
    pairs = [(line[1:], own) for line, own in zip(kept, ours, strict=True) if line[0] == "-"]
    pairs = pairs or [(line[1:], own) for line, own in zip(kept, ours, strict=True)]
    new = [line[1:] for line in lines if line[0] == "+"]
    if not all(own == f" {quoted}" for quoted, own in pairs if quoted.strip()):
        new = adjusted(new, [quoted for quoted, _ in pairs], [own for _, own in pairs])
    made: list[str] = []
    at = n_added = 0
    for line in lines:
        if line[0] == "+":
            made.append(new[n_added])
            n_added += 1
            continue
        if line[0] == " ":
            made.append(ours[at])
        at += 1
    draft.lines[place.first : place.first + len(old)] = made
