"""Figures of results as SVG files that stand alone: candidate curves, checks against precision, overlap."""

import html
import math
from collections.abc import Mapping, Sequence

from repairlab.core.record import record
from repairlab.core.table import Table
from repairlab.metrics.checks import checks, enough_checks
from repairlab.metrics.fixes import curve
from repairlab.metrics.ranked_results import RankedResults

WIDTH, HEIGHT = 960, 460
LEFT, RIGHT, TOP, BOTTOM = 64, 210, 44, 56
_COLOURS = ("#0072b2", "#d55e00", "#009e73", "#cc79a7", "#56b4e9", "#e69f00", "#7a7a7a", "#7b3294", "#8c8c00", "#1b7837", "#000000")
_DASHES = ("", "7 3", "2 3", "9 3 2 3")  # systems beyond the colours differ by the dash
Points = Sequence[tuple[float, float]]


@record
class Axis:
    """One axis: what it shows and where it ends."""

    label: str
    low: float
    high: float
    log: bool = False

    def share(self, value: float) -> float:
        """Return where a value lies between the ends, from 0 to 1."""
        if self.log:
            return math.log(value / self.low) / math.log(self.high / self.low) if self.high > self.low else 0.0
        return (value - self.low) / (self.high - self.low) if self.high > self.low else 0.0

    def ticks(self) -> list[float]:
        """Return round values along the axis."""
        if self.log:
            return [k for power in range(6) for k in (10**power, 2 * 10**power, 5 * 10**power) if self.low <= k <= self.high]
        rough = (self.high - self.low) / 6 or 1.0
        unit = 10 ** math.floor(math.log10(rough))
        step = next(unit * factor for factor in (1, 2, 5, 10) if unit * factor >= rough)
        return [round(self.low + i * step, 9) for i in range(int((self.high - self.low) / step + 1e-9) + 1)]


def candidate_curves(source: RankedResults) -> str:
    """Draw how many bugs each system fixes within its first k candidates."""
    source.need_ranks("the figure of candidates")
    last = max((item.rank or 1 for bugs in source.lists.values() for items in bugs.values() for item in items), default=1)
    lines: dict[str, Points] = {}
    for system in source.systems:
        lines[system] = _steps([(float(k), float(n)) for k, n in curve(source, system)], float(last))
    top = max((len(fixed) for fixed in source.fixed.values()), default=0)
    x = Axis(label="candidates per bug", low=1, high=max(last, 2), log=True)
    return _lines("Bugs fixed within the first k candidates", x, Axis(label="fixed bugs", low=0, high=max(top, 1)), lines)


def _steps(changes: Points, end: float) -> Points:
    """Return a line that stays level between changes."""
    points: list[tuple[float, float]] = [(1.0, 0.0)]
    for k, n in changes:
        points += [(k, points[-1][1]), (k, n)]
    return [*points, (end, points[-1][1])]


def check_curves(source: RankedResults) -> str:
    """Draw correct bugs against precision, one point for each number of plausible candidates looked at."""
    lines: dict[str, Points] = {}
    for system in source.systems:
        found = checks(source, system, range(1, (enough_checks(source, system) or 0) + 1))
        lines[system] = [(float(item.correct), item.precision or 0.0) for item in found]
    values = [point for points in lines.values() for point in points]
    x = Axis(
        label="bugs found correct, one point for each number of plausible candidates looked at",
        low=0,
        high=max((point[0] for point in values), default=1),
    )
    y = Axis(label="correct per check, percent", low=0, high=max((point[1] for point in values), default=100))
    return _lines("More checks find more bugs, at a lower precision", x, y, lines, dots=True)


def _lines(title: str, x: Axis, y: Axis, lines: Mapping[str, Points], *, dots: bool = False) -> str:
    parts = _frame(title, x, y)
    for number, (name, points) in enumerate(lines.items()):
        colour, dash = _COLOURS[number % len(_COLOURS)], _DASHES[number // len(_COLOURS) % len(_DASHES)]
        places = [(_x(x, a), _y(y, b)) for a, b in points]
        path = "M" + "L".join(f"{a:g} {b:g}" for a, b in places)
        style = f'stroke="{colour}" stroke-width="2"' + (f' stroke-dasharray="{dash}"' if dash else "")
        if places:
            parts.append(f'<path d="{path}" fill="none" {style}><title>{html.escape(name)}</title></path>')
        if dots:
            parts += [f'<circle cx="{a:g}" cy="{b:g}" r="3" fill="{colour}"/>' for a, b in places]
        at = TOP + 8 + 20 * number
        right = WIDTH - RIGHT
        parts.append(f'<path d="M{right + 12} {at}H{right + 36}" {style}/>')
        parts.append(f'<text x="{right + 42}" y="{at + 4}">{html.escape(name)}</text>')
    return _svg(title, parts, WIDTH, max(HEIGHT, TOP + 20 * len(lines) + BOTTOM))


def _x(axis: Axis, value: float) -> float:
    return round(LEFT + axis.share(value) * (WIDTH - LEFT - RIGHT), 1)


def _y(axis: Axis, value: float) -> float:
    return round(HEIGHT - BOTTOM - axis.share(value) * (HEIGHT - TOP - BOTTOM), 1)


def _frame(title: str, x: Axis, y: Axis) -> list[str]:
    bottom, right = HEIGHT - BOTTOM, WIDTH - RIGHT
    parts = [f'<text x="{LEFT}" y="24" font-size="15" font-weight="bold">{html.escape(title)}</text>']
    for value in y.ticks():
        at = _y(y, value)
        parts.append(f'<path d="M{LEFT} {at:g}H{right}" stroke="#ddd"/>')
        parts.append(f'<text x="{LEFT - 8}" y="{at + 4:g}" text-anchor="end">{value:g}</text>')
    for value in x.ticks():
        at = _x(x, value)
        parts.append(f'<path d="M{at:g} {bottom}v5" stroke="#333"/>')
        parts.append(f'<text x="{at:g}" y="{bottom + 20}" text-anchor="middle">{value:g}</text>')
    parts.append(f'<path d="M{LEFT} {TOP}V{bottom}H{right}" fill="none" stroke="#333"/>')
    parts.append(f'<text x="{(LEFT + right) / 2:g}" y="{HEIGHT - 14}" text-anchor="middle">{x.label}</text>')
    middle = (TOP + bottom) / 2
    parts.append(f'<text x="16" y="{middle:g}" text-anchor="middle" transform="rotate(-90 16 {middle:g})">{y.label}</text>')
    return parts


def overlap_map(table: Table) -> str:
    """Draw the overlap of systems as squares, the darker the more."""
    size, left, top = 58, 150, 130
    title = "Fixes of the row's system that the column's fixes as well, in percent"
    parts = [f'<text x="16" y="24" font-size="15" font-weight="bold">{html.escape(title)}</text>']
    for i, column in enumerate(table.columns[1:]):
        x = left + size * i + size / 2
        parts.append(f'<text transform="translate({x + 4:g} {top - 8}) rotate(-45)">{html.escape(column)}</text>')
    for j, (row, cells) in enumerate(table.by_row.items()):
        y = top + size * j
        parts.append(f'<text x="{left - 8}" y="{y + size / 2 + 4:g}" text-anchor="end">{html.escape(row)}</text>')
        for i, cell in enumerate(cells):
            share = cell / 100 if isinstance(cell, float) else 0.0
            fill = "#fff" if not isinstance(cell, float) else f"rgb({round(255 - 200 * share)},{round(255 - 120 * share)},255)"
            text = "–" if cell is None else f"{math.floor(cell)}" if isinstance(cell, float) else f"[{cell}]"
            x = left + size * i
            parts.append(f'<rect x="{x}" y="{y}" width="{size}" height="{size}" fill="{fill}" stroke="#ccc"/>')
            parts.append(f'<text x="{x + size / 2:g}" y="{y + size / 2 + 4:g}" text-anchor="middle">{text}</text>')
    bottom = top + size * len(table.rows)
    parts.append(f'<text x="{left}" y="{bottom + 24}">[n]: bugs that no other system fixes</text>')
    return _svg(title, parts, max(left + size * len(table.rows) + 110, 620), bottom + 44)


def _svg(title: str, parts: Sequence[str], width: int, height: int) -> str:
    font = 'font-family="sans-serif" font-size="13"'
    head = f'<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 {width} {height}" {font} role="img">'
    body = "\n".join([f"<title>{html.escape(title)}</title>", '<rect width="100%" height="100%" fill="#fff"/>', *parts])
    return f"{head}\n{body}\n</svg>\n"
