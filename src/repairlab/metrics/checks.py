"""What looking at more plausible candidates costs and brings (NPR4J, table 9)."""

from collections.abc import Sequence

from repairlab.core.record import record
from repairlab.metrics.ranked_results import RankedResults


@record
class Checks:
    """A person looks at the first k plausible candidates of every bug, until one is correct."""

    correct: int
    """Bugs for which a correct one was found (cn)."""
    checks: int
    """Candidates looked at (ct)."""

    @property
    def precision(self) -> float | None:
        """Return cn / ct in percent; none when there was nothing to look at."""
        return 100 * self.correct / self.checks if self.checks else None


def checks(source: RankedResults, system: str, ks: Sequence[int | None]) -> tuple[Checks, ...]:
    """Count what is found and looked at with at most k candidates per bug, for every k; none means all candidates."""
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
    """Return for every bug how many plausible candidates there are and the place of the first fix among them."""
    found = []
    for items in source.lists[system].values():
        plausible = [item for item in items if item.verdict.passes]
        place = next((i for i, item in enumerate(plausible, start=1) if item.verdict.is_fix(source.count)), None)
        found.append((len(plausible), place))
    return found


def enough_checks(source: RankedResults, system: str) -> int | None:
    """Return the smallest k with which every bug is found that can be (PM_K); none when there is none to be found."""
    return max((place for _, place in _looks(source, system) if place is not None), default=None)
