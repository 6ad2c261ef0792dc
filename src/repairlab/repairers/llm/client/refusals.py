"""What an answer that is no answer means: ask again, never for this prompt, or the user's to mend.

Servers agree on status codes only roughly, so the words of their messages count, too.
"""

import json
import re
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
    """What a server said instead of an answer."""

    status: int
    meaning: Meaning
    message: str
    """The server's words, on one line, shortened; keys are not yet taken out."""
    whole: str
    """The whole text, for those who look for names of parameters in it; never shown."""


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
    """Take a key out of a text, even where only parts of it are repeated.

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
