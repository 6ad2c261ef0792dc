"""Orders of candidates, on contenders made by hand and at random."""

import math
from collections.abc import Sequence

import pytest
from hypothesis import given
from hypothesis import strategies as st

from repairlab.core.errors import HarnessError
from repairlab.repairers.llm.client.model import Unanswerable
from repairlab.study.ranking.rankers import (
    ORDERS,
    THRESHOLD,
    Contender,
    by_logprob,
    by_majority,
    by_similarity,
    in_original_order,
    similarities,
)


class LetterCounts:
    """Embeds a text as the counts of its characters; knows what it was asked."""

    name = "letters"

    def __init__(self, *, longest: int = 10_000) -> None:
        self.asked: list[str] = []
        self._longest = longest

    def embed(self, texts: Sequence[str]) -> list[list[float]]:
        if any(len(text) > self._longest for text in texts):
            raise Unanswerable("too long")
        self.asked += texts
        return [[float(text.count(chr(code))) for code in range(32, 127)] for text in texts]


class Fixed:
    """Gives the same answer to all."""

    name = "fixed"

    def __init__(self, vectors: list[list[float]]) -> None:
        self._vectors = vectors

    def embed(self, texts: Sequence[str]) -> list[list[float]]:
        return self._vectors


def of(rank: int, text: str = "x", *, n: int = 1, logprob: float | None = None) -> Contender:
    return Contender(rank=rank, n=n, text=text, logprob=logprob)


contenders = st.lists(
    st.builds(
        Contender,
        rank=st.integers(1, 50),
        n=st.integers(1, 5),
        text=st.sampled_from(("return a", "return b + a", "x", "xy", "  ")),
        logprob=st.none() | st.floats(-100, 0),
    ),
    unique_by=lambda item: item.rank,
)


@given(items=contenders, data=st.data())
def test_every_order_is_a_permutation_that_does_not_depend_on_how_the_candidates_come(
    items: list[Contender], data: st.DataObject
) -> None:
    shuffled = data.draw(st.permutations(items))
    for order in (in_original_order, by_majority, by_logprob):
        assert sorted(order(items)) == sorted(item.rank for item in items)
        assert order(shuffled) == order(items)


@given(items=contenders, data=st.data())
def test_similarities_do_not_depend_on_how_the_candidates_come(items: list[Contender], data: st.DataObject) -> None:
    found = similarities("return a;", items, LetterCounts())
    assert found == similarities("return a;", data.draw(st.permutations(items)), LetterCounts())
    assert found.keys() == {item.rank for item in items if item.text.strip()}
    for threshold in (-1.0, 0.5, THRESHOLD):
        order = by_similarity(found, threshold)
        assert set(order) == {rank for rank, value in found.items() if value >= threshold}
        assert [found[rank] for rank in order] == sorted(found[rank] for rank in order)


def test_the_largest_group_comes_first_and_ties_keep_the_repairers_order() -> None:
    assert by_majority([of(1), of(2, n=2), of(4, n=2), of(5)]) == (2, 4, 1, 5)


def test_the_likeliest_comes_first_and_the_unknown_last() -> None:
    assert by_logprob([of(1), of(2, logprob=-7.0), of(3, logprob=-0.5), of(4, logprob=-7.0), of(5)]) == (3, 2, 4, 1, 5)


def test_candidates_below_the_threshold_are_dropped_and_the_least_similar_of_the_rest_comes_first() -> None:
    assert by_similarity({1: 0.999, 2: 0.9499, 3: 0.95, 4: 1.0, 5: 0.97}, THRESHOLD) == (3, 5, 1, 4)


def test_equal_similarities_keep_the_repairers_order() -> None:
    assert by_similarity({3: 0.96, 1: 0.96, 2: 0.96}, THRESHOLD) == (1, 2, 3)


def test_similarity_is_the_cosine_of_the_embeddings() -> None:
    found = similarities("ab", [of(1, "ab"), of(2, "a"), of(3, "aab"), of(4, "z")], LetterCounts())
    assert found == {1: 1.0, 2: round(1 / math.sqrt(2), 6), 3: round(3 / math.sqrt(10), 6), 4: 0.0}


def test_each_distinct_text_is_embedded_once_and_blank_ones_are_not() -> None:
    embedder = LetterCounts()
    similarities("buggy", [of(1, "one"), of(2, "buggy"), of(3, "one"), of(4, " \n"), of(5, "")], embedder)
    assert embedder.asked == ["buggy", "one"]


def test_what_is_too_long_for_the_model_is_left_out_and_the_rest_is_compared() -> None:
    embedder = LetterCounts(longest=5)
    assert similarities("buggy", [of(1, "much too long"), of(2, "bug")], embedder).keys() == {2}


def test_buggy_code_that_is_too_long_cannot_be_compared() -> None:
    with pytest.raises(Unanswerable, match="'letters' cannot take the buggy code, which has 5 characters"):
        similarities("buggy", [of(1, "bug")], LetterCounts(longest=3))


@pytest.mark.parametrize(
    ("vectors", "message"),
    [
        ([[1.0]], "gave 1 vectors for 2 texts"),
        ([[1.0], [1.0, 2.0]], "vectors of different lengths"),
        ([[1.0], [0.0]], "zero or no number"),
        ([[math.nan], [1.0]], "zero or no number"),
    ],
)
def test_nonsense_of_the_embedding_model_is_our_failure(vectors: list[list[float]], message: str) -> None:
    with pytest.raises(HarnessError, match=message):
        similarities("buggy", [of(1, "bug")], Fixed(vectors))


def test_every_order_is_described() -> None:
    assert set(ORDERS) == {"similarity", "logprob", "majority", "original"}
