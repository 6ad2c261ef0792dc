"""How soon a bug is fixed: rank of the first plausible candidate, rounds of a conversation, ranked against random order."""

import statistics
from collections.abc import Sequence

from repairlab.core.errors import UserError
from repairlab.core.figure import Axis, Figure
from repairlab.core.outcome import Verdict
from repairlab.core.table import Cell, Table, mean, percent
from repairlab.metrics.metric import decided
from repairlab.metrics.pass_at_k import estimate
from repairlab.study.charts import Curve, line_chart
from repairlab.study.papers.facts import PaperFacts, RunFacts, ks_of
from repairlab.study.papers.rates import pass_percent
from repairlab.study.ranking.stored import UNBUILT

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
        rows=tuple(_rank_row(run, within) for run in facts.runs),
        notes=("Plausible candidates; the paper counts those that people judged correct.",),
    )


def _rank_row(run: RunFacts, within: list[int]) -> tuple[Cell, ...]:
    found = [bug.tries for bug in run.decided if bug.tries is not None]
    mean_rank = round(statistics.fmean(found), 6) if found else None
    median_rank = float(statistics.median(found)) if found else None
    counts = [sum(rank <= n for rank in found) if n <= run.scores.run.settings.n else None for n in within]
    return (run.name, len(found), len(run.decided), mean_rank, median_rank, *counts)


_ROUNDS = (1, 2, 3, 5, 10, 20, 30, 50, 100)


def conversation(facts: PaperFacts) -> Table:
    """Return solved bugs, tries, and how many bugs are solved within r rounds."""
    runs = [run for run in facts.runs if run.scores.run.settings.rounds > 1 or run.scores.run.manifest.experiment.stop_when_fixed]
    if not runs:
        raise UserError("no run is a conversation or stops at the first plausible candidate")
    last = max(run.scores.run.settings.n for run in runs)
    single = [run.name for run in runs if run.scores.run.settings.rounds == 1]
    rounds = [r for r in _ROUNDS if r < last] + [last]
    return Table(
        name="conversation",
        title="Bugs solved within r rounds",
        source="Defects4C, section 6.2",
        columns=("system", "solved", "bugs", "solved %", "mean attempts", "mean rounds", *(f"within {r}" for r in rounds)),
        rows=tuple(_conversation_row(run, rounds) for run in runs),
        notes=(
            "A round is one answer; an attempt is a fresh start with several turns. Means are over solved bugs.",
            *(f"{name} is no conversation; it stops at the first plausible candidate." for name in single),
        ),
        figure=_figure(runs, last),
    )


def solved_within(run: RunFacts, r: int) -> int:
    """Return how many bugs have a plausible candidate among the first r."""
    return sum(bug.tries is not None and bug.tries <= r for bug in run.decided)


def _conversation_row(run: RunFacts, rounds: Sequence[int]) -> tuple[Cell, ...]:
    solved, n = sum(bug.is_fixed for bug in run.decided), len(run.decided)
    attempts = mean([float(bug.attempts) for bug in run.decided if bug.attempts is not None])
    tries = mean([float(bug.tries) for bug in run.decided if bug.tries is not None])
    return (run.name, solved, n, percent(solved, n), attempts, tries, *(solved_within(run, r) for r in rounds))


def _figure(runs: Sequence[RunFacts], last: int) -> Figure | None:
    if last < 2:
        return None
    marks = [r for r in range(1, last + 1) if last <= 60 or r % (last // 30) == 0 or r in (1, last)]
    curves = [
        Curve(
            name=run.name,
            index=run.index,
            points=tuple((r, solved_within(run, r)) for r in marks),
            texts=tuple(f"{solved_within(run, r)} within {r}" for r in marks),
        )
        for run in runs
    ]
    top = max([1, *(solved_within(run, last) for run in runs)])
    said = [(run.name, solved_within(run, 1), solved_within(run, last)) for run in runs]
    words = "; ".join(f"{name}: {first} in the first round, {solved} within {last}" for name, first, solved in said)
    x, y = Axis(low=1, high=last, whole=True, label="rounds"), Axis(low=0, high=top, whole=True, label="solved bugs")
    return line_chart("Bugs solved within r rounds", x, y, curves, words)


_PREFIX = "r.pass@k["


def ranking(facts: PaperFacts) -> Table:
    """Return r.pass@k of every ranking (a bug counts when one of its first k is plausible) and pass@k beside it."""
    runs = [run for run in facts.runs if pass_percent(run, 1) is not None]
    if not runs:
        raise UserError("ranked and random order are compared by pass@k, which no run has")
    ks = ks_of(runs)[:3]
    rows = [row for run in runs for row in _ranking_rows(run, ks)]
    return Table(
        name="ranking",
        title="Candidates in the order they are ranked, against random order",
        source="NL2Fix, table 6",
        columns=("system", "order", "candidates", *(text for k in ks for text in (f"r.pass@{k} %", f"pass@{k} %"))),
        rows=tuple(rows),
        n_heads=3,
        notes=(
            "drawn: the order in which the repairer proposed them. Other orders are made by: repairlab rank RUN. "
            "pass@k is what random order gives on average.",
        ),
    )


def _ranking_rows(run: RunFacts, ks: Sequence[int]) -> list[tuple[Cell, ...]]:
    rows: list[tuple[Cell, ...]] = [
        (run.name, "drawn", label, *(cell for k in ks for cell in (_first(run, k, is_pruned), _random(run, k, is_pruned))))
        for label, is_pruned in (("all", False), ("compiling", True))
    ]
    scores = [item for item in run.scores.result.scores if item.metric.startswith(_PREFIX)]
    for metric in dict.fromkeys(item.metric for item in scores):
        mine = {item.k: item for item in scores if item.metric == metric}
        signature = next(iter(mine.values())).signature
        is_pruned = "prune=compile" in signature
        which = ("compiling" if is_pruned else "all") + (", unchanged kept" if "unchanged=kept" in signature else "")
        cells: list[Cell] = []
        for k in ks:
            cells += [percent(mine[k].value, 1) if k in mine else None, _random(run, k, is_pruned)]
        rows.append((run.name, metric.removeprefix(_PREFIX)[:-1], which, *cells))
    return rows


def _first(run: RunFacts, k: int, is_pruned: bool) -> float | None:
    return mean([100.0 * (Verdict.PLAUSIBLE in verdicts[:k]) for verdicts in _lists(run, is_pruned)])


def _random(run: RunFacts, k: int, is_pruned: bool) -> float | None:
    lists = _lists(run, is_pruned)
    return mean([100 * estimate(len(verdicts), verdicts.count(Verdict.PLAUSIBLE), k) for verdicts in lists])


def _lists(run: RunFacts, is_pruned: bool) -> list[list[Verdict]]:
    return [[item for item in decided(bug.samples) if not (is_pruned and item in UNBUILT)] for bug in run.decided]
