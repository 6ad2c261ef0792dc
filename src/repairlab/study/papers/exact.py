"""Candidates that are the developer's fix itself (NL2Fix, table 4)."""

from repairlab.core.table import Cell, Table, percent
from repairlab.study.papers.facts import PaperFacts, RunFacts
from repairlab.study.papers.similarity import compared


def exact(facts: PaperFacts) -> Table:
    """Return how many bugs were fixed, and how many of them exactly as the developer did."""
    columns = ("system", "fixed bugs", "exact bugs", "plausible candidates", "exact candidates", "exact %")
    return Table(
        name="exact",
        title="Exact matches: equal to the developer's fix but for white space",
        source="NL2Fix, table 4",
        columns=columns,
        rows=tuple(_row(run) for run in compared(facts)),
        notes=(
            "Plausible candidates are counted once for each distinct text; their functions are compared, or the changed files "
            "where more than the function changed.",
            *facts.missing,
        ),
    )


def _row(run: RunFacts) -> tuple[Cell, ...]:
    plausible = [(bug.samples.bug_id, item) for bug in run.bugs for item in bug.closeness if item.is_plausible]
    same = [(bug_id, item) for bug_id, item in plausible if item.is_exact]
    return (
        run.name,
        sum(bug.is_fixed for bug in run.bugs),
        len({bug_id for bug_id, _ in same}),
        len(plausible),
        len(same),
        percent(len(same), len(plausible)),
    )
