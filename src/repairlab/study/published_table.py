"""A published table as a file (`experiments/*.toml`): what to compute from which data, and what the paper prints."""

import dataclasses
from pathlib import Path
from typing import Any, Literal

from repairlab.core.errors import UserError
from repairlab.core.record import record
from repairlab.core.storage.checking import checked, read_toml
from repairlab.metrics.published import FixCriterion, RankOrder

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
    """What the cells should be."""
    as_printed: AsPrinted | None = None


@record
class TablePart:
    """Cells that one analysis reproduces."""

    analysis: str
    columns: tuple[str, ...]
    rows: dict[str, tuple[int | float | str, ...]]
    """Printed values; an empty text is a cell that cannot be read."""
    order: RankOrder = "number"
    digits: int = 0
    """Digits behind the point in the paper."""
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
    """Fixes by type and system as another table prints them, for the best system per type."""
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
