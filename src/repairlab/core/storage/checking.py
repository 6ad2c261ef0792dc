"""Check files, requests and calls against a record, and say in plain words what is wrong, where, and what is possible."""

import dataclasses
import datetime
import difflib
import enum
import json
import re
import tomllib
import types
from collections.abc import Iterable, Mapping, Sequence
from importlib.resources import files
from numbers import Integral, Real
from pathlib import Path
from typing import Annotated, Any, Literal, TypeVar, Union, get_args, get_origin, get_type_hints

from pydantic import BaseModel, TypeAdapter, ValidationError

from repairlab.core.errors import UserError, unknown
from repairlab.core.record import SCHEMA_VERSION, to_data

T = TypeVar("T")
KeyPath = tuple[str | int, ...]

_PLAIN: dict[Any, tuple[str, str]] = {
    bool: ("true or false", "truth values"),
    int: ("a whole number", "whole numbers"),
    float: ("a number", "numbers"),
    str: ("text", "texts"),
    Path: ("text", "texts"),
}
_BOUNDS = {
    "gt": "must be more than {}",
    "ge": "must be {} or more",
    "lt": "must be less than {}",
    "le": "must be {} or less",
    "min_length": "is too short: at least {} needed",
    "max_length": "is too long: at most {} possible",
}
_LONGEST = 60


def checked(kind: type[T], data: Any, where: str = "", *, toml: str = "", partial: bool = False, table: str = "a table") -> T:
    """Return the record that data stand for; a UserError says which key is wrong and what is possible.

    With the text of a TOML file it names the line, too. Text is no number, nor is a number text. `partial` leaves it
    to the caller to add what is missing (the answer is then of no use).
    """
    try:
        return _validated(TypeAdapter(kind), data)
    except ValidationError as error:
        problem = problem_of(kind, error, data, partial=partial, table=table)
        if problem is None:
            return data  # type: ignore[no-any-return]  # as the docstring says
        path, message = problem
        raise UserError(f"{place(where, toml, path)}: {message}" if where else message) from None


def _validated(adapter: TypeAdapter[T], data: Any) -> T:
    """Check strictly, by way of JSON, where lists may be tuples and texts enums."""
    try:
        text = json.dumps(data, default=_plain, ensure_ascii=False).encode()
    except UnicodeEncodeError:  # lone surrogates in a candidate
        return adapter.validate_python(data)
    return adapter.validate_json(text, strict=True)


def plain_error(kind: Any, error: ValidationError, data: Any, where: str) -> UserError:
    """Return what the validation of JSON data found, in plain words."""
    _, message = problem_of(kind, error, data) or ((), "something is missing")
    return UserError(f"{where}: {message}" if where else message)


def place(where: str, toml: str, path: Sequence[str | int]) -> str:
    """Return the place of a key: the file and, if possible, the line."""
    line = line_of_key(toml, path)
    return f"{where}, line {line}" if line else where


class KeyPlaces:
    """Knows where the keys of one TOML file are: file, line and key."""

    def __init__(self, where: str, toml: str) -> None:
        """Take the file's name and its text."""
        self._where, self._toml = where, toml

    def __call__(self, *path: str) -> str:
        """Return the place of a key and its name."""
        return f"{place(self._where, self._toml, path)}: {key_text(path)}"


def read_toml(path: Path, what: str = "") -> tuple[dict[str, Any], str]:
    """Return a TOML file's content and text; a UserError says what is wrong with it."""
    named = f"{what} {path}".strip()
    try:
        text = path.read_text(encoding="utf-8-sig")  # editors on Windows begin files with a mark
        return tomllib.loads(text), text
    except FileNotFoundError:
        raise UserError(f"{named} is missing") from None
    except OSError as error:
        raise UserError(f"cannot read {named}: {error.strerror}") from None
    except (tomllib.TOMLDecodeError, UnicodeDecodeError) as error:
        raise UserError(f"{named} is not valid TOML: {error}") from None


def shipped_table(package: str, name: str, kind: type[T]) -> dict[str, T]:
    """Return the records by name from a TOML file of one of our packages, in order."""
    return checked(dict[str, kind], tomllib.loads(files(package).joinpath(name).read_text(encoding="utf-8")), name)  # type: ignore[valid-type]  # mypy takes no variable as a type


def take_schema(data: dict[str, Any], where: str) -> None:
    """Check the version of a file's format; UserError if it is missing or different."""
    if "schema" not in data:
        near = difflib.get_close_matches("schema", data, n=1)
        hint = f"Did you mean it by {near[0]!r}?" if near else f"Begin the file with: schema = {SCHEMA_VERSION}"
        raise UserError(f"{where}: schema is missing. {hint}")
    schema = data.pop("schema")
    if schema != SCHEMA_VERSION or isinstance(schema, bool):
        raise UserError(f"{where}: schema is {schema!r}, this version of repairlab reads schema {SCHEMA_VERSION}")


def problem_of(
    kind: Any, error: ValidationError, data: Any, *, partial: bool = False, table: str = "an object"
) -> tuple[KeyPath, str] | None:
    """Return the wrong key and what is wrong with it, in plain words; unknown keys come before all else."""
    found = [entry for entry in error.errors(include_url=False) if not (partial and entry["type"] == "missing")]
    if not found:
        return None
    first = min(found, key=lambda entry: entry["type"] not in _EXTRA)
    path, inner = _resolve(kind, first["loc"], is_extra=first["type"] in _EXTRA)
    return path, _message(kind, inner, path, _value_at(data, path), first, table)


_EXTRA = ("extra_forbidden", "unexpected_keyword_argument")


def _message(kind: Any, inner: Any, path: KeyPath, value: Any, found: Any, table: str) -> str:
    name, context, sort = key_text(path), found.get("ctx", {}), found["type"]
    if sort in _EXTRA:
        within = f"key of {_table_text(path[:-1], table)}" if len(path) > 1 else "key"
        other = _home(kind, path)
        return (
            str(unknown(within, str(path[-1]), _fields(inner)))
            if other is None
            else f"unknown {within} {path[-1]!r}; it belongs {other}"
        )
    if sort == "missing":
        return f"{name} is missing; it must be {expected(inner, table)}"
    if sort == "json_invalid":
        return f"not valid JSON: {context['error']}"
    if sort == "value_error":
        return f"{name}: {context['error']}" if name else str(context["error"])
    bound = next((_BOUNDS[key].format(f"{context[key]:g}") for key in _BOUNDS if key in context), None)
    if bound is not None:
        return f"{name} {bound}" + ("" if "length" in sort or "too_" in sort else f"; it is {_shown(value)}")
    choices = _choices(inner)
    if choices and isinstance(value, str):
        return f"{name}: {unknown('value', value, choices)}"
    wanted = "finite" if sort == "finite_number" else expected(inner, table)
    return f"{name or 'it'} is {_shown(value)}, but it must be {wanted}{_hint(inner, value)}"


def _hint(inner: Any, value: Any) -> str:
    """Return what was probably meant, as it must be written."""
    kinds = _parts(inner)
    if isinstance(value, str):
        quoted = {"true": bool, "false": bool}.get(value)
        number = float if re.fullmatch(r"-?\d+\.\d+", value) else int if re.fullmatch(r"-?\d+", value) else None
        if quoted in kinds or number in kinds or (number and float in kinds):
            return f": write {value} without quotes"
        if any(_is_list(part) and (get_args(part) or (str,))[0] is str for part in kinds):
            return f": write [{json.dumps(value, ensure_ascii=False)}]"
    elif isinstance(value, int | float) and str in kinds:
        return f': write "{json.dumps(value)}" in quotes'
    return ""


def expected(kind: Any, table: str = "a table") -> str:
    """Return in words what a type takes.

    >>> expected(tuple[str, ...]), expected(int | None), expected(Literal["a", "b"])
    ('a list of texts', 'a whole number', 'one of: a, b')
    """
    choices = _choices(kind)
    if choices:
        return "one of: " + ", ".join(choices)
    said = []
    for part in _parts(kind):
        if part in _PLAIN:
            said.append(_PLAIN[part][0])
        elif _is_list(part):
            items = _parts((get_args(part) or (str,))[0])
            said.append(f"a list of {_PLAIN[items[0]][1] if items[0] in _PLAIN else table.rsplit(maxsplit=1)[-1] + 's'}")
        elif _is_table(part):
            said.append(table)
    return " or ".join(dict.fromkeys(said)) or "another value"


def key_text(path: Sequence[str | int]) -> str:
    """Return a key as people write it.

    >>> key_text(("candidates", 0, "text"))
    'candidates[0].text'
    """
    return "".join(f"[{part}]" if isinstance(part, int) else f".{part}" for part in path).removeprefix(".")


def _table_text(path: KeyPath, table: str) -> str:
    return f"[{key_text(path)}]" if table == "a table" else key_text(path)


def _shown(value: Any) -> str:
    if isinstance(value, bool) or value is None:
        return json.dumps(value)
    if isinstance(value, Mapping):
        return "a table"
    text = str(value) if isinstance(value, datetime.date | datetime.time) else repr(value)
    return text if len(text) <= _LONGEST else f"{text[:_LONGEST]}…"


def _plain(value: Any) -> Any:
    """Make of a value what JSON can hold; no field takes a date of TOML or an object, so that it becomes what no field takes."""
    if isinstance(value, Path):
        return str(value)
    if isinstance(value, Integral | Real):
        return int(value) if isinstance(value, Integral) else float(value)
    if isinstance(value, Mapping):
        return dict(value)
    if dataclasses.is_dataclass(value) and not isinstance(value, type):
        return to_data(value)
    is_many = isinstance(value, Iterable) and not isinstance(value, bytes | bytearray | type)
    return list(value) if is_many else {type(value).__name__: str(value)}


def _parts(kind: Any) -> tuple[Any, ...]:
    """Return the types of a union without None; of another type, itself."""
    if get_origin(kind) is Annotated:
        kind = get_args(kind)[0]
    if get_origin(kind) in (Union, types.UnionType):
        return tuple(inner for part in get_args(kind) if part is not type(None) for inner in _parts(part))
    return (kind,)


def _choices(kind: Any) -> tuple[str, ...]:
    """Return the possible values, if all can be listed."""
    found: list[str] = []
    for part in _parts(kind):
        if get_origin(part) is Literal:
            found += map(str, get_args(part))
        elif isinstance(part, type) and issubclass(part, enum.Enum):
            found += (str(member.value) for member in part)
        else:
            return ()
    return tuple(found)


def _is_list(kind: Any) -> bool:
    origin = get_origin(kind) or kind
    return isinstance(origin, type) and issubclass(origin, Sequence) and not issubclass(origin, str | bytes)


def _is_table(kind: Any) -> bool:
    origin = get_origin(kind) or kind
    return dataclasses.is_dataclass(origin) or (isinstance(origin, type) and issubclass(origin, BaseModel | Mapping))


def _fields(kind: Any) -> dict[str, Any]:
    """Return the keys of a table with their types, by their names in files."""
    found: dict[str, Any] = {}
    for part in _parts(kind):
        if isinstance(part, type) and issubclass(part, BaseModel):
            found |= {field.alias or name: field.annotation for name, field in part.model_fields.items()}
        elif dataclasses.is_dataclass(part):
            hints = get_type_hints(part)
            found |= {field.name: hints[field.name] for field in dataclasses.fields(part) if field.init}
    return found


def _inner(kind: Any, part: str | int) -> Any:
    """Return the type of what has this key or place in a table or list; None when there is none."""
    fields = _fields(kind)
    if part in fields:
        return fields[str(part)]
    for each in _parts(kind):
        arguments = get_args(each)
        if isinstance(part, int) and _is_list(each) and arguments:
            return arguments[0]
        if isinstance(part, str) and not fields and _is_table(each) and arguments:
            return arguments[-1]
    return None


def _resolve(kind: Any, loc: Sequence[str | int], *, is_extra: bool) -> tuple[KeyPath, Any]:
    """Return the key that a place means, and the type there; of an unknown key the type of its table."""
    path: list[str | int] = []
    for part in loc[:-1] if is_extra else loc:
        found = _inner(kind, part)
        if found is not None:  # a place that is not a key names a member of a union
            path.append(part)
            kind = found
    return (*path, *loc[-1:]) if is_extra else tuple(path), kind


def _home(kind: Any, path: KeyPath) -> str | None:
    """Return the table of a record that has a key which was written in another one."""
    name, fields = path[-1], _fields(kind)
    if len(path) > 1 and name in fields:
        return "at the top, before the first [table]"
    tables = [table for table, inner in fields.items() if name in _fields(inner)]
    return f"in the table [{tables[0]}]" if len(tables) == 1 else None


def _value_at(data: Any, path: KeyPath) -> Any:
    for part in path:
        if isinstance(data, Mapping):
            data = data.get(part)
        elif isinstance(part, int) and isinstance(data, Sequence) and part < len(data):
            data = data[part]
        else:
            return None
    return data


_HEADER = re.compile(r"\s*\[\[?\s*([^\[\]]+?)\s*\]\]?\s*(#.*)?$")
_KEY = re.compile(r"""\s*((?:[A-Za-z0-9_-]+|"[^"]*"|'[^']*')(?:\s*\.\s*(?:[A-Za-z0-9_-]+|"[^"]*"|'[^']*'))*)\s*=""")
_NAME = re.compile(r"""[A-Za-z0-9_-]+|"[^"]*"|'[^']*'""")


def line_of_key(toml: str, path: Sequence[str | int]) -> int | None:
    r"""Return the line of a TOML text that has a key, or else the table or value around it.

    >>> line_of_key('a = 1\n[test]\nfiles = ["x"]\n', ("test", "files"))
    3
    """
    wanted = tuple(part for part in path if isinstance(part, str))
    best: tuple[int, int] | None = None
    table: tuple[str, ...] = ()
    quotes = ""
    for number, line in enumerate(toml.split("\n"), start=1):
        if not quotes:
            header, key = _HEADER.match(line), _KEY.match(line)
            if header:
                table = _names(header[1])
            here = table + _names(key[1]) if key else table if header else ()
            if here and here == wanted[: len(here)] and (best is None or len(here) > best[0]):
                best = (len(here), number)
        for mark in re.findall(r'"""|\'\'\'', line):
            quotes = "" if mark == quotes else quotes or mark
    return best[1] if best else None


def _names(text: str) -> tuple[str, ...]:
    return tuple(part.strip("\"'") for part in _NAME.findall(text))
