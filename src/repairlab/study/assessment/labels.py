"""What ratings add up to: the final label of each task, disagreements, the agreement of raters, and labels.json.

That file lies beside the run's own, as rankings do; the seal covers only the run's own files and stays as it is.
"""

import json
from collections import Counter, defaultdict
from collections.abc import Iterable, Mapping, Sequence
from pathlib import Path

from repairlab.core.errors import UserError
from repairlab.core.record import digest, record
from repairlab.core.storage.encoding import decode, store_json
from repairlab.metrics.raters import Pattern, Reliability, reliability
from repairlab.runs.store import Store
from repairlab.study.assessment.ratings import CORRECTNESS, LABELS, AssessmentTask, FinalLabel, LabelSource, Rating, Ruling


def latest(ratings: Iterable[Rating]) -> dict[str, dict[str, Rating]]:
    """Return each rater's last rating of each task."""
    found: dict[str, dict[str, Rating]] = defaultdict(dict)
    for rating in ratings:
        found[rating.task][rating.rater] = rating
    return dict(found)


def disagreements(labels: Iterable[FinalLabel]) -> list[FinalLabel]:
    """Return the rated tasks that are open: raters differ, or none is sure."""
    return [label for label in labels if label.source == "open" and label.ratings]


def final_labels(
    tasks: Iterable[str],
    ratings: Iterable[Rating],
    rulings: Iterable[Ruling] = (),
    *,
    identical: frozenset[str] = frozenset(),
    either_rejects: bool = False,
) -> list[FinalLabel]:
    """Return the decision on each task: the last ruling, else that it is the developer's fix, else what all its raters say.

    With `either_rejects`, a task is overfitting as soon as one of several raters says so (NPR4J, § 4.4).
    """
    given: dict[str, list[Rating]] = defaultdict(list)
    ruled: dict[str, list[Ruling]] = defaultdict(list)
    for rating in ratings:
        given[rating.task].append(rating)
    for ruling in rulings:
        ruled[ruling.task].append(ruling)
    found = []
    for task in tasks:
        label, source, rules = _settled(given[task], ruled[task], task in identical, either_rejects)
        found.append(
            FinalLabel(task=task, label=label, source=source, rules=rules, ratings=tuple(given[task]), rulings=tuple(ruled[task]))
        )
    return found


def _settled(
    ratings: Sequence[Rating], rulings: Sequence[Ruling], is_identical: bool, either_rejects: bool
) -> tuple[str | None, LabelSource, tuple[str, ...]]:
    if rulings and rulings[-1].label != "unsure":
        return rulings[-1].label, "adjudicated", rulings[-1].rules
    if is_identical:
        return "correct", "identical", ("R0",)
    last = {rating.rater: rating for rating in ratings}.values()
    labels = {rating.label for rating in last}
    if either_rejects and len(labels) > 1 and "overfitting" in labels:
        return "overfitting", "one rejects", ()
    if len(labels) != 1 or "unsure" in labels:
        return None, "open", ()
    rules = {rule for rating in last for rule in rating.rules}
    return labels.pop(), "agreed" if len(last) > 1 else "one rater", tuple(sorted(rules, key=lambda rule: int(rule[1:])))


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
    """How often one rater's label met another's on the same task; rows belong to the first rater by name."""


def rater_agreement(ratings: Iterable[Rating], labels: Iterable[str] = LABELS) -> RaterAgreement:
    """Compare the last ratings of all raters."""
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
    """Return the patterns with one label kept and all others merged."""
    found: Counter[Pattern] = Counter()
    for pattern, n in patterns.items():
        found[tuple(None if word is None else label if word == label else "other" for word in pattern)] += n
    return found


FILE = "labels.json"


@record
class LabelFile:
    """The final labels of a run."""

    run: str
    """Id of the run."""
    candidates: dict[str, str]
    """The task of each plausible candidate, by the candidate's id."""
    labels: tuple[FinalLabel, ...]
    """One for each task, with its history."""
    either_rejects: bool = False
    """Whether one of several raters may reject a candidate."""

    def by_candidate(self) -> dict[str, str | None]:
        """Return the label of each plausible candidate; None while it is open."""
        known: Mapping[str, str | None] = {label.task: label.label for label in self.labels}
        return {candidate: known.get(task) for candidate, task in self.candidates.items()}

    @property
    def digest(self) -> str:
        """Return the hash of the decisions, for signatures; who said what does not change it."""
        return digest(sorted((candidate, label or "") for candidate, label in self.by_candidate().items()))


def write_labels(
    folder: Path, tasks: Sequence[AssessmentTask], labels: Sequence[FinalLabel], *, either_rejects: bool = False
) -> LabelFile:
    """Write the final labels of a run."""
    made = LabelFile(
        run=Store(folder).manifest().id,
        candidates={task.candidate_id: task.id for task in tasks},
        labels=tuple(labels),
        either_rejects=either_rejects,
    )
    store_json(folder / FILE, made)
    return made


def read_labels(folder: Path) -> LabelFile | None:
    """Return the final labels of a run; None if it was not assessed."""
    path = folder / FILE
    if not path.is_file():
        return None
    try:
        made = decode(LabelFile, json.loads(path.read_text(encoding="utf-8")), path.name)
    except ValueError:
        raise UserError(f"{path} is not valid JSON; write it again with: repairlab assess {folder}") from None
    for label in filter(None, (item.label for item in made.labels)):
        CORRECTNESS.label_of(label)
    if made.run != Store(folder).manifest().id:
        raise UserError(f"{path} is of another run; write it again with: repairlab assess {folder}")
    return made
