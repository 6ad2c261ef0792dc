"""A published table as a file (`experiments/*.toml`): what to compute, and what the paper prints, compared cell by cell."""

import dataclasses
import functools
import math
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any, Literal

from repairlab.core.errors import UserError
from repairlab.core.record import record
from repairlab.core.storage.checking import checked, read_toml
from repairlab.core.table import Cell, Table
from repairlab.formats.table import recognise_results, result_format
from repairlab.metrics.published import DatasetStatistics, FixCriterion, PublishedResults, RankOrder, choose
from repairlab.metrics.ranked_results import RankedResults, ranked
from repairlab.study.analyses import AnalysisInputs, analyse

KIND = "published-table"


@record
class AsPrinted:
    """Another way of counting that gives what the paper prints."""

    order: RankOrder | None = None
    row: str | None = None
    """The row of the same analysis that has the printed value."""


@record
class Erratum:
    """Printed cells that the data contradict, and why."""

    row: str
    columns: tuple[str, ...]
    reason: str
    correct: tuple[int | float | str, ...]
    """The printed cells."""
    as_printed: AsPrinted | None = None


@record
class TablePart:
    """Cells that one analysis reproduces."""

    analysis: str
    columns: tuple[str, ...]
    rows: dict[str, tuple[int | float | str, ...]]
    """Printed values; an empty text is an unreadable cell."""
    order: RankOrder = "number"
    digits: int = 0
    """Digits after the decimal point in the paper."""
    rounding: Literal["nearest", "floor"] = "nearest"
    errata: tuple[Erratum, ...] = ()


@record
class PublishedTable:
    """One table of a paper."""

    kind: Literal["published-table"]
    title: str
    source: str
    """Where it is printed."""
    format: str
    files: tuple[str, ...]
    """Relative to the data folder."""
    part: tuple[TablePart, ...]
    against: str | None = None
    """PublishedResults of other tools, relative to the data folder."""
    systems: tuple[str, ...] = ()
    names: dict[str, str] = dataclasses.field(default_factory=dict)
    """New names for systems of the data."""
    count: FixCriterion | None = None
    counts: dict[str, dict[str, int]] = dataclasses.field(default_factory=dict)
    """Fixes by type and system as another table prints them, for rates and the best system per type."""
    sizes: dict[str, int] = dataclasses.field(default_factory=dict)
    """Bugs of each of these types."""
    notes: tuple[str, ...] = ()


def read_table(path: Path) -> PublishedTable:
    """Read the file of a published table."""
    return _checked(_data(path), path)


def read_tables(path: Path) -> dict[Path, PublishedTable]:
    """Read one file, or every file of a folder that holds a published table."""
    if not path.is_dir():
        return {path: read_table(path)}
    found = {file: data for file in sorted(path.glob("*.toml")) if (data := _data(file)).get("kind") == KIND}
    if not found:
        raise UserError(f'{path} has no file with a published table (kind = "{KIND}")')
    return {file: _checked(data, file) for file, data in found.items()}


def _data(path: Path) -> dict[str, Any]:
    return read_toml(path, "the table")[0]


def _checked(data: dict[str, Any], path: Path) -> PublishedTable:
    table = checked(PublishedTable, data, str(path), toml=path.read_text(encoding="utf-8"))
    for number, part in enumerate(table.part):
        _check_part(part, f"{path}: part.{number}")
    return table


def _check_part(part: TablePart, where: str) -> None:
    for row, cells in part.rows.items():
        if len(cells) != len(part.columns):
            raise UserError(f"{where}.rows.{row}: {len(cells)} cells for {len(part.columns)} columns")
    for number, erratum in enumerate(part.errata):
        if erratum.row not in part.rows or not set(erratum.columns) <= set(part.columns):
            raise UserError(f"{where}.errata.{number}: it names a row or column that the part does not have")
        if len(erratum.correct) != len(erratum.columns):
            raise UserError(f"{where}.errata.{number}: {len(erratum.correct)} correct cells for {len(erratum.columns)} columns")


Status = Literal["equal", "erratum", "unreadable", "differs"]


@record
class Compared:
    """One cell."""

    analysis: str
    row: str
    column: str
    ours: Cell
    published: Cell
    difference: str
    """Ours minus published; empty when equal."""
    status: Status
    as_printed: Cell = None
    """The result of the way of counting that an erratum names; equal to the published value if the erratum holds."""
    reason: str = ""
    """Why the cell may differ, for an erratum."""


@record
class TableComparison:
    """One published table and what its data give."""

    title: str
    source: str
    cells: tuple[Compared, ...]
    notes: tuple[str, ...]

    def n(self, status: Status) -> int:
        """Return how many cells have this status."""
        return sum(cell.status == status for cell in self.cells)


def compare_table(table: PublishedTable, data: Path) -> TableComparison:
    """Compute every cell of a published table from the data folder."""
    tables = _grids(table, data)
    cells = tuple(cell for part in table.part for cell in _compare_part(part, tables))
    return TableComparison(title=table.title, source=table.source, cells=cells, notes=table.notes)


def _grids(table: PublishedTable, data: Path) -> Callable[[str, RankOrder], Table]:
    """Return how to get the table of an analysis under an order of ranks."""
    found = result_format(table.format).read_results([_existing(data, name) for name in table.files])
    if isinstance(found, DatasetStatistics):
        tables = {table.name: table for table in found.tables}
        return lambda analysis, order: _named(tables, analysis)  # noqa: ARG005
    chosen = choose(found, table.systems, table.names)
    inputs = AnalysisInputs(against=_against(table, data), counts=table.counts or None, sizes=table.sizes)
    return functools.cache(lambda analysis, order: analyse(analysis, ranked(chosen, count=table.count, order=order), inputs))


def _named(tables: dict[str, Table], name: str) -> Table:
    if name not in tables:
        raise UserError(f"the data have no analysis {name!r}, but {', '.join(tables)}")
    return tables[name]


def _existing(data: Path, name: str) -> Path:
    path = data / name
    if not path.exists():
        raise UserError(f"{path} is missing; --data should name the folder that has {name}")
    return path


def _against(table: PublishedTable, data: Path) -> RankedResults | None:
    if table.against is None:
        return None
    path = _existing(data, table.against)
    found = result_format(recognise_results(path)).read_results([path])
    if not isinstance(found, PublishedResults):
        raise UserError(f"{path} has no verdicts to compare with")
    return ranked(found)


def _compare_part(part: TablePart, tables: Callable[[str, RankOrder], Table]) -> Iterator[Compared]:
    table = tables(part.analysis, part.order)
    errata = {(erratum.row, column): erratum for erratum in part.errata for column in erratum.columns}
    for row, printed in part.rows.items():
        for column, published in zip(part.columns, printed, strict=True):
            ours = rounded(table.cell(row, column), part)
            erratum = errata.get((row, column))
            as_printed = _as_printed(erratum, part, column, tables) if erratum else None
            if published == "":
                status: Status = "unreadable"
            elif ours == published:
                status = "equal"
            else:
                holds = erratum and ours == _correct(erratum, column) and (not erratum.as_printed or as_printed == published)
                status = "erratum" if holds else "differs"
            yield Compared(
                analysis=part.analysis,
                row=row,
                column=column,
                ours=ours,
                published=None if published == "" else published,
                difference=difference(ours, published),
                status=status,
                as_printed=as_printed,
                reason=erratum.reason if erratum and status == "erratum" else "",
            )


def _correct(erratum: Erratum, column: str) -> Cell:
    return erratum.correct[erratum.columns.index(column)]


def _as_printed(erratum: Erratum, part: TablePart, column: str, tables: Callable[[str, RankOrder], Table]) -> Cell:
    """Return what the other way of counting gives; None if the erratum names none."""
    way = erratum.as_printed
    if way is None:
        return None
    return rounded(tables(part.analysis, way.order or part.order).cell(way.row or erratum.row, column), part)


def rounded(value: Cell, part: TablePart) -> Cell:
    """Return a value with as many digits as the paper prints."""
    if not isinstance(value, float):
        return value
    if part.rounding == "floor":
        scale = float(10**part.digits)
        value = math.floor(value * scale) / scale
    return round(value, part.digits) if part.digits else round(value)


def difference(ours: Cell, published: Cell) -> str:
    """Return ours minus published, of pairs such as 47/88 for both numbers.

    >>> difference(50.5, 50), difference("45/92", "44/92"), difference(3, 3), difference(None, 7)
    ('+0.5', '+1/+0', '', '')
    """
    if ours == published or ours is None or published in (None, ""):
        return ""
    if isinstance(ours, str) or isinstance(published, str):
        pairs = list(zip(str(ours).split("/"), str(published).split("/"), strict=False))
        return "/".join(f"{int(a) - int(b):+d}" for a, b in pairs) if all(a.isdigit() and b.isdigit() for a, b in pairs) else "≠"
    return f"{round(ours - (published or 0), 6):+g}"
