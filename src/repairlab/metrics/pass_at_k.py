"""pass@k and r.pass@k: whether one of k candidates is plausible, drawn at random or taken from the top of a ranking."""

import math
from collections.abc import Mapping, Sequence
from functools import lru_cache

from repairlab.core.outcome import Verdict
from repairlab.core.record import record
from repairlab.core.score import Samples
from repairlab.metrics.metric import Values, decided, is_lost, n_undecided, need_all_candidates, need_finished, need_k


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


@record
class Ranked:
    """An order of a run's candidates."""

    name: str
    recipe: str
    """How it was made: all that must be equal for two values to be comparable."""
    ranks: Mapping[str, Sequence[int]]
    """By bug, the ranks of the candidates from the first to look at to the last; those left out are not in here."""


def ranked_pass_at_k(samples: Sequence[Samples], ranks: Mapping[str, Sequence[int]], k: int, *, n: int) -> Values:
    """Return 1 for each bug with a plausible candidate among the first k of its ranking, else 0 (NL2Fix §3.4.2 and §4.4).

    `samples` hold all candidates as they were drawn. A bug whose candidates were all left out of the ranking is not fixed. As
    everywhere, UNDECIDED candidates count as if they had not been proposed, and a bug with nothing else, be it among all or among
    the ranked ones, is left out.

    >>> verdicts = (Verdict.WRONG, Verdict.PLAUSIBLE, Verdict.WRONG)
    >>> bug = Samples(bug_id="a", language="c", verdicts=verdicts, passed=(0.0, 1.0, 0.0), distinct=3, ended="asked")
    >>> [ranked_pass_at_k([bug], {"a": (3, 2)}, k, n=3).value for k in (1, 2)]
    [0.0, 1.0]
    """
    need_k("r.pass@k", k, n)
    need_finished("r.pass@k", samples)
    need_all_candidates("r.pass@k", samples, n)
    by_bug: dict[str, float] = {}
    n_samples = 0
    for item in samples:
        ranked = [item.verdicts[rank - 1] for rank in ranks[item.bug_id]]
        first = [verdict for verdict in ranked if verdict is not Verdict.UNDECIDED][:k]
        if is_lost(item) or (ranked and not first):
            continue
        n_samples += len(first)
        by_bug[item.bug_id] = float(Verdict.PLAUSIBLE in first)
    return Values(by_bug=by_bug, n_samples=n_samples, n_undecided=n_undecided(samples))
