"""Judgements by system and bug in the order in which somebody would look at them; the analyses read nothing else."""

from collections.abc import Mapping, Sequence

from repairlab.core.errors import UserError
from repairlab.core.record import record
from repairlab.metrics.published import FixCriterion, PublishedOutcome, PublishedResults, RankOrder


@record
class RankedResults:
    """PublishedResults made ready for counting."""

    systems: tuple[str, ...]
    bugs: tuple[str, ...]
    count: FixCriterion
    """What makes a candidate a fix."""
    lists: Mapping[str, Mapping[str, tuple[PublishedOutcome, ...]]]
    """Candidates by system and bug, the first to look at first."""
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
