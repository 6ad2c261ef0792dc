"""Values of JavaScript literals, as blind tests say them, and patterns in the words of Python."""

import math
import re
from collections.abc import Callable

from tree_sitter import Node

from repairlab.languages.nodes import named
from repairlab.languages.parser import Parsed
from repairlab.languages.withholding import Frozen, frozen_mapping, frozen_number, frozen_text

UNDEFINED: Frozen = ["o", "undefined", []]
_ESCAPES = {"n": "\n", "t": "\t", "r": "\r", "b": "\b", "f": "\f", "v": "\v", "0": "\0"}
_SPECIAL: dict[str, Frozen] = {"null": ["n"], "undefined": UNDEFINED, "true": ["b", True], "false": ["b", False]}
_GLOBALS = {"NaN": math.nan, "Infinity": math.inf}
_FOREIGN = re.compile(r"\(\?<(?![=!])|\\[pPukcBx]|\[\^?\]")
"""What patterns of Python write in another way."""


class Literals:
    """The values that stand in a file as they are."""

    def __init__(self, parsed: Parsed, constant: Callable[[Node], Node | None]) -> None:
        """Take what says what a variable was made with that nothing changes."""
        self._parsed, self._constant = parsed, constant
        self._readers: dict[str, Callable[[Node], Frozen | None]] = {
            "number": lambda node: number(parsed.text(node)),
            "string": self._text,
            "template_string": self._text,
            "parenthesized_expression": lambda node: self.frozen(named(node)[0]) if len(named(node)) == 1 else None,
            "unary_expression": self._signed,
            "array": self._list,
            "object": self._mapping,
            "identifier": self._named,
            **dict.fromkeys(_SPECIAL, lambda node: list(_SPECIAL[node.type])),
        }

    def frozen(self, node: Node) -> Frozen | None:
        """Return the value of a literal, or of a constant that is one; none where it is something else."""
        reader = self._readers.get(node.type)
        return None if reader is None else reader(node)

    def _text(self, node: Node) -> Frozen | None:
        is_filled = any(part.type == "template_substitution" for part in node.children)
        return None if is_filled else ["s", unescaped(self._parsed.text(node)[1:-1])]

    def _named(self, node: Node) -> Frozen | None:
        text, made = self._parsed.text(node), self._constant(node)
        if text in _GLOBALS:
            return frozen_number(_GLOBALS[text])
        return None if made is None else self.frozen(made)

    def _signed(self, node: Node) -> Frozen | None:
        sign, inner = node.child_by_field_name("operator"), self.frozen(named(node)[-1])
        if sign is None or sign.type not in ("-", "+") or inner is None or inner[0] not in ("i", "f"):
            return None
        if sign.type == "+":
            return inner
        return ["f", "-0.0"] if inner == ["i", "0"] else [inner[0], f"-{inner[1]}".removeprefix("--")]

    def _list(self, node: Node) -> Frozen | None:
        inner = [self.frozen(part) for part in named(node)]
        n_commas = sum(part.type == "," for part in node.children)
        return None if None in inner or not len(inner) - 1 <= n_commas <= len(inner) else ["l", inner]

    def _mapping(self, node: Node) -> Frozen | None:
        pairs: list[tuple[Frozen, Frozen]] = []
        for pair in named(node):
            key, held = self.key(pair), pair.child_by_field_name("value")
            value = self.frozen(held) if held is not None else None
            if key is None or value is None:
                return None
            pairs.append((["s", key], value))
        return frozen_mapping(pairs)

    def key(self, pair: Node) -> str | None:
        """Return the key of a pair of an object, where it is a plain one."""
        key = pair.child_by_field_name("key") if pair.type == "pair" else None
        text = "" if key is None else self._parsed.text(key)
        if key is None or key.type == "computed_property_name" or text == "__proto__":
            return None
        if key.type == "number":
            value = number(text)
            return str(value[1]) if value[0] == "i" else None
        return unescaped(text[1:-1]) if key.type == "string" else text


def number(text: str) -> Frozen:
    """Return the value of a number.

    >>> [number(text) for text in ("0x1F", "1_000", "1e3", ".5", "12n", "0b11")]
    [['i', '31'], ['i', '1000'], ['i', '1000'], ['f', '0.5'], ['i', '12'], ['i', '3']]
    """
    plain = text.replace("_", "").lower()
    if re.fullmatch(r"0[xob][\da-f]+n?|\d+n", plain):
        return ["i", str(int(plain.removesuffix("n"), 0 if plain[:1] == "0" and len(plain) > 2 else 10))]
    value = float(int(plain, 8)) if re.fullmatch(r"0[0-7]+", plain) else float(plain)
    return frozen_number(int(value) if value.is_integer() and abs(value) < 2**53 else value)


def unescaped(text: str) -> str:
    r"""Return what a string literal means.

    >>> unescaped(r"a\n\x41\u{1F600}\'\\")
    "a\nA😀'\\"
    """
    return re.sub(r"\\(?:x([\da-fA-F]{2})|u([\da-fA-F]{4})|u\{([\da-fA-F]+)\}|(\r?\n)|(.))", _character, text, flags=re.DOTALL)


def _character(escape: re.Match[str]) -> str:
    code = escape[1] or escape[2] or escape[3]
    if code:
        return chr(int(code, 16))
    return "" if escape[4] else _ESCAPES.get(escape[5], escape[5])


def quoted(text: str) -> str:
    r"""Return a string literal.

    >>> quoted('a"b')
    '"a\\"b"'
    """
    return frozen_text(["s", text])[5:-1]


def pattern(text: str) -> str | None:
    r"""Return a pattern of Python that finds what a literal one of JavaScript does; none where that is not sure.

    >>> [pattern(text) for text in ("/no half/i", r"/^\d+\/\w$/", "/(?<a>b)/", "/a/y")]
    ['(?ai)no half', '(?a)^\\d+/\\w\\Z', None, None]
    """
    body, flags = text[1:].rpartition("/")[0], text.rpartition("/")[2]
    if _FOREIGN.search(body) or set(flags) - set("gims") or ("m" in flags and "$" in body):
        return None
    found = re.sub(r"\\(.)|\[(?:\\.|[^\]\\])*\]|\$", _piece, body, flags=re.DOTALL)
    try:
        re.compile(found)
    except re.error:
        return None
    return f"(?a{''.join(sorted(set(flags) - {'g'}))}){found}"


def _piece(piece: re.Match[str]) -> str:
    if piece[0] == "$":
        return r"\Z"
    return "/" if piece[0] == r"\/" else piece[0].replace(r"\/", "/")
