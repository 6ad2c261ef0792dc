"""Fixed bugs by the extent of their fix: function, hunk or line (Defects4C, table 5)."""

from repairlab.core.errors import UserError
from repairlab.core.table import Cell, Table, percent
from repairlab.study.papers.categories import fixed_of
from repairlab.study.papers.facts import PaperFacts, RunFacts

LOCATIONS = ("function", "hunk", "line")


def locations(facts: PaperFacts) -> Table:
    """Return pass/total and rate for each extent."""
    if not any(bug.location for run in facts.runs for bug in run.bugs):
        raise UserError("; ".join(facts.missing) or "no bug of these runs says how far its fix extends (labels.location)")
    columns = [text for name in LOCATIONS for text in (name, f"{name} %")]
    return Table(
        name="locations",
        title="Fixed bugs by the extent of the fix",
        source="Defects4C, table 5",
        columns=("model", "decoding", *columns, "all %"),
        rows=tuple(_row(run) for run in facts.runs),
        n_heads=2,
        notes=("The last column is what Defects4C prints as Avg.tries: fixed bugs in per cent of all.",),
    )


def _row(run: RunFacts) -> tuple[Cell, ...]:
    cells: list[Cell] = [run.model if run.llm else run.name, run.decoding]
    for name in LOCATIONS:
        mine = [bug for bug in run.decided if bug.location == name]
        cells += [fixed_of(mine), percent(sum(bug.is_fixed for bug in mine), len(mine))]
    return (*cells, percent(sum(bug.is_fixed for bug in run.decided), len(run.decided)))
