"""The model that a program in a sandbox may use, behind its own port: key, price and limits stay outside.

The program talks plain HTTP to its loopback. Requests go to one server and one model; the key is added here, so that the program
never holds it.
"""

import contextlib
import datetime
import functools
import json
import math
import socket
import threading
import time
from collections.abc import Callable, Iterator
from dataclasses import replace

import httpx

from repairlab.core.amounts import total_cost
from repairlab.core.errors import UserError
from repairlab.core.model import Access
from repairlab.core.record import digest
from repairlab.repairers.command.dialects.chat import CHAT
from repairlab.repairers.command.dialects.exchange import ModelAnswer
from repairlab.repairers.command.dialects.routes import route_of
from repairlab.repairers.command.forwarding import NONSENSE, RelayQuestion, Upstream, outgoing, read_question, received
from repairlab.repairers.command.relay_server import OK, Incoming, RelayReply, Server, refusal, reply
from repairlab.repairers.command.repairer import Usage
from repairlab.repairers.command.settings import CommandSettings
from repairlab.repairers.command.trajectory import Exchange
from repairlab.repairers.ledger import Ledger, Request
from repairlab.repairers.llm.client.open import price_of
from repairlab.repairers.llm.client.providers import cost_of, endpoint, is_loopback, key_of
from repairlab.repairers.repairer import OverBudget

_CHARACTERS_PER_TOKEN = 4
_GRACE_S = 2.0
"""How long to wait for an answer under way once the program has ended."""


def reached_limit(usage: Usage, settings: CommandSettings) -> str:
    """Return which limit of a start is reached, nothing when none is; a request that begins within it may end beyond it.

    >>> reached_limit(Usage(requests=1, tokens_in=6, tokens_out=4), CommandSettings(token_limit=10))
    'token limit'
    """
    cost_usd = math.inf if usage.cost_usd is None else usage.cost_usd
    kinds = (
        ("request", usage.requests, settings.request_limit),
        ("token", usage.tokens_in + usage.tokens_out, settings.token_limit),
        ("cost", cost_usd, settings.cost_limit_usd),
    )
    return next((f"{kind} limit" for kind, used, limit in kinds if limit is not None and used >= limit), "")


class ModelRelay:
    """Answers requests of one start; `usage` is their sum, and `over_budget` says when the whole run may ask no more."""

    def __init__(
        self, upstream: Upstream, ledger: Ledger, settings: CommandSettings, *, bug_id: str, halt: Callable[[str], None]
    ) -> None:
        """Take the server, the ledger, the limits, and what ends the program when it has asked enough."""
        self._upstream, self._ledger, self._settings = upstream, ledger, settings
        self._bug_id, self._halt = bug_id, halt
        self._lock = threading.Lock()
        self._under_way: dict[int, Request] = {}
        """What to book for abandoned requests, by thread."""
        self._is_closed = False
        self.usage = Usage()
        self.exchanges: list[Exchange] = []
        self.over_budget: OverBudget | None = None

    @contextlib.contextmanager
    def serve(self, listener: socket.socket) -> Iterator[None]:
        """Answer at a listening socket until the block ends; a late answer is booked by its prompt."""
        server = Server(listener, self._answer)
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

    def _answer(self, asked: Incoming) -> RelayReply:
        if asked.body is None:
            models = [{"id": self._upstream.endpoint.model, "object": "model"}]
            is_list = asked.address.partition("?")[0] in ("/v1/models", "/models")
            return reply(OK, {"object": "list", "data": models}) if is_list else refusal(404, f"no {asked.address} here")
        route = route_of(asked.address)
        if route is None:
            return refusal(404, f"no {asked.address} here; known: chat/completions, responses, messages, generateContent")
        dialect = route.dialect or CHAT
        try:
            question = read_question(route, asked.headers, asked.body)
        except NONSENSE as error:
            return refusal(400, f"the request makes no sense: {error}", dialect)
        if route.only_counts:
            tokens = len(asked.body) // _CHARACTERS_PER_TOKEN
            return reply(OK, {"input_tokens": tokens, "totalTokens": tokens})
        if problem := self._begin():
            return refusal(403, problem, dialect)
        return self._ask(question)

    def _begin(self) -> str:
        """Count a request, or return why it may not be made and end the program."""
        with self._lock:
            # Requests under way count, too: a client that gives up waiting may repeat the same one endlessly.
            reason = reached_limit(functools.reduce(_with, self._under_way.values(), self.usage), self._settings)
            if not reason:
                try:
                    self._ledger.check()
                except OverBudget as error:
                    self.over_budget, reason = error, "cost limit of the run"
            if not reason:
                self.usage = replace(self.usage, requests=self.usage.requests + 1)
                return ""
        self._halt(reason)
        return f"{reason} reached"

    def _ask(self, question: RelayQuestion) -> RelayReply:
        upstream, dialect = self._upstream, question.route.dialect or CHAT
        sent = outgoing(question, upstream)
        begun, at = time.monotonic(), datetime.datetime.now(datetime.UTC).isoformat(timespec="milliseconds")
        request = Request(bug_id=self._bug_id, model=upstream.endpoint.name, kind=question.route.kind, prompt=digest(sent.body))
        tokens_in = len(json.dumps(sent.body)) // _CHARACTERS_PER_TOKEN
        with self._lock:
            self._under_way[threading.get_ident()] = replace(
                request, tokens_in=tokens_in, cost_usd=cost_of(upstream.price, tokens_in, 0), problem="the program ended before"
            )
        answer = None
        try:
            trust_env, verify = not is_loopback(sent.url), sent.url.startswith("https:")
            with httpx.Client(timeout=upstream.timeout_s, trust_env=trust_env, verify=verify) as client:
                came = client.post(sent.url, json=sent.body, headers=sent.headers)
        except httpx.HTTPError as error:
            request = replace(request, problem=f"the model's server does not answer: {type(error).__name__}")
            back = refusal(502, request.problem or "", dialect)
        else:
            answer, back = received(came, sent, question, upstream.endpoint.model)
            request = self._counted(request, tokens_in, came, answer)
        seconds = time.monotonic() - begun
        with self._lock:
            if not self._is_closed:
                del self._under_way[threading.get_ident()]
                self._book(replace(request, seconds=seconds))
                if asked := question.asked:
                    agent, cost_usd = question.headers.get("user-agent", ""), request.cost_usd
                    exchange = Exchange(asked=asked, answer=answer, client=agent, at=at, seconds=seconds, cost_usd=cost_usd)
                    self.exchanges.append(exchange)
        return back

    def _counted(self, request: Request, tokens_in: int, came: httpx.Response, answer: ModelAnswer | None) -> Request:
        if came.status_code != OK:
            return replace(request, problem=f"status {came.status_code}")
        tokens_out = len(came.content) // _CHARACTERS_PER_TOKEN
        # A server that does not count: its input and output are estimated at four characters a token.
        if answer and (answer.tokens_in or answer.tokens_out):
            tokens_in, tokens_out = answer.tokens_in or 0, answer.tokens_out or 0
        cost_usd = cost_of(self._upstream.price, tokens_in, tokens_out)
        return replace(request, n=1, tokens_in=tokens_in, tokens_out=tokens_out, cost_usd=cost_usd)

    def _book(self, request: Request) -> None:
        self.usage = _with(self.usage, request)
        self._ledger.add(request)


def _with(known: Usage, request: Request) -> Usage:
    return replace(
        known,
        tokens_in=known.tokens_in + request.tokens_in,
        tokens_out=known.tokens_out + request.tokens_out,
        cost_usd=total_cost((known.cost_usd, request.cost_usd)),
    )


def open_upstream(settings: CommandSettings, access: Access) -> Upstream | None:
    """Return the model's server; UserError if it cannot work: unknown provider, no key, no price under a cost limit."""
    access.check()
    if settings.model is None:
        if access.cost_limit_usd is not None:
            raise UserError("--cost-limit counts what is asked of a model, and none is named: add --model PROVIDER/NAME")
        return None
    place = endpoint(settings.model, base_url=settings.base_url)
    price = price_of(place, access, is_limited=settings.cost_limit_usd is not None)
    return Upstream(endpoint=place, key=key_of(place), price=price, timeout_s=access.timeout_s)
