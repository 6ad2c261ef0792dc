"""The model behind a port: one server, one model, the key outside, everything counted."""

import contextlib
import http.server
import json
import socket
import threading
import time
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import httpx
import pytest

from repairlab.repairers.command.forwarding import Upstream
from repairlab.repairers.command.model_relay import ModelRelay
from repairlab.repairers.command.repairer import Usage
from repairlab.repairers.command.settings import CommandSettings
from repairlab.repairers.ledger import Ledger, read_requests
from repairlab.repairers.llm.client.providers import Key, Price, endpoint

PRICE = Price(input=1.0, output=2.0)
NO_LIMIT = CommandSettings()


class Server:
    """A server of the OpenAI kind that answers the same to everything, and remembers what it was asked."""

    def __init__(self) -> None:
        self.asked: list[tuple[str, str | None, Any]] = []
        self.headers: list[dict[str, str]] = []
        self.status, self.body = 200, json.dumps({"usage": {"prompt_tokens": 10, "completion_tokens": 5}}).encode()
        self.gate = threading.Event()
        self.gate.set()

    @contextlib.contextmanager
    def running(self) -> Iterator[str]:
        mine = self

        class Handler(http.server.BaseHTTPRequestHandler):
            def do_POST(self) -> None:
                body = json.loads(self.rfile.read(int(self.headers["Content-Length"])))
                mine.asked.append((self.path, self.headers["Authorization"], body))
                mine.headers.append(dict(self.headers))
                mine.gate.wait(30)
                self.send_response(mine.status)
                self.end_headers()
                self.wfile.write(mine.body)

            def log_message(self, format: str, *args: object) -> None:
                pass

        server = http.server.ThreadingHTTPServer(("127.0.0.1", 0), Handler)
        threading.Thread(target=server.serve_forever, args=(0.02,), daemon=True).start()
        yield f"http://127.0.0.1:{server.server_address[1]}/v1"
        server.shutdown()
        server.server_close()


class Relayed:
    """A relay in front of a server, as a program sees it."""

    def __init__(self, relay: ModelRelay, url: str, server: Server, halted: list[str], ledger: Path) -> None:
        self.relay, self.url, self.server, self.halted, self.ledger = relay, url, server, halted, ledger

    def ask(self, path: str = "chat/completions", **body: Any) -> httpx.Response:
        return httpx.post(f"{self.url}/{path}", json={"model": "another", "messages": []} | body, timeout=30, trust_env=False)

    def ask_in_vain(self) -> None:
        with contextlib.suppress(httpx.HTTPError):
            self.ask()


@contextlib.contextmanager
def relayed(
    tmp_path: Path, settings: CommandSettings = NO_LIMIT, *, limit_usd: float | None = None, model: str = "llamacpp/tiny"
) -> Iterator[Relayed]:
    server, halted, file = Server(), list[str](), tmp_path / "requests.jsonl"
    with server.running() as base_url, socket.create_server(("127.0.0.1", 0)) as listener:
        upstream = Upstream(endpoint=endpoint(model, base_url=base_url), key=Key("secret"), price=PRICE)
        relay = ModelRelay(upstream, Ledger(file, limit_usd), settings, bug_id="bug", halt=halted.append)
        url = f"http://127.0.0.1:{listener.getsockname()[1]}/v1"
        with relay.serve(listener):
            yield Relayed(relay, url, server, halted, file)


def test_a_request_goes_to_the_one_server_and_model_with_the_key_added(tmp_path: Path) -> None:
    with relayed(tmp_path) as here:
        assert here.ask(temperature=0.5).json()["usage"]["prompt_tokens"] == 10
    ((path, authorization, body),) = here.server.asked
    assert (path, authorization) == ("/v1/chat/completions", "Bearer secret")
    assert body == {"model": "tiny", "messages": [], "temperature": 0.5}


def test_what_is_asked_is_counted_and_booked(tmp_path: Path) -> None:
    with relayed(tmp_path) as here:
        here.ask()
        here.ask("embeddings")
    usage = here.relay.usage
    assert (usage.requests, usage.tokens_in, usage.tokens_out) == (2, 20, 10)
    assert usage.cost_usd == pytest.approx(40e-6)
    first, second = read_requests(here.ledger)
    assert (first.bug_id, first.model, first.kind, first.tokens_in, first.tokens_out) == ("bug", "llamacpp/tiny", "chat", 10, 5)
    assert second.kind == "embedding"
    assert second.cost_usd == pytest.approx(20e-6)


@pytest.mark.parametrize(
    ("settings", "n", "reason"),
    [
        (CommandSettings(request_limit=2), 2, "request limit"),
        (CommandSettings(token_limit=31), 3, "token limit"),
        (CommandSettings(cost_limit_usd=21e-6), 2, "cost limit"),
        (CommandSettings(request_limit=0), 0, "request limit"),
    ],
)
def test_a_limit_refuses_the_next_request_and_ends_the_program(
    tmp_path: Path, settings: CommandSettings, n: int, reason: str
) -> None:
    with relayed(tmp_path, settings) as here:
        assert [here.ask().status_code for _ in range(n)] == [200] * n
        assert here.halted == []
        answer = here.ask()
    assert answer.status_code == 403
    assert reason in answer.json()["error"]["message"]
    assert here.halted == [reason]
    assert len(here.server.asked) == here.relay.usage.requests == n


def test_what_is_under_way_counts_towards_limits(tmp_path: Path) -> None:
    """A client that gives up waiting and asks again may not ask for ever."""
    with relayed(tmp_path, CommandSettings(token_limit=50)) as here:
        here.server.gate.clear()
        long = [{"role": "user", "content": "x" * 400}]
        asker = threading.Thread(target=here.ask, kwargs={"messages": long})
        asker.start()
        while not here.server.asked:
            time.sleep(0.01)
        assert here.ask().status_code == 403
        here.server.gate.set()
        asker.join()
    assert here.halted == ["token limit"]
    assert (here.relay.usage.requests, here.relay.usage.tokens_in) == (1, 10)


def test_the_cost_limit_of_the_run_counts_too(tmp_path: Path) -> None:
    with relayed(tmp_path, limit_usd=15e-6) as here:
        assert [here.ask().status_code for _ in range(2)] == [200, 403]
    assert here.halted == ["cost limit of the run"]
    assert "its limit is $0.000015" in str(here.relay.over_budget)


@pytest.mark.parametrize("path", ["files", "fine_tuning/jobs", "../admin", "chat/completions/../../x", "%2e%2e/x"])
def test_nothing_else_can_be_asked_with_the_key(tmp_path: Path, path: str) -> None:
    with relayed(tmp_path) as here:
        with socket.create_connection(("127.0.0.1", int(here.url.split(":")[2].split("/")[0]))) as way:
            way.sendall(f"POST /v1/{path} HTTP/1.1\r\nContent-Length: 2\r\nConnection: close\r\n\r\n{{}}".encode())
            assert b" 404 " in way.makefile("rb").readline()
        assert httpx.get(f"{here.url}/files", trust_env=False).status_code == 404
    assert here.server.asked == []


def test_models_are_listed_without_asking(tmp_path: Path) -> None:
    with relayed(tmp_path) as here:
        assert [item["id"] for item in httpx.get(f"{here.url}/models", trust_env=False).json()["data"]] == ["tiny"]
    assert here.server.asked == []


def test_a_server_that_does_not_count_is_counted_for(tmp_path: Path) -> None:
    with relayed(tmp_path) as here:
        here.server.body = b"x" * 400
        here.ask(messages=[{"role": "user", "content": "y" * 400}])
    assert here.relay.usage.tokens_in > 100
    assert here.relay.usage.tokens_out == 100


def test_an_error_of_the_server_costs_nothing_and_comes_through(tmp_path: Path) -> None:
    with relayed(tmp_path) as here:
        here.server.status = 500
        assert here.ask().status_code == 500
    assert here.relay.usage == Usage(requests=1)
    assert [request.problem for request in read_requests(here.ledger)] == ["status 500"]


@pytest.mark.parametrize("sent", [b"", b"not json", b"[]", b"\xff"])
def test_nonsense_is_refused(tmp_path: Path, sent: bytes) -> None:
    with relayed(tmp_path) as here:
        assert httpx.post(f"{here.url}/chat/completions", content=sent, trust_env=False).status_code in (400, 413)
    assert here.server.asked == []


def test_an_answer_that_does_not_come_is_booked_by_its_prompt_when_the_program_has_ended(tmp_path: Path) -> None:
    with relayed(tmp_path) as here:
        here.server.gate.clear()
        asking = threading.Thread(target=here.ask_in_vain, daemon=True)
        asking.start()
        while not here.server.asked:
            time.sleep(0.01)
    here.server.gate.set()
    asking.join()
    (request,) = read_requests(here.ledger)
    assert request.problem == "the program ended before"
    assert here.relay.usage.tokens_in == request.tokens_in > 0


def test_a_stream_is_asked_to_count(tmp_path: Path) -> None:
    with relayed(tmp_path) as here:
        here.server.body = (
            b'data: {"choices": []}\n\ndata: {"usage": {"prompt_tokens": 7, "completion_tokens": 8}}\n\ndata: [DONE]\n\n'
        )
        here.ask(stream=True)
    assert here.server.asked[0][2]["stream_options"] == {"include_usage": True}
    assert (here.relay.usage.tokens_in, here.relay.usage.tokens_out) == (7, 8)


@pytest.mark.parametrize("answer", [b"", b"[]", b'{"usage": 3}', b'{"usage": {"prompt_tokens": "3"}}', b"\xff\xfe", b"data: x\n"])
def test_counts_that_are_none_are_not_believed(tmp_path: Path, answer: bytes) -> None:
    with relayed(tmp_path) as here:
        here.server.body = answer
        here.ask(messages=[{"role": "user", "content": "y" * 400}])
    assert here.relay.usage.tokens_in > 100
    assert here.relay.usage.tokens_out == len(answer) // 4
