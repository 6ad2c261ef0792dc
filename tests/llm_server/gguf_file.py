"""Writes GGUF files, version 3: named values and arrays of 32-bit floats, which is all the tiny model needs."""

import io
import struct
from collections.abc import Mapping
from pathlib import Path

import numpy as np
from numpy.typing import NDArray

Value = str | int | float | bool | list[str] | list[int]
_ALIGNMENT = 32
_UINT32, _INT32, _FLOAT32, _BOOL, _STRING, _ARRAY = 4, 5, 6, 7, 8, 9


def write_gguf(path: Path, values: Mapping[str, Value], tensors: Mapping[str, NDArray[np.float32]]) -> Path:
    """Write values and tensors to a file."""
    head, body = io.BytesIO(), io.BytesIO()
    head.write(struct.pack("<4sIQQ", b"GGUF", 3, len(tensors), len(values)))
    for key, value in values.items():
        head.write(_string(key) + _typed(value))
    for name, tensor in tensors.items():
        head.write(_string(name) + struct.pack("<I", tensor.ndim))
        head.write(struct.pack(f"<{tensor.ndim}QIQ", *reversed(tensor.shape), 0, body.tell()))
        body.write(np.ascontiguousarray(tensor, dtype="<f4").tobytes())
        _pad(body)
    _pad(head)
    path.write_bytes(head.getvalue() + body.getvalue())
    return path


def _string(text: str) -> bytes:
    data = text.encode()
    return struct.pack("<Q", len(data)) + data


def _typed(value: Value) -> bytes:
    match value:
        case bool():
            return struct.pack("<I?", _BOOL, value)
        case int():
            return struct.pack("<II", _UINT32, value)
        case float():
            return struct.pack("<If", _FLOAT32, value)
        case str():
            return struct.pack("<I", _STRING) + _string(value)
    kind = _STRING if isinstance(value[0], str) else _INT32
    items = b"".join(_string(item) if isinstance(item, str) else struct.pack("<i", item) for item in value)
    return struct.pack("<IIQ", _ARRAY, kind, len(value)) + items


def _pad(file: io.BytesIO) -> None:
    file.write(b"\0" * (-file.tell() % _ALIGNMENT))
