"""Every dialect reads and writes what its public documentation shows; the files hold one conversation and one answer in each."""

import dataclasses
import json
from pathlib import Path

import pytest

from repairlab.repairers.command.dialects.chat import CHAT, write_request
from repairlab.repairers.command.dialects.exchange import Dialect, ModelAnswer, ModelRequest, OfferedTool, ToolCall, Turn
from repairlab.repairers.command.dialects.gemini import GEMINI
from repairlab.repairers.command.dialects.messages import MESSAGES
from repairlab.repairers.command.dialects.responses import RESPONSES

HERE = Path(__file__).parent
DIALECTS = (CHAT, RESPONSES, MESSAGES, GEMINI)
TRANSLATED = DIALECTS[1:]
CALL = ToolCall(id="call_1", name="shell", arguments='{"command": "cat sum.py"}')
SCHEMA = {"type": "object", "properties": {"command": {"type": "string"}}, "required": ["command"]}
ASKED = ModelRequest(
    turns=(
        Turn(role="system", text="Repair it."),
        Turn(role="user", text="The sum is wrong."),
        Turn(role="assistant", text="Let me look.", thinking="The sum is off.", calls=(CALL,)),
        Turn(role="tool", call_id="call_1", text="result = 1"),
        Turn(role="user", text="Go on."),
    ),
    tools=(OfferedTool(name="shell", about="Run a command.", parameters=SCHEMA),),
    choice="auto",
    max_tokens=500,
    effort="low",
)
ANSWER = ModelAnswer(text="Let me look.", thinking="The sum is off.", calls=(CALL,), tokens_in=30, tokens_out=12, tokens_cached=10)


def request(dialect: Dialect) -> dict[str, object]:
    found: dict[str, object] = json.loads((HERE / "requests" / f"{dialect.name}.json").read_text())
    return found


def without_id(answer: ModelAnswer) -> ModelAnswer:
    return dataclasses.replace(answer, id="")


@pytest.fixture(params=DIALECTS, ids=lambda dialect: str(dialect.name))
def dialect(request: pytest.FixtureRequest) -> Dialect:
    found: Dialect = request.param
    return found


@pytest.fixture(params=TRANSLATED, ids=lambda dialect: str(dialect.name))
def translated(request: pytest.FixtureRequest) -> Dialect:
    found: Dialect = request.param
    return found


def test_a_request_means_the_same_in_each_dialect(dialect: Dialect) -> None:
    assert dialect.read_request(request(dialect)) == ASKED


def test_a_recorded_stream_means_the_same_in_each_dialect(dialect: Dialect) -> None:
    assert without_id(dialect.read_answer((HERE / "streams" / f"{dialect.name}.sse").read_bytes())) == ANSWER


@pytest.mark.parametrize(
    "answer",
    [
        ANSWER,
        ModelAnswer(text="Done.", tokens_in=3, tokens_out=2),
        ModelAnswer(text="Cut o", finish="length", tokens_in=3, tokens_out=2),
        ModelAnswer(text="No.", finish="filtered", tokens_in=3, tokens_out=2),
        ModelAnswer(calls=(CALL, dataclasses.replace(CALL, id="call_2", arguments="{}")), tokens_in=3, tokens_out=2),
    ],
)
def test_what_is_written_is_read_again(translated: Dialect, answer: ModelAnswer) -> None:
    assert translated.write_answer
    assert translated.write_stream
    whole = json.dumps(translated.write_answer(answer, ASKED, "m")).encode()
    assert without_id(translated.read_answer(whole)) == answer
    assert without_id(translated.read_answer(translated.write_stream(answer, ASKED, "m"))) == answer


def test_a_written_stream_has_the_events_of_the_recorded_one(translated: Dialect) -> None:
    def kinds(stream: bytes) -> list[str]:
        found = [line for line in stream.decode().split("\n") if line.startswith("event: ") and line != "event: ping"]
        return [line for place, line in enumerate(found) if line != found[place - 1]]  # deltas of one block count once

    assert translated.write_stream
    recorded = kinds((HERE / "streams" / f"{translated.name}.sse").read_bytes())
    written = kinds(translated.write_stream(ANSWER, ASKED, "m"))
    assert [kind for kind in recorded if kind in written] == [kind for kind in written if kind in recorded]
    assert set(recorded) <= set(written)


def test_a_conversation_goes_to_a_chat_server_as_a_chat() -> None:
    sent = write_request(ASKED, "tiny")
    assert [message["role"] for message in sent["messages"]] == ["system", "user", "assistant", "tool", "user"]
    read = CHAT.read_request(sent)
    assert read.turns[2].calls == (CALL,)
    assert read.tools == ASKED.tools
    assert (sent["model"], sent["max_tokens"], sent["reasoning_effort"], sent["tool_choice"]) == ("tiny", 500, "low", "auto")


def test_results_stand_right_behind_their_calls_for_a_chat_server() -> None:
    late = (*ASKED.turns[:3], Turn(role="system", text="Note."), ASKED.turns[3])
    roles = [message["role"] for message in write_request(dataclasses.replace(ASKED, turns=late), "tiny")["messages"]]
    assert roles == ["system", "user", "assistant", "tool", "user"]


def test_a_server_is_not_asked_to_search_the_web(dialect: Dialect) -> None:
    assert "earch" not in json.dumps(dialect.local(request(dialect)))
    assert "shell" in json.dumps(dialect.local(request(dialect)))


def test_a_tool_that_takes_free_text_gets_text() -> None:
    asked = RESPONSES.read_request({"input": "x", "tools": [{"type": "custom", "name": "apply_patch", "description": "Patch."}]})
    answer = ModelAnswer(calls=(ToolCall(id="1", name="apply_patch", arguments='{"input": "*** Begin Patch"}'),))
    assert RESPONSES.write_answer
    (item,) = RESPONSES.write_answer(answer, asked, "m")["output"]
    assert (item["type"], item["input"]) == ("custom_tool_call", "*** Begin Patch")
    (turn,) = RESPONSES.read_request({"input": [item]}).turns
    assert turn.calls[0].values == {"input": "*** Begin Patch"}


def test_thinking_that_a_client_does_not_want_is_left_out() -> None:
    asked = dataclasses.replace(ASKED, wants_thinking=False)
    for dialect in (MESSAGES, GEMINI):
        assert dialect.write_answer
        assert "off" not in json.dumps(dialect.write_answer(ANSWER, asked, "m"))


def test_results_without_ids_belong_to_the_oldest_open_call_of_their_name() -> None:
    calls = [{"functionCall": {"name": "shell", "args": {"command": command}}} for command in ("a", "b")]
    results = [{"functionResponse": {"name": "shell", "response": {"output": said}}} for said in ("of a", "of b")]
    turns = GEMINI.read_request({"contents": [{"role": "model", "parts": calls}, {"role": "user", "parts": results}]}).turns
    ids = [call.id for call in turns[0].calls]
    assert [(turn.call_id, turn.text) for turn in turns[1:]] == [(ids[0], "of a"), (ids[1], "of b")]
    assert ids[0] != ids[1]
