"""Where the ingredients of a fix lie: in the line, the function, the file, the project, or nowhere of these (NPR4J, figure 7)."""

import difflib
from collections.abc import Callable, Sequence
from typing import Literal

from repairlab.core.text import line_of
from repairlab.languages.table import language as language_of
from repairlab.study.labelling.file_change import FileChange

Place = Literal["line", "function", "file", "project", "outside"]
PLACES: tuple[Place, ...] = ("line", "function", "file", "project", "outside")
_LAYOUT = ("newline", "indent", "dedent")


def ingredients(changes: Sequence[FileChange], project: Callable[[], str]) -> Place | None:
    """Return the farthest place that a piece of the fix must be taken from; none where the fix adds nothing.

    A piece is a run of tokens that comes, without white space; it lies where its text does. `project` gives the text of all files
    of the buggy tree without white space, and is asked only if need be.
    """
    worst = max((PLACES.index(place) for change in changes for place in _places(change, project)), default=-1)
    return PLACES[worst] if worst >= 0 else None


def _places(change: FileChange, project: Callable[[], str]) -> list[Place]:
    file = "".join(change.before.split())
    function = "".join(_functions(change).split())
    found: list[Place] = []
    for run in change.runs:
        old, new = "".join(run.old), "".join(run.new)
        line = "".join(old.split())
        for piece in _pieces(change.language, old, new):
            near = (("line", line), ("function", function), ("file", file))
            place: Place | None = next((name for name, text in near if piece in text), None)  # type: ignore[misc]  # names are places
            found.append(place or ("project" if piece in project() else "outside"))
    return found


def _pieces(language: str, old: str, new: str) -> list[str]:
    before, after = ([t.text for t in language_of(language).syntax.tokens(text) if t.kind not in _LAYOUT] for text in (old, new))
    matcher = difflib.SequenceMatcher(None, before, after, autojunk=False)
    pieces = ["".join("".join(after[j1:j2]).split()) for tag, _, _, j1, j2 in matcher.get_opcodes() if tag in ("replace", "insert")]
    return [piece for piece in pieces if piece]


def _functions(change: FileChange) -> str:
    """Return the innermost functions around the changed places."""
    functions = language_of(change.language).syntax.functions(change.before)
    lines = [
        (line_of(change.before, f.span.start), line_of(change.before, max(f.span.end - 1, f.span.start)), f.span) for f in functions
    ]
    texts = []
    for run in change.runs:
        around = [(last - first, span) for first, last, span in lines if first <= run.first + 1 and run.last <= last]
        if around:
            texts.append(min(around, key=lambda item: item[0])[1].of(change.before))
    return "\n".join(texts)
