"""Tell whether the files of a run are unchanged, and repair them: keep what is intact, redo what is missing.

Every line has a number and a check; the end of each bug says how many lines there were by then; `seal.json` of a finished run holds
the number of lines and the digest of each file. Lines may follow the seal, when a run continues to retry what was UNDECIDED.
"""

import hashlib
import itertools
import json
import os
from collections import defaultdict
from collections.abc import Iterable, Iterator, Mapping
from pathlib import Path
from typing import Any

from pydantic_core import from_json

from repairlab.core.amounts import count
from repairlab.core.candidate import Candidate
from repairlab.core.errors import UserError
from repairlab.core.outcome import Outcome, Verdict
from repairlab.core.record import SCHEMA_VERSION, record, to_data
from repairlab.core.score import Ended
from repairlab.core.storage.encoding import checked_line, decode, encode, line_key, number_of, stated_number, write_aside
from repairlab.runs.store import CHECKED_FILES, FILES, BugEnd, Store

SEAL = "seal.json"


@record
class Sealed:
    """The state of one file of a finished run."""

    lines: int
    digest: str
    """Of the checks of all lines."""


@record
class Seal:
    """What seal.json holds: the files of a finished run."""

    run: str
    """Id of the run."""
    files: dict[str, Sealed]


@record
class Damage:
    """One place where a file is not as it was written."""

    file: str
    line: int
    what: str

    def __str__(self) -> str:
        return f"{self.file}, line {self.line}: {self.what}"


def has_checks(folder: Path) -> bool:
    """Return whether the lines of a run carry checks, which the oldest runs lack."""
    return bool(Store(folder).run_id)


def require_intact(store: Store) -> None:
    """Raise UserError when a file of the run is damaged, since no score may come from half a run."""
    damages = find_damage(store)
    if not damages:
        return
    more = f" (and {len(damages) - 1} more)" if len(damages) > 1 else ""
    raise UserError(
        f"the run in {store.folder} is damaged: {damages[0]}{more}. Keep what is intact and run the rest again with: "
        f"{repair_command(store)}"
    )


def repair_command(store: Store) -> str:
    """Return the command that repairs a run."""
    if store.manifest().experiment.repairer == "file":
        return f"repairlab validate BENCHMARK CANDIDATES --to {store.folder} --repair"
    return f"repairlab run --resume {store.folder} --repair"


def find_damage(store: Store) -> list[Damage]:
    """Return every damage to a run's files, by file and line; reads each file once and holds one line at a time."""
    run_id = store.manifest().id
    if not run_id:
        return [damage for name in CHECKED_FILES for damage in _unexpected_checks(store.folder / name)]
    seal = read_seal(store)
    damages: list[Damage] = []
    marks: dict[str, int] = {}
    # First the ends of bugs: files that grow meanwhile have more lines than these say, never fewer.
    for name in (FILES[BugEnd], *(name for name in CHECKED_FILES if name != FILES[BugEnd])):
        sealed = seal.files.get(name) if seal else None
        reading = CheckedFile(store.folder / name, run_id, sealed=sealed)
        for line in reading.intact():
            if name == FILES[BugEnd]:
                for other, n in (json.loads(line).get("lines") or {}).items():
                    marks[other] = max(n, marks.get(other, 0))
        damages += reading.damages
        n = max(marks.get(name, 0), sealed.lines if sealed else 0)
        if reading.next <= n:
            damages.append(Damage(file=name, line=reading.next, what=f"it is missing, and so are all up to line {n}"))
    return damages


def whole_lines(path: Path) -> Iterator[bytes]:
    """Yield the lines of a file, if it exists; a torn last line is a trace of a kill, not damage."""
    if path.is_file():
        with path.open("rb") as file:
            yield from (line for line in file if line.endswith(b"\n"))


class CheckedFile:
    """One pass over a file: its intact lines, and what is wrong with the others."""

    def __init__(self, path: Path, run_id: str, *, sealed: Sealed | None = None) -> None:
        """Read a file of a run and, given its seal, compare the two."""
        self._path, self._key, self._sealed = path, line_key(run_id, path.name), sealed
        self._hash = hashlib.sha256()
        self.next = 1
        """The number expected on the next line."""
        self.damages: list[Damage] = []

    @property
    def digest(self) -> str:
        """Return the digest of the checks of all lines so far."""
        return self._hash.hexdigest()[:16]

    def intact(self) -> Iterator[bytes]:
        """Yield the intact lines."""
        sealed = self._sealed
        for place, line in enumerate(whole_lines(self._path), start=1):
            number = number_of(line, self._key)
            if number is None:
                self._found(place, _guess(line))
                self.next += 1
                continue
            if number != self.next:
                self._found(place, self._moved(number))
            self.next = max(self.next, number + 1)
            self._hash.update(line[-11:-3])
            if sealed and number == sealed.lines and not self.damages and self.digest != sealed.digest:
                self._found(place, "up to here the file is not the one that the run finished with")
            yield line

    def _found(self, line: int, what: str) -> None:
        self.damages.append(Damage(file=self._path.name, line=line, what=what))

    def _moved(self, number: int) -> str:
        if number < self.next:
            return f"it repeats line {number}, or stands at the wrong place"
        missing = f"line {self.next}" if number == self.next + 1 else f"lines {self.next} to {number - 1}"
        return f"{missing} of the file as it was written should stand before it"


def _guess(line: bytes) -> str:
    if stated_number(line) is None:
        return "it has no check: it was cut, or not written by repairlab"
    return "it was changed, or is of another run"


def _unexpected_checks(path: Path) -> list[Damage]:
    """Find the first line with a check in a run without checks: then run.json is not its own."""
    for place, line in enumerate(whole_lines(path), start=1):
        if stated_number(line) is not None:
            return [Damage(file=path.name, line=place, what="it has a check, but run.json no id: it is of another run")]
    return []


def write_seal(store: Store) -> None:
    """Record the state of a finished run's files; a run without checks gets no seal."""
    run_id = store.manifest().id
    if not run_id:
        return
    files = {}
    for name in CHECKED_FILES:
        reading = CheckedFile(store.folder / name, run_id)
        for _ in reading.intact():
            pass
        if reading.next > 1:
            files[name] = Sealed(lines=reading.next - 1, digest=reading.digest)
    data: Mapping[str, Any] = {"schema": SCHEMA_VERSION, **to_data(Seal(run=run_id, files=files))}
    write_aside(store.folder / SEAL, json.dumps(data, indent=2) + "\n")


def read_seal(store: Store) -> Seal | None:
    """Return the state of the files when the run finished; None if it has not."""
    path = store.folder / SEAL
    if not path.is_file():
        return None
    try:
        seal = decode(Seal, json.loads(path.read_text(encoding="utf-8")), path.name)
    except ValueError:
        raise UserError(f"{path} is not valid JSON; check the other files with: {repair_command(store)}") from None
    if seal.run != store.manifest().id:
        raise UserError(f"{path} is of another run; check the files of this one with: {repair_command(store)}")
    return seal


def repair_run(store: Store) -> list[str]:
    """Move damaged files aside, keep their intact lines, and reopen bugs that lost something; return what was done.

    Changes nothing if nothing is damaged. May be killed at any moment and started again.
    """
    run_id = store.manifest().id
    if not run_id:
        raise UserError(f"the run in {store.folder} is of before lines had checks: nobody can tell which of them are intact")
    damaged = _damaged(store)
    if not damaged:
        return []
    (store.folder / SEAL).unlink(missing_ok=True)
    said = [_keep_intact(store.folder / name, run_id) for name in damaged if name != FILES[BugEnd]]
    return [*said, _reopen(store, run_id, lost_candidates=FILES[Candidate] in damaged)]


def _damaged(store: Store) -> list[str]:
    try:
        return list(dict.fromkeys(damage.file for damage in find_damage(store)))
    except UserError:  # the seal itself: what it would say of the files is lost
        return list(CHECKED_FILES)


def _keep_intact(path: Path, run_id: str) -> str:
    """Rewrite the intact lines of a file in the order of their numbers; the damaged file stays beside it."""
    places: dict[int, int] = {}
    place = 0
    for line in whole_lines(path):
        number = number_of(line, line_key(run_id, path.name))
        if number is not None:
            places.setdefault(number, place)
        place += len(line)
    return f"{_replace(path, run_id, _bodies(path, places))}; {len(places)} intact lines are kept"


def _bodies(path: Path, places: dict[int, int]) -> Iterator[bytes]:
    """Yield the records of lines without their numbers and checks; a file may be too large to hold."""
    if places:
        with path.open("rb") as file:
            for number in sorted(places):
                file.seek(places[number])
                yield _body(file.readline())


def _body(line: bytes) -> bytes:
    return line[: line.rindex(b',"line":')] + b"}"


def _replace(path: Path, run_id: str, bodies: Iterable[bytes]) -> str:
    """Replace the records of a file, numbered anew, and return where the old file is."""
    key = line_key(run_id, path.name)
    aside = path.with_name(f".{path.name}.{os.getpid()}")
    with aside.open("wb") as file:
        for number, body in enumerate(bodies, start=1):
            file.write(checked_line(body, key, number))
    said = f"{path.name} was missing"
    if path.is_file():
        names = (path.with_name(f"{path.name}.damaged-{number}") for number in itertools.count(1))
        old = next(name for name in names if not name.exists())
        os.link(path, old)  # a file of this name exists at every moment
        said = f"{path.name} moved to {old.name}"
    aside.replace(path)
    return said


def _reopen(store: Store, run_id: str, *, lost_candidates: bool) -> str:
    """Rewrite bugs.jsonl with the bugs of which everything is left."""
    path = store.folder / FILES[BugEnd]
    ends: dict[str, Ended] = {}
    for line in CheckedFile(path, run_id).intact():
        end = decode(BugEnd, from_json(line), path.name)
        ends[end.bug_id] = end.ended
    whole = _whole_bugs(store, ends, lost_candidates=lost_candidates)
    said = _replace(path, run_id, [encode(BugEnd(bug_id=bug_id, ended=ends[bug_id])) for bug_id in whole])
    return f"{said}; {count(len(store.manifest().bug_ids) - len(whole), 'bug')} to be worked on again"


def _whole_bugs(store: Store, ends: dict[str, Ended], *, lost_candidates: bool) -> list[str]:
    """Return the finished bugs whose candidates and outcomes are all there."""
    ids: dict[str, dict[int, str]] = defaultdict(dict)
    for _, data in store.scan_data(Candidate):
        ids[data["bug_id"]][data["rank"]] = data["id"]
    verdicts = {data["candidate_id"]: data["verdict"] for _, data in store.scan_data(Outcome)}
    n = store.manifest().experiment.n
    whole = []
    for bug_id, ended in ends.items():
        sampled = ids[bug_id]
        is_whole = sorted(sampled) == list(range(1, len(sampled) + 1)) and all(name in verdicts for name in sampled.values())
        if ended == "asked":
            is_whole = is_whole and len(sampled) == n
        elif ended == "solved":
            is_whole = is_whole and any(verdicts[name] == Verdict.PLAUSIBLE for name in sampled.values())
        elif lost_candidates:  # nobody knows how many there were if a repairer ran out of them
            is_whole = False
        if is_whole:
            whole.append(bug_id)
    return whole
