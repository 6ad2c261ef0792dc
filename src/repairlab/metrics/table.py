"""The table of metrics, and all scores of a run at once. A new metric is one file with its function and one line here."""

from collections.abc import Callable, Mapping, Sequence

from repairlab.core.errors import UserError
from repairlab.core.record import record
from repairlab.core.samples import Samples
from repairlab.core.score import Score
from repairlab.metrics.bootstrap import interval
from repairlab.metrics.first_rank import first_rank
from repairlab.metrics.pass_at_k import pass_at_k
from repairlab.metrics.rates import apply_rate, compile_rate, duplicate_rate, fixed, plausible_rate
from repairlab.metrics.settings import Settings, signature
from repairlab.metrics.test_case_average import tca_at_k
from repairlab.metrics.top_at_k import top_at_k
from repairlab.metrics.values import Values

Measured = Sequence[Samples]


def _pass_at_k(samples: Measured, settings: Settings, k: int) -> Values:
    if settings.rounds > 1:
        raise UserError(
            f"pass@k: the candidates of a conversation ({settings.rounds} rounds) depend on each other; use top@k, "
            "the share of bugs solved within k tries"
        )
    return pass_at_k(samples, k, n=settings.n)


def _duplicate_rate(samples: Measured, settings: Settings) -> Values:
    if settings.duplicates == "merged":
        raise UserError("duplicate rate: duplicates are merged; score with --duplicates counted")
    return duplicate_rate(samples)


AT_K: Mapping[str, Callable[[Measured, Settings, int], Values]] = {
    "pass@k": _pass_at_k,
    "top@k": lambda samples, settings, k: top_at_k(samples, k, n=settings.n),
    "TCA@k": lambda samples, settings, k: tca_at_k(samples, k, n=settings.n, policy=settings.policy),
}
"""Metrics that are asked for at a k."""

PLAIN: Mapping[str, Callable[[Measured, Settings], Values]] = {
    "fixed": lambda samples, _: fixed(samples),
    "plausible rate": lambda samples, _: plausible_rate(samples),
    "compile rate": lambda samples, _: compile_rate(samples),
    "apply rate": lambda samples, _: apply_rate(samples),
    "duplicate rate": _duplicate_rate,
    "mean first rank": lambda samples, _: first_rank(samples),
    "median first rank": lambda samples, _: first_rank(samples, statistic="median"),
}
"""Metrics without a k."""

SHARES = frozenset({*AT_K, *PLAIN} - {"mean first rank", "median first rank"})
"""Metrics whose values lie between 0 and 1 and are shown in per cent."""

_CHANGED_BY_STOPPING = frozenset({"plausible rate", "compile rate", "apply rate", "duplicate rate"})


@record
class Scores:
    """All that the metrics say of a run."""

    scores: tuple[Score, ...]
    left_out: dict[str, str]
    """Metric → why this run cannot have it."""


def values_of(metric: str, k: int | None, samples: Measured, settings: Settings) -> Values:
    """Return one metric bug by bug; a UserError says why the run cannot have it."""
    values = PLAIN[metric](samples, settings) if k is None else AT_K[metric](samples, settings, k)
    if not values.by_bug:
        raise UserError(f"{metric}: no bug has a value, because {'nothing was fixed' if 'rank' in metric else 'none was decided'}")
    return values


def score(metric: str, k: int | None, samples: Measured, settings: Settings) -> Score:
    """Return one metric with its interval and signature."""
    values = values_of(metric, k, samples, settings)
    bounds = interval(list(values.by_bug.values()), statistic=values.statistic)
    stopped = metric in _CHANGED_BY_STOPPING and any(item.ended == "solved" for item in samples)
    return Score(
        metric=metric,
        k=k,
        value=values.value,
        low=min(bounds.low, values.value),  # rounding of the bounds must not push the value out
        high=max(bounds.high, values.value),
        n_bugs=len(values.by_bug),
        n_samples=values.n_samples,
        n_undecided=values.n_undecided,
        signature=signature(metric, k, samples, settings) + ("|stopped:when-fixed" if stopped else ""),
    )


def score_run(samples: Measured, settings: Settings, ks: Sequence[int]) -> Scores:
    """Return every metric that the run supports, and why it does not support the others."""
    scores: list[Score] = []
    left_out: dict[str, str] = {}
    wanted: list[tuple[str, int | None]] = [(metric, k) for metric in AT_K for k in dict.fromkeys(ks)]
    for metric, k in (*wanted, *((metric, None) for metric in PLAIN)):
        try:
            scores.append(score(metric, k, samples, settings))
        except UserError as error:
            left_out[metric if k is None else metric.replace("@k", f"@{k}")] = str(error).partition(": ")[2]
    return Scores(scores=tuple(scores), left_out=left_out)
