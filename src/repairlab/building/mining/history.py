"""The commits of a clone with the paths that each changes, read as a stream of one `git log`."""

import re
from collections.abc import Iterator

from repairlab.building.importers.repository import Repository
from repairlab.core.errors import UserError
from repairlab.core.record import record

_START = "\x01commit\x02"
"""Stands before every commit; no message has it."""
_STATUS = re.compile(r"[AMDTUX]")


@record
class ChangedPath:
    """One path that a commit changes; a renamed file is one that was deleted and one that was added."""

    status: str
    """A: added, M: modified, D: deleted, T: now of another type."""
    path: str


@record
class Commit:
    """One commit of a history."""

    id: str
    parents: tuple[str, ...]
    date: str
    """When it was committed: 2020-02-29T12:00:00+01:00."""
    message: str
    changes: tuple[ChangedPath, ...]


def read_history(repository: Repository, *, since: str = "", until: str = "") -> Iterator[Commit]:
    """Yield the commits that lead to HEAD, newest first; a history that was cut off is refused, for who knows what it lacks."""
    if repository.is_shallow():
        raise UserError(
            f"{repository.folder} is a shallow clone: its history is cut off. Fetch the rest with: git fetch --unshallow"
        )
    dates = [f"--{name}={value}" for name, value in (("since", since), ("until", until)) if value]
    arguments = ("log", "-z", "--no-renames", "--name-status", f"--format={_START}%H%x00%P%x00%cI%x00%B%x00", *dates)
    for text in repository.stream(*arguments, separator=_START.encode()):
        commit, parents, date, message, *changes = text.decode("utf-8", "replace").split("\0")
        yield Commit(
            id=commit,
            parents=tuple(parents.split()),
            date=date,
            message=message.strip(),
            changes=tuple(_changes([field.strip("\n") for field in changes])),
        )


def _changes(fields: list[str]) -> Iterator[ChangedPath]:
    fields = [field for field in fields if field]
    for status, path in zip(fields[::2], fields[1::2], strict=False):
        if _STATUS.fullmatch(status):
            yield ChangedPath(status=status, path=path)
