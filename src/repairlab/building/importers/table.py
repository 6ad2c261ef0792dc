"""All importers by name and what each reads; a module is loaded on demand."""

from repairlab.building.importers.importer import Importer
from repairlab.core.record import record
from repairlab.core.storage.checking import shipped_table
from repairlab.registry import Parts, lacking


@record
class SourceForm:
    """What one importer reads, for `repairlab import` and the reference."""

    about: str
    """What to give as SOURCE, in one line."""
    layout: str
    """Files that the importer looks for."""
    languages: tuple[str, ...]
    options: tuple[str, ...] = ()
    """Options that matter beyond the common ones."""
    notes: tuple[str, ...] = ()
    """How it differs from the source, in one or two sentences each."""


SOURCES = shipped_table("repairlab.building.importers", "sources.toml", SourceForm)
"""Name → what the function `read` of the module of this name reads."""

_BRANCHES = {name: f"repairlab.building.importers.java_branches:{name.replace('-', '_')}" for name in ("bears", "bugs-jar")}

IMPORTERS: Parts[Importer] = Parts(
    "importers",
    "importer",
    {name: f"repairlab.building.importers.{name.replace('-', '_')}:read" for name in SOURCES} | _BRANCHES,
    about={name: source.about for name, source in SOURCES.items()},
    check=lacking(callable_too=True),
)
