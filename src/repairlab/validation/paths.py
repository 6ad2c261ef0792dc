"""Which paths a candidate may write to: plain ones inside the tree that every file system accepts."""

import errno
import os
import stat
import unicodedata
from collections.abc import Iterable
from pathlib import Path, PurePosixPath

from repairlab.core.errors import HarnessError, UserError

LONGEST_PATH = 1000
"""Bytes: systems accept 4096 for a whole path, of which our own folders need some."""
_LONGEST_NAME = 255
_ABOUT_THE_NAME = (errno.ENAMETOOLONG, errno.EINVAL, errno.EILSEQ)
"""Errors caused by a name: what lies above it was checked before, so ENOTDIR concerns the tree itself."""


def check_path(path: str) -> None:
    """Refuse a path that leaves the tree, reaches into version control, or is not written in the one plain form."""
    try:
        size = len(path.encode())
    except UnicodeEncodeError:
        raise UserError(f"the path {path[:200]!r} holds half of a surrogate pair, which no file name can") from None
    if size > LONGEST_PATH:
        raise UserError(f"the path {path[:60]!r}… has {size} bytes; no more than {LONGEST_PATH} are possible")
    parts = PurePosixPath(path).parts
    outside = not parts or path.startswith("/") or ".." in parts or parts[0] == ".git"
    # Two spellings of one file (`./a`, `a//b`) would slip past the list of test files.
    if outside or path != "/".join(parts) or not path.isprintable() or "\\" in path:
        raise UserError(f"{path[:200]!r} is not a path inside the tree, written plainly with forward slashes")
    if too_long := [part for part in parts if len(part.encode()) > _LONGEST_NAME]:
        raise UserError(f"the name {too_long[0][:60]!r}… in a path has more than {_LONGEST_NAME} bytes")


def is_file(tree: Path, path: str) -> bool:
    """Return whether a checked path is a file of the tree; UserError if something there prevents that."""
    place = str(tree)
    parts = path.split("/")
    for number, part in enumerate(parts, start=1):
        folder, place = place, f"{place}/{part}"
        try:
            mode = os.lstat(place).st_mode
        except FileNotFoundError:
            _need_no_twin(folder, part)
            return False
        except OSError as error:
            if error.errno in _ABOUT_THE_NAME:
                raise UserError(f"{path!r} cannot be the name of a file: {error.strerror}") from None
            raise HarnessError(f"cannot look at {path!r} in the tree: {error.strerror}") from error
        if stat.S_ISLNK(mode):
            raise UserError(f"{path!r} lies behind a symbolic link")
        if number < len(parts) and not stat.S_ISDIR(mode):
            raise UserError(f"{path!r} lies below {'/'.join(parts[:number])!r}, which is a file")
        if number == len(parts) and not stat.S_ISREG(mode):
            raise UserError(f"{path!r} is a folder, or no plain file, in the tree")
    return True


def check_together(paths: Iterable[str]) -> None:
    """Refuse paths of which one is a folder of another, or that differ only in case."""
    files = set(paths)
    spelt: dict[str, str] = {}
    for path in sorted(files):
        parts = path.split("/")
        for number in range(1, len(parts) + 1):
            part = "/".join(parts[:number])
            if number < len(parts) and part in files:
                raise UserError(f"{part!r} is both a file and a folder of the candidate's")
            if (other := spelt.setdefault(_folded(part), part)) != part:
                raise UserError(f"{part!r} and {other!r} are one file where case does not count")


def _need_no_twin(folder: str, name: str) -> None:
    """Refuse a new name that some file systems equate with an existing one: it could replace a test."""
    try:
        others = [entry.name for entry in Path(folder).iterdir()]
    except OSError as error:
        raise HarnessError(f"cannot list a folder of the tree: {error.strerror}") from error
    wanted = _folded(name)
    for other in others:
        if _folded(other) == wanted:
            raise UserError(f"{name!r} is new, but is the same as {other!r} of the tree where case does not count")


def _folded(name: str) -> str:
    return unicodedata.normalize("NFC", unicodedata.normalize("NFC", name).casefold())
