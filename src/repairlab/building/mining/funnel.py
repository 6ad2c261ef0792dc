"""How much each stage of mining kept and why the rest was dropped: a table, a picture and a file."""

import json
from collections import Counter
from pathlib import Path

from repairlab.core.figure import Figure, Shape
from repairlab.core.record import record
from repairlab.core.table import Table

FILE = "funnel.json"
_BAR, _GAP, _LEFT, _WIDTH = 22, 8, 130, 420


@record
class Stage:
    """One filter and how much of its input it kept."""

    name: str
    n: int
    reasons: dict[str, int]
    """Why input was dropped, most frequent first."""


class Funnel:
    """Counts what reaches each stage."""

    def __init__(self) -> None:
        self._left: dict[str, int] = {}
        self._reasons: dict[str, Counter[str]] = {}

    def count(self, stage: str, reason: str = "", n: int = 1) -> bool:
        """Count what reached a stage, which goes on unless there is a reason against; return whether it goes on."""
        self._left.setdefault(stage, 0)
        if reason:
            self._reasons.setdefault(stage, Counter())[reason] += n
        else:
            self._left[stage] += n
        return not reason

    @property
    def stages(self) -> tuple[Stage, ...]:
        """Return the stages in order."""
        return tuple(
            Stage(name=name, n=n, reasons=dict(self._reasons.get(name, Counter()).most_common())) for name, n in self._left.items()
        )


def funnel_table(stages: tuple[Stage, ...], things: str = "Commits") -> Table:
    """Return the funnel as a table with its picture."""
    title = f"{things} left by each stage"
    rows = tuple((stage.name, stage.n, "; ".join(f"{n}: {reason}" for reason, n in stage.reasons.items())) for stage in stages)
    return Table(name="funnel", title=title, columns=("stage", "left", "gone"), rows=rows, figure=_figure(stages, title))


def write_funnel(folder: Path, stages: tuple[Stage, ...]) -> None:
    """Write the counts beside the benchmark."""
    data = [{"stage": stage.name, "left": stage.n, "gone": stage.reasons} for stage in stages]
    (folder / FILE).write_text(json.dumps(data, indent=1, ensure_ascii=False) + "\n", encoding="utf-8")


def _figure(stages: tuple[Stage, ...], title: str) -> Figure:
    most = max((stage.n for stage in stages), default=0) or 1
    shapes: list[Shape] = []
    for place, stage in enumerate(stages):
        top = place * (_BAR + _GAP) + _GAP
        width = max(1.0, _WIDTH * stage.n / most)
        shapes += [
            Shape(kind="text", x=_LEFT - 8, y=top + _BAR * 0.7, text=stage.name, anchor="end"),
            Shape(kind="box", x=_LEFT, y=top, x2=width, y2=_BAR, tone="0", text=f"{stage.name}: {stage.n}"),
            Shape(kind="text", x=_LEFT + width + 6, y=top + _BAR * 0.7, text=f"{stage.n:,}"),
        ]
    words = "; ".join(f"{stage.name} {stage.n}" for stage in stages)
    height = len(stages) * (_BAR + _GAP) + 2 * _GAP
    return Figure(width=_LEFT + _WIDTH + 90, height=height, title=title, words=words, shapes=tuple(shapes))
