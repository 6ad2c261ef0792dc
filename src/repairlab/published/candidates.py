"""How many bugs a system fixes with its first k candidates (NPR4J, figure 8)."""

import bisect
from collections.abc import Sequence

from repairlab.published.fixes import first_ranks
from repairlab.published.ranked import Ranked

_STEPS = (1, 2, 5, 10, 20, 50, 100, 200, 300, 500, 1000, 2000, 5000, 10000)


def fixed_within(source: Ranked, system: str, ks: Sequence[int]) -> tuple[int, ...]:
    """Return for every k how many bugs have a fix among the first k candidates."""
    ranks = sorted(first_ranks(source, system).values())
    return tuple(bisect.bisect_right(ranks, k) for k in ks)


def curve(source: Ranked, system: str) -> tuple[tuple[int, int], ...]:
    """Return the places (k, bugs fixed) at which the number changes."""
    ranks = sorted(set(first_ranks(source, system).values()))
    return tuple(zip(ranks, fixed_within(source, system, ranks), strict=True))


def round_numbers(source: Ranked) -> tuple[int, ...]:
    """Return round values of k up to the first that takes in every candidate."""
    last = max((item.rank or 0 for bugs in source.lists.values() for items in bugs.values() for item in items), default=1)
    return _STEPS[: bisect.bisect_left(_STEPS, last) + 1]
