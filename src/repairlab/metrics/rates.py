"""Rates over candidates and bugs, and how far down its list a repairer's first plausible candidate is.

A rate over candidates is taken within each bug and then averaged over bugs, so that every bug weighs the same, however many
candidates it drew. All rates divide by the decided candidates of a bug, but for the duplicate rate, which divides by all; bugs
without a candidate to divide by are left out.
"""

from collections.abc import Callable, Sequence

from repairlab.core.outcome import Verdict
from repairlab.core.score import Samples
from repairlab.metrics.metric import Statistic, Values, decided, is_lost, n_undecided


def plausible_rate(samples: Sequence[Samples]) -> Values:
    """Return the share of plausible ones among a bug's candidates."""
    return _rate(samples, lambda verdict: verdict is Verdict.PLAUSIBLE)


def apply_rate(samples: Sequence[Samples]) -> Values:
    """Return the share of a bug's candidates that could be read and applied."""
    return _rate(samples, lambda verdict: verdict is not Verdict.UNAPPLICABLE)


def compile_rate(samples: Sequence[Samples]) -> Values:
    """Return the share of a bug's candidates that build; one that does not apply does not build (NL2Fix, table 2)."""
    return _rate(samples, lambda verdict: verdict not in (Verdict.UNAPPLICABLE, Verdict.UNCOMPILABLE))


def duplicate_rate(samples: Sequence[Samples]) -> Values:
    """Return the share of a bug's candidates that repeat an earlier one: 1 - distinct / all (NL2Fix, table 2).

    >>> verdicts = (Verdict.WRONG,) * 4
    >>> bug = Samples(bug_id="a", language="c", verdicts=verdicts, passed=(0.0,) * 4, distinct=3, ended="asked")
    >>> duplicate_rate([bug]).value
    0.25
    """
    by_bug = {item.bug_id: 1 - item.distinct / len(item.verdicts) for item in samples if item.verdicts}
    return Values(by_bug=by_bug, n_samples=sum(len(item.verdicts) for item in samples), n_undecided=0)


def fixed(samples: Sequence[Samples]) -> Values:
    """Return 1 for each bug with at least one plausible candidate, else 0: the share of bugs that were fixed plausibly."""
    by_bug = {item.bug_id: float(Verdict.PLAUSIBLE in item.verdicts) for item in samples if not is_lost(item)}
    n_samples = sum(len(decided(item)) for item in samples)
    return Values(by_bug=by_bug, n_samples=n_samples, n_undecided=n_undecided(samples))


def _rate(samples: Sequence[Samples], counted: Callable[[Verdict], bool]) -> Values:
    by_bug: dict[str, float] = {}
    n_samples = 0
    for item in samples:
        base = decided(item)
        n_samples += len(base)
        if base:
            by_bug[item.bug_id] = sum(map(counted, base)) / len(base)
    return Values(by_bug=by_bug, n_samples=n_samples, n_undecided=n_undecided(samples))


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
