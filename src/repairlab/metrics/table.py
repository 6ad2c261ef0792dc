"""The table of metrics, and all scores of a run at once. A new metric is one file with its function and one line here."""

import dataclasses
from collections.abc import Callable, Iterable, Sequence

from repairlab.core.errors import UserError
from repairlab.core.outcome import Verdict
from repairlab.core.record import record
from repairlab.core.score import Samples, Score
from repairlab.metrics.metric import Measured, Metric, ScoreSettings, Values, need_all_candidates, need_independent, signature
from repairlab.metrics.pass_at_k import Ranked, ranked_pass_at_k
from repairlab.metrics.statistics import interval
from repairlab.registry import Parts, lacking

METRICS: Parts[Metric] = Parts(
    "metrics",
    "metric",
    {
        "pass@k": "repairlab.metrics.built_in:PASS_AT_K",
        "top@k": "repairlab.metrics.built_in:TOP_AT_K",
        "TCA@k": "repairlab.metrics.built_in:TCA_AT_K",
        "fixed": "repairlab.metrics.built_in:FIXED",
        "plausible rate": "repairlab.metrics.built_in:PLAUSIBLE_RATE",
        "compile rate": "repairlab.metrics.built_in:COMPILE_RATE",
        "apply rate": "repairlab.metrics.built_in:APPLY_RATE",
        "duplicate rate": "repairlab.metrics.built_in:DUPLICATE_RATE",
        "mean first rank": "repairlab.metrics.built_in:MEAN_FIRST_RANK",
        "median first rank": "repairlab.metrics.built_in:MEDIAN_FIRST_RANK",
    },
    check=lacking("about", "measure", "is_share", "changed_by_stopping", "depends_on_n", "depends_on_policy"),
)
_RANKED = "r.pass@k"
"""Not in the table: it also needs a ranking."""
_CORRECT = "[correct]"
"""Suffix of a metric's name when correct candidates count as plausible."""


NONE_DECIDED = "no bug has a value, because none was decided"
"""Why a run has no score if every candidate of every bug is UNDECIDED."""


@record
class Scores:
    """Everything the metrics say of a run."""

    scores: tuple[Score, ...]
    left_out: dict[str, str]
    """Metric → why this run cannot have it."""


def is_share(metric: str) -> bool:
    """Whether the values of a metric lie between 0 and 1 and are shown in per cent.

    >>> is_share("r.pass@k[similarity]"), is_share("mean first rank")
    (True, False)
    """
    name = metric.partition("[")[0]
    return name == _RANKED or (name in METRICS and METRICS[name].is_share)


def values_of(metric: str, k: int | None, samples: Measured, settings: ScoreSettings) -> Values:
    """Return one metric bug by bug; a UserError says why the run cannot have it."""
    try:
        return _defined(metric, METRICS[metric].measure(samples, settings, k or 0))
    except Exception as error:
        if isinstance(error, UserError) or metric not in {part.name for part in METRICS.of_others()}:
            raise
        raise UserError(f"{metric}: its code failed with {type(error).__name__}: {error}") from error


def _defined(metric: str, values: Values) -> Values:
    if not values.by_bug:
        raise UserError(f"{metric}: {'no bug has a value, because nothing was fixed' if 'rank' in metric else NONE_DECIDED}")
    return values


def score(metric: str, k: int | None, samples: Measured, settings: ScoreSettings) -> Score:
    """Return one metric with its interval and signature."""
    values = values_of(metric, k, samples, settings)
    stopped = METRICS[metric].changed_by_stopping and any(item.ended == "solved" for item in samples)
    return _score(metric, k, values, _signature(metric, k, samples, settings) + ("|stopped:when-fixed" if stopped else ""))


def _signature(metric: str, k: int | None, samples: Measured, settings: ScoreSettings) -> str:
    """Return the signature of a metric without what the metric does not depend on."""
    part = METRICS["pass@k" if metric == _RANKED else metric]
    # If duplicates are merged, later candidates move up among the first k.
    depends_on_n = part.depends_on_n or settings.duplicates == "merged"
    left_out = [name for name, matters in (("n", depends_on_n), ("policy", part.depends_on_policy)) if not matters]
    return signature(metric, k, samples, settings, leave_out=left_out)


def _score(metric: str, k: int | None, values: Values, recipe: str) -> Score:
    bounds = interval(list(values.by_bug.values()), statistic=values.statistic)
    return Score(
        metric=metric,
        k=k,
        value=values.value,
        low=min(bounds.low, values.value),  # rounding of the bounds must not push the value out
        high=max(bounds.high, values.value),
        n_bugs=len(values.by_bug),
        n_samples=values.n_samples,
        n_undecided=values.n_undecided,
        signature=recipe,
    )


def score_run(samples: Measured, settings: ScoreSettings, ks: Sequence[int]) -> Scores:
    """Return every metric that the run supports, and why it does not support the others."""
    at_k = [(metric, k) for metric in METRICS if "@k" in metric for k in dict.fromkeys(ks)]
    wanted = [*at_k, *((metric, None) for metric in METRICS if "@k" not in metric)]
    return _collect(wanted, lambda metric, k: score(metric, k, samples, settings))


def score_ranking(ranked: Ranked, samples: Measured, settings: ScoreSettings, ks: Sequence[int]) -> Scores:
    """Return r.pass@k of a ranking; `samples` hold the candidates as they were drawn, duplicates counted."""
    made_by = dataclasses.replace(settings, conditions=(*settings.conditions, ("ranking", ranked.recipe)), duplicates="merged")

    def measure(metric: str, k: int | None) -> Score:
        need_independent("r.pass@k", settings.rounds)
        values = _defined("r.pass@k", ranked_pass_at_k(samples, ranked.ranks, k or 0, n=settings.n))
        return _score(metric, k, values, _signature(_RANKED, k, samples, made_by))

    return _collect([(f"r.pass@k[{ranked.name}]", k) for k in dict.fromkeys(ks)], measure)


def score_built(samples: Measured, settings: ScoreSettings, ks: Sequence[int]) -> Scores:
    """Return pass@k over the candidates that build, the baseline for a ranking of those (NL2Fix, table 6)."""
    pruned = dataclasses.replace(settings, conditions=(*settings.conditions, ("pruned", "compile")))
    built = [_built(item) for item in samples]

    def measure(metric: str, k: int | None) -> Score:
        need_all_candidates("pass@k", samples, settings.n)
        return _score(metric, k, values_of("pass@k", k, built, settings), _signature("pass@k", k, samples, pruned))

    return _collect([("pass@k[compile]", k) for k in dict.fromkeys(ks)], measure)


def score_correct(samples: Measured, settings: ScoreSettings, ks: Sequence[int]) -> Scores:
    """Return what counts correct candidates, for samples in which plausible means correct; the settings name the labels."""
    stopped = "|stopped:when-fixed" if any(item.ended == "solved" for item in samples) else ""

    def measure(metric: str, k: int | None) -> Score:
        plain = metric.removesuffix(_CORRECT)
        return _score(metric, k, values_of(plain, k, samples, settings), _signature(plain, k, samples, settings) + stopped)

    at_k = [(f"{metric}{_CORRECT}", k) for metric in ("pass@k", "top@k") for k in dict.fromkeys(ks)]
    return _collect([*at_k, *((f"{metric}{_CORRECT}", None) for metric in ("fixed", "plausible rate"))], measure)


def _built(item: Samples) -> Samples:
    kept = [index for index, verdict in enumerate(item.verdicts) if verdict not in (Verdict.UNCOMPILABLE, Verdict.UNAPPLICABLE)]
    return dataclasses.replace(
        item,
        verdicts=tuple(item.verdicts[index] for index in kept),
        passed=tuple(item.passed[index] for index in kept),
        ended="asked" if item.ended == "solved" else item.ended,
    )


def _collect(wanted: Iterable[tuple[str, int | None]], measure: Callable[[str, int | None], Score]) -> Scores:
    scores: list[Score] = []
    left_out: dict[str, str] = {}
    for metric, k in wanted:
        try:
            scores.append(measure(metric, k))
        except UserError as error:
            left_out[metric if k is None else metric.replace("@k", f"@{k}")] = str(error).partition(": ")[2]
    return Scores(scores=tuple(scores), left_out=left_out)
