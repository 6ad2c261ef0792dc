"""Pretrained models as they lie on a disk: one GGUF file, its tokenizer, its marks, LoRA on it."""

from pathlib import Path

import pytest

pytest.importorskip("torch", reason="needs the extra: make test-train")
pytest.importorskip("gguf", reason="needs the extra: make test-train")
import torch

from repairlab.core.errors import UserError
from repairlab.learning.networks.inputs import NetworkInput
from repairlab.learning.networks.model import load_model
from repairlab.learning.networks.settings import DecodingSettings
from repairlab.learning.networks.vocabulary import PretrainedTokens
from repairlab.learning.training.settings import load_system
from repairlab.learning.training.train import TrainOptions, train
from tests.learning.networks.tiny_gguf import write_tiny_gguf
from tests.learning.training.synthetic import python_pairs
from tests.learning.training.test_training import Quiet


@pytest.fixture(scope="module")
def gguf_file(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return write_tiny_gguf(tmp_path_factory.mktemp("gguf") / "tiny.gguf")


def _changes(model: Path, *more: str) -> list[str]:
    training = ("training.batch_pairs=4", "training.max_steps=3", "training.exact_match_pairs=2", "training.learning_rate=0.01")
    sizes = ("max_source=400", "max_target=300", "decoding.max_length=20", "decoding.sample=false", "decoding.beam=2")
    return [f"network.pretrained={model}", *training, *sizes, *more]


def test_a_tokenizer_that_pads_with_its_end_mark_still_learns_to_end(gguf_file: Path) -> None:
    tokens = PretrainedTokens.load(gguf_file)
    assert tokens.end == 2
    assert tokens.pad == 0
    assert tokens.target(["x"], ())[-1] == tokens.end
    assert tokens.words(tokens.target(["def f(a):\n    return a"], ())[:-1], ()) == ("def f(a):\n    return a",)


def test_a_message_stands_in_the_chat_template_and_is_cut_within_it(gguf_file: Path) -> None:
    tokens = PretrainedTokens.load(gguf_file, chat=True)
    whole = tokens.source(["fix this"], 100)
    assert tokens._tokenizer.decode(whole.ids) == "<|im_start|>user\nfix this<|im_end|>\n<|im_start|>assistant\n"
    cut = tokens.source(["fix this"], len(whole.ids) - 3)
    assert tokens._tokenizer.decode(cut.ids) == "<|im_start|>user\nfix t<|im_end|>\n<|im_start|>assistant\n"


def test_a_template_that_is_not_there_is_one_message(tmp_path: Path) -> None:
    with pytest.raises(UserError, match="no chat template"):
        PretrainedTokens.load(write_tiny_gguf(tmp_path / "plain.gguf", chat=False), chat=True)


@pytest.mark.parametrize("changes", [(), ("vocabulary.chat=true",), ("network.lora_rank=0",)], ids=["LoRA", "chat", "all weights"])
def test_a_gguf_file_is_tuned_and_used(changes: tuple[str, ...], gguf_file: Path, tmp_path: Path) -> None:
    torch.set_num_threads(1)
    pairs = python_pairs(tmp_path / "pairs", {"train": 8, "valid": 2})
    settings = load_system("lora", changes=_changes(gguf_file, *changes))
    made = train(settings, pairs, tmp_path / "model", TrainOptions(device="cpu"), Quiet())
    model = load_model(made.folder, device="cpu")
    asked = [NetworkInput(source=("def f(a):\n    return 1\n",))]
    first = model.write(asked, DecodingSettings(beam=2, max_length=12))
    assert first == load_model(made.folder, device="cpu").write(asked, DecodingSettings(beam=2, max_length=12))
    assert first[0]


def test_a_model_without_training_is_the_pretrained_one(gguf_file: Path, tmp_path: Path) -> None:
    pairs = python_pairs(tmp_path / "pairs", {"train": 8, "valid": 2})
    found = []
    for name, more in (("none", "training.epochs=0"), ("some", "training.max_steps=3")):
        made = train(
            load_system("lora", changes=_changes(gguf_file, more)), pairs, tmp_path / name, TrainOptions(device="cpu"), Quiet()
        )
        found.append((made.steps, made.metrics["valid_loss"]))
    assert found[0][0] == 0
    assert found[1][0] == 3
    assert found[1][1] < found[0][1]


def test_a_file_that_is_no_model_is_one_message(tmp_path: Path) -> None:
    (tmp_path / "broken.gguf").write_bytes(b"GGUF")
    with pytest.raises(UserError, match=r"cannot load the tokenizer of .*broken.gguf"):
        PretrainedTokens.load(tmp_path / "broken.gguf")
    with pytest.raises(UserError, match=r"cannot load the tokenizer of .*missing.gguf"):
        PretrainedTokens.load(tmp_path / "missing.gguf")
