"""Programs that are copies of each other, by the Jaccard index of their identifiers (FixEval, section 3). Pure; called by `pair`.

The paper removes near duplicates among the submissions to a problem. Its code has the thresholds below, of Allamanis's detector,
but drops one arbitrary submission of each problem instead; here each one goes that is near to one that stays.
"""

import math
from collections import Counter
from collections.abc import Hashable, Mapping, Sequence
from typing import TypeVar

from repairlab.languages.table import language as language_of

SET, MULTISET, FEWEST = 0.8, 0.7, 20
"""Both indices must reach their threshold; programs with fewer identifiers are too short to tell."""
T = TypeVar("T", bound=Hashable)


def identifiers(language: str, source: str) -> Counter[str]:
    """Return how often a program names what."""
    return Counter(token.text for token in language_of(language).syntax.tokens(source) if token.kind == "name")


def near_duplicates(programs: Mapping[T, Counter[str]]) -> dict[T, T]:
    """Return the programs that are near to an earlier one that stays, each with that one.

    Exact, without comparing all with all: two sets can only be near if they share one of their rarest few names.
    """
    frequency = Counter(name for names in programs.values() for name in names)
    index: dict[str, list[T]] = {}
    found: dict[T, T] = {}
    for key, names in programs.items():
        if names.total() < FEWEST:
            continue
        rarest = _rarest(names, frequency)
        others = dict.fromkeys(other for name in rarest for other in index.get(name, ()))
        near = next((other for other in others if is_near(names, programs[other])), None)
        if near is not None:
            found[key] = near
            continue
        for name in rarest:
            index.setdefault(name, []).append(key)
    return found


def is_near(one: Counter[str], other: Counter[str]) -> bool:
    """Return whether two programs are near duplicates.

    >>> is_near(Counter("aabb"), Counter("aabb")), is_near(Counter("aaaab"), Counter("abbbb"))
    (True, False)
    """
    both = len(one.keys() & other.keys())
    if both < SET * (len(one) + len(other) - both):
        return False
    return (one & other).total() >= MULTISET * (one | other).total()


def _rarest(names: Counter[str], frequency: Counter[str]) -> Sequence[str]:
    """Return as many of the rarest names as two sets of index SET must share one of."""
    ordered = sorted(names, key=lambda name: (frequency[name], name))
    return ordered[: len(ordered) - math.ceil(SET * len(ordered)) + 1]
