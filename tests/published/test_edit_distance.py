from hypothesis import given
from hypothesis import strategies as st

from repairlab.published.edit_distance import edit_distance

tokens = st.lists(st.sampled_from(["a", "b", "(", ")"]), max_size=12)


def plain(a: list[str], b: list[str]) -> int:
    row = list(range(len(b) + 1))
    for i, x in enumerate(a, start=1):
        new = [i]
        for j, y in enumerate(b, start=1):
            new.append(min(row[j] + 1, new[j - 1] + 1, row[j - 1] + (x != y)))
        row = new
    return row[-1]


@given(tokens, tokens)
def test_the_distance_is_that_of_the_textbook(a: list[str], b: list[str]) -> None:
    assert edit_distance(a, b) == plain(a, b) == edit_distance(b, a)


def test_known_distances() -> None:
    assert edit_distance("kitten", "sitting") == 3
    assert edit_distance([], []) == 0
    assert edit_distance([], ["a", "b"]) == 2
    assert edit_distance(["if", "(", "x", ")"], ["if", "(", "!", "x", ")"]) == 1
