"""top@k: the share of bugs with a plausible candidate among the first k, as the repairer ranked them."""

from collections.abc import Sequence

from repairlab.core.outcome import Verdict
from repairlab.core.samples import Samples
from repairlab.metrics.requirements import need_finished, need_k
from repairlab.metrics.values import Values, decided_among, n_undecided


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
