"""Our own metrics as the table lists them: each function with what it needs of a run's settings."""

from repairlab.core.errors import UserError
from repairlab.metrics.metric import Measured, Metric, ScoreSettings, Values, need_independent
from repairlab.metrics.pass_at_k import pass_at_k, tca_at_k, top_at_k
from repairlab.metrics.rates import apply_rate, compile_rate, duplicate_rate, first_rank, fixed, plausible_rate


def _pass_at_k(samples: Measured, settings: ScoreSettings, k: int) -> Values:
    need_independent("pass@k", settings.rounds)
    return pass_at_k(samples, k, n=settings.n)


def _duplicate_rate(samples: Measured, settings: ScoreSettings, k: int) -> Values:
    del k
    if settings.duplicates == "merged":
        raise UserError("duplicate rate: duplicates are merged; score with --duplicates counted")
    return duplicate_rate(samples)


PASS_AT_K = Metric(
    about="Chance that one of k candidates drawn at random is plausible", measure=_pass_at_k, depends_on_policy=False
)
TOP_AT_K = Metric(
    about="Share of bugs with a plausible candidate among the first k",
    measure=lambda samples, settings, k: top_at_k(samples, k, n=settings.n),
    depends_on_n=False,
    depends_on_policy=False,
)
TCA_AT_K = Metric(
    about="Mean share of tests that the first k candidates pass",
    measure=lambda samples, settings, k: tca_at_k(samples, k, n=settings.n, policy=settings.policy),
    depends_on_n=False,
)
FIXED = Metric(
    about="Share of bugs with a plausible candidate",
    measure=lambda samples, _settings, _k: fixed(samples),
    depends_on_policy=False,
)
PLAUSIBLE_RATE = Metric(
    about="Share of plausible candidates",
    measure=lambda samples, _settings, _k: plausible_rate(samples),
    changed_by_stopping=True,
    depends_on_policy=False,
)
COMPILE_RATE = Metric(
    about="Share of candidates that build",
    measure=lambda samples, _settings, _k: compile_rate(samples),
    changed_by_stopping=True,
    depends_on_policy=False,
)
APPLY_RATE = Metric(
    about="Share of candidates that apply",
    measure=lambda samples, _settings, _k: apply_rate(samples),
    changed_by_stopping=True,
    depends_on_policy=False,
)
DUPLICATE_RATE = Metric(
    about="Share of candidates that repeat an earlier one",
    measure=_duplicate_rate,
    changed_by_stopping=True,
    depends_on_policy=False,
)
MEAN_FIRST_RANK = Metric(
    about="Mean rank of the first plausible candidate",
    measure=lambda samples, _settings, _k: first_rank(samples),
    is_share=False,
    depends_on_policy=False,
)
MEDIAN_FIRST_RANK = Metric(
    about="Median rank of the first plausible candidate",
    measure=lambda samples, _settings, _k: first_rank(samples, statistic="median"),
    is_share=False,
    depends_on_policy=False,
)
