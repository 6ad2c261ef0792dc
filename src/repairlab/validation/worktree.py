"""One folder for the trees of many candidates: it is restored after each, and nothing else is touched.

Nothing runs in the folder while it is restored.
"""

import os
import tempfile
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from pathlib import Path

from repairlab.core.errors import HarnessError, UserError
from repairlab.sandbox.failures import our_failure
from repairlab.sandbox.snapshot import TreeSnapshot
from repairlab.sandbox.trees import folder_of_trees


class WorkTree:
    """The folder `work`, with a copy of what it should hold; candidates' code never sees the copy."""

    def __init__(self, folder: Path) -> None:
        """Take an empty folder, for the tree and its copy."""
        self.work = folder / "work"
        self.kept = folder / "kept"
        """The copy."""
        self._snapshot = TreeSnapshot(self.work, self.kept)
        self._written: set[str] = set()

    def keep(self) -> None:
        """Take the current tree as the one that `reset` restores."""
        self._snapshot.keep()
        self._written.clear()

    def reset(self, *, only_written: bool = False) -> None:
        """Undo everything that happened to the tree since it was kept, perhaps only the files written here."""
        if only_written:
            self._snapshot.undo(self._written)
        else:
            self._snapshot.reset()
        self._written.clear()

    def write(self, changed: Mapping[str, str | None]) -> None:
        """Write a candidate's files into the tree; UserError says which does not fit."""
        self._written.update(changed)
        with our_failure("cannot write a candidate's files"):
            for path, text in changed.items():
                write_text(self.work / path, text)
                hand_over(self.work, path)


def hand_over(work: Path, path: str) -> None:
    """Give new entries of a tree to the user to whom root has given the tree, so that commands may write to it."""
    owner = work.stat().st_uid
    for part in [work / path, *(work / path).parents] if owner != os.geteuid() else ():
        if part == work:
            return
        if os.path.lexists(part) and part.lstat().st_uid != owner:
            os.chown(part, owner, owner, follow_symlinks=False)


def files_below(root: Path) -> list[str]:
    """Return the relative paths of all files below a folder, links to files included, in order."""
    found, folders = [], [""]
    for folder in folders:
        with os.scandir(root / folder) as listed:
            for entry in listed:
                if entry.is_dir(follow_symlinks=False):
                    folders.append(f"{folder}{entry.name}/")
                elif _is_file(entry):
                    found.append(f"{folder}{entry.name}")
    return sorted(found)


def _is_file(entry: "os.DirEntry[str]") -> bool:
    """Return whether an entry is a file or leads to one; a looping link leads nowhere."""
    try:
        return entry.is_file()
    except OSError:
        return False


def write_text(file: Path, text: str | None) -> None:
    """Write a file and the folders above it, or delete it; UserError if something else is in the way."""
    try:
        if text is None:
            file.unlink(missing_ok=True)
            return
        file.parent.mkdir(parents=True, exist_ok=True)
        file.write_bytes(text.encode("utf-8", "surrogatepass"))
    except (NotADirectoryError, IsADirectoryError, FileExistsError) as error:
        raise UserError(f"the edit clashes with the tree: {error.strerror}: {Path(error.filename).name}") from None


@contextmanager
def temporary_folder() -> Iterator[Path]:
    """Make a folder that is deleted after the block; failing to make it is our own failure."""
    try:
        made = tempfile.TemporaryDirectory(dir=folder_of_trees(), ignore_cleanup_errors=True)
    except OSError as error:
        raise HarnessError(f"cannot make a temporary folder: {error}") from error
    with made as folder:
        yield Path(folder)
