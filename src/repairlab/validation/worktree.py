"""One folder for the trees of many candidates: what a candidate left behind is put back, and nothing else is touched.

Called by the workbench in `validate`. Nothing runs in the folder while it is put back.
"""

import contextlib
import mmap
import os
import shutil
import stat
import time
from collections.abc import Iterator, Mapping
from pathlib import Path

from repairlab.core.errors import HarnessError, UserError

_YOUNG_NS = 50_000_000
"""A file that changed so shortly before it was looked at may have changed again within the same tick of the file system's clock."""

Stamp = tuple[int, ...]


class WorkTree:
    """The folder `work`, with a copy of what it should hold; candidates' code never sees the copy."""

    def __init__(self, folder: Path) -> None:
        """Take an empty folder, for the tree and its copy."""
        self.work = folder / "work"
        self._kept = folder / "kept"
        self._stamps: dict[str, Stamp] = {}
        self._young: set[str] = set()
        self._trusts_clock = _writes_change_times(folder)

    def keep(self) -> None:
        """Take the tree as it is now for what later calls of `reset` bring back."""
        with _disk_errors("cannot keep a tree"):
            if self._kept.exists():
                shutil.rmtree(self._kept)
            shutil.copytree(self.work, self._kept, symlinks=True)
            self._stamps = {}
            self._young = set()
            for path, found in _entries(self.work):
                self._remember(path, found)

    def reset(self) -> None:
        """Undo all that happened to the tree since it was kept."""
        with _disk_errors("cannot put a tree back"):
            _put_folder_right(str(self.work), str(self._kept))
            seen, gone = set(), set()
            for path, found in list(_entries(self.work)):
                if path.rpartition("/")[0] in gone:
                    gone.add(path)
                elif path not in self._stamps:
                    gone.add(path)
                    _remove(self.work / path)
                elif self._is_right(path, found):
                    seen.add(path)
                else:
                    gone.add(path)
                    _remove(self.work / path)
            for path in sorted(self._stamps.keys() - seen):  # folders before what is in them
                self._bring_back(path)

    def write(self, changed: Mapping[str, str | None]) -> None:
        """Write a candidate's files into the tree; UserError says which does not fit."""
        with _disk_errors("cannot write a candidate's files"):
            for path, text in changed.items():
                write_text(self.work / path, text)

    def _is_right(self, path: str, found: os.stat_result) -> bool:
        """Return whether an entry is as it was kept, or could be put right where it is."""
        if stat.S_ISDIR(found.st_mode):
            if not stat.S_ISDIR(self._stamps[path][1]):
                return False
            _put_folder_right(f"{self.work}/{path}", f"{self._kept}/{path}")
        elif _stamp(found) != self._stamps[path] or path in self._young:
            if not self._is_as_kept(path, found):
                return False
            self._remember(path, found)
        return True

    def _is_as_kept(self, path: str, found: os.stat_result) -> bool:
        """Compare a file or link with its copy, byte for byte."""
        here, kept = self.work / path, self._kept / path
        wanted = kept.lstat()
        if found.st_mode != wanted.st_mode:  # its user may be another one: root hands trees over to the users of commands
            return False
        if stat.S_ISLNK(found.st_mode):
            return os.readlink(here) == os.readlink(kept)  # noqa: PTH115
        same = (found.st_size, found.st_mtime_ns, found.st_nlink) == (wanted.st_size, wanted.st_mtime_ns, 1)
        return same and not _extras(here) and here.read_bytes() == kept.read_bytes()

    def _bring_back(self, path: str) -> None:
        here, kept = self.work / path, self._kept / path
        if kept.is_symlink():
            here.symlink_to(os.readlink(kept))  # noqa: PTH115
        elif kept.is_dir():
            here.mkdir()
            shutil.copystat(kept, here)
        else:
            shutil.copy2(kept, here)
        owner = self._stamps[path][-1]
        if here.lstat().st_uid != owner:
            os.chown(here, owner, owner, follow_symlinks=False)
        self._remember(path, here.lstat())

    def _remember(self, path: str, found: os.stat_result) -> None:
        self._stamps[path] = _stamp(found)
        if self._trusts_clock and found.st_ctime_ns < time.time_ns() - _YOUNG_NS:
            self._young.discard(path)
        else:
            self._young.add(path)


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
    """Return whether an entry is a file or leads to one; a link in a loop leads nowhere."""
    try:
        return entry.is_file()
    except OSError:
        return False


def write_text(file: Path, text: str | None) -> None:
    """Write a file with the folders above it, or delete it; UserError when something else is in the way."""
    try:
        if text is None:
            file.unlink(missing_ok=True)
            return
        file.parent.mkdir(parents=True, exist_ok=True)
        file.write_bytes(text.encode("utf-8", "surrogatepass"))
    except (NotADirectoryError, IsADirectoryError, FileExistsError) as error:
        raise UserError(f"the edit clashes with the tree: {error.strerror}: {Path(error.filename).name}") from None


def _entries(root: Path) -> Iterator[tuple[str, os.stat_result]]:
    """Yield all below a folder, links not followed, folders before what is in them."""
    folders = [""]
    for folder in folders:
        with os.scandir(root / folder) as listed:
            for entry in listed:
                path = f"{folder}/{entry.name}" if folder else entry.name
                yield path, entry.stat(follow_symlinks=False)
                if entry.is_dir(follow_symlinks=False):
                    folders.append(path)


def _stamp(found: os.stat_result) -> Stamp:
    """Return what cannot all stay the same when somebody without rights changes a file; the last one is its user."""
    return (found.st_ino, found.st_mode, found.st_size, found.st_ctime_ns, found.st_nlink, found.st_uid)


def _put_folder_right(here: str, kept: str) -> None:
    """Give a folder the mode of its copy, and no attributes: access lists would apply to all that is made in it."""
    for name in _extras(here):
        os.removexattr(here, name, follow_symlinks=False)
    mode = stat.S_IMODE(os.stat(kept).st_mode)  # noqa: PTH116  # plain names: a tree may have thousands of folders
    if stat.S_IMODE(os.stat(here).st_mode) != mode:  # noqa: PTH116
        os.chmod(here, mode)  # noqa: PTH101


def _extras(path: Path | str) -> list[str]:
    """Return the attributes of a file that its user can set; some file systems have none."""
    try:
        names = os.listxattr(path, follow_symlinks=False)
    except OSError:
        return []
    return [name for name in names if name.startswith(("user.", "system.posix_acl"))]


def _remove(path: Path) -> None:
    if path.is_dir() and not path.is_symlink():
        shutil.rmtree(path)
    else:
        path.unlink()


def _writes_change_times(folder: Path) -> bool:
    """Return whether writing through a memory map changes a file's times, which file systems in memory do not see to."""
    probe = folder / "probe"
    probe.write_bytes(b"old")
    os.utime(probe, ns=(0, 0))
    with probe.open("r+b") as file, mmap.mmap(file.fileno(), 3) as mapped:
        mapped[:] = b"new"
        mapped.flush()
    changed = probe.stat().st_mtime_ns != 0
    probe.unlink()
    return changed


@contextlib.contextmanager
def _disk_errors(what: str) -> Iterator[None]:
    try:
        yield
    except UserError:
        raise
    except (OSError, shutil.Error) as error:
        raise HarnessError(f"{what}: {error}") from error
