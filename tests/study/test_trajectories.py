"""Steps of agents: calls and observations apart, and of a file that is written again only what changed."""

import json

from repairlab.study.trajectories import steps_of

FILE = "\n".join(f"line {number} of a file that is written as a whole" for number in range(20))


def step(number: int, text: str) -> dict[str, object]:
    call = {"tool_call_id": str(number), "function_name": "write", "arguments": {"path": "a.py", "text": text}}
    return {
        "step_id": number,
        "source": "agent",
        "message": "I <b>write</b>",
        "tool_calls": [call],
        "observation": {"results": [{"source_call_id": str(number), "content": "ok"}]},
        "metrics": {"prompt_tokens": 66, "completion_tokens": 432, "cost_usd": 0.00041, "extra": {"seconds": 22.4}},
    }


def test_a_file_that_is_written_again_is_shown_by_what_changed() -> None:
    first, second, third = steps_of(
        json.dumps(
            {"steps": [step(1, FILE), step(2, FILE.replace("line 7 ", "line 70 ")), step(3, FILE.replace("line 7 ", "line 70 "))]}
        )
    )
    assert FILE in first.calls[0].asked and first.calls[0].observation == "ok"
    assert "+line 70 of" in second.calls[0].asked and "line 19 of" not in second.calls[0].asked
    assert third.calls[0].asked == "path: a.py\ntext: (the same text again)"
    assert first.title == "step 1, agent, 66 prompt tokens, 432 completion tokens, $0.00041, 22 s"
    assert first.text.startswith("I <b>write</b>\n→ write: path: a.py") and steps_of(None) == ()
