"""All analyses of results by name: each counts with the pure functions beside it and lays the numbers out as a table."""

from collections.abc import Callable, Mapping

from repairlab.core.errors import UserError, unknown
from repairlab.core.record import record
from repairlab.published.candidates import fixed_within, round_numbers
from repairlab.published.checks import checks, enough_checks
from repairlab.published.fixes import best_per_type, counts_by_type, mean_first_rank, shared_fixes, union, unique_fixes
from repairlab.published.grid import Cell, Grid
from repairlab.published.ranked import Ranked

Counts = Mapping[str, Mapping[str, int]]


@record
class Beside:
    """What some analyses need besides the results."""

    against: Ranked | None = None
    """Other tools, for the coverage of their fixes."""
    labels: Mapping[str, str] | None = None
    """Type of each bug, for the best system per type."""
    counts: Counts | None = None
    """Fixes by type and system, where they are known without labels of each bug."""
    top: tuple[int, ...] = tuple(range(1, 11))
    """How many plausible candidates a person looks at."""


def analyse(name: str, source: Ranked, beside: Beside) -> Grid:
    """Return the table of one analysis; a UserError says what it lacks."""
    if name not in ANALYSES:
        raise unknown("analysis", name, ANALYSES)
    return ANALYSES[name](source, beside)


def _systems(source: Ranked, beside: Beside) -> Grid:  # noqa: ARG001  # all analyses have one signature
    has_ranks = all(item.rank is not None for bugs in source.lists.values() for items in bugs.values() for item in items)
    rows: dict[str, tuple[Cell, ...]] = {}
    for system in source.systems:
        lists = source.lists[system]
        rows[system] = (
            sum(map(len, lists.values())),
            sum(any(item.ruling.passes for item in items) for items in lists.values()),
            len(source.fixed[system]),
            mean_first_rank(source, system) if has_ranks else None,
            len(unique_fixes(source, system)),
        )
    columns = ("candidates", "bugs with a plausible one", "fixed bugs", "mean rank of the first fix", "unique fixes")
    title = f"Systems on {len(source.bugs)} bugs; a fix is {_meaning(source)}"
    return Grid(name="systems", title=title, corner="system", columns=columns, rows=rows)


def _meaning(source: Ranked) -> str:
    return "a candidate that a person accepted" if source.count == "correct" else "a plausible candidate"


def _totals(source: Ranked, beside: Beside) -> Grid:  # noqa: ARG001
    items = [item for bugs in source.lists.values() for found in bugs.values() for item in found]
    rows: dict[str, tuple[Cell, ...]] = {
        "systems": (len(source.systems),),
        "bugs": (len(source.bugs),),
        "candidates": (len(items),),
        "plausible candidates": (sum(item.ruling.passes for item in items),),
        "fixes": (sum(item.ruling.is_fix(source.count) for item in items),),
    }
    return Grid(
        name="totals", title=f"All systems together; a fix is {_meaning(source)}", corner="", columns=("number",), rows=rows
    )


def _overlap(source: Ranked, beside: Beside) -> Grid:  # noqa: ARG001
    rows: dict[str, tuple[Cell, ...]] = {
        system: tuple(
            len(unique_fixes(source, system)) if other == system else _share(source, other, source, system)
            for other in source.systems
        )
        for system in source.systems
    }
    title = "Of the row's fixes, how many percent the column fixes as well; diagonal: bugs that no other system fixes"
    return Grid(name="overlap", title=title, corner="system", columns=source.systems, rows=rows)


def _share(source: Ranked, system: str, other: Ranked, tool: str) -> float | None:
    n = len(other.fixed[tool])
    return 100 * len(shared_fixes(source, system, other, tool)) / n if n else None


def _coverage(source: Ranked, beside: Beside) -> Grid:
    if beside.against is None:
        raise UserError("coverage needs the results of other tools: --against FILE")
    other = beside.against
    rows: dict[str, tuple[Cell, ...]] = {
        tool: (len(other.fixed[tool]), *(_share(source, system, other, tool) for system in source.systems))
        for tool in other.systems
    }
    title = "Of the other tool's fixes, how many percent each system fixes as well"
    return Grid(name="coverage", title=title, corner="tool", columns=("fixed", *source.systems), rows=rows)


def _need_assessed(source: Ranked, purpose: str) -> None:
    source.need_ranks(purpose)
    if source.count != "correct":
        raise UserError(f"{purpose} needs candidates that a person accepted or rejected; these are only plausible")


def _checks(source: Ranked, beside: Beside) -> Grid:
    _need_assessed(source, "checks")
    rows: dict[str, tuple[Cell, ...]] = {}
    for system in source.systems:
        found = checks(source, system, (*beside.top, None))
        rows[system] = (*(f"{item.correct}/{item.checks}" for item in found), enough_checks(source, system))
    title = (
        "Correct bugs / checks, when the first k plausible candidates are looked at; PM_K: the k after which nothing more is found"
    )
    return Grid(name="checks", title=title, corner="system", columns=(*_tops(beside), "PM_K"), rows=rows)


def _tops(beside: Beside) -> tuple[str, ...]:
    return (*(f"top-{k}" for k in beside.top), "all")


def _precision(source: Ranked, beside: Beside) -> Grid:
    _need_assessed(source, "precision")
    rows: dict[str, tuple[Cell, ...]] = {
        system: tuple(item.precision for item in checks(source, system, (*beside.top, None))) for system in source.systems
    }
    title = "Correct bugs per check, in percent"
    return Grid(name="precision", title=title, corner="system", columns=_tops(beside), rows=rows)


def _first_plausible(source: Ranked, beside: Beside) -> Grid:  # noqa: ARG001
    _need_assessed(source, "first-plausible")
    fixed = {system: checks(source, system, (1,))[0].correct for system in source.systems}
    rows: dict[str, tuple[Cell, ...]] = {system: (n, 1 + sum(other > n for other in fixed.values())) for system, n in fixed.items()}
    title = "Bugs whose first plausible candidate is correct, and the place this gives"
    return Grid(name="first-plausible", title=title, corner="system", columns=("fixed", "place"), rows=rows)


def _candidates(source: Ranked, beside: Beside) -> Grid:  # noqa: ARG001
    source.need_ranks("candidates")
    ks = round_numbers(source)
    rows: dict[str, tuple[Cell, ...]] = {system: fixed_within(source, system, ks) for system in source.systems}
    title = "Bugs fixed within the first k candidates"
    return Grid(name="candidates", title=title, corner="system", columns=tuple(map(str, ks)), rows=rows)


def _types(source: Ranked, beside: Beside) -> Grid:
    if beside.labels is None:
        raise UserError("types needs a type for each bug: --labels FILE")
    rows: dict[str, tuple[Cell, ...]] = {}
    for name, of_type in counts_by_type(source, beside.labels).items():
        n = sum(beside.labels.get(bug) == name for bug in source.bugs)
        rows[name] = (n, *(of_type[system] for system in source.systems))
    return Grid(name="types", title="Fixed bugs by type", corner="type", columns=("bugs", *source.systems), rows=rows)


def _ensembles(source: Ranked, beside: Beside) -> Grid:
    best = max(source.systems, key=lambda system: len(source.fixed[system]))
    rows: dict[str, tuple[Cell, ...]] = {"best system alone": (len(source.fixed[best]), best)}
    counts = beside.counts
    if counts is None and beside.labels is not None:
        counts = counts_by_type(source, beside.labels)
    if counts is not None:
        choices = best_per_type(counts)
        chosen = ", ".join(dict.fromkeys(item.system for item in choices if item.fixed))
        rows["best system per type"] = (sum(item.fixed for item in choices), chosen)
    rows["union"] = (len(union(source)), "all")
    return Grid(name="ensembles", title="Systems together", corner="ensemble", columns=("fixed bugs", "systems"), rows=rows)


ANALYSES: dict[str, Callable[[Ranked, Beside], Grid]] = {
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
