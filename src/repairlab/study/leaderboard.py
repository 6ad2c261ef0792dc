"""Compare systems by one metric: ranked in a leaderboard, and drawn over k with their intervals.

Rows whose signatures differ are never ranked against each other; they stand in different groups.
"""

import math
from collections.abc import Sequence
from typing import Any

from repairlab.core.errors import UserError
from repairlab.core.figure import Axis, Figure
from repairlab.core.record import record, to_data
from repairlab.core.score import Score
from repairlab.study.charts import Curve, line_chart
from repairlab.study.scores import RunScores, interval, number, scores_over_k

_MAX_POINTS = 28
_LOG_FROM = 20
"""More candidates per bug than this are shown on a logarithmic axis."""
_OTHER_METRICS = ("plausible rate", "compile rate", "duplicate rate", "median first rank")


@record
class Row:
    """One system of the leaderboard."""

    rank: int | None
    """Place within the group; None if nothing is comparable."""
    system: str
    run: str
    score: Score | None
    """The score that ranks; None if the run cannot have it."""
    others: tuple[Score, ...]
    group: str | None = None
    """Name of the row's group; None without a score, and for the oracle."""
    reason: str = ""
    """Why the row is not ranked."""
    is_oracle: bool = False
    """The developers' own fixes: shown apart, never ranked."""
    n_undecided: int = 0
    """Candidates left out because our own machinery failed on them, with or without a score."""
    coverage: str = ""
    """How external candidates cover the bugs, if they do not cover all."""

    def other(self, metric: str, k: int | None = None) -> Score | None:
        """Return another score of the row."""
        return next((item for item in self.others if item.metric == metric and item.k == k), None)

    @property
    def place(self) -> str:
        """Return the rank as people read it."""
        return "oracle" if self.is_oracle else "–" if self.rank is None else str(self.rank)

    @property
    def value(self) -> str:
        """Return the score that ranks, with its interval."""
        bounds = f" ({interval(self.score)})" if self.score and self.score.n_bugs > 1 else ""
        return f"{number(self.score)}{bounds}"

    @property
    def fixed(self) -> str:
        """Return how many bugs are fixed, and out of how many."""
        score = self.other("fixed")
        return f"{round(score.value * score.n_bugs)} of {score.n_bugs}" if score else "–"


@record
class Group:
    """Rows whose scores have the same signature, so that they can be ranked."""

    name: str
    signature: str
    settings: tuple[str, ...]
    """Where it differs from other groups, as `name: value`."""
    shared: tuple[str, ...]
    """What all groups have in common, as `name: value`."""


@record
class Leaderboard:
    """Rows group by group, best score first; then those without a score, then the oracle."""

    metric: str
    k: int | None
    rows: tuple[Row, ...]
    groups: tuple[Group, ...]

    @property
    def title(self) -> str:
        """Return the metric with its k."""
        return self.metric if self.k is None else self.metric.replace("@k", f"@{self.k}")

    @property
    def other_metrics(self) -> list[str]:
        """Return the metrics of the further columns, as far as some row has them."""
        return [name for name in _OTHER_METRICS if any(row.other(name) for row in self.rows)]

    @property
    def captions(self) -> list[str]:
        """Say how groups differ and what they share; empty if all rows are in one group."""
        if len(self.groups) < 2:
            return []
        apart = [f"Group {group.name}: {', '.join(group.settings)}" for group in self.groups]
        return ["Systems are ranked within groups of equal settings.", *apart, f"All groups: {', '.join(self.groups[0].shared)}"]

    def table(self) -> tuple[list[str], list[list[object]]]:
        """Return columns and rows to print."""
        columns = ["rank", "system", self.title, "fixed bugs", "undecided"]
        rows = [[row.place, row.system, row.value, row.fixed, row.n_undecided] for row in self.rows]
        if len(self.groups) < 2:
            return columns, rows
        return ["group", *columns], [[row.group or "–", *cells] for row, cells in zip(self.rows, rows, strict=True)]

    def data(self) -> dict[str, Any]:
        """Return the JSON form."""
        groups = [{"name": group.name, "signature": group.signature, "settings": list(group.settings)} for group in self.groups]
        rows = [
            {
                "rank": row.rank,
                "system": row.system,
                "oracle": row.is_oracle,
                "group": row.group,
                "run": row.run,
                "score": row.score,
                "reason": row.reason,
                "coverage": row.coverage,
                "scores": row.others,
            }
            for row in self.rows
        ]
        made: dict[str, Any] = to_data({"metric": self.metric, "k": self.k, "groups": groups, "rows": rows})
        return made


def leaderboard(entries: Sequence[tuple[str, RunScores]], *, k: int | None = None) -> Leaderboard:
    """Rank named runs by pass@k if every run has it, else by top@k, else by the share of fixed bugs; the oracle stands apart.

    If no two runs are comparable by pass@k but some are by top@k, top@k ranks, since it does not depend on n. The order of the
    entries does not matter: groups and rows are sorted by score.
    """
    metric, chosen_k = _metric([entry for entry in entries if not entry[1].is_oracle] or entries, k)
    found = [(name, entry, _find(entry.result.scores, metric, chosen_k)) for name, entry in entries]
    values: dict[str, list[float]] = {}
    for _, entry, score in found:
        if score and not entry.is_oracle:
            values.setdefault(score.signature, []).append(score.value)
    groups = _groups(sorted(values, key=lambda signature: (-max(values[signature]), -len(values[signature]), signature)))
    by_signature = {group.signature: group for group in groups}
    rows = []
    for name, entry, score in found:
        group = by_signature[score.signature] if score and not entry.is_oracle else None
        rivals = values[group.signature] if group else []
        rows.append(
            Row(
                rank=1 + sum(value > score.value for value in rivals) if score and len(rivals) > 1 else None,
                system=name,
                run=str(entry.run.folder),
                score=score,
                others=entry.result.scores,
                group=group.name if group else None,
                reason="" if entry.is_oracle or len(rivals) > 1 else _reason(score, groups, entry, metric, chosen_k),
                is_oracle=entry.is_oracle,
                n_undecided=score.n_undecided if score else entry.n_undecided,
                coverage=". ".join(filter(None, (entry.run.coverage, entry.run.strength))),
            )
        )
    order = {group.name: number for number, group in enumerate(groups)}
    rows.sort(
        key=lambda row: (
            row.is_oracle,
            order.get(row.group or "", len(order)),
            -row.score.value if row.score else 0.0,
            row.system,
            row.run,
        )
    )
    return Leaderboard(metric=metric, k=chosen_k, rows=tuple(rows), groups=groups)


def _groups(signatures: Sequence[str]) -> tuple[Group, ...]:
    settings = [_settings(signature) for signature in signatures]
    names = dict.fromkeys(name for mine in settings for name in mine)
    differing_names = [name for name in names if len({mine.get(name) for mine in settings}) > 1]
    return tuple(
        Group(
            name=letter(number),
            signature=signature,
            settings=tuple(f"{name}: {mine.get(name, 'not set')}" for name in differing_names),
            shared=tuple(f"{name}: {value}" for name, value in mine.items() if value and name not in differing_names),
        )
        for number, (signature, mine) in enumerate(zip(signatures, settings, strict=True))
    )


def letter(number: int) -> str:
    """Return a letter for a number from 0; behind Z come numbers.

    >>> letter(0), letter(25), letter(26)
    ('A', 'Z', '27')
    """
    return chr(ord("A") + number) if number < 26 else str(number + 1)


def _settings(signature: str) -> dict[str, str]:
    return dict(part.partition(":")[::2] for part in signature.split("|"))


def settings_beside(one: str, other: str) -> tuple[tuple[str, str, str], ...]:
    """Return name and values of all parts of two signatures.

    >>> settings_beside("pass@1|n:5|policy:full", "pass@1|n:10|policy:full")
    (('n', '5', '10'), ('policy', 'full', 'full'))
    """
    mine, theirs = _settings(one), _settings(other)
    names = [name for name in dict.fromkeys((*mine, *theirs)) if mine.get(name) or theirs.get(name)]
    return tuple((name, mine.get(name, "not set"), theirs.get(name, "not set")) for name in names)


def _metric(entries: Sequence[tuple[str, RunScores]], k: int | None) -> tuple[str, int | None]:
    found = []
    for metric in ("pass@k", "top@k"):
        shared = [{score.k for score in entry.result.scores if score.metric == metric} for _, entry in entries]
        ks = sorted(number for number in set.intersection(*shared) if number is not None)
        if k in ks or (ks and k is None):
            found.append((metric, k or ks[0]))
    if found:
        return next((item for item in found if _can_rank(entries, *item)), found[0])
    if k is not None:
        known = sorted({score.k for _, entry in entries for score in entry.result.scores if score.k is not None})
        raise UserError(f"no metric at k = {k} is common to these runs; they have k = {', '.join(map(str, known)) or 'none'}")
    return "fixed", None


def _can_rank(entries: Sequence[tuple[str, RunScores]], metric: str, k: int) -> bool:
    """Whether two runs have the same signature."""
    signatures = [score.signature for _, entry in entries if (score := _find(entry.result.scores, metric, k))]
    return len(set(signatures)) < len(signatures)


def _find(scores: Sequence[Score], metric: str, k: int | None) -> Score | None:
    return next((score for score in scores if score.metric == metric and score.k == k), None)


def _reason(score: Score | None, groups: Sequence[Group], entry: RunScores, metric: str, k: int | None) -> str:
    if score is None:
        name = metric if k is None else metric.replace("@k", f"@{k}")
        return entry.result.left_out.get(name, f"{name} was not computed")
    group = next(group for group in groups if group.signature == score.signature)
    return f"no other run has the same settings ({', '.join(group.settings)})" if group.settings else ""


def chart(metric: str, entries: Sequence[tuple[str, int, RunScores]]) -> Figure | None:
    """Draw a metric of every run (name, number, scores) with several candidates per bug; None if there are none."""
    usable = [item for item in entries if item[2].run.settings.n > 1 and _supports(metric, item[2])]
    if not usable:
        return None
    n = max(entry.run.settings.n for *_, entry in usable)
    return curves_over_k(metric, n, [curve_of(name, index, curve_scores(metric, entry)) for name, index, entry in usable])


def curves_over_k(metric: str, n: int, curves: Sequence[Curve]) -> Figure:
    """Draw curves over 1 to n candidates."""
    top = _ceiling(max(high for curve in curves for _, high in curve.intervals))
    return line_chart(
        f"{metric} over k for each system",
        Axis(low=1, high=n, log=n > _LOG_FROM, whole=True, label="k (candidates tried per bug)"),
        Axis(low=0, high=top, label=metric, unit=" %"),
        curves,
        " ".join(f"{curve.name}: {curve.texts[0]}; {curve.texts[-1]}." for curve in curves),
    )


def _supports(metric: str, entry: RunScores) -> bool:
    return any(item.metric == metric for item in entry.result.scores)


def _ceiling(high: float) -> float:
    """Return a round upper end of the axis, so that low curves are not squeezed at the bottom."""
    return next(top for top in (10.0, 25.0, 50.0, 100.0) if high <= top or top == 100.0)


def curve_ks(n: int) -> list[int]:
    """Return the k at which a curve over n candidates has points."""
    if n <= _MAX_POINTS:
        return list(range(1, n + 1))
    return sorted({round(math.exp(math.log(n) * i / (_MAX_POINTS - 1))) for i in range(_MAX_POINTS)})


def curve_scores(metric: str, entry: RunScores) -> list[Score]:
    """Return a metric of a run at each k of its curve."""
    return scores_over_k(metric, entry.run, curve_ks(entry.run.settings.n))


def curve_of(name: str, index: int, found: Sequence[Score]) -> Curve:
    """Return the curve of one system."""
    return Curve(
        name=name,
        index=index,
        points=tuple((item.k or 1, 100 * item.value) for item in found),
        intervals=tuple((100 * item.low, 100 * item.high) for item in found),
        texts=tuple(map(_words, found)),
    )


def _words(item: Score) -> str:
    return f"k = {item.k}: {100 * item.value:.1f} % [{100 * item.low:.1f}, {100 * item.high:.1f}]"
