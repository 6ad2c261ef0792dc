"""The picture of a training: losses and exact match over steps, drawn beside the numbers."""

import json
from pathlib import Path
from typing import Any

from repairlab.core.figure import Axis, Figure
from repairlab.study.line_chart import Curve, line_chart
from repairlab.study.svg import draw

_SERIES = (("loss", "training loss"), ("valid_loss", "validation loss"))


def draw_curves(path: Path) -> Path:
    """Draw the curves of a JSON-lines file into a file *.svg beside it; return its path."""
    looks = [json.loads(line) for line in path.read_text(encoding="utf-8").splitlines()]
    picture = path.with_suffix(".svg")
    picture.write_text(str(draw(curve_figure(looks))), encoding="utf-8")
    return picture


def curve_figure(looks: list[dict[str, Any]]) -> Figure:
    """Return losses, and exact match where it was measured, over steps."""
    curves = [_curve(looks, key, name, number) for number, (key, name) in enumerate(_SERIES)]
    if any(look["exact_match"] is not None for look in looks):
        curves.append(_curve(looks, "exact_match", "exact match", len(curves)))
    highest = max((y for curve in curves for _, y in curve.points), default=1.0)
    last = max((look["step"] for look in looks), default=1)
    x = Axis(low=0, high=max(last, 1), label="step", whole=True)
    y = Axis(low=0, high=max(highest, 1.0), label="loss of a token, share of exact matches")
    words = "; ".join(f"{curve.name} ends at {curve.points[-1][1]:.3f}" for curve in curves if curve.points)
    return line_chart("How the training went", x, y, curves, words)


def _curve(looks: list[dict[str, Any]], key: str, name: str, index: int) -> Curve:
    found = [(look["step"], look[key]) for look in looks if look[key] is not None]
    return Curve(name=name, index=index, points=tuple(found), texts=tuple(f"{value:.3f} at step {step}" for step, value in found))
