"""How an agent's request reaches the model's server, and how the answer comes back: in its own dialect or translated."""

import json
from collections.abc import Mapping
from dataclasses import replace

import httpx

from repairlab.core.record import digest, record
from repairlab.repairers.command.dialects.chat import CHAT, write_request
from repairlab.repairers.command.dialects.exchange import Data, Dialect, ModelAnswer, ModelRequest, without_links
from repairlab.repairers.command.dialects.routes import Route, native_url
from repairlab.repairers.command.relay_server import OK, RelayReply, refusal, reply
from repairlab.repairers.llm.client.providers import PROVIDERS, Endpoint, Key, Price

NONSENSE = (ValueError, TypeError, KeyError, AttributeError, RecursionError)
"""What reading raises if a request or an answer does not have its dialect's form."""
_PASSED = ("anthropic-version", "anthropic-beta")
"""Headers that decide how a server reads a request."""


@record
class Upstream:
    """The server behind a relay."""

    endpoint: Endpoint
    key: Key | None
    price: Price | None = None
    timeout_s: float = 300.0


@record
class RelayQuestion:
    """A program's request."""

    route: Route
    body: Data
    headers: Mapping[str, str]
    asked: ModelRequest | None = None
    """The same without a dialect; None for requests that are passed on unchanged."""

    @property
    def streams(self) -> bool:
        """Return whether the answer should be streamed."""
        return self.route.streams or bool(self.body.get("stream"))


@record
class Outgoing:
    """The request to the model's server."""

    url: str
    dialect: Dialect
    headers: Mapping[str, str]
    body: Data


def read_question(route: Route, headers: Mapping[str, str], body: bytes) -> RelayQuestion:
    """Read a program's request; raises one of NONSENSE."""
    data = json.loads(body)
    if not isinstance(data, dict):
        raise TypeError("it is no JSON object")
    if route.dialect is None:
        return RelayQuestion(route=route, body=data, headers=headers)
    asked = route.dialect.read_request(data)
    return RelayQuestion(route=route, body=without_links(route.dialect.local(data)), headers=headers, asked=asked)


def outgoing(question: RelayQuestion, upstream: Upstream) -> Outgoing:
    """Return the request for the server: in the original dialect if the server speaks it, else as a chat."""
    place, route, body = upstream.endpoint, question.route, dict(question.body)
    dialect = route.dialect or CHAT
    is_native = dialect is CHAT or PROVIDERS[place.provider].dialect == dialect.name
    if not is_native and question.asked:
        limit_name = "max_completion_tokens" if place.provider == "openai" else "max_tokens"
        url, dialect = f"{place.base_url}/chat/completions", CHAT
        body = write_request(question.asked, place.model, limit_name=limit_name)
    else:
        url = native_url(route, place.base_url, place.model)
        if dialect.name != "gemini":
            body["model"] = place.model
        if dialect is CHAT and body.get("stream"):
            body["stream_options"] = {"include_usage": True}
    headers = dialect.key_headers(upstream.key.reveal()) if upstream.key else {}
    passed = {name: question.headers[name] for name in _PASSED if name in question.headers and dialect.name == "messages"}
    return Outgoing(url=url, dialect=dialect, headers=headers | passed, body=body)


def received(came: httpx.Response, sent: Outgoing, question: RelayQuestion, model: str) -> tuple[ModelAnswer | None, RelayReply]:
    """Return a server's answer, and what the program gets of it."""
    asked, dialect = question.asked, question.route.dialect
    kind = came.headers.get("content-type", "application/json")
    answer = _answer(came, sent.dialect)
    if asked is None or dialect is sent.dialect or dialect is None or not (dialect.write_answer and dialect.write_stream):
        return answer, RelayReply(status=came.status_code, kind=kind, body=came.content)
    if came.status_code != OK:
        return None, refusal(came.status_code, f"the model's server says: {came.text[:2000]}", dialect)
    if answer is None or not (answer.text or answer.thinking or answer.calls or answer.tokens_out):
        return answer, refusal(502, "the answer of the model's server makes no sense", dialect)
    answer = _identified(answer, sent)
    if question.streams:
        return answer, RelayReply(status=OK, kind="text/event-stream", body=dialect.write_stream(answer, asked, model))
    return answer, reply(OK, dialect.write_answer(answer, asked, model))


def _answer(came: httpx.Response, dialect: Dialect) -> ModelAnswer | None:
    if came.status_code != OK:
        return None
    try:
        return dialect.read_answer(came.content)
    except NONSENSE:
        return None


def _identified(answer: ModelAnswer, sent: Outgoing) -> ModelAnswer:
    """Return an answer with names for itself and its calls."""
    ident = digest(sent.body, answer)
    calls = tuple(call if call.id else replace(call, id=f"call_{ident}_{place}") for place, call in enumerate(answer.calls))
    return replace(answer, id=ident, calls=calls)
