"""Tell whether the files of a run are as they were written.

Every line has a number and a check; the end of each bug says how many lines there were by then; `seal.json` of a finished run
says how many lines each file has, and their digest. Lines may follow behind the seal: a run that goes on, to try again what was
UNDECIDED.
"""

import hashlib
import json
from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import Any

from repairlab.core.errors import UserError
from repairlab.core.line_check import line_key, number_of, stated_number
from repairlab.core.record import SCHEMA_VERSION, record, to_data
from repairlab.core.storage.encoding import decode, write_aside
from repairlab.runs.store import CHECKED_FILES, FILES, BugEnd, Store

SEAL = "seal.json"


@record
class Sealed:
    """How one file of a finished run was."""

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
    """One place at which a file is not as it was written."""

    file: str
    line: int
    what: str

    def __str__(self) -> str:
        return f"{self.file}, line {self.line}: {self.what}"


def has_checks(folder: Path) -> bool:
    """Return whether the lines of a run carry checks; runs of before there were any do not."""
    return bool(Store(folder).run_id)


def require_intact(store: Store) -> None:
    """Raise UserError when a file of the run is damaged: no number is made of half a run."""
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
    """Return every damage of a run's files, by file and line; reads each file once and holds one line at a time."""
    run_id = store.manifest().id
    if not run_id:
        return [damage for name in CHECKED_FILES for damage in _unexpected_checks(store.folder / name)]
    seal = read_seal(store)
    damages: list[Damage] = []
    marks: dict[str, int] = {}
    # The ends of bugs first: files that grow meanwhile have more lines than these say, never fewer.
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
    """Yield the lines of a file, if there is one; a torn last line is no damage but the trace of a kill."""
    if path.is_file():
        with path.open("rb") as file:
            yield from (line for line in file if line.endswith(b"\n"))


class CheckedFile:
    """One pass over a file: the lines that are as they were written, and what is wrong with the others."""

    def __init__(self, path: Path, run_id: str, *, sealed: Sealed | None = None) -> None:
        """Read a file of a run; with what its seal says, that is compared, too."""
        self._path, self._key, self._sealed = path, line_key(run_id, path.name), sealed
        self._hash = hashlib.sha256()
        self.next = 1
        """The number that the next line should have."""
        self.damages: list[Damage] = []

    @property
    def digest(self) -> str:
        """Return the digest of the checks of all lines so far."""
        return self._hash.hexdigest()[:16]

    def intact(self) -> Iterator[bytes]:
        """Yield the lines that are as they were written."""
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
    """Find the first line with a check in a run that has none: then run.json is not its own."""
    for place, line in enumerate(whole_lines(path), start=1):
        if stated_number(line) is not None:
            return [Damage(file=path.name, line=place, what="it has a check, but run.json no id: it is of another run")]
    return []


def write_seal(store: Store) -> None:
    """Write how the files of a finished run are; a run without checks gets none."""
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
    """Return how the files were when the run finished; none when it has not."""
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
