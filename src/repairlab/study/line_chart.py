"""A line chart as a figure: axes, grid, curves with their points and intervals, legend."""

import dataclasses
from collections.abc import Sequence

from repairlab.core.figure import Axis, Figure, Point, Shape, label, line
from repairlab.core.record import record

_WIDTH, _HEIGHT = 960, 420
_LEFT, _RIGHT, _TOP, _BOTTOM = 64, 220, 20, 56
_LEGEND_ROW, _LEGEND_LETTERS = 20, 28
_DASHES = ("", "7 3", "2 3", "9 3 2 3")
_TONES = 8


@record
class Curve:
    """One system's curve, in the numbers of the axes."""

    name: str
    index: int
    """The system's number, which gives colour and dash."""
    points: tuple[Point, ...]
    texts: tuple[str, ...] = ()
    """What to say of each point; without any, points are not marked."""
    intervals: tuple[Point, ...] = ()
    """Low and high of each point, for a band around the curve."""

    @property
    def dash(self) -> str:
        """Return the dashes that keep systems apart without colours, and beyond their number."""
        return _DASHES[(self.index + self.index // _TONES) % len(_DASHES)]


def line_chart(title: str, x: Axis, y: Axis, curves: Sequence[Curve], words: str) -> Figure:
    """Return curves over axes that have a label and ends; where they lie is this chart's affair."""
    x = dataclasses.replace(x, start=_LEFT, end=_WIDTH - _RIGHT)
    y = dataclasses.replace(y, start=_HEIGHT - _BOTTOM, end=_TOP)
    shapes = _frame(x, y)
    shapes += [_band(curve, x, y) for curve in curves if curve.intervals]
    for number, curve in enumerate(curves):
        shapes += [*_curve(curve, x, y), *_legend(curve, _TOP + 8 + _LEGEND_ROW * number)]
    height = max(_HEIGHT, _TOP + _LEGEND_ROW * (len(curves) + 1))
    return Figure(width=_WIDTH, height=height, title=title, words=words, shapes=tuple(shapes))


def _frame(x: Axis, y: Axis) -> list[Shape]:
    left, right, bottom = x.start, x.end, y.start
    shapes = []
    for value in y.ticks():
        at = y(value)
        shapes += [line(left, at, right, at, tone="grid"), label(left - 8, at + 4, f"{value:g}{y.unit}", anchor="end")]
    for value in x.ticks():
        at = x(value)
        shapes += [line(at, bottom, at, bottom + 5), label(at, bottom + 20, f"{value:g}{x.unit}", anchor="middle")]
    shapes += [line(left, bottom, right, bottom), line(left, y.end, left, bottom)]
    shapes.append(label((left + right) / 2, bottom + 42, x.label, anchor="middle"))
    shapes.append(label(16, (y.end + bottom) / 2, y.label, anchor="middle", angle=-90))
    return shapes


def _band(curve: Curve, x: Axis, y: Axis) -> Shape:
    low = [(x(at), y(interval[0])) for (at, _), interval in zip(curve.points, curve.intervals, strict=True)]
    high = [(x(at), y(interval[1])) for (at, _), interval in zip(curve.points, curve.intervals, strict=True)]
    return Shape(kind="area", points=(*high, *reversed(low)), tone=str(curve.index), opacity=0.13)


def _curve(curve: Curve, x: Axis, y: Axis) -> list[Shape]:
    places = tuple((x(a), y(b)) for a, b in curve.points)
    if not places:
        return []
    tone = str(curve.index)
    return [
        Shape(kind="path", points=places, tone=tone, thick=True, dash=curve.dash, text=curve.name),
        *(
            Shape(kind="dot", x=a, y=b, x2=3.5, tone=tone, text=f"{curve.name}: {text}")
            for (a, b), text in zip(places, curve.texts, strict=False)
        ),
    ]


def _legend(curve: Curve, y: float) -> list[Shape]:
    left = _WIDTH - _RIGHT + 14
    return [
        line(left, y, left + 26, y, tone=str(curve.index), thick=True, dash=curve.dash),
        label(left + 34, y + 4, curve.name if len(curve.name) <= _LEGEND_LETTERS else f"{curve.name[: _LEGEND_LETTERS - 1]}…"),
    ]
