"""Who fixes what: first ranks, overlap, unique fixes, coverage of other tools, and what several systems fix together."""

from collections.abc import Mapping

from repairlab.core.record import record
from repairlab.published.ranked import Ranked


def first_ranks(source: Ranked, system: str) -> dict[str, int]:
    """Return the lowest rank of a fix for every bug that a system fixes."""
    return {
        bug: min(item.rank or 0 for item in source.lists[system][bug] if item.ruling.is_fix(source.count))
        for bug in source.fixed[system]
    }


def mean_first_rank(source: Ranked, system: str) -> float | None:
    """Return the mean rank of the first fix over the fixed bugs (NPR4J, table 8); none when nothing is fixed."""
    ranks = first_ranks(source, system)
    return sum(ranks.values()) / len(ranks) if ranks else None


def unique_fixes(source: Ranked, system: str) -> tuple[str, ...]:
    """Return the bugs that no other system of the source fixes (NPR4J, table 6, diagonal)."""
    others = {bug for name in source.systems if name != system for bug in source.fixed[name]}
    return tuple(bug for bug in source.fixed[system] if bug not in others)


def shared_fixes(source: Ranked, system: str, other: Ranked, tool: str) -> tuple[str, ...]:
    """Return the bugs that a system fixes and a tool of perhaps another source fixes as well."""
    theirs = set(other.fixed[tool])
    return tuple(bug for bug in source.fixed[system] if bug in theirs)


def union(source: Ranked) -> tuple[str, ...]:
    """Return the bugs that at least one system fixes, in the order of the source."""
    found = {bug for bugs in source.fixed.values() for bug in bugs}
    return tuple(bug for bug in source.bugs if bug in found)


@record
class Choice:
    """One type of bugs and the system that fixes most of them."""

    type: str
    system: str
    fixed: int


def counts_by_type(source: Ranked, labels: Mapping[str, str]) -> dict[str, dict[str, int]]:
    """Return for every type how many of its bugs each system fixes (NPR4J, table 5)."""
    types = dict.fromkeys(labels[bug] for bug in source.bugs if bug in labels)
    return {
        name: {system: sum(labels.get(bug) == name for bug in source.fixed[system]) for system in source.systems} for name in types
    }


def best_per_type(counts: Mapping[str, Mapping[str, int]]) -> tuple[Choice, ...]:
    """Choose the best system for every type; the first of equally good ones.

    The sum of `fixed` is what an ensemble reaches that knows the type of each bug and asks one system only.

    >>> [(item.system, item.fixed) for item in best_per_type({"swap": {"A": 1, "B": 3}, "null": {"A": 2, "B": 2}})]
    [('B', 3), ('A', 2)]
    """
    choices = []
    for name, of_type in counts.items():
        system = max(of_type, key=lambda item: of_type[item])
        choices.append(Choice(type=name, system=system, fixed=of_type[system]))
    return tuple(choices)
