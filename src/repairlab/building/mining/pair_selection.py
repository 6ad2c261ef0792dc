"""Which submissions become pairs, without those that are near duplicates, and which split the pairs of a problem go to. Pure.

A user's submissions to a problem, in their order, are cut behind each accepted one: `WA WA AC WA AC` are two paths. What is
rejected on a path is paired with the accepted one at its end: with what its author did next that worked (FixEval, section 3).

The paper removes near duplicates among the submissions to a problem. Its code has the thresholds below, of Allamanis's detector,
but drops one arbitrary submission of each problem instead; here each one goes that is near to one that stays.
"""

import math
from collections import Counter
from collections.abc import Collection, Hashable, Iterable, Mapping, Sequence
from typing import Literal, TypeVar

from repairlab.building.importers.submissions import JudgedSubmission
from repairlab.core.record import record
from repairlab.languages.language import language as language_of
from repairlab.learning.pairs.splitting import deal, order_of

T = TypeVar("T", bound=Hashable)
Steps = Literal["first", "last", "all"]
STEPS: dict[Steps, str] = {
    "first": "the first rejected program of each path to an accepted one",
    "last": "the last rejected one before an accepted one",
    "all": "every rejected one",
}


@record
class SubmissionPath:
    """What one user handed in up to an accepted program; none when no one was accepted any more."""

    rejected: tuple[JudgedSubmission, ...]
    accepted: JudgedSubmission | None


@record
class SubmissionPair:
    """A rejected program and the accepted one that it became."""

    wrong: JudgedSubmission
    right: JudgedSubmission


def paths_of(submissions: Iterable[JudgedSubmission]) -> list[SubmissionPath]:
    """Return the paths of all users through one problem, ordered by user and time; what the judge did not judge is no step."""
    by_user: dict[tuple[str, str], list[JudgedSubmission]] = {}
    for submission in submissions:
        if submission.verdict is not None:
            by_user.setdefault((submission.user, submission.language), []).append(submission)
    paths = []
    for key in sorted(by_user):
        rejected: list[JudgedSubmission] = []
        for submission in sorted(by_user[key], key=lambda item: (item.time, _number(item.id))):
            if not submission.is_accepted:
                rejected.append(submission)
                continue
            # Of two submissions of one moment nobody knows which came later.
            paths.append(
                SubmissionPath(rejected=tuple(item for item in rejected if item.time < submission.time), accepted=submission)
            )
            rejected = [item for item in rejected if item.time == submission.time]
        if rejected:
            paths.append(SubmissionPath(rejected=tuple(rejected), accepted=None))
    return paths


def pairs_of(path: SubmissionPath, steps: Steps) -> list[SubmissionPair]:
    """Return the pairs of a path that are asked for."""
    if path.accepted is None or not path.rejected:
        return []
    chosen = {"first": path.rejected[:1], "last": path.rejected[-1:], "all": path.rejected}[steps]
    return [SubmissionPair(wrong=wrong, right=path.accepted) for wrong in chosen]


def _number(name: str) -> tuple[int, str]:
    """Return a key by which `s9` comes before `s10`."""
    digits = "".join(char for char in name if "0" <= char <= "9")
    return int(digits or 0), name


SET, MULTISET, FEWEST = 0.8, 0.7, 20
"""Both indices must reach their threshold; programs with fewer identifiers are too short to tell."""


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


def drawn(problems: Mapping[str, Mapping[T, str]], n: int, seed: int) -> set[T]:
    """Return at most n pairs of each problem, with verdicts about as frequent as among all (FixEval, section 4.1.2).

    Takes the verdict of each pair, by problem.

    >>> sorted(drawn({"p": {1: "WA", 2: "WA", 3: "CE"}, "q": {4: "WA"}}, 2, seed=0))[1:]
    [3, 4]
    """
    frequency = Counter(verdict for pairs in problems.values() for verdict in pairs.values())
    chosen: dict[T, str] = {}
    for problem in sorted(problems, key=lambda name: order_of(seed, name)):
        left = dict(problems[problem])
        for _ in range(min(n, len(left))):
            share = (len(chosen) + 1) / frequency.total()
            found = Counter(chosen.values())
            wanted = max(left.values(), key=lambda verdict: (share * frequency[verdict] - found[verdict], verdict))
            name = min((name for name in left if left[name] == wanted), key=lambda name: order_of(seed, problem, str(name)))
            chosen[name] = left.pop(name)
    return set(chosen)


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
