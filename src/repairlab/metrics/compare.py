"""Which systems fix which bugs: two of them with tests of whether the difference may be chance, several as a Venn diagram."""

import math
from collections.abc import Mapping, Sequence, Set

from repairlab.core.errors import UserError
from repairlab.core.outcome import Verdict
from repairlab.core.record import record
from repairlab.core.score import Samples
from repairlab.metrics.metric import Values, decided, is_lost
from repairlab.metrics.statistics import interval


@record
class Overlap:
    """Which bugs each of two runs fixed, in the order of the first run."""

    both: tuple[str, ...]
    only_a: tuple[str, ...]
    only_b: tuple[str, ...]
    neither: tuple[str, ...]
    lost: tuple[str, ...]
    """Bugs that one of the runs could not decide at all; left out of the other lists."""

    @property
    def p_value(self) -> float:
        """Return the two-sided p of the exact McNemar test that both runs fix equally many bugs."""
        return mcnemar(len(self.only_a), len(self.only_b))


@record
class Difference:
    """A paired difference, A minus B, with its 95 % interval."""

    value: float
    low: float
    high: float
    n_bugs: int


def overlap(a: Sequence[Samples], b: Sequence[Samples], *, first: int) -> Overlap:
    """Sort bugs by which run has a plausible candidate among the `first` ones; both runs must have the same bugs."""
    of_b = {item.bug_id: item for item in b}
    differ = {item.bug_id for item in a} ^ set(of_b)
    if differ:
        raise UserError(
            f"the runs have different bugs: {len(differ)} are in only one of them, for example {min(differ)}; "
            "compare runs over the same bugs"
        )
    lists: dict[tuple[bool, bool], list[str]] = {(x, y): [] for x in (True, False) for y in (True, False)}
    lost: list[str] = []
    for item in a:
        other = of_b[item.bug_id]
        if is_lost(item) or is_lost(other):
            lost.append(item.bug_id)
        else:
            solved = (Verdict.PLAUSIBLE in decided(item)[:first], Verdict.PLAUSIBLE in decided(other)[:first])
            lists[solved].append(item.bug_id)
    return Overlap(
        both=tuple(lists[True, True]),
        only_a=tuple(lists[True, False]),
        only_b=tuple(lists[False, True]),
        neither=tuple(lists[False, False]),
        lost=tuple(lost),
    )


def mcnemar(only_a: int, only_b: int) -> float:
    """Return the two-sided p of the exact McNemar test: 2 P(X ≤ min), X binomial with p = ½ (McNemar 1947; Fagerland 2013).

    >>> mcnemar(1, 7), mcnemar(0, 0)
    (0.0703125, 1.0)
    """
    n = only_a + only_b
    tail = sum(math.comb(n, i) for i in range(min(only_a, only_b) + 1))
    return min(1.0, 2 * tail / (1 << n))


def difference(a: Values, b: Values) -> Difference:
    """Return the mean paired difference of a metric over the bugs that have a value in both runs."""
    shared = [bug_id for bug_id in a.by_bug if bug_id in b.by_bug]
    if not shared:
        raise UserError("no bug has a value in both runs; check that validation worked with: repairlab doctor")
    differences = [a.by_bug[bug_id] - b.by_bug[bug_id] for bug_id in shared]
    value = math.fsum(differences) / len(shared)
    bounds = interval(differences)
    return Difference(value=value, low=min(bounds.low, value), high=max(bounds.high, value), n_bugs=len(shared))


def holm(p_values: Sequence[float]) -> tuple[float, ...]:
    """Return p-values adjusted for being several, in the same order (Holm 1979).

    >>> holm([0.04, 0.01, 0.5])
    (0.08, 0.03, 0.5)
    """
    adjusted = [0.0] * len(p_values)
    highest = 0.0
    for rank, index in enumerate(sorted(range(len(p_values)), key=lambda index: p_values[index])):
        highest = max(highest, min(1.0, (len(p_values) - rank) * p_values[index]))
        adjusted[index] = highest
    return tuple(adjusted)


@record
class Region:
    """Bugs that exactly these systems fix: one field of a Venn diagram."""

    systems: tuple[str, ...]
    bugs: tuple[str, ...]


@record
class Overlaps:
    """All fields that are not empty, the largest first."""

    regions: tuple[Region, ...]
    by_all: tuple[str, ...]
    by_any: tuple[str, ...]

    def only(self, system: str) -> tuple[str, ...]:
        """Return the bugs that only this system fixes."""
        return next((region.bugs for region in self.regions if region.systems == (system,)), ())


def overlaps(fixed: Mapping[str, Set[str]]) -> Overlaps:
    """Sort bugs by the set of systems that fix them (NL2Fix, figure 3).

    >>> [(region.systems, region.bugs) for region in overlaps({"x": {"a", "b"}, "y": {"b", "c", "d"}}).regions]
    [(('y',), ('c', 'd')), (('x',), ('a',)), (('x', 'y'), ('b',))]
    """
    fields: dict[tuple[str, ...], list[str]] = {}
    every = sorted(set().union(*fixed.values()))
    for bug in every:
        fields.setdefault(tuple(system for system, bugs in fixed.items() if bug in bugs), []).append(bug)
    order = list(fixed)
    regions = sorted(
        fields.items(), key=lambda item: (-len(item[1]), len(item[0]), tuple(order.index(system) for system in item[0]))
    )
    return Overlaps(
        regions=tuple(Region(systems=systems, bugs=tuple(bugs)) for systems, bugs in regions),
        by_all=tuple(fields.get(tuple(fixed), [])),
        by_any=tuple(every),
    )
