"""Embeddings made on this machine."""

from importlib import import_module
from importlib.util import find_spec
from pathlib import Path

import numpy as np
import pytest

from repairlab.core.errors import UserError
from repairlab.repairers.llm.client.in_process import LocalEmbedder

INSTALLED = find_spec("sentence_transformers") is not None


@pytest.mark.skipif(INSTALLED, reason="sentence-transformers is installed")
def test_without_the_extra_the_message_says_how_to_get_it() -> None:
    with pytest.raises(UserError, match=r"'local/tiny' needs sentence-transformers; get it with: .* install 'repairlab\[emb"):
        LocalEmbedder("local/tiny").embed(["text"])


@pytest.mark.skipif(not INSTALLED, reason="sentence-transformers is not installed")
def test_a_model_in_a_folder_embeds_texts(tmp_path: Path) -> None:
    folder = write_model(tmp_path / "tiny")
    embedder = LocalEmbedder(f"local/{folder}")
    one, two, again = embedder.embed(["return a", "return b", "return a"])
    assert one == again
    assert one != two
    assert len(one) == len(two) == 16


@pytest.mark.skipif(not INSTALLED, reason="sentence-transformers is not installed")
def test_a_model_that_is_none_is_one_clear_message(tmp_path: Path) -> None:
    (tmp_path / "odd").mkdir()
    with pytest.raises(UserError, match="cannot load the embedding model"):
        LocalEmbedder(f"local/{tmp_path / 'odd'}").embed(["text"])


def test_nothing_is_loaded_before_it_is_needed() -> None:
    assert LocalEmbedder("local/tiny").name == "local/tiny"


def write_model(folder: Path) -> Path:
    """Write a model with one vector for each of a few tokens."""
    library = import_module("sentence_transformers")
    modules = pytest.importorskip("sentence_transformers.sentence_transformer.modules")
    tokenizers = import_module("tokenizers")
    words = {"[UNK]": 0, "return": 1, "a": 2, "b": 3}
    tokenizer = tokenizers.Tokenizer(tokenizers.models.WordLevel(words, unk_token="[UNK]"))
    tokenizer.pre_tokenizer = tokenizers.pre_tokenizers.Whitespace()
    weights = np.random.default_rng(0).normal(size=(len(words), 16)).astype(np.float32)
    static = modules.StaticEmbedding(tokenizer, embedding_weights=weights)
    library.SentenceTransformer(modules=[static], device="cpu").save(str(folder))
    return folder
