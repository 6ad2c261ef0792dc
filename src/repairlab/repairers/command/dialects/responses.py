"""OpenAI Responses, which Codex CLI speaks.

https://platform.openai.com/docs/api-reference/responses
"""

import json
from collections.abc import Iterator
from typing import Any

from repairlab.repairers.command.dialects.chat import bearer, refusal
from repairlab.repairers.command.dialects.exchange import (
    Data,
    Dialect,
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

_TEXT_INPUT = {"type": "object", "properties": {"input": {"type": "string"}}, "required": ["input"]}
"""How a tool that takes free text is shown to servers that only know objects."""
_LOCAL = ("function", "custom", "local_shell", "shell", "apply_patch")
"""Kinds of tools that the client runs."""
_CALLS = {"function_call": "arguments", "custom_tool_call": "input"}


def read_request(body: Data) -> ModelRequest:
    """Read a client's request, without the tools that a server runs itself."""
    if body.get("previous_response_id"):
        raise ValueError("previous_response_id is not known here: send the whole conversation")
    given = body.get("input") or ()
    items = [{"role": "user", "content": given}] if isinstance(given, str) else given
    choice = body.get("tool_choice") or ""
    return ModelRequest(
        turns=joined((Turn(role="system", text=body.get("instructions") or ""), *(_turn(item) for item in items))),
        tools=tuple(_tool(item) for item in body.get("tools") or () if item.get("type") in ("function", "custom")),
        choice=choice if isinstance(choice, str) else choice.get("name") or "",
        max_tokens=count(body.get("max_output_tokens")),
        temperature=body.get("temperature"),
        effort=item_of(body, "reasoning", "effort"),
    )


def read_answer(body: bytes) -> ModelAnswer:
    """Read an answer, whole or as a stream whose last event holds it whole."""
    response: Data = {}
    done: list[Data] = []
    for data in events(body):
        response = data.get("response") or (data if "output" in data or "usage" in data else response)
        if data.get("type") == "response.output_item.done":
            done.append(data["item"])
    usage = response.get("usage")
    turn = next(iter(joined(_turn(item) for item in response.get("output") or done)), Turn(role="assistant"))
    reason = item_of(response, "incomplete_details", "reason")
    return ModelAnswer(
        id=str(response.get("id") or ""),
        text=turn.text,
        thinking=turn.thinking,
        calls=turn.calls,
        finish="length" if reason == "max_output_tokens" else "filtered" if reason else "stop",
        tokens_in=count(item_of(usage, "input_tokens")),
        tokens_out=count(item_of(usage, "output_tokens")),
        tokens_cached=count(item_of(usage, "input_tokens_details", "cached_tokens")) or 0,
    )


def write_answer(answer: ModelAnswer, asked: ModelRequest, model: str) -> Data:
    """Return an answer as a client expects it."""
    is_whole = answer.finish == "stop"
    reason = None if is_whole else {"reason": "max_output_tokens" if answer.finish == "length" else "content_filter"}
    return _frame(answer, model) | {
        "status": "completed" if is_whole else "incomplete",
        "incomplete_details": reason,
        "output": list(_items(answer, asked)),
        "usage": _usage(answer),
    }


def write_stream(answer: ModelAnswer, asked: ModelRequest, model: str) -> bytes:
    """Return an answer as a stream."""
    frame, whole = _frame(answer, model), write_answer(answer, asked, model)
    found: list[Data] = [{"type": f"response.{name}", "response": frame} for name in ("created", "in_progress")]
    for place, item in enumerate(whole["output"]):
        found += ({"output_index": place} | data for data in _events_of(item))
    found.append({"type": f"response.{whole['status']}", "response": whole})
    return b"".join(event(data | {"sequence_number": number}) for number, data in enumerate(found))


def local(body: Data) -> Data:
    """Return a request without what makes a server search the web or look into what it stores."""
    kept = {key: value for key, value in body.items() if key not in ("prompt", "conversation")}
    return kept | only_tools(body, lambda item: item.get("type") in _LOCAL)


def _turn(item: Data) -> Turn:
    """Return an item of a conversation; anything but a message, call or result becomes empty."""
    kind = item.get("type", "message")
    if kind in _CALLS:
        arguments = str(item.get(_CALLS[kind]) or "")
        return Turn(role="assistant", calls=(ToolCall(id=str(item["call_id"]), name=item["name"], arguments=arguments),))
    if kind in ("function_call_output", "custom_tool_call_output"):
        return Turn(role="tool", call_id=item["call_id"], text=text_of(item.get("output")))
    if kind == "reasoning":
        return Turn(role="assistant", thinking=text_of(item.get("content") or item.get("summary")))
    if kind == "message":
        role = item["role"]
        return Turn(role="system" if role == "developer" else role, text=text_of(item.get("content")))
    return Turn(role="assistant")


def _tool(item: Data) -> OfferedTool:
    is_text = item["type"] == "custom"
    about = item.get("description") or ""
    if is_text and (grammar := item_of(item, "format", "definition")):
        about += f"\nThe input follows this grammar:\n{grammar}"
    parameters = _TEXT_INPUT if is_text else item.get("parameters") or {"type": "object", "properties": {}}
    return OfferedTool(name=item["name"], about=about, parameters=parameters, is_text=is_text)


def _items(answer: ModelAnswer, asked: ModelRequest) -> Iterator[Data]:
    if answer.thinking:
        summary = [{"type": "summary_text", "text": answer.thinking}]
        yield {"type": "reasoning", "id": f"rs_{answer.id}", "summary": summary}
    if answer.text or not answer.calls:
        content = [{"type": "output_text", "text": answer.text, "annotations": []}]
        yield {"type": "message", "id": f"msg_{answer.id}", "role": "assistant", "status": "completed", "content": content}
    texts = {tool.name for tool in asked.tools if tool.is_text}
    for place, call in enumerate(answer.calls):
        kind = "custom_tool_call" if call.name in texts else "function_call"
        said: Any = call.values.get("input", call.arguments) if call.name in texts else call.arguments
        frame = {"type": kind, "id": f"fc_{answer.id}_{place}", "call_id": call.id, "name": call.name, "status": "completed"}
        yield frame | {_CALLS[kind]: said if isinstance(said, str) else json.dumps(said)}


def _events_of(item: Data) -> Iterator[Data]:
    """Yield the stream events of one item of the answer."""
    kind, named = item["type"], {"item_id": item["id"]}
    field = {"message": "content", "reasoning": "summary"}.get(kind) or _CALLS[kind]
    empty: Any = [] if isinstance(item[field], list) else ""
    yield {"type": "response.output_item.added", "item": item | {field: empty, "status": "in_progress"}}
    if kind in _CALLS:
        name = f"response.{'function_call_arguments' if kind == 'function_call' else 'custom_tool_call_input'}"
        yield named | {"type": f"{name}.delta", "delta": item[field]}
        yield named | {"type": f"{name}.done", field: item[field]}
    else:
        part, index = item[field][0], "content_index" if kind == "message" else "summary_index"
        place = named | {index: 0}
        words = ("content_part", "output_text") if kind == "message" else ("reasoning_summary_part", "reasoning_summary_text")
        yield place | {"type": f"response.{words[0]}.added", "part": part | {"text": ""}}
        yield place | {"type": f"response.{words[1]}.delta", "delta": part["text"]}
        yield place | {"type": f"response.{words[1]}.done", "text": part["text"]}
        yield place | {"type": f"response.{words[0]}.done", "part": part}
    yield {"type": "response.output_item.done", "item": item}


def _frame(answer: ModelAnswer, model: str) -> Data:
    frame = {"id": f"resp_{answer.id}", "object": "response", "created_at": 0, "model": model, "status": "in_progress"}
    return frame | {"output": [], "error": None, "incomplete_details": None, "usage": None}


def _usage(answer: ModelAnswer) -> Data:
    tokens_in, tokens_out = answer.tokens_in or 0, answer.tokens_out or 0
    return {
        "input_tokens": tokens_in,
        "input_tokens_details": {"cached_tokens": answer.tokens_cached},
        "output_tokens": tokens_out,
        "output_tokens_details": {"reasoning_tokens": 0},
        "total_tokens": tokens_in + tokens_out,
    }


RESPONSES = Dialect(
    name="responses",
    read_request=read_request,
    read_answer=read_answer,
    write_answer=write_answer,
    write_stream=write_stream,
    local=local,
    refusal=refusal,
    key_headers=bearer,
)
