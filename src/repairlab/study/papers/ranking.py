"""Ranked against random order, with and without candidates that do not compile (NL2Fix, table 6)."""

from collections.abc import Sequence

from repairlab.core.errors import UserError
from repairlab.core.outcome import Verdict
from repairlab.core.table import Cell, Table, mean, percent
from repairlab.metrics.pass_at_k import estimate
from repairlab.metrics.values import decided
from repairlab.study.papers.facts import PaperFacts, RunFacts
from repairlab.study.papers.prompts import pass_percent

_PREFIX = "r.pass@k["
_NOT_BUILT = (Verdict.UNAPPLICABLE, Verdict.UNCOMPILABLE)


def ranking(facts: PaperFacts) -> Table:
    """Return r.pass@k of every ranking (a bug counts when one of its first k is plausible) and pass@k beside it."""
    runs = [run for run in facts.runs if pass_percent(run, 1) is not None]
    if not runs:
        raise UserError("ranked and random order are compared by pass@k, which no run has")
    ks = sorted({k for run in runs for k in run.scores.run.manifest.experiment.k})[:3]
    rows = [row for run in runs for row in _rows(run, ks)]
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


def _rows(run: RunFacts, ks: Sequence[int]) -> list[tuple[Cell, ...]]:
    rows: list[tuple[Cell, ...]] = [
        (run.name, "drawn", label, *(cell for k in ks for cell in (_first(run, k, is_pruned), _random(run, k, is_pruned))))
        for label, is_pruned in (("all", False), ("compiling", True))
    ]
    scores = [item for item in run.scores.result.scores if item.metric.startswith(_PREFIX)]
    for metric in dict.fromkeys(item.metric for item in scores):
        mine = {item.k: item for item in scores if item.metric == metric}
        is_pruned = "prune=compile" in next(iter(mine.values())).signature
        cells: list[Cell] = []
        for k in ks:
            cells += [percent(mine[k].value, 1) if k in mine else None, _random(run, k, is_pruned)]
        rows.append((run.name, metric.removeprefix(_PREFIX)[:-1], "compiling" if is_pruned else "all", *cells))
    return rows


def _first(run: RunFacts, k: int, is_pruned: bool) -> float | None:
    return mean([100.0 * (Verdict.PLAUSIBLE in verdicts[:k]) for verdicts in _lists(run, is_pruned)])


def _random(run: RunFacts, k: int, is_pruned: bool) -> float | None:
    lists = _lists(run, is_pruned)
    return mean([100 * estimate(len(verdicts), verdicts.count(Verdict.PLAUSIBLE), k) for verdicts in lists])


def _lists(run: RunFacts, is_pruned: bool) -> list[list[Verdict]]:
    return [[item for item in decided(bug.samples) if not (is_pruned and item in _NOT_BUILT)] for bug in run.decided]
