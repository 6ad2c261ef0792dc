"""The files of a bug on disk, its tree and its cases: texts that are read on demand, and signs of change."""

import hashlib
import os
from collections.abc import Iterator, Sequence
from functools import lru_cache
from pathlib import Path
from typing import overload

from repairlab.core.bug import Case, Checker
from repairlab.core.errors import HarnessError, UserError
from repairlab.core.problem import SourceFile
from repairlab.core.recipe import matching
from repairlab.core.record import record

_TREES_KEPT = 4


@record
class TreeFiles:
    """The UTF-8 files of a tree by relative path, line endings untouched, and a content hash of all its files."""

    texts: dict[str, str]
    digest: str


@record
class FolderState:
    """What tells whether any file of a folder has changed, without reading them."""

    signature: str
    """Hash over the path, inode, size, mode and times of all files; no process can reset the time of change."""
    changed: float
    """When a file last changed, in seconds."""


class TreeContext(Sequence[SourceFile]):
    """The files of a tree that a repairer may read, without hidden ones and the one to fix; a few trees are kept in memory."""

    def __init__(self, tree: Path, digest: str, *, without: str, hidden: tuple[str, ...]) -> None:
        """Take the tree with its digest, the path of the file to fix, and the patterns of hidden files."""
        self._tree = str(tree)
        self._digest = digest
        self._without = without
        self._hidden = hidden

    def moved(self, tree: Path) -> "TreeContext":
        """Return the same files in a copy of the tree."""
        return TreeContext(tree, self._digest, without=self._without, hidden=self._hidden)

    def __len__(self) -> int:
        return len(self._paths())

    @overload
    def __getitem__(self, which: int) -> SourceFile: ...
    @overload
    def __getitem__(self, which: slice) -> tuple[SourceFile, ...]: ...
    def __getitem__(self, which: int | slice) -> "SourceFile | tuple[SourceFile, ...]":
        """Return a file by its place, or several by a slice."""
        return tuple(self)[which]

    def __iter__(self) -> Iterator[SourceFile]:
        texts = _read_again(self._tree, self._digest)
        return (SourceFile(path=path, text=texts[path]) for path in self._paths())

    def __eq__(self, other: object) -> bool:
        if isinstance(other, TreeContext):
            return self._meaning == other._meaning  # without looking at the trees, one of which may be gone by now
        return isinstance(other, Sequence) and tuple(self) == tuple(other)

    def __hash__(self) -> int:
        return hash(self._digest)

    @property
    def _meaning(self) -> tuple[object, ...]:
        return self._digest, self._without, self._hidden

    def _paths(self) -> list[str]:
        texts = _read_again(self._tree, self._digest)
        hidden = {*matching(texts, self._hidden), self._without}
        return [path for path in texts if path not in hidden]


@lru_cache(maxsize=_TREES_KEPT)
def _read_again(tree: str, digest: str) -> dict[str, str]:
    """Return the texts of a tree, known by its digest."""
    try:
        found = read_tree(Path(tree))
    except OSError:
        found = None
    if found is None or found.digest != digest:
        # Not the fault of a candidate under judgement, as a UserError would be.
        raise HarnessError(f"{tree} has changed since its benchmark was opened; begin again")
    return found.texts


def read_tree(tree: Path) -> TreeFiles:
    """Read all files of a tree."""
    texts: dict[str, str] = {}
    total = hashlib.sha256()
    for entry, name in sorted(_files(str(tree), ""), key=lambda file: file[1].split("/")):
        content = Path(entry.path).read_bytes()
        total.update(f"{name}\0{hashlib.sha256(content).hexdigest()}\n".encode())
        try:
            texts[name] = content.decode("utf-8")
        except UnicodeDecodeError:
            continue
    return TreeFiles(texts=texts, digest=total.hexdigest()[:16])


def state_of(folder: Path) -> FolderState:
    """Look at all files of a folder without reading them."""
    seen = []
    for entry, name in _files(str(folder), ""):
        seen.append((name, entry.stat(follow_symlinks=False)))
        if entry.is_symlink():
            seen.append((name, entry.stat()))
    lines = [f"{name}\0{own.st_ino} {own.st_size} {own.st_mode} {own.st_mtime_ns} {own.st_ctime_ns}\n" for name, own in seen]
    signature = hashlib.sha256("".join(sorted(lines)).encode()).hexdigest()[:32]
    return FolderState(signature=signature, changed=max([own.st_ctime for _, own in seen], default=0.0))


def read_text(path: Path) -> str:
    """Return the text of a file of a bug, line endings untouched; a UserError says what is wrong with it."""
    try:
        return path.read_bytes().decode("utf-8")
    except FileNotFoundError:
        raise UserError(f"{path} is missing") from None
    except UnicodeDecodeError as error:
        raise UserError(f"{path} is not UTF-8 text ({error.reason} at byte {error.start})") from None


def _files(folder: str, prefix: str) -> Iterator[tuple["os.DirEntry[str]", str]]:
    with os.scandir(folder) as entries:
        for entry in entries:
            if entry.name == "__pycache__":
                continue
            if entry.is_dir(follow_symlinks=False):
                yield from _files(entry.path, f"{prefix}{entry.name}/")
            elif _is_file(entry):
                yield entry, prefix + entry.name


def _is_file(entry: "os.DirEntry[str]") -> bool:
    try:
        return entry.is_file()
    except OSError:  # a link in a loop
        return False


_BUGS_KEPT = 4


@record
class CaseList:
    """What is known of cases without reading them."""

    ids: tuple[str, ...]
    checker: Checker
    digest: str
    """Content hash of their texts."""


class CaseFiles(Sequence[Case]):
    """The cases of a bug, in order; those of a few bugs are kept in memory."""

    def __init__(self, folder: Path, listed: CaseList) -> None:
        """Take the folder with their files, and what their first reading showed."""
        self._folder = str(folder)
        self.listed = listed

    @property
    def ids(self) -> tuple[str, ...]:
        """Return the ids of the cases without reading any."""
        return self.listed.ids

    def __len__(self) -> int:
        return len(self.listed.ids)

    @overload
    def __getitem__(self, which: int) -> Case: ...
    @overload
    def __getitem__(self, which: slice) -> tuple[Case, ...]: ...
    def __getitem__(self, which: int | slice) -> "Case | tuple[Case, ...]":
        """Return a case by its place, or several by a slice."""
        return self._cases()[which]

    def __iter__(self) -> Iterator[Case]:
        return iter(self._cases())

    def __eq__(self, other: object) -> bool:
        if isinstance(other, CaseFiles):
            return self.listed == other.listed
        return isinstance(other, Sequence) and self._cases() == tuple(other)

    def __hash__(self) -> int:
        return hash(self.listed.digest)

    def _cases(self) -> tuple[Case, ...]:
        kept = _kept(self._folder, self.listed)
        if not kept:
            kept[:] = [self._read_again()]
        return kept[0]

    def _read_again(self) -> tuple[Case, ...]:
        try:
            cases = _read(self._folder, self.listed.ids, self.listed.checker)
        except (UserError, OSError):
            cases = ()
        if _digest(cases) != self.listed.digest:
            # Not the fault of a candidate under judgement, as a UserError would be.
            raise HarnessError(f"{self._folder} has changed since its benchmark was opened; begin again")
        return cases


def open_cases(folder: Path, ids: tuple[str, ...], checker: Checker) -> CaseFiles:
    """Read the cases of a folder for the first time; a UserError says which file is missing or not text."""
    cases = _read(str(folder), ids, checker)
    opened = CaseFiles(folder, CaseList(ids=ids, checker=checker, digest=_digest(cases)))
    _kept(str(folder), opened.listed)[:] = [cases]  # the digest of the bug covers them, too
    return opened


@lru_cache(maxsize=_BUGS_KEPT)
def _kept(folder: str, listed: CaseList) -> list[tuple[Case, ...]]:  # noqa: ARG001
    """Return the place where the cases of a bug are kept, which is empty at first."""
    return []


def _read(folder: str, ids: tuple[str, ...], checker: Checker) -> tuple[Case, ...]:
    return tuple(
        Case(
            id=name,
            input=read_text(Path(f"{folder}/{name}.in")),
            expected=read_text(Path(f"{folder}/{name}.out")),
            checker=checker,
        )
        for name in ids
    )


def _digest(cases: tuple[Case, ...]) -> str:
    total = hashlib.sha256()
    for case in cases:
        for text in (case.id, case.input, case.expected):
            content = text.encode("utf-8", "surrogatepass")
            total.update(b"%d\n" % len(content) + content)
    return total.hexdigest()[:16]
