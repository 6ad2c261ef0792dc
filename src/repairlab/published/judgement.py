"""What other projects publish of their results, in one neutral form; every reader makes it and every analysis starts from it."""

import enum
import fnmatch
from collections.abc import Iterable, Mapping, Sequence
from typing import Literal

from repairlab.core.errors import UserError, unknown
from repairlab.core.record import record

Count = Literal["correct", "plausible"]
"""What makes a candidate a fix: a person accepted it, or it passes the tests."""
Order = Literal["number", "written"]
"""How ranks are sorted: as numbers, or as the file writes them (text as text: "101" before "12")."""


class Ruling(enum.StrEnum):
    """What was said of one candidate."""

    CORRECT = "correct"
    """Passes the tests, and a person accepted it."""
    REJECTED = "rejected"
    """Passes the tests, but a person rejected it."""
    PLAUSIBLE = "plausible"
    """Passes the tests; nobody looked at it."""
    WRONG = "wrong"
    TIMEOUT = "timeout"
    UNCOMPILABLE = "uncompilable"
    UNDECIDED = "undecided"

    @property
    def passes(self) -> bool:
        """Whether the candidate passes the tests."""
        return self in (Ruling.CORRECT, Ruling.REJECTED, Ruling.PLAUSIBLE)

    def is_fix(self, count: Count) -> bool:
        """Whether the candidate counts as a fix."""
        return self is Ruling.CORRECT if count == "correct" else self.passes


@record
class Judgement:
    """One candidate of one system for one bug."""

    system: str
    bug: str
    """As `BENCHMARK/BUG`, whatever the source writes, so that sources can be compared."""
    rank: int | None
    """1 for the system's first choice; none when the source has no order."""
    ruling: Ruling
    written: str | None = None
    """The rank as it stands in the source, when that is text."""


@record
class Results:
    """All that a source says: who proposed what for which bug, and what was said of it."""

    systems: tuple[str, ...]
    bugs: tuple[str, ...]
    """Every bug that was tried, also those that nobody has a candidate for."""
    judgements: tuple[Judgement, ...]
    notes: tuple[str, ...] = ()
    """What a reader of the scores should know of the source."""

    @property
    def count(self) -> Count:
        """Return what fixes are by default: accepted candidates where persons looked at them, plausible ones elsewhere."""
        assessed = (Ruling.CORRECT, Ruling.REJECTED)
        return "correct" if any(item.ruling in assessed for item in self.judgements) else "plausible"


def results(judgements: Iterable[Judgement], bugs: Iterable[str] = (), notes: Iterable[str] = ()) -> Results:
    """Put judgements together; systems and bugs are in the order in which they come, `bugs` first."""
    found = tuple(judgements)
    return Results(
        systems=tuple(dict.fromkeys(item.system for item in found)),
        bugs=tuple(dict.fromkeys([*bugs, *(item.bug for item in found)])),
        judgements=found,
        notes=(*notes, *_repeated(found)),
    )


def _repeated(judgements: tuple[Judgement, ...]) -> list[str]:
    """Say which candidates are judged more than once, and which of them in different ways."""
    seen: dict[tuple[str, str, int], list[Ruling]] = {}
    for item in judgements:
        if item.rank is not None:
            seen.setdefault((item.system, item.bug, item.rank), []).append(item.ruling)
    repeated = {key: rulings for key, rulings in seen.items() if len(rulings) > 1}
    if not repeated:
        return []
    notes = [f"{len(repeated)} candidates (system, bug, rank) are listed more than once; each listing counts"]
    contrary = [(key, rulings) for key, rulings in repeated.items() if len(set(rulings)) > 1]
    for (system, bug, rank), rulings in contrary[:20]:
        said = " and ".join(dict.fromkeys(rulings))
        notes.append(f"contradiction: {system}, {bug}, rank {rank} is {said}; the better one is looked at first")
    if len(contrary) > 20:
        notes.append(f"{len(contrary) - 20} more contradictions are not shown")
    return notes


def choose(source: Results, systems: Iterable[str], names: Mapping[str, str]) -> Results:
    """Rename systems, then keep those asked for, in that order; none asked for keeps all."""
    for name in names:
        if name not in source.systems:
            raise unknown("system", name, source.systems)
    wanted = tuple(systems)
    named = tuple(dict.fromkeys(names.get(name, name) for name in source.systems))
    for name in wanted:
        if name not in named:
            raise unknown("system", name, named)
    kept = set(wanted or named)
    items = [item for item in source.judgements if names.get(item.system, item.system) in kept]
    return Results(
        systems=wanted or named,
        bugs=source.bugs,
        judgements=tuple(_renamed(item, names) for item in items),
        notes=source.notes,
    )


def only(source: Results, patterns: Sequence[str]) -> Results:
    """Keep the bugs whose id matches one of the shell patterns; no pattern keeps all, one that matches nothing is an error."""
    if not patterns:
        return source
    for pattern in patterns:
        if not any(fnmatch.fnmatchcase(bug, pattern) for bug in source.bugs):
            raise unknown("bug", pattern, source.bugs)
    bugs = tuple(bug for bug in source.bugs if any(fnmatch.fnmatchcase(bug, pattern) for pattern in patterns))
    kept = set(bugs)
    judgements = tuple(item for item in source.judgements if item.bug in kept)
    return Results(systems=source.systems, bugs=bugs, judgements=judgements, notes=source.notes)


def _renamed(item: Judgement, names: Mapping[str, str]) -> Judgement:
    if item.system not in names:
        return item
    return Judgement(system=names[item.system], bug=item.bug, rank=item.rank, ruling=item.ruling, written=item.written)


def merge(sources: Mapping[str, Results]) -> Results:
    """Put the results of several formats together; a name that two formats use gets its format behind it."""
    if not sources:
        raise UserError("no results are given; write: repairlab rescore [FORMAT] FILE...")
    taken: set[str] = set()
    parts: list[Results] = []
    for label, source in sources.items():
        names = {name: f"{name} ({label})" for name in source.systems if name in taken}
        parts.append(choose(source, (), names))
        taken |= set(parts[-1].systems)
    return Results(
        systems=tuple(name for part in parts for name in part.systems),
        bugs=tuple(dict.fromkeys(bug for part in parts for bug in part.bugs)),
        judgements=tuple(item for part in parts for item in part.judgements),
        notes=tuple(note for part in parts for note in part.notes),
    )
