"""All tables by name, in the order in which they are shown. A new one is a module with one function, and a line here."""

import dataclasses
from collections.abc import Callable, Mapping, Sequence

from repairlab.core.errors import UserError, unknown
from repairlab.core.record import record
from repairlab.core.table import Table
from repairlab.report.papers.candidates import candidates
from repairlab.report.papers.categories import categories
from repairlab.report.papers.conversation import conversation
from repairlab.report.papers.cost import bug_cost, cost
from repairlab.report.papers.exact import exact
from repairlab.report.papers.facts import Facts
from repairlab.report.papers.locations import locations
from repairlab.report.papers.overlap import overlap
from repairlab.report.papers.projects import projects
from repairlab.report.papers.prompts import curves, prompts
from repairlab.report.papers.ranking import ranking
from repairlab.report.papers.similarity import similarity
from repairlab.report.papers.single_round import single_round

TABLES: Mapping[str, Callable[[Facts], Table]] = {
    "candidates": candidates,
    "projects": projects,
    "prompts": prompts,
    "curves": curves,
    "overlap": overlap,
    "similarity": similarity,
    "exact": exact,
    "ranking": ranking,
    "single-round": single_round,
    "categories": categories,
    "locations": locations,
    "conversation": conversation,
    "cost": cost,
    "bug-cost": bug_cost,
}
NEED_CODE = frozenset({"similarity", "exact"})
"""Tables for which candidates are compared with the code, which takes a second for ten thousand."""


@record
class Tables:
    """The tables that runs support, and why they do not support the others."""

    tables: tuple[Table, ...]
    left_out: dict[str, str]


def check_names(names: Sequence[str]) -> None:
    """Refuse names of tables that there are not."""
    for name in names:
        if name not in TABLES:
            raise unknown("table", name, TABLES)


def make_tables(facts: Facts, names: Sequence[str] = tuple(TABLES)) -> Tables:
    """Make tables; one that the runs do not support is left out with the reason."""
    made: list[Table] = []
    unfinished = tuple(f"{text}." for run in facts.runs if (text := run.scores.run.missing))
    left_out: dict[str, str] = {}
    for name in names:
        try:
            table = TABLES[name](facts)
            made.append(dataclasses.replace(table, notes=(*table.notes, *unfinished)))
        except UserError as error:
            left_out[name] = str(error)
    return Tables(tables=tuple(made), left_out=left_out)
