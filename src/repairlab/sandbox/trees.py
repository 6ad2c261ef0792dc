"""The folder of this process for trees that slots may turn to, one after the other."""

import atexit
import functools
import os
import shutil
import tempfile
from pathlib import Path


def folder_of_trees() -> Path:
    """Return the folder, made when it is not there; it goes with the process."""
    return _made(os.getpid(), tempfile.gettempdir())


def base_of(tree: Path) -> Path | None:
    """Return the folder if a tree lies in it."""
    folder = folder_of_trees()
    return folder if tree.is_relative_to(folder) else None


@functools.lru_cache(maxsize=8)
def _made(process: int, place: str) -> Path:
    """Make a folder for a process; a fork gets its own."""
    folder = Path(tempfile.mkdtemp(prefix=f"repairlab-trees-{process}-", dir=place)).resolve()
    atexit.register(shutil.rmtree, folder, ignore_errors=True)
    return folder
