"""How far people who rate the same things agree: raw, Cohen's kappa, Krippendorff's alpha, with intervals.

Ratings are counted by pattern (who said what of one thing), so that intervals cost the same however many things there are.
"""

from collections import Counter
from collections.abc import Callable, Mapping, Sequence

import numpy as np

from repairlab.core.record import record
from repairlab.metrics.agreement import cohens_kappa
from repairlab.metrics.statistics import RESAMPLES, SEED, Interval

Pattern = tuple[str | None, ...]
"""What each rater says of one thing; None for no answer."""
Patterns = Mapping[Pattern, float]


@record
class Reliability:
    """One coefficient; None if undefined."""

    name: str
    value: float | None
    interval: Interval | None
    """95 %, bootstrap over things; resamples for which it is undefined are left out."""
    n: int
    """Things that two or more people rated."""


def raw_agreement(patterns: Patterns) -> float | None:
    """Return the share of pairs of ratings of one thing that are equal, each thing counted once.

    >>> raw_agreement({("a", "a"): 3, ("a", "b"): 1, ("a", None): 9})
    0.75
    """
    total = equal = 0.0
    for pattern, count in patterns.items():
        words = [word for word in pattern if word is not None]
        n = len(words)
        if n > 1:
            total += count
            equal += count * sum(k * (k - 1) for k in Counter(words).values()) / (n * (n - 1))
    return equal / total if total else None


def pairwise_kappa(patterns: Patterns) -> float | None:
    """Return Cohen's kappa; with more than two raters the mean over pairs, each weighted by what both rated (Light 1971)."""
    n_raters = max(map(len, patterns), default=0)
    found: list[tuple[float, float]] = []
    for one in range(n_raters):
        for other in range(one + 1, n_raters):
            both: Counter[tuple[str, str]] = Counter()
            for pattern, count in patterns.items():
                first, second = pattern[one], pattern[other]
                if first is not None and second is not None:
                    both[first, second] += count  # type: ignore[assignment]  # counts of resamples are floats
            kappa = cohens_kappa(both)
            if kappa is not None:
                found.append((kappa, both.total()))
    weight = sum(n for _, n in found)
    return sum(kappa * n for kappa, n in found) / weight if weight else None


def krippendorff_alpha(patterns: Patterns) -> float | None:
    """Return Krippendorff's alpha of words without order (Krippendorff 2011, §C); gaps are fine. None when all say one word.

    >>> round(krippendorff_alpha({("a", "a"): 4, ("b", "b"): 4, ("a", "b"): 2}), 4)
    0.62
    """
    values: Counter[str] = Counter()
    observed = 0.0
    for pattern, count in patterns.items():
        words = Counter(word for word in pattern if word is not None)
        n = words.total()
        if n > 1:
            for word, k in words.items():
                values[word] += k * count  # type: ignore[assignment]  # counts of resamples are floats
            observed += count * sum(k * (n - k) for k in words.values()) / (n - 1)
    total = values.total()
    expected = total * total - sum(k * k for k in values.values())
    return 1 - (total - 1) * observed / expected if expected else None


COEFFICIENTS: Mapping[str, Callable[[Patterns], float | None]] = {
    "raw agreement": raw_agreement,
    "Cohen's kappa": pairwise_kappa,
    "Krippendorff's alpha": krippendorff_alpha,
}


def reliability(patterns: Patterns) -> list[Reliability]:
    """Return every coefficient with its interval; deterministic, whatever the order of patterns."""
    shared = {pattern: n for pattern, n in patterns.items() if sum(word is not None for word in pattern) > 1}
    ordered = sorted(shared.items(), key=lambda item: [word or "" for word in item[0]])
    n = int(sum(shared.values()))
    draws = _resampled([count for _, count in ordered])
    made = []
    for name, coefficient in COEFFICIENTS.items():
        values = {  # few labels are drawn in few ways
            draw: coefficient({pattern: count for (pattern, _), count in zip(ordered, draw, strict=True) if count})
            for draw in set(draws)
        }
        known = [value for draw in draws if (value := values[draw]) is not None]
        value = coefficient(shared)
        made.append(Reliability(name=name, value=None if value is None else round(value, 6), interval=_interval(known), n=n))
    return made


def _resampled(counts: Sequence[float]) -> list[tuple[float, ...]]:
    n = int(sum(counts))
    if not n:
        return []
    drawn = np.random.default_rng(SEED).multinomial(n, np.asarray(counts) / n, size=RESAMPLES)
    return [tuple(map(float, row)) for row in drawn]


def _interval(values: Sequence[float]) -> Interval | None:
    if not values:
        return None
    low, high = np.percentile(values, (2.5, 97.5))
    return Interval(low=round(float(low), 6), high=round(float(high), 6))
