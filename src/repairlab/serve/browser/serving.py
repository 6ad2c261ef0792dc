"""Serve the pages until somebody stops it."""

import secrets
import sys
import webbrowser
from collections.abc import Callable

import uvicorn

from repairlab.serve.browser.app import ViewAccess, make_app
from repairlab.serve.browser.open_runs import Workbench
from repairlab.serve.http.connection import impatient
from repairlab.serve.http.listening import BACKLOG, MOST_CONNECTIONS, address_of, is_loopback, listen

_LOCAL = ("localhost", "127.0.0.1", "::1")
PATIENCE_S = 30.0
"""How long a browser may take to send the head of a request."""


def serve(bench: Workbench, *, host: str, port: int, opens_browser: bool, started: Callable[[str], None]) -> None:
    """Listen, say where, and answer until Ctrl-C."""
    listening = listen(host, port)
    is_local = is_loopback(host)
    access = ViewAccess(hosts=_LOCAL if is_local else (), token="" if is_local else secrets.token_urlsafe(18))
    url = f"{address_of(listening)}/" + (f"?token={access.token}" if access.token else "")
    config = uvicorn.Config(
        make_app(bench, access),
        http=impatient(PATIENCE_S),
        ws="none",
        log_level="warning",
        access_log=False,
        server_header=False,
        limit_concurrency=MOST_CONNECTIONS,
        backlog=BACKLOG,
    )
    server = uvicorn.Server(config)
    bench.start()
    started(url)
    sys.stdout.flush()
    if opens_browser:
        webbrowser.open(url)
    with listening:
        server.run(sockets=[listening])
