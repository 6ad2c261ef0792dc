"""Long work: stored in one SQLite file, done beside requests, and resumed after a restart."""

import asyncio
import contextlib
import fcntl
import json
import os
import time
import traceback
from collections.abc import Awaitable, Callable, Iterator
from contextlib import aclosing
from pathlib import Path
from typing import Any, Literal

from repairlab.core.errors import UserError
from repairlab.core.record import digest, record
from repairlab.core.storage.database import Database
from repairlab.serve.http.requests import RequestRefused, ValidateRequest, parse
from repairlab.serve.http.served_bugs import undecided_answer
from repairlab.serve.http.service import AskedPatches, Service, log, storage_failed

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
        """Store a job; return whether it is new. A refusal says that it cannot be stored."""
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
        """Store a job's state; return whether that succeeded."""
        return self._database.write("UPDATE jobs SET state = ? WHERE id = ?", (state, job_id)) >= 0

    def remove(self, job_id: str) -> None:
        """Forget a job, so that the same request is a new one."""
        self._database.write("DELETE FROM jobs WHERE id = ?", (job_id,))
        self._database.write("DELETE FROM answers WHERE job = ?", (job_id,))

    def put(self, job_id: str, place: int, value: dict[str, Any]) -> bool:
        """Store an answer; return whether that succeeded."""
        text = json.dumps(value, ensure_ascii=True)
        return self._database.write("INSERT OR REPLACE INTO answers VALUES (?, ?, ?)", (job_id, place, text)) >= 0

    def answers(self, job_id: str, *, after: int = -1, limit: int = 1_000_000) -> list[tuple[int, str]]:
        """Return answers as JSON with their positions, in that order."""
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


_AT_ONCE = 4
"""Candidates of a job that wait or are judged at the same time, per worker; others wait in the store."""
_AGAIN_S = 5.0
"""When to retry what could not be stored or queued."""
_PAGE = 1000
Doing = Callable[[Job, dict[int, str]], Awaitable[None]]


class JobRunner:
    """All jobs of a server, each a task of the event loop."""

    def __init__(self, service: Service, store: JobStore) -> None:
        self._service, self.store = service, store
        self._tasks: dict[str, asyncio.Task[None]] = {}
        self.kinds: dict[str, Doing] = {"validate": self._validate}
        """What does a job of each kind, given the answers that are there."""

    def start(self) -> None:
        """Resume what an earlier server left."""
        for job in self.store.unfinished():
            self._begin(job)

    async def close(self) -> None:
        """Stop; all jobs stay in the store."""
        tasks = list(self._tasks.values())
        for task in tasks:
            task.cancel()
        await asyncio.gather(*tasks, return_exceptions=True)

    async def validate(self, client: str, body: bytes) -> Job:
        """Accept a request as a job; unknown bugs are refused at once."""
        request = parse(ValidateRequest, body)
        asked = await self._service.ask(request, most=None)
        return self.add(client, "validate", body, len(asked.patches))

    def add(self, client: str, kind: str, body: bytes, n: int, *, name: str | None = None) -> Job:
        """Store and begin a job; the same request of the same client is the same job."""
        job_id = name or digest("job", client, kind, body.decode("utf-8", "surrogateescape"))
        job = Job(id=job_id, client=client, kind=kind, body=body, n=n, state="running", created=time.time())
        known = self.store.get(job_id)
        if known is not None and known.state == "cancelled":
            self.store.remove(job_id)
        if self.store.add(job):
            self._begin(job)
            return job
        return self.store.get(job_id) or job

    def of_client(self, client: str, job_id: str) -> Job:
        """Return a job of a client; those of others do not exist for it."""
        job = self.store.get(job_id)
        if job is None or job.client != client:
            raise RequestRefused(404, "unknown_job", f"there is no job {job_id[:64]!r}")
        return job

    def cancel(self, job: Job) -> None:
        """Stop a job for good; its answers so far stay."""
        if job.state == "running":
            self.store.set_state(job.id, "cancelled")
        if task := self._tasks.get(job.id):
            task.cancel()

    def described(self, job: Job, *, after: int = -1, limit: int = _PAGE) -> dict[str, Any]:
        """Return a job's progress, with a page of its answers."""
        page = self.store.answers(job.id, after=after, limit=min(limit, _PAGE))
        n_done = self.store.n_answers(job.id)
        more = {"next": page[-1][0]} if page and page[-1][0] + 1 < job.n else {}
        head = {"id": job.id, "state": job.state, "n": job.n, "done": n_done, "created": round(job.created, 3)}
        return {**head, "outcomes": [json.loads(value) | {"index": place} for place, value in page], **more}

    def _begin(self, job: Job) -> None:
        task = asyncio.get_running_loop().create_task(self._run(job))
        self._tasks[job.id] = task
        task.add_done_callback(lambda _: self._tasks.pop(job.id, None))

    async def _run(self, job: Job) -> None:
        done = dict(self.store.answers(job.id))
        try:
            await self.kinds[job.kind](job, done)
        except RequestRefused as refusal:
            log(f"job {job.id}: {refusal}")
            for place in set(range(job.n)) - set(done):
                await self.keep(job, place, undecided_answer("", str(refusal)))
        except Exception:
            log(f"job {job.id} stops until the server starts again:\n{traceback.format_exc()}")
            return
        while not self.store.set_state(job.id, "done"):
            await asyncio.sleep(_AGAIN_S)

    async def keep(self, job: Job, place: int, value: dict[str, Any]) -> None:
        """Store an answer as soon as the disk allows."""
        while not self.store.put(job.id, place, value):
            await asyncio.sleep(_AGAIN_S)

    async def _validate(self, job: Job, done: dict[int, str]) -> None:
        asked = await self._service.ask(parse(ValidateRequest, job.body), most=None)
        left = [place for place in range(job.n) if place not in done]
        size = _AT_ONCE * self._service.machine.workers
        for first in range(0, len(left), size):
            places = left[first : first + size]
            part = AskedPatches(patches=tuple(asked.patches[place] for place in places), scale=asked.scale, deadline_s=float("inf"))
            await self._validate_part(job, places, part)

    async def _validate_part(self, job: Job, places: list[int], part: AskedPatches) -> None:
        while True:
            try:
                pending = self._service.begin(f"{job.client} (jobs)", part)
                async with aclosing(self._service.answers(pending)) as answers:
                    async for number, value in answers:
                        await self.keep(job, places[number], value)
                return
            except RequestRefused as refusal:
                if refusal.status != 429:
                    raise
                await asyncio.sleep(_AGAIN_S)
