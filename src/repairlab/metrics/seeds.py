"""A metric over several seeds: its mean, how much seeds differ, an interval, and a paired test of two systems."""

import statistics
from collections.abc import Sequence

import numpy as np

from repairlab.core.record import record
from repairlab.metrics.statistics import RESAMPLES, SEED

_EXACT = 16
"""Up to this many non-zero differences, all signs are tried."""
_SIGNS = 20_000


@record
class SeededMean:
    """A mean over seeds and bugs with its 95 % interval."""

    value: float
    low: float
    high: float
    deviation: float | None
    """Standard deviation of the means of single seeds; None for one seed."""


def seeded_mean(values: Sequence[Sequence[float]]) -> SeededMean:
    """Return the mean of a row per seed and a column per bug; the interval resamples seeds, and bugs (two-level bootstrap).

    >>> seeded_mean([[0.0, 1.0, 1.0, 1.0]])
    SeededMean(value=0.75, low=0.25, high=1.0, deviation=None)
    """
    table = np.asarray(values, dtype=np.float64)
    table = table[:, np.lexsort(table[::-1])]  # neither the order of bugs nor the machine matters
    n_seeds, n_bugs = table.shape
    draw = np.random.default_rng(SEED)
    means = [
        table[draw.integers(0, n_seeds, n_seeds)].mean(axis=0)[draw.integers(0, n_bugs, n_bugs)].mean() for _ in range(RESAMPLES)
    ]
    value = round(float(table.mean()), 6)
    low, high = (round(float(bound), 6) for bound in np.percentile(means, (2.5, 97.5)))
    per_seed = [float(row.mean()) for row in table]
    deviation = round(statistics.stdev(per_seed), 6) if n_seeds > 1 else None
    return SeededMean(value=value, low=min(low, value), high=max(high, value), deviation=deviation)


def sign_flips(differences: Sequence[float]) -> float:
    """Return the two-sided p of paired differences under random signs (Fisher 1935); for 0 and ±1 that is McNemar's exact test.

    >>> sign_flips([1, 1, 1, 1, 1, 1, 1, -1, 0, 0]), sign_flips([0.0, 0.0])
    (0.0703125, 1.0)
    """
    kept = np.asarray([item for item in differences if abs(item) > 1e-12], dtype=np.float64)
    n = len(kept)
    if not n:
        return 1.0
    least = abs(float(kept.sum())) - 1e-9
    if n <= _EXACT:
        signs = 1 - 2 * ((np.arange(1 << n)[:, None] >> np.arange(n)) & 1)
        return float((np.abs(signs @ kept) >= least).mean())
    draw = np.random.default_rng(SEED)
    n_extreme = sum(abs(float(draw.choice((-1.0, 1.0), n) @ kept)) >= least for _ in range(_SIGNS))
    return round((n_extreme + 1) / (_SIGNS + 1), 6)
