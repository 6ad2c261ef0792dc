"""How hard a bug is: by the size of its fix, by its tests, and by how many systems solved it."""

from collections.abc import Sequence
from typing import Literal

from repairlab.core.record import record
from repairlab.study.labelling.file_change import FileChange

Difficulty = Literal["easy", "medium", "hard"]
_SMALL, _LARGE = 2, 10
"""Changed lines up to which a fix at one place is easy; beyond which it is hard."""
_MANY, _FEW = 0.5, 0.1
"""Shares of systems that solve a bug from which on it is easy; below which it is hard."""


@record
class Effort:
    """What there is to do."""

    files: int
    places: int
    lines: int
    """The larger of lines that go and lines that come, at each place; blank ones do not count."""
    trigger_tests: int
    """Tests or cases that show the bug."""


def effort(changes: Sequence[FileChange], n_trigger: int) -> Effort:
    """Return the size of a fix."""
    runs = [run for change in changes for run in change.runs]
    lines = [max(sum(bool(line.strip()) for line in side) for side in (run.old, run.new)) for run in runs]
    return Effort(files=len(changes), places=len(runs), lines=sum(lines), trigger_tests=n_trigger)


def difficulty(size: Effort, solved: tuple[int, int] | None = None) -> Difficulty:
    """Return how hard a bug is: for the systems that tried it, if some did (solved, tried); otherwise by the size of its fix.

    >>> difficulty(Effort(files=1, places=1, lines=1, trigger_tests=1))
    'easy'
    >>> difficulty(Effort(files=1, places=1, lines=1, trigger_tests=1), solved=(0, 8))
    'hard'
    """
    if solved is not None and solved[1]:
        share = solved[0] / solved[1]
        return "easy" if share >= _MANY else "hard" if share < _FEW else "medium"
    if size.files > 1 or size.lines > _LARGE:
        return "hard"
    return "easy" if size.places == 1 and size.lines <= _SMALL else "medium"
