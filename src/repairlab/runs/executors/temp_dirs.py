"""The folder for all temporary files of one process tree, and how those of killed runs are removed."""

import contextlib
import fcntl
import os
import shutil
import tempfile
import time
from collections.abc import Iterator
from pathlib import Path

PREFIX = "repairlab-run-"
_OWNER = "owner"
"""File in the folder on which the process that made it holds a lock: the kernel drops it however that process ends."""
_NEWBORN_S = 60.0


@contextlib.contextmanager
def scratch_folder() -> Iterator[Path]:
    """Make a folder that is gone after the block; one whose process was killed is removed by the next that is made."""
    _sweep(Path(tempfile.gettempdir()))
    folder = Path(tempfile.mkdtemp(prefix=PREFIX))
    folder.chmod(0o711)  # sandboxed commands of another user must be able to reach trees in it, but not to look for others
    owner = os.open(folder / "new", os.O_CREAT | os.O_RDWR | os.O_CLOEXEC, 0o600)
    pid = os.getpid()
    try:
        fcntl.flock(owner, fcntl.LOCK_EX)
        (folder / "new").rename(folder / _OWNER)  # a sweep never sees it without its lock
        yield folder
    finally:
        if os.getpid() == pid:  # a fork has a copy of this block, and no right to the folder
            shutil.rmtree(folder, ignore_errors=True)
        os.close(owner)


def _sweep(parent: Path) -> None:
    """Remove the folders that killed processes of this user left behind."""
    for folder in parent.glob(f"{PREFIX}*"):
        with contextlib.suppress(OSError):  # another sweep was faster, or it belongs to somebody else
            if not folder.is_symlink() and folder.stat().st_uid == os.geteuid() and _is_orphan(folder):
                shutil.rmtree(folder, ignore_errors=True)


def _is_orphan(folder: Path) -> bool:
    try:
        owner = os.open(folder / _OWNER, os.O_RDWR | os.O_CLOEXEC | os.O_NOFOLLOW)
    except FileNotFoundError:
        return time.time() - folder.stat().st_mtime > _NEWBORN_S  # else it is being made right now
    try:
        fcntl.flock(owner, fcntl.LOCK_EX | fcntl.LOCK_NB)
    except BlockingIOError:
        return False
    finally:
        os.close(owner)
    return True
