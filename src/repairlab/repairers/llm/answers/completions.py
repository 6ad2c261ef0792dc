"""Joins an answer to the beginning of the target that the prompt ended with."""

from collections.abc import Iterator

from repairlab.repairers.llm.answers.aim import Aim
from repairlab.repairers.llm.answers.functions import TargetText, find
from repairlab.repairers.llm.answers.layout import indentation, moved


def completed(aim: Aim, text: str, given: str, *, is_closed: bool) -> TargetText | None:
    """Return the target that the given beginning and the answer make together; none when they make none."""
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
    inner = _inner(aim, given)
    first = indentation(bare)
    lines = bare.split("\n")
    block = moved("\n".join([lines[0].lstrip(), *lines[1:]]), first, inner, aim)
    yield f"{given.rstrip()}\n{inner}{block}"
    # The first line goes on where the prompt's indentation ended; the others have their own.
    yield f"{given.rstrip()}\n{inner}{bare.lstrip()}"


def _inner(aim: Aim, given: str) -> str:
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
    """Return the text behind the last lines of the prompt, when the answer repeats them."""
    last = given.rstrip().rsplit("\n", 1)[-1].strip()
    if len(last) < 4:
        return None
    bare = text.lstrip()
    return bare[len(last) :] if bare.startswith(last) else None
