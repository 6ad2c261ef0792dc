"""How many bugs a conversation solves, after how many tries, and how the number grows with the rounds."""

from collections.abc import Sequence

from repairlab.core.errors import UserError
from repairlab.core.figure import Axis, Figure
from repairlab.core.table import Cell, Table, mean, percent
from repairlab.study.line_chart import Curve, line_chart
from repairlab.study.papers.facts import PaperFacts, RunFacts

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
        rows=tuple(_row(run, rounds) for run in runs),
        notes=(
            "A round is one answer; an attempt is a fresh start with several turns. Means are over solved bugs.",
            *(f"{name} is no conversation; it stops at the first plausible candidate." for name in single),
        ),
        figure=_figure(runs, last),
    )


def solved_within(run: RunFacts, r: int) -> int:
    """Return how many bugs have a plausible candidate among the first r."""
    return sum(bug.tries is not None and bug.tries <= r for bug in run.decided)


def _row(run: RunFacts, rounds: Sequence[int]) -> tuple[Cell, ...]:
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
