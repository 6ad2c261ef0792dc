"""What all routes share: who asks is looked at first, refusals and failures become answers."""

import asyncio
import json
import time
import traceback
from collections.abc import Awaitable, Callable
from typing import Any

from fastapi import Request
from fastapi.responses import JSONResponse, Response

from repairlab.serve.http.access import AccessControl, Right
from repairlab.serve.http.http_error import RequestRefused
from repairlab.serve.http.jobs import JobRunner
from repairlab.serve.http.service import Service, log
from repairlab.serve.http.tokens import ServiceClient

_GONE = 499
"""What is noted of a request whose client went away; nobody reads it."""
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
    """Return what comes of work, which is given up when the client goes away."""
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
    """Return a model as FastAPI's description of a body has it; parts of it stand where they are used."""
    schema = body.model_json_schema()
    parts = schema.pop("$defs", {})
    return {"requestBody": {"required": True, "content": {"application/json": {"schema": _resolved(schema, parts)}}}}


def _resolved(schema: Any, parts: dict[str, Any]) -> Any:
    if isinstance(schema, dict):
        if "$ref" in schema:
            return _resolved(parts[schema["$ref"].rpartition("/")[2]], parts)
        return {key: _resolved(value, parts) for key, value in schema.items()}
    return [_resolved(item, parts) for item in schema] if isinstance(schema, list) else schema
