"""What importers read their sources with, besides `core.foreign`."""

from collections.abc import Iterator
from fnmatch import fnmatchcase
from pathlib import Path
from typing import Any

from repairlab.benchmarks.importers.importer import Settings
from repairlab.core.errors import UserError, unknown
from repairlab.core.foreign import as_type, parse_json, read_text


def need_sources(sources: tuple[Path, ...] | list[Path], names: tuple[str, ...], *, optional: int = 0) -> list[Path]:
    """Return the sources after checking their number and that each is there; `names` say what they should be."""
    if not len(names) - optional <= len(sources) <= len(names):
        raise UserError(f"{len(sources)} sources are given, but needed are: {', '.join(names)}")
    for path, name in zip(sources, names, strict=False):
        if not path.exists():
            raise UserError(f"{path} does not exist; it should be {name}")
    return list(sources)


def read_json_lines(path: Path) -> Iterator[tuple[str, dict[str, Any]]]:
    """Yield where each object of a JSON Lines file is, for messages, and the object; a JSON array under that name is fine, too."""
    text = read_text(path)
    if text.lstrip("\ufeff \t\r\n").startswith("["):
        for number, entry in enumerate(parse_json(text, path), start=1):
            yield f"{path}, entry {number}", as_type(entry, dict, f"{path}, entry {number}", "it")
        return
    for number, line in enumerate(text.split("\n"), start=1):
        if line.strip():
            where = f"{path}, line {number}"
            yield where, as_type(parse_json(line, path, number), dict, where, "it")


def chosen(ids: list[str], settings: Settings) -> list[str]:
    """Return the ids that the settings ask for, in their order; a pattern that matches nothing is an error."""
    for pattern in settings.include:
        if not any(fnmatchcase(name, pattern) for name in ids):
            raise unknown("bug", pattern, ids)
    if settings.limit is not None and settings.limit < 1:
        raise UserError(f"--limit is {settings.limit}: at least 1 bug is needed")
    found = [name for name in ids if not settings.include or any(fnmatchcase(name, pattern) for pattern in settings.include)]
    return found[: settings.limit]
