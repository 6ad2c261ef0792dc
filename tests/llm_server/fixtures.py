"""Fixtures that start real servers; `tests/conftest.py` offers them to all tests."""

from collections.abc import Iterator
from pathlib import Path

import pytest

from tests.llm_server import llama_server as server
from tests.llm_server.tiny_model import make_tiny_model


@pytest.fixture(scope="session")
def tiny_model(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Return the GGUF file of the tiny model."""
    return make_tiny_model(tmp_path_factory.mktemp("model"))


@pytest.fixture(scope="session")
def llama_server(tiny_model: Path) -> Iterator[server.Endpoint]:
    """Return a running llama.cpp server with the tiny model."""
    if not server.is_available():
        pytest.skip("the wheel `xllamacpp` with llama.cpp's server is not installed: there is none for this platform")
    with server.serve(tiny_model, embeddings=True) as endpoint:
        yield endpoint
