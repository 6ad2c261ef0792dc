"""The socket that a server listens on, and connections on which requests have to arrive in time."""

import ipaddress
import json
import socket
from asyncio import TimerHandle
from typing import Any

import uvicorn
from uvicorn.protocols.http.auto import AutoHTTPProtocol

from repairlab.core.errors import UserError
from repairlab.serve.http.requests import RequestRefused

_BACKLOG = 1024
_MOST_CONNECTIONS = 2000
_LAST_PORT = 65535


def listen(host: str, port: int) -> socket.socket:
    """Return a socket that listens; port 0 is any that is free."""
    if not 0 <= port <= _LAST_PORT:
        raise UserError(f"--port is {port}: ports go from 0 to {_LAST_PORT}")
    try:
        family, _, _, _, address = socket.getaddrinfo(host, port, type=socket.SOCK_STREAM, flags=socket.AI_PASSIVE)[0]
        return socket.create_server(address[:2], family=family, backlog=_BACKLOG)
    except (OSError, UnicodeError) as error:
        reason = error.strerror if isinstance(error, OSError) else error
        raise UserError(f"cannot listen on {host} port {port}: {reason}; choose another with --port, 0 for any") from None


def address_of(listening: socket.socket) -> str:
    """Return where a listening socket can be reached."""
    host, port = listening.getsockname()[:2]
    return f"http://{f'[{host}]' if ':' in host else host}:{port}"


def is_loopback(host: str) -> bool:
    """Return whether only this machine can reach an address.

    >>> is_loopback("127.0.0.2"), is_loopback("0.0.0.0"), is_loopback("localhost"), is_loopback("example.org")
    (True, False, True, False)
    """
    try:
        return ipaddress.ip_address(host).is_loopback
    except ValueError:
        return host == "localhost"


def server_config(app: object, patience_s: float, **more: Any) -> uvicorn.Config:
    """Return how an application is served: to how many connections, and how long each may take to send its request."""
    return uvicorn.Config(
        app,
        http=impatient(patience_s),
        ws="none",
        log_level="warning",
        access_log=False,
        server_header=False,
        limit_concurrency=_MOST_CONNECTIONS,
        backlog=_BACKLOG,
        **more,
    )


_LARGEST_HEAD = 64 * 1024


def impatient(patience_s: float) -> type:
    """Return the protocol of connections that end when no whole head of a request comes for so long.

    Whoever opened as many as are allowed, and sent nothing, would keep all others out.
    """

    class ImpatientProtocol(AutoHTTPProtocol):  # type: ignore[misc]  # an extra, whose types are not looked at
        """A connection; the time for bodies is that of `access`, since only routes know who may send one."""

        _timer: TimerHandle | None = None
        _head = 0
        """Bytes of the head that is on its way."""
        _is_in_head = False

        def connection_made(self, transport: Any) -> None:
            super().connection_made(transport)
            self._wait()

        def connection_lost(self, exc: Exception | None) -> None:
            self._stop_waiting()
            super().connection_lost(exc)

        def data_received(self, data: bytes) -> None:
            before = self.cycle
            super().data_received(data)
            if self.cycle is not before:
                self._stop_waiting()
            elif before is None or before.response_complete:
                self._wait()
            self._head = self._head + len(data) if self._is_in_head else 0
            if self._head > _LARGEST_HEAD and not self.transport.is_closing():
                self._refuse(RequestRefused(431, "head_too_large", f"a head has {_LARGEST_HEAD // 1024} KB at most"))

        def on_message_begin(self) -> None:
            self._is_in_head = True
            super().on_message_begin()

        def on_headers_complete(self) -> None:
            self._is_in_head = False
            super().on_headers_complete()

        def _wait(self) -> None:
            if self._timer is None:
                self._timer = self.loop.call_later(patience_s, self._give_up)

        def _stop_waiting(self) -> None:
            if self._timer is not None:
                self._timer.cancel()
                self._timer = None

        def _give_up(self) -> None:
            if not self.transport.is_closing():
                self._refuse(RequestRefused(408, "too_slow", f"no whole request came within {patience_s:g} s"))

        def _refuse(self, refusal: RequestRefused) -> None:
            body = json.dumps(refusal.data).encode("ascii")
            head = f"HTTP/1.1 {refusal.status} {refusal.code}\r\ncontent-type: application/json\r\ncontent-length: {len(body)}\r\n"
            self.transport.write(head.encode("ascii") + b"connection: close\r\n\r\n" + body)
            self.transport.close()

    return ImpatientProtocol
