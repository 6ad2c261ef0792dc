"""How sure a number is: 95 % percentile bootstrap intervals over bugs."""

from collections.abc import Sequence

import numpy as np

from repairlab.core.record import record
from repairlab.metrics.values import Statistic

RESAMPLES = 2000
SEED = 20_240_229
_CELLS = 4_000_000
"""How many numbers are resampled at once: bounds memory for benchmarks with very many bugs."""


@record
class Interval:
    """A 95 % interval."""

    low: float
    high: float


def interval(values: Sequence[float], *, statistic: Statistic = "mean") -> Interval:
    """Return the percentile bootstrap interval of a mean or median (Efron and Tibshirani 1993, §13.3).

    Deterministic: the seed is fixed and the values are sorted first, so neither the order of bugs nor the machine matters.

    >>> interval([0.0, 1.0, 1.0, 1.0])
    Interval(low=0.25, high=1.0)
    """
    ordered = np.sort(np.asarray(values, dtype=np.float64))
    draw = np.random.default_rng(SEED)
    rows = max(1, min(RESAMPLES, _CELLS // len(ordered)))
    found: list[np.ndarray[tuple[int], np.dtype[np.float64]]] = []
    for start in range(0, RESAMPLES, rows):
        size = (min(rows, RESAMPLES - start), len(ordered))
        sampled = ordered[draw.integers(0, len(ordered), size=size)]
        found.append(np.median(sampled, axis=1) if statistic == "median" else sampled.mean(axis=1))
    low, high = np.percentile(np.concatenate(found), (2.5, 97.5))
    # Sums differ in their last bits between machines; records must not.
    return Interval(low=round(float(low), 6), high=round(float(high), 6))
