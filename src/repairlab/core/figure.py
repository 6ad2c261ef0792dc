"""A figure as a list of plain shapes; `report.svg` draws any of them, in a page or a separate file."""

import math
from collections.abc import Sequence
from typing import Literal

from repairlab.core.record import record

Point = tuple[float, float]
Anchor = Literal["start", "middle", "end"]


@record
class Shape:
    """One mark of a figure; `tone` is a colour of the page: a system's number, or ink, soft or grid."""

    kind: Literal["line", "box", "dot", "text", "path", "area"]
    x: float = 0.0
    y: float = 0.0
    x2: float = 0.0
    y2: float = 0.0
    """Other end of a line; width and height of a box; `x2` is the radius of a dot."""
    points: tuple[Point, ...] = ()
    """Corners of a path or area."""
    tone: str = "soft"
    text: str = ""
    """What a text says, or what a mark says when pointed at."""
    anchor: Anchor = "start"
    opacity: float = 1.0
    thick: bool = False
    dash: str = ""
    angle: int = 0
    """A text's rotation in degrees."""


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
    start: float = 0.0
    end: float = 1.0
    log: bool = False
    whole: bool = False
    """Whether only whole numbers make sense."""
    label: str = ""
    unit: str = ""
    """What follows the number at a tick."""
    names: tuple[str, ...] = ()
    """What stands at 0, 1 and so on instead of numbers."""

    def __call__(self, value: float) -> float:
        """Return the place of a number; one outside the scale lies at its end."""
        inside = min(max(value, self.low), self.high)
        if self.log:
            share = math.log(inside / self.low) / (math.log(self.high / self.low) or 1)
        else:
            share = (inside - self.low) / ((self.high - self.low) or 1)
        return round(self.start + share * (self.end - self.start), 1)

    def ticks(self) -> list[float]:
        """Return round values along the scale, about six.

        >>> Axis(low=0, high=90).ticks(), Axis(low=1, high=10, whole=True).ticks(), Axis(low=1, high=60, log=True).ticks()
        ([0, 20, 40, 60, 80], [1, 2, 4, 6, 8, 10], [1, 2, 5, 10, 20, 50])
        """
        if self.names:
            return list(range(len(self.names)))
        if self.log:
            return [k for power in range(6) for k in (10**power, 2 * 10**power, 5 * 10**power) if self.low <= k <= self.high]
        rough = max((self.high - self.low) / 6, 1.0 if self.whole else 1e-9)
        unit = 10.0 ** math.floor(math.log10(rough))
        step = next(unit * factor for factor in (1, 2, 5, 10) if unit * factor >= rough - 1e-12)
        first = math.ceil(self.low / step - 1e-9)
        found = [round(number * step, 9) for number in range(first, math.floor(self.high / step + 1e-9) + 1)]
        found = [int(value) if value == int(value) else value for value in found]
        return [self.low, *found] if first * step - self.low >= step / 2 else found


def named(names: Sequence[str], what: str) -> Axis:
    """Return an axis of named things, in order."""
    return Axis(low=0, high=max(len(names) - 1, 1), label=what, names=tuple(names))


def line(x: float, y: float, x2: float, y2: float, *, tone: str = "soft", thick: bool = False, dash: str = "") -> Shape:
    """Return a line between two points."""
    return Shape(kind="line", x=x, y=y, x2=x2, y2=y2, tone=tone, thick=thick, dash=dash)


def label(x: float, y: float, text: str, *, anchor: Anchor = "start", tone: str = "soft", angle: int = 0) -> Shape:
    """Return a text."""
    return Shape(kind="text", x=x, y=y, text=text, anchor=anchor, tone=tone, angle=angle)
