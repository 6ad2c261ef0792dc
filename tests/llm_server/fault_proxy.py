"""A proxy that stands in front of a server and does to requests what networks and busy servers do.

Each request draws a fault by the proxy's seed, the request's body and how often that body came before, so a run meets the same
faults every time, in whatever order its threads ask. What was forwarded and what reached the client is counted.
"""

import hashlib
import socket
import struct
import threading
import time
import urllib.error
import urllib.request
from collections import Counter
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from typing import Literal

from repairlab.core.record import record

Fault = Literal[
    "none", "429", "429-retry-after", "500", "503", "drop", "drop-late", "delay", "garbage", "half", "half-json", "empty", "html"
]
FAULTS: tuple[Fault, ...] = (
    "429",
    "429-retry-after",
    "500",
    "503",
    "drop",
    "drop-late",
    "delay",
    "garbage",
    "half",
    "half-json",
    "empty",
    "html",
)
"""`drop` closes the connection before the server is asked, `drop-late` after it answered. `half` breaks off inside the announced
length; `half-json` is announced as whole."""
HARMLESS: frozenset[Fault] = frozenset({"none", "delay"})
LATE: frozenset[Fault] = frozenset({"drop-late", "half", "half-json"})
"""Faults after which the server has worked although the client has no answer."""


@record
class Reply:
    """What goes back to a client."""

    status: int
    body: bytes
    headers: tuple[tuple[str, str], ...] = (("Content-Type", "application/json"),)


class FaultProxy:
    """Forwards requests to `target`, of which `share` meet a fault at first and no more than `worst` times in a row."""

    def __init__(
        self,
        target: str,
        *,
        seed: int = 0,
        share: float = 0.5,
        worst: int = 3,
        faults: Sequence[Fault] = FAULTS,
        delay_s: float = 0.2,
    ) -> None:
        self.target = target.removesuffix("/v1")
        self.seed = seed
        self.share = share
        self.worst = worst
        self.faults = tuple(faults)
        self.delay_s = delay_s
        self.base_url = ""
        self.asked: Counter[bytes] = Counter()
        """Requests that arrived, by body."""
        self.forwarded: Counter[bytes] = Counter()
        """Requests that the server behind answered, by body."""
        self.delivered: Counter[bytes] = Counter()
        """Good answers that went to the client whole, by body."""
        self.replies: list[bytes] = []
        """What they said."""
        self.met: Counter[Fault] = Counter()
        self._lock = threading.Lock()

    def next_fault(self, body: bytes) -> Fault:
        """Return what happens to a request, and count it."""
        with self._lock:
            turn = self.asked[body]
            self.asked[body] += 1
            fault = self._drawn(body, turn)
            self.met[fault] += 1
            return fault

    def _drawn(self, body: bytes, turn: int) -> Fault:
        if turn >= self.worst:
            return "none"
        digest = hashlib.sha256(b"%d\0%d\0" % (self.seed, turn) + body).digest()
        if int.from_bytes(digest[:4], "big") / 2**32 >= self.share:
            return "none"
        return self.faults[int.from_bytes(digest[4:8], "big") % len(self.faults)]

    def forward(self, method: str, path: str, headers: dict[str, str], body: bytes) -> Reply:
        """Ask the server behind."""
        request = urllib.request.Request(self.target + path, body or None, headers, method=method)
        try:
            with urllib.request.urlopen(request, timeout=600) as answer:
                reply = Reply(status=answer.status, body=answer.read())
        except urllib.error.HTTPError as error:
            with error:
                reply = Reply(status=error.code, body=error.read())
        with self._lock:
            self.forwarded[body] += 1
        return reply

    def deliver(self, body: bytes, reply: Reply) -> None:
        """Count an answer that goes to the client whole."""
        with self._lock:
            self.delivered[body] += 1
            self.replies.append(reply.body)

    @contextmanager
    def running(self) -> Iterator["FaultProxy"]:
        """Listen on loopback for as long as the block runs."""
        server = _Listener(self)
        thread = threading.Thread(target=server.serve_forever, kwargs={"poll_interval": 0.02}, daemon=True)
        thread.start()
        self.base_url = f"http://127.0.0.1:{server.server_address[1]}/v1"
        try:
            yield self
        finally:
            server.shutdown()
            server.server_close()
            thread.join()


class _Listener(ThreadingHTTPServer):
    daemon_threads = True
    block_on_close = False
    request_queue_size = 128

    def __init__(self, proxy: FaultProxy) -> None:
        self.proxy = proxy
        super().__init__(("127.0.0.1", 0), _Handler)

    def handle_error(self, request: object, client_address: object) -> None:
        """Say nothing: clients that give up are part of the test."""


class _Handler(BaseHTTPRequestHandler):
    protocol_version = "HTTP/1.1"
    disable_nagle_algorithm = True
    server: _Listener

    def do_GET(self) -> None:
        self._handle(b"")

    def do_POST(self) -> None:
        self._handle(self.rfile.read(int(self.headers.get("Content-Length", 0))))

    def log_message(self, format: str, *args: object) -> None:
        """Say nothing."""

    def _handle(self, body: bytes) -> None:
        proxy = self.server.proxy
        fault = proxy.next_fault(body) if body else "none"
        if fault == "drop":
            return self._drop()
        if fault in _REFUSALS:
            return self._send(_REFUSALS[fault])
        if fault == "delay":
            time.sleep(proxy.delay_s)
        headers = {name: value for name, value in self.headers.items() if name in ("Content-Type", "Authorization")}
        reply = proxy.forward(self.command, self.path, headers, body)
        if fault == "drop-late":
            return self._drop()
        if fault == "half-json":
            return self._send(Reply(status=reply.status, body=reply.body[: len(reply.body) // 2]))
        if fault == "half":
            self._send(reply, n_bytes=len(reply.body) // 2)
            return self._drop()
        # Counted before it is sent: a client that has its answer may look at once.
        proxy.deliver(body, reply)
        return self._send(reply)

    def _send(self, reply: Reply, *, n_bytes: int | None = None) -> None:
        self.send_response(reply.status)
        for name, value in reply.headers:
            self.send_header(name, value)
        self.send_header("Content-Length", str(len(reply.body)))
        self.end_headers()
        self.wfile.write(reply.body[:n_bytes])
        self.wfile.flush()

    def _drop(self) -> None:
        """Reset the connection, as a server that dies does."""
        self.close_connection = True
        self.connection.setsockopt(socket.SOL_SOCKET, socket.SO_LINGER, struct.pack("ii", 1, 0))
        self.connection.close()


_ERROR = b'{"error": {"message": "made by the fault proxy", "type": "server_error"}}'
_REFUSALS: dict[Fault, Reply] = {
    "429": Reply(status=429, body=_ERROR),
    "429-retry-after": Reply(status=429, body=_ERROR, headers=(("Content-Type", "application/json"), ("Retry-After", "1"))),
    "500": Reply(status=500, body=_ERROR),
    "503": Reply(status=503, body=_ERROR),
    "garbage": Reply(status=200, body=bytes(range(256))),
    "empty": Reply(status=200, body=b""),
    "html": Reply(status=200, body=b"<html><body>Bad gateway</body></html>", headers=(("Content-Type", "text/html"),)),
}
