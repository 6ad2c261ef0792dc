"""A metric: how often the first candidate is plausible."""

from repairlab.core.outcome import Verdict
from repairlab.metrics.metric import Measured, Metric, ScoreSettings, Values, decided, n_undecided


def _measure(samples: Measured, settings: ScoreSettings, k: int) -> Values:
    del settings, k
    firsts = {item.bug_id: decided(item)[0] for item in samples if decided(item)}
    by_bug = {bug_id: float(verdict is Verdict.PLAUSIBLE) for bug_id, verdict in firsts.items()}
    return Values(by_bug=by_bug, n_samples=len(by_bug), n_undecided=n_undecided(samples))


FIRST_IS_RIGHT = Metric(about="Share of bugs whose first candidate is plausible", measure=_measure)
