"""Where two texts differ, as runs of lines that belong together on both sides."""

import difflib

from repairlab.core.changed_lines import common_ends
from repairlab.core.record import record
from repairlab.core.text import split_lines


@record
class LineRun:
    """Lines that go and the lines that come in their place; numbers are 0-based, ends not included."""

    first: int
    last: int
    new_first: int
    new_last: int
    old: tuple[str, ...]
    new: tuple[str, ...]


def line_runs(before: str, after: str) -> tuple[LineRun, ...]:
    r"""Return the places where two texts differ.

    >>> [(run.old, run.new) for run in line_runs("a\nb\nc\n", "a\nx\nc\nd\n")]
    [(('b\n',), ('x\n',)), ((), ('d\n',))]
    """
    old, new = split_lines(before), split_lines(after)
    head, tail = common_ends(old, new)
    matcher = difflib.SequenceMatcher(None, old[head : len(old) - tail], new[head : len(new) - tail], autojunk=False)
    return tuple(
        LineRun(
            first=head + i1,
            last=head + i2,
            new_first=head + j1,
            new_last=head + j2,
            old=tuple(old[head + i1 : head + i2]),
            new=tuple(new[head + j1 : head + j2]),
        )
        for tag, i1, i2, j1, j2 in matcher.get_opcodes()
        if tag != "equal"
    )
