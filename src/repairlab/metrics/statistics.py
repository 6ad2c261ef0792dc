"""Samples of numbers: the uncertainty of their mean (bootstrap), their spread, and whether one is greater (Wilcoxon's tests).

The tests are exact for small samples without ties, else normal, and one-sided: the p-value is that of "the first is greater".
"""

import functools
import math
from collections.abc import Iterator, Sequence

import numpy as np

from repairlab.core.record import record
from repairlab.metrics.metric import Statistic

RESAMPLES = 2000
SEED = 20_240_229
_CELLS = 4_000_000
"""How many numbers are resampled at once: limits memory for benchmarks with very many bugs."""


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
    return _interval(np.sort(np.asarray(values, dtype=np.float64)).tobytes(), statistic)


@functools.lru_cache(maxsize=64)
def _interval(packed: bytes, statistic: Statistic) -> Interval:
    """Return the interval of sorted values; many metrics of a run have the same ones."""
    ordered = np.frombuffer(packed, dtype=np.float64)
    rows = max(1, min(RESAMPLES, _CELLS // len(ordered)))
    found: list[np.ndarray[tuple[int], np.dtype[np.float64]]] = []
    for places in _one_draw(len(ordered)) if rows == RESAMPLES else _draws(len(ordered), rows):
        sampled = ordered[places]
        found.append(np.median(sampled, axis=1) if statistic == "median" else sampled.mean(axis=1))
    low, high = np.percentile(np.concatenate(found), (2.5, 97.5))
    # Sums differ in their last bits between machines; records must not.
    return Interval(low=round(float(low), 6), high=round(float(high), 6))


def _draws(n: int, rows: int) -> Iterator[np.ndarray[tuple[int, int], np.dtype[np.int64]]]:
    """Yield the places of resampled values, so many resamples at once."""
    draw = np.random.default_rng(SEED)
    for start in range(0, RESAMPLES, rows):
        yield draw.integers(0, n, size=(min(rows, RESAMPLES - start), n))


@functools.lru_cache(maxsize=1)
def _one_draw(n: int) -> tuple[np.ndarray[tuple[int, int], np.dtype[np.int64]], ...]:
    """Return all resamples, which are the same for all metrics of a benchmark."""
    return tuple(_draws(n, RESAMPLES))


@record
class Distribution:
    """A sample in eight numbers."""

    n: int
    mean: float
    low: float
    q1: float
    median: float
    q3: float
    high: float
    kurtosis: float | None
    """None for a sample without spread."""

    @property
    def iqr(self) -> float:
        """Return the inter-quartile range."""
        return round(self.q3 - self.q1, 6)


def distribution(values: Sequence[float]) -> Distribution | None:
    """Describe a sample; none for an empty one. Quartiles are interpolated linearly (Hyndman and Fan 1996, type 7).

    >>> found = distribution([1.0, 2.0, 3.0, 4.0, 10.0])
    >>> found.q1, found.median, found.q3, found.iqr, found.kurtosis
    (2.0, 3.0, 4.0, 2.0, -0.212)
    """
    if not values:
        return None
    ordered = np.sort(np.asarray(values, dtype=np.float64))
    low, q1, median, q3, high = (round(float(item), 6) for item in np.percentile(ordered, (0, 25, 50, 75, 100)))
    mean = round(float(ordered.mean()), 6)
    return Distribution(n=len(ordered), mean=mean, low=low, q1=q1, median=median, q3=q3, high=high, kurtosis=kurtosis(values))


def kurtosis(values: Sequence[float]) -> float | None:
    """Return the excess kurtosis m4 / m2² - 3, which is 0 for a normal distribution; none without spread.

    >>> kurtosis([1.0, 2.0, 3.0, 4.0, 5.0]), kurtosis([1.0, 1.0])
    (-1.3, None)
    """
    sample = np.sort(np.asarray(values, dtype=np.float64))
    centred = sample - sample.mean()
    second = float(np.mean(centred**2))
    if second < 1e-18:
        return None
    return round(float(np.mean(centred**4)) / second**2 - 3, 6)


def spearman(first: Sequence[float], second: Sequence[float]) -> float | None:
    """Return Spearman's rank correlation, ties by their mean rank; none where one side does not vary.

    >>> spearman([1, 2, 3, 4], [1, 3, 2, 9]), spearman([1, 2], [5, 5])
    (0.8, None)
    """
    one, other = (_ranks(np.asarray(side, dtype=np.float64))[0] for side in (first, second))
    if len(one) < 2 or not one.std() or not other.std():
        return None
    return round(float(np.corrcoef(one, other)[0, 1]), 6)


_MOST_PAIRS = 50
_MOST_SMALLER = 8
Floats = np.ndarray[tuple[int, ...], np.dtype[np.float64]]


@record
class Tested:
    """The result of a test."""

    statistic: float
    p_value: float
    n: int
    """Numbers that were ranked."""


def signed_rank(first: Sequence[float], second: Sequence[float]) -> Tested | None:
    """Test whether paired differences, first minus second, tend to be positive (Wilcoxon 1945); none when all pairs are equal.

    Pairs that are equal are left out. The example is that of Cureton (1967), as SciPy gives it.

    >>> heights = [6, 8, 14, 16, 23, 24, 28, 29, 41, -48, 49, 56, 60, -67, 75]
    >>> signed_rank(heights, [0] * 15)
    Tested(statistic=96.0, p_value=0.0206298828125, n=15)
    """
    differences = np.asarray(first, dtype=np.float64) - np.asarray(second, dtype=np.float64)
    differences = differences[np.abs(differences) > 1e-12]
    n = len(differences)
    if not n:
        return None
    ranks, ties = _ranks(np.abs(differences))
    statistic = float(ranks[differences > 0].sum())
    if n <= _MOST_PAIRS and not ties:
        return Tested(statistic=statistic, p_value=_exact_signed(n, round(statistic)), n=n)
    mean = n * (n + 1) / 4
    variance = n * (n + 1) * (2 * n + 1) / 24 - ties / 48
    return Tested(statistic=statistic, p_value=_tail((statistic - mean) / math.sqrt(variance)), n=n)


def rank_sum(first: Sequence[float], second: Sequence[float]) -> Tested | None:
    """Test whether numbers of the first sample tend to be greater (Wilcoxon 1945; Mann and Whitney 1947); none when one is empty.

    The statistic is U of the first sample. The example is that of SciPy's documentation.

    >>> rank_sum([19, 22, 16, 29, 24], [20, 11, 17, 12])
    Tested(statistic=17.0, p_value=0.05555555555555555, n=9)
    """
    n_first, n_second = len(first), len(second)
    if not n_first or not n_second:
        return None
    n = n_first + n_second
    ranks, ties = _ranks(np.asarray([*first, *second], dtype=np.float64))
    statistic = float(ranks[:n_first].sum()) - n_first * (n_first + 1) / 2
    if min(n_first, n_second) <= _MOST_SMALLER and n <= 4 * _MOST_PAIRS and not ties:
        return Tested(statistic=statistic, p_value=_exact_sum(n_first, n_second, round(statistic)), n=n)
    variance = n_first * n_second / 12 * (n + 1 - ties / (n * (n - 1)))
    if variance <= 0:
        return Tested(statistic=statistic, p_value=1.0, n=n)
    distance = statistic - n_first * n_second / 2 - 0.5
    return Tested(statistic=statistic, p_value=_tail(distance / math.sqrt(variance)), n=n)


def _ranks(values: Floats) -> tuple[Floats, int]:
    """Return average ranks, and the sum of t³ - t over groups of t values that are equal but for rounding."""
    _, inverse, counts = np.unique(values.round(12), return_inverse=True, return_counts=True)
    ends = np.cumsum(counts)
    means = ends - (counts - 1) / 2
    return means[inverse].astype(np.float64), sum(int(count) ** 3 - int(count) for count in counts)


def _tail(z: float) -> float:
    return math.erfc(z / math.sqrt(2)) / 2


def _exact_signed(n: int, statistic: int) -> float:
    """Return P(W ≥ statistic), counting the subsets of 1 … n by their sum."""
    ways = [1] + [0] * (n * (n + 1) // 2)
    for rank in range(1, n + 1):
        for total in range(len(ways) - 1, rank - 1, -1):
            ways[total] += ways[total - rank]
    return sum(ways[statistic:]) / (1 << n)


def _exact_sum(n_first: int, n_second: int, statistic: int) -> float:
    """Return P(U ≥ statistic), counting the choices of ranks by their U."""
    size, largest = min(n_first, n_second), n_first * n_second
    ways = [[0] * (largest + 1) for _ in range(size + 1)]
    ways[0][0] = 1
    # One more of all ranks is taken into the smaller sample or not; U counts how many of the larger one lie below it.
    for index in range(n_first + n_second):
        for chosen in range(min(size, index + 1), 0, -1):
            below = index - (chosen - 1)
            for total in range(largest, below - 1, -1):
                ways[chosen][total] += ways[chosen - 1][total - below]
    return sum(ways[size][statistic:]) / math.comb(n_first + n_second, size)
