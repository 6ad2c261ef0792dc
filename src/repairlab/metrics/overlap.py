"""Which bugs several systems fix together, and which only one of them. `compare` does it for two, with a test."""

from collections.abc import Mapping, Set

from repairlab.core.record import record


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
        """Return the bugs that this system alone fixes."""
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
