"""The order of proposals: all patterns at all places take turns, in proportion to how likely each is."""

import heapq
from collections.abc import Iterable, Iterator
from itertools import islice
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
