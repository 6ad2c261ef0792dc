"""Places by the tests that run them: what only failing tests run comes first, what no failing test runs comes last."""

import math

import pytest

from repairlab.metrics.suspiciousness import FORMULAS, Counts, average_precision, mean_ranks


@pytest.mark.parametrize("formula", FORMULAS.values(), ids=FORMULAS)
def test_a_place_is_the_more_suspicious_the_fewer_passing_tests_run_it(formula: object) -> None:
    assert callable(formula)
    counts = ((2, 0), (2, 1), (2, 4), (0, 3), (0, 0))
    fault, shared, common, passing, never = (formula(Counts(failed=failed, passed=passed), 2, 4) for failed, passed in counts)
    assert fault > shared > common > passing == never == 0.0


@pytest.mark.parametrize("formula", FORMULAS.values(), ids=FORMULAS)
def test_without_a_failing_test_nothing_is_suspicious(formula: object) -> None:
    assert callable(formula)
    assert formula(Counts(failed=0, passed=3), 0, 3) == formula(Counts(failed=0, passed=0), 0, 0) == 0.0


def test_only_d_star_knows_no_bound() -> None:
    values = {name: formula(Counts(failed=3, passed=0), 3, 5) for name, formula in FORMULAS.items()}
    assert values == {"ochiai": 1.0, "dstar": math.inf, "tarantula": 1.0}


def test_ranks_of_ties_share_their_mean_and_unseen_places_come_with_the_zeros() -> None:
    assert mean_ranks([0.5, 0.5, 0.1]) == [1.5, 1.5, 3.0]
    assert mean_ranks([0.5, 0.1], n_unseen=3) == [1.0, 2.0]
    assert mean_ranks([0.0], n_unseen=2) == [2.0]
    assert average_precision([]) == 0.0 and average_precision([1.0, 2.0]) == 1.0
