"""Where two texts differ, by lines: what the verbs of `pairs` and the representations call a change."""

from collections.abc import Sequence

from repairlab.core.record import record
from repairlab.core.text import split_lines


@record
class ChangedLines:
    """The lines from the first to the last that a fix changes, in both texts; numbers are 0-based, ends not included."""

    first: int
    last: int
    new_first: int
    new_last: int
    old: str
    new: str


def changed_lines_of(buggy: str, fixed: str) -> ChangedLines:
    r"""Return the smallest range of lines that turns one text into the other.

    >>> found = changed_lines_of("a\nb\nc\n", "a\nx\ny\nc\n")
    >>> found.first, found.last, found.new_last, found.new
    (1, 2, 3, 'x\ny\n')
    """
    before, after = split_lines(buggy), split_lines(fixed)
    head, tail = common_ends(before, after)
    last, new_last = len(before) - tail, len(after) - tail
    return ChangedLines(
        first=head, last=last, new_first=head, new_last=new_last, old="".join(before[head:last]), new="".join(after[head:new_last])
    )


def common_ends(before: Sequence[object], after: Sequence[object]) -> tuple[int, int]:
    """Return how many items both begin with, and how many of the rest they end with."""
    head = next((at for at, (one, two) in enumerate(zip(before, after, strict=False)) if one != two), min(len(before), len(after)))
    most = min(len(before), len(after)) - head
    return head, next((at for at in range(most) if before[-1 - at] != after[-1 - at]), most)
