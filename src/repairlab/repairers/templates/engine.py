"""Make candidates of what fix patterns propose, likeliest first: edits tidied and merged, repetitions and errors kept back.

All patterns at all places take turns, alone or several at once, in proportion to how likely each is.
"""

import ast
import hashlib
import heapq
import warnings
from collections.abc import Iterable, Iterator, Sequence
from itertools import combinations, islice
from typing import NamedTuple

from repairlab.core.candidate import Edit
from repairlab.core.text import Span, common_ends
from repairlab.languages.language import Syntax, language
from repairlab.languages.parser import Parsed
from repairlab.repairers.templates.catalogue import INSERTIONS, PATTERNS
from repairlab.repairers.templates.code import Code
from repairlab.repairers.templates.fix_site import Gap, Replacement, TemplateEdit
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


_ALONE_FIRST = 20
"""Candidates with one change before the first with several; then they take turns."""


def admitted(places: Sequence[WeightedSite], name: str) -> Iterator[tuple[tuple[Edit, ...], tuple[TemplateProposal, ...]]]:
    """Yield the edits of each candidate in a language with what they were made from, likeliest first."""
    screen = Screen(language(name).syntax)
    for parts in _turns(places):
        changes = _joined(parts)
        if changes and screen.admits(changes):
            yield tuple(edit for code, items in changes for edit in edits(code, items)), parts


def _turns(places: Sequence[WeightedSite]) -> Iterator[tuple[TemplateProposal, ...]]:
    """Yield single changes; after the likeliest, also combinations, one for each single change."""
    together = pairs(places)
    for count, proposal in enumerate(proposals(places), start=1):
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


_SMALL = 6000
"""Characters up to which a function is normalised as a whole; of a larger one only the lines around the change are."""


class _Unit:
    """The part of a file that a change is judged by: the function around it, or the whole file."""

    def __init__(self, syntax: Syntax, code: Code, start: int, end: int) -> None:
        self.start = start
        self.end = end
        text = code.source[start:end]
        self.lead = code.indent(code.line(start)) if code.is_python else ""
        self.is_python = code.is_python and is_python(self.lead, text)
        self.had_errors = syntax.has_errors(text)
        self._language, self._rejection = code.language, code.rejection
        self._was_rejected = self._is_rejected(text)
        self._syntax = syntax
        self._lines = _lines(text) if len(text) > _SMALL else []
        self._form = self.form(text)

    def form(self, text: str) -> str:
        """Return what tells a version of the unit from all others, up to comments and white space."""
        if not self._lines:
            return self._syntax.normal_form(text)
        old, new = self._lines, _lines(text)
        before, behind = common_ends(old, new)
        changed = "\n".join(new[before : len(new) - behind])
        return f"{before}-{len(old) - behind}:{self._syntax.normal_form(changed)}" if changed or len(old) != len(new) else ""

    def is_original(self, form: str) -> bool:
        """Whether a version equals the buggy one."""
        return form == self._form

    def is_broken(self, text: str) -> bool:
        """Whether a version has an error of syntax, dead code or names that the buggy one has not."""
        if self.is_python:
            return not is_python(self.lead, text)
        if not self.had_errors and self._syntax.has_errors(text):
            return True
        return not self._was_rejected and self._is_rejected(text)

    def _is_rejected(self, text: str) -> bool:
        """Whether the compiler would reject a version for more than its syntax."""
        return self._rejection is not None and self._rejection(Parsed(self._language, text).root)


def _lines(text: str) -> list[str]:
    return [line.rstrip() for line in text.split("\n") if line.strip()]


class Screen:
    """Remembers the digests of what has passed."""

    def __init__(self, syntax: Syntax) -> None:
        """Take the language's syntax."""
        self._syntax = syntax
        self._seen: set[bytes] = set()
        self._units: dict[tuple[str, int, int], _Unit] = {}

    def admits(self, changes: Sequence[tuple[Code, Sequence[Replacement]]]) -> bool:
        """Whether a candidate is new, differs from the original, and adds no syntax error; it counts as seen from now on."""
        key = hashlib.sha256()
        is_changed = False
        versions = []
        for code, replacements in changes:
            unit = self._unit(code, replacements)
            text = apply(code.source, replacements, start=unit.start, end=unit.end)
            form = unit.form(text)
            is_changed = is_changed or not unit.is_original(form)
            key.update(f"{code.path}:{unit.start}:{len(form)}:{form}".encode("utf-8", "surrogatepass"))
            versions.append((unit, text))
        digest = key.digest()[:16]
        if not is_changed or digest in self._seen:
            return False
        self._seen.add(digest)
        return not any(unit.is_broken(text) for unit, text in versions)

    def _unit(self, code: Code, replacements: Sequence[Replacement]) -> _Unit:
        start, end = 0, len(code.source)
        for function in code.functions:  # outer before inner: the first one that holds all keeps equal texts comparable
            if code.start(function) <= replacements[0].start and replacements[-1].end <= code.end(function):
                start, end = code.start(function), code.end(function)
                break
        key = (code.path, start, end)
        if key not in self._units:
            unit = _Unit(self._syntax, code, start, end)
            if unit.had_errors and (start, end) != (0, len(code.source)):
                # Some functions do not parse outside their class (constructors): judge those in their file.
                unit = _Unit(self._syntax, code, 0, len(code.source))
            self._units[key] = unit
        return self._units[key]


def is_python(lead: str, text: str) -> bool:
    """Whether a text, whose first line was indented by `lead`, is Python: the tolerant parser lets too much pass."""
    try:
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")
            ast.parse(f"if 1:\n{lead}{text}" if lead else text)
    except (SyntaxError, ValueError, RecursionError, MemoryError):
        return False
    return True


def tidy(code: Code, replacements: Sequence[Replacement]) -> tuple[Replacement, ...] | None:
    """Return the replacements in order, touching ones as one, each as small as possible; none when they overlap."""
    merged: list[Replacement] = []
    for item in sorted(replacements, key=lambda item: (item.start, item.end)):
        text = item.text.replace("\r\n", "\n").replace("\n", code.newline)
        if merged and item.start < merged[-1].end:
            return None
        if merged and item.start == merged[-1].end:
            last = merged.pop()
            merged.append(Replacement(last.start, item.end, last.text + text))
        else:
            merged.append(Replacement(item.start, item.end, text))
    trimmed = [_trimmed(code, item) for item in merged]
    return tuple(item for item in trimmed if item.start != item.end or item.text)


def _trimmed(code: Code, item: Replacement) -> Replacement:
    old, new = code.source[item.start : item.end], item.text
    if "\r" in old or "\r" in new:
        return item  # cutting between CR and LF would change the line ending
    before, behind = common_ends(old, new)
    return Replacement(item.start + before, item.end - behind, new[before : len(new) - behind])


def apply(source: str, replacements: Sequence[Replacement], *, start: int = 0, end: int | None = None) -> str:
    """Return the text from `start` to `end` with the replacements, which must be tidy and lie in there."""
    parts = []
    position = start
    for item in replacements:
        parts += [source[position : item.start], item.text]
        position = item.end
    parts.append(source[position : len(source) if end is None else end])
    return "".join(parts)


def edits(code: Code, replacements: Sequence[Replacement]) -> tuple[Edit, ...]:
    """Return the replacements as edits of the file."""
    return tuple(Edit(path=code.path, text=item.text, span=Span(start=item.start, end=item.end)) for item in replacements)
