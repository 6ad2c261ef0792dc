"""Rank systems by one metric. Rows whose signatures differ are never ranked against each other; they are listed with the reason."""

from collections import Counter
from collections.abc import Sequence
from typing import Any

from repairlab.core.errors import UserError
from repairlab.core.record import record, to_data
from repairlab.core.score import Score
from repairlab.report.scores import RunScores


@record
class Row:
    """One system of the leaderboard."""

    rank: int | None
    """None: not comparable with the ranked rows."""
    system: str
    run: str
    score: Score | None
    """The score that ranks; none when the run cannot have it."""
    others: tuple[Score, ...]
    reason: str = ""
    """Why the row is not ranked."""
    is_oracle: bool = False
    """The developers' own fixes: shown apart, never ranked."""
    coverage: str = ""
    """How candidates made elsewhere cover the bugs, where they do not cover all."""

    def other(self, metric: str, k: int | None = None) -> Score | None:
        """Return another score of the row."""
        return next((item for item in self.others if item.metric == metric and item.k == k), None)


@record
class Leaderboard:
    """Rows by rank, then those that cannot be ranked, then the oracle."""

    metric: str
    k: int | None
    rows: tuple[Row, ...]

    @property
    def title(self) -> str:
        """Return the metric with its k."""
        return self.metric if self.k is None else self.metric.replace("@k", f"@{self.k}")

    def data(self) -> dict[str, Any]:
        """Return the JSON form."""
        return {"metric": self.metric, "k": self.k, "rows": [_row_data(row) for row in self.rows]}


def _row_data(row: Row) -> dict[str, Any]:
    score = to_data(row.score) if row.score else None
    return {
        "rank": row.rank,
        "system": row.system,
        "oracle": row.is_oracle,
        "run": row.run,
        "score": score,
        "reason": row.reason,
        "coverage": row.coverage,
        "scores": to_data(row.others),
    }


def leaderboard(entries: Sequence[tuple[str, RunScores]], *, k: int | None = None) -> Leaderboard:
    """Rank named runs by pass@k where every run has it, else by top@k, else by the share of fixed bugs; the oracle stands apart."""
    metric, chosen_k = _metric([entry for entry in entries if not entry[1].is_oracle] or entries, k)
    found = [(name, entry, _find(entry.result.scores, metric, chosen_k)) for name, entry in entries]
    counts = Counter(score.signature for _, entry, score in found if score and not entry.is_oracle)
    # The largest group of comparable rows is ranked; of equally large ones, the first.
    reference = counts.most_common(1)[0][0] if counts else ""
    values = [score.value for _, entry, score in found if score and score.signature == reference and not entry.is_oracle]
    rows = []
    for name, entry, score in found:
        comparable = score is not None and score.signature == reference and not entry.is_oracle
        rows.append(
            Row(
                rank=1 + sum(value > score.value for value in values) if score and comparable else None,
                system=name,
                run=str(entry.run.folder),
                score=score,
                others=entry.result.scores,
                reason="" if comparable or entry.is_oracle else _reason(score, reference, entry, metric, chosen_k),
                is_oracle=entry.is_oracle,
                coverage=entry.run.coverage,
            )
        )
    rows.sort(key=lambda row: (row.is_oracle, row.rank is None, row.rank or 0, row.system))
    return Leaderboard(metric=metric, k=chosen_k, rows=tuple(rows))


def differing(signature: str, reference: str) -> list[str]:
    """Return which parts of a signature differ from another's.

    >>> differing("pass@1|n:5|policy:full", "pass@1|n:10|policy:full")
    ['n is 5, not 10']
    """
    mine, theirs = (dict(part.partition(":")[::2] for part in text.split("|")) for text in (signature, reference))
    names = dict.fromkeys((*mine, *theirs))
    return [
        f"{name} is {mine.get(name, 'not set')}, not {theirs.get(name, 'set')}"
        for name in names
        if mine.get(name) != theirs.get(name)
    ]


def _metric(entries: Sequence[tuple[str, RunScores]], k: int | None) -> tuple[str, int | None]:
    for metric in ("pass@k", "top@k"):
        shared = [{score.k for score in entry.result.scores if score.metric == metric} for _, entry in entries]
        ks = sorted(number for number in set.intersection(*shared) if number is not None)
        if k in ks or (ks and k is None):
            return metric, k or ks[0]
    if k is not None:
        known = sorted({score.k for _, entry in entries for score in entry.result.scores if score.k is not None})
        raise UserError(f"no metric at k = {k} is common to these runs; they have k = {', '.join(map(str, known)) or 'none'}")
    return "fixed", None


def _find(scores: Sequence[Score], metric: str, k: int | None) -> Score | None:
    return next((score for score in scores if score.metric == metric and score.k == k), None)


def _reason(score: Score | None, reference: str, entry: RunScores, metric: str, k: int | None) -> str:
    if score is None:
        name = metric if k is None else metric.replace("@k", f"@{k}")
        return entry.result.left_out.get(name, f"{name} was not computed")
    return "; ".join(differing(score.signature, reference))
