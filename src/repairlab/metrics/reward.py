"""The reward of a verdict for a model that learns from it."""

from typing import Literal

from repairlab.core.outcome import Outcome, Verdict
from repairlab.core.record import record

RewardLevel = Literal["unapplicable", "uncompilable", "failing", "triggers_pass", "plausible"]
"""Levels of a candidate, worst first."""


@record
class RewardScale:
    """The reward of each level, and what lies between them."""

    unapplicable: float = 0.0
    """Nothing could be read from the answer, it does not apply, or it only changes layout."""
    uncompilable: float = 0.1
    failing: float = 0.2
    """It builds, and fails a test that shows the bug; or a case, for programs with cases."""
    triggers_pass: float = 0.5
    """It passes the tests that showed the bug, and fails another."""
    plausible: float = 1.0
    share: float = 0.0
    """How much of the step to the next level the share of passed tests or cases gives; needs the policy `full` to be exact."""
    least_similarity: float = 0.0
    """A plausible candidate with less than this in common with the buggy code (edit similarity, 0 to 1) counts as failing."""


def level_of(outcome: Outcome) -> RewardLevel | None:
    """Return what a candidate came to; none when nothing could be decided.

    >>> level_of(Outcome(candidate_id="", bug_id="", verdict=Verdict.CRASH, stage="regression", policy="full"))
    'triggers_pass'
    """
    match outcome.verdict:
        case Verdict.UNDECIDED:
            return None
        case Verdict.UNAPPLICABLE:
            return "unapplicable"
        case Verdict.UNCOMPILABLE:
            return "uncompilable"
        case Verdict.PLAUSIBLE:
            return "plausible"
    return "triggers_pass" if outcome.stage == "regression" else "failing"


def reward_of(outcome: Outcome, scale: RewardScale, *, similarity: float | None = None) -> float | None:
    """Return the reward of an outcome; none when nothing could be decided.

    `similarity` is that of the buggy code and what the candidate makes of it, without regard to layout: 1 when nothing changed.

    >>> half = Outcome(candidate_id="", bug_id="", verdict=Verdict.WRONG, stage="cases", policy="full", n_tests=4)
    >>> reward_of(half, RewardScale()), reward_of(half, RewardScale(), similarity=1.0)
    (0.2, 0.0)
    """
    level = level_of(outcome)
    if level is None:
        return None
    if similarity == 1.0 and level != "plausible":
        level = "unapplicable"
    if level == "plausible" and similarity is not None and similarity < scale.least_similarity:
        level = "failing"
    if level == "failing" and outcome.n_tests:
        return scale.failing + scale.share * (scale.triggers_pass - scale.failing) * outcome.n_passed / outcome.n_tests
    if level == "triggers_pass" and outcome.n_tests:
        return scale.triggers_pass + scale.share * (scale.plausible - scale.triggers_pass) * outcome.n_passed / outcome.n_tests
    reward: float = getattr(scale, level)
    return reward
