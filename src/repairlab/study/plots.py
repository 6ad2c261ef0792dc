"""Two pictures of systems side by side: values with their intervals, and what systems cost against what they fix."""

from collections.abc import Sequence

from repairlab.core.figure import Axis, Figure, Shape, label, line
from repairlab.core.record import record

_ROW, _LEFT, _RIGHT, _WIDTH, _TOP = 26, 300, 40, 960, 16
_BOTTOM, _HEIGHT = 52, 420
_LETTERS = 40


@record
class IntervalRow:
    """A value in per cent with its interval; `index` decides its colour."""

    name: str
    index: int
    value: float
    low: float
    high: float


@record
class Spot:
    """A system by cost and by what it fixes, in per cent."""

    name: str
    index: int
    cost: float
    value: float
    interval: tuple[float, float] | None = None


def forest(title: str, metric: str, bars: Sequence[IntervalRow], *, lowest: int = 0) -> Figure:
    """Draw a row per value; differences reach from -100 to 100 points, with a line at zero."""
    bottom = _TOP + _ROW * len(bars)
    left = min(_LEFT, 28 + 8 * max(len(bar.name) for bar in bars))
    x = Axis(low=lowest, high=100, start=left, end=_WIDTH - _RIGHT, label=metric, unit=" %")
    shapes = [line(x(0), _TOP, x(0), bottom)] if lowest else []
    for value in x.ticks():
        shapes += [
            line(x(value), _TOP, x(value), bottom, tone="grid"),
            label(x(value), bottom + 18, f"{value:g} %", anchor="middle"),
        ]
    for number, bar in enumerate(bars):
        at, tone = _TOP + _ROW * number + _ROW / 2, str(bar.index)
        words = f"{bar.name}: {bar.value:.1f} % [{bar.low:.1f}, {bar.high:.1f}]"
        shapes += [
            label(left - 12, at + 4, _short(bar.name), anchor="end", tone="ink"),
            line(x(bar.low), at, x(bar.high), at, tone=tone, thick=True),
            Shape(kind="dot", x=x(bar.value), y=at, x2=4.5, tone=tone, text=words),
        ]
    shapes.append(label((left + _WIDTH - _RIGHT) / 2, bottom + 40, metric, anchor="middle"))
    said = " ".join(f"{bar.name}: {bar.value:.1f} % [{bar.low:.1f}, {bar.high:.1f}]." for bar in bars)
    return Figure(width=_WIDTH, height=bottom + _BOTTOM, title=title, words=said, shapes=tuple(shapes))


def scatter(title: str, cost: str, value: str, spots: Sequence[Spot]) -> Figure:
    """Draw a dot per system, and join those that nothing cheaper beats by a line."""
    x = Axis(low=0, high=1.08 * max(spot.cost for spot in spots) or 1, start=64, end=_WIDTH - 330, label=cost)
    high = next(
        top
        for top in (10.0, 25.0, 50.0, 100.0)
        if max((spot.interval or (0, spot.value))[1] for spot in spots) <= top or top == 100.0
    )
    y = Axis(low=0, high=high, start=_HEIGHT - _BOTTOM, end=_TOP, label=value, unit=" %")
    shapes: list[Shape] = []
    for at in y.ticks():
        shapes += [line(x.start, y(at), x.end, y(at), tone="grid"), label(x.start - 8, y(at) + 4, f"{at:g} %", anchor="end")]
    shapes += [label(x(at), y.start + 20, f"{at:g}", anchor="middle") for at in x.ticks()]
    shapes += [line(x.start, y.start, x.end, y.start), line(x.start, y.end, x.start, y.start)]
    shapes += [
        label((x.start + x.end) / 2, y.start + 42, cost, anchor="middle"),
        label(16, (y.start + y.end) / 2, value, anchor="middle", angle=-90),
    ]
    best = _frontier(spots)
    if len(best) > 1:
        shapes.append(Shape(kind="path", points=tuple((x(spot.cost), y(spot.value)) for spot in best), dash="4 4"))
    for number, spot in enumerate(spots, start=1):
        words, row = f"{spot.name}: {spot.cost:.4g}, {spot.value:.1f} %", _TOP + 20 * number - 8
        low, high = spot.interval or (spot.value, spot.value)
        shapes += [
            line(x(spot.cost), y(low), x(spot.cost), y(high), tone=str(spot.index)),
            Shape(kind="dot", x=x(spot.cost), y=y(spot.value), x2=5, tone=str(spot.index), text=words),
            label(x(spot.cost) + 7, y(spot.value) - 6, str(number), tone="ink"),
            Shape(kind="dot", x=x.end + 26, y=row - 4, x2=5, tone=str(spot.index), text=words),
            label(x.end + 38, row, f"{number}  {_short(spot.name)}", tone="ink"),
        ]
    said = " ".join(f"{spot.name}: {spot.cost:.4g} {cost}, {spot.value:.1f} %." for spot in spots)
    height = max(_HEIGHT, _TOP + 20 * (len(spots) + 1))
    return Figure(width=_WIDTH, height=height, title=title, words=said, shapes=tuple(shapes))


def _frontier(spots: Sequence[Spot]) -> list[Spot]:
    """Return the systems that fix more than all that cost no more."""
    best: list[Spot] = []
    for spot in sorted(spots, key=lambda item: (item.cost, -item.value)):
        if not best or spot.value > best[-1].value:
            best.append(spot)
    return best


def _short(name: str) -> str:
    return name if len(name) <= _LETTERS else f"{name[: _LETTERS - 1]}…"
