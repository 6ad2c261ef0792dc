"""Clients of a service: what each is allowed, and who may ask.

Only hashes of bearer tokens are stored, in a file or in the environment. A line is `NAME:SHA256`, optionally followed by `read` (no
code is run for it) and `rate=N` (candidates per second).
"""

import hashlib
import math
import os
import re
import secrets
import time
from collections import OrderedDict
from collections.abc import Callable, Iterable
from pathlib import Path

from repairlab.core.errors import UserError
from repairlab.core.problem import Localisation
from repairlab.core.record import record

LOOPBACK = ("localhost", "127.0.0.1", "::1")


@record
class ServiceSettings:
    """What a service allows its clients."""

    state: Path
    """Folder for jobs, which survive a restart."""
    queue: int = 1000
    """Candidates of all clients that may wait for a worker; no client may have more than half of them waiting."""
    batch: int = 256
    """Candidates per request; jobs may have more."""
    body_mb: float = 16.0
    rate: float = 0.0
    """Candidates per second and client; 0: no limit."""
    deadline_s: float = 600.0
    """How long a request may take; a client may set a lower limit."""
    patience_s: float = 30.0
    """How long a request may take to arrive."""
    drain_s: float = 30.0
    """How long requests may continue after SIGTERM."""
    localisation: Localisation = "line"
    """How precisely, at most, clients are shown the place of a bug."""


VARIABLE = "REPAIRLAB_TOKENS"
_LINE = re.compile(r"(?P<name>[\w.@-]{1,64}):(?P<hash>[0-9a-f]{64})(?P<more>(?:\s+\S+)*)")
_PREFIX = "rl-"


@record
class ServiceClient:
    """Somebody who asks."""

    name: str
    is_read_only: bool = False
    rate: float | None = None
    """Candidates per second; None: the service's default."""
    connection: str = ""
    """What takes turns in the queue when there are no tokens to tell clients apart."""

    @property
    def turn(self) -> str:
        """What takes turns in the queue."""
        return self.connection or self.name


def new_token(name: str, *, is_read_only: bool = False) -> tuple[str, str]:
    """Return a new token, and the line for the file of tokens."""
    token = _PREFIX + secrets.token_urlsafe(32)
    line = f"{name}:{_hash(token)}" + (" read" if is_read_only else "")
    if not _LINE.fullmatch(line):
        raise UserError(f"{name!r} is no name of a client: use up to 64 letters, digits and .@_-")
    return token, line


def read_tokens(file: Path | None) -> dict[str, ServiceClient]:
    """Return the clients by the hashes of their tokens: those of a file, and of the variable REPAIRLAB_TOKENS."""
    places = [(f"the variable {VARIABLE}", re.split(r"[\n,]", os.environ.get(VARIABLE, "")))]
    if file is not None:
        try:
            places.append((str(file), file.read_text(encoding="utf-8").splitlines()))
        except FileNotFoundError:
            raise UserError(f"{file} does not exist; make a token with: repairlab serve --new-token NAME >> {file}") from None
        except UnicodeDecodeError:
            raise UserError(f"{file} is not UTF-8 text") from None
    clients: dict[str, ServiceClient] = {}
    for place, lines in places:
        clients |= _read(place, lines)
    if file is not None and not clients:
        raise UserError(f"{file} has no token; make one with: repairlab serve --new-token NAME >> {file}")
    return clients


def client_of(clients: dict[str, ServiceClient], authorization: str) -> ServiceClient | None:
    """Return the client of the token in a header."""
    scheme, _, token = authorization.partition(" ")
    return clients.get(_hash(token.strip())) if scheme.lower() == "bearer" else None


def _read(place: str, lines: Iterable[str]) -> dict[str, ServiceClient]:
    found = {}
    for number, line in enumerate(map(str.strip, lines), start=1):
        if not line or line.startswith("#"):
            continue
        parts = _LINE.fullmatch(line)
        if parts is None:  # it may be a token itself, so it is not shown
            raise UserError(f"{place}, line {number}: not NAME:SHA256, with read or rate=N behind it perhaps")
        found[parts["hash"]] = _client(parts["name"], parts["more"].split(), f"{place}, line {number}")
    return found


def _client(name: str, words: list[str], where: str) -> ServiceClient:
    rate = None
    for word in words:
        try:
            rate = float(word.removeprefix("rate=")) if word.startswith("rate=") else rate
            if rate is not None and not 0 <= rate < math.inf:
                raise ValueError
        except ValueError:
            raise UserError(f"{where}: {word!r} is no rate; write rate=10 for ten candidates per second") from None
        if word != "read" and not word.startswith("rate="):
            raise UserError(f"{where}: {word!r} is unknown; possible: read, rate=N")
    return ServiceClient(name=name, is_read_only="read" in words, rate=rate)


def _hash(token: str) -> str:
    return hashlib.sha256(token.encode("utf-8", "surrogatepass")).hexdigest()


_BURST_S = 10.0
"""A client's unused rate of this many seconds may be used at once."""
_MOST_CLIENTS = 10_000


class RateLimit:
    """A bucket for each client, which fills at the client's rate."""

    def __init__(self, clock: Callable[[], float] = time.monotonic) -> None:
        self._clock = clock
        self._levels: OrderedDict[str, tuple[float, float]] = OrderedDict()

    def take(self, client: str, n: int, rate: float) -> float:
        """Take n from a client's bucket and return 0, or return in how many seconds that will be possible.

        More than a full bucket is given when it is full, and owed afterwards.
        """
        if rate <= 0:
            return 0.0
        now, full = self._clock(), max(1.0, rate * _BURST_S)
        level, then = self._levels.pop(client, (full, now))
        level = min(full, level + (now - then) * rate)
        wait_s = max(0.0, (min(n, full) - level) / rate)
        self._levels[client] = (level - (0 if wait_s else n), now)
        while len(self._levels) > _MOST_CLIENTS:
            self._levels.popitem(last=False)
        return wait_s
