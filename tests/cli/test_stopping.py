"""Ctrl-C and SIGTERM during a run: what is said at once, and what is waited for."""

import contextlib
import os
import signal
import subprocess
import sys
import time
from collections.abc import Callable, Iterator
from pathlib import Path

import pytest

from repairlab.runs.integrity import require_intact
from repairlab.runs.store import Store
from repairlab.sandbox.sandbox import Sandbox
from tests.repairers.llm.answering import Asked, Said, answering

FOR_EVER = 1000.0
REPAIRLAB = [sys.executable, "-m", "repairlab"]
STOP = (signal.SIGINT, signal.SIGTERM)


def silent(asked: Asked) -> Said:
    """Tell of the models, and never answer a question."""
    if asked.method == "GET":
        return Said(body={"data": [{"id": "big", "max_model_len": 8000}]})
    return Said(delay_s=FOR_EVER)


def mute(asked: Asked) -> Said:
    """Say nothing at all."""
    del asked
    return Said(delay_s=FOR_EVER)


@contextlib.contextmanager
def started(command: list[str], folder: Path) -> Iterator[subprocess.Popen[str]]:
    environment = {**os.environ, "VLLM_API_KEY": "EMPTY", "PYTHONUNBUFFERED": "1"}
    process = subprocess.Popen(command, stderr=subprocess.PIPE, stdout=subprocess.DEVNULL, text=True, env=environment, cwd=folder)
    try:
        yield process
    finally:
        process.kill()
        process.communicate()


def wait_until(happened: Callable[[], bool], process: subprocess.Popen[str]) -> None:
    while not happened():
        assert process.poll() is None, process.stderr.read() if process.stderr else ""
        time.sleep(0.02)


@pytest.mark.slow
@pytest.mark.parametrize("number", STOP)
@pytest.mark.parametrize("script", [silent, mute])
@pytest.mark.parametrize("strategy", ["zero-shot", "conversation"])
def test_a_model_that_never_answers_holds_nobody_up(
    tiny: Path, tmp_path: Path, sandbox: Sandbox, number: signal.Signals, script: Callable[[Asked], Said], strategy: str
) -> None:
    talk = ["--feedback", "message", "--attempts", "1", "--turns", "2"] if strategy == "conversation" else ["-n", "2"]
    to = tmp_path / "run"
    with answering(script) as server:
        model = ["--model", "vllm/big", "--base-url", server.base_url, "--strategy", strategy]
        with started([*REPAIRLAB, "run", str(tiny), *model, *talk, "--to", str(to)], tmp_path) as process:
            wait_until(lambda: any(asked.method == ("POST" if script is silent else "GET") for asked in server.asked), process)
            process.send_signal(number)
            _, said = process.communicate(timeout=120)  # far less than the server takes, or the time limit of a request
    assert process.returncode == 130
    # On a busy machine it may stop before it begins to wait, and then does not say that it waits.
    assert f"Stopped; everything so far is in {to}. Go on with: repairlab run --resume {to}" in said
    assert "Traceback" not in said
    require_intact(Store(to))


@pytest.mark.slow
def test_ctrl_c_during_validation_says_at_once_what_it_waits_for(tiny: Path, tmp_path: Path, sandbox: Sandbox) -> None:
    to = tmp_path / "run"
    command = [*REPAIRLAB, "run", str(tiny), "--repairer", "templates", "-n", "40", "-j", "1", "--no-cache", "--to", str(to)]
    with started(command, tmp_path) as process:
        wait_until((to / "outcomes.jsonl").exists, process)
        process.send_signal(signal.SIGINT)
        _, said = process.communicate(timeout=120)
    assert process.returncode == 130
    waiting = "stopping: waiting for the candidate under way, Ctrl-C again does not wait"
    assert f"{waiting}; go on with: repairlab run --resume {to}" in said
    require_intact(Store(to))


@pytest.mark.slow
def test_a_log_says_that_a_run_waits_for_its_model(tiny: Path, tmp_path: Path, sandbox: Sandbox) -> None:
    program = "from repairlab.cli import main, output; output.LOG_EVERY_S = 0.05; main.main()"
    with answering(silent) as server:
        command = ["run", str(tiny), "--model", "vllm/big", "--base-url", server.base_url, "--to", str(tmp_path / "run")]
        with started([sys.executable, "-c", program, *command], tmp_path) as process:
            assert process.stderr is not None
            for line in process.stderr:
                if "0 of 2 bugs, waiting for the model" in line:
                    break
            else:
                pytest.fail("it ended without a word")
