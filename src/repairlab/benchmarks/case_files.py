"""The cases of a bug on disk, whose texts are read when they are looked at."""

import hashlib
from collections.abc import Iterator, Sequence
from functools import lru_cache
from pathlib import Path
from typing import overload

from repairlab.benchmarks.tree_files import read_text
from repairlab.core.errors import HarnessError, UserError
from repairlab.core.oracle import Case, Checker
from repairlab.core.record import record

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
        """Take the folder with their files, and what was known of them when they were read first."""
        self._folder = str(folder)
        self.listed = listed

    @property
    def ids(self) -> tuple[str, ...]:
        """Return the ids of the cases, for which none is read."""
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
            # No fault of a candidate that is being judged, as a UserError would be.
            raise HarnessError(f"{self._folder} has changed since its benchmark was opened; begin again")
        return cases


def open_cases(folder: Path, ids: tuple[str, ...], checker: Checker) -> CaseFiles:
    """Read the cases of a folder for the first time; a UserError says which file is missing or no text."""
    cases = _read(str(folder), ids, checker)
    opened = CaseFiles(folder, CaseList(ids=ids, checker=checker, digest=_digest(cases)))
    _kept(str(folder), opened.listed)[:] = [cases]  # the digest of the bug is over them, too
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
