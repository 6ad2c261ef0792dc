"""Splits of pairs by problem, so that no split knows a problem of another, stratified by difficulty. Pure; called by `pair`."""

from collections.abc import Collection, Hashable, Iterable, Mapping, Sequence
from typing import TypeVar

from repairlab.core.record import record
from repairlab.learning.pairs.splitting import deal

T = TypeVar("T", bound=Hashable)
_EASY, _MEDIUM = 0.5, 0.25
"""Shares of submissions that are accepted from which on a problem is easy, or medium."""


@record
class ProblemFacts:
    """What decides where the pairs of a problem go."""

    difficulty: str
    n_pairs: int
    has_tests: bool


def difficulty_of(n_accepted: int, n_submitted: int) -> str:
    """Return how hard a problem was for those who tried it.

    >>> difficulty_of(5, 10), difficulty_of(3, 10), difficulty_of(1, 10)
    ('easy', 'medium', 'hard')
    """
    share = n_accepted / n_submitted if n_submitted else 0.0
    return "easy" if share >= _EASY else "medium" if share >= _MEDIUM else "hard"


def split_problems(problems: Mapping[str, ProblemFacts], shares: Mapping[str, float], seed: int) -> dict[str, str]:
    """Return the split of each problem; of each difficulty every split gets its share.

    Where some problems have tests, those without go to the first split: what models are measured on must be judged by running.
    """
    tested = {name for name, facts in problems.items() if facts.has_tests}
    chosen = {name: next(iter(shares)) for name in problems if tested and name not in tested}
    missing = dict.fromkeys(shares, 0.0)
    for difficulty in sorted({facts.difficulty for facts in problems.values()}):
        sizes = {name: facts.n_pairs for name, facts in problems.items() if facts.difficulty == difficulty and name not in chosen}
        chosen |= deal(sizes, shares, seed, missing=missing)
    return chosen


def leaking(texts: Iterable[tuple[T, str, Collection[bytes]]], order: Sequence[str]) -> dict[T, str]:
    """Return what shares a text with a split that comes earlier in `order`, with that split.

    Takes each thing with its split and the keys of its texts.
    """
    items = sorted(texts, key=lambda item: order.index(item[1]))
    owner: dict[bytes, str] = {}
    found: dict[T, str] = {}
    for name, split, keys in items:
        other = next((owner[key] for key in keys if owner.get(key, split) != split), None)
        if other is not None:
            found[name] = other
            continue
        for key in keys:
            owner.setdefault(key, split)
    return found
