"""All tables by name, in display order. A new one is a function in the module of its theme, and a line here."""

import dataclasses
from collections.abc import Callable, Sequence

from repairlab.core.errors import UserError, unknown
from repairlab.core.record import record
from repairlab.core.table import Table
from repairlab.registry import Parts, lacking
from repairlab.study.papers.facts import PaperFacts

_TABLES = {
    "bugs": "bug_groups:bug_sizes",
    "candidates": "rates:candidates",
    "projects": "bug_groups:projects",
    "prompts": "rates:prompts",
    "curves": "rates:curves",
    "overlap": "overlap:overlap",
    "robustness": "overlap:robustness",
    "similarity": "similarity:similarity",
    "codebleu": "similarity:codebleu",
    "exact": "similarity:exact",
    "match": "similarity:match",
    "execution": "rates:execution",
    "by-verdict": "rates:by_verdict",
    "by-difficulty": "rates:by_difficulty",
    "by-edits": "rates:by_edits",
    "decoding": "rates:decoding",
    "by-length": "rates:by_length",
    "ranks": "ranks:ranks",
    "ranking": "ranks:ranking",
    "single-round": "rates:single_round",
    "faults": "bug_groups:faults",
    "distribution": "bug_groups:distribution",
    "domains": "bug_groups:domains",
    "categories": "bug_groups:categories",
    "locations": "bug_groups:locations",
    "landing": "similarity:landing",
    "conversation": "ranks:conversation",
    "cost": "cost:cost",
    "bug-cost": "cost:bug_cost",
}
"""Name, module of this package and function."""
TABLES: Parts[Callable[[PaperFacts], Table]] = Parts(
    "tables",
    "table",
    {name: f"repairlab.study.papers.{path}" for name, path in _TABLES.items()},
    check=lacking(callable_too=True),
)
NEED_CODE = frozenset({"bugs", "similarity", "codebleu", "exact", "match", "landing", "by-difficulty", "by-edits"})
"""Tables that compare fixes or candidates with the code, which takes a second for ten thousand."""


@record
class Tables:
    """The tables that runs support, and why they do not support the others."""

    tables: tuple[Table, ...]
    left_out: dict[str, str]


def check_names(names: Sequence[str]) -> None:
    """Refuse unknown names of tables."""
    for name in names:
        if name not in TABLES:
            raise unknown("table", name, TABLES)


def make_tables(facts: PaperFacts, names: Sequence[str] | None = None) -> Tables:
    """Make tables; one that the runs do not support is left out with the reason."""
    made: list[Table] = []
    unfinished = tuple(f"{text}." for run in facts.runs if (text := run.scores.run.missing))
    left_out: dict[str, str] = {}
    for name in TABLES if names is None else names:
        try:
            table = TABLES[name](facts)
            made.append(dataclasses.replace(table, notes=(*table.notes, *unfinished)))
        except Exception as error:
            if not isinstance(error, UserError) and name not in {part.name for part in TABLES.of_others()}:
                raise
            left_out[name] = str(error) if isinstance(error, UserError) else f"its code failed with {type(error).__name__}: {error}"
    return Tables(tables=tuple(made), left_out=left_out)
