"""Serve the pages until somebody stops it. Called by the verb `view`."""

import ipaddress
import secrets
import socket
import sys
import webbrowser
from collections.abc import Callable

import uvicorn

from repairlab.core.errors import UserError
from repairlab.view.app import ViewAccess, make_app
from repairlab.view.workbench import Workbench

_LOCAL = ("localhost", "127.0.0.1", "::1")


def serve(bench: Workbench, *, host: str, port: int, opens_browser: bool, started: Callable[[str], None]) -> None:
    """Listen, say where, and answer until Ctrl-C."""
    listening = _listen(host, port)
    is_local = is_loopback(host)
    access = ViewAccess(hosts=_LOCAL if is_local else (), token="" if is_local else secrets.token_urlsafe(18))
    shown = f"[{host}]" if ":" in host else host
    url = f"http://{shown}:{listening.getsockname()[1]}/" + (f"?token={access.token}" if access.token else "")
    config = uvicorn.Config(make_app(bench, access), log_level="warning", access_log=False, server_header=False)
    server = uvicorn.Server(config)
    bench.start()
    started(url)
    sys.stdout.flush()
    if opens_browser:
        webbrowser.open(url)
    with listening:
        server.run(sockets=[listening])


def is_loopback(host: str) -> bool:
    """Tell whether only this machine can reach an address.

    >>> is_loopback("localhost"), is_loopback("127.0.0.2"), is_loopback("0.0.0.0")
    (True, True, False)
    """
    if host == "localhost":
        return True
    try:
        return ipaddress.ip_address(host).is_loopback
    except ValueError:
        return False


def _listen(host: str, port: int) -> socket.socket:
    """Return a socket that listens; what is wrong with address or port is a UserError."""
    try:
        if not 0 <= port <= 65535:
            raise OverflowError("no such port")
        family, kind, protocol, _, place = socket.getaddrinfo(host, port, type=socket.SOCK_STREAM)[0]
    except (OSError, OverflowError) as error:
        raise UserError(
            f"--host {host}, --port {port}: {error}; 127.0.0.1 is this machine alone, ports go from 0 to 65535"
        ) from None
    made = socket.socket(family, kind, protocol)
    try:
        made.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
        made.bind(place)
        made.listen(128)
    except OSError as error:
        made.close()
        raise UserError(
            f"cannot listen on {host}, port {port}: {error.strerror}; choose another with --port, 0 takes a free one"
        ) from None
    return made
