from pathlib import Path

from tests.llm_server.tiny_model import make_tiny_model, tiny_parts


def test_the_tiny_model_is_small_and_the_same_every_time(tiny_model: Path, tmp_path: Path) -> None:
    tiny_parts.cache_clear()
    again = make_tiny_model(tmp_path)
    assert tiny_model.read_bytes() == again.read_bytes()
    assert again.stat().st_size < 1_000_000
