"""What a metric gives before it is averaged: one value per bug."""

import math
import statistics
from collections.abc import Iterable
from typing import Literal

from repairlab.core.outcome import Verdict
from repairlab.core.record import record
from repairlab.core.samples import Samples

Statistic = Literal["mean", "median"]


@record
class Values:
    """One value per bug; their mean (or median) is the metric."""

    by_bug: dict[str, float]
    """Bugs for which the metric is not defined are not in here."""
    n_samples: int
    """Candidates that the values are made from."""
    n_undecided: int
    """Candidates left out because our own machinery failed on them."""
    statistic: Statistic = "mean"

    @property
    def value(self) -> float:
        """Return the metric itself; the sum is exact, so the order of the bugs does not matter."""
        values = self.by_bug.values()
        return statistics.median(values) if self.statistic == "median" else math.fsum(values) / len(values)


def decided(samples: Samples) -> tuple[Verdict, ...]:
    """Return the verdicts by rank without the UNDECIDED ones, which count as if they had not been proposed."""
    if Verdict.UNDECIDED not in samples.verdicts:
        return samples.verdicts
    return tuple(verdict for verdict in samples.verdicts if verdict is not Verdict.UNDECIDED)


def decided_among(samples: Samples, k: int) -> tuple[Verdict, ...]:
    """Return the decided verdicts among the first k candidates, whatever follows them."""
    return tuple(verdict for verdict in samples.verdicts[:k] if verdict is not Verdict.UNDECIDED)


def is_lost(samples: Samples) -> bool:
    """Whether a bug has candidates but every one of them is UNDECIDED, so that nothing can be said of it."""
    return bool(samples.verdicts) and not decided(samples)


def n_undecided(samples: Iterable[Samples]) -> int:
    """Return how many candidates are UNDECIDED."""
    return sum(item.verdicts.count(Verdict.UNDECIDED) for item in samples)
