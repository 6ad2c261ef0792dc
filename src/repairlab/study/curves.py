"""Curves of pass@k or top@k over k, with their intervals."""

import math
from collections.abc import Sequence

from repairlab.core.figure import Axis, Figure
from repairlab.core.score import Score
from repairlab.metrics.table import score
from repairlab.study.charts import Curve, line_chart
from repairlab.study.scores import RunScores

_MAX_POINTS = 28
_LOG_FROM = 20
"""More candidates per bug than this are shown on a logarithmic axis."""


def chart(metric: str, entries: Sequence[tuple[str, int, RunScores]]) -> Figure | None:
    """Draw a metric for every run (name, number, scores) that was asked for several candidates per bug; none when there is none."""
    usable = [item for item in entries if item[2].run.settings.n > 1 and _supports(metric, item[2])]
    if not usable:
        return None
    n = max(entry.run.settings.n for *_, entry in usable)
    return curves_over_k(metric, n, [curve_of(name, index, curve_scores(metric, entry)) for name, index, entry in usable])


def curves_over_k(metric: str, n: int, curves: Sequence[Curve]) -> Figure:
    """Draw curves over 1 to n candidates."""
    top = _ceiling(max(high for curve in curves for _, high in curve.intervals))
    return line_chart(
        f"{metric} over k for each system",
        Axis(low=1, high=n, log=n > _LOG_FROM, whole=True, label="k (candidates tried per bug)"),
        Axis(low=0, high=top, label=metric, unit=" %"),
        curves,
        " ".join(f"{curve.name}: {curve.texts[0]}; {curve.texts[-1]}." for curve in curves),
    )


def _supports(metric: str, entry: RunScores) -> bool:
    return any(item.metric == metric for item in entry.result.scores)


def _ceiling(high: float) -> float:
    """Return a round upper end of the axis, so that low curves are not squeezed at the bottom."""
    return next(top for top in (10.0, 25.0, 50.0, 100.0) if high <= top or top == 100.0)


def curve_ks(n: int) -> list[int]:
    """Return the k at which a curve over n candidates has points."""
    if n <= _MAX_POINTS:
        return list(range(1, n + 1))
    return sorted({round(math.exp(math.log(n) * i / (_MAX_POINTS - 1))) for i in range(_MAX_POINTS)})


def curve_scores(metric: str, entry: RunScores) -> list[Score]:
    """Return a metric of a run at each k of its curve."""
    return [score(metric, k, entry.run.samples, entry.run.settings) for k in curve_ks(entry.run.settings.n)]


def curve_of(name: str, index: int, found: Sequence[Score]) -> Curve:
    """Return the curve of one system."""
    return Curve(
        name=name,
        index=index,
        points=tuple((item.k or 1, 100 * item.value) for item in found),
        intervals=tuple((100 * item.low, 100 * item.high) for item in found),
        texts=tuple(map(_words, found)),
    )


def _words(item: Score) -> str:
    return f"k = {item.k}: {100 * item.value:.1f} % [{100 * item.low:.1f}, {100 * item.high:.1f}]"
