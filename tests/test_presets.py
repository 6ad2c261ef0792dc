"""Agents of others, in the sandbox, by their presets: against a server that follows a script, and against a real model.

`REPAIRLAB_AGENTS` names the folders of their programs, such as `~/mini/bin:node_modules/.bin`; `make test-llm` runs these.
"""

import http.server
import json
import os
import re
import shutil
import threading
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from repairlab.cli.main import run
from repairlab.core.outcome import Verdict
from repairlab.repairers.command.preset import presets
from repairlab.runs.store import Store
from repairlab.runs.transcripts import Transcripts
from repairlab.study.trajectories import steps_of
from tests.llm_server.llama_server import Endpoint
from tests.test_agents import verdicts

pytestmark = pytest.mark.llm
AGENTS = [name for name, preset in presets().items() if preset.is_agent]
COMMANDS = (r"sed -i 's/\[:-1\]//' shop/cart.py; git diff --stat", "./check; git log --format=%s")
ENDS = ("echo COMPLETE_TASK_AND_SUBMIT_FINAL_OUTPUT", "The last item counts again.")
PRICES = '[models]\n"llamacpp/tiny" = { input = 1000000, output = 1000000 }\n'


@pytest.fixture(params=AGENTS)
def agent(request: pytest.FixtureRequest) -> tuple[str, str]:
    """Return the name of a preset and its program."""
    found = shutil.which(presets()[request.param].program, path=os.environ.get("REPAIRLAB_AGENTS", ""))
    if not found:
        pytest.skip(f"REPAIRLAB_AGENTS names no folder with the program of {request.param}")
    return request.param, found


def message(asked: dict[str, Any]) -> dict[str, Any]:
    """Return what the model says next: a call of the shell where there are tools, else what the agent reads in its place."""
    said = json.dumps(asked["messages"])
    if "mswea_bash_command" in said:
        step = sum(turn["role"] == "assistant" for turn in asked["messages"])
        return {"content": f"THOUGHT: go on\n\n```mswea_bash_command\n{(*COMMANDS, ENDS[0])[step]}\n```"}
    if "entire content of the file" in said:
        source = re.search(r"class Cart.*?\[:-1\].*?\n", "\n".join(str(turn["content"]) for turn in asked["messages"]), re.DOTALL)
        return {"content": f"shop/cart.py\n```\n{source[0].replace('[:-1]', '')}```" if source else ENDS[1]}
    tools = {tool["function"]["name"]: tool["function"]["parameters"] for tool in asked.get("tools", ())}
    shell = next((name for name in tools if re.search(r"bash|shell|exec_command|terminal", name, re.IGNORECASE)), None)
    step = sum(turn["role"] == "tool" for turn in asked["messages"])
    if shell is None or step >= len(COMMANDS):
        return {"content": ENDS[1], "reasoning_content": "All tests pass."}
    names = tools[shell]["properties"]
    values = {name: COMMANDS[step] for name in ("command", "cmd") if name in names}
    values |= {name: "go on" for name in tools[shell].get("required", ()) if name not in values}
    call = {"id": f"call_{step}", "type": "function", "function": {"name": shell, "arguments": json.dumps(values)}}
    return {"content": None, "reasoning_content": f"This is step {step}.", "tool_calls": [call]}


class Scripted(http.server.BaseHTTPRequestHandler):
    """Answers every chat by the script, whole or as a stream."""

    def do_POST(self) -> None:
        asked = json.loads(self.rfile.read(int(self.headers["Content-Length"])))
        said = {"role": "assistant", **message(asked)}
        reason = "tool_calls" if "tool_calls" in said else "stop"
        frame = {"id": "1", "created": 0, "model": asked["model"]}
        usage = {"prompt_tokens": 100, "completion_tokens": 20, "total_tokens": 120}
        if asked.get("stream"):
            said |= {"tool_calls": [{"index": 0} | call for call in said.get("tool_calls", ())]} if "tool_calls" in said else {}
            begin = {**frame, "object": "chat.completion.chunk", "choices": [{"index": 0, "delta": said, "finish_reason": None}]}
            end = {**begin, "choices": [{"index": 0, "delta": {}, "finish_reason": reason}], "usage": usage}
            body = "".join(f"data: {part}\n\n" for part in (json.dumps(begin), json.dumps(end), "[DONE]")).encode()
        else:
            choices = [{"index": 0, "finish_reason": reason, "message": said}]
            body = json.dumps({**frame, "object": "chat.completion", "choices": choices, "usage": usage}).encode()
        self.send_response(200)
        self.send_header("Content-Type", "text/event-stream" if asked.get("stream") else "application/json")
        self.send_header("Content-Length", str(len(body)))
        self.end_headers()
        self.wfile.write(body)

    def log_message(self, format: str, *args: object) -> None:
        pass


@pytest.fixture
def scripted() -> Iterator[str]:
    server = http.server.ThreadingHTTPServer(("127.0.0.1", 0), Scripted)
    threading.Thread(target=server.serve_forever, args=(0.02,), daemon=True).start()
    yield f"http://127.0.0.1:{server.server_address[1]}/v1"
    server.shutdown()
    server.server_close()


@pytest.fixture
def here(tmp_path: Path, sandbox: object, monkeypatch: pytest.MonkeyPatch) -> Path:
    monkeypatch.chdir(tmp_path)
    (tmp_path / "prices.toml").write_text(PRICES)
    return tmp_path


def start(tiny: Path, agent: tuple[str, str], base_url: str, *more: str) -> int:
    name, program = agent
    model = ["--model", "llamacpp/tiny", "--base-url", base_url, "-n", "1", "--to", "ran", "--call-timeout", "300"]
    return run(["run", str(tiny), "-i", "shop", "--preset", name, "--program", program, "--show-tests", *model, *more])


def test_an_agent_that_does_the_right_thing_fixes_a_bug(agent: tuple[str, str], scripted: str, tiny: Path, here: Path) -> None:
    assert start(tiny, agent, scripted) == 0
    store = Store(here / "ran")
    (made,) = store.candidates()
    assert verdicts(here / "ran") == {("shop", 1): Verdict.PLAUSIBLE}
    n = int(dict(made.origin.settings)["requests"])
    assert (made.origin.tokens_in, made.origin.tokens_out) == (100 * n, 20 * n)
    trajectory = Transcripts(store).text(made.origin.kept("trajectory")) or ""
    assert json.loads(trajectory)["agent"]["name"] == agent[0]
    said = "\n".join(step.text for step in steps_of(trajectory))
    assert agent[0] == "aider" or "2 of 2 tests pass\nThe buggy tree" in re.sub(r"\n +", "\n", said)


@pytest.mark.parametrize(
    ("limit", "ended"),
    [
        (("--turn-limit", "1"), "request limit"),
        (("--token-limit", "100"), "token limit"),
        (("--call-cost", "1", "--prices", "prices.toml"), "cost limit"),
        (("--call-timeout", "1"), "time limit"),
    ],
)
def test_every_limit_stops_every_agent(
    agent: tuple[str, str], limit: tuple[str, ...], ended: str, scripted: str, tiny: Path, here: Path
) -> None:
    assert start(tiny, agent, scripted, "--keep-going", *limit) == 0
    (made,) = Store(here / "ran").candidates()
    facts = dict(made.origin.settings)
    if agent[0] != "aider" or ended == "time limit":  # which may be done after one request
        assert facts["ended"] == f"ended by the {ended}"
    assert int(facts["requests"]) <= 2


def test_an_agent_with_a_real_model_comes_to_an_end(agent: tuple[str, str], llama_server: Endpoint, tiny: Path, here: Path) -> None:
    assert start(tiny, agent, llama_server.base_url, "--turn-limit", "3", "--keep-going") == 0
    (made,) = Store(here / "ran").candidates()
    assert made.origin.kept("trajectory")
