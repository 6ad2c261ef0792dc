"""Reading files of others: what is wrong with an entry becomes one message with file, entry and field; the other entries go on."""

import json
from collections.abc import Callable, Iterable, Iterator
from itertools import islice
from pathlib import Path
from typing import Any, BinaryIO, TypeVar

from repairlab.core.errors import UserError
from repairlab.formats.format import Given, Sight, Unreadable

T = TypeVar("T")

_NAMES_SEEN = 300
_LINES_SEEN = 20


def look(path: Path) -> Sight:
    """Take a first look at a file or folder."""
    if path.is_dir():
        found = (file.relative_to(path).as_posix() for file in path.rglob("*") if file.is_file())
        return Sight(path=path, names=tuple(islice(found, _NAMES_SEEN)))
    with open_file(path) as file:
        lines = [line for line in islice(file, _LINES_SEEN) if line.strip()]
    whole = None if not lines or _value(lines[0]) is not None else _value(path.read_bytes())
    if whole is not None:
        return Sight(path=path, first=whole)
    objects = (value for line in lines if isinstance(value := _value(line), dict | list))
    first = next(objects, None)
    return Sight(path=path, first=first, lines=first is not None)


def _value(text: bytes) -> Any:
    try:
        return json.loads(text)
    except (ValueError, RecursionError):
        return None


def open_file(path: Path) -> BinaryIO:
    """Open a file for reading bytes."""
    try:
        return path.open("rb")
    except OSError as error:
        raise UserError(f"cannot read {path}: {error.strerror}") from None


def read_text(path: Path) -> str:
    """Return the text of a file, line endings untouched."""
    with open_file(path) as file:
        try:
            return file.read().decode("utf-8")
        except UnicodeDecodeError as error:
            raise UserError(f"{path.name} is not UTF-8 text ({error.reason} at byte {error.start})") from None


def read_json(path: Path) -> Any:
    """Return the content of a JSON file."""
    with open_file(path) as file:
        return parse(file.read(), f"{path}: ")


def parse(text: bytes | str, before: str = "") -> Any:
    """Return the value of a JSON text."""
    try:
        return json.loads(text)
    except json.JSONDecodeError as error:
        place = f"line {error.lineno}, " if error.lineno > 1 else ""
        raise UserError(f"{before}not valid JSON: {error.msg} ({place}column {error.colno})") from None
    except (ValueError, RecursionError) as error:
        raise UserError(f"{before}not valid JSON: {error}") from None


def lines_of(path: Path) -> Iterator[tuple[str, bytes]]:
    """Yield the lines of a file that are not blank, each with where it is."""
    with open_file(path) as file:
        for number, line in enumerate(file, start=1):
            if line.strip():
                yield f"{path.name}, line {number}", line


def read_lines(path: Path, made: Callable[[dict[str, Any]], Iterable[Given]]) -> Iterator[Given | Unreadable]:
    """Read JSON Lines one object after the other."""
    for where, line in lines_of(path):
        try:
            yield from made(as_object(parse(line)))
        except UserError as error:
            yield Unreadable(where=where, reason=_shown(str(error)))
        except RecursionError:
            yield Unreadable(where=where, reason="it is nested too deeply")


def read_entries(
    entries: Iterable[tuple[str, T]], made: Callable[[T], Iterable[Given | Unreadable]]
) -> Iterator[Given | Unreadable]:
    """Read entries one after the other, each with where it is."""
    for where, entry in entries:
        try:
            yield from made(entry)
        except UserError as error:
            yield Unreadable(where=where, reason=_shown(str(error)))
        except RecursionError:
            yield Unreadable(where=where, reason="it is nested too deeply")


def _shown(text: str) -> str:
    """Return a text that can be printed: what others wrote may hold halves of surrogate pairs."""
    return text.encode("utf-8", "backslashreplace").decode("utf-8")


def items_of(path: Path, value: Any) -> Iterator[tuple[str, tuple[str, Any]]]:
    """Yield key and value of each entry of a JSON object, with where it is."""
    for key, item in as_object(value, f"{path}: ").items():
        yield f"{path.name}, entry {key!r}", (key, item)


def as_object(value: Any, before: str = "") -> dict[str, Any]:
    """Return a JSON value that must be an object."""
    if not isinstance(value, dict):
        raise UserError(f"{before}not a JSON object but {type(value).__name__}")
    return value


def as_list(value: Any, name: str) -> list[Any]:
    """Return a JSON value that must be a list."""
    if not isinstance(value, list):
        raise UserError(f"{name!r} is not a list but {type(value).__name__}")
    return value


def field(entry: dict[str, Any], *names: str) -> str:
    """Return the text of the first of these fields that is there."""
    for name in names:
        if name in entry:
            return as_text(entry[name], name)
    known = ", ".join(sorted(entry)[:12]) or "none"
    raise UserError(f"the field {' or '.join(map(repr, names))} is missing; found are {known}")


def as_text(value: Any, name: str) -> str:
    """Return a JSON value that must be text."""
    if not isinstance(value, str):
        raise UserError(f"the value of {name!r} is not text but {type(value).__name__}")
    return value
