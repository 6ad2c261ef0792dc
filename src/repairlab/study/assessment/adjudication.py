"""What follows from ratings: on which tasks raters differ, and the final label of each. Pure functions; called by `assess`."""

from collections import defaultdict
from collections.abc import Iterable, Sequence

from repairlab.study.assessment.records import FinalLabel, LabelSource, Rating, Ruling


def latest(ratings: Iterable[Rating]) -> dict[str, dict[str, Rating]]:
    """Return the last rating of each task by each rater; whoever thinks again is taken at their last word."""
    found: dict[str, dict[str, Rating]] = defaultdict(dict)
    for rating in ratings:
        found[rating.task][rating.rater] = rating
    return dict(found)


def disagreements(labels: Iterable[FinalLabel]) -> list[FinalLabel]:
    """Return the rated tasks that are open: raters differ, or none is sure."""
    return [label for label in labels if label.source == "open" and label.ratings]


def final_labels(
    tasks: Iterable[str], ratings: Iterable[Rating], rulings: Iterable[Ruling] = (), *, identical: frozenset[str] = frozenset()
) -> list[FinalLabel]:
    """Return what holds of each task: the last ruling, else that it is the developer's fix, else what all its raters say."""
    given: dict[str, list[Rating]] = defaultdict(list)
    ruled: dict[str, list[Ruling]] = defaultdict(list)
    for rating in ratings:
        given[rating.task].append(rating)
    for ruling in rulings:
        ruled[ruling.task].append(ruling)
    return [_final(task, given[task], ruled[task], task in identical) for task in tasks]


def _final(task: str, ratings: Sequence[Rating], rulings: Sequence[Ruling], is_identical: bool) -> FinalLabel:
    label, source, rules = _settled(ratings, rulings, is_identical)
    return FinalLabel(task=task, label=label, source=source, rules=rules, ratings=tuple(ratings), rulings=tuple(rulings))


def _settled(
    ratings: Sequence[Rating], rulings: Sequence[Ruling], is_identical: bool
) -> tuple[str | None, LabelSource, tuple[str, ...]]:
    if rulings and rulings[-1].label != "unsure":
        return rulings[-1].label, "adjudicated", rulings[-1].rules
    if is_identical:
        return "correct", "identical", ("R0",)
    last = {rating.rater: rating for rating in ratings}.values()
    labels = {rating.label for rating in last}
    if len(labels) != 1 or "unsure" in labels:
        return None, "open", ()
    rules = {rule for rating in last for rule in rating.rules}
    return labels.pop(), "agreed" if len(last) > 1 else "one rater", tuple(sorted(rules, key=lambda rule: int(rule[1:])))
