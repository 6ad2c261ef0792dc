"""Rewards: what a verdict is worth, and a second stage that learns from real verdicts."""

import json
from pathlib import Path

import pytest

pytest.importorskip("torch", reason="needs the extra: make test-train")
import torch

from repairlab.benchmarks.catalog import open_benchmark
from repairlab.cli.main import run
from repairlab.core.bug import Bug
from repairlab.core.candidate import Edit
from repairlab.core.errors import UserError
from repairlab.core.outcome import Outcome, Stage, Verdict
from repairlab.learning.networks.model import load_model
from repairlab.learning.training.rewards import (
    PUBLISHED,
    RewardSettings,
    learn_from_rewards,
    level_of,
    reward_samples,
    sample_loss,
)
from repairlab.learning.training.settings import load_system
from repairlab.learning.training.train import TrainOptions, train
from repairlab.sandbox.sandbox import Sandbox
from tests import builders
from tests.conftest import write_tiny
from tests.learning.training.synthetic import python_pairs
from tests.learning.training.test_training import Quiet

CANDIDATE = builders.candidate("sum", Edit(path="main.py", text=""), repairer="neural")


def outcome(verdict: Verdict, stage: Stage) -> Outcome:
    return builders.outcome(verdict, stage=stage, policy="first-failure")


@pytest.mark.parametrize(
    ("verdict", "stage", "level"),
    [
        (Verdict.UNAPPLICABLE, "apply", "unchanged"),
        (Verdict.UNCOMPILABLE, "build", "uncompilable"),
        (Verdict.WRONG, "trigger", "compiling"),
        (Verdict.TIMEOUT, "cases", "compiling"),
        (Verdict.CRASH, "regression", "triggers_pass"),
        (Verdict.PLAUSIBLE, "regression", "plausible"),
        (Verdict.UNDECIDED, "build", None),
    ],
)
def test_the_further_a_candidate_comes_the_less_its_fix_weighs(verdict: Verdict, stage: Stage, level: str | None) -> None:
    assert level_of(CANDIDATE, outcome(verdict, stage)) == level
    assert level_of(None, None) == "unchanged"
    assert list(PUBLISHED.values()) == sorted(PUBLISHED.values(), reverse=True) and min(PUBLISHED.values()) > 0


@pytest.fixture(scope="module")
def model(tmp_path_factory: pytest.TempPathFactory) -> Path:
    torch.set_num_threads(1)
    folder = tmp_path_factory.mktemp("rewards")
    pairs = python_pairs(folder / "pairs", {"train": 30, "valid": 10})
    changes = ["training.max_steps=20", "training.evaluate_every=20", "network.width=32"]
    settings = load_system("rewardrepair", preset="small", changes=changes)
    return train(settings, pairs, folder / "model", TrainOptions(device="cpu"), Quiet()).folder


def bugs(tmp_path: Path) -> list[Bug]:
    return list(open_benchmark(str(write_tiny(tmp_path / "tiny"))))


def test_a_fix_becomes_likelier_whatever_the_candidate_came_to(model: Path, tmp_path: Path) -> None:
    falls = []
    for verdict in (Verdict.UNCOMPILABLE, Verdict.PLAUSIBLE):
        loaded = load_model(model, device="cpu")
        samples = reward_samples(bugs(tmp_path / verdict.value), loaded)
        before = float(sample_loss(loaded, samples[0]).detach())
        settings = RewardSettings(epochs=1, learning_rate=1e-3, clip=1e9)
        made = learn_from_rewards(loaded, samples[:1], lambda bug, candidate: outcome(verdict, "build"), settings, Quiet())  # noqa: B023
        falls.append(before - float(sample_loss(loaded, samples[0]).detach()))
        assert made[0].counts in ({"uncompilable": 1}, {"plausible": 1}, {"unchanged": 1})
    assert falls[0] > 0 and falls[1] > 0


def test_the_second_stage_takes_real_verdicts_and_writes_a_new_model(
    model: Path, tmp_path: Path, sandbox: Sandbox, capsys: pytest.CaptureFixture[str]
) -> None:
    tiny, to = write_tiny(tmp_path / "tiny"), tmp_path / "second"
    options = ["--rewards", str(tiny), "--from", str(model), "--to", str(to), "--device", "cpu", "--learning-rate", "1e-3"]
    assert run(["train", "rewardrepair", *options, "--epochs", "2", "--json"]) == 0
    told = json.loads(capsys.readouterr().out)["epochs"]
    assert len(told) == 2 and all(sum(item["counts"].values()) >= 1 for item in told)
    assert (to / "model.safetensors").read_bytes() != (model / "model.safetensors").read_bytes()
    load_model(to, device="cpu")
    assert run(["train", "rewardrepair", *options]) == 2
    assert run(["train", "tufano", *options[:-2], "--to", str(tmp_path / "third")]) == 2
    assert "is a model of the system rewardrepair, not of tufano" in capsys.readouterr().err


def test_the_second_stage_without_rewards_is_a_control_with_the_same_steps(
    model: Path, tmp_path: Path, sandbox: Sandbox, capsys: pytest.CaptureFixture[str]
) -> None:
    tiny = write_tiny(tmp_path / "tiny")
    options = ["--rewards", str(tiny), "--from", str(model), "--device", "cpu", "--learning-rate", "1e-3"]
    alike = [text for level in PUBLISHED for text in ("--reward", f"{level}=1")]
    for name in ("one", "two"):
        assert run(["train", "rewardrepair", *options, *alike, "--seed", "3", "--to", str(tmp_path / name)]) == 0
    assert (tmp_path / "one/model.safetensors").read_bytes() == (tmp_path / "two/model.safetensors").read_bytes()
    told = json.loads((tmp_path / "one/rewards.json").read_text())["settings"]
    assert told["seed"] == 3
    assert set(told["table"].values()) == {1.0}
    for wrong, message in (("plausibel=1", "Did you mean 'plausible'"), ("plausible=much", "'much' is no number")):
        assert run(["train", "rewardrepair", *options, "--reward", wrong, "--to", str(tmp_path / "third")]) == 2
        assert message in capsys.readouterr().err
        assert not (tmp_path / "third").exists()


def test_bugs_that_cannot_be_shown_are_an_error(model: Path) -> None:
    with pytest.raises(UserError, match="none of the 0 bugs"):
        reward_samples([], load_model(model, device="cpu"))
