"""Laws that every metric must keep, on random runs."""

import itertools
import math

import pytest
from hypothesis import given
from hypothesis import settings as effort
from hypothesis import strategies as st

from repairlab.core.outcome import Verdict
from repairlab.core.samples import Samples
from repairlab.metrics.pass_at_k import estimate, pass_at_k
from repairlab.metrics.settings import ScoreSettings
from repairlab.metrics.table import METRICS, is_share, score, score_run, values_of
from repairlab.metrics.top_at_k import top_at_k

N = 6
LAW = effort(deadline=None, max_examples=50)
SETTINGS = ScoreSettings(
    n=N, benchmark="toy@1#0", policy="full", conditions=(("localisation", "line"),), rounds=1, duplicates="counted", repairlab="0"
)


@st.composite
def bugs(draw: st.DrawFn, bug_id: str) -> Samples:
    n = draw(st.integers(0, N))
    verdicts = tuple(draw(st.lists(st.sampled_from(Verdict), min_size=n, max_size=n)))
    return Samples(
        bug_id=bug_id,
        language="c",
        verdicts=verdicts,
        passed=tuple(1.0 if verdict is Verdict.PLAUSIBLE else draw(st.sampled_from((0.0, 0.25, 0.5))) for verdict in verdicts),
        distinct=draw(st.integers(min(n, 1), n)),
        ended="asked" if n == N else "exhausted",
    )


@st.composite
def runs(draw: st.DrawFn) -> list[Samples]:
    return [draw(bugs(f"bug-{index}")) for index in range(draw(st.integers(1, 6)))]


@LAW
@given(n=st.integers(1, 8), data=st.data())
def test_the_estimator_equals_counting_all_draws_of_k(n: int, data: st.DataObject) -> None:
    c, k = data.draw(st.integers(0, n)), data.draw(st.integers(1, n))
    draws = list(itertools.combinations([True] * c + [False] * (n - c), k))
    assert estimate(n, c, k) == pytest.approx(sum(map(any, draws)) / len(draws))


@LAW
@given(samples=runs(), metric=st.sampled_from(("pass@k", "top@k")))
def test_pass_at_k_and_top_at_k_rise_with_k(samples: list[Samples], metric: str) -> None:
    if any(set(item.verdicts) != {Verdict.UNDECIDED} for item in samples):
        values = [values_of(metric, k, samples, SETTINGS).value for k in range(1, N + 1)]
        assert values == sorted(values)


@LAW
@given(solved=st.lists(st.booleans(), min_size=1, max_size=12), k=st.integers(1, N))
def test_all_or_nothing_bugs_give_the_solved_fraction(solved: list[bool], k: int) -> None:
    samples = [
        Samples(
            bug_id=f"bug-{index}",
            language="c",
            verdicts=(Verdict.PLAUSIBLE if fine else Verdict.WRONG,) * N,
            passed=(float(fine),) * N,
            distinct=1,
            ended="asked",
        )
        for index, fine in enumerate(solved)
    ]
    for metric in ("pass@k", "top@k", "TCA@k"):
        assert values_of(metric, k, samples, SETTINGS).value == sum(solved) / len(solved)
    for metric in ("fixed", "plausible rate"):
        assert values_of(metric, None, samples, SETTINGS).value == sum(solved) / len(solved)


@LAW
@given(samples=runs())
def test_shares_lie_between_0_and_1_and_every_interval_contains_its_value(samples: list[Samples]) -> None:
    found = score_run(samples, SETTINGS, range(1, N + 1))
    for item in found.scores:
        assert item.low <= item.value <= item.high
        assert item.n_bugs <= len(samples)
        if is_share(item.metric):
            assert 0 <= item.low <= item.high <= 1
    assert set(METRICS) == {item.metric for item in found.scores} | {
        name if name in METRICS else f"{name.split('@')[0]}@k" for name in found.left_out
    }


@LAW
@given(samples=runs(), data=st.data())
def test_the_order_of_bugs_does_not_matter(samples: list[Samples], data: st.DataObject) -> None:
    shuffled = data.draw(st.permutations(samples))
    assert score_run(samples, SETTINGS, (1, 3)) == score_run(shuffled, SETTINGS, (1, 3))


@LAW
@given(samples=runs(), data=st.data(), k=st.integers(1, N))
def test_pass_at_k_does_not_depend_on_the_order_of_candidates(samples: list[Samples], data: st.DataObject, k: int) -> None:
    first = samples[0]
    verdicts = tuple(data.draw(st.permutations(first.verdicts)))
    again = Samples(
        bug_id=first.bug_id, language="c", verdicts=verdicts, passed=first.passed, distinct=first.distinct, ended=first.ended
    )
    assert pass_at_k([again], k, n=N) == pass_at_k([first], k, n=N)


@LAW
@given(samples=runs())
def test_pass_at_n_is_the_share_of_fixed_bugs(samples: list[Samples]) -> None:
    assert pass_at_k(samples, N, n=N).by_bug == top_at_k(samples, N, n=N).by_bug


def test_the_mean_over_bugs_is_not_the_pooled_count() -> None:
    # One bug always solved and one never: pooled over candidates pass@5 would read 0.98.
    verdicts = ((Verdict.PLAUSIBLE,) * 10, (Verdict.WRONG,) * 10)
    samples = [
        Samples(bug_id=str(index), language="c", verdicts=item, passed=(0.0,) * 10, distinct=1, ended="asked")
        for index, item in enumerate(verdicts)
    ]
    assert pass_at_k(samples, 5, n=10).value == 0.5
    assert math.isclose(estimate(20, 10, 5), 0.98, abs_tol=0.01)


def test_scores_are_the_same_every_time() -> None:
    samples = [
        Samples(
            bug_id=str(index), language="c", verdicts=(Verdict.PLAUSIBLE,) * (index % 4), passed=(1.0,) * (index % 4), distinct=1,
            ended="exhausted",
        )
        for index in range(20)
    ]  # fmt: skip
    first = score("pass@k", 2, samples, SETTINGS)
    assert first == score("pass@k", 2, samples, SETTINGS)
    assert (first.low, first.high) == (0.55, 0.9)
