"""Clients of each dialect at the relay: translated to a chat server, passed on to a server of their own kind, stopped by limits."""

import json
from pathlib import Path
from typing import Any

import httpx
import pytest

from repairlab.repairers.command.dialects.exchange import Dialect
from repairlab.repairers.command.dialects.gemini import GEMINI
from repairlab.repairers.command.settings import CommandSettings
from tests.repairers.command.dialects.test_conformance import ANSWER, ASKED, DIALECTS, HERE, TRANSLATED, request
from tests.repairers.command.test_model_relay import Relayed, relayed

ADDRESSES = {
    "chat": "/v1/chat/completions",
    "responses": "/v1/responses",
    "messages": "/v1/messages?beta=true",
    "gemini": "/v1beta/models/gemini-9:streamGenerateContent?alt=sse",
}
NATIVE = {
    "responses": ("openai", "/v1/responses", "Authorization"),
    "messages": ("anthropic", "/v1/messages", "X-Api-Key"),
    "gemini": ("gemini", "/v1/models/tiny:streamGenerateContent?alt=sse", "X-Goog-Api-Key"),
}
ERRORS: dict[str, Any] = {
    "chat": lambda data: (data["error"]["code"], data["error"]["message"]),
    "responses": lambda data: (data["error"]["code"], data["error"]["message"]),
    "messages": lambda data: (data["type"] == "error" and data["error"]["type"], data["error"]["message"]),
    "gemini": lambda data: (data["error"]["status"], data["error"]["message"]),
}
REFUSED = {"chat": 403, "responses": 403, "messages": "permission_error", "gemini": "PERMISSION_DENIED"}


def ask(here: Relayed, dialect: Dialect) -> httpx.Response:
    root = here.url.removesuffix("/v1")
    headers = {"User-Agent": "agent/1.2", "X-Api-Key": "none", "anthropic-beta": "some-beta"}
    return httpx.post(root + ADDRESSES[dialect.name], json=request(dialect), headers=headers, timeout=30, trust_env=False)


@pytest.mark.parametrize("dialect", TRANSLATED, ids=lambda dialect: str(dialect.name))
def test_a_chat_server_answers_clients_of_other_dialects(tmp_path: Path, dialect: Dialect) -> None:
    with relayed(tmp_path) as here:
        here.server.body = (HERE / "streams" / "chat.sse").read_bytes()
        came = ask(here, dialect)
    assert came.headers["content-type"] == "text/event-stream"
    answer = dialect.read_answer(came.content)
    assert (answer.text, answer.thinking, answer.calls) == (ANSWER.text, ANSWER.thinking, ANSWER.calls)
    ((path, authorization, body),) = here.server.asked
    assert (path, authorization, body["model"]) == ("/v1/chat/completions", "Bearer secret", "tiny")
    assert (here.relay.usage.tokens_in, here.relay.usage.tokens_out) == (30, 12)
    (exchange,) = here.relay.exchanges
    assert (exchange.asked, exchange.client) == (ASKED, "agent/1.2")
    assert exchange.answer
    assert exchange.answer.turn == ANSWER.turn


@pytest.mark.parametrize("dialect", TRANSLATED, ids=lambda dialect: str(dialect.name))
def test_a_server_of_the_same_dialect_gets_the_request_as_it_is(tmp_path: Path, dialect: Dialect) -> None:
    provider, address, key = NATIVE[dialect.name]
    stream = (HERE / "streams" / f"{dialect.name}.sse").read_bytes()
    with relayed(tmp_path, model=f"{provider}/tiny") as here:
        here.server.body = stream
        assert ask(here, dialect).content == stream
    ((path, _, body),) = here.server.asked
    assert path == address
    (headers,) = here.server.headers
    assert {name.lower(): value for name, value in headers.items()}[key.lower()].endswith("secret")
    assert ("anthropic-beta" in headers) == (dialect.name == "messages")
    kept = {"tools", "model"}
    assert {name: value for name, value in body.items() if name not in kept} == {
        name: value for name, value in request(dialect).items() if name not in kept
    }
    assert "earch" not in json.dumps(body)
    assert (here.relay.usage.tokens_in, here.relay.usage.tokens_out) == (30, 12)


@pytest.mark.parametrize("dialect", DIALECTS, ids=lambda dialect: str(dialect.name))
@pytest.mark.parametrize(
    "settings", [CommandSettings(request_limit=1), CommandSettings(token_limit=40), CommandSettings(cost_limit_usd=50e-6)]
)
def test_a_limit_stops_clients_of_each_dialect_with_their_error(
    tmp_path: Path, dialect: Dialect, settings: CommandSettings
) -> None:
    with relayed(tmp_path, settings) as here:
        here.server.body = (HERE / "streams" / "chat.sse").read_bytes()
        assert ask(here, dialect).status_code == 200
        came = ask(here, dialect)
    assert came.status_code == 403
    code, message = ERRORS[dialect.name](came.json())
    assert (code, message) == (REFUSED[dialect.name], f"repairlab: {here.halted[0]} reached")


@pytest.mark.parametrize("dialect", TRANSLATED, ids=lambda dialect: str(dialect.name))
def test_an_error_of_a_chat_server_comes_as_one_of_the_dialect(tmp_path: Path, dialect: Dialect) -> None:
    with relayed(tmp_path) as here:
        here.server.status, here.server.body = 429, b'{"error": {"message": "slow down"}}'
        came = ask(here, dialect)
        here.server.status, here.server.body = 200, b"{}"
        assert ask(here, dialect).status_code == 502
    assert came.status_code == 429
    assert "slow down" in ERRORS[dialect.name](came.json())[1]


@pytest.mark.parametrize(
    ("address", "field"), [("v1/messages/count_tokens", "input_tokens"), ("v1beta/models/x:countTokens", "totalTokens")]
)
def test_tokens_are_counted_without_asking(tmp_path: Path, address: str, field: str) -> None:
    with relayed(tmp_path, CommandSettings(request_limit=0)) as here:
        dialect = GEMINI if "beta" in address else TRANSLATED[1]
        came = httpx.post(f"{here.url.removesuffix('v1')}{address}", json=request(dialect), trust_env=False)
    assert came.json()[field] > 50
    assert here.server.asked == []


@pytest.mark.parametrize(
    "body", [{}, {"messages": 3}, {"messages": [{"role": "user"}]}, {"messages": [{"role": "user", "content": [3]}]}]
)
def test_a_request_of_another_form_is_refused(tmp_path: Path, body: dict[str, Any]) -> None:
    with relayed(tmp_path) as here:
        assert httpx.post(f"{here.url}/messages", json=body, trust_env=False).status_code == 400
    assert here.server.asked == []
