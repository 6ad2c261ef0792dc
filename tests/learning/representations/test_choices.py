"""Ways to fill places from lists: all of them, the nearest first, however many lists there are."""

import itertools

from hypothesis import given
from hypothesis import strategies as st

from repairlab.learning.representations.code import choices


@given(st.lists(st.lists(st.integers(0, 9).map(str), max_size=3, unique=True), max_size=4))
def test_all_ways_come_once_by_the_sum_of_their_places(lists: list[list[str]]) -> None:
    def key(chosen: tuple[str, ...]) -> tuple[int, list[int]]:
        places = [texts.index(text) for texts, text in zip(lists, chosen, strict=True)]
        return sum(places), places

    assert list(choices(lists)) == sorted(itertools.product(*lists), key=key)


def test_thousands_of_places_are_filled() -> None:
    first, second = itertools.islice(choices([["a", "b"]] * 5000), 2)
    assert first == ("a",) * 5000
    assert second == (*("a",) * 4999, "b")
