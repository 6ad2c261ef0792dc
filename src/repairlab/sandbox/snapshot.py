"""A tree as it was at one moment, and how to restore it: later changes are undone, and nothing else is touched.

Nothing runs in the tree meanwhile. So private commands can run in the tree itself where a back end has no layers.
"""

import contextlib
import dataclasses
import mmap
import os
import shutil
import stat
import tempfile
import time
from collections.abc import Callable, Collection, Iterator
from pathlib import Path, PurePath

from repairlab.core.execution import Command, Execution
from repairlab.sandbox.failures import our_failure

_YOUNG_NS = 50_000_000
"""A file that changed this shortly before it was looked at may have changed again within one tick of the file system's clock."""

Stamp = tuple[int, ...]


class TreeSnapshot:
    """A copy of what a tree should hold; candidates' code never sees the copy."""

    def __init__(self, tree: Path, copy: Path) -> None:
        """Take the tree and the place for its copy, which must not be there yet."""
        self._tree = tree
        self._kept = copy
        self._stamps: dict[str, Stamp] = {}
        self._young: set[str] = set()
        self._trusts_clock: bool | None = None

    def keep(self, *, owner: int = 0) -> None:
        """Take the tree as it is now for what later calls of `reset` bring back; only what changed is copied.

        It is handed over to an owner who is not root first, so that nothing but commands changes its times from then on.
        """
        with our_failure("cannot keep a tree"):
            if self._trusts_clock is None:
                self._trusts_clock = _writes_change_times(self._kept.parent)
                self._kept.mkdir()
            found = dict(_entries(self._tree))
            for path, entry in found.items() if owner else ():
                found[path] = _hand_over(self._tree / path, entry, owner)
            for path in sorted(self._stamps.keys() - found.keys()):
                _remove(self._kept / path)
                del self._stamps[path]
                self._young.discard(path)
            for path, entry in found.items():
                self._copy_aside(path, entry)
            for path in sorted((path for path, entry in found.items() if stat.S_ISDIR(entry.st_mode)), reverse=True):
                shutil.copystat(self._tree / path, self._kept / path)
            shutil.copystat(self._tree, self._kept)

    def reset(self, *, trusts_times: bool = False) -> tuple[str, ...]:
        """Undo everything that happened to the tree since it was kept, and return which of its entries had changed.

        With `trusts_times`, only commands have touched it, so restored entries had changed, too.
        """
        with our_failure("cannot put a tree back"):
            _put_folder_right(self._tree, self._kept)
            before, seen, touched = dict(self._stamps), set(), set()
            for path, found in list(_entries(self._tree, into=self._is_kept_folder)):
                if path in self._stamps and self._is_right(path, found):
                    seen.add(path)
                    if trusts_times and self._is_touched(found, before[path]):
                        touched.add(path)
                else:
                    _remove(self._tree / path)
            touched |= self._stamps.keys() - seen
            for path in sorted(self._stamps.keys() - seen):  # folders before their content
                self._bring_back(path, owner=self._stamps[path][-1])
            for path in sorted((path for path, stamp in self._stamps.items() if stat.S_ISDIR(stamp[1])), reverse=True):
                _put_times_right(self._tree / path, self._kept / path)
            _put_times_right(self._tree, self._kept)
            return tuple(path for path in sorted(touched) if path.rpartition("/")[0] not in touched)

    def undo(self, paths: Collection[str]) -> None:
        """Restore some paths and the folders above them, where nothing else can have changed since it was kept."""
        with our_failure("cannot put a tree back"):
            folders = {str(folder) for path in paths for folder in PurePath(path).parents} - {"."}
            for path in sorted({*paths, *(folders - self._stamps.keys())}, reverse=True):
                _remove(self._tree / path)
            for path in sorted(self._stamps.keys() & set(paths)):
                self._bring_back(path, owner=self._tree.stat().st_uid)
            for path in sorted(self._stamps.keys() & folders, reverse=True):
                _put_times_right(self._tree / path, self._kept / path)
            _put_times_right(self._tree, self._kept)

    def _is_kept_folder(self, path: str) -> bool:
        """Return whether there was such a folder: others need not be entered, and may be deeper than any path can say."""
        return path in self._stamps and stat.S_ISDIR(self._stamps[path][1])

    def _copy_aside(self, path: str, found: os.stat_result) -> None:
        if self._stamps.get(path) == _stamp(found) and path not in self._young:
            return
        here, kept = self._tree / path, self._kept / path
        is_folder = stat.S_ISDIR(found.st_mode)
        if kept.is_symlink() or (kept.exists() and not (is_folder and kept.is_dir())):
            for below in [known for known in self._stamps if known.startswith(f"{path}/")]:
                del self._stamps[below]  # a folder is no folder any more
            _remove(kept)
        if is_folder:
            kept.mkdir(exist_ok=True)
        else:
            shutil.copy2(here, kept, follow_symlinks=False)
        self._remember(path, found)

    def _is_right(self, path: str, found: os.stat_result) -> bool:
        """Return whether an entry is as it was kept, or could be repaired in place."""
        if stat.S_ISDIR(found.st_mode):
            if not stat.S_ISDIR(self._stamps[path][1]):
                return False
            _put_folder_right(self._tree / path, self._kept / path)
        elif _stamp(found) != self._stamps[path] or path in self._young:
            if not self._is_as_kept(path, found):
                return False
            self._remember(path, found)
        return True

    def _is_touched(self, found: os.stat_result, before: Stamp) -> bool:
        """Return whether a file with the right content was written to anyway; a change of owner does not count."""
        return not stat.S_ISDIR(found.st_mode) and found.st_uid == before[-1] and _stamp(found) != before

    def _is_as_kept(self, path: str, found: os.stat_result) -> bool:
        """Compare a file or link with its copy, byte for byte."""
        here, kept = self._tree / path, self._kept / path
        wanted = kept.lstat()
        if found.st_mode != wanted.st_mode:  # its user may be another one: root hands trees over to the users of commands
            return False
        if stat.S_ISLNK(found.st_mode):
            return os.readlink(here) == os.readlink(kept) and found.st_mtime_ns == wanted.st_mtime_ns  # noqa: PTH115
        same = (found.st_size, found.st_mtime_ns, found.st_nlink) == (wanted.st_size, wanted.st_mtime_ns, 1)
        return same and _attributes(here) == _attributes(kept) and here.read_bytes() == kept.read_bytes()

    def _bring_back(self, path: str, *, owner: int) -> None:
        here, kept = self._tree / path, self._kept / path
        if kept.is_dir() and not kept.is_symlink():
            here.mkdir()
            shutil.copystat(kept, here)
        else:
            shutil.copy2(kept, here, follow_symlinks=False)
        if here.lstat().st_uid != owner:
            os.chown(here, owner, owner, follow_symlinks=False)
        self._remember(path, here.lstat())

    def _remember(self, path: str, found: os.stat_result) -> None:
        self._stamps[path] = _stamp(found)
        if self._trusts_clock and found.st_ctime_ns < time.time_ns() - _YOUNG_NS:
            self._young.discard(path)
        else:
            self._young.add(path)


def _entries(root: Path, *, into: Callable[[str], bool] = bool) -> Iterator[tuple[str, os.stat_result]]:
    """Yield all below a folder, links not followed, folders before what is in them; a folder that is closed to us is opened.

    What is in a folder is looked at only where `into` says so.
    """
    folders = [""]
    for folder in folders:
        try:
            listed = os.scandir(root / folder)
        except PermissionError:
            (root / folder).chmod(0o700)
            listed = os.scandir(root / folder)
        with listed:
            for entry in listed:
                path = f"{folder}/{entry.name}" if folder else entry.name
                yield path, entry.stat(follow_symlinks=False)
                if entry.is_dir(follow_symlinks=False) and into(path):
                    folders.append(path)


def _hand_over(path: Path, found: os.stat_result, owner: int) -> os.stat_result:
    """Give an entry to its owner and return its new state; a file with several names may belong to somebody else, too."""
    if found.st_uid == owner or (stat.S_ISREG(found.st_mode) and found.st_nlink > 1):
        return found
    os.chown(path, owner, owner, follow_symlinks=False)
    return path.lstat()


def _stamp(found: os.stat_result) -> Stamp:
    """Return what cannot all stay the same when an unprivileged user changes a file; the last one is its user."""
    return (found.st_ino, found.st_mode, found.st_size, found.st_ctime_ns, found.st_nlink, found.st_uid)


def _put_folder_right(here: Path, kept: Path) -> None:
    """Give a folder its copy's mode and attributes: access lists would apply to everything made in it."""
    wanted, found = _attributes(kept), _attributes(here)
    for name in found.keys() - wanted.keys():
        os.removexattr(here, name, follow_symlinks=False)
    for name, value in wanted.items():
        if found.get(name) != value:
            os.setxattr(here, name, value, follow_symlinks=False)
    mode = stat.S_IMODE(kept.stat().st_mode)
    if stat.S_IMODE(here.stat().st_mode) != mode:
        here.chmod(mode)


def _put_times_right(here: Path, kept: Path) -> None:
    found, wanted = here.stat(), kept.stat()
    if found.st_mtime_ns != wanted.st_mtime_ns:
        os.utime(here, ns=(found.st_atime_ns, wanted.st_mtime_ns))


def _attributes(path: Path) -> dict[str, bytes]:
    """Return the attributes of a file that its user can set; some file systems have none."""
    try:
        names = os.listxattr(path, follow_symlinks=False)
    except OSError:
        return {}
    wanted = (name for name in names if name.startswith(("user.", "system.posix_acl")))
    return {name: os.getxattr(path, name, follow_symlinks=False) for name in wanted}


def _remove(path: Path) -> None:
    """Remove whatever is at a path, whatever its depth and modes: nested folders are moved up before they are emptied."""
    if path.is_symlink() or not path.is_dir():
        path.unlink(missing_ok=True)
        return
    left = [path]
    for number, folder in enumerate(left):
        folder.chmod(0o700)
        with os.scandir(folder) as entries:
            for place, entry in enumerate(entries):
                if entry.is_dir(follow_symlinks=False):
                    Path(entry).chmod(0o700)  # only then it can be moved
                    left.append(path.with_name(f".gone-{number}-{place}"))
                    Path(entry).rename(left[-1])
                else:
                    Path(entry).unlink()
        folder.rmdir()


def _writes_change_times(folder: Path) -> bool:
    """Return whether writing through a memory map changes a file's times, which file systems in memory do not ensure."""
    probe = folder / "probe"
    probe.write_bytes(b"old")
    os.utime(probe, ns=(0, 0))
    with probe.open("r+b") as file, mmap.mmap(file.fileno(), 3) as mapped:
        mapped[:] = b"new"
        mapped.flush()
    changed = probe.stat().st_mtime_ns != 0
    probe.unlink()
    return changed


class InPlace:
    """Restores one tree after each private command; what was copied for one serves the next."""

    def __init__(self, tree: Path, *, lasting: bool, owner: int = 0) -> None:
        """Take whether the tree stays with the owner between commands; else it is handed over and back, which changes times."""
        self._tree = tree
        self._lasting = lasting
        self._owner = owner
        self._changed: tuple[str, ...] = ()
        self._stack = contextlib.ExitStack()
        self._snapshot: TreeSnapshot | None = None

    @contextlib.contextmanager
    def running(self, command: Command) -> Iterator[Command]:
        """Give the command to run instead; when the block ends, nothing may still run in the tree."""
        if not command.private:
            yield command
            return
        if self._snapshot is None:
            with our_failure("cannot keep a tree"):
                folder = self._stack.enter_context(tempfile.TemporaryDirectory(prefix="repairlab-kept-"))
            self._snapshot = TreeSnapshot(self._tree.resolve(), Path(folder, "kept"))
        self._snapshot.keep(owner=self._owner)
        try:
            sealed = () if self._lasting else command.sealed  # what is ours cannot be the user's for the next command
            yield dataclasses.replace(command, private=False, writable=True, sealed=sealed)
        finally:
            self._changed = self._snapshot.reset(trusts_times=self._lasting or os.geteuid() != 0)

    def noted(self, execution: Execution) -> Execution:
        """Return the record of the last private command with its changes to the tree."""
        return dataclasses.replace(execution, changed=self._changed)

    def close(self) -> None:
        """Forget the copy."""
        with our_failure("cannot remove the copy of a tree"):
            self._stack.close()
