"""A figure as a list of plain shapes; `report.svg` draws any of them, in the page or in a file of its own."""

import itertools
from collections.abc import Sequence
from typing import Literal

from repairlab.core.record import record


@record
class Shape:
    """One mark of a figure; `tone` is a colour of the page: a system's number, or ink, soft or grid."""

    kind: Literal["line", "box", "dot", "text"]
    x: float
    y: float
    x2: float = 0.0
    y2: float = 0.0
    """Other end of a line; width and height of a box; `x2` is the radius of a dot."""
    tone: str = "soft"
    text: str = ""
    """What a text says, or what a mark says when pointed at."""
    anchor: Literal["start", "middle", "end"] = "start"
    faint: bool = False
    thick: bool = False


@record
class Figure:
    """A figure and what it says in words."""

    width: int
    height: int
    title: str
    words: str
    shapes: tuple[Shape, ...]


@record
class Axis:
    """A scale from numbers to places."""

    low: float
    high: float
    start: float
    end: float

    def __call__(self, value: float) -> float:
        """Return the place of a number; one outside the scale lies at its end."""
        share = (min(max(value, self.low), self.high) - self.low) / ((self.high - self.low) or 1)
        return round(self.start + share * (self.end - self.start), 1)


def line(x: float, y: float, x2: float, y2: float, *, tone: str = "soft", thick: bool = False) -> Shape:
    """Return a line between two points."""
    return Shape(kind="line", x=x, y=y, x2=x2, y2=y2, tone=tone, thick=thick)


def label(x: float, y: float, text: str, *, anchor: Literal["start", "middle", "end"] = "start", tone: str = "soft") -> Shape:
    """Return a text."""
    return Shape(kind="text", x=x, y=y, text=text, anchor=anchor, tone=tone)


def path(points: Sequence[tuple[float, float]], *, tone: str) -> list[Shape]:
    """Return the lines between points, one after the other."""
    return [line(*one, *other, tone=tone, thick=True) for one, other in itertools.pairwise(points)]
