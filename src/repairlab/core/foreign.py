"""Read JSON and CSV of other tools, for `formats` and importers: errors are UserErrors that name the place."""

import csv
import gzip
import io
import json
import zlib
from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import Any, TypeVar

from repairlab.core.errors import UserError

T = TypeVar("T")
_BYTE_ORDER_MARK = "\ufeff"
_MOST_UNPACKED = 64 << 20
"""Limit on unpacked bytes: a small packed file may expand to very many."""


def read_text(path: Path, encoding: str = "utf-8") -> str:
    """Return the text of a file, line endings untouched; of one that is there only packed, as NAME.gz, what is in it."""
    try:
        return _content(path).decode(encoding)
    except FileNotFoundError:
        raise UserError(f"{path} is missing") from None
    except OSError as error:
        raise UserError(f"cannot read {path}: {error.strerror}") from None
    except UnicodeDecodeError as error:
        raise UserError(f"{path} is not {encoding.upper()} text ({error.reason} at byte {error.start})") from None


def _content(path: Path) -> bytes:
    try:
        return path.read_bytes()
    except FileNotFoundError:
        return _unpacked(path.with_name(f"{path.name}.gz"))


def _unpacked(path: Path) -> bytes:
    try:
        with gzip.open(path) as file:
            content = file.read(_MOST_UNPACKED + 1)
    except (EOFError, zlib.error, gzip.BadGzipFile) as error:
        raise UserError(f"{path} cannot be unpacked: {error}") from None
    if len(content) > _MOST_UNPACKED:
        raise UserError(f"{path} holds more than {_MOST_UNPACKED >> 20} MB")
    return content


def read_json(path: Path) -> Any:
    """Return the content of a JSON file."""
    return parse_json(read_text(path), path)


def read_object(path: Path) -> dict[str, Any]:
    """Return the content of a file with one JSON object."""
    return as_type(read_json(path), dict, str(path), "the file")


def parse_json(text: str | bytes, path: Path | None = None, first_line: int = 1) -> Any:
    """Return the content of JSON text; a key that an object has twice is an error, for one of its values would be lost.

    Messages name file and line where there is a path; a caller that has none adds them.
    """

    def unique(pairs: list[tuple[str, Any]]) -> dict[str, Any]:
        made = dict(pairs)
        if len(made) != len(pairs):
            keys = [key for key, _ in pairs]
            twice = next(key for key in keys if keys.count(key) > 1)
            before = f"{path}: " if path else ""
            raise UserError(f"{before}an object has the key {twice!r} twice; which of the values counts?")
        return made

    try:
        content = text if isinstance(text, str) else text.decode("utf-8", "surrogatepass")
        return json.loads(content.removeprefix(_BYTE_ORDER_MARK), object_pairs_hook=unique)
    except json.JSONDecodeError as error:
        if path is None:
            raise UserError(f"not valid JSON: {error.msg} (column {error.colno})") from None
        at = first_line + error.lineno - 1
        raise UserError(f"{path}, line {at}: not valid JSON: {error.msg} (is the file complete?)") from None
    except (ValueError, RecursionError) as error:
        before = f"{path}, line {first_line}: " if path else ""
        raise UserError(f"{before}not valid JSON: {error}") from None


def read_json_lines(path: Path) -> Iterator[tuple[str, dict[str, Any]]]:
    """Yield the place (for messages) and content of each object of a JSON Lines file; a JSON array is fine, too."""
    text = read_text(path)
    if text.lstrip("\ufeff \t\r\n").startswith("["):
        for number, entry in enumerate(parse_json(text, path), start=1):
            yield f"{path}, entry {number}", as_type(entry, dict, f"{path}, entry {number}")
        return
    for number, line in enumerate(text.split("\n"), start=1):
        if line.strip():
            where = f"{path}, line {number}"
            yield where, as_type(parse_json(line, path, number), dict, where)


def as_type(value: Any, kind: type[T], where: str = "", what: str = "it") -> T:
    """Return a value after checking its type; a message names its place, unless the caller adds that."""
    if not isinstance(value, kind) or (isinstance(value, bool) and kind is not bool):
        found = f"{_NAMES.get(type(value), 'null')}: {str(value)[:60]!r}"
        raise UserError(f"{_before(where)}{what} should be {_NAMES[kind]}, not {found}")
    return value


def _before(where: str) -> str:
    return f"{where}: " if where else ""


_NAMES: dict[type, str] = {
    dict: "an object",
    list: "a list",
    str: "text",
    int: "a whole number",
    float: "a number",
    bool: "true or false",
}


def field(entry: dict[str, Any], name: str, kind: type[T], where: str = "") -> T:
    """Return a required field of this type."""
    return first_field(entry, (name,), kind, where)


def first_field(entry: dict[str, Any], names: Sequence[str], kind: type[T], where: str = "") -> T:
    """Return the first of these fields that exists; one must, and have this type."""
    for name in names:
        if name in entry:
            return as_type(entry[name], kind, where, f"the field {name!r}")
    known = ", ".join(sorted(entry)[:12]) or "none"
    raise UserError(f"{_before(where)}the field {' or '.join(map(repr, names))} is missing; found are {known}")


def objects(values: Sequence[Any], where: str = "") -> Iterator[tuple[str, dict[str, Any]]]:
    """Yield the place (for messages) and content of each object of a list."""
    for number, value in enumerate(values, start=1):
        place = f"{where}, item {number}" if where else f"item {number}"
        yield place, as_type(value, dict, place)


def read_csv(path: Path, columns: Sequence[str]) -> list[tuple[str, dict[str, str]]]:
    """Return where each row of a CSV file with a header is, and the row; these columns must be there.

    Some spreadsheets write semicolons or tabs instead of commas.
    """
    text = read_text(path).removeprefix(_BYTE_ORDER_MARK)
    head = text.partition("\n")[0]
    rows = csv.DictReader(io.StringIO(text, newline=""), strict=True, delimiter=max(",;\t", key=head.count))
    try:
        missing = [name for name in columns if name not in (rows.fieldnames or ())]
        if missing:
            found = ", ".join(rows.fieldnames or ()) or "none"
            raise UserError(f"{path}, line 1: the columns {', '.join(missing)} are missing; found are {found}")
        made = []
        for row in rows:
            where = f"{path}, line {rows.line_num}"
            if any(row[name] is None for name in columns):
                raise UserError(f"{where}: the row is too short; its columns should be {', '.join(rows.fieldnames or ())}")
            made.append((where, {name: value or "" for name, value in row.items() if name is not None}))
    except csv.Error as error:
        raise UserError(f"{path}, line {rows.line_num}: not valid CSV: {error}") from None
    return made
