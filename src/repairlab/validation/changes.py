"""Read what a program changed in its tree; nothing it left behind is run, followed or believed.

The program may have left links, devices, huge files, names that are not text, and a `.git` with its own hooks and filters: only
plain files are opened, and compared with those it was given.
"""

import hashlib
import os
import stat
import sys
from collections.abc import Callable, Iterator
from pathlib import Path

from repairlab.core.bug import Bug
from repairlab.core.candidate import Edit
from repairlab.core.diff import apply_edits
from repairlab.core.errors import HarnessError, UserError
from repairlab.core.recipe import matching
from repairlab.core.record import record
from repairlab.core.text import Span
from repairlab.validation.apply import protected
from repairlab.validation.paths import check_path

LARGEST_FILE = 4 * 1024 * 1024
"""Largest changed file, in bytes, that is read: sources are far smaller."""
MOST_FILES = 100_000
"""Files and folders that a program may add to those it was given."""
MOST_NAMED = 20
"""How many omitted files are named."""
CACHE_TAG = "CACHEDIR.TAG"
"""What marks a folder as a cache (https://bford.info/cachedir/), as test runners, linters and build tools do."""

OWN_FOLDER = ".repairlab"
"""Folder of a workspace that is not part of the candidate: a program may keep its log there, so that it survives a kill."""

_IGNORED = frozenset({".git", "__pycache__", OWN_FOLDER})


@record
class Changes:
    """The difference between what a program was given and what it left."""

    edits: tuple[Edit, ...]
    left_out: tuple[str, ...]
    """Changes that are not part of it, each with the reason."""


def read_changes(given: Path, left: Path, excluded: Callable[[str], str], *, most: int = MOST_FILES) -> Changes:
    """Compare what was given with what is left; `excluded` says why a path does not count, if so.

    If there are too many files and folders, none is taken. Raises HarnessError only for what was given.
    """
    reader = _Reader(given, left, excluded, most)
    reader.read()
    names = reader.left_out
    more = [f"and {len(names) - MOST_NAMED} more"] if len(names) > MOST_NAMED else []
    return Changes(edits=tuple(sorted(reader.edits, key=lambda edit: edit.path)), left_out=(*names[:MOST_NAMED], *more))


class _Reader:
    def __init__(self, given: Path, left: Path, excluded: Callable[[str], str], most: int) -> None:
        self._given, self._left, self._excluded, self._most = given, left, excluded, most
        self.edits: list[Edit] = []
        self.left_out: list[str] = []

    def read(self) -> None:
        before = dict(_entries(self._given, sys.maxsize))
        most = len(before) + self._most
        after = dict(_entries(self._left, most + 1))
        if len(after) > most:
            self.left_out.append(f"everything: more than {self._most} files and folders are new")
            return
        caches = tuple(path.removesuffix(CACHE_TAG) for path in after if path.endswith(f"/{CACHE_TAG}") and path not in before)
        for path, mode in after.items():
            if stat.S_ISDIR(mode) or (caches and path.startswith(caches) and path not in before):
                continue
            if stat.S_ISREG(mode):
                self._file(path, was_file=stat.S_ISREG(before.get(path, 0)))
            elif path not in before or stat.S_IFMT(before[path]) != stat.S_IFMT(mode):
                self._leave_out(path, "no plain file")
        for path, mode in before.items():
            if stat.S_ISREG(mode) and path not in after and not self._is_covered(path, after):
                self._deleted(path)

    def _is_covered(self, path: str, after: dict[str, int]) -> bool:
        """Return whether something other than a folder is in the way of a file, which is reported for itself."""
        parts = path.split("/")
        above = ("/".join(parts[:number]) for number in range(1, len(parts)))
        return any(part in after and not stat.S_ISDIR(after[part]) for part in above)

    def _file(self, path: str, *, was_file: bool) -> None:
        if was_file and _is_equal(self._given / path, self._left / path):
            return
        content = read_plain(self._left / path)
        if content is None:
            self._leave_out(path, f"larger than {LARGEST_FILE} bytes, or closed")
            return
        try:
            text = content.decode("utf-8")
            old = self._old(path) if was_file else None
        except UnicodeDecodeError:
            self._leave_out(path, "no UTF-8 text")
            return
        if "\0" in text:
            self._leave_out(path, "no text")
        elif text != old:
            self._add(Edit(path=path, text=text) if old is None else _smallest(path, old, text))

    def _deleted(self, path: str) -> None:
        try:
            self._old(path)
        except UnicodeDecodeError:
            self._leave_out(path, "no UTF-8 text")
        else:
            self._add(Edit(path=path, text=None))

    def _old(self, path: str) -> str:
        try:
            return (self._given / path).read_bytes().decode("utf-8")
        except OSError as error:
            raise HarnessError(f"cannot read {path} of what a program was given: {error.strerror}") from error

    def _add(self, edit: Edit) -> None:
        try:
            check_path(edit.path)
        except UserError as error:
            self.left_out.append(str(error))
            return
        if reason := self._excluded(edit.path):
            self._leave_out(edit.path, reason)
        else:
            self.edits.append(edit)

    def _leave_out(self, path: str, reason: str) -> None:
        self.left_out.append(f"{path[:200]!a}: {reason}")


def _entries(root: Path, most: int) -> Iterator[tuple[str, int]]:
    """Yield relative path and mode of everything below a folder, up to a number, without following links."""
    folders, n = [""], 0
    while folders:
        folder = folders.pop()
        try:
            listed = os.scandir(f"{root}/{folder}")
        except OSError:
            continue  # closed, or too deep for a path: its files count as they were given
        with listed:
            for entry in listed:
                if entry.name in _IGNORED:
                    continue
                n += 1
                if n > most:
                    return
                path = f"{folder}{entry.name}"
                try:
                    mode = entry.stat(follow_symlinks=False).st_mode
                except OSError:
                    continue
                yield path, mode
                if stat.S_ISDIR(mode):
                    folders.append(f"{path}/")


def read_plain(file: Path, *, largest: int = LARGEST_FILE) -> bytes | None:
    """Return the content of a plain file; None if it is something else, too large, or cannot be opened."""
    try:
        number = os.open(file, os.O_RDONLY | os.O_NOFOLLOW | os.O_NONBLOCK | os.O_CLOEXEC)
    except OSError:
        return None
    with open(number, "rb") as opened:  # noqa: PTH123  # opened above, with flags of its own
        found = os.fstat(number)
        if not stat.S_ISREG(found.st_mode) or found.st_size > largest:
            return None
        return opened.read(largest)


def _is_equal(given: Path, left: Path) -> bool:
    try:
        if given.lstat().st_size != left.lstat().st_size:
            return False
    except OSError:
        return False
    if given.lstat().st_size > LARGEST_FILE:
        return _hash(given) == _hash(left)
    return given.read_bytes() == read_plain(left)


def _hash(file: Path) -> bytes:
    with file.open("rb") as opened:
        return hashlib.file_digest(opened, "sha256").digest()


def _smallest(path: str, old: str, new: str) -> Edit:
    """Return one edit from the first to the last changed line, or of the whole file if line ends would not survive."""
    before, after = old.splitlines(keepends=True), new.splitlines(keepends=True)
    most = min(len(before), len(after))
    head = next((at for at in range(most) if before[at] != after[at]), most)
    tail = next((at for at in range(most - head) if before[-1 - at] != after[-1 - at]), most - head)
    start, end = len("".join(before[:head])), len(old) - len("".join(before[len(before) - tail :]))
    edit = Edit(path=path, text="".join(after[head : len(after) - tail]), span=Span(start=start, end=end))
    return edit if apply_edits([edit], {path: old}) == {path: new} else Edit(path=path, text=new)


def never_taken(path: str, bug: Bug) -> str:
    """Return why a changed file is not part of a candidate, if so: test files and test settings stay ours."""
    if matching([path], bug.oracle.test.files):
        return "a test file"
    return "configuration of tests or builds" if protected([path], bug) else ""
