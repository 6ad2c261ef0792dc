"""Rates over candidates and bugs. A rate over candidates is taken within each bug and then averaged over bugs.

So every bug weighs the same, however many candidates it drew. All rates divide by the decided candidates of a bug, but for the
duplicate rate, which divides by all; bugs without a candidate to divide by are left out.
"""

from collections.abc import Callable, Sequence

from repairlab.core.outcome import Verdict
from repairlab.core.samples import Samples
from repairlab.metrics.values import Values, decided, is_lost, n_undecided


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
