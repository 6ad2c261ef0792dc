"""What k candidates come to: drawn at random (pass@k), first in a ranking (r.pass@k), or first proposed (top@k, TCA@k)."""

import math
from collections.abc import Mapping, Sequence
from functools import lru_cache

from repairlab.core.errors import UserError
from repairlab.core.outcome import Policy, Verdict
from repairlab.core.record import record
from repairlab.core.score import Samples
from repairlab.metrics.metric import (
    Values,
    decided,
    decided_among,
    is_lost,
    n_undecided,
    need_all_candidates,
    need_finished,
    need_k,
)


def top_at_k(samples: Sequence[Samples], k: int, *, n: int) -> Values:
    """Return 1 for each bug with a plausible candidate among its first k, else 0; runs that stopped early will do.

    Called "first-k hit rate" in FixEval (figure 4). Only the first k candidates matter: UNDECIDED ones among them are left out, and
    a bug with nothing else among them is left out of the mean.

    >>> from repairlab.core.outcome import Verdict
    >>> verdicts = (Verdict.WRONG, Verdict.PLAUSIBLE)
    >>> bug = Samples(bug_id="a", language="c", verdicts=verdicts, passed=(0.0, 1.0), distinct=2, ended="solved")
    >>> top_at_k([bug], 1, n=10).value, top_at_k([bug], 2, n=10).value
    (0.0, 1.0)
    """
    need_k("top@k", k, n)
    need_finished("top@k", samples)
    first = {item.bug_id: decided_among(item, k) for item in samples}
    by_bug = {
        item.bug_id: float(Verdict.PLAUSIBLE in first[item.bug_id]) for item in samples if first[item.bug_id] or not item.verdicts
    }
    return Values(by_bug=by_bug, n_samples=sum(map(len, first.values())), n_undecided=n_undecided(samples))


def tca_at_k(samples: Sequence[Samples], k: int, *, n: int, policy: Policy) -> Values:
    """Return per bug the mean share of tests that its first k candidates pass (FixEval §4.1.2, eq. 1).

    Where a repairer proposed fewer than k, the mean is over those; none at all counts as 0. UNDECIDED candidates among the first k
    are left out, and so is a bug with nothing else among them. Needs every test of every candidate.

    >>> from repairlab.core.outcome import Verdict
    >>> verdicts = (Verdict.PLAUSIBLE, Verdict.WRONG)
    >>> bug = Samples(bug_id="a", language="c", verdicts=verdicts, passed=(1.0, 0.5), distinct=2, ended="asked")
    >>> tca_at_k([bug], 2, n=2, policy="full").value
    0.75
    """
    need_k("TCA@k", k, n)
    if policy != "full":
        raise UserError(f"TCA@k: the run's policy is {policy}, so not every test was run; run again with --policy full")
    need_finished("TCA@k", samples)
    need_all_candidates("TCA@k", samples, n)
    by_bug: dict[str, float] = {}
    n_samples = 0
    for item in samples:
        pairs = zip(item.verdicts[:k], item.passed[:k], strict=True)
        shares = [passed for verdict, passed in pairs if verdict is not Verdict.UNDECIDED]
        if shares or not item.verdicts:
            by_bug[item.bug_id] = math.fsum(shares) / max(len(shares), 1)
            n_samples += len(shares)
    return Values(by_bug=by_bug, n_samples=n_samples, n_undecided=n_undecided(samples))


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
