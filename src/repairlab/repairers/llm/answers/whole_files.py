"""Reads an answer that gives a whole file, or only some functions of one that was to be repaired as a whole."""

import re

from repairlab.core.candidate import Edit
from repairlab.core.text import Span
from repairlab.languages.language import Function
from repairlab.repairers.llm.answers.aim import Aim, shape
from repairlab.repairers.llm.answers.elisions import filled, has_gap
from repairlab.repairers.llm.answers.layout import indentation, moved

_PUBLIC_CLASS = re.compile(r"^[ \t]*public[ \t]+(?:(?:final|abstract|strictfp)[ \t]+)*class[ \t]+(\w+)", re.MULTILINE)
_CLASS = re.compile(r"^[ \t]*(?:(?:public|final|abstract|strictfp)[ \t]+)*(?:class|enum|interface|record)[ \t]+(\w+)", re.MULTILINE)


def is_whole(aim: Aim, text: str, functions: list[Function]) -> bool:
    """Return whether a text may replace the whole file: it has most functions of it, its classes and its `main`."""
    if not aim.functions:
        return True
    own = {function.name for function in aim.functions}
    given = {function.name for function in functions}
    if "main" in own and "main" not in given:
        return False
    if not aim.facts.has_free_functions and _CLASS.search(aim.source) and not _CLASS.search(text):
        return False
    if aim.is_python and _n_top_level(aim.source) > 2 * max(1, _n_top_level(text)):
        return False
    return len(own & given) * 2 >= len(own) or not given


def _n_top_level(text: str) -> int:
    return sum(
        1 for line in text.split("\n") if line[:1].strip() and not line.startswith(("#", ")", "]", "}", "import", "from", "@"))
    )


def file_edits(aim: Aim, path: str, text: str) -> tuple[Edit, ...] | None:
    """Return the edits that a whole file, or a part of it, makes; none when code is left out that nobody can fill in."""
    if has_gap(text, aim.source):
        whole = filled(text, aim.source.replace("\r\n", "\n"))
        if whole is None:
            return None
        text = whole
    functions = aim.syntax.functions(text)
    if not is_whole(aim, text, functions):
        parts = _parts(aim, path, text, functions)
        if parts:
            return parts
    if not aim.facts.has_free_functions:
        text = _with_class_name(aim, text)
    ending = "\n" if aim.source.endswith("\n") or not aim.source else ""
    span = aim.span if aim.is_file else Span(start=0, end=len(aim.source))
    return (Edit(path=path, text=text.strip("\n").rstrip() + ending, span=span),)


def _parts(aim: Aim, path: str, text: str, functions: list[Function]) -> tuple[Edit, ...]:
    """Return an edit for each function of the answer that the file has, too."""
    edits: list[Edit] = []
    end = 0
    for function in functions:
        if function.span.start < end:
            continue
        end = function.span.end
        own = _counterpart(aim, function)
        if own is None or any(edit.span == own.span for edit in edits):
            continue
        column = indentation(text[text.rfind("\n", 0, function.span.start) + 1 : function.span.start])
        place = indentation(aim.source[aim.source.rfind("\n", 0, own.span.start) + 1 : own.span.start])
        edits.append(Edit(path=path, text=moved(function.span.of(text), column, place, aim), span=own.span))
    return tuple(edits)


def _counterpart(aim: Aim, function: Function) -> Function | None:
    named = [own for own in aim.functions if own.name == function.name]
    exact = [own for own in named if shape(own.parameters) == shape(function.parameters)]
    return exact[0] if exact else named[0] if len(named) == 1 else None


def _with_class_name(aim: Aim, text: str) -> str:
    """Return a Java program whose public class has the name that the file asks for."""
    mine, yours = _PUBLIC_CLASS.search(aim.source), _PUBLIC_CLASS.search(text)
    if mine is None or yours is None or mine[1] == yours[1] or re.search(rf"\b{mine[1]}\b", text):
        return text
    parts: list[str] = []
    position = 0
    for token in aim.syntax.tokens(text):
        if token.kind == "name" and token.text == yours[1]:
            parts += [text[position : token.span.start], mine[1]]
            position = token.span.end
    return "".join([*parts, text[position:]])
