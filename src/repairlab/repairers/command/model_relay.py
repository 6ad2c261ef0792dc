"""The model that a program in a sandbox may ask, behind a port of its own: key, price and limits stay outside.

The program talks plain HTTP to its loopback. Requests go to one server and one model; the key is added here, so that the program
never holds it.
"""

import contextlib
import http.server
import json
import socket
import threading
import time
from collections.abc import Callable, Iterator
from dataclasses import replace
from typing import Any

import httpx

from repairlab.core.amounts import total_cost
from repairlab.core.errors import UserError
from repairlab.core.model import Access
from repairlab.core.record import digest, record
from repairlab.repairers.command.repairer import Usage
from repairlab.repairers.command.settings import CommandSettings
from repairlab.repairers.ledger import Kind, Ledger, Request
from repairlab.repairers.llm.client.open import price_of
from repairlab.repairers.llm.client.providers import Endpoint, Key, Price, cost_of, endpoint, is_loopback, key_of
from repairlab.repairers.repairer import OverBudget

PREFIX = "/v1/"
_KINDS: dict[str, Kind] = {
    "chat/completions": "chat",
    "responses": "chat",
    "completions": "completion",
    "infill": "infill",
    "embeddings": "embedding",
}
"""What a program may ask for; with the key, a server would do much else."""
_LARGEST_REQUEST = 64 * 1024 * 1024
_CHARACTERS_PER_TOKEN = 4
_OK = 200
_GRACE_S = 2.0
"""How long an answer under way is waited for once the program has ended."""


@record
class Upstream:
    """The server behind a relay."""

    endpoint: Endpoint
    key: Key | None
    price: Price | None = None
    timeout_s: float = 300.0


@record
class Allowance:
    """What one start may ask; a request that begins within it may end beyond it."""

    requests: int | None = None
    tokens: int | None = None
    cost_usd: float | None = None

    def exceeded_by(self, usage: Usage) -> str:
        """Return which limit is reached; nothing when none is.

        >>> Allowance(tokens=10).exceeded_by(Usage(requests=1, tokens_in=6, tokens_out=4))
        'token limit'
        """
        if self.requests is not None and usage.requests >= self.requests:
            return "request limit"
        if self.tokens is not None and usage.tokens_in + usage.tokens_out >= self.tokens:
            return "token limit"
        if self.cost_usd is not None and (usage.cost_usd is None or usage.cost_usd >= self.cost_usd):
            return "cost limit"
        return ""


class ModelRelay:
    """Answers requests of one start; `usage` is what they came to, and `over_budget` says when the whole run may ask no more."""

    def __init__(
        self, upstream: Upstream, ledger: Ledger, allowance: Allowance, *, bug_id: str, halt: Callable[[str], None]
    ) -> None:
        """Take who is asked, where it is booked, and what ends the program when it has asked enough."""
        self._upstream, self._ledger, self._allowance = upstream, ledger, allowance
        self._bug_id, self._halt = bug_id, halt
        self._lock = threading.Lock()
        self._under_way: dict[int, Request] = {}
        """What to book for requests that nobody waits for any more, by thread."""
        self._is_closed = False
        self.usage = Usage()
        self.over_budget: OverBudget | None = None

    @contextlib.contextmanager
    def serve(self, listener: socket.socket) -> Iterator[None]:
        """Answer at a listening socket until the block ends; one under way that does not come soon is booked by its prompt."""
        server = _Server(listener, self._answer)
        thread = threading.Thread(target=server.serve_forever, args=(0.05,), daemon=True)
        thread.start()
        try:
            yield
        finally:
            server.shutdown()
            thread.join()
            server.server_close()
            self._close()

    def _close(self) -> None:
        deadline = time.monotonic() + _GRACE_S
        while self._under_way and time.monotonic() < deadline:
            time.sleep(0.02)
        with self._lock:
            self._is_closed = True
            for request in self._under_way.values():
                self._book(request)

    def _answer(self, path: str, body: bytes | None) -> "_Reply":
        if body is None:
            listed = {"object": "list", "data": [{"id": self._upstream.endpoint.model, "object": "model"}]}
            return _reply(_OK, listed) if path == "models" else _refusal(404, f"no {path} here")
        if path not in _KINDS:
            return _refusal(404, f"no {path} here; known: {', '.join(_KINDS)}")
        try:
            asked = json.loads(body)
        except ValueError:
            asked = None
        if not isinstance(asked, dict):
            return _refusal(400, "the request is no JSON object")
        if refusal := self._begin():
            return _refusal(403, refusal)
        asked["model"] = self._upstream.endpoint.model
        if asked.get("stream"):
            asked["stream_options"] = {"include_usage": True}
        return self._ask(path, asked)

    def _begin(self) -> str:
        """Count a request, or return why it may not be made and end the program."""
        with self._lock:
            reason = self._allowance.exceeded_by(self.usage)
            if not reason:
                try:
                    self._ledger.check()
                except OverBudget as error:
                    self.over_budget, reason = error, "cost limit of the run"
            if not reason:
                self._add(Usage(requests=1))
                return ""
        self._halt(reason)
        return f"{reason} reached"

    def _ask(self, path: str, asked: dict[str, Any]) -> "_Reply":
        key, upstream = self._upstream.key, self._upstream
        headers = {"Authorization": f"Bearer {key.reveal()}"} if key else {}
        begun = time.monotonic()
        request = Request(bug_id=self._bug_id, model=upstream.endpoint.name, kind=_KINDS[path], prompt=digest(asked))
        tokens_in = len(json.dumps(asked)) // _CHARACTERS_PER_TOKEN
        with self._lock:
            self._under_way[threading.get_ident()] = replace(
                request, tokens_in=tokens_in, cost_usd=cost_of(upstream.price, tokens_in, 0), problem="the program ended before"
            )
        try:
            base_url = upstream.endpoint.base_url
            trust_env, verify = not is_loopback(base_url), base_url.startswith("https:")
            with httpx.Client(timeout=upstream.timeout_s, trust_env=trust_env, verify=verify) as client:
                answer = client.post(f"{base_url}/{path}", json=asked, headers=headers)
        except httpx.HTTPError as error:
            request = replace(request, problem=f"the model's server does not answer: {type(error).__name__}")
            reply = _refusal(502, request.problem or "")
        else:
            kind = answer.headers.get("content-type", "application/json")
            reply = _Reply(status=answer.status_code, kind=kind, body=answer.content)
            request = self._counted(request, tokens_in, answer)
        with self._lock:
            if not self._is_closed:
                del self._under_way[threading.get_ident()]
                self._book(replace(request, seconds=time.monotonic() - begun))
        return reply

    def _counted(self, request: Request, tokens_in: int, answer: httpx.Response) -> Request:
        if answer.status_code != _OK:
            return replace(request, problem=f"status {answer.status_code}")
        # A server that does not count: what it got and gave is taken at four characters a token.
        tokens_in, tokens_out = count_tokens(answer.content) or (tokens_in, len(answer.content) // _CHARACTERS_PER_TOKEN)
        cost_usd = cost_of(self._upstream.price, tokens_in, tokens_out)
        return replace(request, n=1, tokens_in=tokens_in, tokens_out=tokens_out, cost_usd=cost_usd)

    def _book(self, request: Request) -> None:
        self._add(Usage(tokens_in=request.tokens_in, tokens_out=request.tokens_out, cost_usd=request.cost_usd))
        self._ledger.add(request)

    def _add(self, more: Usage) -> None:
        known = self.usage
        self.usage = Usage(
            requests=known.requests + more.requests,
            tokens_in=known.tokens_in + more.tokens_in,
            tokens_out=known.tokens_out + more.tokens_out,
            cost_usd=total_cost((known.cost_usd, more.cost_usd)),
        )


def count_tokens(answer: bytes) -> tuple[int, int] | None:
    r"""Return the tokens of prompt and answer that a server says it counted, whole or as a stream; none when it says nothing.

    >>> count_tokens(b'{"usage": {"prompt_tokens": 3, "completion_tokens": 4}}')
    (3, 4)
    >>> count_tokens(b'{"usage": {"total_tokens": 7}}')
    >>> count_tokens(b'data: {"usage": null}\n\ndata: {"usage": {"input_tokens": 1, "output_tokens": 2}}\n\ndata: [DONE]\n')
    (1, 2)
    """
    texts = [line[6:] for line in answer.split(b"\n") if line.startswith(b"data: ")] or [answer]
    for text in reversed(texts):
        try:
            data = json.loads(text)
        except ValueError:
            continue
        usage = (data.get("usage") or (data.get("response") or {}).get("usage")) if isinstance(data, dict) else None
        if isinstance(usage, dict) and any(usage.get(f"{name}_tokens") for name in _WORDS[0]):
            tokens_in, tokens_out = (usage.get(f"{old}_tokens", usage.get(f"{new}_tokens", 0)) for old, new in _WORDS)
            if isinstance(tokens_in, int) and isinstance(tokens_out, int) and min(tokens_in, tokens_out) >= 0:
                return tokens_in, tokens_out
    return None


_WORDS = (("prompt", "input"), ("completion", "output"))


@record
class _Reply:
    status: int
    kind: str
    body: bytes


def _reply(status: int, data: Any) -> _Reply:
    return _Reply(status=status, kind="application/json", body=json.dumps(data).encode())


def _refusal(status: int, message: str) -> _Reply:
    return _reply(status, {"error": {"message": f"repairlab: {message}", "type": "refused", "code": status}})


class _Server(http.server.ThreadingHTTPServer):
    """Takes connections at a socket that is there already."""

    daemon_threads = True
    block_on_close = False

    def __init__(self, listener: socket.socket, answer: Callable[[str, bytes | None], _Reply]) -> None:
        super().__init__(("", 0), _Handler, bind_and_activate=False)
        self.socket.close()
        self.socket = listener
        self.answer = answer

    def handle_error(self, request: Any, client_address: Any) -> None:
        """Say nothing: a program that hangs up, or talks nonsense, is nobody's error."""


class _Handler(http.server.BaseHTTPRequestHandler):
    protocol_version = "HTTP/1.1"
    server: _Server

    def do_GET(self) -> None:  # the library's name
        """Answer what needs no model."""
        self._send(self.server.answer(self._asked(), None))

    def do_POST(self) -> None:  # the library's name
        """Pass a request on."""
        size = self.headers.get("Content-Length", "")
        if not size.isascii() or not size.isdigit() or int(size) > _LARGEST_REQUEST:
            self.close_connection = True
            self._send(_refusal(413, "a request needs a Content-Length, and not too large a one"))
            return
        self._send(self.server.answer(self._asked(), self.rfile.read(int(size))))

    def log_message(self, format: str, *args: Any) -> None:  # the library's name
        """Say nothing."""

    def _asked(self) -> str:
        return self.path.removeprefix(PREFIX).partition("?")[0] if self.path.startswith(PREFIX) else self.path

    def _send(self, reply: _Reply) -> None:
        self.send_response(reply.status)
        self.send_header("Content-Type", reply.kind)
        self.send_header("Content-Length", str(len(reply.body)))
        self.end_headers()
        self.wfile.write(reply.body)


def open_upstream(settings: CommandSettings, access: Access) -> Upstream | None:
    """Return the model's server; UserError when it cannot work: unknown provider, no key, no price under a cost limit."""
    access.check()
    if settings.model is None:
        if access.cost_limit_usd is not None:
            raise UserError("--cost-limit counts what is asked of a model, and none is named: add --model PROVIDER/NAME")
        return None
    place = endpoint(settings.model, base_url=settings.base_url)
    price = price_of(place, access, is_limited=settings.cost_limit_usd is not None)
    return Upstream(endpoint=place, key=key_of(place), price=price, timeout_s=access.timeout_s)
