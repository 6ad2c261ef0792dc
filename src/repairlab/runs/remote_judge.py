"""Ask a running `repairlab serve` for verdicts."""

import json
import time
import warnings
from collections.abc import Sequence
from typing import Any

import httpx

from repairlab.core.errors import HarnessError, UserError
from repairlab.core.outcome import Verdict
from repairlab.core.record import to_data
from repairlab.formats.patch_forms import KEYS
from repairlab.metrics.reward import RewardScale
from repairlab.runs.patch import Patch

PATIENCE_S = 600.0
"""How long a service that has answered before may be away or busy before that is an error."""
_FIRST_S = 4.0
"""How long to try a service that has never answered."""
_GREETING = httpx.Timeout(5.0)
"""How long a service may take to say that it is there."""
_JUDGING = httpx.Timeout(10.0, read=None)
_TOO_MANY = 429
_BUSY = (_TOO_MANY, 502, 503, 504)
_TOO_LARGE = 413
_BATCH = 64
"""Candidates in one request."""


class _TooLargeError(Exception):
    """The service refuses a request of this size."""


class RemoteJudge:
    """A service, by its address; may be used from any thread."""

    def __init__(self, url: str, *, token: str | None = None, patience_s: float = PATIENCE_S) -> None:
        """Take the address, such as http://localhost:8400, and the token if the service wants one.

        A service that never answers is an error within seconds; one that did may be away or busy for `patience_s`.
        """
        if not url.startswith(("http://", "https://")):
            raise UserError(f"url is {url!r}: write the address of a service, such as http://localhost:8400")
        try:
            httpx.URL(url)
        except httpx.InvalidURL as error:
            raise UserError(f"url is {url!r}: {error}; write an address such as http://localhost:8400") from None
        if not patience_s >= 0:
            raise UserError(f"patience is {patience_s:g}: write how many seconds a service may be away, 0 or more")
        headers = {"Authorization": f"Bearer {token}"} if token else {}
        self._url, self._patience_s = url.rstrip("/"), patience_s
        self._client = httpx.Client(headers=headers)
        self._has_answered = False

    def close(self) -> None:
        """Close the connection."""
        self._client.close()

    def judge(
        self, patches: Sequence[tuple[str, Patch]], *, policy: str, min_strength: str, scale: RewardScale
    ) -> list[dict[str, Any]]:
        """Return what the service says of patches, each for a bug, in order."""
        answers: list[dict[str, Any]] = []
        for first in range(0, len(patches), _BATCH):
            entries = [_entry(bug, patch) for bug, patch in patches[first : first + _BATCH]]
            answers += self._judged(entries, {"policy": policy, "min_strength": min_strength, "scale": to_data(scale)})
        return answers

    def _judged(self, entries: list[dict[str, Any]], more: dict[str, Any]) -> list[dict[str, Any]]:
        """Ask in one request, or in two if that is too large; a patch that is too large by itself is not a candidate."""
        try:
            found: list[dict[str, Any]] = self._send("POST", "/v1/validate", {"candidates": entries, **more})["outcomes"]
        except _TooLargeError:
            if len(entries) == 1:
                return [{"verdict": Verdict.UNAPPLICABLE.value, "reward": more["scale"]["unapplicable"]}]
            half = len(entries) // 2
            return self._judged(entries[:half], more) + self._judged(entries[half:], more)
        return found

    def bug(self, bug: str, *, strategy: str, localisation: str) -> dict[str, Any]:
        """Return a bug as a repairer may see it, with the prompt for a model."""
        return self._send("GET", f"/v1/bugs/{bug}?strategy={strategy}&localisation={localisation}", None)

    def bugs(self, benchmark: str) -> list[str]:
        """Return the ids of a benchmark's bugs."""
        found: list[str] = self._send("GET", f"/v1/benchmarks/{benchmark}", None)["bugs"]
        return found

    def _send(self, method: str, path: str, body: dict[str, Any] | None) -> dict[str, Any]:
        """Return the answer to a request, once the service has said that it is there."""
        if not self._has_answered:
            self._ask("GET", "/v1/health", None, patience_s=min(_FIRST_S, self._patience_s), timeout=_GREETING)
            self._has_answered = True
        return self._ask(method, path, body, patience_s=self._patience_s, timeout=_JUDGING)

    def _ask(
        self, method: str, path: str, body: dict[str, Any] | None, *, patience_s: float, timeout: httpx.Timeout
    ) -> dict[str, Any]:
        """Send a request until it is answered; verdicts reached before cost nothing when it is sent again."""
        # What UTF-8 cannot hold, such as half of a surrogate pair, is not in any program.
        content = None if body is None else json.dumps(body, ensure_ascii=False).encode("utf-8", "replace")
        headers = {} if body is None else {"Content-Type": "application/json"}
        end = time.monotonic() + patience_s
        wait_s, is_told = 0.5, not self._has_answered
        while True:
            status = 0
            try:
                answer = self._client.request(method, self._url + path, content=content, headers=headers, timeout=timeout)
                status = answer.status_code
                reason = f"it says {status}: {_message(answer)}"
                if status < 400:
                    data: dict[str, Any] = answer.json()
                    return data
                if status == _TOO_LARGE:
                    raise _TooLargeError
                if status not in _BUSY:
                    raise UserError(f"the service at {self._url} refuses: {reason}")
                wait_s = max(wait_s, float(answer.headers.get("retry-after", 0)))
            except (httpx.TransportError, json.JSONDecodeError) as error:
                reason = str(error) or type(error).__name__
            if time.monotonic() + wait_s > end:
                raise HarnessError(self._lost(reason, patience_s))
            if status != _TOO_MANY and not is_told:
                warnings.warn(f"the service at {self._url} is away ({reason}); trying again for {patience_s:g} s", stacklevel=2)
                is_told = True
            time.sleep(wait_s)
            wait_s = min(2 * wait_s, 10.0)

    def _lost(self, reason: str, patience_s: float) -> str:
        if self._has_answered:
            return (
                f"the service at {self._url} does not answer: {reason}. It was asked for {patience_s:g} s; see what it printed, "
                "start it again, or give it more time: Reward(…, patience=SECONDS)"
            )
        return (
            f"no service answers at {self._url}: {reason}. Start one with: repairlab serve BENCHMARK; "
            "or write the right address: Reward(…, url=…)"
        )


def _entry(bug: str, patch: Patch) -> dict[str, Any]:
    name = "answer" if patch.strategy else next(key for key, form in KEYS.items() if form == patch.form)
    entry = {"bug": bug, name: patch.text}
    return entry | ({"strategy": patch.strategy, "localisation": patch.localisation} if patch.strategy else {})


def _message(answer: httpx.Response) -> str:
    try:
        return str(answer.json()["error"]["message"])
    except (ValueError, KeyError, TypeError):
        return answer.text[:200]
