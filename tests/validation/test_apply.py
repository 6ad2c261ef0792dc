"""Trees that cannot be laid out are our failure; texts that cannot be edited are the candidate's."""

import dataclasses
import errno
import os
from pathlib import Path

import pytest

from repairlab.core.bug import Bug
from repairlab.core.candidate import Edit
from repairlab.core.errors import HarnessError, UserError
from repairlab.validation.apply import changed_files, lay_out, lay_over
from repairlab.validation.paths import is_file
from repairlab.validation.worktree import temporary_folder


def in_tree(bug: Bug, source: str) -> Bug:
    return dataclasses.replace(bug, tree=dataclasses.replace(bug.tree, source=source))


@pytest.mark.parametrize("name", ["a.c", "b.cpp", "include/c.h", "D.java"])
def test_compilers_that_stop_at_a_nul_do_not_get_one(bug: Bug, name: str) -> None:
    with pytest.raises(UserError, match="holds a NUL character"):
        changed_files(bug.candidate((Edit(path=name, text="int a;\0"),), "test"), bug)


def test_a_file_that_is_no_text_is_not_edited(bug: Bug) -> None:
    Path(bug.tree.source, "main.py").write_bytes(b"\xff\xfe")
    with pytest.raises(UserError, match="is not UTF-8 text"):
        changed_files(bug.candidate((Edit(path="main.py", text="x"),), "test"), bug)


def test_a_file_that_cannot_be_read_is_our_failure(bug: Bug) -> None:
    with pytest.raises(HarnessError, match="cannot read 'mem' of bug sum"):  # a plain file to all appearance
        changed_files(bug.candidate((Edit(path="mem", text="x"),), "test"), in_tree(bug, "/proc/self"))


def test_a_tree_that_is_gone_is_our_failure(bug: Bug, tmp_path: Path) -> None:
    gone = in_tree(bug, str(tmp_path / "gone"))
    with pytest.raises(HarnessError, match="cannot lay out bug sum"):
        lay_out(gone, {}, tmp_path / "one")
    with pytest.raises(HarnessError, match="cannot lay out bug sum"):
        lay_over(gone, tmp_path / "gone", tmp_path / "two")
    with pytest.raises(HarnessError, match="cannot list a folder of the tree"):
        is_file(tmp_path / "gone", "main.py")


def test_a_tree_that_is_a_file_is_our_failure(bug: Bug, tmp_path: Path) -> None:
    (tmp_path / "tree").write_text("no folder")
    broken = in_tree(bug, str(tmp_path / "tree"))
    with pytest.raises(HarnessError, match=r"cannot look at 'main\.py' in the tree: Not a directory"):
        changed_files(bug.fix, broken)
    with pytest.raises(HarnessError, match="cannot lay out bug sum"):
        lay_out(broken, {}, tmp_path / "work")


def test_a_name_that_no_file_system_takes_is_the_candidates_failure(tmp_path: Path) -> None:
    with pytest.raises(UserError, match="cannot be the name of a file"):
        is_file(tmp_path, "x" * 300)


def test_a_disk_that_fails_is_our_failure(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    def failing(path: str) -> os.stat_result:
        raise OSError(errno.EIO, "Input/output error", path)

    with monkeypatch.context() as patch, pytest.raises(HarnessError, match=r"cannot look at 'main\.py' in the tree: Input/output"):
        patch.setattr("os.lstat", failing)
        is_file(tmp_path, "main.py")


def test_no_place_for_a_temporary_folder_is_our_failure(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("tempfile.tempdir", str(tmp_path / "gone"))
    with pytest.raises(HarnessError, match="cannot make a temporary folder"), temporary_folder():
        pass
