"""What verdicts are worth: the order of levels, shares, and the guard by similarity."""

import itertools

import pytest
from hypothesis import given
from hypothesis import strategies as st

from repairlab.core.outcome import Outcome, Stage, TestResult, TestVerdict, Verdict
from repairlab.metrics.reward import RewardScale, level_of, reward_of
from tests import builders


def outcome(verdict: Verdict, stage: Stage = "trigger", *, passed: int = 0, n: int = 4) -> Outcome:
    tests = tuple(TestResult(id=str(number), verdict=TestVerdict.PASSED) for number in range(passed))
    return builders.outcome(verdict, stage=stage, tests=tests, n_tests=n)


LADDER = (
    outcome(Verdict.UNAPPLICABLE, "apply"),
    outcome(Verdict.UNCOMPILABLE, "build"),
    outcome(Verdict.WRONG),
    outcome(Verdict.TIMEOUT, "regression", passed=3),
    outcome(Verdict.PLAUSIBLE, "regression", passed=4),
)


def test_each_level_is_worth_more_than_the_one_before() -> None:
    for share in (0.0, 0.5, 1.0):
        rewards = [reward_of(item, RewardScale(share=share)) for item in LADDER]
        assert all(low is not None and high is not None and low < high for low, high in itertools.pairwise(rewards))


@given(st.integers(0, 20), st.integers(0, 20), st.floats(0, 1))
def test_more_passed_tests_are_never_worth_less(one: int, other: int, share: float) -> None:
    scale = RewardScale(share=share)
    less, more = (reward_of(outcome(Verdict.WRONG, "cases", passed=n, n=20), scale) for n in sorted((one, other)))
    assert less is not None and more is not None and scale.failing <= less <= more <= scale.triggers_pass


def test_undecided_has_no_reward_and_all_other_verdicts_have_one() -> None:
    for verdict in Verdict:
        reward = reward_of(outcome(verdict), RewardScale())
        assert (reward is None) == (verdict is Verdict.UNDECIDED) == (level_of(outcome(verdict)) is None)


@pytest.mark.parametrize(
    ("verdict", "similarity", "reward"),
    [
        (Verdict.WRONG, 1.0, 0.0),  # nothing was changed
        (Verdict.WRONG, 0.9, 0.2),
        (Verdict.PLAUSIBLE, 0.9, 1.0),
        (Verdict.PLAUSIBLE, 0.3, 0.2),  # written anew
        (Verdict.PLAUSIBLE, None, 1.0),
    ],
)
def test_what_changes_nothing_or_too_much_is_guarded_against(verdict: Verdict, similarity: float | None, reward: float) -> None:
    assert reward_of(outcome(verdict), RewardScale(least_similarity=0.5), similarity=similarity) == reward
