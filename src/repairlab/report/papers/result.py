"""What the modules of this package make: tables, some with a picture. The verb `tables` prints them, `page` shows them."""

import csv
import io
from typing import Any

from repairlab.core.record import record, to_data
from repairlab.report.papers.picture import Picture

Cell = int | float | str | None
"""None: there is no such value."""


@record
class Table:
    """One table; percentages are numbers from 0 to 100."""

    name: str
    title: str
    source: str
    """The published table or figure that it has the form of."""
    columns: tuple[str, ...]
    rows: tuple[tuple[Cell, ...], ...]
    n_heads: int = 1
    """How many columns at the left name the row."""
    notes: tuple[str, ...] = ()
    picture: Picture | None = None

    def data(self) -> dict[str, Any]:
        """Return the form of `tables --json`."""
        return {
            "name": self.name,
            "title": self.title,
            "source": self.source,
            "columns": list(self.columns),
            "rows": to_data(self.rows),
            "notes": list(self.notes),
        }

    def csv(self) -> str:
        """Return the table as comma-separated values; an absent value is an empty field."""
        text = io.StringIO()
        writer = csv.writer(text, lineterminator="\n")
        writer.writerow(self.columns)
        writer.writerows([["" if cell is None else cell for cell in row] for row in self.rows])
        return text.getvalue()


def shown(cell: Cell) -> str:
    """Return a value as people read it: two digits, or two significant ones where these would say nothing.

    >>> [shown(cell) for cell in (37.784, 0.0, 0.0000016, 4, None, "47/88")]
    ['37.78', '0.00', '1.6e-06', '4', '–', '47/88']
    """
    if cell is None:
        return "–"
    if isinstance(cell, float):
        return f"{cell:.2f}" if cell == 0 or abs(cell) >= 0.1 else f"{cell:.2g}"
    return f"{cell:,}" if isinstance(cell, int) else cell


def percent(part: float, whole: float) -> float | None:
    """Return a share in per cent; none when there is nothing to share.

    >>> percent(1, 3), percent(0, 0)
    (33.333333, None)
    """
    return round(100 * part / whole, 6) if whole else None


def mean(values: list[float]) -> float | None:
    """Return the mean, rounded as all cells are; none of nothing."""
    return round(sum(values) / len(values), 6) if values else None
