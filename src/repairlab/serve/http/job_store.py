"""Jobs and their answers in one SQLite file, so that they survive the server."""

import contextlib
import fcntl
import json
import os
import time
from collections.abc import Iterator
from pathlib import Path
from typing import Any, Literal

from repairlab.core.errors import UserError
from repairlab.core.record import record
from repairlab.core.storage.database import Database
from repairlab.serve.http.service import log, storage_failed

FILE = "jobs-1.sqlite"
_LOCK = "lock"
_KEPT_S = 30 * 24 * 3600.0
"""How long finished jobs are kept."""
_SCHEMA = """
CREATE TABLE IF NOT EXISTS jobs (
    id TEXT PRIMARY KEY, client TEXT NOT NULL, kind TEXT NOT NULL, body BLOB NOT NULL, n INTEGER NOT NULL, state TEXT NOT NULL,
    created REAL NOT NULL);
CREATE TABLE IF NOT EXISTS answers (job TEXT NOT NULL, place INTEGER NOT NULL, value TEXT NOT NULL, PRIMARY KEY (job, place));
CREATE TABLE IF NOT EXISTS patches (name TEXT PRIMARY KEY, bug TEXT NOT NULL, text TEXT NOT NULL, created REAL NOT NULL);
"""
JobState = Literal["running", "done", "cancelled"]


@record
class Job:
    """Work that a client does not wait for."""

    id: str
    client: str
    kind: str
    """`validate`, or what another service's request asks for."""
    body: bytes
    """The request."""
    n: int
    """How many answers it will have."""
    state: JobState
    created: float


class JobStore:
    """The file, which one server has open."""

    def __init__(self, folder: Path) -> None:
        self._database = Database(folder / FILE, _SCHEMA, preserve=True, report=log)
        too_old = time.time() - _KEPT_S
        self._database.write("DELETE FROM patches WHERE created < ?", (too_old,))
        self._database.write("DELETE FROM jobs WHERE created < ? AND state != 'running'", (too_old,))
        self._database.write("DELETE FROM answers WHERE job NOT IN (SELECT id FROM jobs)")

    def close(self) -> None:
        """Close the file."""
        self._database.close()

    def add(self, job: Job) -> bool:
        """Store a job; returns whether it is new. A refusal says that it cannot be stored."""
        row = (job.id, job.client, job.kind, job.body, job.n, job.state, job.created)
        changed = self._database.write("INSERT OR IGNORE INTO jobs VALUES (?, ?, ?, ?, ?, ?, ?)", row)
        if changed < 0:
            raise storage_failed()
        return changed > 0

    def get(self, job_id: str) -> Job | None:
        """Return a job by its id."""
        return next(iter(self._jobs("id = ?", job_id)), None)

    def of_client(self, client: str) -> list[Job]:
        """Return a client's jobs, the newest first."""
        return self._jobs("client = ? ORDER BY created DESC LIMIT 1000", client)

    def unfinished(self) -> list[Job]:
        """Return the jobs that a server did not finish."""
        return self._jobs("state = ? ORDER BY created", "running")

    def _jobs(self, condition: str, value: str) -> list[Job]:
        columns = "id, client, kind, body, n, state, created"
        rows = self._database.rows(f"SELECT {columns} FROM jobs WHERE {condition}", (value,))
        return [Job(**dict(zip(columns.split(", "), row, strict=True))) for row in rows]

    def set_state(self, job_id: str, state: JobState) -> bool:
        """Say how a job stands; returns whether that could be stored."""
        return self._database.write("UPDATE jobs SET state = ? WHERE id = ?", (state, job_id)) >= 0

    def remove(self, job_id: str) -> None:
        """Forget a job, so that the same request is a new one."""
        self._database.write("DELETE FROM jobs WHERE id = ?", (job_id,))
        self._database.write("DELETE FROM answers WHERE job = ?", (job_id,))

    def put(self, job_id: str, place: int, value: dict[str, Any]) -> bool:
        """Keep an answer; returns whether that could be stored."""
        text = json.dumps(value, ensure_ascii=True)
        return self._database.write("INSERT OR REPLACE INTO answers VALUES (?, ?, ?)", (job_id, place, text)) >= 0

    def answers(self, job_id: str, *, after: int = -1, limit: int = 1_000_000) -> list[tuple[int, str]]:
        """Return answers as JSON with their places, in that order."""
        query = "SELECT place, value FROM answers WHERE job = ? AND place > ? ORDER BY place LIMIT ?"
        return [(place, value) for place, value in self._database.rows(query, (job_id, after, limit))]

    def n_answers(self, job_id: str) -> int:
        """Return how many answers there are."""
        return sum(row[0] for row in self._database.rows("SELECT count(*) FROM answers WHERE job = ?", (job_id,)))

    def put_patch(self, name: str, bug: str, text: str) -> None:
        """Keep a patched file under a name."""
        row = (name, bug, text, time.time())
        if self._database.write("INSERT OR REPLACE INTO patches VALUES (?, ?, ?, ?)", row) < 0:
            raise storage_failed()

    def patch(self, name: str, bug: str) -> str | None:
        """Return a patched file of a bug by its name."""
        rows = self._database.rows("SELECT text FROM patches WHERE name = ? AND bug = ?", (name, bug))
        return str(rows[0][0]) if rows else None


@contextlib.contextmanager
def open_job_store(folder: Path) -> Iterator[JobStore]:
    """Open the jobs of a folder, which no other server may have open."""
    try:
        folder.mkdir(parents=True, exist_ok=True)
        lock = os.open(folder / _LOCK, os.O_CREAT | os.O_RDWR | os.O_CLOEXEC, 0o600)
    except OSError as error:
        raise UserError(f"--state {folder} cannot be used: {error.strerror}") from None
    try:
        fcntl.flock(lock, fcntl.LOCK_EX | fcntl.LOCK_NB)
        store = JobStore(folder)
        try:
            yield store
        finally:
            store.close()
    except BlockingIOError:
        raise UserError(f"another server uses {folder}; stop it, or choose another folder with --state") from None
    finally:
        os.close(lock)
