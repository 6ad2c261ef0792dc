"""Tables as text for a terminal and as HTML for a notebook."""

from collections.abc import Sequence
from html import escape

Rows = Sequence[Sequence[object]]


def text_table(columns: Sequence[str], rows: Rows) -> str:
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


def html_table(title: str, columns: Sequence[str], rows: Rows, *, below: str = "") -> str:
    """Return a table as HTML, with a title above and a line of text below.

    >>> html_table("a < b", ["bug"], [("x",)])
    '<p>a &lt; b</p><table><thead><tr><th>bug</th></tr></thead><tbody><tr><td>x</td></tr></tbody></table>'
    """
    head = "".join(f"<th>{escape(column)}</th>" for column in columns)
    body = "".join(f"<tr>{''.join(f'<td>{escape(str(cell))}</td>' for cell in row)}</tr>" for row in rows)
    note = f"<p>{escape(below)}</p>" if below else ""
    return f"<p>{escape(title)}</p><table><thead><tr>{head}</tr></thead><tbody>{body}</tbody></table>{note}"
