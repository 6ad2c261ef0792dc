"""How far raters agree on the tasks that several of them looked at."""

from collections import Counter
from collections.abc import Iterable, Mapping

from repairlab.core.record import record
from repairlab.metrics.raters import Pattern, Reliability, reliability
from repairlab.study.assessment.adjudication import latest
from repairlab.study.assessment.records import LABELS, Rating


@record
class RaterAgreement:
    """The agreement of all raters, over all labels and label by label."""

    raters: tuple[str, ...]
    n_rated: int
    """Tasks with a rating."""
    n_shared: int
    """Tasks with the ratings of two or more raters."""
    overall: tuple[Reliability, ...]
    per_label: dict[str, tuple[Reliability, ...]]
    """Each label against all others."""
    matrix: dict[str, dict[str, int]]
    """How often one rater's label met another's on the same task; the first in the order of names stands in the rows."""


def rater_agreement(ratings: Iterable[Rating], labels: Iterable[str] = LABELS) -> RaterAgreement:
    """Compare the last words of all raters."""
    last = latest(ratings)
    return agreement_of({task: {rater: item.label for rater, item in by.items()} for task, by in last.items()}, labels)


def agreement_of(said: Mapping[str, Mapping[str, str]], labels: Iterable[str] = LABELS) -> RaterAgreement:
    """Compare labels by task and rater."""
    raters = sorted({rater for by_rater in said.values() for rater in by_rater})
    patterns: Counter[Pattern] = Counter(tuple(by_rater.get(rater) for rater in raters) for by_rater in said.values())
    matrix: dict[str, dict[str, int]] = {}
    for pattern, n in patterns.items():
        words = [word for word in pattern if word is not None]
        for place, first in enumerate(words):
            for second in words[place + 1 :]:
                row = matrix.setdefault(first, {})
                row[second] = row.get(second, 0) + n
    return RaterAgreement(
        raters=tuple(raters),
        n_rated=len(said),
        n_shared=sum(len(by_rater) > 1 for by_rater in said.values()),
        overall=tuple(reliability(patterns)),
        per_label={label: tuple(reliability(_against(label, patterns))) for label in labels},
        matrix=matrix,
    )


def _against(label: str, patterns: Counter[Pattern]) -> Counter[Pattern]:
    """Return the patterns with one label kept and all others taken for one."""
    found: Counter[Pattern] = Counter()
    for pattern, n in patterns.items():
        found[tuple(None if word is None else label if word == label else "other" for word in pattern)] += n
    return found
