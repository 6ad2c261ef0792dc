"""Turn the code of an answer into edits: a function at the target's place, a whole file or parts of it, with gaps filled."""

import re
from collections.abc import Iterator

from repairlab.core.candidate import Edit
from repairlab.core.text import Span
from repairlab.languages.language import Function
from repairlab.repairers.llm.answers.functions import TargetText
from repairlab.repairers.llm.answers.prose import is_left_out
from repairlab.repairers.llm.answers.target import Aim, fitted, indentation, moved, shape

_PYTHON_TOP = re.compile(
    r"(?>(?:#[^\n]*+\n|[ \t]*+\n)*)(?:[rRuU]?(?:\"\"\"[\s\S]*?\"\"\"|'''[\s\S]*?'''|\"[^\"\n]*\"|'[^'\n]*')[^\n]*\n)?"
)
_WORD = re.compile(r"\w+")


def edits(aim: Aim, path: str, found: TargetText) -> tuple[Edit, ...]:
    """Return the edits that put a found function into the file."""
    code = fitted(found.text, found.column, aim)
    above, below, apart = _helpers(aim, code, found)
    added = _imports(aim, "\n".join([code, *above, *below, *apart]), found.outside) if found.outside else ()
    gap = "\n\n\n" if aim.is_python and not aim.indent else "\n\n"
    parts = [
        *(moved(helper, "", aim.indent, aim) for helper in above),
        code,
        *(moved(helper, "", aim.indent, aim) for helper in below),
    ]
    text = (gap + aim.indent).join(parts)
    if aim.function is not None and aim.function.span != aim.span:
        text = aim.source[aim.span.start : aim.function.span.start] + text + aim.source[aim.function.span.end : aim.span.end]
    made = [Edit(path=path, text=text, span=aim.span)]
    start = aim.class_start() if apart else None
    if start is not None:
        made.append(Edit(path=path, text="".join(f"{helper}\n\n\n" for helper in apart), span=Span(start=start, end=start)))
    if added:
        at = _import_place(aim)
        if at <= aim.span.start:
            made.append(Edit(path=path, text="".join(f"{line}\n" for line in added), span=Span(start=at, end=at)))
    return tuple(made)


def _helpers(aim: Aim, code: str, found: TargetText) -> tuple[list[str], list[str], list[str]]:
    """Return the new functions that the target needs: to go before it, after it, or before the class around it."""
    above: list[str] = []
    below: list[str] = []
    apart: list[str] = []
    if not found.others:
        return above, below, apart
    named = {function.name: text for text in found.others for function in aim.syntax.functions(text)[:1]}
    used: dict[str, None] = {}
    todo = [code]
    while todo:
        words = set(_WORD.findall(todo.pop()))
        new = [name for name in named if name in words and name not in used and name != aim.name]
        used.update(dict.fromkeys(new))
        todo.extend(named[name] for name in new)
    for name in (name for name in named if name in used):
        is_method = not aim.is_python or re.search(rf"\.\s*{re.escape(name)}\b", code) is not None
        if not aim.facts.has_free_functions or (aim.is_member and is_method):
            below.append(named[name])
        elif aim.is_member and aim.is_python:
            apart.append(named[name])
        else:
            above.append(named[name])
    return above, below, apart


def _imports(aim: Aim, code: str, outside: str) -> list[str]:
    """Return the imports around the answer's function that its code uses and that the file lacks."""
    if not aim.facts.import_line:
        return []
    pattern = re.compile(aim.facts.import_line, re.MULTILINE)
    present = {"".join(match[0].split()) for match in pattern.finditer(aim.source)}
    words = set(_WORD.findall(code))
    found: dict[str, None] = {}
    for match in pattern.finditer(outside):
        line = match[0].strip()
        if "".join(line.split()) in present or line.startswith("from __future__"):
            continue
        if aim.facts.imports == "names":
            found.update(dict.fromkeys(_python_imports(aim, line, words)))
        elif aim.facts.imports == "last part":
            name = line.rstrip("; \t").rpartition(".")[2]
            package = line.rpartition(".")[0]
            if name == "*" or (name in words and f"{package}.*;" not in aim.source):
                found[line] = None
        else:
            found[re.sub(r"^#\s+", "#", line)] = None
    return list(found)


def _python_imports(aim: Aim, line: str, words: set[str]) -> Iterator[str]:
    head, _, names = line.partition("import ")
    for item in names.split(","):
        bare = " ".join(item.split())
        bound = bare.split(" as ")[-1].split(".")[0]
        name = re.escape(bound)
        known = rf"^(?:(?:from[ \t][^\n]*)?import\b[^\n]*\b{name}\b|(?:def|class)[ \t]+{name}\b|{name}[ \t]*=)"
        if bare and bound in words and not re.search(known, aim.source, re.MULTILINE):
            yield f"{head}import {bare}"


def _import_place(aim: Aim) -> int:
    """Return where a new import goes: before the file's first one, else after what must come first."""
    first = re.search(aim.facts.import_line, aim.source, re.MULTILINE)
    if first and first.start() <= aim.span.start:
        after = re.compile(r"^from[ \t]+__future__[^\n]*\n", re.MULTILINE).search(aim.source) if aim.is_python else None
        return max(first.start(), after.end() if after else 0)
    if aim.facts.package_line:
        package = re.search(aim.facts.package_line, aim.source, re.MULTILINE)
        return package.end() if package else 0
    top = _PYTHON_TOP.match(aim.source) if aim.is_python else None
    return top.end() if top else 0


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
    """Return the edits that a whole file, or a part of it, makes; None if omitted code cannot be filled in."""
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
    """Return an edit for each function of the answer that the file also has."""
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
    """Return a Java program whose public class has the name that the file requires."""
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


def has_gap(text: str, original: str) -> bool:
    """Return whether a text has lines that stand for omitted code, other than those of the original."""
    if "..." not in text and "…" not in text and not _may_have_words(text):
        return False
    own = {line.strip() for line in original.split("\n")}
    return any(is_left_out(line) and line.strip() not in own for line in text.split("\n"))


def _may_have_words(text: str) -> bool:
    lower = text.lower()
    return any(
        word in lower
        for word in ("rest of", "remain", "exist", "unchanged", "omitted", "same as", "original", "other ", "previous", "same ")
    )


def filled(text: str, original: str) -> str | None:
    """Return a text with its gaps filled; none when a gap does not say clearly what belongs in it.

    The line before a gap and the line behind it must each occur once in the original, in this order.
    """
    lines = text.rstrip().split("\n")
    source = original.rstrip().split("\n")
    own = {line.strip() for line in source}
    made: list[str] = []
    at = 0
    while at < len(lines):
        if not is_left_out(lines[at]) or lines[at].strip() in own:
            made.append(lines[at])
            at += 1
            continue
        at += 1
        while at < len(lines) and not lines[at].strip():
            at += 1
        gap = _between(source, _last(made), lines[at:])
        if gap is None:
            return None
        made.extend(gap)
    return "\n".join(made)


def _between(source: list[str], before: str | None, rest: list[str]) -> list[str] | None:
    """Return the lines of the original between the line before a gap and the rest behind it, moved to the column of the answer."""
    first = _place(source, before, is_last=False)
    behind = _place(source, rest[0], is_last=len(rest) == 1) if rest else len(source)
    if first is None or behind is None or behind <= first:
        return None
    told, own = (before or "", source[first]) if not rest or first else (rest[0], source[behind])
    old, new = indentation(own), indentation(told)
    gap = source[first + 1 : behind]
    return [new + line[len(old) :] if line.strip() and line.startswith(old) else line for line in gap]


def _last(lines: list[str]) -> str | None:
    return next((line for line in reversed(lines) if line.strip()), None)


def _place(source: list[str], line: str | None, *, is_last: bool) -> int | None:
    """Return the index of the only line that equals `line` except for white space; the last brace stands for the end."""
    if line is None:
        return None
    bare = "".join(line.split())
    found = [index for index, other in enumerate(source) if "".join(other.split()) == bare]
    if len(found) == 1:
        return found[0]
    return found[-1] if is_last and found and found[-1] == len(source) - 1 else None
