"""mini-swe-agent itself, in the sandbox, by the preset: against a server that follows a script, and against a real model.

`REPAIRLAB_MINI` names its program (`DIR/bin/mini` of a virtual environment with mini-swe-agent); `make test-llm` runs these.
"""

import http.server
import json
import os
import threading
from collections.abc import Iterator
from pathlib import Path

import pytest

from repairlab.cli.main import run
from repairlab.core.outcome import Verdict
from repairlab.runs.store import Store
from repairlab.runs.transcripts import Transcripts
from tests.llm_server.llama_server import Endpoint
from tests.test_agents import verdicts

pytestmark = pytest.mark.llm
STEPS = (
    "find . -type f -not -path './.git/*' && cat main.py",
    "sed -i 's/result = 1/result = 0/' main.py && git diff --stat",
    "echo COMPLETE_TASK_AND_SUBMIT_FINAL_OUTPUT",
)


@pytest.fixture
def program() -> str:
    found = os.environ.get("REPAIRLAB_MINI")
    if not found:
        pytest.skip("REPAIRLAB_MINI does not name the program of mini-swe-agent")
    return found


@pytest.fixture
def scripted() -> Iterator[str]:
    """Run a server that tells an agent what to do, step by step; how far it is shows in what it is sent."""

    class Handler(http.server.BaseHTTPRequestHandler):
        def do_POST(self) -> None:
            asked = json.loads(self.rfile.read(int(self.headers["Content-Length"])))
            step = sum(message["role"] == "assistant" for message in asked["messages"])
            text = f"THOUGHT: step {step}\n\n```mswea_bash_command\n{STEPS[step]}\n```"
            answer = {
                "id": "1",
                "object": "chat.completion",
                "created": 0,
                "model": asked["model"],
                "choices": [{"index": 0, "finish_reason": "stop", "message": {"role": "assistant", "content": text}}],
                "usage": {"prompt_tokens": 100, "completion_tokens": 20, "total_tokens": 120},
            }
            body = json.dumps(answer).encode()
            self.send_response(200)
            self.send_header("Content-Type", "application/json")
            self.send_header("Content-Length", str(len(body)))
            self.end_headers()
            self.wfile.write(body)

        def log_message(self, format: str, *args: object) -> None:
            pass

    server = http.server.ThreadingHTTPServer(("127.0.0.1", 0), Handler)
    threading.Thread(target=server.serve_forever, args=(0.02,), daemon=True).start()
    yield f"http://127.0.0.1:{server.server_address[1]}/v1"
    server.shutdown()
    server.server_close()


def start(tiny: Path, program: str, base_url: str, *more: str) -> int:
    model = ["--model", "llamacpp/tiny", "--base-url", base_url, "-n", "1", "--to", "ran"]
    return run(["run", str(tiny), "-i", "sum", "--preset", "mini-swe-agent", "--program", program, *model, *more])


def test_an_agent_that_does_the_right_thing_fixes_a_bug(
    program: str, scripted: str, tiny: Path, tmp_path: Path, sandbox: object, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)
    assert start(tiny, program, scripted) == 0
    store = Store(tmp_path / "ran")
    (made,) = store.candidates()
    assert verdicts(tmp_path / "ran") == {("sum", 1): Verdict.PLAUSIBLE}
    assert (made.origin.tokens_in, made.origin.tokens_out) == (300, 60)
    log = Transcripts(store).text(made.origin.answer) or ""
    trajectory = json.loads(log[log.index("\n{\n") : log.rindex("\n}") + 2])
    assert trajectory["info"]["exit_status"] == "Submitted"
    files = [line for line in trajectory["messages"][3]["content"].split("\n") if line.startswith("./")]
    assert sorted(files) == ["./ISSUE.md", "./main.py"]


def test_an_agent_with_a_real_model_comes_to_an_end(
    program: str, llama_server: Endpoint, tiny: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)
    options = ("--turn-limit", "3", "--env", "MINI_OPTIONS=-c model.model_kwargs.max_tokens=32")
    assert start(tiny, program, llama_server.base_url, *options) == 0
    (made,) = Store(tmp_path / "ran").candidates()
    assert made.origin.tokens_out > 0
