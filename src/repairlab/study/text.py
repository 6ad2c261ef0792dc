"""Text of candidates as a page may show it: diffs line by line, cut to size, with nothing invisible. All of it is hostile."""

import re
from collections.abc import Mapping, Sequence
from typing import Literal

from repairlab.core.candidate import Candidate, Edit
from repairlab.core.diff import apply_edits, unified_diff
from repairlab.core.errors import UserError
from repairlab.core.prompt import Prompt
from repairlab.core.record import record

Kind = Literal["add", "del", "hunk", "file", "same"]

MAX_LINES = 160
MAX_COLUMNS = 400
_INVISIBLE = re.compile("[\x00-\x08\x0b-\x1f\x7f-\x9f\u200b-\u200f\u202a-\u202e\u2060-\u2069\ufeff\ud800-\udfff]")


@record
class DiffLine:
    """One line of a diff, with its mark."""

    kind: Kind
    text: str


def visible(text: str) -> str:
    r"""Name characters that would be invisible, reorder the text around them, or cannot be written at all.

    >>> visible("a\x00b\u202ec\r\n")
    'a⟦U+0000⟧b⟦U+202E⟧c\n'
    """
    return _INVISIBLE.sub(lambda match: f"⟦U+{ord(match[0]):04X}⟧", text.replace("\r\n", "\n"))


def clip(text: str, *, tail: bool = False) -> str:
    """Return at most so many lines and columns of a text, and say what is left out."""
    lines = [line if len(line) <= MAX_COLUMNS else f"{line[:MAX_COLUMNS]} …" for line in visible(text).split("\n")]
    extra = len(lines) - MAX_LINES
    if extra <= 0:
        return "\n".join(lines)
    note = f"… {extra} more lines …"
    return "\n".join([note, *lines[-MAX_LINES:]] if tail else [*lines[:MAX_LINES], note])


def diff_lines(old: Mapping[str, str], new: Mapping[str, str | None]) -> tuple[DiffLine, ...]:
    """Return the unified diff of the changed files, line by line."""
    text = diff_text(old, new)
    return tuple(DiffLine(kind=line_kind(line), text=line) for line in clip(text.removesuffix("\n")).split("\n") if line)


def diff_text(old: Mapping[str, str], new: Mapping[str, str | None]) -> str:
    """Return the unified diff of the changed files, whatever its size."""
    return "".join(unified_diff(path, old.get(path, ""), changed or "") for path, changed in new.items())


def line_kind(line: str) -> Kind:
    """Tell what a line of a diff is."""
    if line.startswith(("--- ", "+++ ")):
        return "file"
    if line.startswith("@@"):
        return "hunk"
    return "add" if line.startswith("+") else "del" if line.startswith("-") else "same"


def changed_by(edits: Sequence[Edit], files: Mapping[str, str]) -> dict[str, str | None] | None:
    """Return the new texts of the files that edits change; none when they do not apply to these files."""
    try:
        return apply_edits(edits, files)
    except UserError:
        return None


def prompt_text(prompt: Prompt | None) -> str:
    """Return a prompt as one text to read; empty where there is none."""
    if prompt is None:
        return ""
    parts = [f"[{message.role}]\n{message.content}" for message in prompt.messages]
    parts += [text for text in (prompt.text,) if text is not None]
    parts += [f"[behind the place to fill]\n{prompt.suffix}"] if prompt.suffix is not None else []
    return "\n\n".join(parts)


def raw(candidate: Candidate) -> str:
    """Return what a candidate holds when no diff can be shown: its answer, or the new texts of its edits."""
    if candidate.answer is not None:
        return candidate.answer
    return "\n".join(f"{edit.path}:\n{'(deleted)' if edit.text is None else edit.text}" for edit in candidate.edits)
