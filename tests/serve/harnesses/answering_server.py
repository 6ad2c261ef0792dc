"""A server of the OpenAI kind that answers by what it is asked about, the same every time: for comparing those who ask."""

import json
import threading
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from typing import Any


class AnsweringServer(ThreadingHTTPServer):
    """Answers a chat with the text whose key is in one of the user's messages."""

    daemon_threads = True

    def __init__(self, answers: Mapping[str, str]) -> None:
        self.answers = answers
        self.asked: list[list[dict[str, Any]]] = []
        """The messages of each request."""
        super().__init__(("127.0.0.1", 0), _Handler)

    @property
    def base_url(self) -> str:
        return f"http://127.0.0.1:{self.server_address[1]}/v1"

    def answer(self, messages: list[dict[str, Any]]) -> str:
        self.asked.append(messages)
        said = "\n".join(text_of(message["content"]) for message in messages if message["role"] == "user")
        return next((answer for key, answer in self.answers.items() if key in said), "I do not know.")


def text_of(content: Any) -> str:
    """Return the text of a message, which some clients send in parts."""
    return content if isinstance(content, str) else "".join(part["text"] for part in content)


class _Handler(BaseHTTPRequestHandler):
    protocol_version = "HTTP/1.1"
    server: AnsweringServer

    def do_GET(self) -> None:
        self._send({"object": "list", "data": [{"id": "scripted", "object": "model"}]})

    def do_POST(self) -> None:
        body = json.loads(self.rfile.read(int(self.headers["Content-Length"])))
        answer = self.server.answer(body["messages"])
        choice = {"message": {"role": "assistant", "content": answer}, "finish_reason": "stop"}
        choices = [{"index": number, **choice} for number in range(body.get("n") or 1)]
        usage = {"prompt_tokens": 10, "completion_tokens": 5, "total_tokens": 15}
        self._send({"id": "1", "object": "chat.completion", "created": 1, "model": "scripted", "choices": choices, "usage": usage})

    def log_message(self, format: str, *args: object) -> None:
        """Say nothing."""

    def _send(self, value: dict[str, Any]) -> None:
        content = json.dumps(value).encode()
        self.send_response(200)
        self.send_header("Content-Type", "application/json")
        self.send_header("Content-Length", str(len(content)))
        self.end_headers()
        self.wfile.write(content)


@contextmanager
def answering(answers: Mapping[str, str]) -> Iterator[AnsweringServer]:
    """Serve on loopback for as long as the block runs."""
    with AnsweringServer(answers) as server:
        thread = threading.Thread(target=server.serve_forever, kwargs={"poll_interval": 0.02}, daemon=True)
        thread.start()
        try:
            yield server
        finally:
            server.shutdown()
            thread.join()
