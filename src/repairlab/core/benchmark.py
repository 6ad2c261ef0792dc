"""A named, versioned set of bugs."""

import dataclasses
from collections.abc import Callable, Iterator, Sequence
from fnmatch import fnmatchcase
from typing import overload

from repairlab.core.bug import Bug
from repairlab.core.errors import UnknownItemError, UserError, unknown
from repairlab.core.record import digest, record

_LISTING = "repairlab list BENCHMARK"
_KEPT = 256
"""How many bugs of a benchmark are kept in memory."""


class LazyBugs(Sequence[Bug]):
    """Bugs in a fixed order, each of which is read when it is asked for; the last ones are kept."""

    def __init__(self, ids: tuple[str, ...], read: Callable[[str], Bug], digest_of: Callable[[str], str]) -> None:
        """Take the ids of all bugs, what reads one by its id, and what knows its digest for less."""
        self.ids = ids
        self._read = read
        self._digest_of = digest_of
        self._kept: dict[str, Bug] = {}

    def __len__(self) -> int:
        return len(self.ids)

    @overload
    def __getitem__(self, which: int) -> Bug: ...
    @overload
    def __getitem__(self, which: slice) -> tuple[Bug, ...]: ...
    def __getitem__(self, which: int | slice) -> "Bug | tuple[Bug, ...]":
        """Return a bug by its place, or several by a slice."""
        if isinstance(which, slice):
            return tuple(map(self._get, self.ids[which]))
        return self._get(self.ids[which])

    def __eq__(self, other: object) -> bool:
        return isinstance(other, LazyBugs) and self.ids == other.ids and all(map(Bug.__eq__, self, other))

    __hash__ = None  # type: ignore[assignment]  # its bugs may change on disk

    def digests(self) -> list[str]:
        """Return the digests of all bugs."""
        return [self._kept[bug_id].digest if bug_id in self._kept else self._digest_of(bug_id) for bug_id in self.ids]

    def _get(self, bug_id: str) -> Bug:
        bug = self._kept.pop(bug_id, None) or self._read(bug_id)
        self._kept[bug_id] = bug
        while len(self._kept) > _KEPT:
            self._kept.pop(next(iter(self._kept)), None)
        return bug


@record
class Benchmark:
    """Bugs in a fixed order, with a digest over all of them."""

    name: str
    version: str
    licence: str
    description: str
    bugs: Sequence[Bug]
    _known_digest: str = dataclasses.field(default="", init=False, compare=False, repr=False)

    def __iter__(self) -> Iterator[Bug]:
        return iter(self.bugs)

    def __len__(self) -> int:
        return len(self.bugs)

    @property
    def ids(self) -> tuple[str, ...]:
        """Return the ids of all bugs; none is read for that."""
        return self.bugs.ids if isinstance(self.bugs, LazyBugs) else tuple(bug.id for bug in self.bugs)

    @property
    def digest(self) -> str:
        """Return the hash over name, version and every bug."""
        if not self._known_digest:
            digests = self.bugs.digests() if isinstance(self.bugs, LazyBugs) else [bug.digest for bug in self.bugs]
            object.__setattr__(self, "_known_digest", digest(self.name, self.version, digests))
        return self._known_digest

    def bug(self, bug_id: str) -> Bug:
        """Return one bug by id, with or without the benchmark's name before it."""
        wanted, ids = bug_id.removeprefix(f"{self.name}/"), self.ids
        if wanted not in ids:
            raise UnknownItemError(*unknown(f"bug of {self.name}", wanted, ids, listing=_LISTING).args)
        return self.bugs[ids.index(wanted)]

    def select(self, include: tuple[str, ...] = (), *, limit: int | None = None) -> tuple[Bug, ...]:
        """Return the bugs whose id matches one of the shell patterns (all without any), at most `limit`."""
        if limit is not None and limit < 1:
            raise UserError(f"--limit is {limit}: at least 1 bug is needed")
        patterns, ids = [pattern.removeprefix(f"{self.name}/") for pattern in include], self.ids
        matchless = [pattern for pattern in patterns if not any(fnmatchcase(bug_id, pattern) for bug_id in ids)]
        if matchless:
            raise unknown(f"bug of {self.name}", matchless, ids, listing=_LISTING)
        chosen = [i for i, bug_id in enumerate(ids) if not patterns or any(fnmatchcase(bug_id, pattern) for pattern in patterns)]
        return tuple(self.bugs[i] for i in chosen[:limit])
