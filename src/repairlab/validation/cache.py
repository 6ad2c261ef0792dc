"""Verdicts of earlier runs, in one file per user.

A damaged or read-only file costs time, never a verdict: every entry carries a checksum over key and value, and any error is the
same as finding nothing.
"""

import contextlib
import functools
import hashlib
import json
import time
import zlib
from collections.abc import Iterator
from pathlib import Path
from typing import TypeVar

from pydantic import TypeAdapter, ValidationError

from repairlab.core.installation import PACKAGE
from repairlab.core.outcome import Outcome, Verdict
from repairlab.core.record import SCHEMA_VERSION, to_data
from repairlab.core.storage.database import Database
from repairlab.core.storage.encoding import decode, encode, write_aside

T = TypeVar("T")

FILE = f"verdicts-{SCHEMA_VERSION}.sqlite"
LARGEST_MB = 1024
_WRITE_EVERY_S = 1.0
"""Entries are written together: each transaction keeps other workers from writing theirs."""
_SCHEMA = """
CREATE TABLE IF NOT EXISTS verdicts (number INTEGER PRIMARY KEY AUTOINCREMENT, key TEXT UNIQUE, value BLOB);
CREATE TABLE IF NOT EXISTS forms (number INTEGER PRIMARY KEY AUTOINCREMENT, key TEXT UNIQUE, value BLOB);
"""
_DECIDING = ("core", "languages", "sandbox", "validation")
"""Packages whose code can change a verdict."""


def engine_digest() -> str:
    """Return a hash of all our code that takes part in verdicts: a changed engine must not answer with old ones."""
    return code_digest(*_DECIDING)


def verdict_key(conditions: str, form: str) -> str:
    """Return the key of a verdict: the digest of the conditions it was reached under, and the candidate's normal form."""
    return f"{conditions}-{form}"


@functools.cache
def code_digest(*folders: str) -> str:
    """Return a hash of all files in folders of this package; a folder without files is an error."""
    total = hashlib.sha256()
    for name in folders:
        files = [path for path in sorted((PACKAGE / name).rglob("*")) if path.is_file() and "__pycache__" not in path.parts]
        if not files:
            raise FileNotFoundError(f"no code in {PACKAGE / name}")
        for path in files:
            total.update(f"{path.relative_to(PACKAGE)}\0{hashlib.sha256(path.read_bytes()).hexdigest()}\n".encode())
    return total.hexdigest()[:16]


def kept_record(path: Path, kind: type[T]) -> T | None:
    """Return a record that was kept in a file; None if it is missing or damaged."""
    with contextlib.suppress(OSError, ValidationError):
        return TypeAdapter(kind).validate_json(path.read_bytes())
    return None


def keep_record(path: Path, item: object) -> None:
    """Keep a record in a file of this user; if that cannot be written, the record is made again."""
    with contextlib.suppress(OSError):
        path.parent.mkdir(parents=True, exist_ok=True, mode=0o700)
        write_aside(path, json.dumps(to_data(item)))


class VerdictCache:
    """The file, open in one process; many processes may have it open at once."""

    def __init__(self, folder: Path, *, largest_mb: float = LARGEST_MB) -> None:
        self._largest_mb = largest_mb
        self._unwritten: dict[tuple[str, str], bytes] = {}
        self._written_at = time.monotonic()
        self._database = Database(folder / FILE, _SCHEMA)

    def close(self) -> None:
        """Write pending entries and close the file."""
        self.flush()
        self._database.close()

    def form(self, raw: str) -> str | None:
        """Return the digest of a candidate's normal form, by the digest of its text."""
        found = self._get("forms", raw)
        return found.decode() if found is not None else None

    def put_form(self, raw: str, form: str) -> None:
        """Remember a normal form, which costs much more to make than to look up."""
        self._put("forms", raw, form.encode())

    def get(self, key: str) -> Outcome | None:
        """Return the outcome that an earlier run stored."""
        found = self._get("verdicts", key)
        try:
            return decode(Outcome, json.loads(zlib.decompress(found).decode("utf-8", "surrogatepass")), FILE) if found else None
        except Exception:  # written by another version in some way: the same as nothing
            self.remove(key)
            return None

    def put(self, key: str, outcome: Outcome) -> None:
        """Keep an outcome; UNDECIDED says nothing about a candidate and is not kept."""
        if outcome.verdict is not Verdict.UNDECIDED:
            self.put_body(key, encode(outcome))

    def put_body(self, key: str, body: bytes) -> None:
        """Keep an encoded outcome."""
        self._put("verdicts", key, zlib.compress(body, 1))

    def body(self, key: str) -> bytes | None:
        """Return an encoded outcome."""
        found = self._get("verdicts", key)
        return zlib.decompress(found) if found else None

    def flush(self) -> None:
        """Write pending entries; a process killed before that costs later runs a second of work."""
        entries, self._unwritten = self._unwritten, {}
        self._written_at = time.monotonic()
        if entries:
            self._database.write_all(
                (f"INSERT OR REPLACE INTO {table} (key, value) VALUES (?, ?)", (key, _checksum(key, value) + value))
                for (table, key), value in entries.items()
            )
            self._database.prune(("verdicts", "forms"), self._largest_mb)

    def remove(self, key: str) -> None:
        """Forget an outcome."""
        self._unwritten.pop(("verdicts", key), None)
        self._database.write("DELETE FROM verdicts WHERE key = ?", (key,))

    def n_verdicts(self) -> int:
        """Return how many verdicts there are."""
        return sum(int(row[0]) for row in self._database.rows("SELECT count(*) FROM verdicts"))

    def _get(self, table: str, key: str) -> bytes | None:
        if (table, key) in self._unwritten:
            return self._unwritten[table, key]
        for (value,) in self._database.rows(f"SELECT value FROM {table} WHERE key = ?", (key,)):
            if isinstance(value, bytes) and value[:8] == _checksum(key, value[8:]):
                return value[8:]
        return None

    def _put(self, table: str, key: str, value: bytes) -> None:
        self._unwritten[table, key] = value
        if time.monotonic() - self._written_at >= _WRITE_EVERY_S:
            self.flush()


@contextlib.contextmanager
def open_verdict_cache(folder: Path | None) -> Iterator[VerdictCache | None]:
    """Open the cache in a folder, if one is to be used."""
    if folder is None:
        yield None
        return
    verdicts = VerdictCache(folder)
    try:
        yield verdicts
    finally:
        verdicts.close()


def _checksum(key: str, value: bytes) -> bytes:
    return hashlib.sha256(key.encode() + b"\0" + value).digest()[:8]
