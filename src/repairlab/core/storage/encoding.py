"""Records as JSON lines, and files that are never half written."""

import json
import os
from pathlib import Path
from typing import Any, TypeVar

from pydantic import TypeAdapter, ValidationError
from pydantic_core import PydanticSerializationError

from repairlab.core.errors import UserError
from repairlab.core.record import SCHEMA_VERSION, to_data
from repairlab.core.storage.checking import plain_error

T = TypeVar("T")

_adapters: dict[type, TypeAdapter[Any]] = {}  # each costs milliseconds to make


def _adapter(kind: type) -> TypeAdapter[Any]:
    if kind not in _adapters:
        _adapters[kind] = TypeAdapter(kind)
    return _adapters[kind]


def _fields(kind: type) -> frozenset[str]:
    return frozenset(getattr(kind, "__dataclass_fields__", ()))


def encode(item: object, **more: str) -> bytes:
    """Return the JSON of a record, with the version of its form before and more texts behind."""
    try:
        body = _adapter(type(item)).dump_json(item)  # ten times as fast as the way below, which can do all texts
    except PydanticSerializationError:
        body = json.dumps(to_data(item), ensure_ascii=False, separators=(",", ":")).encode("utf-8", "surrogatepass")
    behind = b"".join(b"," + f"{json.dumps(key)}:{json.dumps(value)}".encode() for key, value in more.items())
    return b'{"schema":%d,' % SCHEMA_VERSION + body[1:-1] + behind + b"}"


def decode(kind: type[T], data: dict[str, Any] | None, where: str) -> T:
    """Make a record from its JSON; what is wrong with it is a UserError that names the file."""
    if data is None:
        raise UserError(f"{where}: a line is not valid JSON; was the file changed by hand?")
    schema = data.pop("schema", None)
    if schema != SCHEMA_VERSION:
        raise UserError(f"{where}: schema is {schema!r}, this version of repairlab reads schema {SCHEMA_VERSION}")
    for added in ("id", "line", "check"):
        if added not in _fields(kind):
            data.pop(added, None)
    try:
        made: T = _adapter(kind).validate_python(data)
        return made
    except ValidationError as error:
        raise plain_error(kind, error, data, where) from None


def write_aside(path: Path, text: str) -> None:
    """Write a file beside its place and rename it, so that readers never see half of it."""
    aside = path.with_name(f".{path.name}.{os.getpid()}")
    aside.write_text(text, encoding="utf-8")
    aside.replace(path)
