"""A named, versioned set of bugs."""

import dataclasses
from collections.abc import Iterator, Sequence
from fnmatch import fnmatchcase
from typing import Protocol, runtime_checkable

from repairlab.core.bug import Bug
from repairlab.core.errors import UnknownItemError, UserError, unknown
from repairlab.core.record import digest, record

_LISTING = "repairlab list BENCHMARK"


@runtime_checkable
class ListedBugs(Protocol):
    """Bugs whose ids and digests are known without reading them all."""

    @property
    def ids(self) -> tuple[str, ...]:
        """Return the ids in order."""

    def digests(self) -> list[str]:
        """Return the digests in order."""


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
        return self.bugs.ids if isinstance(self.bugs, ListedBugs) else tuple(bug.id for bug in self.bugs)

    @property
    def digest(self) -> str:
        """Return the hash over name, version and every bug."""
        if not self._known_digest:
            digests = self.bugs.digests() if isinstance(self.bugs, ListedBugs) else [bug.digest for bug in self.bugs]
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
        places = {bug_id: place for place, bug_id in enumerate(self.ids)}
        return tuple(self.bugs[places[bug_id]] for bug_id in self.select_ids(include, limit=limit))

    def select_ids(self, include: tuple[str, ...] = (), *, limit: int | None = None) -> tuple[str, ...]:
        """Return the ids of the bugs that `select` returns; none is read for that."""
        if limit is not None and limit < 1:
            raise UserError(f"--limit is {limit}: at least 1 bug is needed")
        patterns, ids = [pattern.removeprefix(f"{self.name}/") for pattern in include], self.ids
        matchless = [pattern for pattern in patterns if not any(fnmatchcase(bug_id, pattern) for bug_id in ids)]
        if matchless:
            raise unknown(f"bug of {self.name}", matchless, ids, listing=_LISTING)
        return tuple(bug_id for bug_id in ids if not patterns or any(fnmatchcase(bug_id, pattern) for pattern in patterns))[:limit]
