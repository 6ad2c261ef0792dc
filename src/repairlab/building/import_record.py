"""What an import made of each record of its source, kept in the benchmark's folder: for tables of what could be had and why not."""

import json
from pathlib import Path

from repairlab.building.importers.importer import Dropped
from repairlab.core.errors import UserError
from repairlab.core.record import record
from repairlab.core.storage.encoding import decode, encode, write_aside

RECORD_NAME = "import.json"


@record
class ImportRecord:
    """All records that an import read, and what came of them."""

    importer: str
    bugs: tuple[str, ...]
    """Ids of the bugs that were imported."""
    dropped: tuple[Dropped, ...]
    notes: tuple[str, ...]
    cpu_s: float
    """CPU time of the import with all that it ran, as far as it was done with."""

    @property
    def n_records(self) -> int:
        """Return how many records the source has, of those that were asked for."""
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
