"""A table: how many bugs each run has."""

from repairlab.core.table import Table
from repairlab.study.papers.facts import PaperFacts


def sizes(facts: PaperFacts) -> Table:
    """Count the bugs of each run."""
    rows = tuple((run.name, len(run.bugs)) for run in facts.runs)
    return Table(name="sizes", title="Bugs of each run", source="none", columns=("run", "bugs"), rows=rows)
