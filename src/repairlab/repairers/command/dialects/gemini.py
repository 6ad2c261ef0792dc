"""Gemini generateContent.

https://ai.google.dev/api/generate-content
"""

import json
from collections.abc import Iterable, Iterator
from typing import Any

from repairlab.repairers.command.dialects.exchange import (
    Data,
    Dialect,
    Finish,
    ModelAnswer,
    ModelRequest,
    OfferedTool,
    ToolCall,
    Turn,
    count,
    event,
    events,
    item_of,
    joined,
)

_STATUSES = {400: "INVALID_ARGUMENT", 403: "PERMISSION_DENIED", 404: "NOT_FOUND", 429: "RESOURCE_EXHAUSTED", 502: "UNAVAILABLE"}
_FINISHES: dict[Any, Finish] = {"STOP": "stop", "MAX_TOKENS": "length"}
_CHOICES = {"AUTO": "auto", "ANY": "required", "NONE": "none"}


def read_request(body: Data) -> ModelRequest:
    """Read a client's request; its address says whether to stream."""
    settings = body.get("generationConfig") or {}
    system = body.get("systemInstruction") or body.get("system_instruction") or {}
    ids = _Ids()
    turns = [Turn(role="system", text=_text(system.get("parts") or ()))]
    for content in body.get("contents") or ():
        turns += _turns(content, ids)
    tools = [item for group in body.get("tools") or () for item in group.get("functionDeclarations") or ()]
    return ModelRequest(
        turns=joined(turns),
        tools=tuple(map(_tool, tools)),
        choice=_CHOICES.get(item_of(body, "toolConfig", "functionCallingConfig", "mode"), ""),
        max_tokens=count(settings.get("maxOutputTokens")),
        temperature=settings.get("temperature"),
        effort=(item_of(settings, "thinkingConfig", "thinkingLevel") or "").lower() or None,
        wants_thinking=bool(item_of(settings, "thinkingConfig", "includeThoughts")),
    )


def read_answer(body: bytes) -> ModelAnswer:
    """Read an answer, whole or as a stream."""
    ident, finish, usage = "", None, None
    parts: list[Data] = []
    for data in events(body):
        ident, usage = str(data.get("responseId") or ident), data.get("usageMetadata") or usage
        for candidate in (data.get("candidates") or ())[:1]:
            parts += item_of(candidate, "content", "parts") or ()
            finish = candidate.get("finishReason") or finish
    ids = _Ids(ident)
    thought = count(item_of(usage, "thoughtsTokenCount")) or 0
    tokens_out = count(item_of(usage, "candidatesTokenCount"))
    return ModelAnswer(
        id=ident,
        text=_text(part for part in parts if not part.get("thought")),
        thinking=_text(part for part in parts if part.get("thought")),
        calls=tuple(ids.call(part["functionCall"]) for part in parts if "functionCall" in part),
        finish=_FINISHES.get(finish, "filtered" if finish else "stop"),
        tokens_in=count(item_of(usage, "promptTokenCount")),
        tokens_out=None if tokens_out is None and not thought else (tokens_out or 0) + thought,
        tokens_cached=count(item_of(usage, "cachedContentTokenCount")) or 0,
    )


def write_answer(answer: ModelAnswer, asked: ModelRequest, model: str) -> Data:
    """Return an answer as a client expects it."""
    parts: list[Data] = [{"text": answer.thinking, "thought": True}] if answer.thinking and asked.wants_thinking else []
    parts += [{"text": answer.text}] if answer.text or not answer.calls else []
    parts += ({"functionCall": {"id": call.id, "name": call.name, "args": call.values}} for call in answer.calls)
    finish = {"length": "MAX_TOKENS", "filtered": "SAFETY"}.get(answer.finish, "STOP")
    tokens_in, tokens_out = answer.tokens_in or 0, answer.tokens_out or 0
    usage = {"promptTokenCount": tokens_in, "candidatesTokenCount": tokens_out, "totalTokenCount": tokens_in + tokens_out}
    return {
        "candidates": [{"index": 0, "content": {"role": "model", "parts": parts}, "finishReason": finish}],
        "usageMetadata": usage | {"cachedContentTokenCount": answer.tokens_cached},
        "modelVersion": model,
        "responseId": answer.id,
    }


def write_stream(answer: ModelAnswer, asked: ModelRequest, model: str) -> bytes:
    """Return an answer as a stream of one event, which works as well as several."""
    return event(write_answer(answer, asked, model), named=False)


def local(body: Data) -> Data:
    """Return a request without what makes a server search the web."""
    groups = [
        {"functionDeclarations": group["functionDeclarations"]}
        for group in body.get("tools") or ()
        if "functionDeclarations" in group
    ]
    kept = {key: value for key, value in body.items() if key not in ("tools", "cachedContent")}
    return kept | ({"tools": groups} if groups else {})


def refusal(status: int, message: str) -> Data:
    """Return an error."""
    return {"error": {"code": status, "message": message, "status": _STATUSES.get(status, "INTERNAL")}}


class _Ids:
    """Gives calls without an id one, and matches a result without an id to the oldest open call of its name."""

    def __init__(self, prefix: str = "") -> None:
        self._prefix, self._n = prefix, 0
        self._open: list[tuple[str, str]] = []

    def call(self, part: Data) -> ToolCall:
        self._n += 1
        ident = str(part.get("id") or f"call-{self._prefix}{self._n}")
        self._open.append((part["name"], ident))
        return ToolCall(id=ident, name=part["name"], arguments=json.dumps(part.get("args") or {}))

    def result(self, part: Data) -> str:
        name, ident = part["name"], part.get("id")
        pair = next((pair for pair in self._open if pair[1] == ident or (ident is None and pair[0] == name)), (name, ident or name))
        if pair in self._open:
            self._open.remove(pair)
        return str(pair[1])


def _turns(content: Data, ids: _Ids) -> Iterator[Turn]:
    parts = content.get("parts") or []
    for part in parts:
        if result := part.get("functionResponse"):
            said = result.get("response") or {}
            only = next(iter(said.values())) if len(said) == 1 else said
            yield Turn(role="tool", call_id=ids.result(result), text=only if isinstance(only, str) else json.dumps(only))
    yield Turn(
        role="assistant" if content.get("role") == "model" else "user",
        text=_text(part for part in parts if not part.get("thought")),
        thinking=_text(part for part in parts if part.get("thought")),
        calls=tuple(ids.call(part["functionCall"]) for part in parts if "functionCall" in part),
    )


def _tool(item: Data) -> OfferedTool:
    schema = item.get("parametersJsonSchema") or _lower(item.get("parameters")) or {"type": "object", "properties": {}}
    return OfferedTool(name=item["name"], about=item.get("description") or "", parameters=schema)


def _lower(schema: Any) -> Any:
    """Return a schema with its types as JSON schema writes them: `STRING` is `string`."""
    if isinstance(schema, dict):
        return {key: value.lower() if key == "type" and isinstance(value, str) else _lower(value) for key, value in schema.items()}
    return [_lower(item) for item in schema] if isinstance(schema, list) else schema


def _text(parts: Iterable[Data]) -> str:
    return "".join(str(part.get("text") or "") for part in parts)


GEMINI = Dialect(
    name="gemini",
    read_request=read_request,
    read_answer=read_answer,
    write_answer=write_answer,
    write_stream=write_stream,
    local=local,
    refusal=refusal,
    key_headers=lambda key: {"x-goog-api-key": key},
)
