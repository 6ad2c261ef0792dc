"""r.pass@k: the share of bugs with a plausible candidate among the first k of a ranking made after the candidates were drawn."""

from collections.abc import Mapping, Sequence

from repairlab.core.outcome import Verdict
from repairlab.core.record import record
from repairlab.core.samples import Samples
from repairlab.metrics.requirements import need_all_candidates, need_finished, need_k
from repairlab.metrics.values import Values, is_lost, n_undecided


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
