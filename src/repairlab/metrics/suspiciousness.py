"""How suspicious a place is, given the tests that run it, and how early a ranking of such places names a fault."""

import math
from collections.abc import Callable, Mapping, Sequence

from repairlab.core.record import record


@record
class Counts:
    """How many tests run a place."""

    failed: int
    passed: int


def ochiai(place: Counts, n_failed: int, n_passed: int) -> float:
    """Ochiai (Pearson et al., ICSE 2017).

    >>> ochiai(Counts(failed=2, passed=2), 2, 5)
    0.7071067811865475
    """
    del n_passed
    product = n_failed * (place.failed + place.passed)
    return place.failed / math.sqrt(product) if product else 0.0


def tarantula(place: Counts, n_failed: int, n_passed: int) -> float:
    """Tarantula (Pearson et al., ICSE 2017).

    >>> tarantula(Counts(failed=1, passed=1), 1, 4)
    0.8
    """
    failed = place.failed / n_failed if n_failed else 0.0
    passed = place.passed / n_passed if n_passed else 0.0
    return failed / (failed + passed) if failed else 0.0


def dstar(place: Counts, n_failed: int, n_passed: int) -> float:
    """D* with the exponent 2 (Pearson et al., ICSE 2017); infinite where all failed tests and no other run it.

    >>> dstar(Counts(failed=2, passed=1), 3, 5), dstar(Counts(failed=3, passed=0), 3, 5)
    (2.0, inf)
    """
    del n_passed
    others = place.passed + n_failed - place.failed
    if not place.failed:
        return 0.0
    return place.failed**2 / others if others else math.inf


FORMULAS: Mapping[str, Callable[[Counts, int, int], float]] = {"ochiai": ochiai, "dstar": dstar, "tarantula": tarantula}


def mean_ranks(scores: Sequence[float], n_unseen: int = 0) -> list[float]:
    """Return the rank of each score, ties as the mean of theirs; so many more places that no test ran have the score 0.

    >>> mean_ranks([0.5, 0.9, 0.5, 0.0], n_unseen=2)
    [2.5, 1.0, 2.5, 5.0]
    """
    ordered = sorted(scores, reverse=True)
    first: dict[float, int] = {}
    number: dict[float, int] = {}
    for rank, score in enumerate(ordered, start=1):
        first.setdefault(score, rank)
        number[score] = number.get(score, 0) + 1
    if n_unseen:
        first.setdefault(0.0, len(ordered) + 1)
        number[0.0] = number.get(0.0, 0) + n_unseen
    return [first[score] + (number[score] - 1) / 2 for score in scores]


def average_precision(ranks: Sequence[float]) -> float:
    """Return the average precision of the faulty places with these ranks; 0 without any.

    >>> average_precision([1.0, 4.0])
    0.75
    """
    return sum(n / rank for n, rank in enumerate(sorted(ranks), start=1)) / len(ranks) if ranks else 0.0
