"""What a study found: each system under each condition over seeds, and paired tests corrected for multiple comparisons (Holm)."""

import itertools
import math
from collections.abc import Iterator, Mapping, Sequence
from pathlib import Path

from repairlab.core.amounts import total_cost
from repairlab.core.errors import UserError
from repairlab.core.record import record
from repairlab.core.table import Cell as TableCell
from repairlab.core.table import Table
from repairlab.metrics.compare import holm
from repairlab.metrics.metric import Values
from repairlab.metrics.seeds import SeededMean, seeded_mean, sign_flips
from repairlab.metrics.statistics import interval
from repairlab.metrics.table import values_of
from repairlab.repairers.ledger import FILE, read_requests
from repairlab.runs.repairing import prices_of
from repairlab.runs.study_file import Cell
from repairlab.study.plots import IntervalRow, Spot, forest, scatter
from repairlab.study.scores import ORACLE, Measured, read_run


@record
class Finished:
    """A finished cell."""

    cell: Cell
    run: Measured
    seconds: float


@record
class Arm:
    """One system under one condition on one benchmark: its seeds."""

    system: str
    condition: str
    index: int
    """Number of the system, which decides its colour."""
    cells: tuple[Finished, ...]
    by_bug: Mapping[str, float]
    """The metric of each bug, averaged over seeds."""
    mean: SeededMean
    fixed: SeededMean
    cost_usd: float | None

    @property
    def name(self) -> str:
        """Return system and condition."""
        return f"{self.system} · {self.condition}"

    @property
    def is_oracle(self) -> bool:
        """Whether it proposes the developers' fixes."""
        return self.cells[0].cell.experiment.repairer == ORACLE


@record
class BenchmarkResults:
    """What a study found on one benchmark."""

    name: str
    metric: str
    arms: tuple[Arm, ...]
    table: Table
    tests: Table | None
    pictures: tuple[Table, ...]
    """Tables with nothing but a picture."""


def read_finished(cells: Sequence[tuple[Cell, Path]], seconds: Mapping[str, float]) -> list[Finished]:
    """Read the runs of finished cells."""
    return [Finished(cell=cell, run=read_run(folder), seconds=seconds.get(cell.name, 0.0)) for cell, folder in cells]


def results(finished: Sequence[Finished], *, k: int = 1) -> tuple[BenchmarkResults, ...]:
    """Return what was found on each benchmark; p-values are corrected for all tests of the study together."""
    systems = list(dict.fromkeys(item.cell.system for item in finished))
    by_benchmark: dict[str, list[Finished]] = {}
    for item in finished:
        by_benchmark.setdefault(item.cell.benchmark, []).append(item)
    found = {name: _arms(mine, systems, k) for name, mine in by_benchmark.items()}
    pairs = [(name, *pair) for name, (_, arms) in found.items() for pair in _pairs(arms)]
    p_values = [sign_flips(_differences(a, b)) for _, a, b in pairs]
    adjusted = holm(p_values)
    rows: dict[str, list[tuple[TableCell, ...]]] = {}
    for (name, a, b), p, corrected in zip(pairs, p_values, adjusted, strict=True):
        rows.setdefault(name, []).append(_test_row(a, b, p, corrected))
    return tuple(
        BenchmarkResults(
            name=name,
            metric=metric,
            arms=arms,
            table=_table(name, metric, arms),
            tests=_tests(name, metric, rows[name], len(pairs)) if name in rows else None,
            pictures=tuple(_pictures(name, metric, arms)),
        )
        for name, (metric, arms) in found.items()
    )


def _arms(finished: Sequence[Finished], systems: Sequence[str], k: int) -> tuple[str, tuple[Arm, ...]]:
    """Return the arms by pass@k if all runs have it, else by top@k: conversations only have that."""
    metric = next((name for name in ("pass@k", "top@k") if all(_values(name, k, item) for item in finished)), None)
    if metric is None:
        raise UserError(f"the runs of {finished[0].cell.benchmark} have no metric at k = {k} in common; choose another k with -k")
    grouped: dict[tuple[str, str], list[Finished]] = {}
    for item in finished:
        grouped.setdefault((item.cell.system, item.cell.condition), []).append(item)
    arms = []
    for (system, condition), mine in grouped.items():
        by_seed = [_table_of(_values(metric, k, item)) for item in mine]
        fixed = [_table_of(_values("fixed", None, item)) for item in mine]
        bugs = [bug for bug in by_seed[0] if all(bug in other for other in (*by_seed, *fixed))]
        if not bugs:
            raise UserError(f"{system} under {condition}: no bug was decided for every seed")
        arms.append(
            Arm(
                system=system,
                condition=condition,
                index=systems.index(system),
                cells=tuple(mine),
                by_bug={bug: math.fsum(values[bug] for values in by_seed) / len(by_seed) for bug in bugs},
                mean=seeded_mean([[values[bug] for bug in bugs] for values in by_seed]),
                fixed=seeded_mean([[values[bug] for bug in bugs] for values in fixed]),
                cost_usd=total_cost(_cost(item) for item in mine),
            )
        )
    return metric.replace("@k", f"@{k}"), tuple(arms)


def _values(metric: str, k: int | None, item: Finished) -> Values | None:
    try:
        return values_of(metric, k, item.run.samples, item.run.settings)
    except UserError:
        return None


def _table_of(values: Values | None) -> dict[str, float]:
    return values.by_bug if values else {}


def _cost(item: Finished) -> float | None:
    folder = item.run.folder
    return total_cost(request.cost_usd for request in read_requests(folder / FILE, prices_of(folder)))


def _pairs(arms: Sequence[Arm]) -> Iterator[tuple[Arm, Arm]]:
    """Yield systems under the same condition, and conditions of the same system; the developers' fixes do not compete."""
    for a, b in itertools.combinations([arm for arm in arms if not arm.is_oracle], 2):
        if (a.condition == b.condition) != (a.system == b.system):
            yield a, b


def _differences(a: Arm, b: Arm) -> list[float]:
    return [value - b.by_bug[bug] for bug, value in a.by_bug.items() if bug in b.by_bug]


def _test_row(a: Arm, b: Arm, p: float, corrected: float) -> tuple[TableCell, ...]:
    found = _differences(a, b)
    if not found:
        return (a.name, b.name, 0, None, None, None, p, corrected)
    bounds, mean = interval(found), math.fsum(found) / len(found)
    return (a.name, b.name, len(found), *(round(100 * value, 6) for value in (mean, bounds.low, bounds.high)), p, corrected)


def _table(name: str, metric: str, arms: Sequence[Arm]) -> Table:
    return Table(
        name=f"{Path(name).name}-systems",
        title=f"Systems and conditions on {Path(name).name}",
        columns=(
            "system", "condition", "seeds", "bugs", f"{metric} %", "low", "high", "SD over seeds", "fixed %", "fixed low",
            "fixed high",
            "candidates", "undecided", "USD", "seconds",
        ),
        rows=tuple(_row(arm) for arm in sorted(arms, key=lambda arm: (-arm.mean.value, arm.name))),
        n_heads=2,
        notes=(
            "Low and high: 95 % bootstrap intervals over seeds and bugs; with one seed, over bugs alone. USD: what the runs paid. "
            "Plausible is not correct.",
        ),
    )  # fmt: skip


def _row(arm: Arm) -> tuple[TableCell, ...]:
    verdicts = [verdict for item in arm.cells for samples in item.run.samples for verdict in samples.verdicts]
    deviation = None if arm.mean.deviation is None else 100 * arm.mean.deviation
    return (
        arm.system,
        arm.condition,
        len(arm.cells),
        len(arm.by_bug),
        *(round(100 * value, 6) for value in (arm.mean.value, arm.mean.low, arm.mean.high)),
        deviation,
        *(round(100 * value, 6) for value in (arm.fixed.value, arm.fixed.low, arm.fixed.high)),
        len(verdicts),
        sum(verdict.value == "UNDECIDED" for verdict in verdicts),
        arm.cost_usd,
        round(sum(item.seconds for item in arm.cells), 1),
    )


def _tests(name: str, metric: str, rows: Sequence[tuple[TableCell, ...]], n_tests: int) -> Table:
    return Table(
        name=f"{Path(name).name}-tests",
        title=f"Paired tests on {Path(name).name}",
        columns=("first", "second", "bugs", f"difference in {metric}, points", "low", "high", "p", "p (Holm)"),
        rows=tuple(sorted(rows, key=lambda row: (float(row[6] or 0), str(row[0])))),
        n_heads=2,
        notes=(
            "Difference: first minus second, each bug averaged over seeds; 95 % paired bootstrap over bugs. p: two-sided, random "
            f"signs of the differences. p (Holm): corrected for all {n_tests} tests of the study.",
        ),
    )


def _pictures(name: str, metric: str, arms: Sequence[Arm]) -> Iterator[Table]:
    short = Path(name).name
    bars = [
        IntervalRow(name=arm.name, index=arm.index, value=100 * arm.mean.value, low=100 * arm.mean.low, high=100 * arm.mean.high)
        for arm in sorted(arms, key=lambda arm: (-arm.mean.value, arm.name))
    ]
    title = f"{metric} on {short}"
    yield Table(name=f"{short}-intervals", title=title, columns=(), rows=(), figure=forest(title, metric, bars))
    priced = [arm for arm in arms if arm.cost_usd is not None]
    unit, costs = "USD per seed", {arm.name: (arm.cost_usd or 0.0) / len(arm.cells) for arm in priced}
    if not any(costs.values()):
        priced, unit = list(arms), "seconds per seed"
        costs = {arm.name: sum(item.seconds for item in arm.cells) / len(arm.cells) for arm in arms}
    if any(costs.values()):
        spots = [Spot(name=arm.name, index=arm.index, cost=costs[arm.name], value=100 * arm.fixed.value) for arm in priced]
        title = f"Cost against fixed bugs on {short}"
        yield Table(name=f"{short}-cost", title=title, columns=(), rows=(), figure=scatter(title, unit, "fixed bugs", spots))
