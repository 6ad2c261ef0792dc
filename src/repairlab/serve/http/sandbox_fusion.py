"""SandboxFusion's POST /run_code, as verl and others call it. Added to the application by `app`."""

import asyncio
import secrets
from typing import Any

from repairlab.building.importers.small_programs import program_place
from repairlab.core.errors import UserError
from repairlab.serve.http.clients import ServiceClient
from repairlab.serve.http.code_runner import CodeRun, decoded, language_of, open_code_runner
from repairlab.serve.http.requests import RequestRefused, RunCodeRequest, bad_request, parse
from repairlab.serve.http.routes import Routes, while_there
from repairlab.serve.http.service import log
from repairlab.validation.paths import check_path, check_together

_MEMORY_MB = 1024
"""Defaults of a request."""


class RunCodeRoute:
    """Runs programs; nothing is judged."""

    def __init__(self, routes: Routes) -> None:
        self._access, self._service = routes.access, routes.service

    async def run_code(self, request: Any, client: ServiceClient) -> Any:
        """Run a program on an input (SandboxFusion)."""
        wanted = parse(RunCodeRequest, await self._access.body(request))
        item = _item(wanted)
        self._access.charge(client, 1)
        workers = self._service.pool
        call = (secrets.token_hex(16), lambda handle: workers.call(open_code_runner, item, handle)[-1])
        (ticket,) = self._service.submit(client.turn, [call])
        try:
            return await while_there(request, _outcome(ticket))
        finally:
            self._service.dispatcher.leave(ticket)


async def _outcome(ticket: Any) -> Any:
    try:
        return await asyncio.shield(ticket.done)
    except Exception as error:
        log(f"run_code: {error}")
        nothing: dict[str, Any] = {"compile_result": None, "run_result": None, "executor_pod_name": None, "files": {}}
        return {"status": "SandboxError", "message": "the sandbox failed; the server's log says how", **nothing}


def _item(wanted: RunCodeRequest) -> CodeRun:
    name = language_of(wanted.language)
    if name is None:
        raise RequestRefused(422, "unknown_language", f"unknown language {wanted.language[:100]!r}")
    try:
        for path in wanted.fetch_files:
            check_path(path)
        files = decoded(wanted.files)
        check_together([*wanted.files, program_place(name, wanted.code)[0]])
    except UserError as error:
        raise bad_request(str(error)) from None
    return CodeRun(
        language=name,
        code=wanted.code,
        stdin=wanted.stdin or "",
        compile_timeout_s=wanted.compile_timeout,
        run_timeout_s=wanted.run_timeout,
        memory_mb=wanted.memory_limit_MB if wanted.memory_limit_MB > 0 else _MEMORY_MB,
        files=files,
        fetch=tuple(wanted.fetch_files),
    )


def add_routes(routes: Routes) -> None:
    """Add the route."""
    routes.add("POST", "/run_code", RunCodeRoute(routes).run_code, "write", body=RunCodeRequest)
