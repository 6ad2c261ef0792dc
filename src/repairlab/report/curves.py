"""Curves of pass@k or top@k over k, as numbers in the coordinates of an SVG picture; the page template draws them."""

import math
from collections.abc import Sequence

from repairlab.core.record import record
from repairlab.core.score import Score
from repairlab.metrics.table import score
from repairlab.report.scores import RunScores

WIDTH, HEIGHT = 960, 380
LEFT, RIGHT, TOP, BOTTOM = 56, 24, 16, 52
_MAX_POINTS = 28


@record
class Tick:
    """A mark on an axis."""

    at: float
    label: str


@record
class Curve:
    """One system's curve: a path, the band of its intervals, and its points."""

    system: str
    line: str
    band: str
    points: tuple[tuple[float, float, str], ...]
    """x, y and what to say of the point."""


@record
class Chart:
    """A picture of curves."""

    metric: str
    log: bool
    x_ticks: tuple[Tick, ...]
    y_ticks: tuple[Tick, ...]
    curves: tuple[Curve, ...]


def chart(metric: str, entries: Sequence[tuple[str, RunScores]]) -> Chart | None:
    """Draw a metric for every run that was asked for more than one candidate per bug; none when there is none."""
    usable = [(name, entry) for name, entry in entries if entry.run.settings.n > 1 and _supports(metric, entry)]
    if not usable:
        return None
    n = max(entry.run.settings.n for _, entry in usable)
    log = n > 20
    scores = [
        (name, [score(metric, k, entry.run.samples, entry.run.settings) for k in curve_ks(entry.run.settings.n)])
        for name, entry in usable
    ]
    top = _ceiling(max(item.high for _, found in scores for item in found))
    scale = _Scale(n=n, log=log, top=top)
    steps = 5
    return Chart(
        metric=metric,
        log=log,
        x_ticks=tuple(Tick(at=scale.x(k), label=str(k)) for k in _x_labels(n, log=log)),
        y_ticks=tuple(Tick(at=scale.y(top * i / steps), label=f"{100 * top * i / steps:.0f} %") for i in range(steps + 1)),
        curves=tuple(_curve(name, found, scale) for name, found in scores),
    )


def _supports(metric: str, entry: RunScores) -> bool:
    return any(item.metric == metric for item in entry.result.scores)


def _ceiling(high: float) -> float:
    """Return a round upper end of the axis, so that low curves are not squeezed at the bottom."""
    return next(top for top in (0.1, 0.25, 0.5, 1.0) if high <= top or top == 1.0)


def curve_ks(n: int) -> list[int]:
    """Return the k at which a curve over n candidates has points."""
    if n <= _MAX_POINTS:
        return list(range(1, n + 1))
    return sorted({round(math.exp(math.log(n) * i / (_MAX_POINTS - 1))) for i in range(_MAX_POINTS)})


def _x_labels(n: int, *, log: bool) -> list[int]:
    if log:
        return [k for k in (1, 2, 5, 10, 20, 50, 100, 200, 500, 1000, 2000, 5000, 10000) if k <= n]
    step = max(1, n // 10)
    return sorted({1, *range(step, n + 1, step)})


@record
class _Scale:
    n: int
    log: bool
    top: float

    def x(self, k: int) -> float:
        share = math.log(k) / math.log(self.n) if self.log else (k - 1) / (self.n - 1)
        return round(LEFT + share * (WIDTH - LEFT - RIGHT), 1)

    def y(self, value: float) -> float:
        return round(HEIGHT - BOTTOM - min(value, self.top) / self.top * (HEIGHT - TOP - BOTTOM), 1)


def _curve(name: str, found: Sequence[Score], scale: _Scale) -> Curve:
    xs = [scale.x(item.k or 1) for item in found]
    upper = [(x, scale.y(item.high)) for x, item in zip(xs, found, strict=True)]
    lower = [(x, scale.y(item.low)) for x, item in zip(xs, found, strict=True)]
    middle = [(x, scale.y(item.value)) for x, item in zip(xs, found, strict=True)]
    said = [f"k = {item.k}: {100 * item.value:.1f} % [{100 * item.low:.1f}, {100 * item.high:.1f}]" for item in found]
    return Curve(
        system=name,
        line=_path(middle),
        band=f"{_path([*upper, *reversed(lower)])}Z",
        points=tuple((x, y, text) for (x, y), text in zip(middle, said, strict=True)),
    )


def _path(points: Sequence[tuple[float, float]]) -> str:
    return "M" + "L".join(f"{x:g} {y:g}" for x, y in points)
