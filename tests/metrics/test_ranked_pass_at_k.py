"""r.pass@k: its laws on random runs, what it says of small ones, and what it refuses."""

import dataclasses
import itertools

import pytest
from hypothesis import assume, given
from hypothesis import settings as effort
from hypothesis import strategies as st

from repairlab.core.errors import UserError
from repairlab.core.outcome import Verdict
from repairlab.core.score import Samples
from repairlab.metrics.metric import ScoreSettings
from repairlab.metrics.pass_at_k import Ranked, pass_at_k, ranked_pass_at_k, top_at_k
from repairlab.metrics.table import is_share, score_built, score_ranking
from tests.builders import sampled

N = 6
LAW = effort(deadline=None, max_examples=50)
SETTINGS = ScoreSettings(
    n=N, benchmark="toy@1#0", policy="full", conditions=(("localisation", "line"),), rounds=1, duplicates="counted", repairlab="0"
)
P, W, CE, NA, IE = Verdict.PLAUSIBLE, Verdict.WRONG, Verdict.UNCOMPILABLE, Verdict.UNAPPLICABLE, Verdict.UNDECIDED
Ranks = dict[str, tuple[int, ...]]


@st.composite
def runs(draw: st.DrawFn) -> list[Samples]:
    verdicts = st.lists(st.sampled_from(Verdict), max_size=N)
    return [sampled(f"bug-{index}", *draw(verdicts), ended="exhausted") for index in range(draw(st.integers(1, 6)))]


@st.composite
def ranked_runs(draw: st.DrawFn) -> tuple[list[Samples], Ranks]:
    samples = draw(runs())
    ranks = {}
    for item in samples:
        order = draw(st.permutations(range(1, len(item.verdicts) + 1)))
        ranks[item.bug_id] = tuple(order[: draw(st.integers(0, len(order)))])
    return samples, ranks


def whole(samples: list[Samples], *, first: Verdict | None = None) -> Ranks:
    """Return an order of all candidates, those with a verdict first."""
    return {
        item.bug_id: tuple(sorted(range(1, len(item.verdicts) + 1), key=lambda rank: item.verdicts[rank - 1] is not first))
        for item in samples
    }


@LAW
@given(run=ranked_runs())
def test_it_rises_with_k_and_is_0_or_1_for_each_bug(run: tuple[list[Samples], Ranks]) -> None:
    found = [ranked_pass_at_k(*run, k, n=N).by_bug for k in range(1, N + 1)]
    for lower, upper in itertools.pairwise(found):
        assert lower.keys() == upper.keys()
        assert all(lower[name] <= upper[name] for name in lower)
    assert {value for values in found for value in values.values()} <= {0.0, 1.0}


@LAW
@given(samples=runs(), k=st.integers(1, N))
def test_plausible_candidates_first_give_the_share_of_fixed_bugs_at_every_k(samples: list[Samples], k: int) -> None:
    best = ranked_pass_at_k(samples, whole(samples, first=P), k, n=N)
    assert best.by_bug == top_at_k(samples, N, n=N).by_bug == pass_at_k(samples, N, n=N).by_bug


@LAW
@given(run=ranked_runs(), k=st.integers(1, N))
def test_no_order_beats_the_share_of_fixed_bugs(run: tuple[list[Samples], Ranks], k: int) -> None:
    best = top_at_k(run[0], N, n=N).by_bug
    assert all(value <= best[name] for name, value in ranked_pass_at_k(*run, k, n=N).by_bug.items())


@LAW
@given(samples=runs(), k=st.integers(1, N))
def test_the_repairers_own_order_of_all_candidates_gives_top_at_k(samples: list[Samples], k: int) -> None:
    assume(all(Verdict.UNDECIDED not in item.verdicts for item in samples))  # the one looks further, the other does not
    assert ranked_pass_at_k(samples, whole(samples), k, n=N).by_bug == top_at_k(samples, k, n=N).by_bug


@LAW
@given(samples=runs(), k=st.integers(1, N), data=st.data())
def test_the_mean_over_all_orders_drawn_at_random_is_between_the_worst_and_the_best(
    samples: list[Samples], k: int, data: st.DataObject
) -> None:
    # What pass@k estimates is a random order: the best order is never below it, the worst never above.
    expected = pass_at_k(samples, k, n=N).by_bug
    best = ranked_pass_at_k(samples, whole(samples, first=P), k, n=N).by_bug
    worst_order = {name: tuple(reversed(ranks)) for name, ranks in whole(samples, first=P).items()}
    worst = ranked_pass_at_k(samples, worst_order, k, n=N).by_bug
    assert all(worst[name] <= value <= best[name] for name, value in expected.items())


@LAW
@given(run=ranked_runs(), data=st.data(), k=st.integers(1, N))
def test_neither_the_order_of_bugs_nor_what_is_left_out_matters(
    run: tuple[list[Samples], Ranks], data: st.DataObject, k: int
) -> None:
    samples, ranks = run
    shuffled = data.draw(st.permutations(samples))
    assert ranked_pass_at_k(shuffled, ranks, k, n=N) == ranked_pass_at_k(samples, ranks, k, n=N)
    # Another verdict on a candidate that is not ranked changes nothing, as long as the bug is decided at all.
    changed = [
        dataclasses.replace(
            item, verdicts=tuple(v if rank in ranks[item.bug_id] or v is IE else W for rank, v in enumerate(item.verdicts, start=1))
        )
        for item in samples
    ]
    assert ranked_pass_at_k(changed, ranks, k, n=N) == ranked_pass_at_k(samples, ranks, k, n=N)


def test_undecided_candidates_count_as_if_they_had_not_been_ranked() -> None:
    values = ranked_pass_at_k([sampled("a", IE, P, W)], {"a": (1, 2, 3)}, 1, n=3)
    assert (values.by_bug, values.n_samples, values.n_undecided) == ({"a": 1.0}, 1, 1)


def test_a_bug_without_ranked_candidates_is_not_fixed_and_one_with_undecided_ones_alone_is_left_out() -> None:
    samples = [
        sampled("none", P, W),
        sampled("nothing proposed", ended="exhausted"),
        sampled("lost", IE, IE),
        sampled("ranked lost", IE, P),
    ]
    ranks: Ranks = {"none": (), "nothing proposed": (), "lost": (), "ranked lost": (1,)}
    assert ranked_pass_at_k(samples, ranks, 1, n=2).by_bug == {"none": 0.0, "nothing proposed": 0.0}


def test_stopping_exactly_at_n_is_not_early_whatever_the_ranking_leaves_out() -> None:
    assert ranked_pass_at_k([sampled("a", W, P, ended="solved")], {"a": (2,)}, 1, n=2).value == 1.0


@pytest.mark.parametrize(
    ("samples", "k", "rounds", "message"),
    [
        ([sampled("a", P)], 9, 1, "k is 9, but the run asked for n = 6"),
        ([sampled("a", P, ended="unfinished")], 1, 1, "1 of 1 bugs are unfinished"),
        ([sampled("a", P, ended="solved")], 1, 1, "use top@k, or run again with --all-candidates"),
        ([sampled("a", P)], 1, 3, r"a conversation \(3 rounds\) depend on each other"),
        ([sampled("a", IE)], 1, 1, "none was decided"),
    ],
)
def test_what_a_run_cannot_support_is_left_out_with_the_reason(samples: list[Samples], k: int, rounds: int, message: str) -> None:
    ranked = Ranked(name="majority", recipe="majority", ranks=whole(samples))
    settings = dataclasses.replace(SETTINGS, rounds=rounds)
    found = score_ranking(ranked, samples, settings, (k,))
    assert found.scores == ()
    (name,) = found.left_out
    assert name == f"r.pass@{k}[majority]"
    with pytest.raises(UserError, match=message):
        raise UserError(found.left_out[name])
    assert set(score_built(samples, settings, (k,)).left_out) == {f"pass@{k}[compile]"}


def test_a_score_names_its_ranking_and_carries_the_recipe() -> None:
    samples = [sampled("a", W, P), sampled("b", W, W)]
    ranked = Ranked(name="mine", recipe="similarity,m,threshold=0.95", ranks={"a": (2, 1), "b": ()})
    (item,) = score_ranking(ranked, samples, SETTINGS, (1, 1)).scores
    assert (item.metric, item.k, item.value, item.low, item.high, item.n_bugs) == ("r.pass@k[mine]", 1, 0.5, 0.0, 1.0, 2)
    assert item.signature.startswith("r.pass@1|n:6|bugs:2#")
    assert "|ranking:similarity,m,threshold=0.95|duplicates:merged|" in item.signature


def test_what_a_ranking_of_built_candidates_has_to_beat_is_pass_at_k_over_those() -> None:
    samples = [sampled("a", P, W, CE, NA), sampled("b", CE, NA), sampled("c", P, CE, W, W, W, W, ended="solved")]
    (item,) = score_built(samples, SETTINGS, (1,)).scores
    assert (item.metric, item.n_bugs, item.n_samples) == ("pass@k[compile]", 3, 7)
    assert item.value == pytest.approx((1 / 2 + 0 + 1 / 5) / 3)
    assert "|pruned:compile|" in item.signature


def test_scores_of_rankings_are_shares() -> None:
    assert is_share("r.pass@k")
    assert is_share("r.pass@k[mine]")
    assert is_share("pass@k[compile]")
    assert not is_share("median first rank")
