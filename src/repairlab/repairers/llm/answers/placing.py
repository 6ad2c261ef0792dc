"""Turns a found function into edits: the function at the target's place, new helpers beside it, new imports at the top."""

import re
from collections.abc import Iterator

from repairlab.core.candidate import Edit
from repairlab.core.text import Span
from repairlab.repairers.llm.answers.aim import Aim
from repairlab.repairers.llm.answers.functions import TargetText
from repairlab.repairers.llm.answers.layout import fitted, moved

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
    """Return the new functions that the target needs: to go before it, behind it, or before the class around it."""
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
    """Return where a new import goes: before the first of the file, else behind what must come first."""
    first = re.search(aim.facts.import_line, aim.source, re.MULTILINE)
    if first and first.start() <= aim.span.start:
        after = re.compile(r"^from[ \t]+__future__[^\n]*\n", re.MULTILINE).search(aim.source) if aim.is_python else None
        return max(first.start(), after.end() if after else 0)
    if aim.facts.package_line:
        package = re.search(aim.facts.package_line, aim.source, re.MULTILINE)
        return package.end() if package else 0
    top = _PYTHON_TOP.match(aim.source) if aim.is_python else None
    return top.end() if top else 0
