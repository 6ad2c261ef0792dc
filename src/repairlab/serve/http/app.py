"""The service as an ASGI application that FastAPI describes, served until SIGTERM or Ctrl-C."""

import asyncio
import json
import re
import socket
from collections import OrderedDict
from collections.abc import AsyncIterator, Callable, Sequence
from contextlib import aclosing, asynccontextmanager, suppress
from pathlib import Path
from typing import Any

import uvicorn
from fastapi import FastAPI
from fastapi.responses import HTMLResponse, JSONResponse, PlainTextResponse, Response, StreamingResponse
from jinja2 import Environment

from repairlab.core.errors import UserError
from repairlab.core.installation import VERSION
from repairlab.core.record import record
from repairlab.runs.executors.forking import start_server
from repairlab.serve.http import defects4c, sandbox_fusion
from repairlab.serve.http.clients import VARIABLE, ServiceClient, ServiceSettings
from repairlab.serve.http.connections import address_of, is_loopback, listen, server_config
from repairlab.serve.http.jobs import JobRunner, JobStore, open_job_store
from repairlab.serve.http.requests import RequestRefused, ValidateRequest, bad_request, parse
from repairlab.serve.http.routes import AccessControl, Routes, json_response, while_there
from repairlab.serve.http.served_bugs import ServedBenchmarks
from repairlab.serve.http.service import PendingAnswers, Service
from repairlab.validation.machine import Machine


def make_app(service: Service, access: AccessControl, store: JobStore) -> Any:
    """Return the application; it starts working when it is served."""
    jobs = JobRunner(service, store)

    @asynccontextmanager
    async def lifespan(_app: Any) -> AsyncIterator[None]:
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
    """Our own routes, below /v1."""

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
        self._access.charge(client, len(asked.patches))
        pending = self._service.begin(client.turn, asked)
        if wanted.stream:
            return StreamingResponse(self._lines(pending), media_type="application/x-ndjson")
        outcomes = await self._all(pending) if not pending.left else await while_there(request, self._all(pending))
        if isinstance(outcomes, Response):
            return outcomes
        response = json_response(outcomes[0] if wanted.candidates is None else {"outcomes": outcomes})
        if all(outcome["cached"] for outcome in outcomes):
            verdicts = tuple(outcome["verdict"] for outcome in outcomes)
            self._same.keep(body, KeptAnswer(body=response.body, verdicts=verdicts))
        return response

    async def _all(self, pending: PendingAnswers) -> list[dict[str, Any]]:
        found: list[dict[str, Any]] = [{}] * len(pending.asked.patches)
        async with aclosing(self._service.answers(pending)) as answers:
            async for place, value in answers:
                found[place] = value
        return found

    async def _lines(self, pending: PendingAnswers) -> AsyncIterator[bytes]:
        async with aclosing(self._service.answers(pending)) as answers:
            async for place, value in answers:
                yield json.dumps({"index": place, **value}, separators=(",", ":")).encode("ascii") + b"\n"

    async def post_job(self, request: Any, client: ServiceClient) -> Any:
        """Accept long work; GET /v1/jobs/{id} reports its progress."""
        body = await self._access.body(request)
        self._access.charge(client, 1)
        job = await self._jobs.validate(client.name, body)
        return json_response(self._jobs.described(job, limit=0), 202)

    async def list_jobs(self, _request: Any, client: ServiceClient) -> Any:
        """List your jobs, the newest first."""
        return {"jobs": [self._jobs.described(job, limit=0) for job in self._jobs.store.of_client(client.name)]}

    async def get_job(self, request: Any, client: ServiceClient) -> Any:
        """Report a job's progress, with a page of its outcomes: those after the position `after`, at most `limit`."""
        job = self._jobs.of_client(client.name, request.path_params["job_id"])
        return self._jobs.described(job, after=_number(request, "after", -1, -1), limit=_number(request, "limit", 1000, 0))

    async def delete_job(self, request: Any, client: ServiceClient) -> Any:
        """Stop a job."""
        job = self._jobs.of_client(client.name, request.path_params["job_id"])
        self._jobs.cancel(job)
        return self._jobs.described(self._jobs.of_client(client.name, job.id), limit=0)

    async def list_benchmarks(self, _request: Any, _client: ServiceClient) -> Any:
        """List the benchmarks."""
        return {
            "benchmarks": [
                {"name": name, "version": item.version, "licence": item.licence, "description": item.description, "n": len(item)}
                for name, item in self._service.benchmarks.all.items()
            ]
        }

    async def get_benchmark(self, request: Any, _client: ServiceClient) -> Any:
        """Describe a benchmark, with the ids of its bugs."""
        found = self._service.benchmarks.benchmark(request.path_params["name"])
        return {"name": found.name, "version": found.version, "description": found.description, "bugs": list(found.ids)}

    async def get_bug(self, request: Any, _client: ServiceClient) -> Any:
        """Show a bug as a repairer may see it; `strategy` adds what a model would be asked, `context` other files."""
        given = request.query_params
        return await asyncio.to_thread(
            self._service.benchmarks.described,
            request.path_params["bug"],
            localisation=given.get("localisation"),
            strategy=given.get("strategy"),
            context=given.get("context", "").lower() in ("1", "true", "yes"),
        )

    async def health(self, _request: Any, _client: ServiceClient) -> Any:
        """Say whether the server accepts requests."""
        state = "draining" if self._service.is_draining else "ok"
        return json_response({"status": state, "version": VERSION}, 503 if self._service.is_draining else 200)

    async def metrics(self, _request: Any, _client: ServiceClient) -> Any:
        """Tell numbers in Prometheus' text form."""
        text = self._service.counters.text(self._service.gauges())
        return PlainTextResponse(text, media_type="text/plain; version=0.0.4; charset=utf-8")

    async def docs(self, _request: Any, _client: ServiceClient) -> Any:
        """Describe all routes for people; /openapi.json does so for programs."""
        return HTMLResponse(page(self._routes.app.openapi()))


def _number(request: Any, name: str, usual: int, least: int) -> int:
    text = request.query_params.get(name, str(usual))
    if not re.fullmatch(r"-?[0-9]{1,9}", text) or int(text) < least:
        raise bad_request(f"{name} is {text[:50]!r}; write a whole number from {least} to 999999999")
    return int(text)


async def _not_found(request: Any, _error: Any) -> Response:
    known = "GET /docs lists the routes"
    return JSONResponse(
        RequestRefused(404, "unknown_route", f"there is no {request.method} {request.url.path[:200]}; {known}").data, 404
    )


def bind(host: str, port: int, clients: dict[str, ServiceClient]) -> socket.socket:
    """Return a listening socket; without tokens, it is for this machine only."""
    if not clients and not is_loopback(host):
        raise UserError(
            f"--host {host} can be reached from other machines, and there are no tokens: whoever finds it could run code here. "
            f"Make a token with `repairlab serve --new-token NAME >> tokens`, and give the file by --tokens or {VARIABLE}"
        )
    return listen(host, port)


def serve(
    names: Sequence[str | Path],
    machine: Machine,
    settings: ServiceSettings,
    clients: dict[str, ServiceClient],
    bound: socket.socket,
    *,
    ready: Callable[[str], None],
) -> None:
    """Serve benchmarks on a socket until the process is told to stop; `ready` gets the address."""
    start_server()
    benchmarks = ServedBenchmarks(names, settings.localisation)
    machine.open_sandbox()  # proves it, or says what is missing
    with open_job_store(settings.state) as store:
        service = Service(benchmarks, machine, settings)
        app = make_app(service, AccessControl(clients, service), store)
        config = server_config(
            app,
            settings.patience_s,
            proxy_headers=False,  # the client could name another connection each time
            timeout_graceful_shutdown=max(1, int(settings.drain_s)),
            timeout_keep_alive=60,
        )
        ready(address_of(bound))
        with suppress(KeyboardInterrupt):  # uvicorn raises the signal again by which it was stopped
            _DrainingServer(config, service).run(sockets=[bound])


class _DrainingServer(uvicorn.Server):  # type: ignore[misc]  # an extra, whose types are not looked at
    """A server that refuses new requests on open connections once it is told to stop."""

    def __init__(self, config: uvicorn.Config, service: Service) -> None:
        super().__init__(config)
        self._service = service

    def handle_exit(self, sig: int, frame: object) -> None:
        """Note that the server is to stop; requests in progress are finished."""
        self._service.is_draining = True
        super().handle_exit(sig, frame)


_PAGE = """<!doctype html>
<html lang="en"><head><meta charset="utf-8"><meta name="viewport" content="width=device-width"><title>{{ info.title }}</title>
<style>body{font:16px/1.5 system-ui,sans-serif;max-width:60rem;margin:2rem auto;padding:0 1rem;color-scheme:light dark}
code,pre{font:14px/1.4 ui-monospace,monospace}pre{overflow:auto;max-height:30rem}h2{font-size:1rem;margin:1.5rem 0 0}</style></head>
<body><h1>{{ info.title }} {{ info.version }}</h1><p>{{ info.description }} <a href="/openapi.json">openapi.json</a></p>
{% for path, methods in paths.items() %}{% for method, route in methods.items() %}
<h2><code>{{ method.upper() }} {{ path }}</code></h2><p>{{ route.summary }}</p>
{% if route.requestBody %}<details><summary>body</summary><pre>{{ shown(route.requestBody) }}</pre></details>{% endif %}
{% endfor %}{% endfor %}</body></html>
"""


def page(described: dict[str, Any]) -> str:
    """Return the page of an OpenAPI description."""
    template = Environment(autoescape=True).from_string(_PAGE)
    return template.render(**described, shown=_shown)


def _shown(body: dict[str, Any]) -> str:
    return json.dumps(body["content"]["application/json"]["schema"], indent=2)


_LARGEST_MB = 32.0


@record
class KeptAnswer:
    """The answer to a request."""

    body: bytes
    verdicts: tuple[str, ...]
    """For each of its candidates."""


class SameRequests:
    """The latest requests whose verdicts were all known, with their answers, up to a number of bytes."""

    def __init__(self, largest_mb: float = _LARGEST_MB) -> None:
        self._left = int(largest_mb * 1024 * 1024)
        self._kept: OrderedDict[bytes, KeptAnswer] = OrderedDict()

    def find(self, request: bytes) -> KeptAnswer | None:
        """Return the answer to a request; None if it must be read."""
        found = self._kept.get(request)
        if found is not None:
            self._kept.move_to_end(request)
        return found

    def keep(self, request: bytes, answer: KeptAnswer) -> None:
        """Store an answer, dropping those that were not requested for longest."""
        if request not in self._kept:
            self._kept[request] = answer
            self._left -= len(request) + len(answer.body)
            while self._left < 0:
                old, gone = self._kept.popitem(last=False)
                self._left += len(old) + len(gone.body)
