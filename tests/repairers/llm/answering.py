"""A server on loopback that answers as a test says: well, badly, late, by halves, or not at all."""

import contextlib
import json
import threading
import time
from collections.abc import Callable, Iterator, Sequence
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from typing import Any, Literal

from repairlab.core.record import record
from repairlab.repairers.llm.client.http import Clock


@record
class Asked:
    method: str
    path: str
    headers: dict[str, str]
    body: dict[str, Any]


@record
class Said:
    status: int = 200
    body: Any = None
    """JSON, or bytes as they are."""
    headers: tuple[tuple[str, str], ...] = ()
    delay_s: float = 0.0
    ending: Literal["whole", "half", "drop", "slow"] = "whole"


Script = Callable[[Asked], Said] | Sequence[Said]


@record
class Server:
    base_url: str
    asked: list[Asked]


@contextlib.contextmanager
def answering(script: Script) -> Iterator[Server]:
    """Run a server; a sequence is followed answer by answer, its last one stays."""
    asked: list[Asked] = []
    lock = threading.Lock()

    class Handler(BaseHTTPRequestHandler):
        protocol_version = "HTTP/1.1"
        disable_nagle_algorithm = True

        def do_GET(self) -> None:
            self._answer({})

        def do_POST(self) -> None:
            self._answer(json.loads(self.rfile.read(int(self.headers["Content-Length"]))))

        def _answer(self, body: dict[str, Any]) -> None:
            one = Asked(method=self.command, path=self.path, headers=dict(self.headers), body=body)
            with lock:
                asked.append(one)
                number = len(asked) - 1
            said = script(one) if callable(script) else script[min(number, len(script) - 1)]
            time.sleep(said.delay_s)
            with contextlib.suppress(OSError):  # the client may have gone
                self._say(said)

        def _say(self, said: Said) -> None:
            if said.ending == "drop":
                self.close_connection = True
                return
            data = said.body if isinstance(said.body, bytes) else json.dumps(said.body).encode()
            self.send_response(said.status)
            for name, value in said.headers:
                self.send_header(name, value)
            self.send_header("Content-Length", str(len(data)))
            self.end_headers()
            if said.ending == "slow":
                for start in range(len(data)):
                    self.wfile.write(data[start : start + 1])
                    time.sleep(0.02)
                return
            self.wfile.write(data[: len(data) // 2] if said.ending == "half" else data)
            self.close_connection = said.ending == "half"

        def log_message(self, format: str, *args: Any) -> None:
            pass

    class Quiet(ThreadingHTTPServer):
        daemon_threads = True

        def handle_error(self, request: Any, client_address: Any) -> None:
            pass

    server = Quiet(("127.0.0.1", 0), Handler)
    thread = threading.Thread(target=server.serve_forever, kwargs={"poll_interval": 0.01})
    thread.start()
    try:
        yield Server(base_url=f"http://127.0.0.1:{server.server_address[1]}/v1", asked=asked)
    finally:
        server.shutdown()
        server.server_close()
        thread.join()


class Hourglass:
    """Time that passes only when somebody sleeps."""

    def __init__(self) -> None:
        self.slept: list[float] = []
        self._now = 1000.0
        self._lock = threading.Lock()

    @property
    def clock(self) -> Clock:
        return Clock(now=lambda: self._now, sleep=self._sleep)

    def _sleep(self, seconds: float) -> None:
        with self._lock:
            self.slept.append(seconds)
            self._now += seconds


def chat(*texts: str, finish: str = "stop", usage: tuple[int, int] | None = (10, 5)) -> dict[str, Any]:
    """Return the body of an answer to a chat."""
    choices = [
        {"index": index, "finish_reason": finish, "message": {"role": "assistant", "content": text}}
        for index, text in enumerate(texts)
    ]
    counted = {"usage": {"prompt_tokens": usage[0], "completion_tokens": usage[1]}} if usage else {}
    return {"object": "chat.completion", "choices": choices, **counted}


def complaint(message: str, **more: Any) -> dict[str, Any]:
    """Return the body of an error."""
    return {"error": {"message": message, "type": "invalid_request_error", **more}}
