"""What all routes share: who asks, whether they may, and how much is read before that; refusals and failures become answers."""

import asyncio
import json
import time
import traceback
from collections.abc import Awaitable, Callable
from typing import Any, Literal

from fastapi import Request
from fastapi.responses import JSONResponse, Response

from repairlab.serve.http.clients import LOOPBACK, RateLimit, ServiceClient, client_of
from repairlab.serve.http.jobs import JobRunner
from repairlab.serve.http.requests import RequestRefused, bad_request
from repairlab.serve.http.service import Service, log

Right = Literal["open", "read", "write"]
"""Everybody; anyone with a token; anyone with a token that is not read-only."""


class AccessControl:
    """The tokens of a service; without any, everybody on this machine may ask."""

    def __init__(self, clients: dict[str, ServiceClient], service: Service) -> None:
        self._clients, self._service = clients, service
        self._limit = RateLimit()

    def admit(self, request: Any, right: Right) -> ServiceClient:
        """Return who asks, or refuse."""
        if right == "open":
            return ServiceClient(name="")
        if self._service.is_draining:
            raise RequestRefused(503, "draining", "the server is about to stop; try again later", retry_after_s=5)
        if not self._clients:
            return _neighbour(request)
        client = client_of(self._clients, request.headers.get("authorization", ""))
        if client is None:
            self._service.counters.add("repairlab_refusals_total", reason="token")
            raise RequestRefused(401, "no_token", "a valid token is needed, as the header Authorization: Bearer TOKEN")
        if right == "write" and client.is_read_only:
            raise RequestRefused(403, "read_only", f"the token of {client.name} is only for reading")
        return client

    def charge(self, client: ServiceClient, n: int) -> None:
        """Count candidates against the rate of a client, or refuse."""
        rate = self._service.settings.rate if client.rate is None else client.rate
        wait_s = self._limit.take(client.name, n, rate)
        if wait_s:
            self._service.counters.add("repairlab_refusals_total", reason="rate")
            raise RequestRefused(429, "rate_limit", f"no more than {rate:g} candidates per second", retry_after_s=wait_s)

    async def body(self, request: Any) -> bytes:
        """Read the JSON of a request, up to a limit."""
        kind = request.headers.get("content-type", "").partition(";")[0].strip().lower()
        if kind != "application/json":  # which also keeps other sites' pages out: browsers ask before they send it
            raise RequestRefused(415, "no_json", "send JSON, with the header Content-Type: application/json")
        most = int(self._service.settings.body_mb * 1024 * 1024)
        too_large = RequestRefused(413, "too_large", f"the request is larger than {self._service.settings.body_mb:g} MB")
        try:
            if int(request.headers.get("content-length", 0)) > most:
                raise too_large
        except ValueError:
            raise bad_request("Content-Length is no number") from None
        patience_s = self._service.settings.patience_s
        read = bytearray()
        try:
            async with asyncio.timeout(patience_s):
                async for chunk in request.stream():
                    read += chunk
                    if len(read) > most:
                        raise too_large
        except TimeoutError:
            raise RequestRefused(408, "too_slow", f"the request did not arrive within {patience_s:g} s") from None
        return bytes(read)


def _neighbour(request: Any) -> ServiceClient:
    """Return the client of a request without a token: a connection from this machine, by a name of this machine, so no web page."""
    host = request.headers.get("host", "").rpartition("]")[0].lstrip("[") or request.headers.get("host", "").partition(":")[0]
    if host.lower() not in LOOPBACK:
        raise RequestRefused(403, "wrong_host", "without tokens this server answers only as localhost")
    peer = request.client
    return ServiceClient(name="local", connection=f"{peer.host}:{peer.port}" if peer else "")


_GONE = 499
"""The logged status of a request whose client went away; nobody reads it."""
Handler = Callable[[Any, ServiceClient], Awaitable[Any]]


class Routes:
    """What the routes share: the application, the service behind it, who may ask, and jobs."""

    def __init__(self, app: Any, service: Service, access: AccessControl, jobs: JobRunner) -> None:
        self.app, self.service, self.access, self.jobs = app, service, access, jobs
        self._plain: dict[tuple[str, str], Callable[[Any], Awaitable[Any]]] = {}

    def add(self, method: str, path: str, handler: Handler, right: Right, *, body: type | None = None) -> None:
        """Add a route; its handler gets the request and who asks, and may raise a refusal."""

        async def route(request: Request) -> Response:
            begun = time.perf_counter()
            try:
                found = await handler(request, self.access.admit(request, right))
                response = found if isinstance(found, Response) else json_response(found)
            except RequestRefused as refusal:
                response = JSONResponse(refusal.data, refusal.status, refusal.headers)
            except Exception:
                log(traceback.format_exc())
                response = JSONResponse(RequestRefused(500, "internal", "the server failed; its log says how").data, 500)
            self.service.counters.add("repairlab_requests_total", route=path, status=str(response.status_code))
            self.service.counters.took(path, time.perf_counter() - begun)
            return response

        route.__name__ = f"{method.lower()}_{handler.__name__}"
        if "{" not in path:
            self._plain[method, path] = route
        self.app.add_api_route(
            path,
            route,
            methods=[method],
            summary=(handler.__doc__ or "").split("\n")[0],
            response_model=None,
            openapi_extra=_described_body(body) if body is not None else None,
        )

    async def __call__(self, scope: Any, receive: Any, send: Any) -> None:
        """Serve a request: routes without parameters at once, others by way of FastAPI.

        That way costs as much as four verdicts that are known, and gives nothing that a route of ours needs.
        """
        route = self._plain.get((scope.get("method"), scope.get("path")))
        if route is None:
            await self.app(scope, receive, send)
        else:
            await (await route(Request(scope, receive)))(scope, receive, send)


def json_response(data: Any, status: int = 200) -> Response:
    """Return JSON; what UTF-8 cannot hold is escaped."""
    body = json.dumps(data, separators=(",", ":")).encode("ascii")
    return Response(body, status, media_type="application/json")


async def while_there(request: Any, work: Awaitable[Any]) -> Any:
    """Return the result of work that is abandoned when the client goes away."""
    doing, watching = asyncio.ensure_future(work), asyncio.ensure_future(_gone(request))
    try:
        await asyncio.wait({doing, watching}, return_when=asyncio.FIRST_COMPLETED)
        if doing.done():
            return doing.result()
        return Response(status_code=_GONE)
    finally:
        for task in (doing, watching):
            task.cancel()
        await asyncio.gather(doing, watching, return_exceptions=True)


async def _gone(request: Any) -> None:
    while (await request.receive())["type"] != "http.disconnect":
        pass


def _described_body(body: Any) -> dict[str, Any]:
    """Return a model as FastAPI describes bodies, with its parts inlined."""
    schema = body.model_json_schema()
    parts = schema.pop("$defs", {})
    return {"requestBody": {"required": True, "content": {"application/json": {"schema": _resolved(schema, parts)}}}}


def _resolved(schema: Any, parts: dict[str, Any]) -> Any:
    if isinstance(schema, dict):
        if "$ref" in schema:
            return _resolved(parts[schema["$ref"].rpartition("/")[2]], parts)
        return {key: _resolved(value, parts) for key, value in schema.items()}
    return [_resolved(item, parts) for item in schema] if isinstance(schema, list) else schema
