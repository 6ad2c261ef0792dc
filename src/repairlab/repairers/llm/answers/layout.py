"""Moves code in or out: gives a function or a hole's text the indentation of the place where it goes."""

from repairlab.repairers.llm.answers.aim import Aim

_LONG_STRINGS = ('"""', "'''", 'R"')


def indentation(line: str) -> str:
    """Return the white space that a line starts with."""
    return line[: len(line) - len(line.lstrip(" \t"))]


def moved(text: str, old: str, new: str, aim: Aim) -> str:
    """Return a text whose lines, but the first, start with `new` instead of `old`; lines within strings stay."""
    if old == new:
        return text
    lines = text.split("\n")
    kept = inside_strings(text, aim)
    for index in range(1, len(lines)):
        line = lines[index]
        if index in kept or not line.strip():
            continue
        if line.startswith(old) and not (line.startswith("#") and not aim.is_python):
            lines[index] = new + line[len(old) :]
    return "\n".join(lines)


def inside_strings(text: str, aim: Aim) -> frozenset[int]:
    """Return the numbers (from 0) of the lines that start within a string which is no docstring."""
    if not any(mark in text for mark in _LONG_STRINGS):
        return frozenset()
    found: set[int] = set()
    is_start = True
    line = position = 0
    for token in aim.syntax.tokens(text):
        line += text.count("\n", position, token.span.start)
        position = token.span.start
        n_breaks = token.text.count("\n") if token.kind in ("string", "error") else 0
        if n_breaks and not (is_start and aim.is_python):
            found.update(range(line + 1, line + n_breaks + 1))
        is_start = token.kind in ("newline", "indent", "dedent") or (is_start and token.kind == "string")
    return frozenset(found)


def fitted(text: str, column: str, aim: Aim) -> str:
    """Return a function, whose first line stood behind the white space `column`, as it looks at the target's place.

    The text of the target itself starts without indentation, while its other lines have theirs; so may the answer.
    """
    if column == aim.indent or "\n" not in text:
        return text
    if not column and aim.indent and _has_own_indentation(text, aim):
        return text
    return moved(text, column, aim.indent, aim)


def _has_own_indentation(text: str, aim: Aim) -> bool:
    lines = text.split("\n")
    if not aim.is_python:
        return indentation(lines[-1]) == aim.indent
    # Behind a decorator comes the header, in the column of the target.
    least = len(aim.indent) + (not text.startswith("@"))
    low = [index for index, line in enumerate(lines) if index and line.strip() and len(indentation(line)) < least]
    return not low or inside_strings(text, aim).issuperset(low)
