"""How far down its list a repairer's first plausible candidate is: the work left to somebody who tries them in order."""

from collections.abc import Sequence

from repairlab.core.outcome import Verdict
from repairlab.core.samples import Samples
from repairlab.metrics.values import Statistic, Values, decided, n_undecided


def first_rank(samples: Sequence[Samples], *, statistic: Statistic = "mean") -> Values:
    """Return the 1-based rank of the first plausible candidate of each fixed bug (NPR4J, table 8, for plausible ones).

    >>> verdicts = (Verdict.WRONG, Verdict.WRONG, Verdict.PLAUSIBLE)
    >>> bug = Samples(bug_id="a", language="c", verdicts=verdicts, passed=(0.0, 0.0, 1.0), distinct=3, ended="asked")
    >>> first_rank([bug]).value
    3.0
    """
    ranks: dict[str, float] = {}
    for item in samples:
        verdicts = decided(item)
        if Verdict.PLAUSIBLE in verdicts:
            ranks[item.bug_id] = verdicts.index(Verdict.PLAUSIBLE) + 1.0
    fixed = [item for item in samples if item.bug_id in ranks]
    return Values(by_bug=ranks, n_samples=int(sum(ranks.values())), n_undecided=n_undecided(fixed), statistic=statistic)
