"""The connection to a server: JSON in, JSON out, retried when that can help.

One client serves all threads of a process: they share its connections, its limit of concurrent requests and its rate.
"""

import contextlib
import json
import random
import re
import socket
import threading
import time
import weakref
from collections.abc import Callable
from email.utils import parsedate_to_datetime
from typing import Any, Generic, NamedTuple, TypeVar

import httpx

from repairlab.core.errors import UserError, unknown
from repairlab.core.model import Access
from repairlab.core.record import record
from repairlab.repairers.llm.client.complaints import Refusal, redact, refusal
from repairlab.repairers.llm.client.model import Unanswerable
from repairlab.repairers.llm.client.providers import Endpoint, Key, is_loopback
from repairlab.repairers.repairer import Unreachable

T = TypeVar("T")

LONGEST_WAIT_S = 300.0
"""Longest wait that a server can impose on us before we retry."""
_FIRST_PAUSE_S = 0.5
_LONGEST_PAUSE_S = 60.0
_CONNECT_S = 10.0
_LARGEST_ANSWER = 64 * 1024 * 1024
_SHORTEST_SECRET = 12
"""Shorter keys are not secrets but words such as `EMPTY`, which may occur in an answer."""
_RETRIES_OF_THE_FIRST = 2
"""How often a server that never answered is retried while nothing listens there."""


class HttpReply(NamedTuple, Generic[T]):
    """A reply and its duration."""

    value: T
    seconds: float
    """How long the last request took."""
    retries: int


class Rejected(UserError):  # noqa: N818  # like Unanswerable, a fact told to whoever asked
    """The server refuses a request as it is, but may accept another form."""

    def __init__(self, message: str, words: str) -> None:
        super().__init__(message)
        self.words = words
        """All that the server said; not to be shown."""


class _Again(Exception):  # noqa: N818  # no error yet
    """A request failed in a way that may pass."""

    def __init__(self, reason: str, *, wait_s: float | None = None, is_absent: bool = False) -> None:
        super().__init__(reason)
        self.wait_s = wait_s
        self.is_absent = is_absent


@record
class Clock:
    """The source of time; tests have their own."""

    now: Callable[[], float] = time.monotonic
    sleep: Callable[[float], object] | None = None
    """False if a sleep ends because the client is closed."""


class Client:
    """A server, its key, and the rules for asking it."""

    def __init__(self, endpoint: Endpoint, access: Access, *, key: Key | None = None, clock: Clock | None = None) -> None:
        """Prepare; nothing is connected before the first request."""
        self.endpoint = endpoint
        self._access = access
        self._key = key
        self._clock = clock or Clock()
        self._closed = threading.Event()
        self._under_way = threading.BoundedSemaphore(max(access.concurrency, 1))
        self._rate = _Rate(access.requests_per_minute, self._clock.now)
        self._has_answered = False
        self._sockets: weakref.WeakSet[socket.socket] = weakref.WeakSet()
        self._sockets_lock = threading.Lock()
        self._http = httpx.Client(
            headers={"User-Agent": "repairlab", **({"Authorization": f"Bearer {key.reveal()}"} if key else {})},
            timeout=httpx.Timeout(access.timeout_s, connect=min(_CONNECT_S, access.timeout_s), pool=None),
            limits=httpx.Limits(max_connections=access.concurrency, max_keepalive_connections=access.concurrency),
            trust_env=not is_loopback(endpoint.base_url),
            verify=endpoint.base_url.startswith("https:"),  # loading certificates takes time and is useless without encryption
        )

    def close(self) -> None:
        """Close: whoever waits for an answer or a retry is told at once."""
        self._closed.set()
        with self._sockets_lock:
            for line in self._sockets:
                with contextlib.suppress(OSError):  # closed already
                    socket.socket.shutdown(line, socket.SHUT_RDWR)  # unlike closing, this wakes readers
        self._http.close()

    def post(self, path: str, payload: dict[str, Any], read: Callable[[dict[str, Any]], T]) -> HttpReply[T]:
        """Send JSON and return what `read` makes of the answer; a ValueError of `read` means that the answer is nonsense."""
        return self._ask("POST", path, payload, read)

    def get(self, path: str, read: Callable[[dict[str, Any]], T]) -> HttpReply[T]:
        """Fetch JSON."""
        return self._ask("GET", path, None, read)

    def models(self) -> list[dict[str, Any]]:
        """Fetch the server's description of its models."""
        return self.get("/models", _models_of).value

    def without_key(self, text: str) -> str:
        """Remove a key that an answer repeats; the rest of it stays unchanged."""
        key = self._key.reveal() if self._key else ""
        return text.replace(key, "***") if len(key) >= _SHORTEST_SECRET else text

    def redact(self, text: str) -> str:
        """Take the key out of a text."""
        return redact(text, self._key.reveal() if self._key else None)

    def _ask(self, method: str, path: str, payload: dict[str, Any] | None, read: Callable[[dict[str, Any]], T]) -> HttpReply[T]:
        retries = 0
        while True:
            try:
                started = self._clock.now()
                value = self._once(method, path, payload, read)
                return HttpReply(value=value, seconds=self._clock.now() - started, retries=retries)
            except _Again as failure:
                absent = failure.is_absent and not self._has_answered
                if retries >= (min(self._access.retries, _RETRIES_OF_THE_FIRST) if absent else self._access.retries):
                    raise self._unreachable(failure, retries) from None
                self._pause(failure, retries)
                retries += 1

    def _pause(self, failure: _Again, retries: int) -> None:
        if failure.wait_s is not None:
            wait_s = min(failure.wait_s, LONGEST_WAIT_S)
            self._rate.hold(wait_s)  # the others need not be told, too
        else:
            wait_s = min(_FIRST_PAUSE_S * 2**retries, _LONGEST_PAUSE_S) * random.uniform(0.5, 1.0)
        self._sleep(wait_s)

    def _sleep(self, seconds: float) -> None:
        if seconds > 0:
            (self._clock.sleep or self._closed.wait)(seconds)
        if self._closed.is_set():
            raise Unreachable(f"{self.endpoint.base_url} was not asked again: the run is being stopped")

    def _once(self, method: str, path: str, payload: dict[str, Any] | None, read: Callable[[dict[str, Any]], T]) -> T:
        self._sleep(self._rate.wait())
        with self._under_way:
            status, headers, body = self._send(method, path, payload)
        self._has_answered = True
        if status >= 300:
            raise self._meant(refusal(status, body), path, headers, payload)
        try:
            data = json.loads(body)
        except ValueError:
            raise _Again(f"its answer is no JSON ({len(body)} bytes)") from None
        error = data.get("error") if isinstance(data, dict) else None
        if error and not data.get("choices"):  # some gateways send their errors with status 200
            code = error.get("code") if isinstance(error, dict) else None
            raise self._meant(refusal(code if isinstance(code, int) and code >= 400 else 500, body), path, headers, payload)
        try:
            if not isinstance(data, dict):
                raise ValueError("no object")
            return read(data)
        except (ValueError, TypeError, KeyError, AttributeError, IndexError) as nonsense:
            raise _Again(self.redact(f"its answer makes no sense ({type(nonsense).__name__}: {nonsense})"[:200])) from None

    def _send(self, method: str, path: str, payload: dict[str, Any] | None) -> tuple[int, httpx.Headers, bytes]:
        """Send one request and return status, headers and body; the time limit covers all of it."""
        started = self._clock.now()
        body = bytearray()
        content = json.dumps(payload).encode() if payload is not None else None
        headers = {"Content-Type": "application/json"} if content is not None else {}
        watch = {"trace": self._watch}
        try:
            with self._http.stream(method, self._url(path), content=content, headers=headers, extensions=watch) as response:
                for chunk in response.iter_bytes():
                    body += chunk
                    if len(body) > _LARGEST_ANSWER:
                        raise _Again(f"its answer has more than {_LARGEST_ANSWER} bytes")
                    if self._clock.now() - started > self._access.timeout_s:
                        raise _Again(f"it did not finish its answer within {self._access.timeout_s:g} s")
                return response.status_code, response.headers, self._without_key(bytes(body))
        except httpx.ConnectTimeout:
            raise _Again("no connection within the time limit", is_absent=True) from None
        except httpx.TimeoutException:
            raise _Again(f"no answer within {self._access.timeout_s:g} s") from None
        except httpx.ConnectError as error:
            raise _Again(self.redact(f"no connection: {error}"), is_absent=True) from None
        except httpx.RequestError as error:
            raise _Again(self.redact(f"connection lost: {error or type(error).__name__}")) from None
        except RuntimeError:
            if not self._closed.is_set():
                raise
            raise Unreachable(f"{self.endpoint.base_url} was not asked: the run is being stopped") from None

    def _watch(self, event: str, info: dict[str, Any]) -> None:
        """Remember opened sockets, to be able to end them."""
        if event in ("connection.connect_tcp.complete", "connection.start_tls.complete"):
            with self._sockets_lock:
                self._sockets.add(info["return_value"].get_extra_info("socket"))

    def _without_key(self, body: bytes) -> bytes:
        """Remove a key that the server repeats before anything else sees it."""
        key = self._key.reveal().encode() if self._key else b""
        return body.replace(key, b"***") if len(key) >= _SHORTEST_SECRET else body

    def _url(self, path: str) -> str:
        """Return a whole address; a path is below the base URL, unless it is one already."""
        return f"{self.endpoint.base_url}{path}" if path.startswith("/") else path

    def _meant(self, said: Refusal, path: str, headers: httpx.Headers, payload: dict[str, Any] | None) -> Exception:
        """Turn a server's reply into the matching error."""
        words = f"{self._url(path)} answers HTTP {said.status}: {self.redact(said.message)}"
        place = self.endpoint
        match said.meaning:
            case "again":
                return _Again(f"HTTP {said.status}: {self.redact(said.message)}", wait_s=_retry_after(headers))
            case "no_key" if self._key:
                return UserError(f"{words}. The key in ${place.key_variable} is not accepted for {place.name!r}; check it")
            case "no_key":
                return UserError(f"{words}. Set a key with: export {place.key_variable}=…")
            case "no_money":
                return UserError(f"{words}. Nothing is left to pay with; top up the account, then go on with --resume")
            case "too_long":
                return Unanswerable(f"too long for the context of {place.name}: {self.redact(said.message)}")
            case "withheld":
                return Unanswerable(f"refused by the rules of the server: {self.redact(said.message)}")
            case "no_model" if payload is not None:
                return self._unknown_model(said, words)
            case _:
                return Rejected(words, self.redact(said.whole))

    def _unknown_model(self, said: Refusal, words: str) -> Exception:
        """Ask the server for its models, to say what was possible."""
        try:
            names = [str(model.get("id")) for model in self.models()]
        except (UserError, Unreachable):
            names = []
        if names and self.endpoint.model not in names:
            return UserError(f"{unknown('model', self.endpoint.model, names)} So says {self.endpoint.base_url}")
        if said.status == 404:
            return Rejected(
                f"{words}. Is the address right? It usually ends in /v1; give it with --base-url", self.redact(said.whole)
            )
        return Rejected(words, self.redact(said.whole))

    def _unreachable(self, failure: _Again, retries: int) -> Unreachable:
        tries = "once" if retries == 0 else f"{retries + 1} times"
        hint = "Is the server running, and is its address right (--base-url)?" if failure.is_absent else "Try again later"
        return Unreachable(f"{self.endpoint.base_url} was asked {tries} without an answer; last: {failure}. {hint}")


class _Rate:
    """Spaces requests evenly, and delays all of them when the server asks for it."""

    def __init__(self, per_minute: float | None, now: Callable[[], float]) -> None:
        self._interval = 60.0 / per_minute if per_minute else 0.0
        self._now = now
        self._next = 0.0
        self._lock = threading.Lock()

    def wait(self) -> float:
        """Take the next place and return how long it is until then."""
        with self._lock:
            now = self._now()
            start = max(now, self._next)
            self._next = start + self._interval
            return start - now

    def hold(self, seconds: float) -> None:
        """Block all requests for some time."""
        with self._lock:
            self._next = max(self._next, self._now() + seconds)


def _retry_after(headers: httpx.Headers) -> float | None:
    """Read how long to wait, given in seconds or as a date."""
    text = headers.get("retry-after", "").strip()
    if re.fullmatch(r"\d+(\.\d+)?", text):
        return float(text)
    try:
        return max(parsedate_to_datetime(text).timestamp() - time.time(), 0.0)
    except (ValueError, TypeError, OverflowError):
        return None


def _models_of(data: dict[str, Any]) -> list[dict[str, Any]]:
    models = data.get("data")
    if not isinstance(models, list):
        raise ValueError("no list of models")
    return [model for model in models if isinstance(model, dict)]
