"""Tokens and money: per run, per bug, and per plausible fix."""

import shlex

from repairlab.core.errors import UserError
from repairlab.core.outcome import Verdict
from repairlab.core.table import Cell, Table
from repairlab.study.papers.facts import PaperFacts, RunFacts

_NOTE = (
    "USD: the price of all answers, kept ones included. Paid: what the run itself paid for its requests, repeated and failed ones "
    "included."
)


def cost(facts: PaperFacts) -> Table:
    """Return tokens and money of each run, and what a plausible fix costs."""
    columns = (
        "system", "candidates", "requests", "from cache", "tokens in", "tokens out", "USD", "paid USD",
        "USD per bug", "USD per plausible candidate", "USD per fixed bug",
    )  # fmt: skip
    return Table(
        name="cost",
        title="Tokens and cost",
        source="",
        columns=columns,
        rows=tuple(_row(run) for run in spenders(facts)),
        notes=(_NOTE, *_unknown(spenders(facts))),
    )


def bug_cost(facts: PaperFacts) -> Table:
    """Return tokens and money of each bug."""
    runs = spenders(facts)
    columns = [text for run in runs for text in (f"{run.name}: tokens in", f"{run.name}: tokens out", f"{run.name}: USD")]
    by_bug = [{bug.samples.bug_id: bug.spent for bug in run.bugs} for run in runs]
    rows: list[tuple[Cell, ...]] = []
    for bug_id in dict.fromkeys(bug_id for spent in by_bug for bug_id in spent):
        cells: list[Cell] = [bug_id]
        for spent in by_bug:
            mine = spent.get(bug_id)
            cells += [mine.tokens_in, mine.tokens_out, _usd(mine.cost_usd)] if mine else [None] * 3
        rows.append(tuple(cells))
    return Table(
        name="bug-cost",
        title="Tokens and cost of each bug",
        source="",
        columns=("bug", *columns),
        rows=tuple(rows),
        notes=(_NOTE, *_unknown(runs)),
    )


def _unknown(runs: list[RunFacts]) -> list[str]:
    """Name runs whose cost is unknown, and say how to give the price."""
    return [
        f"The cost of {run.name} is unknown: there is no price for {', '.join(sorted(run.spent.unpriced))}. "
        f"Give it with: repairlab run --resume {shlex.quote(str(run.scores.run.folder))} --prices FILE"
        for run in runs
        if run.spent.unpriced
    ]


def spenders(facts: PaperFacts) -> list[RunFacts]:
    """Return the runs that asked a model; UserError if there are none."""
    runs = [run for run in facts.runs if run.llm or run.spent.n_requests or run.spent.tokens_in or run.spent.cost_usd]
    if not runs:
        raise UserError("no run asked a language model")
    return runs


def _row(run: RunFacts) -> tuple[Cell, ...]:
    spent = run.spent
    verdicts = [verdict for bug in run.bugs for verdict in bug.samples.verdicts]
    return (
        run.name,
        len(verdicts),
        spent.n_requests,
        spent.n_from_cache,
        spent.tokens_in,
        spent.tokens_out,
        _usd(spent.cost_usd),
        _usd(spent.paid_usd),
        _per(spent.cost_usd, len(run.bugs)),
        _per(spent.cost_usd, verdicts.count(Verdict.PLAUSIBLE)),
        _per(spent.cost_usd, sum(bug.is_fixed for bug in run.bugs)),
    )


def _per(usd: float | None, n: int) -> float | None:
    return _usd(usd / n) if n and usd is not None else None


def _usd(value: float | None) -> float | None:
    return None if value is None else round(value, 8)
