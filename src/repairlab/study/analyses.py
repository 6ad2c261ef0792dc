"""Analyses of published results by name: each computes with `metrics` and makes a table or figure of the numbers."""

import dataclasses
import functools
import math
from collections import Counter
from collections.abc import Callable, Mapping, Sequence

from repairlab.core.amounts import count
from repairlab.core.errors import UserError, unknown
from repairlab.core.figure import Axis, Figure, Point, Shape, label
from repairlab.core.record import record
from repairlab.core.table import Cell, Table, named_rows, percent
from repairlab.metrics.published import PublishedOutcome
from repairlab.metrics.ranked_results import (
    RankedResults,
    best_per_type,
    checks,
    counts_by_type,
    counts_of_rules,
    curve,
    enough_checks,
    fixed_within,
    mean_first_rank,
    round_numbers,
    shared_fixes,
    union,
    unique_fixes,
)
from repairlab.study.charts import Curve, bar_chart, line_chart
from repairlab.study.labelling.error_type import TYPES

Counts = Mapping[str, Mapping[str, int]]


@record
class AnalysisInputs:
    """What some analyses need besides the results."""

    against: RankedResults | None = None
    """Other tools, for the coverage of their fixes."""
    labels: Mapping[str, Mapping[str, str]] = dataclasses.field(default_factory=dict)
    """Label (type, element, state, ingredients) → bug → value, for fixes by group and the best system per type."""
    counts: Counts | None = None
    """Fixes by type and system, known without labels of each bug."""
    sizes: Mapping[str, int] = dataclasses.field(default_factory=dict)
    """Bugs of each of these types."""
    top: tuple[int, ...] = tuple(range(1, 11))
    """How many plausible candidates a person looks at."""


def analyse(name: str, source: RankedResults, inputs: AnalysisInputs) -> Table:
    """Return the table of one analysis; a UserError says what is missing."""
    if name not in ANALYSES:
        raise unknown("analysis", name, ANALYSES)
    return ANALYSES[name](source, inputs)


def _systems(source: RankedResults, _inputs: AnalysisInputs) -> Table:
    has_ranks = all(item.rank is not None for bugs in source.lists.values() for items in bugs.values() for item in items)
    rows: dict[str, tuple[Cell, ...]] = {}
    for system in source.systems:
        lists = source.lists[system]
        rows[system] = (
            sum(map(len, lists.values())),
            sum(any(item.verdict.passes for item in items) for items in lists.values()),
            len(source.fixed[system]),
            mean_first_rank(source, system) if has_ranks else None,
            len(unique_fixes(source, system)),
        )
    columns = ("candidates", "bugs with a plausible one", "fixed bugs", "mean rank of the first fix", "unique fixes")
    title = f"Systems on {count(len(source.bugs), 'bug')}; a fix is {_meaning(source)}"
    return Table(name="systems", title=title, columns=("system", *columns), rows=named_rows(rows))


def _meaning(source: RankedResults) -> str:
    return "a candidate that a person accepted" if source.count == "correct" else "a plausible candidate"


def _totals(source: RankedResults, _inputs: AnalysisInputs) -> Table:
    items = [item for bugs in source.lists.values() for found in bugs.values() for item in found]
    rows: dict[str, tuple[Cell, ...]] = {
        "systems": (len(source.systems),),
        "bugs": (len(source.bugs),),
        "candidates": (len(items),),
        "plausible candidates": (sum(item.verdict.passes for item in items),),
        "fixes": (sum(item.verdict.is_fix(source.count) for item in items),),
    }
    return Table(
        name="totals",
        title=f"All systems together; a fix is {_meaning(source)}",
        columns=("", "number"),
        rows=named_rows(rows),
    )


def _overlap(source: RankedResults, _inputs: AnalysisInputs) -> Table:
    rows: dict[str, tuple[Cell, ...]] = {
        system: tuple(
            len(unique_fixes(source, system)) if other == system else _share(source, other, source, system)
            for other in source.systems
        )
        for system in source.systems
    }
    title = "Of the row's fixes, how many percent the column fixes as well; diagonal: bugs that no other system fixes"
    return Table(name="overlap", title=title, columns=("system", *source.systems), rows=named_rows(rows))


def _share(source: RankedResults, system: str, other: RankedResults, tool: str) -> float | None:
    n = len(other.fixed[tool])
    return 100 * len(shared_fixes(source, system, other, tool)) / n if n else None


def _coverage(source: RankedResults, inputs: AnalysisInputs) -> Table:
    if inputs.against is None:
        raise UserError("coverage needs the results of other tools: --against FILE")
    other = inputs.against
    rows: dict[str, tuple[Cell, ...]] = {
        tool: (len(other.fixed[tool]), *(_share(source, system, other, tool) for system in source.systems))
        for tool in other.systems
    }
    title = "Of the other tool's fixes, how many percent each system fixes as well"
    return Table(name="coverage", title=title, columns=("tool", "fixed", *source.systems), rows=named_rows(rows))


def _need_assessed(source: RankedResults, purpose: str) -> None:
    source.need_ranks(purpose)
    if source.count != "correct":
        raise UserError(f"{purpose} needs candidates that a person accepted or rejected; these are only plausible")


def _checks(source: RankedResults, inputs: AnalysisInputs) -> Table:
    _need_assessed(source, "checks")
    rows: dict[str, tuple[Cell, ...]] = {}
    for system in source.systems:
        found = checks(source, system, (*inputs.top, None))
        rows[system] = (*(f"{item.correct}/{item.checks}" for item in found), enough_checks(source, system))
    title = (
        "Correct bugs / checks, when the first k plausible candidates are looked at; PM_K: the k after which nothing more is found"
    )
    return Table(name="checks", title=title, columns=("system", *_tops(inputs), "PM_K"), rows=named_rows(rows))


def _tops(inputs: AnalysisInputs) -> tuple[str, ...]:
    return (*(f"top-{k}" for k in inputs.top), "all")


def _precision(source: RankedResults, inputs: AnalysisInputs) -> Table:
    _need_assessed(source, "precision")
    rows: dict[str, tuple[Cell, ...]] = {
        system: tuple(item.precision for item in checks(source, system, (*inputs.top, None))) for system in source.systems
    }
    title = "Correct bugs per check, in percent"
    return Table(name="precision", title=title, columns=("system", *_tops(inputs)), rows=named_rows(rows))


def _first_plausible(source: RankedResults, _inputs: AnalysisInputs) -> Table:
    _need_assessed(source, "first-plausible")
    fixed = {system: checks(source, system, (1,))[0].correct for system in source.systems}
    rows: dict[str, tuple[Cell, ...]] = {system: (n, _place(n, fixed)) for system, n in fixed.items()}
    names = _benchmarks_of(source)
    for name in names if len(names) > 1 else ():
        part = dataclasses.replace(source, lists={system: _only(name, bugs) for system, bugs in source.lists.items()})
        of_part = {system: checks(part, system, (1,))[0].correct for system in source.systems}
        rows = {system: (*cells, of_part[system], _place(of_part[system], of_part)) for system, cells in rows.items()}
    more = tuple(text for name in names if len(names) > 1 for text in (f"fixed in {name}", f"place on {name}"))
    title = "Bugs whose first plausible candidate is correct, and the place this gives"
    return Table(name="first-plausible", title=title, columns=("system", "fixed", "place", *more), rows=named_rows(rows))


def _place(n: int, fixed: Mapping[str, int]) -> int:
    return 1 + sum(other > n for other in fixed.values())


def _benchmarks_of(source: RankedResults) -> tuple[str, ...]:
    return tuple(dict.fromkeys(map(_benchmark_of, source.bugs)))


def _benchmark_of(bug: str) -> str:
    return bug.partition("/")[0]


def _only(benchmark: str, bugs: Mapping[str, tuple[PublishedOutcome, ...]]) -> dict[str, tuple[PublishedOutcome, ...]]:
    return {bug: items for bug, items in bugs.items() if _benchmark_of(bug) == benchmark}


def _candidates(source: RankedResults, _inputs: AnalysisInputs) -> Table:
    source.need_ranks("candidates")
    ks = round_numbers(source)
    rows: dict[str, tuple[Cell, ...]] = {system: fixed_within(source, system, ks) for system in source.systems}
    title = "Bugs fixed within the first k candidates"
    return Table(name="candidates", title=title, columns=("system", *map(str, ks)), rows=named_rows(rows))


GROUPS: Mapping[str, tuple[str, str, tuple[str, ...]]] = {
    "types": ("type", "NPR4J, table 5", ()),
    "elements": ("element", "NPR4J, figure 5", ("token", "partial", "whole", "multi")),
    "states": ("state", "NPR4J, figure 6", ("redundant", "incorrect", "missing")),
    "ingredients": ("ingredients", "NPR4J, figure 7", ("line", "function", "file", "project", "outside")),
}
"""Table → label of bugs, as published, and the order of groups."""


def _labelled(table: str, source: RankedResults, inputs: AnalysisInputs) -> Table:
    name, published, order = GROUPS[table]
    labels = inputs.labels.get(name)
    if labels:
        return _grouped(table, name, source, labels, published=published, order=order)
    if not inputs.sizes or name == "ingredients":
        raise UserError(f"{table} needs {'ingredients' if name == 'ingredients' else f'the {name}'} of each bug: --labels FILE")
    group_of = {kind: {"type": kind, "state": state, "element": element}[name] for kind, (state, element) in TYPES.items()}
    sizes, counts = Counter[str](), {group: Counter[str]() for group in group_of.values()}
    for kind, of_type in (inputs.counts or {}).items():
        if kind not in TYPES or kind not in inputs.sizes:
            raise unknown("type", kind, inputs.sizes if kind in TYPES else TYPES)
        sizes[group_of[kind]] += inputs.sizes[kind]
        counts[group_of[kind]].update(of_type)
    return _rates(table, name, source.systems, counts, sizes, published=published, order=order)


def _grouped(
    table: str, name: str, source: RankedResults, groups: Mapping[str, str], *, published: str, order: Sequence[str] = ()
) -> Table:
    sizes = Counter(groups[bug] for bug in source.bugs if bug in groups)
    return _rates(table, name, source.systems, counts_by_type(source, groups), sizes, published=published, order=order)


def _rates(
    table: str, name: str, systems: Sequence[str], counts: Counts, sizes: Mapping[str, int], *, published: str, order: Sequence[str]
) -> Table:
    """Return fixed bugs by group, as numbers and percentages of the group."""
    rows: dict[str, tuple[Cell, ...]] = {}
    for group in sorted(counts, key=lambda item: order.index(item) if item in order else len(order)):
        fixed = [counts[group][system] for system in systems]
        rows[group] = (sizes[group], *fixed, *(percent(found, sizes[group]) for found in fixed))
    columns = (name, "bugs", *systems, *(f"{system} %" for system in systems))
    return Table(name=table, title=f"Fixed bugs by {name}", source=published, columns=columns, rows=named_rows(rows))


def _benchmarks(source: RankedResults, _inputs: AnalysisInputs) -> Table:
    groups = {bug: _benchmark_of(bug) for bug in source.bugs}
    return _grouped("benchmarks", "benchmark", source, groups, published="NPR4J, figure 9", order=_benchmarks_of(source))


_TOP_RULES = 3


def _rules(source: RankedResults, _inputs: AnalysisInputs) -> Table:
    rows: dict[str, tuple[Cell, ...]] = {}
    for system in source.systems:
        for name in _benchmarks_of(source):
            found = counts_of_rules(source, system, _only(name, source.lists[system]))
            if found:
                rows[f"{system}, {name}"] = (found.total(), *_most_frequent(found))
    if not rows:
        raise UserError("rules needs candidates that a person accepted by a rule (R0 to R19)")
    tops = [text for place in range(1, _TOP_RULES + 1) for text in (f"top-{place}", f"top-{place} %")]
    return Table(
        name="rules",
        title="Most frequent rules by which candidates were accepted",
        source="NPR4J, table 11",
        columns=("system and benchmark", "with a rule", *tops),
        rows=named_rows(rows),
    )


def _most_frequent(found: Counter[str]) -> list[Cell]:
    ordered = sorted(found.items(), key=lambda item: (-item[1], int(item[0].removeprefix("R"))))[:_TOP_RULES]
    cells: list[Cell] = [cell for rule, n in ordered for cell in (rule, percent(n, found.total()))]
    return [*cells, *[None] * (2 * _TOP_RULES - len(cells))]


def _ensembles(source: RankedResults, inputs: AnalysisInputs) -> Table:
    best = max(source.systems, key=lambda system: len(source.fixed[system]))
    rows: dict[str, tuple[Cell, ...]] = {"best system alone": (len(source.fixed[best]), best)}
    counts = inputs.counts
    if counts is None and "type" in inputs.labels:
        counts = counts_by_type(source, inputs.labels["type"])
    if counts is not None:
        choices = best_per_type(counts)
        chosen = ", ".join(dict.fromkeys(item.system for item in choices if item.fixed))
        rows["best system per type"] = (sum(item.fixed for item in choices), chosen)
    rows["union"] = (len(union(source)), "all")
    return Table(name="ensembles", title="Systems together", columns=("ensemble", "fixed bugs", "systems"), rows=named_rows(rows))


ANALYSES: dict[str, Callable[[RankedResults, AnalysisInputs], Table]] = {
    "systems": _systems,
    "totals": _totals,
    "overlap": _overlap,
    "coverage": _coverage,
    "checks": _checks,
    "precision": _precision,
    "first-plausible": _first_plausible,
    "candidates": _candidates,
    **{name: functools.partial(_labelled, name) for name in GROUPS},
    "benchmarks": _benchmarks,
    "rules": _rules,
    "ensembles": _ensembles,
}
"""In display order."""


def group_bars(source: RankedResults, table: Table) -> Figure:
    """Draw the share of fixed bugs of each group, a bar for each system."""
    rates = {group: cells[1 + len(source.systems) :] for group, cells in table.by_row.items()}
    bars = {group: [float(rate or 0) for rate in cells if not isinstance(rate, str)] for group, cells in rates.items()}
    texts = {
        group: [f"{name}: {fixed} of {cells[0]} fixed" for name, fixed in zip(source.systems, cells[1:], strict=False)]
        for group, cells in table.by_row.items()
    }
    said = "; ".join(f"{group}: {', '.join(texts[group])}" for group in texts)
    return bar_chart(table.title, "fixed bugs of the group", source.systems, bars, texts, said)


_SQUARE = 58


def candidate_curves(source: RankedResults) -> Figure:
    """Draw how many bugs each system fixes within its first k candidates."""
    source.need_ranks("the figure of candidates")
    last = max((item.rank or 1 for bugs in source.lists.values() for items in bugs.values() for item in items), default=1)
    curves = [
        Curve(name=system, index=index, points=_steps([(float(k), float(n)) for k, n in curve(source, system)], float(last)))
        for index, system in enumerate(source.systems)
    ]
    top = max((len(fixed) for fixed in source.fixed.values()), default=0)
    x = Axis(low=1, high=max(last, 2), log=True, label="candidates per bug")
    y = Axis(low=0, high=max(top, 1), whole=True, label="fixed bugs")
    words = "; ".join(f"{system}: {len(fixed)} fixed bugs" for system, fixed in source.fixed.items())
    return line_chart("Bugs fixed within the first k candidates", x, y, curves, words)


def _steps(changes: list[Point], end: float) -> tuple[Point, ...]:
    """Return a line that stays level between changes."""
    points: list[Point] = [(1.0, 0.0)]
    for k, n in changes:
        points += [(k, points[-1][1]), (k, n)]
    return (*points, (end, points[-1][1]))


def check_curves(source: RankedResults) -> Figure:
    """Draw correct bugs against precision, one point for each number of plausible candidates looked at."""
    curves = []
    for index, system in enumerate(source.systems):
        found = checks(source, system, range(1, (enough_checks(source, system) or 0) + 1))
        points = tuple((float(item.correct), item.precision or 0.0) for item in found)
        texts = tuple(f"{item.correct} correct in {item.checks} checks" for item in found)
        curves.append(Curve(name=system, index=index, points=points, texts=texts))
    values = [point for item in curves for point in item.points]
    x = Axis(
        low=0,
        high=max((point[0] for point in values), default=1),
        label="bugs found correct, one point for each number of plausible candidates looked at",
    )
    y = Axis(low=0, high=max((point[1] for point in values), default=100), label="correct per check", unit=" %")
    words = "; ".join(f"{item.name}: {item.texts[-1]}" for item in curves if item.texts)
    return line_chart("More checks find more bugs, at a lower precision", x, y, curves, words)


def overlap_map(table: Table) -> Figure:
    """Draw the overlap of systems as squares; darker means more."""
    left, top = 150, 110
    rows = table.by_row
    shapes = [label(left + _SQUARE * (i + 0.5) + 4, top - 8, column, angle=-45) for i, column in enumerate(table.columns[1:])]
    for j, (row, cells) in enumerate(rows.items()):
        y = top + _SQUARE * j
        shapes.append(label(left - 8, y + _SQUARE / 2 + 4, row, anchor="end"))
        for i, cell in enumerate(cells):
            x = left + _SQUARE * i
            text = "–" if cell is None else f"{math.floor(cell)}" if isinstance(cell, float) else f"[{cell}]"
            if isinstance(cell, float):
                said = f"{table.columns[i + 1]} fixes {cell:.1f} % of what {row} fixes"
                shapes.append(Shape(kind="box", x=x, y=y, x2=_SQUARE - 2, y2=_SQUARE - 2, tone="0", opacity=cell / 125, text=said))
            shapes.append(label(x + _SQUARE / 2, y + _SQUARE / 2 + 4, text, anchor="middle", tone="ink"))
    bottom = top + _SQUARE * len(rows)
    shapes.append(
        label(
            left, bottom + 24, "Of the row's fixes, how many percent the column fixes as well; [n]: bugs that no other system fixes"
        )
    )
    width = max(left + _SQUARE * len(rows) + 110, 620)
    title = "Fixes of the row's system that the column's fixes as well, in percent"
    return Figure(width=width, height=bottom + 44, title=title, words=title, shapes=tuple(shapes))
