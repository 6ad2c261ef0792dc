"""What a fix does to a text: which tokens it adds and takes away, in how many places."""

import difflib
import re
from typing import Literal

from repairlab.core.diff import common_ends
from repairlab.core.record import record
from repairlab.core.text import split_lines

EditKind = Literal["none", "insert", "delete", "replace", "mixed"]
_WORD = re.compile(r"\w+|[^\w\s]")


@record
class EditSummary:
    """The difference of two texts."""

    kind: EditKind
    """What all changed places have in common; `mixed` when they have nothing."""
    n_hunks: int
    """Runs of changed lines; of changed tokens where both texts have one line."""
    n_deleted: int
    """Tokens."""
    n_inserted: int


def words(text: str) -> list[str]:
    """Return the words and signs of a text of any language.

    >>> words("a.size() >= 1")
    ['a', '.', 'size', '(', ')', '>', '=', '1']
    """
    return _WORD.findall(text)


def edit_of(buggy: str, fixed: str) -> EditSummary:
    """Describe what turns one text into the other.

    >>> edit_of("return a ;", "return a + b ;")
    EditSummary(kind='insert', n_hunks=1, n_deleted=0, n_inserted=2)
    """
    codes = _changes(words(buggy), words(fixed))
    kinds = {tag for tag, *_ in codes}
    kind: EditKind = "mixed"
    if not kinds:
        kind = "none"
    elif kinds == {"insert"}:
        kind = "insert"
    elif kinds == {"delete"}:
        kind = "delete"
    elif kinds == {"replace"}:
        kind = "replace"
    before, after = split_lines(buggy.strip()), split_lines(fixed.strip())
    n_hunks = len(_changes(before, after)) if max(len(before), len(after)) > 1 else len(codes)
    return EditSummary(
        kind=kind,
        n_hunks=n_hunks,
        n_deleted=sum(end - start for _, start, end, _, _ in codes),
        n_inserted=sum(end - start for _, _, _, start, end in codes),
    )


def _changes(before: list[str], after: list[str]) -> list[tuple[str, int, int, int, int]]:
    head, tail = common_ends(before, after)
    matcher = difflib.SequenceMatcher(None, before[head : len(before) - tail], after[head : len(after) - tail], autojunk=False)
    return [code for code in matcher.get_opcodes() if code[0] != "equal"]
