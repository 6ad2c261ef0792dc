"""Ways to fill places from lists, the nearest first; `coconut` and `recoder` put literals and names back with it."""

from collections.abc import Iterator, Sequence


def choices(lists: Sequence[Sequence[str]]) -> Iterator[tuple[str, ...]]:
    """Yield one text of each list in all ways, by the sum of their places: no far one of a list before near ones of another.

    >>> list(choices([["a", "b"], ["x", "y"]]))
    [('a', 'x'), ('a', 'y'), ('b', 'x'), ('b', 'y')]
    """
    if all(lists):
        for total in range(sum(len(texts) - 1 for texts in lists) + 1):
            yield from _with_sum(lists, total)


def _with_sum(lists: Sequence[Sequence[str]], total: int) -> Iterator[tuple[str, ...]]:
    if not lists:
        if not total:
            yield ()
        return
    for place in range(min(total, len(lists[0]) - 1) + 1):
        for rest in _with_sum(lists[1:], total - place):
            yield (lists[0][place], *rest)
