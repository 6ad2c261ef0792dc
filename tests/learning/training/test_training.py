"""Training from pairs to a model: it learns, it survives kill -9, it is the same whenever it is done again."""

import json
import os
import signal
import subprocess
import sys
import time
from pathlib import Path

import pytest

pytest.importorskip("torch", reason="needs the extra: make test-train")
import torch
from safetensors.torch import load_file

from repairlab.cli.main import run
from repairlab.core.errors import UserError
from repairlab.learning.networks.model import load_ensemble
from repairlab.learning.networks.settings import DecodingSettings
from repairlab.learning.pairs.representing import PairEncoder
from repairlab.learning.predictions import predict, read_predictions
from repairlab.learning.training.cost import cost_table
from repairlab.learning.training.loop import Look
from repairlab.learning.training.search import search_settings
from repairlab.learning.training.settings import SystemSettings, load_system
from repairlab.learning.training.train import TrainOptions, train
from tests.learning.training.synthetic import java_pairs, token_pairs

CPU = TrainOptions(device="cpu", seed=3)
QUICK = ("training.max_steps=24", "training.evaluate_every=8", "network.width=16", "training.batch_pairs=8")


class Quiet:
    """Keeps what it is told."""

    def __init__(self) -> None:
        self.looks: list[Look] = []
        self.notes: list[str] = []

    def begun(self, n_steps: int, step: int) -> None:
        self.n_steps, self.first = n_steps, step

    def stepped(self, step: int, loss: float | None, tokens_s: float) -> None:
        pass

    def looked(self, look: Look) -> None:
        self.looks.append(look)

    def notify(self, text: str) -> None:
        self.notes.append(text)


@pytest.fixture(autouse=True)
def _one_thread() -> None:
    torch.set_num_threads(1)


@pytest.fixture
def pairs(tmp_path: Path) -> Path:
    return token_pairs(tmp_path / "pairs", {"train": 60, "valid": 20, "test": 10})


def small(name: str, *changes: str) -> SystemSettings:
    return load_system(name, preset="small", changes=changes)


@pytest.mark.slow
@pytest.mark.parametrize("name", ["tufano", "transformer"])
def test_a_pattern_of_two_hundred_pairs_is_learnt(name: str, tmp_path: Path) -> None:
    pairs = token_pairs(tmp_path / "pairs", {"train": 200, "valid": 40, "test": 40})
    listener = Quiet()
    made = train(small(name), pairs, tmp_path / "model", CPU, listener)
    assert listener.looks[-1].loss < listener.looks[0].loss
    model = load_ensemble(made.folder, device="cpu")
    predict(model, pairs, "test", tmp_path / "found.jsonl", DecodingSettings(beam=2, max_length=30))
    found = list(read_predictions(tmp_path / "found.jsonl", pairs, "test"))
    assert sum(texts[0] == pair.fixed for pair, texts in found) >= 0.95 * len(found)


def test_the_same_seed_gives_the_same_weights_and_another_one_others(pairs: Path, tmp_path: Path) -> None:
    settings = small("transformer", *QUICK, "network.dropout=0.1")
    one, two = (train(settings, pairs, tmp_path / name, CPU, Quiet()).folder for name in ("one", "two"))
    other = train(settings, pairs, tmp_path / "other", TrainOptions(device="cpu", seed=4), Quiet()).folder
    assert (one / "model.safetensors").read_bytes() == (two / "model.safetensors").read_bytes()
    assert (one / "model.safetensors").read_bytes() != (other / "model.safetensors").read_bytes()
    assert not (one / ".work").exists()
    looks = [json.loads(line) for line in (one / "curves.jsonl").read_text().splitlines()]
    assert [look["step"] for look in looks] == [8, 16, 24]


PROGRAM = """
import sys, torch
from pathlib import Path
from repairlab.learning.training.settings import load_system
from repairlab.learning.training.train import TrainOptions, train
from tests.learning.training.test_training import Quiet
torch.set_num_threads(1)
settings = load_system(sys.argv[1], preset="small", changes=sys.argv[5:])
train(settings, Path(sys.argv[2]), Path(sys.argv[3]), TrainOptions(device="cpu", seed=3, resume=sys.argv[4] == "resume"), Quiet())
"""


@pytest.mark.slow
@pytest.mark.parametrize("name", ["tufano", "transformer", "recoder"])
def test_a_training_that_is_killed_and_resumed_ends_with_the_same_weights(name: str, pairs: Path, tmp_path: Path) -> None:
    changes = [*QUICK, "network.dropout=0.1", "training.checkpoint_s=0", "training.accumulate=2", "training.max_steps=60"]
    whole, killed = tmp_path / "whole", tmp_path / "killed"
    environment = {**os.environ, "PYTHONPATH": str(Path.cwd())}

    def command(folder: Path, mode: str) -> list[str]:
        return [sys.executable, "-c", PROGRAM, name, str(pairs), str(folder), mode, *changes]

    # Each in a process of its own: what other tests left behind in this one can change how torch rounds.
    subprocess.run(command(whole, "begin"), env=environment, check=True)
    for mode in ("begin", "resume"):
        process = subprocess.Popen(command(killed, mode), env=environment)
        before = _checkpoint_time(killed)
        while process.poll() is None and _checkpoint_time(killed) == before:
            time.sleep(0.01)
        process.send_signal(signal.SIGKILL)
        process.wait()
    assert not (killed / "model.safetensors").exists(), "it was over before it could be killed"
    with pytest.raises(UserError, match="--resume"):
        load_ensemble(killed, device="cpu")
    subprocess.run(command(killed, "resume"), env=environment, check=True)
    assert (killed / "model.safetensors").read_bytes() == (whole / "model.safetensors").read_bytes()


def _checkpoint_time(folder: Path) -> int:
    path = folder / ".work" / "checkpoint.pt"
    return path.stat().st_mtime_ns if path.exists() else 0


def test_training_stops_when_nothing_gets_better(pairs: Path, tmp_path: Path) -> None:
    changes = ("training.patience=2", "training.learning_rate=1e-12", "training.schedule=constant", "training.evaluate_every=1")
    listener = Quiet()
    made = train(small("tufano", "network.width=8", *changes), pairs, tmp_path / "model", CPU, listener)
    assert made.steps < listener.n_steps
    assert [look.is_best for look in listener.looks[-2:]] == [False, False]


def test_a_budget_of_time_ends_a_training_with_its_schedule(pairs: Path, tmp_path: Path) -> None:
    listener = Quiet()
    endless = ("training.max_steps=1000000", "training.epochs=1000000", "training.warm_up=1")
    settings = small("transformer", "network.width=16", *endless, "training.budget_s=2")
    made = train(settings, pairs, tmp_path / "model", CPU, listener)
    assert made.steps < 1_000_000
    # Without the budget the schedule would hardly have begun; how far it came depends on how busy the machine is.
    assert listener.looks[-1].learning_rate < 0.9 * settings.training.learning_rate


def test_metrics_say_what_a_training_cost_and_a_table_compares_models(
    pairs: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    made = train(small("transformer", *QUICK), pairs, tmp_path / "model", CPU, Quiet())
    cost = json.loads((made.folder / "metrics.json").read_text())["cost"]
    assert 0 < cost["seconds"] < 500 and cost["tokens"] > 100 and cost["peak_memory_mb"] > 10
    assert cost["device"].startswith("cpu") and cost["energy_j"] is None
    assert run(["train", "--costs", str(made.folder), "--json"]) == 0
    row = json.loads(capsys.readouterr().out)["rows"][0]
    assert [row[3], row[4], row[8], row[9]] == [made.n_parameters, made.steps, cost["tokens"], None]
    assert run(["train", "--costs", str(tmp_path)]) == 2
    assert "trained to its end" in capsys.readouterr().err


def test_a_search_keeps_the_best_of_its_trials_as_one_model(pairs: Path, tmp_path: Path) -> None:
    settings = small("transformer", *QUICK, "merge=equal-shares")
    listener = Quiet()
    trials = search_settings(settings, pairs, tmp_path / "found", CPU, listener, n=3, keep=2)
    told = json.loads((tmp_path / "found" / "trials.json").read_text())
    assert len(trials) == len(told) == 3
    assert len({json.dumps(trial["settings"]) for trial in told}) > 1
    model = load_ensemble(tmp_path / "found", device="cpu")
    assert len(model.members) == 2
    assert model.rule == "equal-shares"
    whole, first = cost_table([tmp_path / "found", trials[0].folder]).rows
    seconds = [cost.seconds for trial in trials[:2] if (cost := trial.cost)]
    assert whole[2] == 2 and first[2] == 1
    assert whole[6] == pytest.approx(sum(seconds), abs=0.1)
    assert [trial["valid_loss"] for trial in told] == sorted(trial["valid_loss"] for trial in told)


@pytest.mark.parametrize(
    ("split", "changes", "message"),
    [
        ("test", (), "has no split|unknown split"),
        ("valid", ("max_target=1",), "targets of more than max_target"),
        ("valid", ("vocabulary.kind=pretrained",), "names no folder or model"),
    ],
)
def test_wrong_input_leaves_nothing_behind(split: str, changes: tuple[str, ...], message: str, tmp_path: Path) -> None:
    pairs = token_pairs(tmp_path / "pairs", {"train": 10, split: 4})
    with pytest.raises(UserError, match=message):
        train(small("transformer", *QUICK, *changes), pairs, tmp_path / "model", CPU, Quiet())
    assert not (tmp_path / "model").exists()


def test_pairs_are_represented_alike_by_one_process_and_by_several(tmp_path: Path) -> None:
    folder = java_pairs(tmp_path / "pairs", {"train": 150})
    found = []
    for workers in (1, 2):
        encoder = PairEncoder(folder, "tufano", {})
        n = encoder.write_tokens("train", tmp_path / "tokens.jsonl", workers=workers)
        found.append((n, encoder.dropped, (tmp_path / "tokens.jsonl").read_bytes()))
    assert found[0] == found[1] and found[0][0] + sum(found[0][1].values()) == 150


def test_a_network_of_trees_needs_a_representation_of_trees(pairs: Path, tmp_path: Path) -> None:
    settings = small("recoder", *QUICK, "representation.name=tokens")
    with pytest.raises(UserError, match="kind is grammar, but the representation tokens learns none"):
        train(settings, pairs, tmp_path / "model", CPU, Quiet())
    assert not (tmp_path / "model").exists()


def test_an_empty_split_is_an_error(tmp_path: Path) -> None:
    pairs = token_pairs(tmp_path / "pairs", {"train": 10, "valid": 4})
    (pairs / "valid.jsonl").write_text("")
    with pytest.raises(UserError, match=r"'valid' of .* has no pair"):
        train(small("transformer", *QUICK), pairs, tmp_path / "model", CPU, Quiet())
    assert not (tmp_path / "model").exists()


def test_a_training_goes_on_with_the_same_settings_only(pairs: Path, tmp_path: Path) -> None:
    train(small("tufano", *QUICK), pairs, tmp_path / "model", CPU, Quiet())
    with pytest.raises(UserError, match="go on with --resume, or name a new folder"):
        train(small("tufano", *QUICK), pairs, tmp_path / "model", CPU, Quiet())
    with pytest.raises(UserError, match="other settings, pairs, seed"):
        train(small("transformer", *QUICK), pairs, tmp_path / "model", TrainOptions(device="cpu", seed=3, resume=True), Quiet())
    with pytest.raises(UserError, match="trained to its end already"):
        train(small("tufano", *QUICK), pairs, tmp_path / "model", TrainOptions(device="cpu", seed=3, resume=True), Quiet())


def test_a_gpu_that_is_not_there_is_an_error(pairs: Path, tmp_path: Path) -> None:
    if torch.cuda.is_available():
        pytest.skip("there is a GPU")
    with pytest.raises(UserError, match="no device 'cuda' here"):
        train(small("tufano", *QUICK), pairs, tmp_path / "model", TrainOptions(device="cuda"), Quiet())
    with pytest.raises(UserError, match="unknown device 'gpu'"):
        train(small("tufano", *QUICK), pairs, tmp_path / "model", TrainOptions(device="gpu"), Quiet())


def test_damaged_models_are_refused(pairs: Path, tmp_path: Path) -> None:
    folder = train(small("tufano", *QUICK), pairs, tmp_path / "model", CPU, Quiet()).folder
    whole = (folder / "vocabulary.json").read_text()
    words = json.loads(whole)
    (folder / "vocabulary.json").write_text(json.dumps({**words, "words": words["words"][:-1]}))
    with pytest.raises(UserError, match="does not fit the vocabulary"):
        load_ensemble(folder, device="cpu")
    (folder / "vocabulary.json").write_text(whole)
    text = (folder / "settings.toml").read_text()
    (folder / "settings.toml").write_text(text.replace("format = 1", "format = 99"))
    with pytest.raises(UserError, match="reads models of format 1"):
        load_ensemble(folder, device="cpu")
    (folder / "settings.toml").write_text(text.replace('kind = "recurrent"', 'kind = "transformer"'))
    with pytest.raises(UserError, match="of another network"):
        load_ensemble(folder, device="cpu")
    with pytest.raises(UserError, match="is no model"):
        load_ensemble(pairs, device="cpu")


def test_weights_are_kept_once(pairs: Path, tmp_path: Path) -> None:
    folder = train(small("transformer", *QUICK), pairs, tmp_path / "model", CPU, Quiet()).folder
    kept = load_file(folder / "model.safetensors")
    assert "source_embedding.weight" in kept and "head.output.weight" not in kept


@pytest.mark.slow
def test_two_processes_train_one_model_and_one_of_them_tells(pairs: Path, tmp_path: Path) -> None:
    several = [sys.executable, "-m", "torch.distributed.run", "--standalone", "--nproc-per-node", "2"]
    changes = [part for change in QUICK for part in ("--set", change)]
    command = [*several, "-m", "repairlab", "train", "transformer", "--preset", "small", "--pairs", str(pairs)]
    made = subprocess.run(
        [*command, "--to", str(tmp_path / "model"), "--device", "cpu", "--json", *changes],
        capture_output=True,
        text=True,
        check=False,
        env={**os.environ, "OMP_NUM_THREADS": "1"},
    )
    assert made.returncode == 0, made.stderr[-2000:]
    assert json.loads(made.stdout)["steps"] == 24
    assert made.stderr.count("step 24, epoch") == 1
    load_ensemble(tmp_path / "model", device="cpu")
