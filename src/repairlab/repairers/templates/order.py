"""The order of proposals: all patterns at all places take turns, alone or several at once, in proportion to how likely each is."""

import heapq
from collections.abc import Iterable, Iterator, Sequence
from itertools import combinations, islice
from typing import NamedTuple

from repairlab.repairers.templates.catalogue import INSERTIONS, PATTERNS
from repairlab.repairers.templates.code import Code
from repairlab.repairers.templates.fix_site import Gap, TemplateEdit
from repairlab.repairers.templates.locate import WeightedSite

_CHUNK = 128
"""Changes of one pattern that are sorted by weight at once: an unlikely one must not hold up the likely ones behind it."""


class TemplateProposal(NamedTuple):
    """A change with the pattern and place it came from."""

    code: Code
    change: TemplateEdit
    pattern: str
    line: int


class _Waiting(NamedTuple):
    """A stream in the queue: with its next proposal, or unopened and due at the earliest time that its weight allows."""

    due: float
    number: int
    n_taken: int
    proposal: TemplateProposal | None
    stream: Iterator[TemplateProposal]
    weight: float


def proposals(places: Iterable[WeightedSite]) -> Iterator[TemplateProposal]:
    """Yield the changes of all patterns at all places, likeliest first.

    Each pattern at each place is a stream. The n-th change of a stream with weight w is due at time n / w, so that a likely
    pattern comes up often, and no pattern with many changes keeps the others waiting (stride scheduling).
    """
    queue = [_Waiting(1 / weight, number, 0, None, stream, weight) for number, (stream, weight) in enumerate(_streams(places))]
    heapq.heapify(queue)
    while queue:
        first = heapq.heappop(queue)
        if first.proposal is not None:
            yield first.proposal
        proposal = next(first.stream, None)
        if proposal is not None:
            n_taken = first.n_taken + 1
            due = n_taken / (first.weight * proposal.change.weight)
            heapq.heappush(queue, _Waiting(due, first.number, n_taken, proposal, first.stream, first.weight))


def _streams(places: Iterable[WeightedSite]) -> Iterator[tuple[Iterator[TemplateProposal], float]]:
    for place in places:
        at = place.at
        traits = at.code.traits
        if isinstance(at, Gap):
            for insertion in INSERTIONS:
                if not insertion.trait or insertion.trait in traits:
                    yield _named(at.code, insertion.at(at), insertion.name, at.line), insertion.weight * place.weight
        else:
            for pattern in PATTERNS:
                if not pattern.trait or pattern.trait in traits:
                    yield _named(at.code, pattern.at(at), pattern.name, at.line), pattern.weight * place.weight


def _named(code: Code, changes: Iterable[TemplateEdit], pattern: str, line: int) -> Iterator[TemplateProposal]:
    source = iter(changes)
    while chunk := list(islice(source, _CHUNK)):
        for change in sorted(chunk, key=lambda change: -change.weight):
            yield TemplateProposal(code, change, pattern, line)


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
