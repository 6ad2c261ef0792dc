"""Statistics of the NL2Fix dataset: how large its bugs' fixes and issues are, by project (NL2Fix, table 1)."""

import difflib
import re
from collections.abc import Sequence
from pathlib import Path
from typing import Any

from repairlab.core.errors import UserError
from repairlab.core.foreign import as_type, field
from repairlab.core.record import record
from repairlab.published.edit_distance import edit_distance
from repairlab.published.grid import Cell, Grid, Statistics

_WORD = re.compile(r"\w+|[^\w\s]+")
_KEY = re.compile(r"([A-Za-z]+)_\d+_.+_\d+_\d+")
COLUMNS = ("bugs", "single-hunk bugs", "hunks", "changed lines", "changed tokens", "title length", "description length")


@record
class Size:
    """How large one bug is."""

    hunks: int
    lines: int
    """Sum over hunks of the larger of removed and added lines."""
    tokens: int
    """Edit distance of the two texts without comments, in tokens."""
    title: int
    """Words and runs of other characters."""
    description: int


def size_of(entry: dict[str, Any], where: str) -> Size:
    """Measure one bug of the dataset."""
    before, after = (field(entry, name, str, where).splitlines() for name in ("src", "fixed_src"))
    codes = difflib.SequenceMatcher(None, before, after).get_opcodes()
    hunks = [max(b - a, d - c) for tag, a, b, c, d in codes if tag != "equal"]
    tokens = (field(entry, name, str, where).split() for name in ("src_wo_comments", "fixed_src_wo_comments"))
    return Size(
        hunks=len(hunks),
        lines=sum(hunks),
        tokens=edit_distance(*tokens),
        title=len(_WORD.findall(field(entry, "summary", str, where))),
        description=len(_WORD.findall("" if entry.get("Description", "") is None else field(entry, "Description", str, where))),
    )


def statistics(dataset: dict[str, Any], path: Path) -> Statistics:
    """Return the statistics of a dataset."""
    projects: dict[str, list[Size]] = {}
    for key, entry in dataset.items():
        where = f"{path}, entry {key!r}"
        found = _KEY.fullmatch(key)
        if not found:
            raise UserError(f"{where}: the key should be PROJECT_BUG_PATH_FIRST_LAST, such as Csv_4_src/A.java_10_20")
        projects.setdefault(found[1], []).append(size_of(as_type(entry, dict, where, "it"), where))
    if not projects:
        raise UserError(f"{path} has no bugs")
    rows = {name: _row(projects[name]) for name in sorted(projects)}
    rows["Overall"] = _row([size for sizes in projects.values() for size in sizes])
    title = "Bugs by project; means per bug from the third column on"
    return Statistics(grids=(Grid(name="statistics", title=title, corner="project", columns=COLUMNS, rows=rows),))


def _row(sizes: Sequence[Size]) -> tuple[Cell, ...]:
    n = len(sizes)
    return (
        n,
        sum(size.hunks == 1 for size in sizes),
        sum(size.hunks for size in sizes) / n,
        sum(size.lines for size in sizes) / n,
        sum(size.tokens for size in sizes) / n,
        sum(size.title for size in sizes) / n,
        sum(size.description for size in sizes) / n,
    )
