"""Listen on an address and serve until SIGTERM or Ctrl-C."""

import socket
from collections.abc import Callable, Sequence
from contextlib import suppress
from pathlib import Path

import uvicorn

from repairlab.core.errors import UserError
from repairlab.runs.executors.forking import start_server
from repairlab.serve.http.access import AccessControl
from repairlab.serve.http.app import make_app
from repairlab.serve.http.connection import impatient
from repairlab.serve.http.job_store import open_job_store
from repairlab.serve.http.listening import BACKLOG, MOST_CONNECTIONS, address_of, is_loopback, listen
from repairlab.serve.http.served_benchmarks import ServedBenchmarks
from repairlab.serve.http.service import Service
from repairlab.serve.http.settings import ServiceSettings
from repairlab.serve.http.tokens import VARIABLE, ServiceClient
from repairlab.validation.machine import Machine


def bind(host: str, port: int, clients: dict[str, ServiceClient]) -> socket.socket:
    """Return a socket that listens; without tokens that is for this machine only."""
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
        config = uvicorn.Config(
            app,
            http=impatient(settings.patience_s),
            ws="none",
            proxy_headers=False,  # whoever asks could name another connection each time
            log_level="warning",
            access_log=False,
            limit_concurrency=MOST_CONNECTIONS,
            timeout_graceful_shutdown=max(1, int(settings.drain_s)),
            timeout_keep_alive=60,
            server_header=False,
            backlog=BACKLOG,
        )
        ready(address_of(bound))
        with suppress(KeyboardInterrupt):  # uvicorn raises again the signal by which it was stopped
            _DrainingServer(config, service).run(sockets=[bound])


class _DrainingServer(uvicorn.Server):  # type: ignore[misc]  # an extra, whose types are not looked at
    """A server that refuses new requests on open connections once it is told to stop."""

    def __init__(self, config: uvicorn.Config, service: Service) -> None:
        super().__init__(config)
        self._service = service

    def handle_exit(self, sig: int, frame: object) -> None:
        """Note that the server is to stop; requests that go on are finished."""
        self._service.is_draining = True
        super().handle_exit(sig, frame)
