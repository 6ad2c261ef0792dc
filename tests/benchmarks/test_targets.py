from pathlib import Path

import pytest

from repairlab.benchmarks.catalog import find_target, open_benchmark
from repairlab.benchmarks.targets import FOLDER, remembered
from repairlab.core.errors import UserError

SOURCE = "def f():\n    return 1  # one\n"


def fail(language: str, source: str, name: str | None) -> object:
    raise AssertionError("it should be known")


def test_what_was_found_is_looked_up_the_next_time(tmp_path: Path) -> None:
    with remembered(find_target, tmp_path, tmp_path / "cache") as find:
        first = find("python", SOURCE, "f")
    with remembered(fail, tmp_path, tmp_path / "cache") as find:  # type: ignore[arg-type]  # it is never called
        assert find("python", SOURCE, "f") == first


def test_another_source_is_looked_at_and_mistakes_are_not_remembered(tmp_path: Path) -> None:
    for _ in range(2):
        with remembered(find_target, tmp_path, tmp_path / "cache") as find:
            assert find("python", SOURCE, "f") != find("python", SOURCE + "\n\n" + SOURCE.replace("f()", "g()"), "g")
            with pytest.raises(UserError, match="unknown target function"):
                find("python", SOURCE, "h")


@pytest.mark.parametrize("content", [b"", b"[]", b"\xff", b'{"a": 1}', b'{"a": [1]}'])
def test_a_damaged_file_counts_for_nothing(tmp_path: Path, tiny: Path, monkeypatch: pytest.MonkeyPatch, content: bytes) -> None:
    monkeypatch.setenv("REPAIRLAB_CACHE", str(tmp_path / "cache"))
    before = open_benchmark(str(tiny))
    (path,) = (tmp_path / "cache" / FOLDER).glob("*.json")
    path.write_bytes(content)
    assert open_benchmark(str(tiny)) == before
