"""How far a fix extends: a line, a hunk or a function; beside it, what Defects4C would say."""

from collections.abc import Sequence
from typing import Literal

from repairlab.core.diff import Hunk, parse_patch, unified_diff
from repairlab.languages.fix_extent import location_of
from repairlab.study.labelling.file_change import FileChange

Extent = Literal["line", "hunk", "function"]
Counting = Literal["first", "later"]
_APART = 7
"""Unchanged lines between two changes from which on git puts them into two hunks."""


def location(changes: Sequence[FileChange]) -> str | None:
    """Return the label of a fix of one file: one line at most before and after, one run of lines, or one function; none: more."""
    if len(changes) != 1:
        return None
    return location_of(changes[0].language, changes[0].before, changes[0].after)


def location_by_defects4c(changes: Sequence[FileChange]) -> dict[Counting, Extent]:
    """Return what Defects4C's scripts would say of the first file, by both of their ways to count."""
    if not changes:
        return {}
    first = changes[0]
    hunks = parse_patch(unified_diff(first.path, first.before, first.after))[0].hunks
    return {"first": extent_of_hunks(hunks, "first"), "later": extent_of_hunks(hunks, "later")}


def extent_of_hunks(hunks: Sequence[Hunk], counting: Counting) -> Extent:
    """Return the extent as the published records of Defects4C have it: by lines that are removed, never by those that are added.

    The records were made in two ways. In the first (87 records, those without `patch_md5`) a line is one removed line, however
    many come in its place; in the later one (272) it is none: a fix that only adds. A hunk is whatever is one hunk of a diff,
    a function all else.
    """
    if sum(line[0] == "-" for hunk in hunks for line in hunk.lines) == (1 if counting == "first" else 0):
        return "line"
    return "hunk" if sum(map(_n_parts, hunks)) == 1 else "function"


def _n_parts(hunk: Hunk) -> int:
    """Return how many hunks git would make of one: some tools join those that are seven lines apart."""
    marks = "".join(line[0] for line in hunk.lines).strip()
    return len([part for part in marks.split(" " * _APART) if part.strip()])
