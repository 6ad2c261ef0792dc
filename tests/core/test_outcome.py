"""What is said of the tests of an outcome."""

import pytest

from repairlab.core.outcome import Policy, TestVerdict, Verdict
from repairlab.core.outcome import TestResult as CaseResult
from tests import builders

RAN = (CaseResult(id="1", verdict=TestVerdict.PASSED), CaseResult(id="2", verdict=TestVerdict.WRONG))


@pytest.mark.parametrize(
    ("policy", "n_run", "n_tests", "words"),
    [
        ("first-failure", 2, 14, "stopped at the first failure: 1 of 2 tests run passed, 12 were not run"),
        ("first-failure", 1, 2, "stopped at the first failure: 1 of 1 test run passed, 1 was not run"),
        ("full", 2, 14, "1 of 2 tests run passed, 12 were not run"),
        ("full", 2, 2, "1 of 2 tests passed"),
        ("full", 0, 2, "no test was run"),
        ("full", 0, 0, ""),
    ],
)
def test_tests_that_were_not_run_are_not_told_as_failed(policy: Policy, n_run: int, n_tests: int, words: str) -> None:
    outcome = builders.outcome(Verdict.WRONG, policy=policy, n_tests=n_tests, tests=RAN[:n_run])
    assert outcome.tests_in_words == words


def test_a_pass_that_is_too_weak_is_undecided() -> None:
    checked = builders.outcome(Verdict.PLAUSIBLE, strength="checked", guard="1 of 2 tests blind")
    assert checked.at_least("checked") is checked
    weak = checked.at_least("blind")
    assert (weak.verdict, weak.strength) == (Verdict.UNDECIDED, "checked")
    assert weak.message == "passes, but the pass is checked, and blind is the least that counts (1 of 2 tests blind)"


def test_what_is_no_pass_needs_no_strength_and_an_old_pass_has_none() -> None:
    assert builders.outcome(Verdict.WRONG).at_least("blind").verdict is Verdict.WRONG
    assert builders.outcome(Verdict.PLAUSIBLE).at_least("checked").verdict is Verdict.UNDECIDED
