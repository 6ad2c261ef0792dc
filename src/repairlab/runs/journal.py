"""What an import has found by running tests, kept beside its folder until that is written: one that was stopped goes on from there.

Called by `importing`.
"""

import contextlib
import json
from collections.abc import Iterator
from pathlib import Path

from repairlab.core.bug import Bug
from repairlab.core.errors import HarnessError, Interrupted, UserError
from repairlab.core.record import digest
from repairlab.runs.discovery import Found, Search
from repairlab.runs.pool import Machine
from repairlab.runs.run import environment_of
from repairlab.runs.store import decode, encode


class Journal:
    """A file with a line for each bug that is done with."""

    def __init__(self, path: Path, machine: Machine) -> None:
        self._path = path
        self._machine = machine
        self._known: dict[str, Found] = {}
        self._keys: dict[str, str] = {}
        for line in path.read_bytes().splitlines() if path.is_file() else ():
            # A line may have been cut short, or be of another version.
            with contextlib.suppress(ValueError, KeyError, TypeError, UserError):
                data = json.loads(line)
                key = data.pop("key")
                self._known[key] = decode(Found, data, str(path))

    def find(self, bug: Bug, search: Search) -> Found | None:
        """Return what was found of a bug that is the same, by the same tools."""
        with contextlib.suppress(HarnessError):  # a tool is missing, which the bug will tell
            tools = environment_of([bug.problem.language], self._machine)
            self._keys[bug.id] = digest(bug.digest, search.places, search.unsorted, search.proof, tools)
        return self._known.get(self._keys.get(bug.id, ""))

    def keep(self, found: Found) -> None:
        """Add what was found; a bug that is of no use here is tried again, for there may be a remedy."""
        key = self._keys.get(found.bug_id)
        if key is not None and not found.problem:
            with self._path.open("ab") as file:
                file.write(b"\n" + encode(found, key=key))  # the line before may have been cut short


@contextlib.contextmanager
def journal_of(folder: Path, machine: Machine) -> Iterator[Journal]:
    """Open the journal of an import to this folder; it is gone when the block ends well."""
    path = folder.with_name(f"{folder.name}.partial")
    try:
        yield Journal(path, machine)
    except Interrupted:
        if not path.exists():
            raise
        kept = f"what was found so far is kept in {path}, and the same command goes on from there"
        raise Interrupted(f"stopped; nothing was written to {folder}; {kept}") from None
    path.unlink(missing_ok=True)
