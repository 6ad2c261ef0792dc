"""Fix patterns from the literature on the syntax tree, likeliest first, made as they are asked for; `repairer` calls it."""

from collections.abc import Iterator

from repairlab.core.candidate import Edit
from repairlab.core.problem import Problem
from repairlab.languages.table import language
from repairlab.repairers.templates.candidate_filter import Screen
from repairlab.repairers.templates.code import Code
from repairlab.repairers.templates.edits import edits, tidy
from repairlab.repairers.templates.fix_site import Replacement
from repairlab.repairers.templates.locate import places
from repairlab.repairers.templates.order import TemplateProposal, proposals
from repairlab.repairers.templates.pairs import pairs

_ALONE_FIRST = 20
"""Candidates with one change before the first with several; then they take turns."""


def admitted(problem: Problem) -> Iterator[tuple[tuple[Edit, ...], tuple[TemplateProposal, ...]]]:
    """Yield the edits of each candidate with what they were made from, likeliest first."""
    screen = Screen(language(problem.language).syntax)
    for parts in _turns(problem):
        changes = _joined(parts)
        if changes and screen.admits(changes):
            yield tuple(edit for code, items in changes for edit in edits(code, items)), parts


def _turns(problem: Problem) -> Iterator[tuple[TemplateProposal, ...]]:
    """Yield single changes; after the likeliest, also combinations, one for each single change."""
    found = places(problem)
    together = pairs(found)
    for count, proposal in enumerate(proposals(found), start=1):
        yield (proposal,)
        if count > _ALONE_FIRST:
            combination = next(together, None)
            if combination is not None:
                yield combination.parts
    for combination in together:
        yield combination.parts


def _joined(parts: tuple[TemplateProposal, ...]) -> list[tuple[Code, tuple[Replacement, ...]]]:
    """Return the tidy replacements of each file; nothing when they overlap or change nothing."""
    by_file: dict[str, tuple[Code, list[Replacement]]] = {}
    for part in parts:
        by_file.setdefault(part.code.path, (part.code, []))[1].extend(part.change.replacements)
    joined = []
    for code, replacements in by_file.values():
        made = tidy(code, replacements)
        if made is None:
            return []
        if made:
            joined.append((code, made))
    return joined
