"""A run on disk: append-only files that survive a kill at any moment. The only code that touches a run's records."""

import dataclasses
import difflib
import fcntl
import functools
import json
import os
import uuid
import zlib
from collections.abc import Callable, Collection, Iterator, Mapping
from pathlib import Path
from typing import Any, Literal, TypeVar

from pydantic_core import from_json

from repairlab.benchmarks.writing import toml
from repairlab.core.candidate import Candidate
from repairlab.core.errors import HarnessError, UserError
from repairlab.core.outcome import Outcome, Verdict
from repairlab.core.record import SCHEMA_VERSION, record, to_data, to_json
from repairlab.core.score import Ended
from repairlab.core.storage.encoding import checked_line, decode, encode, line_key, stated_number, without_check, write_aside
from repairlab.repairers.ledger import FILE as REQUESTS
from repairlab.runs.experiment import Manifest, config_data, experiment_data, read_experiment_data

T = TypeVar("T")
_MANIFEST = "run.json"
CONFIG = "experiment.toml"
"""The settings of a run as `run --config` takes them; only run.json is read."""


@record
class BugEnd:
    """Marks a bug as finished."""

    bug_id: str
    ended: Ended
    lines: Mapping[str, int] | None = None
    """How many lines the other files had by then, so that later truncation is noticed; filled in when stored."""


@record
class Disagreement:
    """A verdict of an earlier run that could not be repeated."""

    bug_id: str
    candidate_id: str
    cached: Verdict
    now: Verdict


@record
class TranscriptEntry:
    """A text of a transcript, or a prompt as a list of such texts; stored once, compressed, and found by its digest."""

    digest: str
    kind: Literal["text", "prompt"]
    data: str
    """zlib-compressed and in base 64."""


FILES: Mapping[type, str] = {
    Candidate: "candidates.jsonl",
    Outcome: "outcomes.jsonl",
    BugEnd: "bugs.jsonl",
    Disagreement: "disagreements.jsonl",
    TranscriptEntry: "transcripts.jsonl",
}
CHECKED_FILES = (*FILES.values(), REQUESTS)
"""All files whose lines carry checks."""


class Store:
    """The files of one run folder."""

    def __init__(self, folder: Path) -> None:
        """Name a run folder; nothing is read or written yet."""
        self.folder = folder

    @property
    def manifest_path(self) -> Path:
        """Return the path of run.json."""
        return self.folder / _MANIFEST

    @property
    def run_id(self) -> str:
        """Return the id of the run; empty if it predates checks on lines."""
        path = f"{self.folder}/{_MANIFEST}"  # this is needed for every record, and pathlib's paths cost more than the rest
        try:
            stat = os.stat(path)  # noqa: PTH116
        except OSError:
            return ""
        return _run_id(path, stat.st_ino, stat.st_mtime_ns, stat.st_size)

    def create(self, manifest: Manifest) -> None:
        """Make the folder and write run.json; a new run gets an id."""
        if not manifest.id:
            is_new = not self.manifest_path.exists()
            manifest = dataclasses.replace(manifest, id=uuid.uuid4().hex[:16] if is_new else self.run_id)
        data = {"schema": SCHEMA_VERSION, **to_data(manifest), "experiment": experiment_data(manifest.experiment)}
        if manifest.id:
            data["check"] = _manifest_check(data)
        try:
            self.folder.mkdir(parents=True, exist_ok=True)
            write_aside(self.folder / CONFIG, toml(config_data(manifest.experiment)))
            write_aside(self.manifest_path, json.dumps(data, indent=2) + "\n")
        except OSError as error:
            raise UserError(f"cannot write the run folder {self.folder}: {error.strerror}") from None

    def manifest(self) -> Manifest:
        """Read run.json."""
        if not self.manifest_path.is_file():
            raise UserError(f"{self.folder} is no run folder: {self._lack()}")
        stat = self.manifest_path.stat()
        return _manifest(self.manifest_path, stat.st_ino, stat.st_mtime_ns, stat.st_size)

    def _lack(self) -> str:
        """Say why the folder is not a run, and name runs that may be meant."""
        make = "Make one with: repairlab run BENCHMARK --to DIR"
        inside = sorted(path.parent.name for path in self.folder.glob(f"*/{_MANIFEST}"))
        if inside:
            return f"it has no run.json, but its folders {', '.join(inside[:20])} have one. Name one of them"
        if self.folder.exists():
            return f"it has no run.json. {make}"
        beside = [path.parent.name for path in self.folder.absolute().parent.glob(f"*/{_MANIFEST}")]
        near = difflib.get_close_matches(self.folder.name, beside, n=1)
        return f"it does not exist. Did you mean {str(self.folder.parent / near[0])!r}?" if near else f"it does not exist. {make}"

    def append(self, item: Candidate | Outcome | BugEnd | Disagreement | TranscriptEntry) -> int:
        """Add one record to its file and return its line's position; safe while other processes do the same."""
        if isinstance(item, BugEnd) and self.run_id:
            item = dataclasses.replace(item, lines=self._lines())
        return self.append_body(type(item), encoded(item))

    def append_body(self, kind: type, body: bytes) -> int:
        """Add one encoded record and return its line's position."""
        try:
            return append_line(f"{self.folder}/{FILES[kind]}", body, self.run_id)
        except OSError as error:
            raise HarnessError(
                f"cannot write to {self.folder}: {error.strerror}; free some space, then go on with --resume"
            ) from error

    def _lines(self) -> dict[str, int]:
        """Return the number of lines in the files that grow while bugs are processed."""
        counted = {}
        for name in CHECKED_FILES:
            if name != FILES[BugEnd] and (self.folder / name).is_file():
                with (self.folder / name).open("rb") as file:
                    counted[name] = _last_line(file.fileno(), os.fstat(file.fileno()).st_size)[1]
        return counted

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
        """Read which verdicts of earlier runs could not be repeated."""
        return (item for _, item in self.scan(Disagreement))

    def scan(self, kind: type[T]) -> Iterator[tuple[int, T]]:
        """Read all records of a kind, each with its line's position."""
        return ((place, decode(kind, data, FILES[kind])) for place, data in self.scan_data(kind))

    def scan_data(self, kind: type[T]) -> Iterator[tuple[int, dict[str, Any]]]:
        """Read all records of a kind as plain data, for callers that need only a few facts of very many."""
        path = self.folder / FILES[kind]
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
        """Read a few facts of every record of a kind, much faster than `scan`; a record without them is an error that says so."""
        return (taken for _, taken in self.placed_facts(kind, take))

    def placed_facts(self, kind: type, take: Callable[[dict[str, Any]], T]) -> Iterator[tuple[int, T]]:
        """Read the same facts, each with its line's position."""
        for place, data in self.scan_data(kind):
            try:
                if data["schema"] != SCHEMA_VERSION:
                    raise ValueError
                taken = take(data)
            except (KeyError, TypeError, ValueError) as error:
                decode(kind, dict(data), FILES[kind])
                raise UserError(f"{FILES[kind]}: a record has no {error}; it was not written by repairlab") from None
            yield place, taken

    def bodies_at(self, kind: type, places: Collection[int]) -> dict[int, bytes]:
        """Read the encoded records at some positions."""
        if not places:
            return {}
        with (self.folder / FILES[kind]).open("rb") as file:
            return {place: without_check(file.readline()) for place in sorted(places) if file.seek(place) == place}

    def at(self, kind: type[T], place: int) -> T:
        """Read the record at a position from `append` or `scan`: a run need not be held in memory."""
        path = self.folder / FILES[kind]
        with path.open("rb") as file:
            file.seek(place)
            return decode(kind, _data_of(file.readline()), path.name)


def encoded(item: Candidate | Outcome | BugEnd | Disagreement | TranscriptEntry) -> bytes:
    """Return a record as `append_body` takes it."""
    return encode(item, **({"id": item.id} if isinstance(item, Candidate) else {}))


def decoded(kind: type[T], body: bytes) -> T:
    """Return the record that was encoded."""
    return decode(kind, _data_of(body), FILES[kind])


def append_line(path: str | Path, body: bytes, run_id: str) -> int:
    """Add the line of a JSON object, with its check if the run has an id, and return its position; drops a torn last line."""
    file = os.open(path, os.O_RDWR | os.O_CREAT | os.O_APPEND | os.O_CLOEXEC, 0o666)
    try:
        fcntl.flock(file, fcntl.LOCK_EX)
        size = os.fstat(file).st_size
        place, number = _last_line(file, size)
        if place < size:
            os.ftruncate(file, place)
        line = checked_line(body, line_key(run_id, os.fspath(path).rpartition("/")[2]), number + 1) if run_id else body + b"\n"
        while line:
            line = line[os.write(file, line) :]
    finally:
        os.close(file)
    return place


def _last_line(file: int, size: int) -> tuple[int, int]:
    """Return where the last whole line ends, and its number; a kill may have left a partial line after it.

    The number is 0 when there is no line, and when lines have no numbers.
    """
    start = size
    while start:
        length = min(start, 4096)
        chunk = os.pread(file, length, start - length)
        kept = chunk.rfind(b"\n") + 1
        if kept:
            end = start - length + kept
            ending = chunk[:kept] if kept >= _ENDING else os.pread(file, min(end, _ENDING), max(0, end - _ENDING))
            return end, stated_number(ending) or 0
        start -= length
    return 0, 0


_ENDING = 64
"""More bytes than number and check have."""


def _data_of(line: bytes) -> dict[str, Any] | None:
    data: dict[str, Any]
    try:
        data = from_json(line, cache_strings="keys")
    except ValueError:  # it refuses lone surrogates, which hostile candidates have
        try:
            data = json.loads(line.decode("utf-8", "surrogatepass"))
        except ValueError:
            return None
    return data


@functools.lru_cache(maxsize=64)
def _run_id(path: str, *state: int) -> str:
    """Read the id of a run; `state` tells when run.json is another file than before."""
    del state
    try:
        data = json.loads(Path(path).read_text(encoding="utf-8"))
    except ValueError:
        return ""
    return str(data.get("id") or "") if isinstance(data, dict) else ""


@functools.lru_cache(maxsize=256)
def _manifest(path: Path, *state: int) -> Manifest:
    """Read run.json; `state` tells when it is another file than before."""
    del state
    try:
        data = json.loads(path.read_text(encoding="utf-8"))
    except ValueError as error:
        raise UserError(f"{path} is not valid JSON ({error}); it was not written by repairlab") from None
    check = data.pop("check", None) if isinstance(data, dict) else None
    if isinstance(data, dict) and (check or data.get("id")) and check != _manifest_check(data):
        raise UserError(
            f"{path} was changed after it was written, so nobody knows what was run; put back what it was, "
            "or start a new run with other settings"
        )
    if isinstance(data, dict):
        data["experiment"] = read_experiment_data(data.get("experiment"))
    return decode(Manifest, data, path.name)


def _manifest_check(data: Mapping[str, Any]) -> str:
    return f"{zlib.crc32(to_json(data).encode('utf-8', 'surrogatepass')):08x}"
