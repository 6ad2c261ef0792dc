"""pass@k: the chance that at least one of k candidates, drawn at random from those of a bug, is plausible."""

import math
from collections.abc import Sequence
from functools import lru_cache

from repairlab.core.outcome import Verdict
from repairlab.core.samples import Samples
from repairlab.metrics.requirements import need_all_candidates, need_finished, need_k
from repairlab.metrics.values import Values, decided, is_lost, n_undecided


def pass_at_k(samples: Sequence[Samples], k: int, *, n: int) -> Values:
    """Return the unbiased estimator of pass@k per bug (Chen et al. 2021, eq. 1).

    `n` is the number of candidates that was asked for. A repairer that ran out of proposals for a bug has proposed all it can:
    the bug's own number counts as its n, with k capped at it (as nl2fix caps k), and a bug without any proposal is not fixed.
    UNDECIDED candidates are left out of n and c of their bug, and a bug with nothing else is left out.

    >>> from repairlab.core.outcome import Verdict
    >>> verdicts = (Verdict.PLAUSIBLE, Verdict.WRONG, Verdict.WRONG, Verdict.WRONG)
    >>> bug = Samples(bug_id="a", language="c", verdicts=verdicts, passed=(1.0, 0.0, 0.0, 0.0), distinct=4, ended="asked")
    >>> pass_at_k([bug], 2, n=4).value
    0.5
    """
    need_k("pass@k", k, n)
    need_finished("pass@k", samples)
    need_all_candidates("pass@k", samples, n)
    by_bug: dict[str, float] = {}
    for item in samples:
        if not is_lost(item):
            sampled = decided(item)
            by_bug[item.bug_id] = estimate(len(sampled), sampled.count(Verdict.PLAUSIBLE), k)
    n_samples = sum(len(decided(item)) for item in samples)
    return Values(by_bug=by_bug, n_samples=n_samples, n_undecided=n_undecided(samples))


@lru_cache(maxsize=4096)
def estimate(n: int, c: int, k: int) -> float:
    """Return 1 - C(n-c, k) / C(n, k), with k capped at n (Chen et al. 2021, eq. 1).

    >>> estimate(10, 3, 1), estimate(5, 0, 3), estimate(5, 3, 3)
    (0.3, 0.0, 1.0)
    """
    k = min(k, n)
    total = math.comb(n, k)
    return (total - math.comb(n - c, k)) / total
