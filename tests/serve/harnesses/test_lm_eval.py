"""A task for lm-evaluation-harness, run by it for real: what it scores is what our own run says of the same answers."""

import json
import os
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest

from repairlab.cli.main import run
from repairlab.core.errors import UserError
from repairlab.core.outcome import Verdict
from repairlab.runs.store import Store
from tests.serve.harnesses.answering_server import AnsweringServer


def lm_eval(folder: Path, base_url: str, task: str, include: Path) -> "subprocess.CompletedProcess[str]":
    """Run a task with the command of lm-evaluation-harness."""
    arguments = f"model=scripted,base_url={base_url}/chat/completions,num_concurrent=1,tokenized_requests=False"
    command = [str(Path(sys.executable).parent / "lm_eval"), "run", "--model", "local-chat-completions", "--model_args", arguments]
    command += ["--tasks", task, "--include_path", str(include), "--apply_chat_template"]
    command += ["--log_samples", "--output_path", str(folder / "out")]
    kept = {"HF_HOME": str(folder / "hf"), "HF_HUB_OFFLINE": "1", "OPENAI_API_KEY": "none"}
    return subprocess.run(command, env=os.environ | kept, capture_output=True, text=True, check=False, cwd=folder)


def test_what_lm_eval_scores_is_what_our_run_says(several: Path, model: AnsweringServer, own_run: Store, tmp_path: Path) -> None:
    pytest.importorskip("lm_eval", reason="the extra lm-eval is not installed")
    before = len(model.asked)
    assert run(["publish", "--task", str(several), "--to", str(tmp_path / "tasks")]) == 0
    done = lm_eval(tmp_path, model.base_url, "repairlab_several", tmp_path / "tasks")
    assert done.returncode == 0, done.stdout + done.stderr
    (path,) = (tmp_path / "out").rglob("samples_repairlab_several_*.jsonl")
    samples = [json.loads(line) for line in path.read_text(encoding="utf-8").splitlines()]
    verdicts = {item.bug_id: item.verdict is Verdict.PLAUSIBLE for item in own_run.outcomes()}
    assert {sample["doc"]["bug"]: bool(sample["plausible"]) for sample in samples} == verdicts
    (path,) = (tmp_path / "out").rglob("results_*.json")
    found: dict[str, Any] = json.loads(path.read_text(encoding="utf-8"))["results"]["repairlab_several"]
    assert found["plausible,none"] == pytest.approx(1 / 5)
    # The model was asked what our run asks.
    asked = {json.dumps([(item["role"], item["content"]) for item in messages]) for messages in model.asked[before:]}
    assert asked <= {json.dumps([(item["role"], item["content"]) for item in messages]) for messages in model.asked[:before]}
    assert len(asked) == 5


def test_a_task_names_its_settings_and_is_written_once(several: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    arguments = ["publish", "--task", str(several), "--to", str(tmp_path), "-i", "sum-1", "--strategy", "title-only", "--json"]
    assert run(arguments) == 0
    told = json.loads(capsys.readouterr().out)
    text = Path(told["path"]).read_text(encoding="utf-8")
    assert told["task"] == "repairlab_several" and '"strategy": "title-only"' in text and '"include": ["sum-1"]' in text
    assert "process_results: !function repairlab.serve.harnesses.lm_eval_task.results" in text
    assert run(arguments) == 2
    assert "exists" in capsys.readouterr().err


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        (("startr",), "Did you mean 'starter'?"),
        (("starter", "--strategy", "zero-shoot"), "Did you mean 'zero-shot'?"),
        (("starter", "--strategy", "reasoning"), "asks 3 times"),
        (("starter", "--strategy", "conversation"), "repairlab run"),
        (("starter", "--strategy", "completion"), "choose one with -i"),
        (("starter", "-i", "pyton-*"), "unknown bug of starter"),
    ],
)
def test_what_cannot_be_a_task_is_said(
    arguments: tuple[str, ...], message: str, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    assert run(["publish", "--task", *arguments, "--to", str(tmp_path / "tasks")]) == 2
    assert message in capsys.readouterr().err and not list(tmp_path.rglob("*.yaml"))


def test_a_task_of_another_version_of_the_benchmark_is_refused(several: Path) -> None:
    pytest.importorskip("datasets", reason="the extra lm-eval is not installed")
    from repairlab.serve.harnesses.lm_eval_task import documents  # noqa: PLC0415

    with pytest.raises(UserError, match="write it again with: repairlab publish --task"):
        documents(benchmark=str(several), digest="another")
