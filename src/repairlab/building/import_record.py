"""What an import leaves on disk: a journal to resume from while it runs, then a record of each bug's fate and why."""

import contextlib
import functools
import hashlib
import json
from pathlib import Path

from repairlab.building import discovery
from repairlab.building.discovery import DiscoveredTests, Search
from repairlab.building.importers.importer import Dropped
from repairlab.core.errors import HarnessError, Interrupted, UserError
from repairlab.core.record import digest, record
from repairlab.core.storage.encoding import decode, encode, write_aside
from repairlab.validation.machine import Machine, environment_of

RECORD_NAME = "import.json"


@record
class ImportRecord:
    """All records that an import read, and what became of them."""

    importer: str
    bugs: tuple[str, ...]
    """Ids of the bugs that were imported."""
    dropped: tuple[Dropped, ...]
    notes: tuple[str, ...]
    cpu_s: float
    """CPU time of the import and everything it ran, as far as finished."""

    @property
    def n_records(self) -> int:
        """Return how many of the requested records the source has."""
        return len(self.bugs) + len(self.dropped)


def write_import_record(folder: Path, made: ImportRecord) -> None:
    """Write the file."""
    write_aside(folder / RECORD_NAME, json.dumps(json.loads(encode(made)), indent=1, ensure_ascii=False) + "\n")


def read_import_record(folder: Path) -> ImportRecord:
    """Read the file of a benchmark's folder."""
    path = folder / RECORD_NAME
    try:
        data = json.loads(path.read_text(encoding="utf-8"))
    except FileNotFoundError:
        raise UserError(f"{path} is missing: {folder} was not imported, or by an earlier version; import it again") from None
    except (OSError, ValueError) as error:
        raise UserError(f"{path} cannot be read: {error}") from None
    return decode(ImportRecord, data if isinstance(data, dict) else None, str(path))


_WAYS = hashlib.sha256(Path(discovery.__file__).read_bytes()).hexdigest()
"""How tests are searched; the tools decide everything else."""


class Journal:
    """A file with a line for each finished bug; it appears with the first one."""

    def __init__(self, folder: Path, machine: Machine) -> None:
        self._folder = folder
        self._machine = machine
        self._keys: dict[str, str] = {}

    def find(self, search: Search) -> DiscoveredTests | None:
        """Return what the same tools found for the same bug."""
        known = self._known
        with contextlib.suppress(HarnessError):  # a tool is missing, which the bug will report
            tools = environment_of([search.language], self._machine)
            self._keys[search.bug_id] = digest(
                search.digest, search.places, search.unsorted, search.proof, search.repeat, tools, _WAYS
            )
        return known.get(self._keys.get(search.bug_id, ""))

    def keep(self, found: DiscoveredTests) -> None:
        """Add what was found; an unusable bug is tried again, since the cause may have been removed."""
        key = self._keys.get(found.bug_id)
        if key is not None and not found.problem:
            with self._path.open("ab") as file:
                file.write(b"\n" + encode(found, key=key))  # the previous line may have been cut short

    def remove(self) -> None:
        """Remove the file, now that the import is written."""
        if self._keys:
            with contextlib.suppress(OSError):
                self._path.unlink()

    def stopped(self) -> Interrupted:
        """Return the message of an import that was stopped."""
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
            # A line may have been cut short or come from another version.
            with contextlib.suppress(ValueError, KeyError, TypeError, AttributeError, UserError):
                data = json.loads(line)
                key = data.pop("key")
                known[key] = decode(DiscoveredTests, data, str(self._path))
        if not known:
            raise UserError(
                f"{self._path} is in the way: it is not what an import left when it was stopped; move it, or change --to"
            )
        return known
