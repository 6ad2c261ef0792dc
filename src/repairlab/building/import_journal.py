"""What an import found by running tests, kept until its folder is written, so that one that was stopped goes on from there."""

import contextlib
import functools
import hashlib
import json
from pathlib import Path

from repairlab.building import discovery
from repairlab.building.discovery import DiscoveredTests, Search
from repairlab.core.errors import HarnessError, Interrupted, UserError
from repairlab.core.record import digest
from repairlab.core.storage.encoding import decode, encode
from repairlab.validation.machine import Machine, environment_of

_WAYS = hashlib.sha256(Path(discovery.__file__).read_bytes()).hexdigest()
"""How tests are looked for; the tools say all else that decides."""


class Journal:
    """A file with a line for each bug that is done with; nobody looks for it before there is a bug to run."""

    def __init__(self, folder: Path, machine: Machine) -> None:
        self._folder = folder
        self._machine = machine
        self._keys: dict[str, str] = {}

    def find(self, search: Search) -> DiscoveredTests | None:
        """Return what was found of a bug that is the same, by the same tools."""
        known = self._known
        with contextlib.suppress(HarnessError):  # a tool is missing, which the bug will tell
            tools = environment_of([search.language], self._machine)
            self._keys[search.bug_id] = digest(
                search.digest, search.places, search.unsorted, search.proof, search.repeat, tools, _WAYS
            )
        return known.get(self._keys.get(search.bug_id, ""))

    def keep(self, found: DiscoveredTests) -> None:
        """Add what was found; a bug that is of no use here is tried again, for there may be a remedy."""
        key = self._keys.get(found.bug_id)
        if key is not None and not found.problem:
            with self._path.open("ab") as file:
                file.write(b"\n" + encode(found, key=key))  # the line before may have been cut short

    def remove(self) -> None:
        """Remove the file, now that the import is written."""
        if self._keys:
            with contextlib.suppress(OSError):
                self._path.unlink()

    def stopped(self) -> Interrupted:
        """Return what an import that was stopped has to say."""
        if not self._keys or not self._path.exists():
            return Interrupted()
        kept = f"what was found so far is kept in {self._path}, and the same command goes on from there"
        return Interrupted(f"stopped; nothing was written to {self._folder}; {kept}")

    @property
    def _path(self) -> Path:
        return self._folder.with_name(f"{self._folder.name}.partial")

    @functools.cached_property
    def _known(self) -> dict[str, DiscoveredTests]:
        known: dict[str, DiscoveredTests] = {}
        if not self._path.exists():
            return known
        lines = self._path.read_bytes().split(b"\n") if self._path.is_file() else []
        for line in lines:
            # A line may have been cut short, or be of another version.
            with contextlib.suppress(ValueError, KeyError, TypeError, AttributeError, UserError):
                data = json.loads(line)
                key = data.pop("key")
                known[key] = decode(DiscoveredTests, data, str(self._path))
        if not known:
            raise UserError(
                f"{self._path} is in the way: it is not what an import left when it was stopped; move it, or change --to"
            )
        return known
