"""Records as JSON lines, with a check at the end of each, and files that are never half written.

A check is the line's number and a CRC-32 over all before it, begun with the run's key: a line that was changed, moved, left out,
doubled or taken from another run or file is noticed.
"""

import json
import os
import re
import zlib
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
    """Return the JSON of a record, preceded by its format version and followed by more texts."""
    try:
        body = _adapter(type(item)).dump_json(item)  # ten times as fast as the way below, which handles all texts
    except PydanticSerializationError:
        body = json.dumps(to_data(item), ensure_ascii=False, separators=(",", ":")).encode("utf-8", "surrogatepass")
    behind = b"".join(b"," + f"{json.dumps(key)}:{json.dumps(value)}".encode() for key, value in more.items())
    return b'{"schema":%d,' % SCHEMA_VERSION + body[1:-1] + behind + b"}"


def decode(kind: type[T], data: dict[str, Any] | None, where: str) -> T:
    """Make a record from its JSON; an error in it is a UserError that names the file."""
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
    """Write a temporary file and rename it, so that readers never see half of it."""
    aside = path.with_name(f".{path.name}.{os.getpid()}")
    aside.write_text(text, encoding="utf-8")
    aside.replace(path)


def store_json(path: Path, data: object, *, indent: int | None = 2) -> None:
    """Write a JSON file with its format version; UserError if it cannot be written."""
    text = json.dumps({"schema": SCHEMA_VERSION, **to_data(data)}, indent=indent, ensure_ascii=False) + "\n"
    try:
        path.parent.mkdir(exist_ok=True)
        write_aside(path, text)
    except OSError as error:
        raise UserError(f"cannot write {path}: {error.strerror}") from None


_TAIL = len(b',"check":"01234567"}\n')
_NUMBER = re.compile(rb',"line":(\d+)$')
_END = re.compile(rb',"line":(\d+),"check":"[0-9a-f]{8}"}\n$')


def line_key(run_id: str, file_name: str) -> int:
    """Return the start value for the checks of one file of one run."""
    return zlib.crc32(f"{run_id}/{file_name}".encode())


def checked_line(body: bytes, key: int, number: int) -> bytes:
    r"""Return the line of a JSON object, with its number (from 1) and its check as the last members.

    >>> checked_line(b'{"a":1}', line_key("run", "file"), 7)
    b'{"a":1,"line":7,"check":"0d59355c"}\n'
    """
    head = body[:-1] + b',"line":%d' % number
    return head + b',"check":"%08x"}\n' % zlib.crc32(head, key)


def number_of(line: bytes, key: int) -> int | None:
    r"""Return the number of a line that is as it was written; none for any other.

    >>> number_of(b'{"a":1,"line":7,"check":"0d59355c"}\n', line_key("run", "file"))
    7
    >>> number_of(b'{"a":2,"line":7,"check":"0d59355c"}\n', line_key("run", "file")) is None
    True
    """
    head = line[:-_TAIL]
    if line[-_TAIL:] != b',"check":"%08x"}\n' % zlib.crc32(head, key):
        return None
    found = _NUMBER.search(head, max(0, len(head) - 32))
    return int(found[1]) if found else None


def stated_number(line: bytes) -> int | None:
    """Return the number that a line, or the end of one, claims to have; None if it has no check."""
    found = _END.search(line, max(0, len(line) - 64))
    return int(found[1]) if found else None


def without_check(line: bytes) -> bytes:
    r"""Return the JSON object of a line as it was before it got its number and its check, if it did.

    >>> without_check(b'{"a":1,"line":7,"check":"0d59355c"}\n'), without_check(b'{"a":1}\n')
    (b'{"a":1}', b'{"a":1}')
    """
    found = _END.search(line, max(0, len(line) - 64))
    return line[: found.start()] + b"}" if found else line.rstrip(b"\n")
