"""What a run asked of models and what it paid: `requests.jsonl`, one line per request, shared by all processes of the run.

Whoever asks a model says for which bug with `asking_for`.
"""

import contextlib
import contextvars
import dataclasses
import fcntl
import functools
import json
import os
import threading
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any, Literal, Protocol

from pydantic import TypeAdapter, ValidationError

from repairlab.core.amounts import dollars
from repairlab.core.errors import HarnessError
from repairlab.core.record import SCHEMA_VERSION, record, to_json
from repairlab.repairers.repairer import OverBudget

FILE = "requests.jsonl"
"""Name of the file in a run folder."""
Kind = Literal["chat", "completion", "infill", "embedding"]

_bug: contextvars.ContextVar[str | None] = contextvars.ContextVar("bug", default=None)


@contextlib.contextmanager
def asking_for(bug_id: str) -> Iterator[None]:
    """Book all requests of this thread inside the block under a bug.

    Wrap calls of a model, not a `yield`: `with asking_for(problem.id): answers = model.complete(…)`.
    """
    token = _bug.set(bug_id)
    try:
        yield
    finally:
        _bug.reset(token)


def current_bug() -> str | None:
    """Return the bug that this thread asks for."""
    return _bug.get()


@record
class Request:
    """One request to a model, or one look into the kept answers."""

    bug_id: str | None
    model: str
    kind: Kind
    prompt: str
    """Digest of the prompt."""
    first: int = 0
    """Number of the first answer."""
    n: int = 0
    """How many answers came back; for embeddings, how many vectors."""
    tokens_in: int = 0
    tokens_out: int = 0
    cost_usd: float | None = 0.0
    """What was paid for it now: nothing for kept answers, none when the price is not known."""
    seconds: float = 0.0
    retries: int = 0
    from_cache: bool = False
    problem: str | None = None
    """Why no answer came."""


class Pricing(Protocol):
    """What answers cost."""

    def cost_usd(self, model: str | None, tokens_in: int, tokens_out: int, booked: float | None) -> float | None:
        """Return what was booked, or what tokens for which nothing was booked cost by the price; none when it is not known."""
        ...


class Ledger:
    """The file of one run, open in one process; many processes and threads may add to it."""

    def __init__(
        self,
        path: Path,
        limit_usd: float | None = None,
        *,
        prices: Pricing | None = None,
        append: Callable[[Path, bytes], object] | None = None,
    ) -> None:
        """Name the file; it is made with the first line. Nothing may be asked once the run has cost `limit_usd`.

        Tokens for which nothing was booked count by the prices. A run hands in how it appends the line of a JSON object to its
        files.
        """
        self._path = path
        self._prices = prices
        self._append = append or _append
        self.limit_usd = limit_usd
        self._lock = threading.Lock()
        self._place = 0
        self._spent = 0.0
        self._unpriced = ""

    def add(self, request: Request) -> None:
        """Append one line."""
        body = to_json({"schema": SCHEMA_VERSION, **_fields(request)}).encode("utf-8", "surrogatepass")
        try:
            with self._lock:
                self._append(self._path, body)
        except OSError as error:
            message = f"cannot write {self._path}: {error.strerror}; free some space, then go on with --resume"
            raise HarnessError(message) from None

    def spent(self) -> float:
        """Return what the run has cost so far, in all its processes, requests of unknown price left out."""
        with self._lock:
            for place, data in _lines(self._path, self._place):
                self._place = place
                request = _request(data, self._prices)
                if request is not None and request.cost_usd is None:
                    self._unpriced = request.model
                elif request is not None:
                    self._spent += request.cost_usd or 0.0
            return self._spent

    def check(self) -> None:
        """Raise OverBudget when the limit is reached; called before each request."""
        if self.limit_usd is None:
            return
        spent = self.spent()
        if self._unpriced:
            raise OverBudget(
                f"the run has asked {self._unpriced}, whose price is not known, so its cost limit cannot be kept; "
                "add the price with --prices FILE"
            )
        if spent >= self.limit_usd:
            limit = dollars(self.limit_usd)
            raise OverBudget(f"the run has cost ${dollars(spent)} and its limit is ${limit}; going on needs a higher --cost-limit")


def read_requests(path: Path, prices: Pricing | None = None) -> Iterator[Request]:
    """Read all whole lines of a ledger in their order; none when there is no file.

    With prices, requests for whose tokens nothing was booked cost what these say, or an unknown amount.
    """
    for _, data in _lines(path, 0):
        request = _request(data, prices)
        if request is not None:
            yield request


def _request(data: dict[str, Any], prices: Pricing | None) -> Request | None:
    """Return the request of a line; none for the rest of a torn line that happens to be JSON."""
    try:
        request = _adapter().validate_python({key: value for key, value in data.items() if key not in ("schema", "line", "check")})
    except ValidationError:
        return None
    if prices is None or request.from_cache:
        return request
    cost_usd = prices.cost_usd(request.model, request.tokens_in, request.tokens_out, request.cost_usd)
    return dataclasses.replace(request, cost_usd=cost_usd)


@functools.cache
def _adapter() -> TypeAdapter[Request]:
    return TypeAdapter(Request)


def _fields(request: Request) -> dict[str, Any]:
    return {name: getattr(request, name) for name in Request.__dataclass_fields__}


def _append(path: Path, body: bytes) -> None:
    with path.open("ab+") as file:
        fcntl.flock(file, fcntl.LOCK_EX)
        file.write(body + b"\n" if _ends_whole(file) else b"\n" + body + b"\n")


def _ends_whole(file: Any) -> bool:
    """Tell whether the last line is complete; one that is not belongs to a process that was killed."""
    end = file.seek(0, os.SEEK_END)
    if end == 0:
        return True
    file.seek(end - 1)
    whole = file.read(1) == b"\n"
    file.seek(0, os.SEEK_END)
    return bool(whole)


def _lines(path: Path, start: int) -> Iterator[tuple[int, dict[str, Any]]]:
    """Yield the whole lines behind a place, each with the place behind it."""
    if not path.is_file():
        return
    with path.open("rb") as file:
        file.seek(start)
        for line in file:
            if not line.endswith(b"\n"):
                return
            start += len(line)
            data = _data_of(line)
            yield start, data if data is not None else {}


def _data_of(line: bytes) -> dict[str, Any] | None:
    try:
        data = json.loads(line.decode("utf-8", "surrogatepass"))
    except ValueError:
        return None
    return data if isinstance(data, dict) else None
