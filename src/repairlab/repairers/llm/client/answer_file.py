"""The file of kept answers and embeddings: one SQLite database for all runs and processes of a user. Used by `kept`.

Whatever is stored survives the end of the process at any moment. A file that cannot be used costs money, never a run: what goes
wrong with it is told once and is otherwise the same as finding nothing.
"""

import contextlib
import os
import sqlite3
import threading
from array import array
from collections.abc import Callable, Iterable, Iterator, Sequence
from pathlib import Path
from typing import Any, cast

from repairlab.core.record import SCHEMA_VERSION
from repairlab.repairers.llm.client.model import Completion, Finish

FILE = f"answers-{SCHEMA_VERSION}.sqlite"
_PATIENCE_S = 60.0
_MOST_NAMES = 500
"""Values in one query."""
_TABLES = """
CREATE TABLE IF NOT EXISTS answers (
  key TEXT, number INTEGER, text BLOB, finish TEXT, tokens_in INTEGER, tokens_out INTEGER, cost_usd REAL, logprob REAL,
  PRIMARY KEY (key, number)
) WITHOUT ROWID;
CREATE TABLE IF NOT EXISTS refusals (key TEXT PRIMARY KEY, reason BLOB) WITHOUT ROWID;
CREATE TABLE IF NOT EXISTS windows (key TEXT PRIMARY KEY, tokens INTEGER) WITHOUT ROWID;
CREATE TABLE IF NOT EXISTS vectors (key TEXT PRIMARY KEY, vector BLOB) WITHOUT ROWID;
"""


class AnswerFile:
    """The file, open in one process; any number of threads and processes may use it at once."""

    def __init__(self, folder: Path, *, tell: Callable[[str], None] = lambda _: None) -> None:
        """Open the file in a folder, or make it."""
        self._path = folder / FILE
        self._tell = tell
        self._lock = threading.Lock()
        self._database: sqlite3.Connection | None = None
        with self._careful():
            self._database = self._open()

    def close(self) -> None:
        """Close the file."""
        with self._lock:
            if self._database is not None:
                self._database.close()
                self._database = None

    def answers(self, key: str, numbers: Sequence[int]) -> dict[int, Completion]:
        """Return the answers that are there."""
        if not numbers:
            return {}
        query = (
            "SELECT number, text, finish, tokens_in, tokens_out, cost_usd, logprob FROM answers "
            "WHERE key = ? AND number BETWEEN ? AND ?"
        )
        wanted = set(numbers)
        rows = self._rows(query, (key, min(numbers), max(numbers)))
        return {row[0]: _completion(row[1:]) for row in rows if row[0] in wanted}

    def keep(self, key: str, number: int, answer: Completion) -> Completion:
        """Store an answer and return it; when another process was faster, return the one that counts."""
        text = answer.text.encode("utf-8", "surrogatepass")
        values = (key, number, text, answer.finish, answer.tokens_in, answer.tokens_out, answer.cost_usd, answer.logprob)
        if self._write("INSERT OR IGNORE INTO answers VALUES (?, ?, ?, ?, ?, ?, ?, ?)", values) == 0:
            return self.answers(key, [number]).get(number, answer)
        return answer

    def refusal(self, key: str) -> str | None:
        """Return why a prompt could not be answered."""
        rows = self._rows("SELECT reason FROM refusals WHERE key = ?", (key,))
        return str(rows[0][0].decode("utf-8", "surrogatepass")) if rows else None

    def keep_refusal(self, key: str, reason: str) -> None:
        """Store why a prompt could not be answered."""
        self._write("INSERT OR REPLACE INTO refusals VALUES (?, ?)", (key, reason.encode("utf-8", "surrogatepass")))

    def window(self, key: str) -> int | None:
        """Return the context window that a server told."""
        rows = self._rows("SELECT tokens FROM windows WHERE key = ?", (key,))
        return int(rows[0][0]) if rows else None

    def keep_window(self, key: str, tokens: int) -> None:
        """Store the context window that a server told."""
        if self.window(key) != tokens:
            self._write("INSERT OR REPLACE INTO windows VALUES (?, ?)", (key, tokens))

    def vectors(self, keys: Iterable[str]) -> dict[str, list[float]]:
        """Return the vectors that are there."""
        asked, found = list(keys), {}
        for start in range(0, len(asked), _MOST_NAMES):
            part = asked[start : start + _MOST_NAMES]
            marks = ",".join("?" * len(part))
            for key, blob in self._rows(f"SELECT key, vector FROM vectors WHERE key IN ({marks})", tuple(part)):
                found[key] = array("f", blob).tolist()
        return found

    def keep_vector(self, key: str, vector: Sequence[float]) -> None:
        """Store a vector, in single precision."""
        self._write("INSERT OR IGNORE INTO vectors VALUES (?, ?)", (key, array("f", vector).tobytes()))

    def _rows(self, query: str, values: tuple[Any, ...]) -> list[Any]:
        with self._careful(), self._lock:
            if self._database is not None:
                return self._database.execute(query, values).fetchall()
        return []

    def _write(self, statement: str, values: tuple[Any, ...]) -> int:
        """Run one statement as a transaction of its own and return how many rows it changed; -1 when nobody knows."""
        with self._careful(), self._lock:
            if self._database is not None:
                return self._database.execute(statement, values).rowcount
        return -1

    def _open(self) -> sqlite3.Connection:
        """Open the file; one that is no database is put aside, for it may hold answers that were paid for."""
        self._path.parent.mkdir(parents=True, exist_ok=True)
        self._path.touch(mode=0o600)
        try:
            return self._connect()
        except sqlite3.OperationalError:
            raise
        except sqlite3.DatabaseError:
            aside = self._path.with_name(f"{self._path.name}.damaged-{os.getpid()}")
            self._path.replace(aside)
            for suffix in ("-wal", "-shm"):
                self._path.with_name(self._path.name + suffix).unlink(missing_ok=True)
            self._tell(f"{self._path} was damaged; it is now {aside}, and answers are kept in a new file")
            self._path.touch(mode=0o600)
            return self._connect()

    def _connect(self) -> sqlite3.Connection:
        database = sqlite3.connect(self._path, timeout=_PATIENCE_S, isolation_level=None, check_same_thread=False)
        try:
            database.execute("PRAGMA journal_mode = WAL")
            database.execute("PRAGMA synchronous = NORMAL")
            database.executescript(_TABLES)
        except sqlite3.Error:
            database.close()
            raise
        return database

    @contextlib.contextmanager
    def _careful(self) -> Iterator[None]:
        try:
            yield
        except (sqlite3.Error, OSError) as error:
            self._tell(f"answers cannot be kept in, or read from, {self._path}: {error}")


def _completion(row: Sequence[Any]) -> Completion:
    text, finish, tokens_in, tokens_out, cost_usd, logprob = row
    return Completion(
        text=text.decode("utf-8", "surrogatepass"),
        finish=cast(Finish, finish),
        tokens_in=tokens_in,
        tokens_out=tokens_out,
        cost_usd=cost_usd,
        logprob=logprob,
    )
