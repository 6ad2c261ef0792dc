"""Values of Java literals, and of collections of them, as blind tests say them."""

import re
from collections.abc import Callable

from tree_sitter import Node

from repairlab.languages.nodes import named
from repairlab.languages.parser import Parsed
from repairlab.languages.withholding import Frozen, frozen_mapping

_INTEGER = re.compile(r"(?:decimal|hex|octal|binary)_integer_literal")
_ESCAPES = {"n": "\n", "t": "\t", "r": "\r", "b": "\b", "f": "\f", "s": " "}
_LISTS = frozenset({"Arrays.asList", "Collections.emptyList", "Collections.singletonList", "List.of"})
_SETS = frozenset({"Collections.emptySet", "Collections.singleton", "Set.of"})
_MAPS = frozenset({"Collections.emptyMap", "Map.of"})
_BOXES = frozenset({f"{name}.valueOf" for name in ("Boolean", "Byte", "Character", "Double", "Float", "Integer", "Long", "Short")})
_NUMBERS = ("i", "f")


class JavaLiterals:
    """The values that stand in a file as they are."""

    def __init__(self, parsed: Parsed, constant: Callable[[Node], Node | None]) -> None:
        """Take what says what a variable was made with that nothing changes."""
        self._parsed, self._constant = parsed, constant

    def frozen(self, node: Node) -> Frozen | None:
        """Return the value of a literal, or of a constant that is one; none where it is something else."""
        text = self._parsed.text(node)
        if _INTEGER.fullmatch(node.type):
            return ["i", str(integer(text))]
        readers: dict[str, Callable[[Node], Frozen | None]] = {
            "decimal_floating_point_literal": lambda _: ["f", repr(float(text.rstrip("fFdD").replace("_", "")))],
            "string_literal": lambda _: None if text.startswith('"""') else ["s", unescaped(text[1:-1])],
            "character_literal": lambda _: ["s", unescaped(text[1:-1])],
            "true": lambda _: ["b", True],
            "false": lambda _: ["b", False],
            "null_literal": lambda _: ["n"],
            "parenthesized_expression": lambda _: self.frozen(named(node)[0]),
            "cast_expression": self._cast,
            "unary_expression": self._signed,
            "binary_expression": self._joined,
            "array_initializer": lambda _: self._members("l", named(node)),
            "array_creation_expression": self._array,
            "method_invocation": self._collection,
            "identifier": self._named,
        }
        reader = readers.get(node.type)
        return None if reader is None else reader(node)

    def _named(self, node: Node) -> Frozen | None:
        made = self._constant(node)
        return None if made is None else self.frozen(made)

    def _signed(self, node: Node) -> Frozen | None:
        sign, inner = node.child_by_field_name("operator"), self.frozen(named(node)[-1])
        if sign is None or sign.type not in ("-", "+") or inner is None or inner[0] not in _NUMBERS:
            return None
        return inner if sign.type == "+" or inner == ["i", "0"] else [inner[0], f"-{inner[1]}".removeprefix("--")]

    def _cast(self, node: Node) -> Frozen | None:
        kind, value = node.child_by_field_name("type"), node.child_by_field_name("value")
        inner = self.frozen(value) if value is not None else None
        if kind is None or inner is None or kind.type == "boolean_type":
            return inner
        is_kept = inner[0] == "i" or (inner[0] == "f" and kind.type == "floating_point_type")
        is_whole = kind.type == "integral_type" and self._parsed.text(kind) in ("int", "long")
        return inner if is_kept and (is_whole or kind.type == "floating_point_type") else None

    def _joined(self, node: Node) -> Frozen | None:
        operator, sides = node.child_by_field_name("operator"), [self.frozen(side) for side in named(node)]
        if operator is None or operator.type != "+" or any(side is None or side[0] != "s" for side in sides):
            return None
        return ["s", "".join(str(side[1]) for side in sides if side is not None)]

    def _array(self, node: Node) -> Frozen | None:
        value = node.child_by_field_name("value")
        return None if value is None else self.frozen(value)

    def _members(self, kind: str, nodes: list[Node]) -> Frozen | None:
        members = [self.frozen(node) for node in nodes]
        return None if None in members else [kind, members]

    def _collection(self, node: Node) -> Frozen | None:
        owner, name, arguments = (node.child_by_field_name(field) for field in ("object", "name", "arguments"))
        values = named(arguments) if arguments is not None else []
        called = ".".join(self._parsed.text(part).rpartition(".")[2] for part in (owner, name) if part is not None)
        if called in _BOXES and len(values) == 1 and values[0].type != "string_literal":
            return self.frozen(values[0])
        if called in _LISTS | _SETS:
            is_spread = called in ("Arrays.asList", "List.of") and len(values) == 1 and values[0].type == "identifier"
            return None if is_spread else self._members("l" if called in _LISTS else "u", values)
        if called in _MAPS:
            cells = [cell for value in values if (cell := self.frozen(value)) is not None]
            return frozen_mapping(zip(cells[::2], cells[1::2], strict=True)) if len(cells) == len(values) else None
        return None


def integer(text: str) -> int:
    """Return the value of a whole number.

    >>> [integer(text) for text in ("0x1F", "1_000L", "0b11", "017", "0", "0xFFFFFFFF", "0xFFFFFFFFL")]
    [31, 1000, 3, 15, 0, -1, 4294967295]
    """
    plain = text.replace("_", "").lower()
    bits = 64 if plain.endswith("l") else 32
    plain = plain.rstrip("l")
    base = {"0x": 16, "0b": 2}.get(plain[:2], 8 if plain[0] == "0" else 10)
    value = int(plain[2:] if base in (16, 2) else plain, base)
    return value - (1 << bits) if base != 10 and value >= 1 << (bits - 1) else value


def unescaped(text: str) -> str:
    r"""Return what a string literal means.

    >>> unescaped(r"a\n\u0041\101\"\\")
    'a\nAA"\\'
    """
    return re.sub(r"\\(?:u+([\da-fA-F]{4})|([0-3]?[0-7]{1,2})|(.))", _character, text)


def _character(escape: re.Match[str]) -> str:
    if escape[1] or escape[2]:
        return chr(int(escape[1], 16) if escape[1] else int(escape[2], 8))
    return _ESCAPES.get(escape[3], escape[3])


def quoted(text: str) -> str:
    r"""Return a string literal.

    >>> print(quoted('a"b'))
    "a\"b"
    """
    return '"' + text.replace("\\", "\\\\").replace('"', '\\"') + '"'
