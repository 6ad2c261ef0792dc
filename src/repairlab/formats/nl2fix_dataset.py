"""How large the fixes and issues of bugs are, by project (NL2Fix, table 1): of the NL2Fix dataset, and of any bugs for `tables`."""

import difflib
import re
from collections.abc import Callable, Mapping, Sequence
from pathlib import Path
from typing import Any, NamedTuple

from repairlab.core.errors import UserError
from repairlab.core.foreign import as_type, field
from repairlab.core.record import record
from repairlab.core.table import Cell, Table, named_rows
from repairlab.formats.reading import located
from repairlab.metrics.published import DatasetStatistics

_WORD = re.compile(r"\w+|[^\w\s]+")
_KEY = re.compile(r"([A-Za-z]+)_(\d+)_.+_\d+_\d+")  # the path between may itself have underscores
HEAD = ("project", "bugs", "single-hunk bugs", "hunks", "changed lines", "changed tokens", "title length", "description length")


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


class Versions(NamedTuple):
    """The same code before and after a fix."""

    buggy: str
    fixed: str


def measured(code: Versions, tokens: Callable[[str], Sequence[str]], *, title: str, description: str) -> Size:
    r"""Measure a bug.

    >>> code = Versions("a = 1\nb = 2\nc = 3", "a = 0\nb = 2\nc = 0\nd = 4")
    >>> measured(code, str.split, title="It's wrong", description="")
    Size(hunks=2, lines=3, tokens=5, title=4, description=0)
    """
    from rapidfuzz.distance import Levenshtein  # noqa: PLC0415  # 42 modules: whoever asks what format a file has needs none of them

    matched = difflib.SequenceMatcher(None, code.buggy.splitlines(), code.fixed.splitlines())
    hunks = [max(b - a, d - c) for tag, a, b, c, d in matched.get_opcodes() if tag != "equal"]
    return Size(
        hunks=len(hunks),
        lines=sum(hunks),
        tokens=Levenshtein.distance(tokens(code.buggy), tokens(code.fixed)),
        title=len(_WORD.findall(title)),
        description=len(_WORD.findall(description)),
    )


def size_of(entry: dict[str, Any], where: str) -> Size:
    """Measure one bug of the dataset, which has the tokens of each text beside it."""
    before, after, *tokens = (
        field(entry, name, str, where) for name in ("src", "fixed_src", "src_wo_comments", "fixed_src_wo_comments")
    )
    known = dict(zip((before, after), tokens, strict=True))
    return measured(
        Versions(before, after),
        lambda text: known[text].split(),
        title=field(entry, "summary", str, where),
        description="" if entry.get("Description", "") is None else field(entry, "Description", str, where),
    )


def is_dataset(value: Any) -> bool:
    """Return whether the first value of a file is that of the dataset."""
    return isinstance(value, dict) and "src" in value and "fixed_src" in value


def project_and_number(key: str) -> tuple[str, str]:
    """Return project and number of the bug that a method's key names."""
    found = _KEY.fullmatch(key)
    if not found:
        raise UserError("the key should be PROJECT_BUG_PATH_FIRST_LAST, such as Csv_4_src/A.java_10_20")
    return found[1], found[2]


def statistics(dataset: dict[str, Any], path: Path) -> DatasetStatistics:
    """Return the statistics of a dataset."""
    projects: dict[str, list[Size]] = {}
    for key, entry in dataset.items():
        where = f"{path}, entry {key!r}"
        with located(where):
            project, _ = project_and_number(key)
        projects.setdefault(project, []).append(size_of(as_type(entry, dict, where), where))
    if not projects:
        raise UserError(f"{path} has no bugs")
    title = "Bugs by project; means per bug from the third column on"
    return DatasetStatistics(tables=(Table(name="statistics", title=title, columns=HEAD, rows=rows_by_project(projects)),))


def rows_by_project(projects: Mapping[str, Sequence[Size]]) -> tuple[tuple[Cell, ...], ...]:
    """Return a row for each project, and one for all bugs."""
    rows = {name: _row(projects[name]) for name in sorted(projects)}
    return named_rows({**rows, "Overall": _row([size for sizes in projects.values() for size in sizes])})


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
