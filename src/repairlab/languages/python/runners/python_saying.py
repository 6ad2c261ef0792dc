"""What blind tests call: they say what they look at, frozen as JSON, by functions bound before code under test is imported.

Objects are read by the methods of the built-in types that they are made of, never by their own. No module is imported here that a
tree might have, too.
"""

from __future__ import annotations

import json
from collections import OrderedDict, deque
from collections.abc import Callable
from typing import Any

_DEEPEST = 60
_LONGEST = 1000000
_quote_text: Callable[[str], str] = json.encoder.encode_basestring_ascii
_bases: Callable[[type], tuple[type, ...]] = type.__dict__["__mro__"].__get__
_name_of: Callable[[type], str] = type.__dict__["__qualname__"].__get__
_attribute, _type, _join, _sorted, _len, _to_text = object.__getattribute__, type, "".join, sorted, len, str
_ESCAPES = {code: f"%{code:02X}" for code in range(128) if not chr(code).isalnum() and chr(code) not in "_.-~"}
_VIEWS: tuple[Any, Any, Any] = (type({}.keys()), type({}.items()), type({}.values()))
_KeysView, _ItemsView, _ValuesView = _VIEWS


def freeze(value: object) -> str:
    """Return a value as text that says all a test can see of it."""
    try:
        text = _frozen(value, 0)
    except RecursionError:
        text = _opaque("deep")
    return text if _len(text) <= _LONGEST else _opaque("long")


def classes_of(value: object) -> str:
    """Return the names of the classes of an object, its own first; null where there is none."""
    if value is None:
        return '["n"]'
    return _list('["s",' + _quote_text(_name_of(base).rpartition(".")[2]) + "]" for base in _bases(_type(value)))


def message_of(error: BaseException | None) -> str:
    """Return what an exception says; null where there is none."""
    return '["n"]' if error is None else '["s",' + _quote_text(_to_text(error)) + "]"


def _opaque(name: str) -> str:
    return '["o",' + _quote_text(name) + "]"


def _object(name: str, parts: Any) -> str:
    fields = _join("[" + _quote_text(key) + "," + part + "]," for key, part in parts)
    return '["o",' + _quote_text(name) + ",[" + fields[:-1] + "]]"


def _list(parts: Any, kind: str = "l") -> str:
    return '["' + kind + '",[' + _join(part + "," for part in parts)[:-1] + "]]"


def _frozen(value: Any, depth: int) -> str:
    if value is None:
        return '["n"]'
    if depth > _DEEPEST:
        raise RecursionError
    kind = _type(value)
    if kind is bool:
        return '["b",true]' if value is True else '["b",false]'
    for base in _bases(kind):
        reader = _READERS.get(base)
        if reader is not None:
            return reader(value, depth + 1)
        named = _NAMED.get((base.__module__, _name_of(base)))
        if named is not None:
            return named(base, value)
        fields = base.__dict__.get("__dataclass_fields__")
        if fields is not None and _type(fields) is dict:
            return _of_dataclass(value, kind, fields, depth + 1)
    return _opaque(_name_of(kind))


def _of_dataclass(value: Any, kind: type, fields: dict[str, Any], depth: int) -> str:
    names = [name for name, field in fields.items() if field.compare and field._field_type.name == "_FIELD"]
    return _object(_name_of(kind), [(name, _frozen(_attribute(value, name), depth)) for name in names])


def _of_set(value: Any, depth: int, members: Any = set.__iter__) -> str:
    return _list(_sorted(_frozen(member, depth) for member in members(value)), "u")


def _of_pairs(pairs: Any, depth: int) -> str:
    return '["d",[' + _join(_sorted(f"[{_frozen(key, depth)},{_frozen(part, depth)}]," for key, part in pairs))[:-1] + "]]"


def _text(name: str, text: str) -> str:
    return _object(name, [("text", '["s",' + _quote_text(text) + "]")])


def _of_fraction(_: Any, value: Any) -> str:
    parts = (int.__repr__(_attribute(value, name)) for name in ("_numerator", "_denominator"))
    return '["f","' + "/".join(parts) + '"]'


_NAMED: dict[tuple[str, str], Callable[[Any, Any], str]] = {
    ("decimal", "Decimal"): lambda base, value: '["f","' + base.__str__(value) + '"]',
    ("fractions", "Fraction"): _of_fraction,
    ("enum", "Enum"): lambda _, value: _text(_name_of(_type(value)), _attribute(value, "_name_")),
    ("datetime", "datetime"): lambda base, value: _text("datetime", base.isoformat(value)),
    ("datetime", "date"): lambda base, value: _text("date", base.isoformat(value)),
    ("datetime", "time"): lambda base, value: _text("time", base.isoformat(value)),
    ("datetime", "timedelta"): lambda base, value: _text("timedelta", base.__str__(value)),
    ("uuid", "UUID"): lambda base, value: _text("UUID", base.__str__(value)),
    ("pathlib", "PurePath"): lambda base, value: _text("Path", base.__str__(value)),
    ("numpy", "ndarray"): lambda base, value: _frozen(base.tolist(value), 1),
    ("numpy", "generic"): lambda base, value: _frozen(base.item(value), 1),
}
"""How to read objects of classes that may not be loaded."""
_READERS: dict[type, Callable[[Any, int], str]] = {
    int: lambda value, _, read=int.__repr__: '["i","' + read(value) + '"]',  # type: ignore[misc]  # bound by default
    float: lambda value, _, read=float.__repr__: '["f","' + read(value) + '"]',  # type: ignore[misc]
    str: lambda value, _: '["s",' + _quote_text(value) + "]",
    bytes: lambda value, _, read=bytes.hex: '["y","' + read(value) + '"]',  # type: ignore[misc]
    bytearray: lambda value, _, read=bytearray.hex: '["y","' + read(value) + '"]',  # type: ignore[misc]
    list: lambda value, depth, read=list.__iter__: _list(_frozen(member, depth) for member in read(value)),  # type: ignore[misc]
    tuple: lambda value, depth, read=tuple.__iter__: _list(_frozen(member, depth) for member in read(value)),  # type: ignore[misc]
    deque: lambda value, depth, read=deque.__iter__: _list(_frozen(member, depth) for member in read(value)),  # type: ignore[misc]
    set: _of_set,
    frozenset: lambda value, depth: _of_set(value, depth, frozenset.__iter__),
    _KeysView: lambda value, depth, read=_KeysView.__iter__: _of_set(value, depth, read),  # type: ignore[misc]
    _ItemsView: lambda value, depth, read=_ItemsView.__iter__: _of_set(value, depth, read),  # type: ignore[misc]
    _ValuesView: lambda value, depth, read=_ValuesView.__iter__: _list(_frozen(part, depth) for part in read(value)),  # type: ignore[misc]
    range: lambda value, depth, read=range.__iter__: _list(_frozen(member, depth) for member in read(value)),  # type: ignore[misc]
    dict: lambda value, depth, read=dict.items: _of_pairs(read(value), depth),  # type: ignore[misc]
    OrderedDict: lambda value, depth, read=OrderedDict.items: _of_pairs(read(value), depth),  # type: ignore[misc]
    complex: lambda value, _, read=complex.__repr__: _text("complex", read(value)),  # type: ignore[misc]
    type: lambda value, _: _object("type", [("name", '["s",' + _quote_text(_name_of(value)) + "]")]),
    BaseException: lambda value, depth: _object(_name_of(_type(value)), [("args", _frozen(_attribute(value, "args"), depth))]),
}


class Caught:
    """Takes what a block raises, as `pytest.raises` and `assertRaises` do, and says of what classes it is."""

    def __init__(self, say: Callable[[BaseException | None], None]) -> None:
        self._say = say
        self.value: BaseException | None = None

    def __enter__(self) -> Caught:
        return self

    def __exit__(self, kind: object, error: BaseException | None, trace: object) -> bool:
        self.value = error
        self._say(error)
        return True

    @property
    def exception(self) -> BaseException | None:
        """What was raised, as unittest calls it."""
        return self.value

    @property
    def type(self) -> object:
        """The class of what was raised, as pytest calls it."""
        return _type(self.value)


def sayings(write: Callable[[bytes], None]) -> dict[str, Callable[..., Any]]:
    """Return what blind tests call, by name; what they say is handed to a function."""

    def put(nonce: str, number: object, text: str) -> None:
        write(f"{nonce}:{number}:{text.translate(_ESCAPES)};\n".encode("ascii"))

    def say(nonce: str, number: int, value: object) -> None:
        put(nonce, number, freeze(value))

    def end(nonce: str, name: str) -> None:
        put(nonce, "end", name)

    def classes(nonce: str, number: int, value: object) -> None:
        put(nonce, number, classes_of(value))

    def caught(nonce: str, number: int, message: int | None = None) -> Caught:
        def say_error(error: BaseException | None) -> None:
            put(nonce, number, classes_of(error))
            if message is not None:
                put(nonce, message, message_of(error))

        return Caught(say_error)

    made: dict[str, Callable[..., Any]] = {"say": say, "end": end, "classes": classes, "caught": caught}
    return {f"__repairlab_{name}__": function for name, function in made.items()}
