"""Sums of money, of which parts may be unknown."""

from collections.abc import Iterable


def total_cost(costs: Iterable[float | None]) -> float | None:
    """Return the sum; none when a part is not known.

    >>> total_cost([0.5, 0.25]), total_cost([0.5, None]), total_cost([])
    (0.75, None, 0.0)
    """
    total = 0.0
    for cost in costs:
        if cost is None:
            return None
        total += cost
    return total
