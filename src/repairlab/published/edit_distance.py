"""Levenshtein distance between two sequences of tokens."""

from collections.abc import Sequence

import numpy as np


def edit_distance(a: Sequence[str], b: Sequence[str]) -> int:
    """Return how many tokens must be put in, taken out or replaced to make one of the other (Levenshtein 1966).

    >>> edit_distance("if ( a < b )".split(), "if ( a <= b + 1 )".split())
    3
    """
    start = 0
    while start < min(len(a), len(b)) and a[start] == b[start]:
        start += 1
    a, b = a[start:], b[start:]
    end = 0
    while end < min(len(a), len(b)) and a[-1 - end] == b[-1 - end]:
        end += 1
    a, b = a[: len(a) - end], b[: len(b) - end]
    numbers: dict[str, int] = {}
    tokens = np.array([numbers.setdefault(token, len(numbers)) for token in b], dtype=np.int64)
    places = np.arange(len(b) + 1)
    row = places
    for token in a:
        changed = np.concatenate(([row[0] + 1], np.minimum(row[1:] + 1, row[:-1] + (tokens != numbers.get(token, -1)))))
        # Putting in tokens goes from left to right: the least of (value − place) so far, plus the place.
        row = np.minimum.accumulate(changed - places) + places
    return int(row[-1])
