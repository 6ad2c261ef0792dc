"""Anthropic Messages, which Claude Code speaks.

https://platform.claude.com/docs/en/api/messages
"""

import json
from collections.abc import Iterator
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
    only_tools,
    text_of,
)

_VERSION = "2023-06-01"
_FINISHES: dict[Any, Finish] = {"max_tokens": "length", "model_context_window_exceeded": "length", "refusal": "filtered"}
_CHOICES = {"any": "required", "auto": "auto", "none": "none"}
_ERRORS = {
    400: "invalid_request_error",
    401: "authentication_error",
    403: "permission_error",
    404: "not_found_error",
    413: "request_too_large",
    429: "rate_limit_error",
    529: "overloaded_error",
}
_LOCAL = ("custom", "bash_", "text_editor_", "memory_")
"""Kinds of tools that the client runs."""
_COUNTS = ("input_tokens", "cache_read_input_tokens", "cache_creation_input_tokens")


def read_request(body: Data) -> ModelRequest:
    """Read a client's request; marks for the prompt cache mean nothing to other servers."""
    choice = body.get("tool_choice") or {}
    thinking = item_of(body, "thinking", "type")
    return ModelRequest(
        turns=joined(
            (Turn(role="system", text=text_of(body.get("system"))), *(turn for item in body["messages"] for turn in _turns(item)))
        ),
        tools=tuple(
            OfferedTool(name=item["name"], about=item.get("description") or "", parameters=item["input_schema"])
            for item in body.get("tools") or ()
            if "input_schema" in item
        ),
        choice=choice.get("name") or _CHOICES.get(choice.get("type") or "", ""),
        max_tokens=count(body.get("max_tokens")),
        temperature=body.get("temperature"),
        effort=item_of(body, "output_config", "effort"),
        wants_thinking=thinking not in (None, "disabled"),
    )


def read_answer(body: bytes) -> ModelAnswer:
    """Read an answer, whole or as a stream."""
    ident, finish, usage = "", None, Data()
    blocks: dict[int, Data] = {}
    for data in events(body):
        message = data.get("message", data)
        ident = str(item_of(message, "id") or ident)
        usage |= {name: value for name, value in (item_of(message, "usage") or {}).items() if value is not None}
        finish = item_of(data, "delta", "stop_reason") or item_of(message, "stop_reason") or finish
        blocks |= enumerate(data.get("content") or ())
        if data.get("type") == "content_block_start":
            blocks[data["index"]] = dict(data["content_block"])
        elif data.get("type") == "content_block_delta":
            _extend(blocks.setdefault(data["index"], {}), data["delta"])
    counts = [count(usage.get(name)) for name in _COUNTS]
    return ModelAnswer(
        id=ident,
        text="".join(str(block["text"]) for block in blocks.values() if block.get("type") == "text"),
        thinking="".join(str(block["thinking"]) for block in blocks.values() if block.get("type") == "thinking"),
        calls=tuple(_call(block) for block in blocks.values() if block.get("type") == "tool_use"),
        finish=_FINISHES.get(finish, "stop"),
        tokens_in=None if counts[0] is None else sum(filter(None, counts)),
        tokens_out=count(usage.get("output_tokens")),
        tokens_cached=counts[1] or 0,
    )


def write_answer(answer: ModelAnswer, asked: ModelRequest, model: str) -> Data:
    """Return an answer as a client expects it."""
    return _frame(answer, model) | {"content": list(_blocks(answer, asked)), "stop_reason": _finish(answer)}


def write_stream(answer: ModelAnswer, asked: ModelRequest, model: str) -> bytes:
    """Return an answer as a stream."""
    usage = _usage(answer)
    found: list[Data] = [{"type": "message_start", "message": _frame(answer, model) | {"usage": usage | {"output_tokens": 0}}}]
    for place, block in enumerate(_blocks(answer, asked)):
        begin, deltas = _parts(block)
        found.append({"type": "content_block_start", "index": place, "content_block": begin})
        found += ({"type": "content_block_delta", "index": place, "delta": delta} for delta in deltas)
        found.append({"type": "content_block_stop", "index": place})
    ended = {"stop_reason": _finish(answer), "stop_sequence": None}
    found += [{"type": "message_delta", "delta": ended, "usage": usage}, {"type": "message_stop"}]
    return b"".join(map(event, found))


def local(body: Data) -> Data:
    """Return a request without what makes a server search the web."""
    kept = {key: value for key, value in body.items() if key not in ("mcp_servers", "container")}
    return kept | only_tools(body, lambda item: "input_schema" in item or str(item.get("type")).startswith(_LOCAL))


def refusal(status: int, message: str) -> Data:
    """Return an error."""
    return {"type": "error", "error": {"type": _ERRORS.get(status, "api_error"), "message": message}}


def _turns(message: Data) -> Iterator[Turn]:
    """Yield one message's parts: results of tools come before the user's words."""
    content = message["content"]
    blocks = [{"type": "text", "text": content}] if isinstance(content, str) else content
    kinds: dict[str, list[Data]] = {}
    for block in blocks:
        kinds.setdefault(block.get("type", ""), []).append(block)
    for block in kinds.pop("tool_result", ()):
        yield Turn(role="tool", call_id=block["tool_use_id"], text=text_of(block.get("content")))
    calls = tuple(_call(block) for block in kinds.pop("tool_use", ()))
    thinking = "\n".join(block.get("thinking", "") for block in kinds.pop("thinking", ()))
    kinds.pop("redacted_thinking", None)
    rest = [block for block in blocks if block.get("type", "") in kinds]
    yield Turn(role=message["role"], text=text_of(rest), thinking=thinking, calls=calls)


def _call(block: Data) -> ToolCall:
    given = block.get("input")
    arguments = str(block.get("json") or (given if isinstance(given, str) else json.dumps(given or {})))
    return ToolCall(id=str(block.get("id") or ""), name=str(block.get("name") or ""), arguments=arguments)


def _extend(block: Data, delta: Data) -> None:
    for name, key in (("text", "text"), ("thinking", "thinking"), ("partial_json", "json")):
        if name in delta:
            block[key] = block.get(key, "") + delta[name]


def _blocks(answer: ModelAnswer, asked: ModelRequest) -> Iterator[Data]:
    if answer.thinking and asked.wants_thinking:
        yield {"type": "thinking", "thinking": answer.thinking, "signature": ""}
    if answer.text or not answer.calls:
        yield {"type": "text", "text": answer.text}
    for call in answer.calls:
        yield {"type": "tool_use", "id": call.id, "name": call.name, "input": call.values}


def _parts(block: Data) -> tuple[Data, list[Data]]:
    """Return how a block begins in a stream, and what is added to it."""
    if block["type"] == "tool_use":
        return block | {"input": {}}, [{"type": "input_json_delta", "partial_json": json.dumps(block["input"])}]
    if block["type"] == "thinking":
        return block | {"thinking": ""}, [
            {"type": "thinking_delta", "thinking": block["thinking"]},
            {"type": "signature_delta", "signature": ""},
        ]
    return block | {"text": ""}, [{"type": "text_delta", "text": block["text"]}]


def _frame(answer: ModelAnswer, model: str) -> Data:
    frame = {"id": f"msg_{answer.id}", "type": "message", "role": "assistant", "model": model, "content": []}
    return frame | {"stop_reason": None, "stop_sequence": None, "usage": _usage(answer)}


def _finish(answer: ModelAnswer) -> str:
    return {"length": "max_tokens", "filtered": "refusal"}.get(answer.finish, "tool_use" if answer.calls else "end_turn")


def _usage(answer: ModelAnswer) -> Data:
    counts = ((answer.tokens_in or 0) - answer.tokens_cached, answer.tokens_cached, 0)
    return dict(zip(_COUNTS, counts, strict=True)) | {"output_tokens": answer.tokens_out or 0}


MESSAGES = Dialect(
    name="messages",
    read_request=read_request,
    read_answer=read_answer,
    write_answer=write_answer,
    write_stream=write_stream,
    local=local,
    refusal=refusal,
    key_headers=lambda key: {"x-api-key": key, "anthropic-version": _VERSION},
)
