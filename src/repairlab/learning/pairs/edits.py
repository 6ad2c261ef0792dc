"""What a fix does to a text: whether it adds or removes, and in how many places."""

import difflib
import re
from typing import Literal

from repairlab.core.record import record
from repairlab.core.text import common_ends, split_lines

EditKind = Literal["none", "insert", "delete", "replace", "mixed"]
_WORD = re.compile(r"\w+|[^\w\s]")


@record
class EditSummary:
    """The difference of two texts."""

    kind: EditKind
    """What all changed places have in common; `mixed` if nothing."""
    n_hunks: int
    """Runs of changed lines; of changed tokens where both texts have one line."""


def words(text: str) -> list[str]:
    """Return the words and signs of a text of any language.

    >>> words("a.size() >= 1")
    ['a', '.', 'size', '(', ')', '>', '=', '1']
    """
    return _WORD.findall(text)


def edit_of(buggy: str, fixed: str) -> EditSummary:
    """Describe what turns one text into the other.

    >>> edit_of("return a ;", "return a + b ;")
    EditSummary(kind='insert', n_hunks=1)
    """
    changes = _changes(words(buggy), words(fixed))
    kinds = set(changes)
    kind: EditKind = "none" if not kinds else kinds.pop() if len(kinds) == 1 else "mixed"
    before, after = split_lines(buggy.strip()), split_lines(fixed.strip())
    n_hunks = len(_changes(before, after)) if max(len(before), len(after)) > 1 else len(changes)
    return EditSummary(kind=kind, n_hunks=n_hunks)


def _changes(before: list[str], after: list[str]) -> list[Literal["insert", "delete", "replace"]]:
    """Return how each place that differs is changed."""
    head, tail = common_ends(before, after)
    matcher = difflib.SequenceMatcher(None, before[head : len(before) - tail], after[head : len(after) - tail], autojunk=False)
    return [tag for tag, *_ in matcher.get_opcodes() if tag != "equal"]
