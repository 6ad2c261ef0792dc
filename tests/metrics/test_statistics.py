"""Statistics of the papers' tables: known values, laws, and exact tests against counting all cases."""

import itertools
import math

import pytest
from hypothesis import given
from hypothesis import settings as effort
from hypothesis import strategies as st

from repairlab.metrics.compare import overlaps
from repairlab.metrics.seeds import sign_flips
from repairlab.metrics.similarity import bare, edit_similarity, folded
from repairlab.metrics.statistics import distribution, kurtosis, rank_sum, signed_rank

LAW = effort(deadline=None, max_examples=40)
NUMBERS = st.lists(st.floats(-5, 5).map(lambda value: round(value, 3)), min_size=1, max_size=9, unique=True)


@LAW
@given(NUMBERS)
def test_exact_signed_ranks_count_all_signs(values: list[float]) -> None:
    differences = [value for value in values if value]
    sizes = sorted(abs(value) for value in differences)
    if not sizes or len(set(sizes)) < len(sizes):
        return
    found = signed_rank(differences, [0.0] * len(differences))
    assert found is not None
    sums = [sum(rank for rank, sign in enumerate(signs, 1) if sign) for signs in itertools.product((0, 1), repeat=len(sizes))]
    assert found.p_value == pytest.approx(sum(total >= found.statistic for total in sums) / len(sums))


@LAW
@given(NUMBERS, st.integers(1, 8))
def test_exact_rank_sums_count_all_choices(values: list[float], size: int) -> None:
    first, second = values[:size], values[size:]
    found = rank_sum(first, second)
    if not second:
        assert found is None
        return
    assert found is not None

    def statistic(chosen: tuple[float, ...]) -> int:
        rest = set(values) - set(chosen)
        return sum(one > other for one in chosen for other in rest)

    every = [statistic(chosen) for chosen in itertools.combinations(values, len(first))]
    assert found.statistic == statistic(tuple(first))
    assert found.p_value == pytest.approx(sum(item >= found.statistic for item in every) / len(every))


def test_large_samples_take_the_normal_distribution() -> None:
    # 100 equal shifts: all ties. W = 5050, mean 2525, variance 84587.5 - (100³ - 100) / 48.
    found = signed_rank([1.0] * 100, [0.0] * 100)
    assert found is not None
    assert found.statistic == 5050
    assert found.p_value == pytest.approx(math.erfc(2525 / math.sqrt(84587.5 - 999900 / 48) / math.sqrt(2)) / 2)
    # Two like samples: nothing to see, and the same value everywhere says nothing at all.
    even = rank_sum(list(range(0, 200, 2)), list(range(1, 200, 2)))
    assert even is not None
    assert 0.4 < even.p_value < 0.7
    same = rank_sum([1.0] * 20, [1.0] * 20)
    assert same is not None
    assert same.p_value == 1.0


def test_equal_pairs_and_empty_samples_have_no_test() -> None:
    assert signed_rank([1.0, 2.0], [1.0, 2.0]) is None
    assert rank_sum([], [1.0]) is None


def test_kurtosis_is_that_of_the_sample() -> None:
    assert kurtosis([-1.0, 1.0]) == -2.0  # the least there is
    assert kurtosis([0.0] * 98 + [-1.0, 1.0]) == pytest.approx(47.0)  # 2/100 / (2/100)² - 3


@LAW
@given(st.lists(st.floats(0, 1), min_size=1, max_size=30))
def test_quartiles_are_in_order(values: list[float]) -> None:
    found = distribution(values)
    assert found is not None
    assert found.low <= found.q1 <= found.median <= found.q3 <= found.high
    assert found.iqr >= 0


def test_nothing_has_no_distribution() -> None:
    assert distribution([]) is None


@LAW
@given(st.text(max_size=30), st.text(max_size=30))
def test_similarity_is_symmetric_and_one_for_equal_texts(one: str, other: str) -> None:
    assert edit_similarity(one, one) == 1.0
    assert edit_similarity(one, other) == edit_similarity(other, one)
    assert 0.0 <= edit_similarity(one, other) <= 1.0
    assert bare(folded(one)) == bare(one)


@LAW
@given(st.dictionaries(st.sampled_from("xyz"), st.sets(st.sampled_from("abcdef")), min_size=1))
def test_every_fixed_bug_lies_in_exactly_one_region(fixed: dict[str, set[str]]) -> None:
    found = overlaps(fixed)
    assert sorted(bug for region in found.regions for bug in region.bugs) == list(found.by_any)
    assert set(found.by_any) == set().union(*fixed.values())
    assert set(found.by_all) == set.intersection(*fixed.values())
    for system, bugs in fixed.items():
        others = set().union(*(theirs for name, theirs in fixed.items() if name != system))
        assert set(found.only(system)) == bugs - others


@pytest.mark.parametrize("shift", [0.0, 0.5, 1.0])
def test_drawn_signs_agree_with_all_signs(shift: float) -> None:
    few = [shift + (-1) ** number * (1 + number % 3) for number in range(12)]
    spread = [*few, *(1e-11 for _ in range(12))]  # too many for all signs, and as good as nothing
    assert sign_flips(spread) == pytest.approx(sign_flips(few), abs=0.02)
