from collections import Counter

import pytest
from hypothesis import given
from hypothesis import strategies as st

from repairlab.core.outcome import Verdict
from repairlab.metrics.agreement import VerdictPair, agreement, cohens_kappa
from repairlab.metrics.raters import krippendorff_alpha, reliability

SAME = {
    "plausible": (Verdict.PLAUSIBLE,),
    "wrong": (Verdict.WRONG, Verdict.CRASH),
    "timeout": (Verdict.TIMEOUT,),
}
pairs = st.lists(
    st.builds(
        lambda word, ours, rank: VerdictPair(bug_id="b", rank=rank, candidate_id="c", published=word, same=SAME[word], ours=ours),
        st.sampled_from(sorted(SAME)),
        st.sampled_from(Verdict),
        st.integers(1, 9),
    )
)


def pair(word: str, ours: Verdict, rank: int = 1) -> VerdictPair:
    return VerdictPair(bug_id="b", rank=rank, candidate_id="c", published=word, same=SAME[word], ours=ours)


def test_a_crash_agrees_with_wrong_and_undecided_is_left_out() -> None:
    found = agreement(
        [
            pair("plausible", Verdict.PLAUSIBLE),
            pair("wrong", Verdict.CRASH),
            pair("timeout", Verdict.WRONG, rank=3),
            pair("plausible", Verdict.WRONG, rank=4),
            pair("plausible", Verdict.UNDECIDED),
        ]
    )
    assert (found.n, found.n_agree, found.n_agree_on_plausible, found.n_undecided) == (4, 2, 3, 1)
    assert found.share == 0.5
    assert found.matrix == {"plausible": {"PLAUSIBLE": 1, "WRONG": 1}, "wrong": {"CRASH": 1}, "timeout": {"WRONG": 1}}
    assert [item.rank for item in found.disagreements] == [3, 4]
    assert found.kappa == pytest.approx(0.5)


def test_without_candidates_there_is_no_kappa() -> None:
    found = agreement([])
    assert (found.n, found.share, found.kappa, found.matrix) == (0, 0.0, None, {})
    assert cohens_kappa({(True, True): 3}) is None


@given(pairs)
def test_counts_add_up(items: list[VerdictPair]) -> None:
    found = agreement(items)
    assert found.n + found.n_undecided == len(items)
    assert sum(sum(row.values()) for row in found.matrix.values()) == found.n
    assert found.n_agree + len(found.disagreements) == found.n
    assert found.n_agree <= found.n_agree_on_plausible <= found.n
    assert found.kappa is None or -1 <= found.kappa <= 1


@given(pairs.filter(bool))
def test_who_agrees_always_has_a_kappa_of_one(items: list[VerdictPair]) -> None:
    same = [pair(item.published, item.same[0]) for item in items]
    assert agreement(same).kappa in (None, 1.0)


def test_what_was_made_from_another_source_is_no_disagreement() -> None:
    other = VerdictPair(
        bug_id="b", rank=2, candidate_id="c", published="plausible", same=SAME["plausible"], ours=Verdict.WRONG, other_source=True
    )
    found = agreement([pair("wrong", Verdict.WRONG), other])
    assert (found.n, found.n_agree, found.n_other_source, found.disagreements) == (1, 1, 1, ())
    assert found.other_source == {"plausible": {"WRONG": 1}}


def test_kappa_of_three_words() -> None:
    both = {("a", "a"): 10, ("a", "b"): 2, ("b", "b"): 8, ("c", "c"): 5, ("c", "a"): 5}
    # po = 23/30; pe = (12·15 + 8·10 + 10·5) / 900
    assert cohens_kappa(both) == pytest.approx((23 / 30 - 310 / 900) / (1 - 310 / 900))


def test_alpha_of_krippendorffs_own_example() -> None:
    """Krippendorff 2011, §C: four observers, twelve units, gaps; 0.743 for nominal data."""
    observers = ["1 2 3 3 2 1 4 1 2 . . .", "1 2 3 3 2 2 4 1 2 5 . 3", ". 3 3 3 2 3 4 2 2 5 1 .", "1 2 3 3 2 4 4 1 2 5 1 ."]
    units = zip(*(line.split() for line in observers), strict=True)
    patterns = Counter(tuple(None if word == "." else word for word in unit) for unit in units)
    assert krippendorff_alpha(patterns) == pytest.approx(0.743, abs=0.0005)
    (raw, kappa, alpha) = reliability(patterns)
    assert alpha.value == pytest.approx(0.743, abs=0.0005)
    assert alpha.n == 11, "one unit has a single value"
    assert alpha.interval and alpha.interval.low < 0.743 < alpha.interval.high
    assert raw.value and kappa.value


def test_raters_who_share_no_unit_have_no_agreement() -> None:
    assert [(item.value, item.interval, item.n) for item in reliability(Counter({("a", None): 2, (None, "b"): 1}))] == [
        (None, None, 0)
    ] * 3
