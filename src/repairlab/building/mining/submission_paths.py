"""Which wrong submission goes with which right one: the same user, problem and language, later in time. Pure; called by `pair`.

A user's submissions to a problem, in their order, are cut behind each accepted one: `WA WA AC WA AC` are two paths. What is
rejected on a path is paired with the accepted one at its end: with what its author did next that worked (FixEval, section 3).
"""

from collections.abc import Iterable
from typing import Literal

from repairlab.building.mining.submission_forms.form import JudgedSubmission
from repairlab.core.record import record

Steps = Literal["first", "last", "all"]
STEPS: dict[Steps, str] = {
    "first": "the first rejected one of each path to an accepted one",
    "last": "the last rejected one before an accepted one",
    "all": "every rejected one",
}


@record
class SubmissionPath:
    """What one user handed in up to an accepted program; none when no one was accepted any more."""

    rejected: tuple[JudgedSubmission, ...]
    accepted: JudgedSubmission | None


@record
class SubmissionPair:
    """A rejected program and the accepted one that it became."""

    wrong: JudgedSubmission
    right: JudgedSubmission


def paths_of(submissions: Iterable[JudgedSubmission]) -> list[SubmissionPath]:
    """Return the paths of all users through one problem, ordered by user and time; what the judge did not judge is no step."""
    by_user: dict[tuple[str, str], list[JudgedSubmission]] = {}
    for submission in submissions:
        if submission.verdict is not None:
            by_user.setdefault((submission.user, submission.language), []).append(submission)
    paths = []
    for key in sorted(by_user):
        rejected: list[JudgedSubmission] = []
        for submission in sorted(by_user[key], key=lambda item: (item.time, _number(item.id))):
            if not submission.is_accepted:
                rejected.append(submission)
                continue
            # Of two submissions of one moment nobody knows which came later.
            paths.append(
                SubmissionPath(rejected=tuple(item for item in rejected if item.time < submission.time), accepted=submission)
            )
            rejected = [item for item in rejected if item.time == submission.time]
        if rejected:
            paths.append(SubmissionPath(rejected=tuple(rejected), accepted=None))
    return paths


def pairs_of(path: SubmissionPath, steps: Steps) -> list[SubmissionPair]:
    """Return the pairs of a path that are asked for."""
    if path.accepted is None or not path.rejected:
        return []
    chosen = {"first": path.rejected[:1], "last": path.rejected[-1:], "all": path.rejected}[steps]
    return [SubmissionPair(wrong=wrong, right=path.accepted) for wrong in chosen]


def _number(name: str) -> tuple[int, str]:
    """Return a key by which `s9` comes before `s10`."""
    digits = "".join(char for char in name if "0" <= char <= "9")
    return int(digits or 0), name
