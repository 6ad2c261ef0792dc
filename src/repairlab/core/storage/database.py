"""One SQLite file for all runs and processes of a user, such as the verdict cache and the answers of models.

A problem with the file is never an error: it is the same as finding nothing, and as having nowhere to write.
"""

import contextlib
import os
import sqlite3
import threading
import weakref
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from pathlib import Path
from typing import Any


class Database:
    """The file, open in one process; any number of threads and processes may use it at once."""

    def __init__(
        self,
        path: Path,
        schema: str,
        *,
        preserve: bool = False,
        busy_timeout_s: float = 60.0,
        report: Callable[[str], None] = lambda _: None,
    ) -> None:
        """Open or create the file; a damaged one is renamed if its content must be preserved, else deleted."""
        self._path = path
        self._schema = schema
        self._preserve = preserve
        self._busy_timeout_s = busy_timeout_s
        self._report = report
        self._lock = threading.Lock()
        self._connection: sqlite3.Connection | None = None
        with self._careful():
            self._connection = self._open()

    def close(self) -> None:
        """Close the file."""
        with self._lock:
            self._disconnect()

    def rows(self, query: str, values: Sequence[Any] = ()) -> list[Any]:
        """Return what a query finds."""
        with self._careful(), self._lock:
            if self._connection is not None:
                return self._connection.execute(query, values).fetchall()
        return []

    def write(self, statement: str, values: Sequence[Any] = ()) -> int:
        """Run one statement as a separate transaction and return how many rows it changed; -1 if unknown."""
        with self._careful(), self._lock:
            if self._connection is not None:
                return self._connection.execute(statement, values).rowcount
        return -1

    def write_all(self, statements: Iterable[tuple[str, Sequence[Any] | Mapping[str, Any]]]) -> None:
        """Run statements as one transaction."""
        with self._careful(), self._lock:
            if self._connection is None:
                return
            self._connection.execute("BEGIN IMMEDIATE")
            try:
                for statement, values in statements:
                    self._connection.execute(statement, values)
            except sqlite3.Error:
                with contextlib.suppress(sqlite3.Error):
                    self._connection.execute("ROLLBACK")
                raise
            self._connection.execute("COMMIT")

    def prune(self, tables: Iterable[str], largest_mb: float) -> None:
        """Drop the oldest quarter of each table, by its column `number`, if the file is too large."""
        sizes = [row for name in ("page_count", "page_size") for row in self.rows(f"PRAGMA {name}")]
        if len(sizes) < 2 or sizes[0][0] * sizes[1][0] <= largest_mb * 1024 * 1024:
            return
        for table in tables:
            oldest = f"SELECT min(number) + (max(number) - min(number)) / 4 FROM {table}"
            self.write(f"DELETE FROM {table} WHERE number <= ({oldest})")
        self.rows("PRAGMA incremental_vacuum")

    def _open(self) -> sqlite3.Connection:
        """Open the file, or replace one that is not a database."""
        self._path.parent.mkdir(parents=True, exist_ok=True)
        self._path.touch(mode=0o600)
        try:
            return self._connect()
        except sqlite3.OperationalError:
            raise
        except sqlite3.DatabaseError:
            self._discard()
            self._path.touch(mode=0o600)
            return self._connect()

    def _connect(self) -> sqlite3.Connection:
        connection = sqlite3.connect(self._path, timeout=self._busy_timeout_s, isolation_level=None, check_same_thread=False)
        try:
            connection.execute("PRAGMA auto_vacuum = INCREMENTAL")
            connection.execute("PRAGMA journal_mode = WAL")
            connection.execute("PRAGMA synchronous = NORMAL")
            connection.executescript(self._schema)
        except sqlite3.Error:
            connection.close()
            raise
        # Indices live as long as what they index, which nobody closes.
        weakref.finalize(self, connection.close).atexit = False
        return connection

    def _disconnect(self) -> None:
        if self._connection is not None:
            self._connection.close()
            self._connection = None

    def _discard(self) -> None:
        """Make room for a new file."""
        if self._preserve:
            aside = self._path.with_name(f"{self._path.name}.damaged-{os.getpid()}")
            self._path.replace(aside)
            self._report(f"{self._path} was damaged; it is now {aside}, and a new file takes its place")
        for suffix in ("", "-wal", "-shm"):
            self._path.with_name(self._path.name + suffix).unlink(missing_ok=True)

    def _fail(self, error: Exception) -> None:
        self._report(f"{self._path} cannot be used, so nothing is kept in it or found there: {error}")

    @contextlib.contextmanager
    def _careful(self) -> Iterator[None]:
        """Do without the file if something is wrong with it."""
        try:
            yield
        except sqlite3.OperationalError as error:  # locked for too long, disk full, no rights: another time perhaps
            self._fail(error)
        except sqlite3.DatabaseError as error:
            self._fail(error)
            if not self._preserve:  # the next process makes a new one
                self._disconnect()
                with contextlib.suppress(OSError):
                    self._discard()
        except OSError as error:
            self._fail(error)
            self._disconnect()
