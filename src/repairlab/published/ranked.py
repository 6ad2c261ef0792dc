"""Judgements by system and bug in the order in which somebody would look at them; the analyses read nothing else."""

from collections.abc import Mapping, Sequence

from repairlab.core.errors import UserError
from repairlab.core.record import record
from repairlab.published.judgement import Count, Judgement, Order, Results


@record
class Ranked:
    """Results made ready for counting."""

    systems: tuple[str, ...]
    bugs: tuple[str, ...]
    count: Count
    """What makes a candidate a fix."""
    lists: Mapping[str, Mapping[str, tuple[Judgement, ...]]]
    """Candidates by system and bug, the first to look at first."""
    fixed: Mapping[str, tuple[str, ...]]
    """Bugs that each system fixes."""

    def need_ranks(self, purpose: str) -> None:
        """Refuse results whose source has no order of candidates."""
        for system, bugs in self.lists.items():
            if any(item.rank is None for items in bugs.values() for item in items):
                raise UserError(f"{purpose} needs ranks, but the candidates of {system} have none")


def ranked(results: Results, *, count: Count | None = None, order: Order = "number") -> Ranked:
    """Sort candidates by rank; of two with the same rank a fix comes first."""
    chosen: Count = count or results.count
    lists: dict[str, dict[str, list[Judgement]]] = {system: {} for system in results.systems}
    for item in results.judgements:
        lists[item.system].setdefault(item.bug, []).append(item)
    fixed = {
        system: tuple(bug for bug, items in bugs.items() if any(item.ruling.is_fix(chosen) for item in items))
        for system, bugs in lists.items()
    }
    return Ranked(
        systems=results.systems,
        bugs=results.bugs,
        count=chosen,
        lists={system: {bug: _sorted(items, chosen, order) for bug, items in bugs.items()} for system, bugs in lists.items()},
        fixed=fixed,
    )


def _sorted(items: Sequence[Judgement], count: Count, order: Order) -> tuple[Judgement, ...]:
    if order == "written" and all(item.written is not None for item in items):
        return tuple(sorted(items, key=lambda item: (item.written or "", not item.ruling.is_fix(count))))
    return tuple(sorted(items, key=lambda item: (item.rank or 0, not item.ruling.is_fix(count))))
