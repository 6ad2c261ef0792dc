"""A table of values with named rows and columns: what analyses show and what published tables are compared with."""

from repairlab.core.errors import unknown
from repairlab.core.record import record

Cell = int | float | str | None
"""None: there is no such value."""


@record
class Grid:
    """A table; percentages are numbers from 0 to 100."""

    name: str
    """The analysis that made it."""
    title: str
    corner: str
    """What the rows are."""
    columns: tuple[str, ...]
    rows: dict[str, tuple[Cell, ...]]

    def cell(self, row: str, column: str) -> Cell:
        """Return one value."""
        if row not in self.rows:
            raise unknown(f"row of {self.name}", row, self.rows)
        if column not in self.columns:
            raise unknown(f"column of {self.name}", column, self.columns)
        return self.rows[row][self.columns.index(column)]


@record
class Statistics:
    """What a source without verdicts tells: tables of counts and means."""

    grids: tuple[Grid, ...]
    notes: tuple[str, ...] = ()


def shown(cell: Cell) -> str:
    """Return a value as people read it.

    >>> shown(37.785), shown(4), shown(None), shown("47/88")
    ('37.78', '4', '–', '47/88')
    """
    if cell is None:
        return "–"
    return f"{cell:.2f}" if isinstance(cell, float) else str(cell)
