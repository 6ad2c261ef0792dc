"""OpenAI Chat Completions: what most servers speak, so that every other dialect is translated to it.

https://platform.openai.com/docs/api-reference/chat
"""

import json
from collections.abc import Sequence
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
    events,
    item_of,
    joined,
    only_tools,
    text_of,
)

FINISHES: dict[Any, Finish] = {"length": "length", "content_filter": "filtered"}
_MODES = ("auto", "none", "required", "")


def read_request(body: Data) -> ModelRequest:
    """Read a client's request."""
    choice = body.get("tool_choice") or ""
    return ModelRequest(
        turns=joined(map(_turn, body.get("messages") or ())),
        tools=tuple(_tool(item["function"]) for item in body.get("tools") or () if item.get("type") == "function"),
        choice=choice if isinstance(choice, str) else choice["function"]["name"],
        max_tokens=count(body.get("max_completion_tokens", body.get("max_tokens"))),
        temperature=body.get("temperature"),
        effort=body.get("reasoning_effort"),
    )


def write_request(asked: ModelRequest, model: str, *, limit_name: str = "max_tokens") -> Data:
    """Return the same request for a chat server; late instructions become the user's, since templates want them on top."""
    turns = list(asked.turns)
    n_system = next((place for place, turn in enumerate(turns) if turn.role != "system"), len(turns))
    system = "\n\n".join(turn.text for turn in turns[:n_system])
    messages = [{"role": "system", "content": system}] if system else []
    body: Data = {"model": model, "messages": messages + [_message(turn) for turn in _in_order(turns[n_system:])]}
    if asked.tools:
        body["tools"] = [
            {"type": "function", "function": {"name": tool.name, "description": tool.about, "parameters": tool.parameters}}
            for tool in asked.tools
        ]
        if asked.choice:
            body["tool_choice"] = asked.choice if asked.choice in _MODES else _named(asked.choice)
    said = {limit_name: asked.max_tokens, "temperature": asked.temperature, "reasoning_effort": asked.effort}
    return body | {name: value for name, value in said.items() if value is not None}


def read_answer(body: bytes) -> ModelAnswer:
    """Read an answer, whole or as a stream."""
    ident, text, thinking, finish, usage = "", "", "", None, None
    calls: dict[int, list[str]] = {}
    for data in events(body):
        ident, usage = str(data.get("id") or ident), data.get("usage") or usage
        for choice in (data.get("choices") or ())[:1]:
            part = choice.get("delta") or choice.get("message") or {}
            text += text_of(part.get("content"))
            thinking += text_of(part.get("reasoning_content") or part.get("reasoning"))
            finish = choice.get("finish_reason") or finish
            for place, item in enumerate(part.get("tool_calls") or ()):
                call = calls.setdefault(item.get("index", place), ["", "", ""])
                function = item.get("function") or {}
                call[0] = call[0] or str(item.get("id") or "")
                call[1] = call[1] or str(function.get("name") or "")
                given = function.get("arguments")
                call[2] += given if isinstance(given, str) else "" if given is None else json.dumps(given)
    return ModelAnswer(
        id=ident,
        text=text,
        thinking=thinking,
        calls=tuple(ToolCall(id=call_id, name=name, arguments=given or "{}") for call_id, name, given in calls.values()),
        finish=FINISHES.get(finish, "stop"),
        tokens_in=count(item_of(usage, "prompt_tokens")),
        tokens_out=count(item_of(usage, "completion_tokens")),
        tokens_cached=count(item_of(usage, "prompt_tokens_details", "cached_tokens")) or 0,
    )


def local(body: Data) -> Data:
    """Return a request without what makes a server search the web."""
    kept = {key: value for key, value in body.items() if key not in ("web_search_options", "plugins")}
    return kept | only_tools(body, lambda item: item.get("type", "function") in ("function", "custom"))


def refusal(status: int, message: str) -> Data:
    """Return an error."""
    return {"error": {"message": message, "type": "refused", "param": None, "code": status}}


def _turn(message: Data) -> Turn:
    role = message["role"]
    calls = tuple(
        ToolCall(id=str(item.get("id") or ""), name=item["function"]["name"], arguments=item["function"].get("arguments") or "{}")
        for item in message.get("tool_calls") or ()
    )
    return Turn(
        role="system" if role in ("system", "developer") else "tool" if role in ("tool", "function") else role,
        text=text_of(message.get("content")),
        thinking=text_of(message.get("reasoning_content") or message.get("reasoning")),
        calls=calls,
        call_id=str(message.get("tool_call_id") or ""),
    )


def _tool(function: Data) -> OfferedTool:
    about, parameters = function.get("description") or "", function.get("parameters") or {"type": "object", "properties": {}}
    return OfferedTool(name=function["name"], about=about, parameters=parameters)


def _in_order(turns: Sequence[Turn]) -> list[Turn]:
    """Return the messages with anything between calls and their results moved after the results, as chat servers want it."""
    found: list[Turn] = []
    for turn in turns:
        place = len(found)
        while turn.role == "tool" and place and found[place - 1].role in ("user", "system"):
            place -= 1
        found.insert(place, turn)
    return found


def _message(turn: Turn) -> Data:
    if turn.role == "tool":
        return {"role": "tool", "tool_call_id": turn.call_id, "content": turn.text}
    message: Data = {"role": "user" if turn.role == "system" else turn.role, "content": turn.text}
    if turn.calls:
        message["tool_calls"] = [
            {"id": call.id, "type": "function", "function": {"name": call.name, "arguments": json.dumps(call.values)}}
            for call in turn.calls
        ]
    return message


def _named(name: str) -> Data:
    return {"type": "function", "function": {"name": name}}


def bearer(key: str) -> dict[str, str]:
    """Return the header that carries the key."""
    return {"Authorization": f"Bearer {key}"}


CHAT = Dialect(
    name="chat",
    read_request=read_request,
    read_answer=read_answer,
    local=local,
    refusal=refusal,
    key_headers=bearer,
)
