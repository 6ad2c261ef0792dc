"""Reads what servers answer: texts, why they ended, log-probabilities, tokens. Pure.

Every function raises ValueError (or a TypeError, KeyError … of plain access) for an answer that makes no sense.
"""

import math
import re
from collections.abc import Sequence
from typing import Any

from repairlab.core.record import record
from repairlab.repairers.llm.client.model import Finish, Sampling, estimate_tokens

_FINISHES: dict[str, Finish] = {
    "length": "length",
    "max_tokens": "length",
    "model_length": "length",
    "limit": "length",
    "content_filter": "filtered",
    "safety": "filtered",
    "refusal": "filtered",
}
_THOUGHT = re.compile(r"\s*<think>(.*?)</think>\s*", re.DOTALL)
_LEAST_SHARE = 0.6
"""A count below this share of our estimate cannot be one of all choices."""


@record
class Choice:
    """One answer as the server gave it."""

    text: str
    finish: Finish
    logprob: float | None = None
    n_logprobs: int | None = None
    """How many tokens have a log-probability."""
    thinking: str = ""


@record
class Answered:
    """One reply of a server."""

    choices: tuple[Choice, ...]
    tokens_in: int | None = None
    tokens_out: int | None = None
    """As the server counts: of all choices, or of one."""


def read_choices(data: dict[str, Any]) -> Answered:
    """Read the reply to a chat or a completion."""
    found = data["choices"]
    if not isinstance(found, list) or not found:
        raise ValueError("no choices")
    ordered = sorted(found, key=lambda choice: int(choice.get("index") or 0))
    tokens_in, tokens_out = usage_of(data)
    return Answered(choices=tuple(_choice(choice) for choice in ordered), tokens_in=tokens_in, tokens_out=tokens_out)


def usage_of(data: dict[str, Any]) -> tuple[int | None, int | None]:
    """Return the tokens of prompt and answers that a server counted; a count of 0 is none, as every prompt and answer has some.

    >>> usage_of({"usage": {"prompt_tokens": 3, "completion_tokens": 0}}), usage_of({"usage": None})
    ((3, None), (None, None))
    """
    usage = data.get("usage")
    if not isinstance(usage, dict):
        return None, None
    return _count(usage.get("prompt_tokens")) or None, _count(usage.get("completion_tokens")) or None


def read_infill(data: dict[str, Any]) -> Answered:
    """Read the reply of llama.cpp to an infill."""
    text = data["content"]
    if not isinstance(text, str):
        raise ValueError("no content")
    logprob, n_logprobs = _logprobs({"content": data.get("completion_probabilities")})
    finish = _FINISHES.get(str(data.get("stop_type")), "stop")
    return Answered(
        choices=(Choice(text=text, finish=finish, logprob=logprob, n_logprobs=n_logprobs),),
        tokens_in=_count(data.get("tokens_evaluated")),
        tokens_out=_count(data.get("tokens_predicted")),
    )


def read_vectors(data: dict[str, Any], n: int) -> tuple[list[list[float]], int | None]:
    """Read the reply to an embedding: n vectors in the order of the texts, and the tokens they had."""
    found = sorted(data["data"], key=lambda item: int(item.get("index") or 0))
    vectors = [[float(number) for number in item["embedding"]] for item in found]
    if len(vectors) != n:
        raise ValueError(f"{len(vectors)} vectors for {n} texts")
    if not all(vector and all(map(math.isfinite, vector)) for vector in vectors):
        raise ValueError("a vector is empty or not finite")
    return vectors, _count((data.get("usage") or {}).get("prompt_tokens"))


def count_tokens(answered: Answered, prompt_estimate: int, sampling: Sampling) -> list[tuple[int, int]]:
    """Return the tokens of prompt and answer to book for each choice.

    The prompt is read once, so its tokens are spread over the choices. A single choice has the tokens that the server counts, or
    our estimate where it counts nothing. The count of several choices is spread over them by length, if it can be one: some
    servers count one choice only. Then log-probabilities, one a token, decide, or else our estimate.
    """
    choices = answered.choices
    tokens_in = answered.tokens_in if answered.tokens_in is not None else prompt_estimate
    own = [_own_count(choice, sampling) for choice in choices]
    total = answered.tokens_out
    if total is not None and (len(choices) == 1 or total >= _LEAST_SHARE * sum(own)):
        own = _spread(total, own)
    return list(zip(_spread(tokens_in, [1] * len(choices)), own, strict=True))


def cut(choice: Choice, tokens_out: int, sampling: Sampling) -> Choice:
    """Cut an answer where the server should have: at a stop text, and, roughly, at the longest length."""
    text, finish = choice.text, choice.finish
    tokens_out -= estimate_tokens(choice.thinking) if choice.thinking else 0
    shown = estimate_tokens(text)  # where this is much less, the model thought at length, out of our sight, and said little
    if tokens_out > sampling.max_tokens + 1 and shown > _LEAST_SHARE * sampling.max_tokens:
        text, finish = text[: len(text) * sampling.max_tokens // tokens_out], "length"
    ends = [place for stop in sampling.stop if stop and (place := text.find(stop)) >= 0]
    if ends:
        text, finish = text[: min(ends)], "stop"
    if text == choice.text:
        return choice
    return Choice(text=text, finish=finish, thinking=choice.thinking)  # the log-probability was that of more text


def _choice(choice: dict[str, Any]) -> Choice:
    reason = str(choice.get("finish_reason") or "stop").lower()
    if reason == "error" or choice.get("error"):
        raise ValueError("a choice is an error")
    message, thinking = choice.get("message"), ""
    if isinstance(message, dict):
        thinking = _text_of(message.get("reasoning_content") or message.get("reasoning"))
        refused = message.get("refusal")
        text = _text_of(message.get("content")) or (refused if isinstance(refused, str) else "")
        finish: Finish = "filtered" if refused else _FINISHES.get(reason, "stop")
    else:
        text, finish = _text_of(choice["text"]), _FINISHES.get(reason, "stop")
    logprob, n_logprobs = _logprobs(choice.get("logprobs"))
    if not thinking and (found := _THOUGHT.match(text)):
        thinking, text = found[1], text[found.end() :]
    return Choice(text=text, finish=finish, logprob=logprob, n_logprobs=n_logprobs, thinking=thinking.strip())


def _text_of(content: Any) -> str:
    """Return the text of a message: a string, nothing, or parts of which those of type text count."""
    if content is None:
        return ""
    if isinstance(content, str):
        return content
    if isinstance(content, list):
        return "".join(part["text"] for part in content if part.get("type") == "text")
    raise ValueError(f"the text is a {type(content).__name__}")


def _logprobs(found: Any) -> tuple[float | None, int | None]:
    """Return sum and number of log-probabilities, in the form of chats or that of completions."""
    if not isinstance(found, dict):
        return None, None
    content, plain = found.get("content"), found.get("token_logprobs")
    if isinstance(content, list) and content:
        values: Sequence[Any] = [token.get("logprob") for token in content]
    elif isinstance(plain, list) and plain:
        values = plain
    else:
        return None, None
    numbers = [float(value) for value in values if isinstance(value, int | float)]
    total = math.fsum(numbers) if all(map(math.isfinite, numbers)) else None
    return (total, len(values)) if numbers else (None, None)


def _own_count(choice: Choice, sampling: Sampling) -> int:
    if choice.n_logprobs is not None:
        return choice.n_logprobs
    if choice.finish == "length":
        return sampling.max_tokens
    return min(estimate_tokens(choice.text), sampling.max_tokens)


def _spread(total: int, weights: Sequence[int]) -> list[int]:
    """Divide a number by weights so that the parts sum up to it.

    >>> _spread(10, [1, 1, 1]), _spread(5, [0, 0]), _spread(7, [6, 0])
    ([4, 3, 3], [3, 2], [7, 0])
    """
    weights = weights if any(weights) else [1] * len(weights)
    whole, before, parts = sum(weights), 0, []
    for weight in weights:
        parts.append(-(-total * (before + weight) // whole) - -(-total * before // whole))
        before += weight
    return parts


def _count(value: Any) -> int | None:
    return int(value) if isinstance(value, int | float) and not isinstance(value, bool) and 0 <= value < 10**12 else None
