"""Fixed bugs and average tries by category of the bug (Defects4C, table 4)."""

from collections.abc import Sequence

from repairlab.core.errors import UserError
from repairlab.core.table import Cell, Table, mean
from repairlab.study.papers.facts import BugFacts, PaperFacts, RunFacts

CATEGORIES = {"A": "signature", "B": "sanitizer", "C": "memory error", "D": "logic"}
"""First letters of the taxonomy; A.1 is a kind of signature."""
_KINDS = (("bugs", False), ("vulnerabilities", True))


def categories(facts: PaperFacts) -> Table:
    """Return pass/total and average tries of each category, for bugs and for vulnerabilities."""
    bugs = [bug for run in facts.runs for bug in run.bugs]
    if not any(bug.category for bug in bugs):
        raise UserError("; ".join(facts.missing) or "no bug of these runs has a category (labels.category)")
    fields = [(kind, flag, name) for kind, flag in _KINDS for name in _names([bug for bug in bugs if bug.is_vulnerability is flag])]
    shown = [(kind, flag) for kind, flag in _KINDS if any(bug.is_vulnerability is flag for bug in bugs)]
    columns = ["model", "decoding"]
    for kind, _, name in fields:
        columns += [f"{kind}: {name}", f"{kind}: {name}, tries"]
    return Table(
        name="categories",
        title="Fixed bugs by category, and the average tries of those fixed",
        source="Defects4C, table 4",
        columns=(*columns, *(f"{kind}: all" for kind, _ in shown)),
        rows=tuple(_row(run, fields, [flag for _, flag in shown]) for run in facts.runs),
        n_heads=2,
        notes=("Tries: fresh starts of a conversation up to the first plausible candidate; of other runs, its rank.",),
    )


def tries_of(run: RunFacts, bug: BugFacts) -> int | None:
    """Return how many tries a fixed bug took: attempts of a conversation, else candidates."""
    return bug.attempts if run.scores.run.settings.rounds > 1 else bug.tries


def _names(bugs: Sequence[BugFacts]) -> list[str]:
    found = {_name(bug) for bug in bugs}
    return [name for name in (*CATEGORIES.values(), "other") if name in found]


def _name(bug: BugFacts) -> str:
    return CATEGORIES.get((bug.category or "")[:1], "other")


def _row(run: RunFacts, fields: Sequence[tuple[str, bool, str]], shown: Sequence[bool]) -> tuple[Cell, ...]:
    cells: list[Cell] = [run.model if run.llm else run.name, run.decoding]
    for _, flag, name in fields:
        mine = [bug for bug in run.decided if bug.is_vulnerability is flag and _name(bug) == name]
        cells += [fixed_of(mine), mean([float(tries) for bug in mine if (tries := tries_of(run, bug)) is not None])]
    return (*cells, *(fixed_of([bug for bug in run.decided if bug.is_vulnerability is flag]) for flag in shown))


def fixed_of(bugs: Sequence[BugFacts]) -> str | None:
    """Return pass/total; none without bugs."""
    return f"{sum(bug.is_fixed for bug in bugs)}/{len(bugs)}" if bugs else None
