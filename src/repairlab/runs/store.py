"""A run on disk: append-only files that survive being killed at any moment. The only code that touches a run's records."""

import fcntl
import json
import os
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any, BinaryIO, TypeVar

from pydantic import TypeAdapter, ValidationError
from pydantic_core import PydanticSerializationError, from_json

from repairlab.core.candidate import Candidate
from repairlab.core.errors import HarnessError, UserError
from repairlab.core.outcome import Outcome, Verdict
from repairlab.core.record import SCHEMA_VERSION, record, to_data
from repairlab.core.samples import Ended
from repairlab.runs.experiment import Manifest

T = TypeVar("T")


@record
class BugEnd:
    """The mark that nothing more is to be done for a bug."""

    bug_id: str
    ended: Ended


@record
class Disagreement:
    """A verdict of an earlier run that did not come out again."""

    bug_id: str
    candidate_id: str
    cached: Verdict
    now: Verdict


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
            return decode(Manifest, json.loads(self.manifest_path.read_text(encoding="utf-8")), self.manifest_path.name)
        except ValueError as error:
            raise UserError(f"{self.manifest_path} is not valid JSON ({error}); it was not written by repairlab") from None

    def append(self, item: Candidate | Outcome | BugEnd | Disagreement) -> int:
        """Add one record to its file and return the place of its line; safe while other processes do the same."""
        line = encode(item, **({"id": item.id} if isinstance(item, Candidate) else {})) + b"\n"
        try:
            with (self.folder / _FILES[type(item)]).open("ab+") as file:
                fcntl.flock(file, fcntl.LOCK_EX)
                _drop_torn_line(file)
                place = file.seek(0, os.SEEK_END)
                file.write(line)
        except OSError as error:
            raise HarnessError(
                f"cannot write to {self.folder}: {error.strerror}; free some space, then go on with --resume"
            ) from error
        return place

    def candidates(self) -> Iterator[Candidate]:
        """Read the candidates in the order they were stored."""
        return (item for _, item in self.scan(Candidate))

    def outcomes(self) -> Iterator[Outcome]:
        """Read the outcomes in the order they were stored."""
        return (item for _, item in self.scan(Outcome))

    def ends(self) -> Iterator[BugEnd]:
        """Read which bugs are finished."""
        return (item for _, item in self.scan(BugEnd))

    def disagreements(self) -> Iterator[Disagreement]:
        """Read which verdicts of earlier runs did not come out again."""
        return (item for _, item in self.scan(Disagreement))

    def scan(self, kind: type[T]) -> Iterator[tuple[int, T]]:
        """Read all records of a kind, each with the place of its line."""
        return ((place, decode(kind, data, _FILES[kind])) for place, data in self.scan_data(kind))

    def scan_data(self, kind: type[T]) -> Iterator[tuple[int, dict[str, Any]]]:
        """Read all records of a kind as plain data, for those who need but a few facts of very many."""
        path = self.folder / _FILES[kind]
        if not path.is_file():
            return
        place = 0
        with path.open("rb") as file:
            for line in file:
                # A torn line is the trace of a killed process; its record was never complete and is made again.
                data = _data_of(line) if line.endswith(b"}\n") else None
                if data is not None:
                    yield place, data
                place += len(line)

    def facts(self, kind: type, take: Callable[[dict[str, Any]], T]) -> Iterator[T]:
        """Take a few facts of every record of a kind; much faster than `scan`. One that lacks them is an error that says so."""
        for _, data in self.scan_data(kind):
            try:
                if data["schema"] != SCHEMA_VERSION:
                    raise ValueError
                taken = take(data)
            except (KeyError, TypeError, ValueError) as error:
                decode(kind, dict(data), _FILES[kind])
                raise UserError(f"{_FILES[kind]}: a record has no {error}; it was not written by repairlab") from None
            yield taken

    def at(self, kind: type[T], place: int) -> T:
        """Read the record at a place that `append` or `scan` gave: a run need not be held in memory."""
        path = self.folder / _FILES[kind]
        with path.open("rb") as file:
            file.seek(place)
            return decode(kind, _data_of(file.readline()), path.name)


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


_FILES: dict[type, str] = {
    Candidate: "candidates.jsonl",
    Outcome: "outcomes.jsonl",
    BugEnd: "bugs.jsonl",
    Disagreement: "disagreements.jsonl",
}


def _data_of(line: bytes) -> dict[str, Any] | None:
    data: dict[str, Any]
    try:
        data = from_json(line, cache_strings="keys")
    except ValueError:  # it takes no lone surrogates, which hostile candidates have
        try:
            data = json.loads(line.decode("utf-8", "surrogatepass"))
        except ValueError:
            return None
    return data


_adapters: dict[type, TypeAdapter[Any]] = {}  # each costs milliseconds to make


def _adapter(kind: type) -> TypeAdapter[Any]:
    if kind not in _adapters:
        _adapters[kind] = TypeAdapter(kind)
    return _adapters[kind]


def encode(item: object, **more: str) -> bytes:
    """Return the JSON of a record, with the version of its form before and more texts behind."""
    try:
        body = _adapter(type(item)).dump_json(item)  # ten times as fast as the way below, which can do all texts
    except PydanticSerializationError:
        body = json.dumps(to_data(item), ensure_ascii=False, separators=(",", ":")).encode("utf-8", "surrogatepass")
    behind = b"".join(b"," + f"{json.dumps(key)}:{json.dumps(value)}".encode() for key, value in more.items())
    return b'{"schema":%d,' % SCHEMA_VERSION + body[1:-1] + behind + b"}"


def decode(kind: type[T], data: dict[str, Any] | None, where: str) -> T:
    """Make a record from its JSON; what is wrong with it is a UserError that names the file."""
    if data is None:
        raise UserError(f"{where}: a line is not valid JSON; was the file changed by hand?")
    schema = data.pop("schema", None)
    if schema != SCHEMA_VERSION:
        raise UserError(f"{where}: schema is {schema!r}, this version of repairlab reads schema {SCHEMA_VERSION}")
    data.pop("id", None)
    try:
        made: T = _adapter(kind).validate_python(data)
        return made
    except ValidationError as error:
        first = error.errors()[0]
        raise UserError(f"{where}: {'.'.join(map(str, first['loc']))}: {first['msg']}") from None


def write_aside(path: Path, text: str) -> None:
    """Write a file beside its place and rename it, so that readers never see half of it."""
    aside = path.with_name(f".{path.name}.{os.getpid()}")
    aside.write_text(text, encoding="utf-8")
    aside.replace(path)
