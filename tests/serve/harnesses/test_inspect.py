"""`inspect eval repairlab/BENCHMARK`, for real: its log says of every answer what our own run says of it."""

import json
import math
import os
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest

pytest.importorskip("inspect_ai", reason="the extra inspect is not installed")

from inspect_ai._util.error import PrerequisiteError

from repairlab.core.outcome import Verdict
from repairlab.runs.store import Store
from repairlab.sandbox.sandbox import Sandbox
from repairlab.serve.harnesses.inspect_task import repair, score_of
from tests import builders
from tests.llm_server.llama_server import Endpoint
from tests.serve.harnesses.answering_server import AnsweringServer
from tests.serve.harnesses.conftest import VERDICTS


def inspect(folder: Path, base_url: str, task: str, *options: str) -> "subprocess.CompletedProcess[str]":
    """Run a task with Inspect's own command."""
    chosen = ("--model", "openai-api/local/scripted", "--max-connections", "2", "--log-dir", str(folder), "--log-format", "json")
    return command(folder, "eval", task, *chosen, *options, LOCAL_API_KEY="none", LOCAL_BASE_URL=base_url)


def command(folder: Path, *arguments: str, **environment: str) -> "subprocess.CompletedProcess[str]":
    words = [str(Path(sys.executable).parent / "inspect"), *arguments, "--display", "plain"]
    return subprocess.run(words, env=os.environ | environment, capture_output=True, text=True, check=False, cwd=folder)


def log_of(folder: Path) -> dict[str, Any]:
    (path,) = folder.glob("*.json")
    log: dict[str, Any] = json.loads(path.read_text(encoding="utf-8"))
    assert log["status"] == "success", log.get("error")
    return log


def test_the_log_of_inspect_and_our_run_agree(several: Path, model: AnsweringServer, own_run: Store, tmp_path: Path) -> None:
    done = inspect(tmp_path, model.base_url, "repairlab/repair", "-T", f"benchmark={several}")
    assert done.returncode == 0, done.stdout + done.stderr
    log = log_of(tmp_path)
    found = {sample["id"]: sample for sample in log["samples"]}
    verdicts = {item.bug_id: item.verdict.value for item in own_run.outcomes()}
    assert {bug: sample["scores"]["verdict"]["metadata"]["verdict"] for bug, sample in found.items()} == verdicts == VERDICTS
    proposed = {item.bug_id: item.id for item in own_run.candidates()}
    assert {bug: sample["store"]["candidate"] for bug, sample in found.items()} == proposed
    (score,) = log["results"]["scores"]
    assert score["metrics"]["accuracy"]["value"] == pytest.approx(1 / 5)
    # Both asked the same.
    prompts = [json.dumps([(item["role"], str(item["content"])) for item in messages]) for messages in model.asked]
    assert len(prompts) == 10 and len(set(prompts)) == 5


def test_a_strategy_of_several_turns_is_asked_through(
    several: Path, model: AnsweringServer, sandbox: Sandbox, tmp_path: Path
) -> None:
    options = ("-T", f"benchmark={several}", "-T", "strategy=reasoning", "-T", "include=sum-1", "--epochs", "2")
    done = inspect(tmp_path, model.base_url, "repairlab/repair", *options)
    assert done.returncode == 0, done.stdout + done.stderr
    samples = log_of(tmp_path)["samples"]
    assert [(sample["id"], sample["epoch"]) for sample in samples] == [("sum-1", 1), ("sum-1", 2)]
    (path,) = tmp_path.glob("*.json")
    judge = ("--scorer", "repairlab/verdict", "--overwrite", "--action", "overwrite")
    again = command(tmp_path, "score", str(path), *judge, LOCAL_API_KEY="none", LOCAL_BASE_URL="http://127.0.0.1:9/v1")
    assert again.returncode == 0, again.stdout + again.stderr
    for sample in (*samples, *log_of(tmp_path)["samples"]):
        roles = [message["role"] for message in sample["messages"]]
        assert roles == ["system", *("user", "assistant") * 3]
        assert sample["scores"]["verdict"]["value"] == 1.0


@pytest.mark.slow
def test_a_built_in_benchmark_is_a_task_by_its_name(llama_server: Endpoint, sandbox: Sandbox, tmp_path: Path) -> None:
    options = ("-T", "include=python-version-order", "--max-tokens", "32")
    done = inspect(tmp_path, llama_server.base_url, "repairlab/starter", *options)
    assert done.returncode == 0, done.stdout + done.stderr
    (sample,) = log_of(tmp_path)["samples"]
    assert sample["id"] == "python-version-order" and sample["output"]["usage"]["output_tokens"] > 0
    assert sample["scores"]["verdict"]["metadata"]["verdict"] != "UNDECIDED"


@pytest.mark.parametrize(
    ("options", "message"),
    [
        ({"benchmark": "startr"}, "Did you mean 'starter'?"),
        ({"benchmark": "starter", "strategy": "zero-shoot"}, "Did you mean 'zero-shot'?"),
        ({"benchmark": "starter", "strategy": "conversation"}, "repairlab run"),
        ({"benchmark": "starter", "strategy": "completion"}, "models of Inspect take messages"),
        ({"benchmark": "starter", "include": "pyton-*"}, "unknown bug of starter 'pyton-*'"),
        ({"benchmark": "starter", "localisation": "word"}, "localisation"),
    ],
)
def test_what_cannot_be_asked_is_said(options: dict[str, str], message: str) -> None:
    with pytest.raises(PrerequisiteError) as raised:
        repair(**options)
    assert message in str(raised.value.message)


def test_what_is_undecided_has_no_score() -> None:
    undecided = builders.outcome(Verdict.UNDECIDED, stage="build", message="disk full")
    made = score_of(undecided)
    assert math.isnan(made.as_float()) and made.reason == "scoring_failed" and "disk full" in str(made.explanation)
