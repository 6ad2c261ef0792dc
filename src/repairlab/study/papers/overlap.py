"""Bugs that systems fix together or alone (NL2Fix, figure 3), and before and after the bugs were perturbed (NPR4J, § 7)."""

import re
from collections.abc import Sequence

from repairlab.core.amounts import count
from repairlab.core.errors import UserError
from repairlab.core.figure import Axis, Figure, Shape, label, line
from repairlab.core.table import Cell, Table, percent
from repairlab.metrics.compare import Overlaps, Region, mcnemar, overlaps
from repairlab.study.papers.facts import PaperFacts, RunFacts

_MOST = 24
_WIDTH, _TOP, _BARS, _ROW, _LEFT = 960, 24, 150, 24, 260


def overlap(facts: PaperFacts) -> Table:
    """Return each set of systems with the bugs that exactly these fix."""
    runs = [run for run in facts.runs if not run.scores.is_oracle]
    if len(runs) < 2:
        raise UserError("overlap compares systems, of which the oracle is none; give two runs or more")
    digests = {run.scores.run.manifest.benchmark_digest for run in runs}
    if len(digests) > 1:
        raise UserError("the runs are on different benchmarks; overlap needs the same bugs")
    found = overlaps({run.name: {bug.samples.bug_id for bug in run.bugs if bug.is_fixed} for run in runs})
    n_bugs = len({bug.samples.bug_id for run in runs for bug in run.bugs})
    rows = tuple(
        (" + ".join(region.systems), len(region.systems), n, percent(n, n_bugs), ", ".join(region.bugs))
        for region in found.regions
        for n in (len(region.bugs),)
    )
    return Table(
        name="overlap",
        title="Overlap of fixed bugs: exactly these systems fix them",
        source="NL2Fix, figure 3",
        columns=("systems", "how many", "bugs", "% of all bugs", "which"),
        rows=rows,
        notes=(
            f"All systems fix {len(found.by_all)} of {count(n_bugs, 'bug')}, at least one of them fixes {len(found.by_any)}.",
            *(f"Only {run.name}: {len(found.only(run.name))}." for run in runs),
        ),
        figure=_figure(runs, found) if found.regions else None,
    )


def robustness(facts: PaperFacts) -> Table:
    """Return what each system fixes of the same bugs before and after they were perturbed."""
    plain = {_asked(run): run for run in facts.runs if _MADE not in _benchmark(run)}
    rows: list[tuple[Cell, ...]] = []
    for run in facts.runs:
        name, changed, changes = _benchmark(run).partition(_MADE)
        before = plain.get((_PART.sub("", name), *_asked(run)[1:])) if changed else None
        if before is None:
            continue
        old, new = ({bug.samples.bug_id: bug.is_fixed for bug in item.decided} for item in (before, run))
        both = sorted(old.keys() & new.keys())
        lost, gained = ([bug for bug in both if one[bug] and not other[bug]] for one, other in ((old, new), (new, old)))
        n_old, n_new = (sum(item[bug] for bug in both) for item in (old, new))
        shares = (percent(n_old, len(both)), percent(n_new, len(both)))
        p = round(mcnemar(len(lost), len(gained)), 4)
        rows.append((before.name, changes, len(both), n_old, shares[0], n_new, shares[1], len(lost), len(gained), p))
    if not rows:
        raise UserError("no run has a twin on perturbed bugs; make one with: repairlab run BENCHMARK … --perturb rename")
    return Table(
        name="robustness",
        title="Fixed bugs before and after bugs were perturbed",
        source="NPR4J, § 7",
        columns=("system", "changes", "bugs", "before", "% before", "after", "% after", "lost", "gained", "p"),
        rows=tuple(rows),
        n_heads=2,
        notes=("Bugs that both runs decided. p: exact McNemar test.",),
    )


_MADE = "+"
"""Stands between the name of a benchmark and its perturbations."""
_PART = re.compile(r"-[0-9a-f]{8}$")
"""Follows the name if only some of the bugs were perturbed."""


def _benchmark(run: RunFacts) -> str:
    return run.scores.run.manifest.benchmark_name


def _asked(run: RunFacts) -> tuple[object, ...]:
    """Return what must be the same before and after."""
    asked = run.scores.run.manifest.experiment
    return _benchmark(run), asked.repairer, asked.settings, asked.n, asked.visibility, asked.rounds


def _figure(runs: Sequence[RunFacts], found: Overlaps) -> Figure:
    """Draw a column for each set: a bar for its size, and dots for the systems in it."""
    regions = found.regions[:_MOST]
    step = min(56.0, (_WIDTH - _LEFT - 24) / len(regions))
    bar = Axis(low=0, high=len(regions[0].bugs), start=0, end=_BARS)
    floor = _TOP + _BARS
    shapes: list[Shape] = [line(_LEFT, floor, _LEFT + step * len(regions), floor, tone="grid")]
    rows = {run.name: float(floor + 24 + _ROW * index) for index, run in enumerate(runs)}
    for run in runs:
        n_fixed = sum(bug.is_fixed for bug in run.bugs)
        shapes.append(label(_LEFT - 12, rows[run.name] + 4, f"{run.name} ({n_fixed})", anchor="end"))
    for index, region in enumerate(regions):
        shapes += _column(_LEFT + step * (index + 0.5), step, floor - bar(len(region.bugs)), floor, region, runs, rows)
    words = "; ".join(f"{' and '.join(region.systems)}: {len(region.bugs)}" for region in regions)
    return Figure(
        width=_WIDTH,
        height=floor + 24 + _ROW * len(runs),
        title="Bugs fixed by exactly these systems",
        words=words,
        shapes=tuple(shapes),
    )


def _column(
    x: float, step: float, top: float, floor: float, region: Region, runs: Sequence[RunFacts], rows: dict[str, float]
) -> list[Shape]:
    x, width = round(x, 1), round(step * 0.6, 1)
    text = f"{' and '.join(region.systems)}: {count(len(region.bugs), 'bug')}"
    tones = [str(run.index) for run in runs if run.name in region.systems]
    mine = [rows[name] for name in region.systems]
    return [
        Shape(
            kind="box", x=round(x - width / 2, 1), y=top, x2=width, y2=round(floor - top, 1),
            tone=tones[0] if len(tones) == 1 else "soft", text=text, opacity=0.85,
        ),
        label(x, top - 6, str(len(region.bugs)), anchor="middle", tone="ink"),
        line(x, min(mine), x, max(mine), tone="soft", thick=True),
        *(
            Shape(kind="dot", x=x, y=rows[run.name], x2=6, tone=str(run.index) if run.name in region.systems else "grid", text=text)
            for run in runs
        ),
    ]  # fmt: skip
