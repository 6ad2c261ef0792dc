"""What importers ask of their sources and of the bugs in them; `core.foreign` reads the files."""

from fnmatch import fnmatchcase
from pathlib import Path

from repairlab.building.importers.importer import Settings
from repairlab.core.errors import UserError, unknown


def need_sources(sources: tuple[Path, ...] | list[Path], names: tuple[str, ...], *, optional: int = 0) -> list[Path]:
    """Return the sources after checking their number and that each is there; `names` say what they should be."""
    if not len(names) - optional <= len(sources) <= len(names):
        raise UserError(f"{len(sources)} sources are given, but needed are: {', '.join(names)}")
    for path, name in zip(sources, names, strict=False):
        if not path.exists():
            raise UserError(f"{path} does not exist; it should be {name}")
    return list(sources)


def chosen(ids: list[str], settings: Settings) -> list[str]:
    """Return the ids that the settings ask for, in their order; a pattern that matches nothing is an error."""
    for pattern in settings.include:
        if not any(fnmatchcase(name, pattern) for name in ids):
            raise unknown("bug", pattern, ids)
    if settings.limit is not None and settings.limit < 1:
        raise UserError(f"--limit is {settings.limit}: at least 1 bug is needed")
    found = [name for name in ids if not settings.include or any(fnmatchcase(name, pattern) for pattern in settings.include)]
    return found[: settings.limit]
