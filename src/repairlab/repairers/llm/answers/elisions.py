"""Fills in what a model left out (`// ... rest unchanged ...`) from the buggy text, where only one filling is possible."""

from repairlab.repairers.llm.answers.layout import indentation
from repairlab.repairers.llm.answers.prose import is_left_out


def has_gap(text: str, original: str) -> bool:
    """Return whether lines of a text stand for code left out; lines that the original has, too, do not."""
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
    """Return the index of the only line that equals `line` but for white space; the last brace stands for the end."""
    if line is None:
        return None
    bare = "".join(line.split())
    found = [index for index, other in enumerate(source) if "".join(other.split()) == bare]
    if len(found) == 1:
        return found[0]
    return found[-1] if is_last and found and found[-1] == len(source) - 1 else None
