"""A run on disk: append-only files that survive being killed at any moment. The only code that touches a run's records."""

import fcntl
import json
import os
from collections.abc import Iterator
from pathlib import Path
from typing import Any, BinaryIO, TypeVar

from pydantic import TypeAdapter, ValidationError

from repairlab.core.candidate import Candidate
from repairlab.core.errors import HarnessError, UserError
from repairlab.core.outcome import Outcome
from repairlab.core.record import SCHEMA_VERSION, record, to_data
from repairlab.core.samples import Ended
from repairlab.runs.experiment import Manifest

T = TypeVar("T")


@record
class BugEnd:
    """The mark that nothing more is to be done for a bug."""

    bug_id: str
    ended: Ended


class Store:
    """The files of one run folder."""

    def __init__(self, folder: Path) -> None:
        """Name a run folder; nothing is read or written yet."""
        self.folder = folder

    @property
    def manifest_path(self) -> Path:
        """Return the path of run.json."""
        return self.folder / "run.json"

    def create(self, manifest: Manifest) -> None:
        """Make the folder and write run.json."""
        try:
            self.folder.mkdir(parents=True, exist_ok=True)
            write_aside(self.manifest_path, json.dumps({"schema": SCHEMA_VERSION, **to_data(manifest)}, indent=2) + "\n")
        except OSError as error:
            raise UserError(f"cannot write the run folder {self.folder}: {error.strerror}") from None

    def manifest(self) -> Manifest:
        """Read run.json."""
        if not self.manifest_path.is_file():
            raise UserError(f"{self.folder} is no run folder: it has no run.json. Make one with: repairlab run BENCHMARK --to DIR")
        try:
            return _decode(Manifest, self.manifest_path.read_text(encoding="utf-8"), self.manifest_path.name)
        except ValueError as error:
            raise UserError(f"{self.manifest_path} is not valid JSON ({error}); it was not written by repairlab") from None

    def append(self, item: Candidate | Outcome | BugEnd) -> None:
        """Add one record to its file; safe while other processes do the same."""
        data = {"schema": SCHEMA_VERSION, **to_data(item)}
        if isinstance(item, Candidate):
            data["id"] = item.id
        line = json.dumps(data, ensure_ascii=False, separators=(",", ":")).encode("utf-8", "surrogatepass") + b"\n"
        try:
            with (self.folder / _FILES[type(item)]).open("ab+") as file:
                fcntl.flock(file, fcntl.LOCK_EX)
                _drop_torn_line(file)
                file.write(line)
        except OSError as error:
            raise HarnessError(
                f"cannot write to {self.folder}: {error.strerror}; free some space, then go on with --resume"
            ) from error

    def candidates(self) -> Iterator[Candidate]:
        """Read the candidates in the order they were stored."""
        return self._read(Candidate)

    def outcomes(self) -> Iterator[Outcome]:
        """Read the outcomes in the order they were stored."""
        return self._read(Outcome)

    def ends(self) -> Iterator[BugEnd]:
        """Read which bugs are finished."""
        return self._read(BugEnd)

    def _read(self, kind: type[T]) -> Iterator[T]:
        path = self.folder / _FILES[kind]
        if not path.is_file():
            return
        with path.open("rb") as file:
            for line in file:
                # A torn line is the trace of a killed process; its record was never complete and is made again.
                if line.endswith(b"}\n") and _is_json(line):
                    yield _decode(kind, line.decode("utf-8", "surrogatepass"), path.name)


def _drop_torn_line(file: BinaryIO) -> None:
    """Cut off the last line when it has no end: a process was killed, or the disk was full, while writing it."""
    end = file.seek(0, os.SEEK_END)
    start = end
    while start:
        size = min(start, 4096)
        file.seek(start - size)
        kept = file.read(size).rfind(b"\n") + 1
        if kept:
            start += kept - size
            break
        start -= size
    if start < end:
        file.truncate(start)


_FILES: dict[type, str] = {Candidate: "candidates.jsonl", Outcome: "outcomes.jsonl", BugEnd: "bugs.jsonl"}


def _is_json(line: bytes) -> bool:
    try:
        json.loads(line)
    except ValueError:
        return False
    return True


_adapters: dict[type, TypeAdapter[Any]] = {}  # each costs milliseconds to make


def _decode(kind: type[T], text: str, where: str) -> T:
    data: dict[str, Any] = json.loads(text)
    schema = data.pop("schema", None)
    if schema != SCHEMA_VERSION:
        raise UserError(f"{where}: schema is {schema!r}, this version of repairlab reads schema {SCHEMA_VERSION}")
    data.pop("id", None)
    try:
        if kind not in _adapters:
            _adapters[kind] = TypeAdapter(kind)
        made: T = _adapters[kind].validate_python(data)
        return made
    except ValidationError as error:
        first = error.errors()[0]
        raise UserError(f"{where}: {'.'.join(map(str, first['loc']))}: {first['msg']}") from None


def write_aside(path: Path, text: str) -> None:
    """Write a file beside its place and rename it, so that readers never see half of it."""
    aside = path.with_name(f".{path.name}.{os.getpid()}")
    aside.write_text(text, encoding="utf-8")
    aside.replace(path)
