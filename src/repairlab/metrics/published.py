"""What other projects publish of their results, in one neutral form."""

import dataclasses
import enum
import fnmatch
from collections.abc import Iterable, Mapping, Sequence
from typing import Literal

from repairlab.core.amounts import count
from repairlab.core.errors import UserError, unknown
from repairlab.core.record import record
from repairlab.core.table import Table

FixCriterion = Literal["correct", "plausible"]
"""What makes a candidate a fix: a person accepted it, or it passes the tests."""
RankOrder = Literal["number", "written"]
"""How ranks are sorted: as numbers, or as the file writes them (text as text: "101" before "12")."""


class PublishedVerdict(enum.StrEnum):
    """What was said of one candidate."""

    CORRECT = "correct"
    """Passes the tests and was accepted by a person."""
    REJECTED = "rejected"
    """Passes the tests but was rejected by a person."""
    PLAUSIBLE = "plausible"
    """Passes the tests; nobody checked it."""
    WRONG = "wrong"
    TIMEOUT = "timeout"
    UNCOMPILABLE = "uncompilable"
    UNDECIDED = "undecided"

    @property
    def passes(self) -> bool:
        """Whether the candidate passes the tests."""
        return self is PublishedVerdict.PLAUSIBLE or self.is_assessed

    @property
    def is_assessed(self) -> bool:
        """Whether a person accepted or rejected the candidate."""
        return self in (PublishedVerdict.CORRECT, PublishedVerdict.REJECTED)

    def is_fix(self, count: FixCriterion) -> bool:
        """Whether the candidate counts as a fix."""
        return self is PublishedVerdict.CORRECT if count == "correct" else self.passes


@record
class PublishedOutcome:
    """One candidate of one system for one bug."""

    system: str
    bug: str
    """As `BENCHMARK/BUG`, whatever the source writes, so that sources can be compared."""
    rank: int | None
    """1 for the system's first choice; none when the source has no order."""
    verdict: PublishedVerdict
    written: str | None = None
    """The rank as it stands in the source, when that is text."""
    rules: tuple[str, ...] = ()
    """Why a person accepted it, as rules of NPR4J (R0 to R19)."""


@record
class PublishedResults:
    """Everything a source says: who proposed what for which bug, and the judgement."""

    systems: tuple[str, ...]
    bugs: tuple[str, ...]
    """Every bug that was tried, including those without a candidate."""
    outcomes: tuple[PublishedOutcome, ...]
    notes: tuple[str, ...] = ()
    """What a reader of the scores should know of the source."""

    @property
    def count(self) -> FixCriterion:
        """Return the default meaning of a fix: accepted candidates if people judged them, plausible ones otherwise."""
        return "correct" if any(item.verdict.is_assessed for item in self.outcomes) else "plausible"


@record
class DatasetStatistics:
    """The content of a source without verdicts: tables of counts and means."""

    tables: tuple[Table, ...]
    notes: tuple[str, ...] = ()


def make_results(outcomes: Iterable[PublishedOutcome], bugs: Iterable[str] = (), notes: Iterable[str] = ()) -> PublishedResults:
    """Combine outcomes; systems and bugs are in order of appearance, `bugs` first."""
    found = tuple(outcomes)
    return PublishedResults(
        systems=tuple(dict.fromkeys(item.system for item in found)),
        bugs=tuple(dict.fromkeys([*bugs, *(item.bug for item in found)])),
        outcomes=found,
        notes=(*notes, *_repeated(found)),
    )


def _repeated(outcomes: tuple[PublishedOutcome, ...]) -> list[str]:
    """Say which candidates are judged more than once, and which of them differently."""
    seen: dict[tuple[str, str, int], list[PublishedVerdict]] = {}
    for item in outcomes:
        if item.rank is not None:
            seen.setdefault((item.system, item.bug, item.rank), []).append(item.verdict)
    repeated = {key: verdicts for key, verdicts in seen.items() if len(verdicts) > 1}
    if not repeated:
        return []
    notes = [f"{count(len(repeated), 'candidate')} (system, bug, rank) listed more than once; each listing counts"]
    contrary = [(key, verdicts) for key, verdicts in repeated.items() if len(set(verdicts)) > 1]
    for (system, bug, rank), verdicts in contrary[:20]:
        said = " and ".join(dict.fromkeys(verdicts))
        notes.append(f"contradiction: {system}, {bug}, rank {rank} is {said}; the better one is looked at first")
    if len(contrary) > 20:
        notes.append(f"{len(contrary) - 20} more contradictions are not shown")
    return notes


def choose(source: PublishedResults, systems: Iterable[str], names: Mapping[str, str]) -> PublishedResults:
    """Rename systems, then keep the requested ones, in that order; an empty request keeps all."""
    for name in names:
        if name not in source.systems:
            raise unknown("system", name, source.systems)
    wanted = tuple(systems)
    named = tuple(dict.fromkeys(names.get(name, name) for name in source.systems))
    for name in wanted:
        if name not in named:
            raise unknown("system", name, named)
    kept = set(wanted or named)
    items = [item for item in source.outcomes if names.get(item.system, item.system) in kept]
    renamed = tuple(dataclasses.replace(item, system=names.get(item.system, item.system)) for item in items)
    return dataclasses.replace(source, systems=wanted or named, outcomes=renamed)


def only(source: PublishedResults, patterns: Sequence[str]) -> PublishedResults:
    """Keep the bugs whose id matches one of the shell patterns; no pattern keeps all, one that matches nothing is an error."""
    if not patterns:
        return source
    for pattern in patterns:
        if not any(fnmatch.fnmatchcase(bug, pattern) for bug in source.bugs):
            raise unknown("bug", pattern, source.bugs)
    bugs = tuple(bug for bug in source.bugs if any(fnmatch.fnmatchcase(bug, pattern) for pattern in patterns))
    kept = set(bugs)
    return dataclasses.replace(source, bugs=bugs, outcomes=tuple(item for item in source.outcomes if item.bug in kept))


def merge(sources: Mapping[str, PublishedResults]) -> PublishedResults:
    """Combine the results of several formats; a name that two formats use is followed by its format."""
    if not sources:
        raise UserError("no results are given; write: repairlab rescore [FORMAT] FILE...")
    taken: set[str] = set()
    parts: list[PublishedResults] = []
    for label, source in sources.items():
        names = {name: f"{name} ({label})" for name in source.systems if name in taken}
        parts.append(choose(source, (), names))
        taken |= set(parts[-1].systems)
    return PublishedResults(
        systems=tuple(name for part in parts for name in part.systems),
        bugs=tuple(dict.fromkeys(bug for part in parts for bug in part.bugs)),
        outcomes=tuple(item for part in parts for item in part.outcomes),
        notes=tuple(note for part in parts for note in part.notes),
    )
