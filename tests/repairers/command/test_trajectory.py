"""The exchange of an agent with its model as one trajectory."""

import json
from typing import Any

from repairlab.repairers.command.dialects.exchange import ModelAnswer, ModelRequest, ToolCall, Turn
from repairlab.repairers.command.trajectory import Exchange, trajectory

SYSTEM, TASK = Turn(role="system", text="Repair it."), Turn(role="user", text="The sum is wrong.")
CALL = ToolCall(id="1", name="shell", arguments='{"command": "ls"}')
LOOK = ModelAnswer(text="I look.", thinking="Hm.", calls=(CALL,), tokens_in=10, tokens_out=5, tokens_cached=4)
LISTED = Turn(role="tool", call_id="1", text="sum.py")


def exchange(turns: tuple[Turn, ...], answer: ModelAnswer | None, cost_usd: float | None = 0.5) -> Exchange:
    client = "codex_exec/0.169.0 (Debian)"
    return Exchange(
        asked=ModelRequest(turns=turns), answer=answer, client=client, at="2026-01-01T00:00:00Z", seconds=1, cost_usd=cost_usd
    )


def made(*exchanges: Exchange) -> str:
    return trajectory(exchanges, session="sum-0", agent="codex", model="llamacpp/tiny", ended="exited with code 0")


def steps(*exchanges: Exchange) -> list[dict[str, Any]]:
    found: list[dict[str, Any]] = json.loads(made(*exchanges))["steps"]
    assert [step["step_id"] for step in found] == list(range(1, len(found) + 1))
    return found


def test_what_a_request_repeats_is_no_new_step() -> None:
    done = ModelAnswer(text="Done.", tokens_in=20, tokens_out=2)
    found = steps(exchange((SYSTEM, TASK), LOOK), exchange((SYSTEM, TASK, LOOK.turn, LISTED), done))
    assert [(step["source"], step["message"]) for step in found] == [
        ("system", "Repair it."),
        ("user", "The sum is wrong."),
        ("agent", "I look."),
        ("agent", "Done."),
    ]
    assert found[2]["reasoning_content"] == "Hm."
    assert found[2]["tool_calls"] == [{"tool_call_id": "1", "function_name": "shell", "arguments": {"command": "ls"}}]
    assert found[2]["observation"] == {"results": [{"source_call_id": "1", "content": "sum.py"}]}
    assert found[2]["metrics"]["cached_tokens"] == 4


def test_a_text_that_is_said_again_is_a_new_step() -> None:
    go, answer = Turn(role="user", text="Go on."), ModelAnswer(text="Yes.")
    found = steps(exchange((SYSTEM, go), answer), exchange((SYSTEM, go, answer.turn, go), answer))
    assert [step["message"] for step in found[1:]] == ["Go on.", "Yes.", "Go on.", "Yes."]


def test_a_second_conversation_begins_anew() -> None:
    title = Turn(role="system", text="Make titles.")
    found = steps(exchange((title, TASK), ModelAnswer(text="Sum")), exchange((SYSTEM, TASK), LOOK))
    assert [step["message"] for step in found] == ["Make titles.", TASK.text, "Sum", SYSTEM.text, TASK.text, "I look."]


def test_the_end_says_what_all_came_to() -> None:
    data = json.loads(made(exchange((TASK,), LOOK), exchange((TASK,), None)))
    assert data["agent"] == {"name": "codex", "version": "0.169.0", "model_name": "llamacpp/tiny"}
    assert data["final_metrics"] == {
        "total_prompt_tokens": 10,
        "total_completion_tokens": 5,
        "total_cached_tokens": 4,
        "total_cost_usd": 1.0,
        "total_steps": 2,
    }
    assert data["extra"]["ended"] == "exited with code 0"
    assert "total_cost_usd" not in json.loads(made(exchange((TASK,), LOOK, None)))["final_metrics"]


def test_who_asks_nothing_has_no_trajectory() -> None:
    assert made() == ""
