"""How similar plausible and other candidates are to the buggy and to the fixed code (NL2Fix, figure 4)."""

import math
from collections.abc import Callable, Sequence

from repairlab.core.errors import UserError
from repairlab.core.figure import Axis, Figure, Shape, label, line
from repairlab.core.table import Cell, Table
from repairlab.metrics.distribution import Distribution, distribution
from repairlab.metrics.wilcoxon import Tested, rank_sum, signed_rank
from repairlab.study.papers.closeness import Closeness
from repairlab.study.papers.facts import PaperFacts, RunFacts

_SIDES: tuple[tuple[str, Callable[[Closeness], float]], ...] = (
    ("buggy", lambda item: item.to_buggy),
    ("fixed", lambda item: item.to_fixed),
)
_WIDTH, _LEFT, _RIGHT, _ROW, _TOP = 960, 330, 24, 26, 30


def similarity(facts: PaperFacts) -> Table:
    """Return the distribution of similarities per system, with Wilcoxon's tests."""
    runs = compared(facts)
    rows: list[tuple[Cell, ...]] = []
    for run in runs:
        plausible, others = groups(run)
        rows += [_row(run, "plausible", plausible, others), _row(run, "other", others, None)]
    columns = ["system", "candidates", "n"]
    for side, _ in _SIDES:
        columns += [f"median to {side}", f"IQR to {side}", f"kurtosis to {side}", f"p (plausible > other) to {side}"]
    return Table(
        name="similarity",
        title="Similarity of candidates to the buggy and to the fixed code",
        source="NL2Fix, figure 4",
        columns=(*columns, "p (to buggy > to fixed)"),
        rows=tuple(rows),
        n_heads=2,
        notes=(
            "Similarity is 1 − edit distance / length of the longer text, white space folded; NL2Fix takes CodeBLEU. Each distinct "
            "candidate that applies counts once.",
            "p: one-sided, Wilcoxon's rank-sum test between plausible and other candidates, and his signed-rank test between the "
            "two similarities of each candidate. Kurtosis is the excess over that of a normal distribution.",
            *facts.missing,
        ),
        figure=_figure(runs),
    )


def compared(facts: PaperFacts) -> list[RunFacts]:
    """Return the runs whose candidates were compared with the code; a UserError says why there is none."""
    runs = [run for run in facts.runs if run.has_texts]
    if not runs:
        raise UserError("; ".join(facts.missing) or "the benchmark is not at hand")
    return runs


def groups(run: RunFacts) -> tuple[list[Closeness], list[Closeness]]:
    """Return the plausible and the other distinct candidates."""
    found = [item for bug in run.bugs for item in bug.closeness]
    return [item for item in found if item.is_plausible], [item for item in found if not item.is_plausible]


def _row(run: RunFacts, group: str, found: Sequence[Closeness], others: Sequence[Closeness] | None) -> tuple[Cell, ...]:
    cells: list[Cell] = [run.name, group, len(found)]
    for _, side in _SIDES:
        values = [side(item) for item in found]
        spread = distribution(values)
        tested = rank_sum(values, [side(item) for item in others]) if others is not None else None
        cells += [spread.median, spread.iqr, spread.kurtosis, _p(tested)] if spread else [None] * 4
    tested = signed_rank([item.to_buggy for item in found], [item.to_fixed for item in found])
    return (*cells, _p(tested))


def _p(tested: Tested | None) -> float | None:
    return float(f"{tested.p_value:.6g}") if tested else None


def _figure(runs: Sequence[RunFacts]) -> Figure | None:
    boxes: list[tuple[RunFacts, str, Distribution]] = []
    for side, value in _SIDES:
        for run in runs:
            for group, found in zip(("plausible", "other"), groups(run), strict=True):
                spread = distribution([value(item) for item in found])
                if spread:
                    boxes.append((run, f"{group} to {side}", spread))
    if not boxes:
        return None
    low = math.floor(10 * min(0.9, *(spread.q1 for *_, spread in boxes))) / 10
    axis = Axis(low=low, high=1.0, start=_LEFT, end=_WIDTH - _RIGHT)
    bottom = _TOP + _ROW * len(boxes)
    shapes: list[Shape] = []
    for number in range(6):
        value_at = axis.low + (axis.high - axis.low) * number / 5
        shapes += [
            line(axis(value_at), _TOP - 8, axis(value_at), bottom, tone="grid"),
            label(axis(value_at), bottom + 18, f"{value_at:.2f}", anchor="middle"),
        ]
    for index, (run, what, spread) in enumerate(boxes):
        shapes += _box(axis, _TOP + _ROW * index + 9, run, what, spread)
    words = "; ".join(f"{run.name}, {what}: median {spread.median:.2f}, IQR {spread.iqr:.2f}" for run, what, spread in boxes)
    title = "Similarity to the buggy and to the fixed code"
    return Figure(width=_WIDTH, height=bottom + 28, title=title, words=words, shapes=tuple(shapes))


def _box(axis: Axis, y: float, run: RunFacts, what: str, spread: Distribution) -> list[Shape]:
    """Draw quartiles as a box and the ends at most 1.5 IQR away, as Tukey does."""
    tone = str(run.index)
    low, high = max(spread.low, spread.q1 - 1.5 * spread.iqr), min(spread.high, spread.q3 + 1.5 * spread.iqr)
    text = f"{run.name}, {what}: median {spread.median:.3f}, quartiles {spread.q1:.3f} and {spread.q3:.3f}, n = {spread.n}"
    width = max(axis(spread.q3) - axis(spread.q1), 1)
    return [
        label(_LEFT - 12, y + 4, f"{run.name}: {what}", anchor="end"),
        line(axis(low), y, axis(high), y, tone=tone),
        Shape(
            kind="box",
            x=axis(spread.q1),
            y=y - 7,
            x2=width,
            y2=14,
            tone=tone,
            text=text,
            opacity=0.35 if what.startswith("other") else 0.85,
        ),
        line(axis(spread.median), y - 7, axis(spread.median), y + 7, tone="ink", thick=True),
    ]
