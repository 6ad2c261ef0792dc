"""TCA@k, the test case average: how many of a bug's tests its first k candidates pass. A softer measure than pass@k."""

import math
from collections.abc import Sequence

from repairlab.core.errors import UserError
from repairlab.core.outcome import Policy, Verdict
from repairlab.core.samples import Samples
from repairlab.metrics.requirements import need_all_candidates, need_finished, need_k
from repairlab.metrics.values import Values, n_undecided


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
