"""Candidates that change two or more suspicious statements at once, for fixes that one statement does not hold."""

from collections.abc import Iterator, Sequence
from itertools import combinations, islice
from typing import NamedTuple

from repairlab.repairers.templates.fix_site import Gap
from repairlab.repairers.templates.locate import WeightedSite
from repairlab.repairers.templates.order import TemplateProposal, proposals

_PER_STATEMENT = 60
_MAX_GROUPS = 6


class Combination(NamedTuple):
    """Proposals for different statements that make one candidate."""

    parts: tuple[TemplateProposal, ...]


def pairs(places: Sequence[WeightedSite]) -> Iterator[Combination]:
    """Yield the same change at all statements that allow it, then at two, then pairs of likely different changes."""
    groups = _groups(places)
    if not 2 <= len(groups) <= _MAX_GROUPS:
        return
    tops = [list(islice(proposals(group), _PER_STATEMENT)) for group in groups]
    alike = [_by_difference(top) for top in tops]
    for key in alike[0]:
        if len(groups) > 2 and all(key in other for other in alike):
            yield Combination(tuple(other[key] for other in alike))
    for one, two in combinations(alike, 2):
        for key in one:
            if key in two:
                yield Combination((one[key], two[key]))
    for total in range(2 * _PER_STATEMENT):
        for first, second in combinations(tops, 2):
            for index in range(max(0, total - len(second) + 1), min(total + 1, len(first))):
                yield Combination((first[index], second[total - index]))


def _groups(places: Sequence[WeightedSite]) -> list[list[WeightedSite]]:
    found: dict[tuple[str, int], list[WeightedSite]] = {}
    for place in places:
        if isinstance(place.at, Gap):
            if place.at.exact:
                found.setdefault((place.at.code.path, -place.at.offset), []).append(place)
        elif place.weight == 1.0:
            found.setdefault((place.at.code.path, place.at.statement.start_byte), []).append(place)
    return list(found.values())


def _by_difference(top: Sequence[TemplateProposal]) -> dict[tuple[str, str, str], TemplateProposal]:
    """Return the proposals by what they do: pattern, old text, new text."""
    made: dict[tuple[str, str, str], TemplateProposal] = {}
    for proposal in top:
        if len(proposal.change.replacements) == 1:
            item = proposal.change.replacements[0]
            made.setdefault((proposal.pattern, proposal.code.source[item.start : item.end].strip(), item.text.strip()), proposal)
    return made
