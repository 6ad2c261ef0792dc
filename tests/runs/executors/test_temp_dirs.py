import fcntl
import os
import subprocess
import sys
import tempfile
from pathlib import Path

import pytest

from repairlab.core.storage.folders import scratch_folder

LEFT_BEHIND = """
import os, sys, tempfile
from repairlab.core.storage.folders import scratch_folder
tempfile.tempdir = sys.argv[1]
with scratch_folder() as folder:
    (folder / "tree").mkdir()
    (folder / "tree/file").touch()
    print(folder, flush=True)
    sys.stdin.read()
    os._exit(9)
"""


@pytest.fixture(autouse=True)
def _place(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(tempfile, "tempdir", str(tmp_path))


def test_the_folder_is_gone_after_the_block(tmp_path: Path) -> None:
    with scratch_folder() as folder:
        (folder / "x").mkdir()
        assert folder.parent == tmp_path
    assert list(tmp_path.iterdir()) == []


def test_folders_of_killed_processes_are_removed_and_those_of_running_ones_kept(tmp_path: Path) -> None:
    arguments = [sys.executable, "-c", LEFT_BEHIND, str(tmp_path)]
    with subprocess.Popen(arguments, stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True) as other:
        assert other.stdout is not None
        theirs = Path(other.stdout.readline().strip())
        with scratch_folder() as ours:
            assert {theirs, ours} == set(tmp_path.iterdir())
        other.kill()
    assert (theirs / "tree/file").exists()
    with scratch_folder() as ours:
        assert list(tmp_path.iterdir()) == [ours]


def test_links_and_folders_that_are_just_being_made_are_left_alone(tmp_path: Path) -> None:
    (tmp_path / "elsewhere").mkdir()
    (tmp_path / "repairlab-run-link").symlink_to(tmp_path / "elsewhere")
    (tmp_path / "repairlab-run-new").mkdir()
    (tmp_path / "repairlab-run-old").mkdir()
    os.utime(tmp_path / "repairlab-run-old", (0, 0))
    with scratch_folder():
        pass
    assert {path.name for path in tmp_path.iterdir()} == {"elsewhere", "repairlab-run-link", "repairlab-run-new"}


def test_a_folder_is_not_swept_while_it_is_made(monkeypatch: pytest.MonkeyPatch) -> None:
    real = fcntl.flock

    def late(file: int, operation: int) -> None:
        if not operation & fcntl.LOCK_NB:
            monkeypatch.setattr(fcntl, "flock", real)
            with scratch_folder():  # another process begins, and sweeps, just before the lock is taken
                pass
        real(file, operation)

    monkeypatch.setattr(fcntl, "flock", late)
    with scratch_folder() as folder:
        assert folder.exists()
