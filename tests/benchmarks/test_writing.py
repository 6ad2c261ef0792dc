"""A benchmark is written whole or not at all, and what is written can be read."""

import tomllib
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from repairlab.benchmarks.writing import toml, write_file
from repairlab.core.errors import UserError
from repairlab.core.storage.folders import new_folder

SCALARS = st.booleans() | st.integers(-(2**60), 2**60) | st.floats(allow_nan=False, allow_infinity=False) | st.text()
TABLES = st.recursive(
    st.dictionaries(st.text(), SCALARS | st.lists(st.text())),
    lambda children: st.dictionaries(st.text(), SCALARS | children),
    max_leaves=8,
)


@given(TABLES)
def test_toml_is_read_as_it_was_written(data: dict[str, object]) -> None:
    assert tomllib.loads(toml(data)) == data


def test_none_is_left_out_and_tables_come_last() -> None:
    assert toml({"a": None, "t": {"x": ["é", 'q"']}, "b": 1}) == 'b = 1\n\n[t]\nx = [\n  "é",\n  "q\\"",\n]\n'


def test_a_folder_appears_when_it_is_complete(tmp_path: Path) -> None:
    with new_folder(tmp_path / "made") as aside:
        (aside / "file").write_text("x")
        assert not (tmp_path / "made").exists()
    assert [path.name for path in tmp_path.iterdir()] == ["made"]
    assert (tmp_path / "made/file").read_text() == "x"


def test_nothing_is_left_of_a_folder_that_fails(tmp_path: Path) -> None:
    with pytest.raises(ValueError, match="half way"), new_folder(tmp_path / "made") as aside:
        (aside / "file").write_text("x")
        raise ValueError("half way")
    assert list(tmp_path.iterdir()) == []


def test_a_folder_that_holds_something_is_left_alone(tmp_path: Path) -> None:
    (tmp_path / "kept").write_text("x")
    with pytest.raises(UserError, match="not an empty folder"), new_folder(tmp_path):
        pass
    assert (tmp_path / "kept").read_text() == "x"


@pytest.mark.parametrize("path", ["../out", "/etc/passwd", "a/../../b", ".git/config", "sub/.git/hooks/x"])
def test_paths_that_lead_out_or_carry_history_are_refused(tmp_path: Path, path: str) -> None:
    with pytest.raises(UserError, match="no path within a tree"):
        write_file(tmp_path / "tree", path, b"x")


def test_links_stay_within_the_tree(tmp_path: Path) -> None:
    tree = tmp_path / "tree"
    write_file(tree, "a/file", b"x", executable=True)
    write_file(tree, "a/near", b"file", link=True)
    write_file(tree, "a/far", b"../../secret", link=True)
    write_file(tree, "a/absolute", b"/etc/passwd", link=True)
    assert sorted(path.name for path in (tree / "a").iterdir()) == ["file", "near"]
    assert (tree / "a/near").read_bytes() == b"x" and (tree / "a/file").stat().st_mode & 0o100


def test_what_a_killed_process_left_is_removed_and_what_another_writes_is_not(tmp_path: Path) -> None:
    (tmp_path / ".made.repairlab-killed/bugs").mkdir(parents=True)
    (tmp_path / ".made-mine").mkdir()
    with new_folder(tmp_path / "made") as first:
        with new_folder(tmp_path / "made") as second:
            assert first.is_dir() and second.is_dir()
            assert sorted(path.name for path in tmp_path.iterdir()) == sorted([first.name, second.name, ".made-mine"])
        (tmp_path / "made").rmdir()
    assert sorted(path.name for path in tmp_path.iterdir()) == [".made-mine", "made"]
