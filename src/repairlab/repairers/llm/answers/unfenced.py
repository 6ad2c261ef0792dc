"""Cuts code out of an answer that marks it in no way: the function from its first line, or the lines that look like code."""

import re

from repairlab.repairers.llm.answers.aim import Aim
from repairlab.repairers.llm.answers.prose import code_only

_HEADER_LINE = re.compile(r"[ \t]*(?:@|template\b|\[\[|__attribute__|\w[\w:<>,*&\[\] \t]*$)")
_IMPORTS = re.compile(r"[ \t]*(?:import\b|from\b[^\n]*\bimport\b|#[ \t]*include\b|using\b|package\b)")


def bare_code(aim: Aim, text: str) -> str | None:
    """Return the part of an unmarked text from the target's header on, with imports; the lines of code when it has no header."""
    lines = text.split("\n")
    name = re.escape(aim.name)
    if aim.is_python:
        header = re.compile(rf"[ \t]*(?:async[ \t]+)?def[ \t]+{name}\b")
    else:
        header = re.compile(rf"[ \t]*[^\n;=.]*(?<![\w.]){name}[ \t]*\(")
    first = next((index for index, line in enumerate(lines) if header.match(line[:500]) and _is_header(aim, lines, index)), None)
    if first is None:
        return code_only(text)
    start = first
    while start and _HEADER_LINE.match(lines[start - 1][:200]) and _is_short(lines[start - 1]):
        start -= 1
    imports = [
        line
        for line in lines[:start]
        if _IMPORTS.match(line) and line.rstrip().endswith((";", ">", '"') if not aim.is_python else line.rstrip()[-1:])
    ]
    return "\n".join([*imports, *lines[start:]])


def _is_short(line: str) -> bool:
    return 0 < len(line.split()) <= 6 and not line.rstrip().endswith((".", "!", "?"))


def _is_header(aim: Aim, lines: list[str], index: int) -> bool:
    """Return whether a line with the target's name and a bracket may start its definition, and is no call or sentence."""
    if aim.is_python:
        return True
    line = lines[index].strip()
    before = line.split(aim.name + "(", 1)[0].split(aim.name + " (", 1)[0]
    if any(mark in before for mark in ("`", ")", "return ", '"', "'")) or len(before.split()) > 8:
        return False
    if not line.endswith(("{", "}", ")", ",", "(", ":", "const", "override", "noexcept")) and "throws " not in line:
        return False
    rest = " ".join(lines[index : index + 8])
    brace, semicolon = rest.find("{"), rest.find(";")
    return brace >= 0 and (semicolon < 0 or brace < semicolon)
