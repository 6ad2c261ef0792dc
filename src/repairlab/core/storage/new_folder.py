"""A folder that appears whole or not at all."""

import fcntl
import glob
import os
import shutil
import tempfile
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from pathlib import Path

from repairlab.core.errors import UserError


@contextmanager
def new_folder(folder: Path) -> Iterator[Path]:
    """Yield a folder to write to, which gets its name when the block ends well; nothing is left behind otherwise."""
    if folder.exists() and (not folder.is_dir() or any(folder.iterdir())):
        raise UserError(f"{folder} exists and is not an empty folder; name a new folder with --to")
    folder.parent.mkdir(parents=True, exist_ok=True)
    prefix = f".{folder.name}.repairlab-"
    for left in folder.parent.glob(glob.escape(prefix) + "*"):
        with suppress(OSError), _locked(left):  # whoever made it was killed, or else it is locked
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
    """Lock a folder; BlockingIOError when somebody else has."""
    descriptor = os.open(folder, os.O_RDONLY)
    try:
        fcntl.flock(descriptor, fcntl.LOCK_EX | fcntl.LOCK_NB)
        yield
    finally:
        os.close(descriptor)
