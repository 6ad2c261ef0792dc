"""What a metric is: a pure function of samples and a run's settings that gives one value per bug.

Also the signature of a score, and what a metric requires of a run.
"""

import math
import statistics
from collections.abc import Callable, Collection, Iterable, Sequence
from typing import Literal

from repairlab.core.errors import UserError
from repairlab.core.outcome import Policy, Verdict
from repairlab.core.record import digest, record
from repairlab.core.score import Samples

Statistic = Literal["mean", "median"]


@record
class Values:
    """One value per bug; their mean (or median) is the metric."""

    by_bug: dict[str, float]
    """Bugs for which the metric is undefined are missing."""
    n_samples: int
    """Candidates behind the values."""
    n_undecided: int
    """Candidates left out because our own machinery failed on them."""
    statistic: Statistic = "mean"

    @property
    def value(self) -> float:
        """Return the metric itself; the sum is exact, so the order of the bugs does not matter."""
        values = self.by_bug.values()
        return statistics.median(values) if self.statistic == "median" else math.fsum(values) / len(values)


def decided(samples: Samples) -> tuple[Verdict, ...]:
    """Return the verdicts by rank without UNDECIDED ones, which count as if they had not been proposed."""
    if Verdict.UNDECIDED not in samples.verdicts:
        return samples.verdicts
    return tuple(verdict for verdict in samples.verdicts if verdict is not Verdict.UNDECIDED)


def decided_among(samples: Samples, k: int) -> tuple[Verdict, ...]:
    """Return the decided verdicts among the first k candidates, whatever follows them."""
    return tuple(verdict for verdict in samples.verdicts[:k] if verdict is not Verdict.UNDECIDED)


def is_lost(samples: Samples) -> bool:
    """Whether a bug has candidates but every one of them is UNDECIDED, so that nothing can be said."""
    return bool(samples.verdicts) and not decided(samples)


def n_undecided(samples: Iterable[Samples]) -> int:
    """Return how many candidates are UNDECIDED."""
    return sum(item.verdicts.count(Verdict.UNDECIDED) for item in samples)


Duplicates = Literal["counted", "merged"]


@record
class ScoreSettings:
    """The settings of a run that decide what a score means."""

    n: int
    """Requested candidates per bug."""
    benchmark: str
    """Name, version and digest, e.g. `starter@1.0.0#1a2b3c`."""
    policy: Policy
    conditions: tuple[tuple[str, str], ...]
    """What the repairer was shown and told: (name, value), e.g. localisation, line."""
    rounds: int
    """More than 1: a conversation, whose candidates depend on each other."""
    duplicates: Duplicates
    """`merged`: the samples hold each distinct candidate of a bug once."""
    repairlab: str
    """Version of repairlab that made the verdicts."""


def signature(
    metric: str, k: int | None, samples: Sequence[Samples], settings: ScoreSettings, *, leave_out: Collection[str] = ()
) -> str:
    """Return what must be equal for two values to be comparable, as `metric|name:value|…`, without the names to leave out."""
    parts = {
        "n": settings.n,
        "bugs": f"{len(samples)}#{digest(sorted(item.bug_id for item in samples))[:8]}",
        "benchmark": settings.benchmark,
        "policy": settings.policy,
        **dict(settings.conditions),
        "duplicates": settings.duplicates,
        "undecided": "left-out",
        "repairlab": settings.repairlab,
    }
    head = metric if k is None else metric.replace("@k", f"@{k}")
    return "|".join((head, *(f"{name}:{value}" for name, value in parts.items() if name not in leave_out)))


Measured = Sequence[Samples]


@record
class Metric:
    """One metric; the table has its name, which holds `@k` exactly when it is asked for at a k."""

    about: str
    """What it says, in one line."""
    measure: Callable[[Measured, ScoreSettings, int], Values]
    """Takes samples, settings of the run and k, which is 0 for a metric without one; a UserError, which begins with the name of the
    metric and a colon, says why the run cannot have it."""
    is_share: bool = True
    """Whether values lie between 0 and 1 and are shown in per cent."""
    changed_by_stopping: bool = False
    """Whether stopping at the first plausible candidate changes it but leaves it meaningful, which its signature then says."""
    depends_on_n: bool = True
    """Whether candidates after the first k change it; if not, runs with different n are comparable."""
    depends_on_policy: bool = True
    """Whether it depends on how many tests passed; a metric of verdicts alone is the same under both policies."""


def need_k(metric: str, k: int, n: int) -> None:
    """Refuse a k that the run cannot support."""
    if not 1 <= k <= n:
        raise UserError(f"{metric}: k is {k}, but the run asked for n = {n} candidates per bug; choose k from 1 to {n}")


def need_finished(metric: str, samples: Sequence[Samples]) -> None:
    """Refuse a run that was cut."""
    cut = [item.bug_id for item in samples if item.ended == "unfinished"]
    if cut:
        raise UserError(f"{metric}: {len(cut)} of {len(samples)} bugs are unfinished, the first is {cut[0]}; let the run end first")


def need_all_candidates(metric: str, samples: Sequence[Samples], n: int) -> None:
    """Refuse a run that stopped at the first plausible candidate, because candidates that were never drawn would count."""
    early = [item.bug_id for item in samples if item.ended == "solved" and len(item.verdicts) < n]
    if early:
        raise UserError(
            f"{metric}: the run stopped at the first plausible candidate for {len(early)} of {len(samples)} bugs, the first is "
            f"{early[0]}; use top@k, or run again with --all-candidates"
        )


def need_independent(metric: str, rounds: int) -> None:
    """Refuse a conversation, because its candidates depend on earlier ones."""
    if rounds > 1:
        raise UserError(
            f"{metric}: the candidates of a conversation ({rounds} rounds) depend on each other; use top@k, "
            "the share of bugs solved within k tries"
        )
