"""Fixed bugs by project (NL2Fix, table 3)."""

from repairlab.core.table import Cell, Table
from repairlab.core.words import count
from repairlab.study.papers.facts import BugFacts, PaperFacts


def projects(facts: PaperFacts) -> Table:
    """Return bugs with a plausible candidate / all bugs, for each project and system."""
    names = sorted({bug.project for run in facts.runs for bug in run.bugs})
    rows: list[tuple[Cell, ...]] = []
    for name in names:
        mine = [[bug for bug in run.decided if bug.project == name] for run in facts.runs]
        rows.append((name, *(_fixed(bugs) for bugs in mine)))
    rows.append(("all", *(_fixed(run.decided) for run in facts.runs)))
    n_lost = sum(len(run.bugs) - len(run.decided) for run in facts.runs)
    return Table(
        name="projects",
        title="Bugs with a plausible candidate, by project",
        source="NL2Fix, table 3",
        columns=("project", *(run.name for run in facts.runs)),
        rows=tuple(rows),
        notes=(f"{count(n_lost, 'bug')} with nothing but UNDECIDED candidates left out.",) if n_lost else (),
    )


def _fixed(bugs: list[BugFacts] | tuple[BugFacts, ...]) -> str | None:
    return f"{sum(bug.is_fixed for bug in bugs)}/{len(bugs)}" if bugs else None
