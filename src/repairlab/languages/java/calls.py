"""Calling a static method of Java by itself: arguments that it is known to take, and the program that calls it.

Methods of objects are left out, and so are parameters other than numbers, texts and arrays of these.
"""

import ast
import json
import math
import re
from collections.abc import Callable, Iterator, Mapping, Sequence
from importlib import resources
from pathlib import PurePosixPath
from typing import NoReturn

from repairlab.languages.language import Function, Token, language

_WHOLE = {"byte": 8, "short": 16, "int": 32, "long": 64}
"""Integer types, and how many bits they have."""
_BROKEN = ("float", "double")
_TEXTS = ("String", "CharSequence", "Object")
_BOXES = {"Byte": "byte", "Short": "short", "Integer": "int", "Long": "long"}
_OF_TYPE: Mapping[str, tuple[object, ...]] = {
    **dict.fromkeys(_WHOLE, (0, 1, 7)),
    **dict.fromkeys(_BROKEN, (0.0, 1.5)),
    **dict.fromkeys(_TEXTS, ("", "a b", "1.2")),
    "boolean": (True, False),
    "char": ("a", " "),
}
_PACKAGE = re.compile(r"^\s*package\s+([\w.]+)\s*;", re.MULTILINE)
_NUMBER = re.compile(r"(?P<digits>0[xX][0-9a-fA-F_]+|[0-9_]*\.?[0-9_]+\.?(?:[eE][+-]?[0-9]+)?)[lLfFdD]?")
_SPECIAL = {"NaN": math.nan, "POSITIVE_INFINITY": math.inf, "NEGATIVE_INFINITY": -math.inf}


def stands_alone(function: Function, path: str, source: str) -> bool:
    """Return whether a method is static, in the class that the file is named after, with parameters only of known types."""
    head = source[function.span.start : function.body.start].partition("(")[0].split()
    is_known = all(_element(kind) in _OF_TYPE for kind in map(type_of, function.parameters))
    return "static" in head and function.qualified == f"{PurePosixPath(path).stem}.{function.name}" and is_known


def type_of(parameter: str) -> str:
    """Return the type that a parameter states.

    >>> type_of("final String str"), type_of("int... values"), type_of("double values[]")
    ('String', 'int[]', 'double[]')
    """
    *words, name = re.sub(r"@\w+(?:\([^)]*\))?|\bfinal\b", "", parameter).replace("...", "[] ").split()
    return "".join(words) + "[]" * name.count("[]")


def _element(kind: str) -> str:
    return kind.removesuffix("[]")


def example_calls(function: Function, texts: Sequence[str]) -> list[tuple[object, ...]]:
    """Return argument tuples: literal calls first, then some for the stated types."""
    kinds = [*map(type_of, function.parameters)]
    found = [arguments for text in texts if function.name in text for arguments in _literal_calls(function.name, kinds, text)]
    stated = [(list(_OF_TYPE[_element(kind)]),) if kind.endswith("[]") else _OF_TYPE[kind] for kind in kinds]
    n = max(map(len, stated), default=0)
    found += [tuple(values[place % len(values)] for values in stated) for place in range(n)]
    return list({repr(arguments): arguments for arguments in found}.values())


def _literal_calls(name: str, kinds: Sequence[str], text: str) -> Iterator[tuple[object, ...]]:
    found = language("java").syntax.tokens(text)
    for place in range(len(found) - 1):
        if found[place].text == name and found[place + 1].text == "(":
            reader = _Reader(found, place + 2)
            try:
                yield tuple(reader.values(kinds, ")"))
            except (ValueError, SyntaxError, IndexError):
                continue  # it is not all literals, or it is an overload


class _Reader:
    """Reads literals of stated types one after another; ValueError on anything else."""

    def __init__(self, found: Sequence[Token], place: int) -> None:
        self._tokens, self._place = found, place

    def values(self, kinds: Sequence[str], end: str) -> Iterator[object]:
        """Yield the values up to the closing bracket."""
        for number, kind in enumerate(kinds):
            if number:
                self._take(",")
            yield self._array(_element(kind)) if kind.endswith("[]") else self._value(kind)
        self._take(end)

    def _next(self) -> str:
        self._place += 1
        return self._tokens[self._place - 1].text

    def _take(self, *wanted: str) -> None:
        for text in wanted:
            if self._next() != text:
                raise ValueError(text)

    def _array(self, element: str) -> list[object] | None:
        if self._tokens[self._place].text == "null":
            self._place += 1
            return None
        self._take("new", element, "[", "]", "{")
        found: list[object] = []
        while self._tokens[self._place].text != "}":
            found.append(self._value(element))
            if self._tokens[self._place].text != "}":
                self._take(",")
        self._place += 1
        return found

    def _value(self, kind: str) -> object:
        if self._tokens[self._place].text == "(":
            self._take("(", kind, ")")  # a cast
        text = self._next()
        if kind == "boolean":
            return text == "true" if text in ("true", "false") else _refuse(text)
        if kind in (*_TEXTS, "char"):
            quote = "'" if kind == "char" else '"'
            if kind != "char" and text == "null":
                return None
            return ast.literal_eval(text) if text[0] == quote and not text.startswith('"""') else _refuse(text)
        sign = 1
        if text in ("-", "+"):
            sign, text = (-1 if text == "-" else 1), self._next()
        number = self._constant(text) if text in (*_BOXES, "Double", "Float") else _number(text)
        return sign * (float(number) if kind in _BROKEN else _whole(number))

    def _constant(self, box: str) -> float:
        self._take(".")
        name = self._next()
        if box in _BOXES and name in ("MIN_VALUE", "MAX_VALUE"):
            bits = _WHOLE[_BOXES[box]]
            return -(1 << bits - 1) if name == "MIN_VALUE" else (1 << bits - 1) - 1
        return _SPECIAL[name] if name in _SPECIAL else _refuse(name)


def _refuse(text: str) -> NoReturn:
    raise ValueError(text)


def _number(text: str) -> float:
    match = _NUMBER.fullmatch(text)
    digits = (match["digits"] if match else _refuse(text)).replace("_", "")
    if digits.lower().startswith("0x"):
        return int(digits, 16)
    return float(digits) if re.search(r"[.eE]", digits) else int(digits)


def _whole(number: float) -> int:
    return number if isinstance(number, int) else _refuse(str(number))


def calling_program(function: Function, source: str, arguments: Sequence[tuple[object, ...]]) -> str:
    """Return a Java program that makes these calls and prints a JSON list for each."""
    package = _PACKAGE.search(source)
    owner = f"{package[1]}." if package else ""
    kinds = [*map(type_of, function.parameters)]
    lines = [_call(values, kinds) for values in arguments]
    # A method may have 64 KB of code.
    parts = [lines[start : start + 20] for start in range(0, len(lines), 20)]
    methods = "".join(f"    static void part{n}() {{\n{''.join(part)}    }}\n" for n, part in enumerate(parts))
    facts = {
        "owner": json.dumps(owner + function.qualified.rpartition(".")[0]),
        "name": json.dumps(function.name),
        "types": "".join(f", {kind}.class" for kind in kinds),
        "parts": " ".join(f"part{n}();" for n in range(len(parts))),
        "methods": methods,
    }
    text = (resources.files("repairlab.languages.java") / "runners" / "RepairlabCalls.java.template").read_text(encoding="utf-8")
    return re.sub(r"@(\w+)@", lambda match: facts[match[1]], text)


def _call(values: Sequence[object], kinds: Sequence[str]) -> str:
    try:
        written = ", ".join(_written(value, kind) for value, kind in zip(values, kinds, strict=True))
    except (ValueError, TypeError):
        return "        refuse();\n"  # Java has no such value
    return f"        call(new Object[] {{{written}}});\n"


def _written(value: object, kind: str) -> str:
    """Return a value as an expression of a type; ValueError if it has none."""
    if kind.endswith("[]"):
        element = _element(kind)
        if value is None:
            return f"({kind}) null"
        if not isinstance(value, list):
            raise TypeError(value)
        return f"new {kind} {{{', '.join(_written(item, element) for item in value)}}}"
    writer: Callable[[object], str] = _WRITERS.get(kind, _text)
    return writer(value) if kind not in _WHOLE else _integer(value, kind)


def _integer(value: object, kind: str) -> str:
    half = 1 << _WHOLE[kind] - 1
    if type(value) is not int or not -half <= value < half:
        raise ValueError(value)
    return f"({kind}) {value}L" if value >= 0 else f"({kind}) ({value}L)"


def _real(value: object) -> str:
    if not isinstance(value, float):
        raise TypeError(value)
    if math.isfinite(value):
        return f"({value!r})"
    return "Double.NaN" if math.isnan(value) else f"Double.{'POSITIVE' if value > 0 else 'NEGATIVE'}_INFINITY"


def _text(value: object) -> str:
    if value is not None and not isinstance(value, str):
        raise TypeError(value)
    return "(String) null" if value is None else json.dumps(value)


def _char(value: object) -> str:
    if not isinstance(value, str) or len(value) != 1 or ord(value) > 0xFFFF:
        raise ValueError(value)
    return f"(char) {ord(value)}"


def _boolean(value: object) -> str:
    if not isinstance(value, bool):
        raise TypeError(value)
    return "true" if value else "false"


_WRITERS: Mapping[str, Callable[[object], str]] = {
    "double": _real,
    "float": lambda value: f"(float) {_real(value)}",
    "char": _char,
    "boolean": _boolean,
}
