"""A table of values, perhaps with a figure, and rows of anything as text for a terminal or as HTML for a notebook."""

import csv
import io
from collections.abc import Mapping, Sequence
from html import escape
from typing import Any

from repairlab.core.errors import unknown
from repairlab.core.figure import Figure
from repairlab.core.record import record, to_data

Cell = int | float | str | None
"""None: there is no such value."""


@record
class Table:
    """One table; percentages are numbers from 0 to 100."""

    name: str
    title: str
    columns: tuple[str, ...]
    rows: tuple[tuple[Cell, ...], ...]
    source: str = ""
    """The published table or figure with this form."""
    n_heads: int = 1
    """How many columns at the left name the row."""
    notes: tuple[str, ...] = ()
    figure: Figure | None = None

    @property
    def by_row(self) -> dict[str, tuple[Cell, ...]]:
        """Return the cells of each row by its name, the first column."""
        return {str(name): tuple(cells) for name, *cells in self.rows}

    def cell(self, row: str, column: str) -> Cell:
        """Return one value, by the name of its row."""
        rows, columns = self.by_row, self.columns[1:]
        if row not in rows:
            raise unknown(f"row of {self.name}", row, rows)
        if column not in columns:
            raise unknown(f"column of {self.name}", column, columns)
        return rows[row][columns.index(column)]

    def data(self) -> dict[str, Any]:
        """Return the form of `report --tables --json`."""
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

    def latex(self, comment: str = "") -> str:
        """Return the table in LaTeX, with the rules of booktabs; comments give its name and origin."""
        said = [*filter(None, (self.title, self.source, *comment.split("\n"), *self.notes))]
        numeric = [all(not isinstance(row[at], str) for row in self.rows) for at in range(len(self.columns))]
        lines = [
            " & ".join(map(_tex, row)) + r" \\" for row in (self.columns, *([shown(cell) for cell in row] for row in self.rows))
        ]
        return "\n".join(
            [
                *(f"% {text}".replace("\n", " ") for text in said),
                rf"\begin{{tabular}}{{{''.join('r' if is_number else 'l' for is_number in numeric)}}}",
                r"\toprule", lines[0], r"\midrule", *lines[1:], r"\bottomrule", r"\end{tabular}", "",
            ]
        )  # fmt: skip


_TEX = {"\\": r"\textbackslash{}", "~": r"\textasciitilde{}", "^": r"\textasciicircum{}", "–": "--"} | {
    sign: f"\\{sign}" for sign in "{}$&#%_"
}


def _tex(text: str) -> str:
    r"""Escape what means something to LaTeX.

    >>> print(_tex("a_b & 5 % \\x – ~"))
    a\_b \& 5 \% \textbackslash{}x -- \textasciitilde{}
    """
    return "".join(_TEX.get(sign, sign) for sign in text.replace("\n", " "))


def named_rows(rows: Mapping[str, tuple[Cell, ...]]) -> tuple[tuple[Cell, ...], ...]:
    """Return rows whose first cell is their name."""
    return tuple((name, *cells) for name, cells in rows.items())


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
    """Return the mean, rounded as all cells are; None for an empty list."""
    return round(sum(values) / len(values), 6) if values else None


def text_table(columns: Sequence[str], rows: Sequence[Sequence[object]]) -> str:
    """Return a table as lines of text, numbers to the right.

    >>> print(text_table(["metric", "bugs"], [("pass@1", 7), ("top@5", 12)]))
    metric  bugs
    pass@1     7
    top@5     12
    """
    table = [[str(cell) for cell in row] for row in (columns, *rows)]
    widths = [max(map(len, cells)) for cells in zip(*table, strict=True)]
    right = [bool(rows) and not isinstance(cell, str) for cell in (rows[0] if rows else columns)]
    lines = (
        "  ".join(
            cell.rjust(width) if is_right else cell.ljust(width) for cell, width, is_right in zip(row, widths, right, strict=True)
        )
        for row in table
    )
    return "\n".join(line.rstrip() for line in lines)


def html_table(title: str, columns: Sequence[str], rows: Sequence[Sequence[object]], *, below: str = "") -> str:
    """Return a table as HTML, with a title above and a line of text below.

    >>> html_table("a < b", ["bug"], [("x",)])
    '<p>a &lt; b</p><table><thead><tr><th>bug</th></tr></thead><tbody><tr><td>x</td></tr></tbody></table>'
    """
    head = "".join(f"<th>{escape(column)}</th>" for column in columns)
    body = "".join(f"<tr>{''.join(f'<td>{escape(str(cell))}</td>' for cell in row)}</tr>" for row in rows)
    note = f"<p>{escape(below)}</p>" if below else ""
    return f"<p>{escape(title)}</p><table><thead><tr>{head}</tr></thead><tbody>{body}</tbody></table>{note}"
