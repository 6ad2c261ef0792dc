"""Scores that count correct candidates beside plausible ones, for runs whose candidates were assessed.

Candidates called overfitting count as wrong; those that are still open are left out, as UNDECIDED ones are, and counted beside.
"""

import dataclasses
from collections.abc import Mapping, Sequence

from repairlab.core.outcome import Verdict
from repairlab.core.samples import Samples
from repairlab.metrics.settings import ScoreSettings
from repairlab.metrics.table import Scores, score_correct
from repairlab.study.assessment.labels import LabelFile

_VERDICTS: Mapping[str | None, Verdict] = {
    "correct": Verdict.PLAUSIBLE,
    "overfitting": Verdict.WRONG,
    "unsure": Verdict.UNDECIDED,
    None: Verdict.UNDECIDED,
}


def correct_samples(samples: Sequence[Samples], ids: Mapping[str, Sequence[str]], labels: LabelFile) -> tuple[Samples, ...]:
    """Return samples in which plausible means correct; `ids` are those of the candidates of each bug, by rank."""
    known = labels.by_candidate()

    def verdict(found: Verdict, candidate: str) -> Verdict:
        return _VERDICTS[known.get(candidate)] if found is Verdict.PLAUSIBLE else found

    return tuple(
        dataclasses.replace(item, verdicts=tuple(verdict(*both) for both in zip(item.verdicts, ids[item.bug_id], strict=True)))
        for item in samples
    )


def correct_scores(samples: Sequence[Samples], settings: ScoreSettings, ks: Sequence[int], labels: LabelFile) -> Scores:
    """Return the scores of samples in which plausible means correct."""
    labelled = dataclasses.replace(settings, conditions=(*settings.conditions, ("labels", labels.digest)))
    return score_correct(samples, labelled, ks)
