"""Find the target in a piece of an answer: by name, by parameters, without its signature, or after a given beginning."""

import re
from collections.abc import Iterable, Iterator
from typing import NamedTuple

from repairlab.languages.language import Function
from repairlab.repairers.llm.answers.prose import is_left_out
from repairlab.repairers.llm.answers.target import Aim, indentation, moved, shape

_CLOSING = re.compile(r"(?:return|throw|goto)\b[^;{}]*;\s*$")
_STATEMENT_IN_HEADER = re.compile(r"\)\s*\n\s*(?:if|for|while|switch|return|do|try)\b")
_DEFINITION = re.compile(r"\s*(?:@|(?:async\s+)?def\b|class\b|import\b|from\b)")
_NO_TYPE = re.compile(r"\b(?:return|else|throw|new|case|do|goto)\b")
_DECORATED = re.compile(r"@\s*(staticmethod|classmethod|property|[\w.]+\.(?:setter|getter|deleter))\b[^\n]*\n")


class TargetText(NamedTuple):
    """The target as an answer gives it."""

    text: str
    """From the first decorator or annotation to the end of the body."""
    column: str
    """White space before it."""
    others: tuple[str, ...] = ()
    """The functions beside it, in order, moved to column 0."""
    outside: str = ""
    """The text around the functions, for its imports."""
    is_cut: bool = False
    """Whether its end is missing."""


def find(aim: Aim, text: str, *, is_closed: bool, by_name: bool = False) -> TargetText | None:
    """Return the target as a piece of code gives it; None if it is missing, or with `by_name` has another name."""
    alone = _alone(aim, text)
    if alone is not None and (is_closed or not aim.is_python):
        return alone
    functions = aim.syntax.functions(text)
    own = chosen(aim, functions)
    if not aim.is_python and (own is None or _STATEMENT_IN_HEADER.search(text, own.span.start, own.body.start)):
        opened = _with_brace(aim, text)
        if opened is not None:
            text = opened
            functions = aim.syntax.functions(text)
            own = chosen(aim, functions)
    if own is None or (by_name and own.name != aim.name):
        return None
    start, end = own.span.start, own.span.end
    end = _after_gap(text, end) if aim.is_python else aim.closing(text, own.body.start, end)
    code = text[start:end]
    line = text[text.rfind("\n", 0, start) + 1 : start]
    column = line if not line.strip() else indentation(line)
    is_cut = False
    if not text[end:].strip() and aim.depth(code) > 0:
        is_whole = code.endswith((";", "}")) and (is_closed or _CLOSING.search(code[-500:]) is not None)
        is_sound = aim.depth(code) == 1 and is_whole
        code, is_cut = (f"{code}\n{column}}}", False) if is_sound else (code, True)
    elif aim.is_python and not is_closed and not text[end:].strip():
        is_cut = aim.has_errors(code) or aim.is_misindented(code)
    if own.name != aim.name:
        code = renamed(aim, code, own.name)
    if aim.facts.scope_mark:
        code = _with_scope(aim, code, own)
    if aim.is_python:
        code = _decorated(aim, code, column)
    if len(functions) == 1 and not text[:start].strip():
        return TargetText(code, column, is_cut=is_cut)
    return TargetText(code, column, _others(aim, text, functions, own), text[:start] + "\n" + text[end:], is_cut)


def _alone(aim: Aim, text: str) -> TargetText | None:
    """Return the target if a text is just that, under its old header: most answers are, and need no tokenising."""
    header = aim.header.rstrip()
    code = text.strip()
    if not header or not code.startswith(header):
        return None
    start = text.index(code[0])
    column = text[text.rfind("\n", 0, start) + 1 : start]
    if aim.is_python:
        inside = code[len(header) :].split("\n")
        is_alone = not inside[0].strip() and all(len(indentation(line)) > len(column) for line in inside[1:] if line.strip())
    else:
        brace = len(code) - len(code[len(header) :].lstrip())
        is_alone = code[brace : brace + 1] == "{" and "\n#" not in code and aim.closing(code, brace, len(code)) == len(code)
        is_alone = is_alone and aim.depth(code) == 0
    return TargetText(code, column) if is_alone else None


def _after_gap(text: str, end: int) -> int:
    """Return the end of a Python function including trailing comments, if one of them stands for omitted code."""
    position, last = end, end
    while position < len(text):
        stop = text.find("\n", position + 1)
        stop = len(text) if stop < 0 else stop
        line = text[position:stop].strip("\n")
        if line.strip() and not line.startswith((" ", "\t")):
            break
        if line.strip() and not line.lstrip().startswith(("#", "...")):
            break
        last = stop if is_left_out(line) else last
        position = stop
    return last


def chosen(aim: Aim, functions: Iterable[Function]) -> Function | None:
    """Return which function is the target: by name, then by scope and parameters; else the only one with its parameters."""
    same = [f for f in functions if f.name == aim.name]
    same = [f for f in same if shape(f.parameters) == aim.parameters or shape(f.parameters) not in aim.overloads]
    if same:
        return max(same, key=lambda f: (_n_shared(f.qualified, aim.qualified), *_likeness(aim, f)))
    if any(f.name == aim.name for f in functions):
        return None
    outer: list[Function] = []
    for f in functions:
        if not outer or f.span.start >= outer[-1].span.end:
            outer.append(f)
    if len(outer) == 1 and outer[0].name not in aim.names and _names(outer[0]) == _names(aim.function):
        return outer[0]
    return None


def _likeness(aim: Aim, function: Function) -> tuple[bool, bool]:
    return shape(function.parameters) == aim.parameters, len(function.parameters) == len(aim.parameters)


def _names(function: Function | None) -> tuple[str, ...] | None:
    """Return the parameters reduced to what two spellings share: for Python without types and defaults."""
    if function is None:
        return None
    return tuple(parameter.split(":")[0].split("=")[0] for parameter in shape(function.parameters))


def _n_shared(one: str, other: str) -> int:
    count = 0
    for mine, yours in zip(reversed(one.split(".")), reversed(other.split(".")), strict=False):
        if mine != yours:
            break
        count += 1
    return count


def renamed(aim: Aim, code: str, name: str) -> str:
    """Return the code with a function renamed to the target's name, wherever the name is a token."""
    parts: list[str] = []
    position = 0
    for token in aim.syntax.tokens(code):
        if token.kind == "name" and token.text == name:
            parts += [code[position : token.span.start], aim.name]
            position = token.span.end
    return "".join([*parts, code[position:]])


def _with_brace(aim: Aim, text: str) -> str | None:
    """Return the text with the missing brace after the target's signature; None if that is not the case."""
    match = re.compile(rf"^[^\n;{{}}()=]*?\b{re.escape(aim.name)}[ \t]*\(", re.MULTILINE).search(text)
    if match is None or _NO_TYPE.search(match[0]) or (" " in aim.header.split("(")[0].strip() and " " not in match[0].strip()):
        return None
    position, depth = match.end(), 1
    while position < len(text) and depth:
        depth += (text[position] == "(") - (text[position] == ")")
        position += 1
    end = text.find("\n", position)
    rest = text[position : end if end >= 0 else len(text)].strip()
    if depth or end < 0 or (rest and not re.match(r"(?:const|noexcept|override|final|throws\b)", rest)):
        return None
    return f"{text[:end].rstrip()} {{{text[end:]}" if not text[end:].lstrip().startswith("{") else None


def _with_scope(aim: Aim, code: str, own: Function) -> str:
    """Return a C++ function qualified as the target is: `Class::name` outside a class, `name` within it."""
    header = code[: own.body.start - own.span.start]
    pattern = re.compile(rf"((?:\b\w+(?:<[^<>()]*>)?[ \t]*::[ \t]*)*)(?<![\w~]){re.escape(aim.name)}[ \t]*\(")
    mine, yours = pattern.search(aim.header), pattern.search(header)
    if mine is None or yours is None or mine[1].replace(" ", "") == yours[1].replace(" ", ""):
        return code
    if shape(own.parameters) == aim.parameters and ":" not in header[yours.end() :].replace("::", ""):
        return aim.header + code[len(header) :]
    return header[: yours.start(1)] + mine[1] + header[yours.end(1) :] + code[len(header) :]


def _decorated(aim: Aim, code: str, column: str) -> str:
    """Return a Python function with those decorators that decide how it is called, if the answer has none."""
    if code.startswith("@") or not aim.header.startswith("@"):
        return code
    kept = [match[0].strip() for match in _DECORATED.finditer(aim.header)]
    return "".join(f"{line}\n{column}" for line in kept) + code


def _others(aim: Aim, text: str, functions: list[Function], own: Function) -> tuple[str, ...]:
    """Return the functions beside the target: those in the same class, or at the top level."""
    scope = own.qualified.rpartition(".")[0]
    found: list[str] = []
    for function in functions:
        is_apart = function.span.end <= own.span.start or function.span.start >= own.span.end
        if is_apart and function.qualified.rpartition(".")[0] in (scope, "") and function.name not in aim.names:
            start = function.span.start
            line = text[text.rfind("\n", 0, start) + 1 : start]
            column = line if not line.strip() else indentation(line)
            code = function.span.of(text)
            if aim.depth(code) == 0:
                found.append(moved(code, column, "", aim))
    return tuple(found)


def from_body(aim: Aim, text: str) -> TargetText | None:
    """Return the target made of its own signature and a piece of code that holds only the body; None if it is too different."""
    if aim.function is None or not _is_body(aim, text):
        return None
    lines = text.strip("\n").rstrip().split("\n")
    if aim.is_python:
        body_line = aim.body.split("\n", 1)[0]
        if "\n" not in aim.header.rstrip(" \t"):
            return None
        inner = indentation(aim.header.rsplit("\n", 1)[1] + body_line)
        first = indentation(lines[0])
        block = moved("\n".join([lines[0].lstrip(), *lines[1:]]), first, inner, aim)
        return TargetText(aim.header.rstrip(" \t") + inner + block, aim.indent)
    code = "\n".join(lines)
    depth = aim.depth(code)
    is_braced = code.lstrip().startswith("{")
    first = indentation(lines[0])
    wanted = aim.indent if is_braced else _inner(aim)
    code = wanted + moved(code[len(first) :], first, wanted, aim)
    if is_braced and depth == 0:
        made = aim.header + code.lstrip()
    elif is_braced:
        return None
    elif depth == -1 and code.endswith("}"):
        made = f"{aim.header}{{\n{code[:-1].rstrip()}\n{aim.indent}}}"
    elif depth == 0:
        made = f"{aim.header}{{\n{code}\n{aim.indent}}}"
    else:
        return None
    return TargetText(made, aim.indent)


def _inner(aim: Aim) -> str:
    """Return the indentation of the statements of the target."""
    inside = [line for line in aim.body.split("\n")[1:] if line.strip()]
    return indentation(inside[0]) if len(inside) > 1 else aim.indent + "    "


def _is_body(aim: Aim, text: str) -> bool:
    if aim.syntax.functions(text) and (not aim.is_python or _DEFINITION.match(text)):
        return False
    own = [line.strip() for line in aim.body.split("\n") if len(line.strip()) > 1]
    given = {line.strip() for line in text.split("\n")}
    n_shared = sum(line in given for line in own)
    returns = re.compile(r"\b(?:return|yield|throw|raise)\b")
    if returns.search(aim.body) and not returns.search(text):
        return False
    return n_shared * 2 >= len(own) or (len(own) <= 3 and n_shared > 0) or (len(own) == 1 and bool(given))


def completed(aim: Aim, text: str, given: str, *, is_closed: bool) -> TargetText | None:
    """Return the target made of the given beginning and the answer; None if they do not make one."""
    best: TargetText | None = None
    given = given.replace("\r\n", "\n")
    # The beginning of the target as it is in the file has lost the indentation of its first line only.
    lead = aim.indent if aim.function_text.startswith(given) else ""
    for whole in _joined(aim, text, given):
        found = find(aim, lead + whole, is_closed=is_closed or not aim.is_python, by_name=True)
        if found is None:
            continue
        if not found.is_cut and not aim.has_errors(found.text) and not aim.is_misindented(found.text):
            return found
        if best is None or (best.is_cut and not found.is_cut):
            best = found
    return best


def _joined(aim: Aim, text: str, given: str) -> Iterator[str]:
    repeated = _without_repetition(text, given)
    if repeated is not None:
        yield given + repeated
    bare = text.lstrip("\n")
    yield given + text
    if not aim.is_python:
        if not given.rstrip().endswith("{") and "{" not in given:
            yield f"{given.rstrip()} {{\n{bare}"
        yield f"{given.rstrip()}\n{bare}"
        yield f"{given}{text.rstrip()}\n{aim.indent}}}"  # the server stopped before the last brace
        return
    yield f"{given.rstrip()}\n{bare}"
    inner = _inner_of(aim, given)
    first = indentation(bare)
    lines = bare.split("\n")
    block = moved("\n".join([lines[0].lstrip(), *lines[1:]]), first, inner, aim)
    yield f"{given.rstrip()}\n{inner}{block}"
    # The first line continues the prompt's indentation; the others have their own.
    yield f"{given.rstrip()}\n{inner}{bare.lstrip()}"


def _inner_of(aim: Aim, given: str) -> str:
    """Return the indentation of the body."""
    last = given.rsplit("\n", 1)[-1]
    if last and not last.strip():
        return last
    lines = [line for line in given.rstrip().split("\n") if line.strip()]
    if len(lines) > 1 and not lines[-1].rstrip().endswith(":"):
        return indentation(lines[-1])
    head = aim.header.rsplit("\n", 1)
    return indentation(head[1] + "x") if len(head) > 1 and head[1] and not head[1].strip() else aim.indent + "    "


def _without_repetition(text: str, given: str) -> str | None:
    """Return the text after the last lines of the prompt, if the answer repeats them."""
    last = given.rstrip().rsplit("\n", 1)[-1].strip()
    if len(last) < 4:
        return None
    bare = text.lstrip()
    return bare[len(last) :] if bare.startswith(last) else None
