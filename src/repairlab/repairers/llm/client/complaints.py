"""What to do about a server's complaint: retry, never ask this prompt again, drop a parameter, or leave it to the user.

Servers agree on status codes only roughly, so the words of their messages count, too.
"""

import json
import re
import threading
from collections.abc import Callable
from typing import Any, Literal

from repairlab.core.record import record

Meaning = Literal["again", "no_key", "no_money", "no_model", "too_long", "withheld", "rejected"]

SHOWN = 300
"""Characters of a server's message that are shown."""

_AGAIN = {408, 409, 425, 429}
_TOO_LONG = re.compile(
    r"context_length_exceeded|exceed_context_size|string_above_max_length|maximum context length|max(imum)? model length"
    r"|context (size|length|limit|window)|maximum sequence length|max_model_len|prompt is too long|prompt.{0,40}too long"
    r"|input is too large|too large to process|reduce the length|token count.{0,40}exceeds|max_new_tokens.{0,20}must be <=",
    re.IGNORECASE,
)
_WITHHELD = re.compile(
    r"content_policy|content_filter|content management policy|ResponsibleAI|content exists risk|data_inspection_failed"
    r"|flagged|requires moderation|usage polic|safety (system|polic)|PROHIBITED_CONTENT",
    re.IGNORECASE,
)
_NO_MODEL = re.compile(
    r"model_not_found|not a valid model|model[^.]{0,80}(does not|doesn't|not) exist|model[^.]{0,80}not found"
    r"|invalid model|unknown model|no endpoints found",
    re.IGNORECASE,
)
_NO_MONEY = re.compile(r"insufficient_quota|insufficient (balance|credit|funds|quota)", re.IGNORECASE)


@record
class Refusal:
    """A server's error instead of an answer."""

    status: int
    meaning: Meaning
    message: str
    """The server's words, on one line, shortened; keys are not yet removed."""
    whole: str
    """The whole text, searched for names of parameters; never shown."""


def refusal(status: int, body: bytes) -> Refusal:
    """Read an error answer."""
    whole = body[:20_000].decode("utf-8", "replace")
    message = re.sub(r"\s+", " ", _words(whole)).strip()
    message = message[: SHOWN - 1] + "…" if len(message) > SHOWN else message
    return Refusal(status=status, meaning=_meaning(status, whole), message=message or "no message", whole=whole)


def _meaning(status: int, text: str) -> Meaning:
    if status == 402 or (status == 429 and _NO_MONEY.search(text)):
        return "no_money"
    if status == 429:
        return "again"
    if _TOO_LONG.search(text) or status == 413:
        return "too_long"
    if status < 500 and _WITHHELD.search(text):
        return "withheld"
    if status in (401, 403):
        return "no_key"
    if status < 500 and (status == 404 or _NO_MODEL.search(text)):
        return "no_model"
    if status in _AGAIN or (status >= 500 and status != 501):
        return "again"
    return "rejected"


def _words(text: str) -> str:
    """Find the message in the forms that servers use: {"error": {"message": …}}, {"error": …}, {"message": …}, {"detail": …}."""
    try:
        data: Any = json.loads(text)
    except ValueError:
        return re.sub(r"<[^>]*>", " ", text)
    for name in ("error", "message", "detail"):
        if isinstance(data, list) and data:
            data = data[0]
        if isinstance(data, dict) and name in data:
            data = data[name]
    return data if isinstance(data, str) else json.dumps(data, ensure_ascii=False)


def redact(text: str, key: str | None) -> str:
    """Remove a key from a text, even where only parts of it are repeated.

    >>> redact("Incorrect API key provided: abcdefgh12345, see abcdefgh…", "abcdefgh12345")
    'Incorrect API key provided: ***, see ***…'
    """
    text = re.sub(r"\b[a-z]{2,4}[-_][\w-]*\*{2,}[\w-]*|\bsk-[\w-]{8,}", "***", text)
    if not key:
        return text
    width = min(len(key), 6)
    parts = {key[start : start + width] for start in range(len(key) - width + 1)}
    hidden = [False] * len(text)
    for start in range(len(text) - width + 1):
        if text[start : start + width] in parts:
            hidden[start : start + width] = [True] * width
    pieces: list[str] = []
    for index, character in enumerate(text):
        if not hidden[index]:
            pieces.append(character)
        elif index == 0 or not hidden[index - 1]:
            pieces.append("***")
    return "".join(pieces)


MOST_AT_ONCE = 32
"""Answers per request: more are cheaper, but a lost answer costs all of them."""
_MOST_STOPS = 4
"""Number of stop texts that every service accepts."""
_N = re.compile(
    r"""["'`]n["'`]|\bn_cmpl\b|\bn (must|should|cannot|can only|has to|is not|is greater|not supported)|\bn\s*[<>=!]"""
    r"|number of (choices|completions|slots|candidates)|best_of|candidate_?count|(multiple|only one) (choice|candidate|completion)",
    re.IGNORECASE,
)
_UNSUPPORTED = re.compile(
    r"unsupported|not (currently |yet )?support|n't support|unrecogni[sz]ed|unknown|unexpected|not permitted|not allowed"
    r"|not available|extra (inputs|fields)|cannot (both )?be|only the default|deprecated|forbidden",
    re.IGNORECASE,
)
_OPTIONAL = ("logprobs", "seed", "top_p", "stop", "temperature")
"""What an answer can do without, in the order in which it is dropped."""


class ServerQuirks:
    """Of one model on one server; shared by threads."""

    def __init__(self, notify: Callable[[str], None]) -> None:
        self._notify = notify
        self._lock = threading.Lock()
        self._dropped: set[str] = set()
        self._renamed = False
        self._few_stops = False
        self._most = MOST_AT_ONCE

    @property
    def most(self) -> int:
        """Return how many answers to ask for at once."""
        return self._most

    def shape(self, payload: dict[str, Any]) -> dict[str, Any]:
        """Return a request in the form that the server accepts."""
        shaped = {name: value for name, value in payload.items() if name not in self._dropped}
        if self._few_stops and "stop" in shaped:
            shaped["stop"] = shaped["stop"][:_MOST_STOPS]
        if self._renamed and "max_tokens" in shaped:
            shaped["max_completion_tokens"] = shaped.pop("max_tokens")
        return shaped

    def saw(self, *, asked: int, got: int) -> None:
        """Note how many answers came back."""
        if got < asked:
            self._at_most(got, f"the server gives {got} of {asked} answers asked for at once; the others are asked for one by one")

    def learn(self, words: str, sent: dict[str, Any]) -> bool:
        """Find out from a complaint what to drop; return whether a retry makes sense."""
        with self._lock:
            n = sent.get("n", 1)
            if n > 1 and (n > self._most or _N.search(words)):
                self._at_most(_fewer(words, n), f"the server does not give {n} answers at once; fewer are asked for")
                return True
            if "max_tokens" in sent and (self._renamed or "max_completion_tokens" in words):
                self._renamed = True
                return True
            known = [name for name in _OPTIONAL if name in sent and name in self._dropped]
            if known:  # another thread was faster
                return True
            return _UNSUPPORTED.search(words) is not None and self._drop_one(words, sent)

    def _drop_one(self, words: str, sent: dict[str, Any]) -> bool:
        for name in _OPTIONAL:
            if name not in sent or not re.search(rf"\b{name}\b", words):
                continue
            if name == "stop" and len(sent["stop"]) > _MOST_STOPS:
                self._few_stops = True
            else:
                self._dropped.add(name)
                self._notify(f"the server does not take {name}; it is left out")
            return True
        return False

    def _at_most(self, most: int, why: str) -> None:
        if most < self._most:
            self._most = most
            self._notify(why)


def _fewer(words: str, n: int) -> int:
    """Return how many answers to try after n were too many: the server's number, or half as many."""
    named = [int(number) for number in re.findall(r"(?:<=|at most|maximum(?: of| is)?) (\d{1,4})\b", words)]
    return max((number for number in named if 0 < number < n), default=max(n // 2, 1))
