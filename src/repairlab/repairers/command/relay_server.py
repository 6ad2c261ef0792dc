"""The web server of a relay: takes requests at an existing socket, and returns whole answers."""

import http.server
import json
import socket
from collections.abc import Callable, Mapping
from typing import Any

from repairlab.core.record import record
from repairlab.repairers.command.dialects.chat import CHAT
from repairlab.repairers.command.dialects.exchange import Dialect

OK = 200
_LARGEST_REQUEST = 64 * 1024 * 1024


@record
class Incoming:
    """A request as received."""

    address: str
    headers: Mapping[str, str]
    """With lower-case names."""
    body: bytes | None = None
    """None for a request without one."""


@record
class RelayReply:
    """The client's reply."""

    status: int
    kind: str = "application/json"
    body: bytes


def reply(status: int, data: Any) -> RelayReply:
    """Return a reply of JSON."""
    return RelayReply(status=status, body=json.dumps(data).encode())


def refusal(status: int, message: str, dialect: Dialect = CHAT) -> RelayReply:
    """Return an error of the relay in the form that a dialect's clients read."""
    return reply(status, dialect.refusal(status, f"repairlab: {message}"))


class Server(http.server.ThreadingHTTPServer):
    """Takes connections at an existing socket."""

    daemon_threads = True
    block_on_close = False

    def __init__(self, listener: socket.socket, answer: Callable[[Incoming], RelayReply]) -> None:
        """Take the socket, and what answers."""
        super().__init__(("", 0), _Handler, bind_and_activate=False)
        self.socket.close()
        self.socket = listener
        self.answer = answer

    def handle_error(self, request: Any, client_address: Any) -> None:
        """Say nothing: a program that hangs up or sends nonsense is nobody's error."""


class _Handler(http.server.BaseHTTPRequestHandler):
    protocol_version = "HTTP/1.1"
    server: Server

    def do_GET(self) -> None:  # the library's name
        """Answer requests that need no model."""
        self._send(self.server.answer(self._incoming(None)))

    def do_POST(self) -> None:  # the library's name
        """Forward a request."""
        size = self.headers.get("Content-Length", "")
        if not size.isascii() or not size.isdigit() or int(size) > _LARGEST_REQUEST:
            self.close_connection = True
            self._send(refusal(413, "a request needs a Content-Length, and not too large a one"))
            return
        self._send(self.server.answer(self._incoming(self.rfile.read(int(size)))))

    def log_message(self, format: str, *args: Any) -> None:  # the library's name
        """Say nothing."""

    def _incoming(self, body: bytes | None) -> Incoming:
        return Incoming(address=self.path, headers={name.lower(): value for name, value in self.headers.items()}, body=body)

    def _send(self, reply: RelayReply) -> None:
        self.send_response(reply.status)
        self.send_header("Content-Type", reply.kind)
        self.send_header("Content-Length", str(len(reply.body)))
        self.end_headers()
        self.wfile.write(reply.body)
