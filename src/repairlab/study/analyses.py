"""All analyses of published results by name: each counts with functions of `metrics` and lays the numbers out as a table."""

from collections.abc import Callable, Mapping

from repairlab.core.errors import UserError, unknown
from repairlab.core.record import record
from repairlab.core.table import Cell, Table, named_rows
from repairlab.core.words import count
from repairlab.metrics.checks import checks, enough_checks
from repairlab.metrics.fixes import (
    best_per_type,
    counts_by_type,
    fixed_within,
    mean_first_rank,
    round_numbers,
    shared_fixes,
    union,
    unique_fixes,
)
from repairlab.metrics.ranked_results import RankedResults

Counts = Mapping[str, Mapping[str, int]]


@record
class AnalysisInputs:
    """What some analyses need besides the results."""

    against: RankedResults | None = None
    """Other tools, for the coverage of their fixes."""
    labels: Mapping[str, str] | None = None
    """Type of each bug, for the best system per type."""
    counts: Counts | None = None
    """Fixes by type and system, where they are known without labels of each bug."""
    top: tuple[int, ...] = tuple(range(1, 11))
    """How many plausible candidates a person looks at."""


def analyse(name: str, source: RankedResults, inputs: AnalysisInputs) -> Table:
    """Return the table of one analysis; a UserError says what it lacks."""
    if name not in ANALYSES:
        raise unknown("analysis", name, ANALYSES)
    return ANALYSES[name](source, inputs)


def _systems(source: RankedResults, inputs: AnalysisInputs) -> Table:  # noqa: ARG001  # all analyses have one signature
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


def _totals(source: RankedResults, inputs: AnalysisInputs) -> Table:  # noqa: ARG001
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
        columns=(
            "",
            "number",
        ),
        rows=named_rows(rows),
    )


def _overlap(source: RankedResults, inputs: AnalysisInputs) -> Table:  # noqa: ARG001
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


def _first_plausible(source: RankedResults, inputs: AnalysisInputs) -> Table:  # noqa: ARG001
    _need_assessed(source, "first-plausible")
    fixed = {system: checks(source, system, (1,))[0].correct for system in source.systems}
    rows: dict[str, tuple[Cell, ...]] = {system: (n, 1 + sum(other > n for other in fixed.values())) for system, n in fixed.items()}
    title = "Bugs whose first plausible candidate is correct, and the place this gives"
    return Table(name="first-plausible", title=title, columns=("system", "fixed", "place"), rows=named_rows(rows))


def _candidates(source: RankedResults, inputs: AnalysisInputs) -> Table:  # noqa: ARG001
    source.need_ranks("candidates")
    ks = round_numbers(source)
    rows: dict[str, tuple[Cell, ...]] = {system: fixed_within(source, system, ks) for system in source.systems}
    title = "Bugs fixed within the first k candidates"
    return Table(name="candidates", title=title, columns=("system", *map(str, ks)), rows=named_rows(rows))


def _types(source: RankedResults, inputs: AnalysisInputs) -> Table:
    if inputs.labels is None:
        raise UserError("types needs a type for each bug: --labels FILE")
    rows: dict[str, tuple[Cell, ...]] = {}
    for name, of_type in counts_by_type(source, inputs.labels).items():
        n = sum(inputs.labels.get(bug) == name for bug in source.bugs)
        rows[name] = (n, *(of_type[system] for system in source.systems))
    return Table(name="types", title="Fixed bugs by type", columns=("type", "bugs", *source.systems), rows=named_rows(rows))


def _ensembles(source: RankedResults, inputs: AnalysisInputs) -> Table:
    best = max(source.systems, key=lambda system: len(source.fixed[system]))
    rows: dict[str, tuple[Cell, ...]] = {"best system alone": (len(source.fixed[best]), best)}
    counts = inputs.counts
    if counts is None and inputs.labels is not None:
        counts = counts_by_type(source, inputs.labels)
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
    "types": _types,
    "ensembles": _ensembles,
}
"""In the order in which they are shown."""
