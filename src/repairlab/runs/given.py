"""Read candidates made elsewhere from JSON Lines. Called by the verb `validate`.

A line is an object with `bug` and one of `function` (new text of the target), `file` (new text of the file to fix), `patch`
(unified diff) or `edits` (as repairlab writes them); optional are `model` and `repairer`.
The order of the lines is the ranking.
"""

import json
from collections.abc import Iterator
from pathlib import Path
from typing import Any

from pydantic import TypeAdapter, ValidationError

from repairlab.benchmarks.folder import read_sources
from repairlab.core.benchmark import Benchmark
from repairlab.core.bug import Bug
from repairlab.core.candidate import Candidate, Edit, Origin
from repairlab.core.diff import edits_of_patch
from repairlab.core.errors import UserError, unknown
from repairlab.core.record import record

_FORMS = ("function", "file", "patch", "edits")
_KEYS = ("bug", "model", "repairer", *_FORMS)


@record
class GivenFile:
    """What a file of candidates holds."""

    candidates: dict[str, list[Candidate]]
    """By bug id, in the order of the file."""
    errors: tuple[str, ...]
    """One message per line that could not be read, with its number; the other lines count."""


def read_given(path: Path, benchmark: Benchmark) -> GivenFile:
    """Read a file of candidates for a benchmark; malformed lines are reported and left out."""
    candidates: dict[str, list[Candidate]] = {}
    errors: list[str] = []
    try:
        lines = path.read_bytes().split(b"\n")
    except OSError as error:
        raise UserError(f"cannot read {path}: {error.strerror}") from None
    for number, line in enumerate(lines, start=1):
        if not line.strip():
            continue
        try:
            entry = _parse(line)
            bug = benchmark.bug(entry["bug"])
            made = _candidate(entry, bug, len(candidates.get(bug.id, ())) + 1)
            candidates.setdefault(bug.id, []).append(made)
        except UserError as error:
            errors.append(f"{path.name}, line {number}: {error}")
    if not candidates:
        detail = f" The first problem: {errors[0]}" if errors else ""
        raise UserError(f"{path} holds no usable candidate.{detail}")
    return GivenFile(candidates=candidates, errors=tuple(errors))


def _parse(line: bytes) -> dict[str, Any]:
    try:
        entry = json.loads(line)
    except (ValueError, RecursionError) as error:
        raise UserError(f"not valid JSON: {error}") from None
    if not isinstance(entry, dict):
        raise UserError(f"not a JSON object but {type(entry).__name__}")
    for key in entry:
        if key not in _KEYS:
            raise unknown("key", key, _KEYS)
    if not isinstance(entry.get("bug"), str):
        raise UserError(f"the key 'bug' must be there and be a bug id, as text; it is {entry.get('bug')!r}")
    forms = [form for form in _FORMS if form in entry]
    if len(forms) != 1:
        raise UserError(f"exactly one of {', '.join(_FORMS)} is needed, found {', '.join(forms) or 'none'}")
    for key in ("function", "file", "patch", "model", "repairer"):
        if key in entry and not isinstance(entry[key], str):
            raise UserError(f"the value of {key!r} is not text but {type(entry[key]).__name__}")
    return entry


def _candidate(entry: dict[str, Any], bug: Bug, rank: int) -> Candidate:
    origin = Origin(repairer=entry.get("repairer", "file"), model=entry.get("model"))
    form = next(form for form in _FORMS if form in entry)
    if form == "edits":
        try:
            edits = TypeAdapter(tuple[Edit, ...]).validate_python(entry["edits"])
        except ValidationError as error:
            raise UserError(f"edits: {error.errors()[0]['msg']}") from None
        return Candidate(bug_id=bug.id, edits=edits, rank=rank, origin=origin)
    text: str = entry[form]
    try:
        if not text.strip():
            raise UserError("the answer is empty")
        return Candidate(bug_id=bug.id, edits=tuple(_edits(form, text, bug)), rank=rank, origin=origin)
    except UserError as error:
        return Candidate(bug_id=bug.id, edits=(), rank=rank, origin=origin, problem=str(error), answer=text)


def _edits(form: str, text: str, bug: Bug) -> Iterator[Edit]:
    problem = bug.problem
    if form == "file":
        yield Edit(path=problem.path, text=text)
    elif form == "patch":
        yield from edits_of_patch(text, read_sources(Path(bug.tree.source)))
    else:
        yield Edit(path=problem.path, text=text, span=problem.target.span)
