"""What is known of the function to repair, collected once per problem; and moving code to its place."""

import re
from functools import cache, cached_property, lru_cache

from repairlab.core.problem import Problem
from repairlab.core.text import Span
from repairlab.languages.facts import facts
from repairlab.languages.language import Function, Syntax, language

_PYTHON_CLASS = re.compile(r"^class\s+\w+", re.MULTILINE)


class Aim:
    """The target of a problem and what surrounds it."""

    def __init__(self, language_name: str, source: str, span: Span, name: str | None) -> None:
        self.language = language_name
        self.syntax: Syntax = language(language_name).syntax
        self.source = source
        self.span = span
        self.text = span.of(source).replace("\r\n", "\n")
        self.functions: tuple[Function, ...] = tuple(self.syntax.functions(source))
        self.function = self._own(name) if name is not None else None
        self.facts = facts(language_name)
        self.is_python = self.facts.is_indented
        simple = (name or "").split("(")[0].split(".")[-1]
        self.name = self.function.name if self.function else simple
        self.qualified = self.function.qualified if self.function else (name or "").split("(")[0]
        self.parameters = shape(self.function.parameters) if self.function else ()
        self.names = frozenset(function.name for function in self.functions)
        self.overloads = frozenset(
            shape(function.parameters)
            for function in self.functions
            if function.name == self.name and function is not self.function
        )
        start = source.rfind("\n", 0, self.start) + 1
        lead = source[start : self.start]
        self.indent = lead if not lead.strip() else lead[: len(lead) - len(lead.lstrip())]

    @property
    def start(self) -> int:
        """Return where the function itself starts, after anything the target may have before it."""
        return self.function.span.start if self.function else self.span.start

    @property
    def is_file(self) -> bool:
        """Return whether the whole file is to be repaired."""
        return not self.name

    @cached_property
    def header(self) -> str:
        """Return the text from the first decorator to the body."""
        if self.function is None:
            return ""
        return self.source[self.function.span.start : self.function.body.start].replace("\r\n", "\n")

    @cached_property
    def body(self) -> str:
        """Return the text of the body, with braces."""
        return self.function.body.of(self.source).replace("\r\n", "\n") if self.function else self.text

    @cached_property
    def function_text(self) -> str:
        """Return the text of the function alone."""
        return self.function.span.of(self.source).replace("\r\n", "\n") if self.function else self.text

    @cached_property
    def _bare(self) -> str:
        return "".join(self.function_text.split())

    def is_same(self, text: str) -> bool:
        """Return whether a text equals the buggy function except for white space."""
        return "".join(text.split()) == self._bare

    @cached_property
    def is_member(self) -> bool:
        """Return whether the function stands within a class."""
        if self.is_python:
            enclosing = self.qualified.split(".")[:-1]
            return bool(enclosing) and bool(self.indent) and not self._is_nested
        return "." in self.qualified and "::" not in self.header.split("(")[0]

    @cached_property
    def _is_nested(self) -> bool:
        return any(
            other.span.start < self.start and other.span.end >= self.span.end
            for other in self.functions
            if other is not self.function
        )

    @cached_property
    def is_broken(self) -> bool:
        """Return whether the grammar finds errors even in the unchanged target, so that errors mean nothing."""
        return self._errors(self.function_text)

    def has_errors(self, text: str) -> bool:
        """Return whether the text of the function has syntax errors that the buggy one does not have."""
        return self._errors(text) and not self.is_broken

    def is_misindented(self, text: str) -> bool:
        """Return whether lines of Python are where they cannot be: a missing block, or one without a header."""
        if not self.is_python:
            return False
        opens = False
        last = ""
        for token in self.syntax.tokens(_aligned(text)):
            if token.kind == "indent":
                if not opens:
                    return True
                opens = False
            elif token.kind == "newline":
                opens = last == ":"
            elif token.kind == "error":
                return True
            elif token.kind != "dedent":
                if opens:
                    return True
                last = token.text
        return opens

    def _errors(self, text: str) -> bool:
        if self.facts.method_around and (self.is_member or not self.facts.has_free_functions):
            text = self.facts.method_around % text
        elif self.is_python:
            text = _aligned(text)
        return self.syntax.has_errors(text)

    def depth(self, text: str) -> int:
        """Return how many braces a text leaves open; 0 where conditional compilation makes counting pointless, and for Python."""
        if self.is_python or "\n#" in text:
            return 0
        depth = 0
        for match in self._pieces.finditer(text):
            found = match[0]
            depth += (found == "{") - (found == "}")
        return depth

    def closing(self, text: str, start: int, end: int) -> int:
        """Return where the brace opened at `start` is closed; `end` if it is not, or where counting is pointless."""
        if self.is_python or "\n#" in text:
            return end
        depth = 0
        for match in self._pieces.finditer(text, start, end):
            found = match[0]
            depth += (found == "{") - (found == "}")
            if depth == 0 and found == "}":
                return match.end()
        return end

    @property
    def _pieces(self) -> re.Pattern[str]:
        return _pieces(self.language)

    def _own(self, name: str) -> Function | None:
        inside = [f for f in self.functions if self.span.holds(f.span)]
        exact = [f for f in inside if f.span == self.span]
        simple = name.split("(", maxsplit=1)[0].rsplit(".", maxsplit=1)[-1]
        named = [f for f in inside if f.name == simple]
        return next(iter(exact or named or inside), None)

    def class_start(self) -> int | None:
        """Return where the Python class around the target starts, with its decorators; None if there is none at column 0."""
        found = [match.start() for match in _PYTHON_CLASS.finditer(self.source, 0, self.start)]
        if not found:
            return None
        start = found[-1]
        while start:
            before = self.source.rfind("\n", 0, start - 1) + 1
            if not self.source.startswith("@", before):
                break
            start = before
        return start


@cache
def _pieces(language_name: str) -> re.Pattern[str]:
    return re.compile(rf"{facts(language_name).opaque}|[{{}}]")


def _aligned(text: str) -> str:
    """Return a Python function whose first decorator lost its indentation, aligned with its other lines."""
    if not text.startswith("@"):
        return text
    second = text[text.find("\n") + 1 :]
    lead = second[: len(second) - len(second.lstrip(" \t"))]
    return f"if 1:\n{lead}{text}" if lead else text


def shape(parameters: tuple[str, ...]) -> tuple[str, ...]:
    """Return parameters without white space, to compare them."""
    return tuple("".join(parameter.replace("final ", "").split()) for parameter in parameters)


@lru_cache(maxsize=64)
def _made(language_name: str, source: str, start: int, end: int, name: str | None) -> Aim:
    return Aim(language_name, source, Span(start=start, end=end), name)


def aim(problem: Problem) -> Aim:
    """Return what is known of a problem's target."""
    target = problem.target
    return _made(problem.language, problem.source, target.span.start, target.span.end, target.name)


_LONG_STRINGS = ('"""', "'''", 'R"')


def indentation(line: str) -> str:
    """Return the white space that a line starts with."""
    return line[: len(line) - len(line.lstrip(" \t"))]


def moved(text: str, old: str, new: str, aim: Aim) -> str:
    """Return a text whose lines, except the first, start with `new` instead of `old`; lines within strings stay."""
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
    """Return the numbers (from 0) of the lines that start within a string that is not a docstring."""
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
    # After a decorator comes the header, in the column of the target.
    least = len(aim.indent) + (not text.startswith("@"))
    low = [index for index, line in enumerate(lines) if index and line.strip() and len(indentation(line)) < least]
    return not low or inside_strings(text, aim).issuperset(low)
