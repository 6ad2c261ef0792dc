"""The routes of the service as an ASGI application; FastAPI describes them. Served by `listen`, and by tests."""

import asyncio
import json
import re
from collections.abc import AsyncIterator
from contextlib import aclosing, asynccontextmanager
from typing import Any

from fastapi import FastAPI
from fastapi.responses import HTMLResponse, JSONResponse, PlainTextResponse, Response, StreamingResponse

from repairlab.core.errors import HarnessError, UserError
from repairlab.core.version import VERSION
from repairlab.serve.http import defects4c, sandbox_fusion
from repairlab.serve.http.access import AccessControl
from repairlab.serve.http.http_error import RequestRefused, bad_request
from repairlab.serve.http.job_store import JobStore
from repairlab.serve.http.jobs import JobRunner
from repairlab.serve.http.page import page
from repairlab.serve.http.requests import ValidateRequest, parse
from repairlab.serve.http.response_cache import KeptAnswer, SameRequests
from repairlab.serve.http.routes import Routes, json_response, while_there
from repairlab.serve.http.service import PatchRequest, RequestBegun, Service
from repairlab.serve.http.tokens import ServiceClient


def make_app(service: Service, access: AccessControl, store: JobStore) -> Any:
    """Return the application; it starts to work when it is served."""
    jobs = JobRunner(service, store)

    @asynccontextmanager
    async def lifespan(app: Any) -> AsyncIterator[None]:
        del app
        service.start()
        jobs.start()
        try:
            yield
        finally:
            await jobs.close()
            await service.close()

    app = FastAPI(
        title="repairlab",
        description="Verdicts on candidate fixes, from a sandbox.",
        version=VERSION,
        docs_url=None,
        redoc_url=None,
        lifespan=lifespan,
    )
    routes = Routes(app, service, access, jobs)
    own = OwnRoutes(routes)
    routes.add("POST", "/v1/validate", own.validate, "write", body=ValidateRequest)
    routes.add("POST", "/v1/jobs", own.post_job, "write", body=ValidateRequest)
    routes.add("GET", "/v1/jobs", own.list_jobs, "read")
    routes.add("GET", "/v1/jobs/{job_id}", own.get_job, "read")
    routes.add("DELETE", "/v1/jobs/{job_id}", own.delete_job, "write")
    routes.add("GET", "/v1/benchmarks", own.list_benchmarks, "read")
    routes.add("GET", "/v1/benchmarks/{name}", own.get_benchmark, "read")
    routes.add("GET", "/v1/bugs/{bug:path}", own.get_bug, "read")
    routes.add("GET", "/v1/health", own.health, "open")
    routes.add("GET", "/metrics", own.metrics, "read")
    routes.add("GET", "/docs", own.docs, "open")
    sandbox_fusion.add_routes(routes)
    defects4c.add_routes(routes)
    app.add_exception_handler(404, _not_found)
    app.add_exception_handler(405, _not_found)
    return routes


class OwnRoutes:
    """Routes of our own, below /v1."""

    def __init__(self, routes: Routes) -> None:
        self._routes = routes
        self._service, self._access, self._jobs = routes.service, routes.access, routes.jobs
        self._same = SameRequests()

    async def validate(self, request: Any, client: ServiceClient) -> Any:
        """Judge one candidate or many."""
        body = await self._access.body(request)
        same = self._same.find(body)
        if same is not None:
            self._access.charge(client, len(same.verdicts))
            for verdict in same.verdicts:
                self._service.counters.add("repairlab_verdicts_total", verdict=verdict, cached="yes")
            return Response(same.body, media_type="application/json")
        wanted = parse(ValidateRequest, body)
        asked = await self._service.ask(wanted, most=self._service.settings.batch)
        self._access.charge(client, len(asked.questions))
        begun = self._service.begin(client.turn, asked)
        if wanted.stream:
            return StreamingResponse(self._lines(asked, begun), media_type="application/x-ndjson")
        outcomes = await self._all(asked, begun) if not begun.left else await while_there(request, self._all(asked, begun))
        if isinstance(outcomes, Response):
            return outcomes
        response = json_response(outcomes[0] if wanted.candidates is None else {"outcomes": outcomes})
        if all(outcome["cached"] for outcome in outcomes):
            verdicts = tuple(outcome["verdict"] for outcome in outcomes)
            self._same.keep(body, KeptAnswer(body=response.body, verdicts=verdicts))
        return response

    async def _all(self, asked: PatchRequest, begun: RequestBegun) -> list[dict[str, Any]]:
        found: list[dict[str, Any]] = [{}] * len(asked.questions)
        async with aclosing(self._service.answers(asked, begun)) as answers:
            async for place, value in answers:
                found[place] = value
        return found

    async def _lines(self, asked: PatchRequest, begun: RequestBegun) -> AsyncIterator[bytes]:
        async with aclosing(self._service.answers(asked, begun)) as answers:
            async for place, value in answers:
                yield json.dumps({"index": place, **value}, separators=(",", ":")).encode("ascii") + b"\n"

    async def post_job(self, request: Any, client: ServiceClient) -> Any:
        """Take on long work; GET /v1/jobs/{id} tells how it stands."""
        body = await self._access.body(request)
        self._access.charge(client, 1)
        job = await self._jobs.validate(client.name, body)
        return json_response(self._jobs.described(job, limit=0), 202)

    async def list_jobs(self, request: Any, client: ServiceClient) -> Any:
        """List your jobs, the newest first."""
        del request
        return {"jobs": [self._jobs.described(job, limit=0) for job in self._jobs.store.of_client(client.name)]}

    async def get_job(self, request: Any, client: ServiceClient) -> Any:
        """Say how a job stands, with a page of its outcomes: those behind the place `after`, at most `limit`."""
        job = self._jobs.of_client(client.name, request.path_params["job_id"])
        return self._jobs.described(job, after=_number(request, "after", -1, -1), limit=_number(request, "limit", 1000, 0))

    async def delete_job(self, request: Any, client: ServiceClient) -> Any:
        """Stop a job."""
        job = self._jobs.of_client(client.name, request.path_params["job_id"])
        self._jobs.cancel(job)
        return self._jobs.described(self._jobs.of_client(client.name, job.id), limit=0)

    async def list_benchmarks(self, request: Any, client: ServiceClient) -> Any:
        """List the benchmarks."""
        del request, client
        return {
            "benchmarks": [
                {"name": name, "version": item.version, "licence": item.licence, "description": item.description, "n": len(item)}
                for name, item in self._service.benchmarks.all.items()
            ]
        }

    async def get_benchmark(self, request: Any, client: ServiceClient) -> Any:
        """Describe a benchmark, with the ids of its bugs."""
        del client
        found = self._service.benchmarks.benchmark(request.path_params["name"])
        return {"name": found.name, "version": found.version, "description": found.description, "bugs": list(found.ids)}

    async def get_bug(self, request: Any, client: ServiceClient) -> Any:
        """Show a bug as a repairer may see it; `strategy` adds what a model would be asked, `context` other files."""
        del client
        given = request.query_params
        return await asyncio.to_thread(
            self._described, request.path_params["bug"], given.get("localisation"), given.get("strategy"), given.get("context")
        )

    def _described(self, bug: str, localisation: Any, strategy: str | None, context: str | None) -> dict[str, Any]:
        benchmarks = self._service.benchmarks
        found = benchmarks.bug(bug)
        is_whole = (context or "").lower() in ("1", "true", "yes")
        try:
            return benchmarks.described(found, localisation=localisation, strategy=strategy, context=is_whole)
        except (UserError, HarnessError, OSError):
            raise RequestRefused(
                503, "benchmark_unreadable", f"bug {found.id} cannot be read any more; the server's log says why"
            ) from None

    async def health(self, request: Any, client: ServiceClient) -> Any:
        """Say whether the server takes requests."""
        del request, client
        state = "draining" if self._service.is_draining else "ok"
        return json_response({"status": state, "version": VERSION}, 503 if self._service.is_draining else 200)

    async def metrics(self, request: Any, client: ServiceClient) -> Any:
        """Tell numbers in Prometheus' text form."""
        del request, client
        text = self._service.counters.text(self._service.gauges())
        return PlainTextResponse(text, media_type="text/plain; version=0.0.4; charset=utf-8")

    async def docs(self, request: Any, client: ServiceClient) -> Any:
        """Describe all routes for people; /openapi.json does for programs."""
        del request, client
        return HTMLResponse(page(self._routes.app.openapi()))


def _number(request: Any, name: str, usual: int, least: int) -> int:
    text = request.query_params.get(name, str(usual))
    if not re.fullmatch(r"-?[0-9]{1,9}", text) or int(text) < least:
        raise bad_request(f"{name} is {text[:50]!r}; write a whole number from {least} to 999999999")
    return int(text)


async def _not_found(request: Any, error: Any) -> Response:
    del error
    known = "GET /docs lists the routes"
    return JSONResponse(
        RequestRefused(404, "unknown_route", f"there is no {request.method} {request.url.path[:200]}; {known}").data, 404
    )
