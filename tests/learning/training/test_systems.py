"""Every system that is shipped: its settings, and that its small twin learns a pattern and writes it back into the code."""

from pathlib import Path

import pytest

pytest.importorskip("torch", reason="needs the extra: make test-train")
import torch

from repairlab.core.errors import UserError
from repairlab.learning.networks.inputs import Written
from repairlab.learning.networks.model import load_ensemble, merge
from repairlab.learning.networks.settings import DecodingSettings
from repairlab.learning.predictions import predict, read_predictions
from repairlab.learning.representations.code import same_code
from repairlab.learning.training.settings import load_system, system_names, with_changes
from repairlab.learning.training.train import TrainOptions, train
from tests.learning.training.synthetic import java_pairs
from tests.learning.training.test_training import Quiet


@pytest.fixture(autouse=True)
def _one_thread() -> None:
    torch.set_num_threads(1)


@pytest.mark.parametrize("name", system_names())
def test_settings_survive_being_written_and_have_a_small_twin(name: str) -> None:
    published, small = load_system(name), load_system(f"{name}-small")
    assert with_changes(published, {}) == published
    assert small == load_system(name, preset="small") != published
    assert small.model.network.width < published.model.network.width
    assert published.model.system == name
    assert published.search


NPR4J = ("codebert-ft", "codet5-ft", "coconut", "codit", "edits", "recoder", "rewardrepair", "sequencer", "tufano", "unixcoder-ft")


@pytest.mark.parametrize("name", NPR4J)
def test_every_system_of_npr4j_has_its_preset_with_beam_300(name: str) -> None:
    made = load_system(name, preset="npr4j")
    assert made.model.decoding.beam == 300
    assert with_changes(made, {}) == made
    assert made.merge == ("equal-shares" if name == "coconut" else "by-score")


def test_recurrent_networks_of_npr4j_are_wide_lstms_trained_with_adagrad() -> None:
    found = {name: load_system(name, preset="npr4j") for name in ("tufano", "sequencer")}
    networks = [made.model.network for made in found.values()]
    assert [(item.kind, item.cell, item.width) for item in networks] == [("recurrent", "lstm", 512)] * 2
    assert [made.training.optimiser for made in found.values()] == ["adagrad"] * 2
    assert [round(made.training.learning_rate, 3) for made in found.values()] == [0.1, 0.427]
    assert found["sequencer"].model.vocabulary.size == 173_766


def test_of_ten_models_the_first_thirty_candidates_each_are_taken() -> None:
    lists = [
        [Written(tokens=(f"{member}", f"{rank}"), logprob=-rank - 0.1 * member, n_tokens=2) for rank in range(300)]
        for member in range(10)
    ]
    found = merge(lists, "equal-shares", 300)
    assert {item.tokens for item in found} == {(f"{member}", f"{rank}") for member in range(10) for rank in range(30)}


def test_presets_that_are_not_there_are_refused() -> None:
    with pytest.raises(UserError, match="lora has no preset npr4j"):
        load_system("lora", preset="npr4j")
    with pytest.raises(UserError, match="unknown preset 'nice'"):
        load_system("lora", preset="nice")
    with pytest.raises(UserError, match="one for each of 5 layers"):
        load_system("coconut", changes=["network.decoder_kernels=[1,2]"])


@pytest.mark.systems
@pytest.mark.parametrize("name", [name for name in system_names() if name != "transformer"])
def test_a_small_twin_learns_a_pattern_of_two_hundred_pairs(name: str, tmp_path: Path) -> None:
    pairs = java_pairs(tmp_path / "pairs", {"train": 200, "valid": 20, "test": 20})
    listener = Quiet()
    made = train(load_system(name, preset="small"), pairs, tmp_path / "model", TrainOptions(device="cpu"), listener)
    assert listener.looks[-1].valid_loss < listener.looks[0].valid_loss
    model = load_ensemble(made.folder, device="cpu")
    decoding = DecodingSettings(beam=2, max_length=model.decoding.max_length)
    predict(model, pairs, "test", tmp_path / "found.jsonl", decoding)
    found = list(read_predictions(tmp_path / "found.jsonl", pairs, "test"))
    right = [bool(texts) and same_code("java", texts[0], pair.fixed) for pair, texts in found]
    assert sum(right) >= 0.95 * len(right)


def test_a_representation_by_its_name_alone_can_be_given_settings() -> None:
    made = load_system("lora", changes=["representation.unit=program", "representation.verdict=true"])
    assert made.model.representation == "instruction"
    assert made.representation == {"unit": "program", "verdict": True}
    assert load_system("lora", changes=["representation=program"]).model.representation == "program"


@pytest.mark.parametrize(
    ("system", "changes", "message"),
    [
        ("tufanno", (), "unknown system 'tufanno'.*Did you mean 'tufano'"),
        ("tufano", ("network.widht=3",), "unknown key of \\[network\\] 'widht'. Did you mean 'width'"),
        ("tufano", ("network.width=wide",), "network.width is 'wide', but it must be a whole number"),
        ("tufano", ("width",), "no change of a setting"),
        ("edits", ("network.heads=5",), "5 heads cannot share"),
        ("tufano", ("network.dropout=1",), "dropout is 1"),
        ("tufano", ("training.epochs=-1",), "epochs is -1"),
        ("missing.toml", (), "no settings file missing.toml"),
    ],
)
def test_wrong_settings_are_refused(system: str, changes: tuple[str, ...], message: str) -> None:
    with pytest.raises(UserError, match=message):
        load_system(system, changes=changes)
