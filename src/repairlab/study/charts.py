"""Line charts as figures, and figures as SVG, which escapes all texts, since names of models and bugs are untrusted."""

import dataclasses
import json
import textwrap
from collections.abc import Callable, Mapping, Sequence
from pathlib import Path
from typing import Any

from jinja2 import Environment, PackageLoader, StrictUndefined
from markupsafe import Markup

from repairlab.core.figure import Axis, Figure, Point, Shape, label, line
from repairlab.core.record import record
from repairlab.study.diffs import visible

_WIDTH, _HEIGHT = 960, 420
_LEFT, _RIGHT, _TOP, _BOTTOM = 64, 220, 20, 56
_LEGEND_ROW, _LEGEND_LINE, _LEGEND_LETTERS = 20, 14, 28
_SLANT = 70
"""Height of slanted names below bars."""
_DASHES = ("", "7 3", "2 3", "9 3 2 3")
_TONES = 8


@record
class Curve:
    """One system's curve, in the units of the axes."""

    name: str
    index: int
    """The system's number, which decides colour and dash."""
    points: tuple[Point, ...]
    texts: tuple[str, ...] = ()
    """The label of each point; without labels, points are not marked."""
    intervals: tuple[Point, ...] = ()
    """Low and high of each point, for a band around the curve."""

    @property
    def dash(self) -> str:
        """Return the dashes that distinguish systems without colours, and beyond their number."""
        return _DASHES[(self.index + self.index // _TONES) % len(_DASHES)]


def line_chart(title: str, x: Axis, y: Axis, curves: Sequence[Curve], words: str) -> Figure:
    """Return curves over axes with labels and ends; the chart decides where they lie."""
    x = dataclasses.replace(x, start=_LEFT, end=_WIDTH - _RIGHT)
    y = dataclasses.replace(y, start=_HEIGHT - _BOTTOM, end=_TOP)
    shapes = _frame(x, y)
    shapes += [_band(curve, x, y) for curve in curves if curve.intervals]
    shapes += [shape for curve in curves for shape in _curve(curve, x, y)]

    def mark(index: int, left: float, at: float) -> Shape:
        return line(left, at, left + 26, at, tone=str(curves[index].index), thick=True, dash=curves[index].dash)

    return _with_legend(title, words, shapes, [curve.name for curve in curves], mark)


def _frame(x: Axis, y: Axis) -> list[Shape]:
    left, right, bottom = x.start, x.end, y.start
    shapes = []
    for value in y.ticks():
        at = y(value)
        shapes += [line(left, at, right, at, tone="grid"), label(left - 8, at + 4, f"{value:g}{y.unit}", anchor="end")]
    for value in x.ticks():
        at = x(value)
        text = x.names[int(value)] if x.names else f"{value:g}{x.unit}"
        shapes += [line(at, bottom, at, bottom + 5), label(at, bottom + 20, text, anchor="middle")]
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


def _with_legend(
    title: str, words: str, shapes: Sequence[Shape], names: Sequence[str], mark: Callable[[int, float, float], Shape]
) -> Figure:
    """Return a figure with a legend on its right, where long names take several lines and nothing is cut."""
    left, at, legend = _WIDTH - _RIGHT + 14, _TOP + 8, list[Shape]()
    for index, name in enumerate(names):
        lines = textwrap.wrap(name, _LEGEND_LETTERS) or [name]
        legend.append(mark(index, left, at))
        legend += [label(left + 34, at + 4 + _LEGEND_LINE * number, text) for number, text in enumerate(lines)]
        at += _LEGEND_ROW + _LEGEND_LINE * (len(lines) - 1)
    return Figure(width=_WIDTH, height=max(_HEIGHT, at + 12), title=title, words=words, shapes=(*shapes, *legend))


def _opacity(index: int) -> float:
    """Distinguish bars of systems with the same colour."""
    return 1.0 if index < _TONES else 0.5


def bar_chart(
    title: str,
    about: str,
    names: Sequence[str],
    groups: Mapping[str, Sequence[float]],
    texts: Mapping[str, Sequence[str]],
    words: str,
) -> Figure:
    """Return percentages as bars, in groups; the names of groups are slanted below them."""
    top = max([1.0, *(share for shares in groups.values() for share in shares)])
    y = Axis(low=0, high=top, start=_HEIGHT - _BOTTOM - _SLANT, end=_TOP, label=about, unit=" %")
    left_edge = _LEFT + _SLANT
    step = (_WIDTH - _RIGHT - left_edge) / max(len(groups), 1)
    width = 0.8 * step / max(len(names), 1)
    shapes = []
    for value in y.ticks():
        at = y(value)
        shapes += [
            line(left_edge, at, _WIDTH - _RIGHT, at, tone="grid"),
            label(left_edge - 8, at + 4, f"{value:g} %", anchor="end"),
        ]
    for number, (group, shares) in enumerate(groups.items()):
        left = left_edge + step * (number + 0.1)
        for index, (share, text) in enumerate(zip(shares, texts[group], strict=True)):
            place, size = round(left + width * index, 1), round(y.start - y(share), 1)
            shapes.append(
                Shape(
                    kind="box",
                    x=place,
                    y=y(share),
                    x2=round(0.9 * width, 1),
                    y2=size,
                    tone=str(index),
                    text=f"{group}, {text}",
                    opacity=_opacity(index),
                )
            )
        shown = group if len(group) <= _LEGEND_LETTERS else f"{group[: _LEGEND_LETTERS - 1]}…"
        shapes.append(label(round(left + 0.4 * step, 1), y.start + 16, shown, anchor="end", angle=-30))
    shapes += [
        line(left_edge, y.start, _WIDTH - _RIGHT, y.start),
        label(14, (y.start + y.end) / 2, about, anchor="middle", angle=-90),
    ]

    def mark(index: int, left: float, at: float) -> Shape:
        return Shape(kind="box", x=left, y=at - 6, x2=26, y2=12, tone=str(index), opacity=_opacity(index))

    return _with_legend(title, words, shapes, names, mark)


def draw(figure: Figure) -> Markup:
    """Return a figure as an SVG element, for a page or a file."""
    pages = Environment(
        loader=PackageLoader("repairlab.study"), autoescape=True, undefined=StrictUndefined, trim_blocks=True, lstrip_blocks=True
    )
    pages.filters["visible"] = visible
    return Markup(pages.get_template("figure.svg").render(figure=figure))  # the template escapes all texts


_SERIES = (("loss", "training loss"), ("valid_loss", "validation loss"))


def draw_curves(path: Path) -> Path:
    """Draw the curves of a JSON-lines file into a file *.svg beside it; return its path."""
    looks = [json.loads(line) for line in path.read_text(encoding="utf-8").splitlines()]
    picture = path.with_suffix(".svg")
    picture.write_text(str(draw(curve_figure(looks))), encoding="utf-8")
    return picture


def curve_figure(looks: list[dict[str, Any]]) -> Figure:
    """Return losses, and exact match if it was measured, over steps."""
    curves = [_training_curve(looks, key, name, number) for number, (key, name) in enumerate(_SERIES)]
    if any(look["exact_match"] is not None for look in looks):
        curves.append(_training_curve(looks, "exact_match", "exact match", len(curves)))
    highest = max((y for curve in curves for _, y in curve.points), default=1.0)
    last = max((look["step"] for look in looks), default=1)
    x = Axis(low=0, high=max(last, 1), label="step", whole=True)
    y = Axis(low=0, high=max(highest, 1.0), label="loss of a token, share of exact matches")
    words = "; ".join(f"{curve.name} ends at {curve.points[-1][1]:.3f}" for curve in curves if curve.points)
    return line_chart("How the training went", x, y, curves, words)


def _training_curve(looks: list[dict[str, Any]], key: str, name: str, index: int) -> Curve:
    found = [(look["step"], look[key]) for look in looks if look[key] is not None]
    return Curve(name=name, index=index, points=tuple(found), texts=tuple(f"{value:.3f} at step {step}" for step, value in found))
