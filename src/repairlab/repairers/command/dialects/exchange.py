"""One request to a model and its answer, independent of any dialect: every dialect is read into it and written from it."""

import json
from collections.abc import Callable, Iterable
from dataclasses import replace
from typing import Any, Literal

from repairlab.core.record import record

Data = dict[str, Any]
"""A JSON object of a client or a server."""
Finish = Literal["stop", "length", "filtered"]


@record
class ToolCall:
    """A tool call that a model makes."""

    id: str
    name: str
    arguments: str
    """JSON text of an object, or the text itself for a free-form tool."""

    @property
    def values(self) -> Data:
        """Return the arguments as an object; what is none becomes `input`.

        >>> ToolCall(id="1", name="sh", arguments='{"cmd": "ls"}').values, ToolCall(id="1", name="sh", arguments="ls").values
        ({'cmd': 'ls'}, {'input': 'ls'})
        """
        try:
            found = json.loads(self.arguments or "{}")
        except ValueError:
            found = self.arguments
        return found if isinstance(found, dict) else {"input": found}


@record
class Turn:
    """One message of a conversation."""

    role: Literal["system", "user", "assistant", "tool"]
    text: str = ""
    thinking: str = ""
    calls: tuple[ToolCall, ...] = ()
    call_id: str = ""
    """The id of the call that a tool's result belongs to."""


@record
class OfferedTool:
    """A function that the model may call."""

    name: str
    about: str
    parameters: Data
    """JSON schema of its arguments."""
    is_text: bool = False
    """Whether it takes free text instead of an object."""


@record
class ModelRequest:
    """A request."""

    turns: tuple[Turn, ...]
    tools: tuple[OfferedTool, ...] = ()
    choice: str = ""
    """auto, none, required, or the name of the tool to call; empty: unspecified."""
    max_tokens: int | None = None
    temperature: float | None = None
    effort: str | None = None
    """How much a reasoning model should think: low, medium, high, …"""
    wants_thinking: bool = True


@record
class ModelAnswer:
    """A model's answer."""

    id: str = ""
    text: str = ""
    thinking: str = ""
    calls: tuple[ToolCall, ...] = ()
    finish: Finish = "stop"
    tokens_in: int | None = None
    """Tokens of the prompt, including cached ones; None if the server does not count."""
    tokens_out: int | None = None
    tokens_cached: int = 0

    @property
    def turn(self) -> Turn:
        """Return the answer as the next message of its conversation."""
        return Turn(role="assistant", text=self.text, thinking=self.thinking, calls=self.calls)


@record
class Dialect:
    """How clients of one kind ask and are answered."""

    name: str
    read_request: Callable[[Data], ModelRequest]
    read_answer: Callable[[bytes], ModelAnswer]
    """Reads a server's answer in the dialect, whole or as a stream; missing parts stay empty."""
    local: Callable[[Data], Data]
    """Removes from a request what the server would run itself, such as a web search: fixes can be found there."""
    write_answer: Callable[[ModelAnswer, ModelRequest, str], Data] | None = None
    """Takes answer, request and the model's name; None for the dialect that every server speaks."""
    write_stream: Callable[[ModelAnswer, ModelRequest, str], bytes] | None = None
    refusal: Callable[[int, str], Data]
    """Takes a status and a message; returns an error that the dialect's clients understand."""
    key_headers: Callable[[str], dict[str, str]]
    """Takes the key; returns the headers that carry it."""


def joined(turns: Iterable[Turn]) -> tuple[Turn, ...]:
    """Return the messages with consecutive ones of the assistant joined, and without empty ones."""
    found: list[Turn] = []
    for turn in turns:
        if turn.role == "assistant" and found and found[-1].role == "assistant":
            last = found[-1]
            text, thinking = ("\n".join(filter(None, pair)) for pair in ((last.text, turn.text), (last.thinking, turn.thinking)))
            found[-1] = replace(last, text=text, thinking=thinking, calls=last.calls + turn.calls)
        elif turn.text or turn.thinking or turn.calls or turn.call_id:
            found.append(turn)
    return tuple(found)


def text_of(content: Any) -> str:
    """Return the text of a message's content: it is a text, or a list of parts, some of them texts.

    >>> text_of("a"), text_of([{"type": "image_url"}]), text_of(None)
    ('a', '[image_url]', '')
    """
    if isinstance(content, list):
        return "\n".join(_part(part) for part in content)
    return "" if content is None else content if isinstance(content, str) else json.dumps(content)


def _part(part: Any) -> str:
    if not isinstance(part, dict):
        return str(part)
    text = part.get("text", part.get("refusal"))
    return text if isinstance(text, str) else f"[{part.get('type', 'part')}]"


def only_tools(body: Data, is_local: Callable[[Data], bool]) -> Data:
    """Return the tools of a request that its client runs itself, and no tool choice if none are left."""
    if not body.get("tools"):
        return {}
    tools = [item for item in body["tools"] if is_local(item)]
    return {"tools": tools} if tools else {"tools": None, "tool_choice": None}


_LINKS = frozenset({"url", "image_url", "file_url", "fileUri", "file_uri"})
_CALLED = frozenset({"input", "args", "functionResponse", "parameters", "input_schema"})


def without_links(value: Any) -> Any:
    """Return a request without the addresses that a server would fetch; arguments and results of tools stay as they are.

    >>> without_links({"messages": [{"image_url": {"url": "https://a.org/fix"}}, {"input": {"url": "https://a.org"}}]})
    {'messages': [{'image_url': {}}, {'input': {'url': 'https://a.org'}}]}
    """
    if isinstance(value, list):
        return [without_links(item) for item in value]
    if not isinstance(value, dict):
        return value
    return {
        key: item if key in _CALLED and isinstance(item, dict) else without_links(item)
        for key, item in value.items()
        if not (key in _LINKS and isinstance(item, str) and not item.startswith("data:"))
    }


def events(body: bytes) -> list[Data]:
    """Return the objects of a reply: the events of a stream, the items of a list, or the reply itself."""
    lines = [line[5:] for line in body.split(b"\n") if line.startswith(b"data:")]
    found: list[Any] = []
    for text in lines or [body]:
        try:
            data = json.loads(text)
        except ValueError:
            continue
        found += data if isinstance(data, list) else [data]
    return [item for item in found if isinstance(item, dict)]


def event(data: Data, *, named: bool = True) -> bytes:
    """Return an event of a stream; a named one carries its type as its name."""
    name = f"event: {data['type']}\n" if named else ""
    return f"{name}data: {json.dumps(data)}\n\n".encode()


def count(value: Any) -> int | None:
    """Return a number of tokens; None if it is not a number."""
    return value if isinstance(value, int) and not isinstance(value, bool) and value >= 0 else None


def item_of(value: Any, *path: str) -> Any:
    """Return what is found in nested objects; none when it is not there.

    >>> item_of({"usage": {"total": 3}}, "usage", "total"), item_of({"usage": None}, "usage", "total")
    (3, None)
    """
    for name in path:
        value = value.get(name) if isinstance(value, dict) else None
    return value
