"""Arguments that a Python function is known to take: those of calls in other texts, and values of the types that it states."""

import ast
from collections.abc import Iterator, Sequence

from repairlab.languages.language import Function

_OF_TYPE: dict[str, tuple[object, ...]] = {
    "int": (0, 1, 7),
    "float": (0.0, 1.5),
    "str": ("", "a b", "1.2"),
    "bool": (True, False),
    "bytes": (b"", b"ab"),
    "None": (None,),
}
_AROUND = {"list": list, "set": set, "frozenset": frozenset, "Sequence": list, "Iterable": list, "Collection": list}


def example_calls(function: Function, texts: Sequence[str]) -> list[tuple[object, ...]]:
    """Return argument tuples: literal calls first, then one for the stated types."""
    found = [arguments for text in texts for arguments in _literal_calls(function.name, text)]
    stated = [_values(parameter) for parameter in function.parameters if not parameter.startswith(("*", "/"))]
    if stated and all(stated):
        n = max(map(len, stated))
        found += [tuple(values[place % len(values)] for values in stated) for place in range(n)]
    return list({repr(arguments): arguments for arguments in found}.values())


def _literal_calls(name: str, text: str) -> Iterator[tuple[object, ...]]:
    try:
        tree = ast.parse(text)
    except (SyntaxError, ValueError, RecursionError):
        return
    for node in ast.walk(tree):
        called = node.func if isinstance(node, ast.Call) else None
        if (isinstance(called, ast.Name) and called.id == name) or (isinstance(called, ast.Attribute) and called.attr == name):
            assert isinstance(node, ast.Call)  # it has a function
            try:
                yield tuple(ast.literal_eval(argument) for argument in node.args) if not node.keywords else _no_literal()
            except (ValueError, TypeError, SyntaxError, MemoryError, RecursionError):
                continue


def _no_literal() -> tuple[object, ...]:
    raise ValueError


def _values(parameter: str) -> tuple[object, ...]:
    """Return values of the type that a parameter states; none when it states none that is known here."""
    _, colon, annotation = parameter.partition("=")[0].partition(":")
    return _of_annotation(annotation.strip()) if colon else ()


def _of_annotation(text: str) -> tuple[object, ...]:
    if text in _OF_TYPE:
        return _OF_TYPE[text]
    if "|" in text and "[" not in text:
        parts = [_of_annotation(part.strip()) for part in text.split("|")]
        return tuple(value for part in parts for value in part) if all(parts) else ()
    head, bracket, rest = text.partition("[")
    make, inner = _AROUND.get(head.strip()), _of_annotation(rest.removesuffix("]").strip()) if bracket else ()
    return (make(()), make(inner)) if make and inner else ()
