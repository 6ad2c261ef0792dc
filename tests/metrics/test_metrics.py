"""What each metric says of small runs made by hand, and what it refuses."""

import dataclasses
from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from repairlab.core.errors import UserError
from repairlab.core.outcome import Verdict
from repairlab.metrics.compare import difference, mcnemar, overlap
from repairlab.metrics.metric import ScoreSettings, Values, signature
from repairlab.metrics.pass_at_k import pass_at_k, tca_at_k, top_at_k
from repairlab.metrics.rates import apply_rate, compile_rate, duplicate_rate, first_rank, fixed, plausible_rate
from repairlab.metrics.statistics import RESAMPLES, SEED, interval
from repairlab.metrics.table import score, score_correct, score_run, values_of
from tests.builders import sampled
from tests.test_outside_package import write_dist_info

P, W, CE, NA, IE = Verdict.PLAUSIBLE, Verdict.WRONG, Verdict.UNCOMPILABLE, Verdict.UNAPPLICABLE, Verdict.UNDECIDED


def settings(**changes: Any) -> ScoreSettings:
    fields = {"n": 4, "benchmark": "toy@1.0.0#abc", "policy": "full", "conditions": (("localisation", "line"),), "rounds": 1}
    return ScoreSettings(**{**fields, "duplicates": "counted", "repairlab": "0.1.0", **changes})


def test_an_exhausted_repairer_is_measured_on_what_it_proposed() -> None:
    assert pass_at_k([sampled("a", P, ended="exhausted")], 1, n=4).value == 1.0
    assert pass_at_k([sampled("a", P, W, ended="exhausted")], 1, n=4).value == 0.5
    assert pass_at_k([sampled("a", P, W, ended="exhausted")], 4, n=4).value == 1.0
    assert pass_at_k([sampled("a", ended="exhausted")], 1, n=4).value == 0.0


def test_undecided_candidates_are_left_out_of_n_and_c_and_counted() -> None:
    values = pass_at_k([sampled("a", P, W, IE, IE)], 1, n=4)
    assert (values.value, values.n_samples, values.n_undecided) == (0.5, 2, 2)


def test_k_is_capped_at_the_decided_candidates() -> None:
    assert pass_at_k([sampled("a", P, IE, IE, IE)], 4, n=4).value == 1.0


def test_a_bug_with_only_undecided_candidates_is_left_out_not_counted_as_wrong() -> None:
    samples = [sampled("a", IE, IE, IE, IE), sampled("b", P, P, P, P)]
    for values in (pass_at_k(samples, 1, n=4), top_at_k(samples, 1, n=4), fixed(samples), tca_at_k(samples, 1, n=4, policy="full")):
        assert values.by_bug == {"b": 1.0}


def test_stopping_exactly_at_n_is_not_early() -> None:
    assert pass_at_k([sampled("a", W, W, W, P, ended="solved")], 1, n=4).value == 0.25


@pytest.mark.parametrize(
    ("measure", "message"),
    [
        (lambda: pass_at_k([sampled("a", P)], 5, n=4), "k is 5, but the run asked for n = 4"),
        (lambda: pass_at_k([sampled("a", P)], 0, n=4), "choose k from 1 to 4"),
        (lambda: pass_at_k([sampled("a", P, ended="solved")], 1, n=4), "use top@k, or run again with --all-candidates"),
        (lambda: pass_at_k([sampled("a", P, ended="unfinished")], 1, n=4), "1 of 1 bugs are unfinished"),
        (lambda: top_at_k([sampled("a", P)], 5, n=4), "k is 5"),
        (lambda: top_at_k([sampled("a", P, ended="unfinished")], 1, n=4), "let the run end first"),
        (lambda: tca_at_k([sampled("a", P)], 1, n=4, policy="first-failure"), "run again with --policy full"),
        (lambda: tca_at_k([sampled("a", P, ended="solved")], 1, n=4, policy="full"), "stopped at the first plausible"),
        (lambda: values_of("pass@k", 1, [sampled("a", P)], settings(rounds=3)), "depend on each other"),
        (lambda: values_of("duplicate rate", None, [sampled("a", P)], settings(duplicates="merged")), "--duplicates counted"),
        (lambda: values_of("mean first rank", None, [sampled("a", W)], settings()), "nothing was fixed"),
        (lambda: values_of("fixed", None, [sampled("a", IE)], settings()), "none was decided"),
    ],
)
def test_what_a_run_cannot_support_is_refused_with_the_next_step(measure: Callable[[], Values], message: str) -> None:
    with pytest.raises(UserError, match=message):
        measure()


def test_top_at_k_works_on_runs_that_stopped_early() -> None:
    samples = [sampled("a", W, P, ended="solved"), sampled("b", W, W, W, W), sampled("c", P, ended="solved")]
    assert [round(top_at_k(samples, k, n=4).value, 3) for k in (1, 2, 4)] == [0.333, 0.667, 0.667]


def test_tca_is_the_mean_over_the_candidates_there_are_and_leaves_undecided_ones_out() -> None:
    assert tca_at_k([sampled("a", P, W)], 2, n=4, policy="full").value == 0.75
    assert tca_at_k([sampled("a", P, ended="exhausted")], 2, n=4, policy="full").value == 1.0
    assert tca_at_k([sampled("a", ended="exhausted")], 2, n=4, policy="full").value == 0.0
    assert tca_at_k([sampled("a", IE, P, W, W)], 2, n=4, policy="full").value == 1.0


def test_rates_are_taken_within_each_bug_first() -> None:
    samples = [sampled("a", P, W, W, W, distinct=2), sampled("b", NA, CE, P, IE), sampled("c", ended="exhausted")]
    assert plausible_rate(samples).value == pytest.approx((1 / 4 + 1 / 3) / 2)
    assert apply_rate(samples).value == pytest.approx((1 + 2 / 3) / 2)
    assert compile_rate(samples).value == pytest.approx((1 + 1 / 3) / 2)
    assert duplicate_rate(samples).value == pytest.approx((1 / 2 + 0) / 2)
    assert fixed(samples).value == pytest.approx(2 / 3)


def test_first_rank_looks_at_fixed_bugs_only() -> None:
    samples = [sampled("a", P), sampled("b", W, W, P), sampled("c", W), sampled("d", W, W, W, W, P)]
    assert first_rank(samples).value == 3.0
    assert first_rank(samples).n_samples == 9
    assert first_rank([*samples, sampled("e", P), sampled("f", P)], statistic="median").value == 1.0


def test_a_signature_names_all_that_must_be_equal() -> None:
    samples = [sampled("b", P, P, P, P), sampled("a", P, P, P, P)]
    expected = "{}bugs:2#78058b54|benchmark:toy@1.0.0#abc{}|localisation:line|duplicates:{}|undecided:left-out|repairlab:0.1.0"
    assert signature("fixed", None, samples, settings()) == expected.format("fixed|n:4|", "|policy:full", "counted")
    assert score("fixed", None, samples, settings()).signature == expected.format("fixed|n:4|", "", "counted")
    assert score("pass@k", 1, samples, settings()).signature == expected.format("pass@1|n:4|", "", "counted")
    assert score("top@k", 1, samples, settings()).signature == expected.format("top@1|", "", "counted")
    assert score("TCA@k", 1, samples, settings()).signature == expected.format("TCA@1|", "|policy:full", "counted")
    merged = dataclasses.replace(settings(), duplicates="merged")
    assert score("top@k", 1, samples, merged).signature == expected.format("top@1|n:4|", "", "merged")
    assert signature("fixed", None, samples[:1], settings()) != signature("fixed", None, samples[1:], settings())


def test_rates_of_a_run_that_stopped_early_say_so() -> None:
    scores = {item.metric: item for item in score_run([sampled("a", P, ended="solved")], settings(), (1,)).scores}
    assert scores["plausible rate"].signature.endswith("|stopped:when-fixed")
    assert not scores["top@k"].signature.endswith("|stopped:when-fixed")


def test_scores_that_a_run_cannot_have_are_left_out_with_the_reason() -> None:
    found = score_run([sampled("a", W, W, W, W)], settings(policy="first-failure"), (1, 9))
    assert [(item.metric, item.k) for item in found.scores[:3]] == [("pass@k", 1), ("top@k", 1), ("fixed", None)]
    assert set(found.left_out) == {"pass@9", "top@9", "TCA@1", "TCA@9", "mean first rank", "median first rank"}
    assert found.left_out["TCA@1"].startswith("the run's policy is first-failure")


def test_the_interval_of_equal_values_is_a_point() -> None:
    assert (interval([0.3] * 7).low, interval([0.3] * 7).high) == (0.3, 0.3)


def test_the_interval_of_a_proportion_is_near_the_textbook_one() -> None:
    found = interval([1.0] * 40 + [0.0] * 60)
    assert found.low == pytest.approx(0.4 - 1.96 * np.sqrt(0.24 / 100), abs=0.02)
    assert found.high == pytest.approx(0.4 + 1.96 * np.sqrt(0.24 / 100), abs=0.02)


def test_resampling_many_bugs_in_pieces_gives_the_same_interval() -> None:
    values = [index / 2999 for index in range(3000)]  # more than fits into one piece
    drawn = np.random.default_rng(SEED).integers(0, 3000, size=(RESAMPLES, 3000))
    low, high = np.percentile(np.asarray(values)[drawn].mean(axis=1), (2.5, 97.5))
    found = interval(values)
    assert found.low == pytest.approx(low, abs=1e-6)
    assert found.high == pytest.approx(high, abs=1e-6)


def test_runs_are_compared_bug_by_bug() -> None:
    a = [sampled("1", P), sampled("2", P), sampled("3", W), sampled("4", W), sampled("5", IE), sampled("6", W, P)]
    b = [sampled("6", W), sampled("5", P), sampled("4", W), sampled("3", P), sampled("2", W), sampled("1", P)]
    found = overlap(a, b, first=1)
    assert (found.both, found.only_a, found.only_b, found.neither, found.lost) == (("1",), ("2",), ("3",), ("4", "6"), ("5",))
    assert found.p_value == 1.0


def test_runs_over_different_bugs_are_not_compared() -> None:
    with pytest.raises(UserError, match="1 are in only one of them, for example 2"):
        overlap([sampled("1", P)], [sampled("1", P), sampled("2", P)], first=1)


@pytest.mark.parametrize(
    ("only_a", "only_b", "p"), [(0, 0, 1.0), (5, 5, 1.0), (0, 5, 0.0625), (0, 6, 0.03125), (2, 10, 0.03857421875)]
)
def test_mcnemar_equals_the_binomial_test(only_a: int, only_b: int, p: float) -> None:
    assert mcnemar(only_a, only_b) == mcnemar(only_b, only_a) == p


def test_a_paired_difference_is_over_shared_bugs_and_turns_its_sign() -> None:
    a = Values(by_bug={"1": 1.0, "2": 0.5, "3": 1.0}, n_samples=3, n_undecided=0)
    b = Values(by_bug={"2": 0.0, "1": 1.0}, n_samples=2, n_undecided=0)
    found, turned = difference(a, b), difference(b, a)
    assert (found.value, found.n_bugs) == (0.25, 2)
    assert found.low <= found.value <= found.high
    assert (turned.value, turned.low, turned.high) == (-found.value, -found.high, -found.low)
    with pytest.raises(UserError, match="no bug has a value in both runs"):
        difference(a, Values(by_bug={}, n_samples=0, n_undecided=0))


def test_a_metric_of_others_that_fails_is_left_out_with_the_reason(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    (tmp_path / "odd_metric.py").write_text(
        "class Odd:\n    about, is_share, changed_by_stopping, depends_on_n, depends_on_policy = 'odd', True, False, True, True\n"
        "    def measure(self, samples, settings, k):\n        return 1 / 0\n\nODD = Odd()\n"
    )
    write_dist_info(tmp_path, "odd", "1.0", {"repairlab.metrics": {"odd": "odd_metric:ODD"}})
    monkeypatch.syspath_prepend(tmp_path)
    found = score_run([sampled("a", P, W, W, W)], settings(), [1])
    assert found.left_out["odd"] == "its code failed with ZeroDivisionError: division by zero"
    assert "pass@k" in {item.metric for item in found.scores}


def test_correct_candidates_are_scored_under_a_name_of_their_own() -> None:
    found = score_correct([sampled("a", P, W, W, W), sampled("b", W, P, ended="solved")], settings(), [1])
    assert {item.metric: item.value for item in found.scores} == {
        "top@k[correct]": 0.5,
        "fixed[correct]": 1.0,
        "plausible rate[correct]": 0.375,
    }
    assert list(found.left_out) == ["pass@1[correct]"]
    assert all(item.signature.endswith("|stopped:when-fixed") for item in found.scores)
