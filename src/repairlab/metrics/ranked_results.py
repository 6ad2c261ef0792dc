"""Published judgements in the order in which a person would check them, and who fixes what at what cost of checking."""

import bisect
from collections import Counter
from collections.abc import Container, Mapping, Sequence

from repairlab.core.errors import UserError
from repairlab.core.record import record
from repairlab.metrics.published import FixCriterion, PublishedOutcome, PublishedResults, PublishedVerdict, RankOrder


@record
class RankedResults:
    """PublishedResults made ready for counting."""

    systems: tuple[str, ...]
    bugs: tuple[str, ...]
    count: FixCriterion
    """What makes a candidate a fix."""
    lists: Mapping[str, Mapping[str, tuple[PublishedOutcome, ...]]]
    """Candidates by system and bug, in order of checking."""
    fixed: Mapping[str, tuple[str, ...]]
    """Bugs that each system fixes."""

    def need_ranks(self, purpose: str) -> None:
        """Refuse results whose source has no order of candidates."""
        for system, bugs in self.lists.items():
            if any(item.rank is None for items in bugs.values() for item in items):
                raise UserError(f"{purpose} needs ranks, but the candidates of {system} have none")


def ranked(results: PublishedResults, *, count: FixCriterion | None = None, order: RankOrder = "number") -> RankedResults:
    """Sort candidates by rank; of two with the same rank a fix comes first."""
    chosen: FixCriterion = count or results.count
    lists: dict[str, dict[str, list[PublishedOutcome]]] = {system: {} for system in results.systems}
    for item in results.outcomes:
        lists[item.system].setdefault(item.bug, []).append(item)
    fixed = {
        system: tuple(bug for bug, items in bugs.items() if any(item.verdict.is_fix(chosen) for item in items))
        for system, bugs in lists.items()
    }
    return RankedResults(
        systems=results.systems,
        bugs=results.bugs,
        count=chosen,
        lists={system: {bug: _sorted(items, chosen, order) for bug, items in bugs.items()} for system, bugs in lists.items()},
        fixed=fixed,
    )


def _sorted(items: Sequence[PublishedOutcome], count: FixCriterion, order: RankOrder) -> tuple[PublishedOutcome, ...]:
    if order == "written" and all(item.written is not None for item in items):
        return tuple(sorted(items, key=lambda item: (item.written or "", not item.verdict.is_fix(count))))
    return tuple(sorted(items, key=lambda item: (item.rank or 0, not item.verdict.is_fix(count))))


_STEPS = (1, 2, 5, 10, 20, 50, 100, 200, 300, 500, 1000, 2000, 5000, 10000)


def first_ranks(source: RankedResults, system: str) -> dict[str, int]:
    """Return the lowest rank of a fix for every bug that a system fixes."""
    return {
        bug: min(item.rank or 0 for item in source.lists[system][bug] if item.verdict.is_fix(source.count))
        for bug in source.fixed[system]
    }


def mean_first_rank(source: RankedResults, system: str) -> float | None:
    """Return the mean rank of the first fix over the fixed bugs (NPR4J, table 8); none when nothing is fixed."""
    ranks = first_ranks(source, system)
    return sum(ranks.values()) / len(ranks) if ranks else None


def unique_fixes(source: RankedResults, system: str) -> tuple[str, ...]:
    """Return the bugs that no other system of the source fixes (NPR4J, table 6, diagonal)."""
    others = {bug for name in source.systems if name != system for bug in source.fixed[name]}
    return tuple(bug for bug in source.fixed[system] if bug not in others)


def shared_fixes(source: RankedResults, system: str, other: RankedResults, tool: str) -> tuple[str, ...]:
    """Return the bugs that a system fixes and that a tool, perhaps of another source, also fixes."""
    theirs = set(other.fixed[tool])
    return tuple(bug for bug in source.fixed[system] if bug in theirs)


def union(source: RankedResults) -> tuple[str, ...]:
    """Return the bugs that at least one system fixes, in the order of the source."""
    found = {bug for bugs in source.fixed.values() for bug in bugs}
    return tuple(bug for bug in source.bugs if bug in found)


@record
class BestSystem:
    """One type of bugs and the system that fixes most of them."""

    type: str
    system: str
    fixed: int


def counts_by_type(source: RankedResults, labels: Mapping[str, str]) -> dict[str, dict[str, int]]:
    """Return for every type how many of its bugs each system fixes (NPR4J, table 5); frequent types come first."""
    types = [name for name, _ in Counter(labels[bug] for bug in source.bugs if bug in labels).most_common()]
    return {
        name: {system: sum(labels.get(bug) == name for bug in source.fixed[system]) for system in source.systems} for name in types
    }


def best_per_type(counts: Mapping[str, Mapping[str, int]]) -> tuple[BestSystem, ...]:
    """Choose the best system for every type; the first of equally good ones.

    The sum of `fixed` is what an ensemble reaches that knows the type of each bug and asks one system only.

    >>> [(item.system, item.fixed) for item in best_per_type({"swap": {"A": 1, "B": 3}, "null": {"A": 2, "B": 2}})]
    [('B', 3), ('A', 2)]
    """
    choices = []
    for name, of_type in counts.items():
        system = max(of_type, key=lambda item: of_type[item])
        choices.append(BestSystem(type=name, system=system, fixed=of_type[system]))
    return tuple(choices)


def counts_of_rules(source: RankedResults, system: str, bugs: Container[str]) -> Counter[str]:
    """Return how many accepted candidates of some bugs have each rule as their first one (NPR4J, table 11)."""
    items = (item for bug, found in source.lists[system].items() if bug in bugs for item in found)
    return Counter(item.rules[0] for item in items if item.verdict is PublishedVerdict.CORRECT and item.rules)


def fixed_within(source: RankedResults, system: str, ks: Sequence[int]) -> tuple[int, ...]:
    """Return for every k how many bugs have a fix among the first k candidates (NPR4J, figure 8)."""
    ranks = sorted(first_ranks(source, system).values())
    return tuple(bisect.bisect_right(ranks, k) for k in ks)


def curve(source: RankedResults, system: str) -> tuple[tuple[int, int], ...]:
    """Return the places (k, bugs fixed) at which the number changes."""
    ranks = sorted(set(first_ranks(source, system).values()))
    return tuple(zip(ranks, fixed_within(source, system, ranks), strict=True))


def round_numbers(source: RankedResults) -> tuple[int, ...]:
    """Return round values of k up to the first that includes every candidate."""
    last = max((item.rank or 0 for bugs in source.lists.values() for items in bugs.values() for item in items), default=1)
    return _STEPS[: bisect.bisect_left(_STEPS, last) + 1]


@record
class Checks:
    """A person checks the first k plausible candidates of every bug until one is correct (NPR4J, table 9)."""

    correct: int
    """Bugs for which a correct one was found (cn)."""
    checks: int
    """Candidates checked (ct)."""

    @property
    def precision(self) -> float | None:
        """Return cn / ct in percent; None if there was nothing to check."""
        return 100 * self.correct / self.checks if self.checks else None


def checks(source: RankedResults, system: str, ks: Sequence[int | None]) -> tuple[Checks, ...]:
    """Count what is found and checked with at most k candidates per bug, for every k; None means all candidates."""
    looks = _looks(source, system)
    return tuple(_checks(looks, k) for k in ks)


def _checks(looks: Sequence[tuple[int, int | None]], k: int | None) -> Checks:
    correct = looked = 0
    for n, place in looks:
        limit = n if k is None else min(k, n)
        correct += place is not None and place <= limit
        looked += limit if place is None else min(place, limit)
    return Checks(correct=correct, checks=looked)


def _looks(source: RankedResults, system: str) -> list[tuple[int, int | None]]:
    """Return for every bug how many plausible candidates there are and the place of the first fix among them.

    Where people decide what a fix is, candidates without a judgement are left out.
    """
    found = []
    for items in source.lists[system].values():
        plausible = [item for item in items if (item.verdict.passes if source.count == "plausible" else item.verdict.is_assessed)]
        place = next((i for i, item in enumerate(plausible, start=1) if item.verdict.is_fix(source.count)), None)
        found.append((len(plausible), place))
    return found


def enough_checks(source: RankedResults, system: str) -> int | None:
    """Return the smallest k that finds every bug that can be found (PM_K); None if there is none."""
    return max((place for _, place in _looks(source, system) if place is not None), default=None)
