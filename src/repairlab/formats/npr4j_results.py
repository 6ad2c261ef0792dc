"""NPR4J's results (`all_result.json`): which system's candidate at which rank was accepted or rejected by people.

The file holds no candidates, so there is nothing to validate in it. Written are the plausible candidates of a run: those equal
to the developer's fix but for white space (rule R0) as accepted, the others as `unchecked`, for people to judge.
"""

from collections.abc import Iterable, Iterator
from pathlib import Path
from typing import Any

from repairlab.core.benchmark import Benchmark
from repairlab.core.bug import Bug
from repairlab.core.candidate import Candidate
from repairlab.core.diff import apply_edits
from repairlab.core.errors import UserError
from repairlab.core.outcome import Verdict
from repairlab.core.record import record
from repairlab.formats.format import Given, Judged, Sight, Unreadable
from repairlab.formats.making import old_files
from repairlab.formats.reading import as_list, as_object, field, items_of, read_json
from repairlab.formats.writing import changed_files, write_json

_LISTS = ("accepted", "rejected", "unchecked")


@record
class Assessment:
    """What people said of one plausible candidate."""

    bug: str
    """As the file names it."""
    system: str
    rank: int
    accepted: bool | None
    """None: not looked at."""


def recognises(sight: Sight) -> bool:
    """Return whether the first bug has lists of accepted or rejected candidates."""
    value = sight.value
    return isinstance(value, dict) and any(isinstance(value.get(name), list) for name in _LISTS)


def read(path: Path, benchmark: Benchmark) -> Iterator[Given | Unreadable]:
    """Refuse: there are no candidates in such a file."""
    del benchmark
    raise UserError(f"{path} holds results without the candidates' texts, so there is nothing to validate or convert")


def read_assessments(path: Path) -> Iterator[Assessment]:
    """Read what people said of each candidate; systems are named `sys` or `tool`, ranks are numbers or their digits."""
    for where, (name, value) in items_of(path, read_json(path)):
        for key, accepted in zip(_LISTS, (True, False, None), strict=True):
            for item in as_list(as_object(value, f"{where}: ").get(key, []), key):
                entry = as_object(item, f"{where}, {key}: ")
                index = str(entry.get("index"))
                if not index.isdecimal():
                    raise UserError(f"{where}, {key}: the index is {entry.get('index')!r}, not a whole number")
                yield Assessment(bug=name, system=field(entry, "sys", "tool"), rank=int(index), accepted=accepted)


def write(samples: Iterable[Judged], benchmark: Benchmark, path: Path) -> tuple[str, ...]:
    """Write the plausible candidates by system and rank."""
    table: dict[str, dict[str, list[dict[str, Any]]]] = {}
    unknown = 0
    for sample in samples:
        candidate = sample.candidate
        unknown += sample.verdict is None
        if sample.verdict is Verdict.PLAUSIBLE:
            lists = table.setdefault(candidate.bug_id, {name: [] for name in _LISTS})
            key = "accepted" if _is_identical(candidate, benchmark.bug(candidate.bug_id)) else "unchecked"
            lists[key].append({"sys": candidate.origin.model or candidate.origin.repairer, "index": candidate.rank})
    if not table:
        raise UserError("no candidate is known to be plausible; results are written of a run that found some")
    write_json(path, table)
    return (f"{unknown} candidates have no verdict and are left out",) if unknown else ()


def _is_identical(candidate: Candidate, bug: Bug) -> bool:
    """Whether a candidate is the developer's fix but for white space (NPR4J's rule R0)."""
    fixed = apply_edits(bug.oracle.reference, old_files(bug, (edit.path for edit in bug.oracle.reference)))
    mine = changed_files(candidate, bug)
    return {path: _bare(text) for path, text in mine.items()} == {path: _bare(text) for path, text in fixed.items()}


def _bare(text: str | None) -> str | None:
    return None if text is None else "".join(text.split())
