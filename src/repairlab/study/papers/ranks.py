"""Where the first plausible candidate stands, and how many bugs are fixed within so many candidates (NPR4J, table 8, figure 8)."""

import statistics

from repairlab.core.errors import UserError
from repairlab.core.table import Cell, Table
from repairlab.study.papers.facts import PaperFacts, RunFacts

WITHIN = (1, 5, 10, 30, 50, 100, 200, 300)
"""Numbers of candidates at which fixed bugs are counted, up to the number that was asked for."""


def ranks(facts: PaperFacts) -> Table:
    """Return fixed bugs, mean and median rank of their first plausible candidate, and fixed bugs within N candidates."""
    if not any(bug.is_fixed for run in facts.runs for bug in run.bugs):
        raise UserError("no run has a plausible candidate, so there is no rank of a first one")
    most = max(run.scores.run.settings.n for run in facts.runs)
    within = sorted({min(n, most) for n in WITHIN})
    return Table(
        name="ranks",
        title="Rank of the first plausible candidate, and bugs fixed within so many candidates",
        source="NPR4J, table 8 and figure 8",
        columns=("system", "fixed", "bugs", "mean rank", "median rank", *(f"within {n}" for n in within)),
        rows=tuple(_row(run, within) for run in facts.runs),
        notes=("Plausible candidates; the paper counts those that people judged correct.",),
    )


def _row(run: RunFacts, within: list[int]) -> tuple[Cell, ...]:
    found = [bug.tries for bug in run.decided if bug.tries is not None]
    mean = round(statistics.fmean(found), 6) if found else None
    median = float(statistics.median(found)) if found else None
    counts = [sum(rank <= n for rank in found) if n <= run.scores.run.settings.n else None for n in within]
    return (run.name, len(found), len(run.decided), mean, median, *counts)
