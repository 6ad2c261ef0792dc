"""Laws that every metric must keep, on random runs."""

import dataclasses
import itertools
import math

import pytest
from hypothesis import assume, given
from hypothesis import settings as effort
from hypothesis import strategies as st

from repairlab.core.errors import UserError
from repairlab.core.outcome import Verdict
from repairlab.core.score import Samples
from repairlab.metrics.metric import ScoreSettings
from repairlab.metrics.pass_at_k import estimate, pass_at_k, top_at_k
from repairlab.metrics.table import METRICS, is_share, score, score_run, values_of

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
    assume(any(set(item.verdicts) != {Verdict.UNDECIDED} for item in samples))
    found = [values_of(metric, k, samples, SETTINGS) for k in range(1, N + 1)]
    for before, after in itertools.pairwise(found):
        assert all(value <= after.by_bug[bug_id] for bug_id, value in before.by_bug.items())


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


def cut(item: Samples, n: int) -> Samples:
    """Return a bug as a run leaves it that asks for n candidates."""
    return dataclasses.replace(item, verdicts=item.verdicts[:n], passed=item.passed[:n], distinct=min(item.distinct, n))


def values_or_reason(metric: str, k: int, samples: list[Samples], settings: ScoreSettings) -> dict[str, float] | str:
    try:
        return values_of(metric, k, samples, settings).by_bug
    except UserError as error:
        return str(error)


@pytest.mark.parametrize("metric", [name for name in METRICS if not METRICS[name].depends_on_n])
@LAW
@given(samples=runs(), k=st.integers(1, N), data=st.data())
def test_a_metric_without_n_in_its_signature_is_the_same_for_every_n(
    metric: str, samples: list[Samples], k: int, data: st.DataObject
) -> None:
    n = data.draw(st.integers(k, N))
    fewer = dataclasses.replace(SETTINGS, n=n)
    assert values_or_reason(metric, k, [cut(item, n) for item in samples], fewer) == values_or_reason(metric, k, samples, SETTINGS)
    assert signature_of(metric, k, samples, fewer) == signature_of(metric, k, samples, SETTINGS)


@pytest.mark.parametrize("metric", [name for name in METRICS if not METRICS[name].depends_on_policy])
@LAW
@given(samples=runs(), k=st.integers(1, N))
def test_a_metric_without_policy_in_its_signature_does_not_read_what_policies_change(
    metric: str, samples: list[Samples], k: int
) -> None:
    # A policy decides how many tests are run, hence the shares that passed; `tests/test_policies.py` shows that verdicts agree.
    first_failure = dataclasses.replace(SETTINGS, policy="first-failure")
    stopped = [dataclasses.replace(item, passed=tuple(float(share == 1) for share in item.passed)) for item in samples]
    assert values_or_reason(metric, k, stopped, first_failure) == values_or_reason(metric, k, samples, SETTINGS)
    assert signature_of(metric, k, stopped, first_failure) == signature_of(metric, k, samples, SETTINGS)


def signature_of(metric: str, k: int, samples: list[Samples], settings: ScoreSettings) -> str | None:
    try:
        return score(metric, k, samples, settings).signature
    except UserError:
        return None


EVERY_KIND = Samples(
    bug_id="a",
    language="c",
    verdicts=(Verdict.WRONG, Verdict.UNCOMPILABLE, Verdict.PLAUSIBLE, Verdict.UNAPPLICABLE, Verdict.WRONG, Verdict.PLAUSIBLE),
    passed=(0.5, 0.0, 1.0, 0.0, 0.5, 1.0),
    distinct=4,
    ended="asked",
)


@pytest.mark.parametrize("metric", [name for name in METRICS if METRICS[name].depends_on_n])
def test_a_metric_with_n_in_its_signature_changes_with_n(metric: str) -> None:
    values = {str(values_or_reason(metric, 1, [cut(EVERY_KIND, n)], dataclasses.replace(SETTINGS, n=n))) for n in range(1, N + 1)}
    assert len(values) > 1


@pytest.mark.parametrize("metric", [name for name in METRICS if METRICS[name].depends_on_policy])
def test_a_metric_with_policy_in_its_signature_changes_with_the_policy(metric: str) -> None:
    first_failure = dataclasses.replace(SETTINGS, policy="first-failure")
    assert values_or_reason(metric, 1, [EVERY_KIND], first_failure) != values_or_reason(metric, 1, [EVERY_KIND], SETTINGS)


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
