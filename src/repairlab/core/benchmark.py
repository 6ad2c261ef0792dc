"""A named, versioned set of bugs."""

from collections.abc import Iterator
from fnmatch import fnmatchcase

from repairlab.core.bug import Bug
from repairlab.core.errors import UserError, unknown
from repairlab.core.record import digest, record


@record
class Benchmark:
    """Bugs in a fixed order, with a digest over all of them."""

    name: str
    version: str
    licence: str
    description: str
    bugs: tuple[Bug, ...]

    def __iter__(self) -> Iterator[Bug]:
        return iter(self.bugs)

    def __len__(self) -> int:
        return len(self.bugs)

    @property
    def digest(self) -> str:
        """Return the hash over name, version and every bug."""
        return digest(self.name, self.version, [bug.digest for bug in self.bugs])

    def bug(self, bug_id: str) -> Bug:
        """Return one bug by id, with or without the benchmark's name before it."""
        wanted = bug_id.removeprefix(f"{self.name}/")
        for bug in self.bugs:
            if bug.id == wanted:
                return bug
        raise unknown(f"bug of {self.name}", wanted, [bug.id for bug in self.bugs])

    def select(self, include: tuple[str, ...] = (), *, limit: int | None = None) -> tuple[Bug, ...]:
        """Return the bugs whose id matches one of the shell patterns (all without any), at most `limit`."""
        if limit is not None and limit < 1:
            raise UserError(f"--limit is {limit}: at least 1 bug is needed")
        patterns = [pattern.removeprefix(f"{self.name}/") for pattern in include]
        for pattern in patterns:
            if not any(fnmatchcase(bug.id, pattern) for bug in self.bugs):
                raise unknown(f"bug of {self.name}", pattern, [bug.id for bug in self.bugs])
        chosen = [bug for bug in self.bugs if not patterns or any(fnmatchcase(bug.id, pattern) for pattern in patterns)]
        return tuple(chosen[:limit])
