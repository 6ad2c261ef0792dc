"""Reading files of other tools: whatever is wrong with one becomes a UserError that names file, line or entry, and field."""

import csv
import io
import json
from collections.abc import Sequence
from pathlib import Path
from typing import Any, TypeVar

from repairlab.core.errors import UserError

T = TypeVar("T")
_BYTE_ORDER_MARK = "\ufeff"


def read_text(path: Path, encoding: str = "utf-8") -> str:
    """Return the text of a file."""
    try:
        return path.read_bytes().decode(encoding)
    except FileNotFoundError:
        raise UserError(f"{path} is missing") from None
    except OSError as error:
        raise UserError(f"cannot read {path}: {error.strerror}") from None
    except UnicodeDecodeError as error:
        raise UserError(f"{path} is not {encoding.upper()} text ({error.reason} at byte {error.start})") from None


def read_json(path: Path) -> Any:
    """Return the content of a JSON file."""
    return parse_json(read_text(path), path)


def parse_json(text: str, path: Path, first_line: int = 1) -> Any:
    """Return the content of JSON text; a key that an object has twice is an error, for one of its values would be lost."""

    def unique(pairs: list[tuple[str, Any]]) -> dict[str, Any]:
        made = dict(pairs)
        if len(made) != len(pairs):
            keys = [key for key, _ in pairs]
            twice = next(key for key in keys if keys.count(key) > 1)
            raise UserError(f"{path}: an object has the key {twice!r} twice; which of the values counts?")
        return made

    try:
        return json.loads(text.removeprefix(_BYTE_ORDER_MARK), object_pairs_hook=unique)
    except json.JSONDecodeError as error:
        at = first_line + error.lineno - 1
        raise UserError(f"{path}, line {at}: not valid JSON: {error.msg} (is the file complete?)") from None
    except (ValueError, RecursionError) as error:
        raise UserError(f"{path}, line {first_line}: not valid JSON: {error}") from None


def as_type(value: Any, kind: type[T], where: str, what: str) -> T:
    """Return a value after checking its type."""
    if not isinstance(value, kind) or (isinstance(value, bool) and kind is not bool):
        raise UserError(f"{where}: {what} should be {_NAMES[kind]}, not {_NAMES.get(type(value), 'null')}: {str(value)[:60]!r}")
    return value


_NAMES: dict[type, str] = {
    dict: "an object",
    list: "a list",
    str: "text",
    int: "a whole number",
    float: "a number",
    bool: "true or false",
}


def field(entry: dict[str, Any], name: str, kind: type[T], where: str) -> T:
    """Return a field that must be there and of this type."""
    if name not in entry:
        raise UserError(f"{where}: the field {name!r} is missing; found are {', '.join(sorted(entry)) or 'none'}")
    return as_type(entry[name], kind, where, f"the field {name!r}")


def read_csv(path: Path, columns: Sequence[str]) -> list[tuple[str, dict[str, str]]]:
    """Return where each row of a CSV file with a header is, and the row; these columns must be there."""
    rows = csv.DictReader(io.StringIO(read_text(path).removeprefix(_BYTE_ORDER_MARK), newline=""), strict=True)
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
