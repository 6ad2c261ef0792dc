"""Long work: stored, done beside requests, and gone on with after a restart."""

import asyncio
import json
import time
import traceback
from collections.abc import Awaitable, Callable
from contextlib import aclosing
from typing import Any

from repairlab.core.record import digest
from repairlab.serve.http.answers import undecided_answer
from repairlab.serve.http.http_error import RequestRefused
from repairlab.serve.http.job_store import Job, JobStore
from repairlab.serve.http.requests import ValidateRequest, parse
from repairlab.serve.http.service import PatchRequest, Service, log

_AT_ONCE = 4
"""Candidates of a job that wait or are judged at the same time, for each worker; others wait in the store."""
_AGAIN_S = 5.0
"""When something is tried again that could not be stored, or not be queued."""
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
        """Go on with what an earlier server left."""
        for job in self.store.unfinished():
            self._begin(job)

    async def close(self) -> None:
        """Stop; all jobs stay in the store."""
        tasks = list(self._tasks.values())
        for task in tasks:
            task.cancel()
        await asyncio.gather(*tasks, return_exceptions=True)

    async def validate(self, client: str, body: bytes) -> Job:
        """Take a request on as a job; bugs that are unknown are refused at once."""
        request = parse(ValidateRequest, body)
        asked = await self._service.ask(request, most=None)
        return self.add(client, "validate", body, len(asked.questions))

    def add(self, client: str, kind: str, body: bytes, n: int, *, name: str | None = None) -> Job:
        """Store a job and begin with it; the same request of the same client is the same job."""
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
        """Return a job of a client; those of others are not there for it."""
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
        """Return how a job stands, with a page of its answers."""
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
        """Store an answer, as soon as the disk lets us."""
        while not self.store.put(job.id, place, value):
            await asyncio.sleep(_AGAIN_S)

    async def _validate(self, job: Job, done: dict[int, str]) -> None:
        asked = await self._service.ask(parse(ValidateRequest, job.body), most=None)
        left = [place for place in range(job.n) if place not in done]
        size = _AT_ONCE * self._service.machine.workers
        for first in range(0, len(left), size):
            places = left[first : first + size]
            part = PatchRequest(
                questions=tuple(asked.questions[place] for place in places), scale=asked.scale, deadline_s=float("inf")
            )
            await self._validate_part(job, places, part)

    async def _validate_part(self, job: Job, places: list[int], part: PatchRequest) -> None:
        while True:
            try:
                begun = self._service.begin(f"{job.client} (jobs)", part)
                async with aclosing(self._service.answers(part, begun)) as answers:
                    async for number, value in answers:
                        await self.keep(job, places[number], value)
                return
            except RequestRefused as refusal:
                if refusal.status != 429:
                    raise
                await asyncio.sleep(_AGAIN_S)
