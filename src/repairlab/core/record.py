"""How every record of repairlab is made, hashed and turned into JSON; all of `core` builds on it.

Records are frozen dataclasses with keyword arguments. Readers at the borders (files, command line) check them with pydantic,
which honours the `__pydantic_config__` set here: unknown keys are refused everywhere.
"""

import dataclasses
import enum
import hashlib
import json
from collections.abc import Sequence
from typing import Any, TypeVar, dataclass_transform

SCHEMA_VERSION = 1
"""Version of the JSON form of all records; files carry it and readers refuse another one."""

T = TypeVar("T")


@dataclass_transform(frozen_default=True, kw_only_default=True)
def record(cls: type[T]) -> type[T]:
    """Make a class a record: frozen, keyword-only, slotted, strict about unknown keys when read from JSON."""
    made = dataclasses.dataclass(frozen=True, kw_only=True, slots=True)(cls)
    made.__pydantic_config__ = {"extra": "forbid"}  # type: ignore[attr-defined]  # pydantic looks for this name
    return made


def to_data(value: Any) -> Any:
    """Return a record as plain dicts, lists, strings and numbers, ready for `json.dumps`."""
    if dataclasses.is_dataclass(value) and not isinstance(value, type):
        return {field.name: to_data(getattr(value, field.name)) for field in dataclasses.fields(value)}
    if isinstance(value, enum.Enum):
        return value.value
    if isinstance(value, tuple | list):
        return [to_data(item) for item in value]
    if isinstance(value, dict):
        return {str(key): to_data(item) for key, item in value.items()}
    if isinstance(value, Sequence) and not isinstance(value, str | bytes):
        return [to_data(item) for item in value]
    return value


def to_json(value: Any) -> str:
    """Return the canonical JSON of a record: one line, sorted keys, so that equal records give equal text."""
    return json.dumps(to_data(value), ensure_ascii=False, sort_keys=True, separators=(",", ":"))


def digest(*values: Any) -> str:
    """Return a content hash, equal in every process and on every machine.

    >>> digest("a", 1)
    '029959cdc4f76304'
    """
    text = to_json({"schema": SCHEMA_VERSION, "values": list(values)})
    return hashlib.sha256(text.encode("utf-8", "surrogatepass")).hexdigest()[:16]
