"""Reading files of other tools: whatever is wrong with one becomes a UserError that names file, line and field."""

import csv
import json
from collections.abc import Iterator
from fnmatch import fnmatchcase
from pathlib import Path
from typing import Any, TypeVar

from repairlab.core.errors import UserError, unknown
from repairlab.importers.importer import Settings

T = TypeVar("T")


def need_sources(sources: tuple[Path, ...] | list[Path], names: tuple[str, ...], *, optional: int = 0) -> list[Path]:
    """Return the sources after checking their number and that each is there; `names` say what they should be."""
    if not len(names) - optional <= len(sources) <= len(names):
        raise UserError(f"{len(sources)} sources are given, but needed are: {', '.join(names)}")
    for path, name in zip(sources, names, strict=False):
        if not path.exists():
            raise UserError(f"{path} does not exist; it should be {name}")
    return list(sources)


def read_text(path: Path, encoding: str = "utf-8") -> str:
    """Return the text of a file."""
    try:
        return path.read_bytes().decode(encoding)
    except FileNotFoundError:
        raise UserError(f"{path} is missing") from None
    except OSError as error:
        raise UserError(f"cannot read {path}: {error.strerror}") from None
    except UnicodeDecodeError as error:
        raise UserError(f"{path} is not {encoding} text ({error.reason} at byte {error.start})") from None


def read_json(path: Path) -> Any:
    """Return the content of a JSON file."""
    text = read_text(path)
    try:
        return json.loads(text)
    except json.JSONDecodeError as error:
        raise UserError(f"{path}, line {error.lineno}: not valid JSON: {error.msg}") from None
    except RecursionError:
        raise UserError(f"{path}: not valid JSON: nested too deeply") from None


def read_json_lines(path: Path) -> Iterator[tuple[str, dict[str, Any]]]:
    """Yield where each object of a JSON Lines file is, for messages, and the object; a JSON array under that name is fine, too."""
    text = read_text(path)
    if text.lstrip().startswith("["):
        whole = read_json(path)
        for number, entry in enumerate(whole):
            yield f"{path}, entry {number + 1}", _object(entry, f"{path}, entry {number + 1}")
        return
    for number, line in enumerate(text.split("\n"), start=1):
        if line.strip():
            where = f"{path}, line {number}"
            try:
                entry = json.loads(line)
            except (ValueError, RecursionError) as error:
                raise UserError(f"{where}: not valid JSON: {error}") from None
            yield where, _object(entry, where)


def _object(entry: Any, where: str) -> dict[str, Any]:
    if not isinstance(entry, dict):
        raise UserError(f"{where}: not a JSON object but {type(entry).__name__}")
    return entry


def field(entry: dict[str, Any], name: str, kind: type[T], where: str) -> T:
    """Return a field that must be there and of this type."""
    if name not in entry:
        raise UserError(f"{where}: the field {name!r} is missing; found are {', '.join(sorted(entry)) or 'none'}")
    value = entry[name]
    if not isinstance(value, kind) or (isinstance(value, bool) and kind is not bool):
        raise UserError(f"{where}: the field {name!r} should be {kind.__name__}, not {type(value).__name__}: {str(value)[:80]!r}")
    return value


def read_csv(path: Path, columns: tuple[str, ...]) -> Iterator[tuple[str, dict[str, str]]]:
    """Yield where each row of a CSV file with a header is, and the row; these columns must be there."""
    rows = csv.DictReader(read_text(path).splitlines())
    missing = [name for name in columns if name not in (rows.fieldnames or ())]
    if missing:
        raise UserError(
            f"{path}, line 1: the columns {', '.join(missing)} are missing; found are {', '.join(rows.fieldnames or ())}"
        )
    for row in rows:
        yield f"{path}, line {rows.line_num}", {name: value or "" for name, value in row.items() if name is not None}


def chosen(ids: list[str], settings: Settings) -> list[str]:
    """Return the ids that the settings ask for, in their order; a pattern that matches nothing is an error."""
    for pattern in settings.include:
        if not any(fnmatchcase(name, pattern) for name in ids):
            raise unknown("bug", pattern, ids)
    if settings.limit is not None and settings.limit < 1:
        raise UserError(f"--limit is {settings.limit}: at least 1 bug is needed")
    found = [name for name in ids if not settings.include or any(fnmatchcase(name, pattern) for pattern in settings.include)]
    return found[: settings.limit]
