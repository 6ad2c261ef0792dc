"""VerdictCache of earlier runs, kept in one file for all runs of a user: the verdict cache. Used by `judge`.

A damaged file or one that cannot be written costs speed, never a verdict: every entry carries a checksum over key and value, and
whatever goes wrong is the same as finding nothing.
"""

import contextlib
import functools
import hashlib
import json
import sqlite3
import time
import zlib
from collections.abc import Iterator, Mapping
from pathlib import Path

import repairlab
from repairlab.core.outcome import Outcome, Verdict
from repairlab.core.record import SCHEMA_VERSION
from repairlab.storage.encoding import decode, encode

FILE = f"verdicts-{SCHEMA_VERSION}.sqlite"
LARGEST_MB = 1024
_PATIENCE_S = 30.0
_WRITE_EVERY_S = 1.0
"""Entries are written together: each transaction keeps other workers from writing theirs."""
_TABLES = """
CREATE TABLE IF NOT EXISTS verdicts (number INTEGER PRIMARY KEY AUTOINCREMENT, key TEXT UNIQUE, value BLOB);
CREATE TABLE IF NOT EXISTS forms (number INTEGER PRIMARY KEY AUTOINCREMENT, key TEXT UNIQUE, value BLOB);
"""
_DECIDING = ("core", "languages", "sandbox", "validation")
"""Packages whose code can change a verdict."""


@functools.cache
def engine_digest() -> str:
    """Return a hash of all code of ours that has a part in verdicts: a changed engine must not answer with old ones."""
    package = Path(repairlab.__file__).parent
    total = hashlib.sha256()
    for name in _DECIDING:
        for path in sorted((package / name).rglob("*")):
            if path.is_file() and "__pycache__" not in path.parts:
                total.update(f"{path.relative_to(package)}\0{hashlib.sha256(path.read_bytes()).hexdigest()}\n".encode())
    return total.hexdigest()[:16]


class VerdictCache:
    """The file, open in one process; many processes may have it open at once."""

    def __init__(self, folder: Path, *, largest_mb: float = LARGEST_MB) -> None:
        self._path = folder / FILE
        self._largest_mb = largest_mb
        self._unwritten: dict[tuple[str, str], bytes] = {}
        self._written_at = time.monotonic()
        self._database: sqlite3.Connection | None = None
        with self._careful():
            self._database = self._open()

    def close(self) -> None:
        """Write what is not yet written, and close the file."""
        self.flush()
        self._disconnect()

    def _disconnect(self) -> None:
        if self._database is not None:
            self._database.close()
            self._database = None

    def form(self, raw: str) -> str | None:
        """Return the normal form's digest of a candidate, by the digest of its text."""
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
        except Exception:  # written by another version, in whatever way: the same as nothing
            self.remove(key)
            return None

    def put(self, key: str, outcome: Outcome) -> None:
        """Keep an outcome; UNDECIDED says nothing about a candidate and is not kept."""
        if outcome.verdict is not Verdict.UNDECIDED:
            self._put("verdicts", key, zlib.compress(encode(outcome), 1))

    def flush(self) -> None:
        """Write what is not yet written; a process that is killed before costs later runs a second of work."""
        entries, self._unwritten = self._unwritten, {}
        self._written_at = time.monotonic()
        with self._careful():
            if self._database is not None and entries:
                self._write(self._database, entries)

    def remove(self, key: str) -> None:
        """Forget an outcome."""
        self._unwritten.pop(("verdicts", key), None)
        with self._careful():
            if self._database is not None:
                self._database.execute("DELETE FROM verdicts WHERE key = ?", (key,))

    def n_verdicts(self) -> int:
        """Return how many verdicts there are."""
        with self._careful():
            if self._database is not None:
                return int(self._database.execute("SELECT count(*) FROM verdicts").fetchone()[0])
        return 0

    def _get(self, table: str, key: str) -> bytes | None:
        if (table, key) in self._unwritten:
            return self._unwritten[table, key]
        with self._careful():
            if self._database is not None:
                row = self._database.execute(f"SELECT value FROM {table} WHERE key = ?", (key,)).fetchone()
                if row is not None and isinstance(row[0], bytes) and row[0][:8] == _checksum(key, row[0][8:]):
                    return row[0][8:]
        return None

    def _put(self, table: str, key: str, value: bytes) -> None:
        self._unwritten[table, key] = value
        if time.monotonic() - self._written_at >= _WRITE_EVERY_S:
            self.flush()

    def _write(self, database: sqlite3.Connection, entries: Mapping[tuple[str, str], bytes]) -> None:
        database.execute("BEGIN IMMEDIATE")
        try:
            for (table, key), value in entries.items():
                statement = f"INSERT OR REPLACE INTO {table} (key, value) VALUES (?, ?)"
                database.execute(statement, (key, _checksum(key, value) + value))
        except sqlite3.Error:
            with contextlib.suppress(sqlite3.Error):
                database.execute("ROLLBACK")
            raise
        database.execute("COMMIT")
        self._prune(database)

    def _prune(self, database: sqlite3.Connection) -> None:
        """Drop the oldest quarter when the file is too large."""
        (pages,), (size,) = (database.execute(f"PRAGMA {name}").fetchone() for name in ("page_count", "page_size"))
        if pages * size <= self._largest_mb * 1024 * 1024:
            return
        for table in ("verdicts", "forms"):
            oldest, newest = database.execute(f"SELECT min(number), max(number) FROM {table}").fetchone()
            if oldest is not None:
                database.execute(f"DELETE FROM {table} WHERE number <= ?", (oldest + (newest - oldest) // 4,))
        database.execute("PRAGMA incremental_vacuum").fetchall()

    def _open(self) -> sqlite3.Connection:
        """Open the file, or make a new one in the place of one that is none."""
        self._path.parent.mkdir(parents=True, exist_ok=True)
        self._path.touch(mode=0o600)
        try:
            return self._connect()
        except sqlite3.OperationalError:
            raise
        except sqlite3.DatabaseError:
            self._discard()
            return self._connect()

    def _connect(self) -> sqlite3.Connection:
        database = sqlite3.connect(self._path, timeout=_PATIENCE_S, isolation_level=None)
        try:
            database.execute("PRAGMA auto_vacuum = INCREMENTAL")
            database.execute("PRAGMA journal_mode = WAL")
            database.execute("PRAGMA synchronous = NORMAL")
            database.executescript(_TABLES)
        except sqlite3.Error:
            database.close()
            raise
        return database

    def _discard(self) -> None:
        for suffix in ("", "-wal", "-shm"):
            self._path.with_name(self._path.name + suffix).unlink(missing_ok=True)

    @contextlib.contextmanager
    def _careful(self) -> Iterator[None]:
        """Do without the file when something is wrong with it; a damaged one makes room for a new one."""
        try:
            yield
        except sqlite3.OperationalError:
            return  # locked for too long, disk full, no rights: another time perhaps
        except sqlite3.DatabaseError:
            self._disconnect()
            with contextlib.suppress(OSError):
                self._discard()
        except OSError:
            self._disconnect()


@contextlib.contextmanager
def open_verdict_cache(folder: Path | None) -> Iterator[VerdictCache | None]:
    """Open the cache in a folder, if one shall be used."""
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
