"""`repairlab serve`."""

from pathlib import Path
from typing import Annotated

import typer

from repairlab.cli.options import on_machine
from repairlab.cli.output import say, write
from repairlab.core.errors import UserError, unknown
from repairlab.core.installation import require
from repairlab.core.problem import TOLD
from repairlab.languages.language import default_cache
from repairlab.serve.http.clients import ServiceSettings, new_token, read_tokens
from repairlab.validation.machine import Machine

_USUAL = ServiceSettings(state=Path())


@on_machine("workers", "sandbox", "isolation", "use_verdicts", recheck=0)
def serve(
    benchmarks: Annotated[list[str] | None, typer.Argument(help="Names or folders of benchmarks.")] = None,
    host: Annotated[str, typer.Option("--host", help="Address to listen on; any but this machine's needs tokens.")] = "127.0.0.1",
    port: Annotated[int, typer.Option("--port", help="Port to listen on; 0: any free one.")] = 8400,
    tokens: Annotated[
        Path | None, typer.Option("--tokens", help="File of tokens, one NAME:SHA256 per line; or the variable REPAIRLAB_TOKENS.")
    ] = None,
    name: Annotated[
        str | None, typer.Option("--new-token", help="Make a token for a client and print its line for the file.")
    ] = None,
    read_only: Annotated[bool, typer.Option("--read-only", help="The new token may read but run nothing.")] = False,
    state: Annotated[Path | None, typer.Option("--state", help="Folder for jobs. [default: below the cache]")] = None,
    queue: Annotated[int, typer.Option("--queue", help="Candidates that may wait for a worker.")] = _USUAL.queue,
    batch: Annotated[int, typer.Option("--batch", help="Most candidates per request.")] = _USUAL.batch,
    rate: Annotated[float, typer.Option("--rate", help="Most candidates per second and client; 0: no limit.")] = _USUAL.rate,
    body_mb: Annotated[float, typer.Option("--body-mb", help="Most megabytes per request.")] = _USUAL.body_mb,
    deadline_s: Annotated[float, typer.Option("--deadline", help="Most seconds per request.")] = _USUAL.deadline_s,
    patience_s: Annotated[float, typer.Option("--patience", help="Seconds for a request to arrive.")] = _USUAL.patience_s,
    drain_s: Annotated[float, typer.Option("--drain", help="Seconds for requests to finish after SIGTERM.")] = _USUAL.drain_s,
    localisation: Annotated[
        str,
        typer.Option("--localisation", help="Most precise place of a bug that clients see: line, hunk, function, file or none."),
    ] = _USUAL.localisation,
    *,
    here: Machine,
) -> None:
    """Serve verdicts and rewards over HTTP.

    Clients of SandboxFusion and Defects4C can send their own requests.
    """
    if name is not None:
        token, line = new_token(name, is_read_only=read_only)
        say(f"The token of {name}, which is shown this once: {token}")
        write(line)
        return
    if not benchmarks:
        raise UserError("name at least one benchmark to serve, such as: repairlab serve starter")
    _check(queue=queue, batch=batch, body_mb=body_mb, deadline_s=deadline_s, patience_s=patience_s, drain_s=drain_s)
    if rate < 0:
        raise UserError(f"--rate is {rate:g}: write 0 for no limit, or how many candidates per second")
    if localisation not in TOLD:
        raise unknown("localisation", localisation, TOLD)
    require("repairlab serve", "web", ("fastapi", "uvicorn"))
    from repairlab.serve.http.app import bind  # noqa: PLC0415  # of the extra
    from repairlab.serve.http.app import serve as serve_until_stopped  # noqa: PLC0415

    settings = ServiceSettings(
        state=state or default_cache() / "serve",
        queue=queue,
        batch=batch,
        body_mb=body_mb,
        rate=rate,
        deadline_s=deadline_s,
        patience_s=patience_s,
        drain_s=drain_s,
        localisation=localisation,
    )
    clients = read_tokens(tokens)
    with bind(host, port, clients) as bound:
        serve_until_stopped(benchmarks, here, settings, clients, bound, ready=_ready)


def _ready(address: str) -> None:
    say(f"Serving on {address}; routes: {address}/docs. Ctrl-C stops.")


def _check(**values: float) -> None:
    for option, value in values.items():
        if not value > 0:
            name = option.removesuffix("_s").replace("_", "-")
            raise UserError(f"--{name} is {value:g}: it must be more than 0")
