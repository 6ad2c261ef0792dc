"""Folders that appear whole or not at all, and temporary ones that vanish with their processes, even killed ones."""

import contextlib
import fcntl
import glob
import os
import shutil
import tempfile
import time
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from pathlib import Path

from repairlab.core.errors import UserError


@contextmanager
def new_folder(folder: Path) -> Iterator[Path]:
    """Yield a folder to write to, which gets its name when the block succeeds; nothing is left behind otherwise."""
    if folder.exists() and (not folder.is_dir() or any(folder.iterdir())):
        raise UserError(f"{folder} exists and is not an empty folder; name a new folder with --to")
    folder.parent.mkdir(parents=True, exist_ok=True)
    prefix = f".{folder.name}.repairlab-"
    for left in folder.parent.glob(glob.escape(prefix) + "*"):
        with suppress(OSError), _locked(left):  # its maker was killed, or else it is locked
            shutil.rmtree(left, ignore_errors=True)
    aside = Path(tempfile.mkdtemp(prefix=prefix, dir=folder.parent))
    aside.chmod(0o755)
    try:
        with _locked(aside):
            yield aside
            if folder.exists():
                folder.rmdir()
            aside.rename(folder)
    finally:
        shutil.rmtree(aside, ignore_errors=True)


@contextmanager
def _locked(folder: Path) -> Iterator[None]:
    """Lock a folder; BlockingIOError if somebody else has."""
    descriptor = os.open(folder, os.O_RDONLY)
    try:
        fcntl.flock(descriptor, fcntl.LOCK_EX | fcntl.LOCK_NB)
        yield
    finally:
        os.close(descriptor)


PREFIX = "repairlab-run-"
_OWNER = "owner"
"""File in the folder on which its maker holds a lock, which the kernel drops however that process ends."""
_NEWBORN_S = 60.0


@contextlib.contextmanager
def scratch_folder() -> Iterator[Path]:
    """Make a folder that is deleted after the block; the next one made removes those of killed processes."""
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
        if os.getpid() == pid:  # a fork has a copy of this block, but no right to the folder
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
