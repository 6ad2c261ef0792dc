"""top@k and TCA@k: what the first k candidates come to, in the order in which the repairer proposed them."""

import math
from collections.abc import Sequence

from repairlab.core.errors import UserError
from repairlab.core.outcome import Policy, Verdict
from repairlab.core.score import Samples
from repairlab.metrics.metric import Values, decided_among, n_undecided, need_all_candidates, need_finished, need_k


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
