"""Ways to fill places from lists, the nearest first; `coconut` and `recoder` put literals and names back with it."""

from collections.abc import Iterator, Sequence


def choices(lists: Sequence[Sequence[str]]) -> Iterator[tuple[str, ...]]:
    """Yield one text of each list in all ways, by the sum of their places: no far one of a list before near ones of another.

    >>> list(choices([["a", "b"], ["x", "y"]]))
    [('a', 'x'), ('a', 'y'), ('b', 'x'), ('b', 'y')]
    """
    if all(lists):
        most = [len(texts) - 1 for texts in lists]
        for total in range(sum(most) + 1):
            for places in _with_sum(most, total):
                yield tuple(texts[place] for texts, place in zip(lists, places, strict=True))


def _with_sum(most: Sequence[int], total: int) -> Iterator[Sequence[int]]:
    """Yield places with this sum, the first ones low; by a loop, as a long text has thousands of places."""
    places = _low_first(most, total)
    while True:
        yield places
        rest = 0
        for at in reversed(range(len(places))):
            if rest and places[at] < most[at]:
                places = [*places[:at], places[at] + 1, *_low_first(most[at + 1 :], rest - 1)]
                break
            rest += places[at]
        else:
            return


def _low_first(most: Sequence[int], total: int) -> list[int]:
    found = []
    for high in reversed(most):
        found.append(min(high, total))
        total -= found[-1]
    return found[::-1]
