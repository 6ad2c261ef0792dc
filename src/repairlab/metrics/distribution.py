"""How numbers are spread: quartiles and kurtosis, as box plots and tables of similarity show them."""

from collections.abc import Sequence

import numpy as np

from repairlab.core.record import record


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
