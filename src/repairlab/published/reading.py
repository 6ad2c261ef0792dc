"""Reading files of other projects: whatever is wrong with one becomes a UserError that names file, line or entry, and field."""

import csv
import json
from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import Any, TypeVar

from repairlab.core.errors import UserError
from repairlab.published.judgement import Ruling

T = TypeVar("T")


def files_of(paths: Sequence[Path], pattern: str) -> list[Path]:
    """Return the files, with those that match in place of each folder."""
    found: list[Path] = []
    for path in paths:
        inside = sorted(path.glob(pattern)) if path.is_dir() else [path]
        if not inside:
            raise UserError(f"{path} has no file {pattern}")
        found += inside
    return found


def read_text(path: Path) -> str:
    """Return the text of a file."""
    try:
        return path.read_bytes().decode("utf-8-sig")
    except OSError as error:
        raise UserError(f"cannot read {path}: {error.strerror}") from None
    except UnicodeDecodeError as error:
        raise UserError(f"{path} is not UTF-8 text ({error.reason} at byte {error.start})") from None


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
        return json.loads(text, object_pairs_hook=unique)
    except json.JSONDecodeError as error:
        at = first_line + error.lineno - 1
        raise UserError(f"{path}, line {at}: not valid JSON: {error.msg} (is the file complete?)") from None
    except (ValueError, RecursionError) as error:
        raise UserError(f"{path}: not valid JSON: {error}") from None


def read_object(path: Path) -> dict[str, Any]:
    """Return the content of a file with one JSON object."""
    return as_type(parse_json(read_text(path), path), dict, str(path), "the file")


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


def objects(values: Sequence[Any], where: str) -> Iterator[tuple[str, dict[str, Any]]]:
    """Yield where each object of a list is, for messages, and the object."""
    for number, value in enumerate(values, start=1):
        place = f"{where}, item {number}"
        yield place, as_type(value, dict, place, "it")


def read_csv(path: Path, columns: Sequence[str]) -> list[tuple[str, dict[str, str]]]:
    """Return where each row of a CSV file with a header is, and the row; these columns must be there."""
    rows = csv.DictReader(read_text(path).splitlines(), strict=True)
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
            made.append((where, {name: row[name] for name in columns}))
    except csv.Error as error:
        raise UserError(f"{path}, line {rows.line_num}: not valid CSV: {error}") from None
    return made


CORRECTNESS = {
    "plausible": Ruling.PLAUSIBLE,
    "wrong": Ruling.WRONG,
    "uncompilable": Ruling.UNCOMPILABLE,
    "timeout": Ruling.TIMEOUT,
    "init-error": Ruling.UNDECIDED,
}
"""The words of `correctness`, which NL2Fix and clm share."""


def correctness(entry: dict[str, Any], where: str) -> Ruling:
    """Return what the field `correctness` says; null means that the candidate was never run."""
    if "correctness" in entry and entry["correctness"] is None:
        return Ruling.UNDECIDED
    word = field(entry, "correctness", str, where)
    if word not in CORRECTNESS:
        raise UserError(f"{where}: the field 'correctness' is {word!r}; known are {', '.join(CORRECTNESS)} and null")
    return CORRECTNESS[word]
