"""Figures of published results: candidate curves, checks against precision, overlap. The verb `rescore` writes them."""

import math

from repairlab.core.figure import Axis, Figure, Point, Shape, label
from repairlab.core.table import Table
from repairlab.metrics.checks import checks, enough_checks
from repairlab.metrics.fixes import curve
from repairlab.metrics.ranked_results import RankedResults
from repairlab.study.line_chart import Curve, line_chart

_SQUARE = 58


def candidate_curves(source: RankedResults) -> Figure:
    """Draw how many bugs each system fixes within its first k candidates."""
    source.need_ranks("the figure of candidates")
    last = max((item.rank or 1 for bugs in source.lists.values() for items in bugs.values() for item in items), default=1)
    curves = [
        Curve(name=system, index=index, points=_steps([(float(k), float(n)) for k, n in curve(source, system)], float(last)))
        for index, system in enumerate(source.systems)
    ]
    top = max((len(fixed) for fixed in source.fixed.values()), default=0)
    x = Axis(low=1, high=max(last, 2), log=True, label="candidates per bug")
    y = Axis(low=0, high=max(top, 1), whole=True, label="fixed bugs")
    words = "; ".join(f"{system}: {len(fixed)} fixed bugs" for system, fixed in source.fixed.items())
    return line_chart("Bugs fixed within the first k candidates", x, y, curves, words)


def _steps(changes: list[Point], end: float) -> tuple[Point, ...]:
    """Return a line that stays level between changes."""
    points: list[Point] = [(1.0, 0.0)]
    for k, n in changes:
        points += [(k, points[-1][1]), (k, n)]
    return (*points, (end, points[-1][1]))


def check_curves(source: RankedResults) -> Figure:
    """Draw correct bugs against precision, one point for each number of plausible candidates looked at."""
    curves = []
    for index, system in enumerate(source.systems):
        found = checks(source, system, range(1, (enough_checks(source, system) or 0) + 1))
        points = tuple((float(item.correct), item.precision or 0.0) for item in found)
        texts = tuple(f"{item.correct} correct in {item.checks} checks" for item in found)
        curves.append(Curve(name=system, index=index, points=points, texts=texts))
    values = [point for item in curves for point in item.points]
    x = Axis(
        low=0,
        high=max((point[0] for point in values), default=1),
        label="bugs found correct, one point for each number of plausible candidates looked at",
    )
    y = Axis(low=0, high=max((point[1] for point in values), default=100), label="correct per check", unit=" %")
    words = "; ".join(f"{item.name}: {item.texts[-1]}" for item in curves if item.texts)
    return line_chart("More checks find more bugs, at a lower precision", x, y, curves, words)


def overlap_map(table: Table) -> Figure:
    """Draw the overlap of systems as squares, the darker the more."""
    left, top = 150, 110
    rows = table.by_row
    shapes = [label(left + _SQUARE * (i + 0.5) + 4, top - 8, column, angle=-45) for i, column in enumerate(table.columns[1:])]
    for j, (row, cells) in enumerate(rows.items()):
        y = top + _SQUARE * j
        shapes.append(label(left - 8, y + _SQUARE / 2 + 4, row, anchor="end"))
        for i, cell in enumerate(cells):
            x = left + _SQUARE * i
            text = "–" if cell is None else f"{math.floor(cell)}" if isinstance(cell, float) else f"[{cell}]"
            if isinstance(cell, float):
                said = f"{table.columns[i + 1]} fixes {cell:.1f} % of what {row} fixes"
                shapes.append(Shape(kind="box", x=x, y=y, x2=_SQUARE - 2, y2=_SQUARE - 2, tone="0", opacity=cell / 125, text=said))
            shapes.append(label(x + _SQUARE / 2, y + _SQUARE / 2 + 4, text, anchor="middle", tone="ink"))
    bottom = top + _SQUARE * len(rows)
    shapes.append(
        label(
            left, bottom + 24, "Of the row's fixes, how many percent the column fixes as well; [n]: bugs that no other system fixes"
        )
    )
    width = max(left + _SQUARE * len(rows) + 110, 620)
    title = "Fixes of the row's system that the column's fixes as well, in percent"
    return Figure(width=width, height=bottom + 44, title=title, words=title, shapes=tuple(shapes))
