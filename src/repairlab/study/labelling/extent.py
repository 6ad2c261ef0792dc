"""How far a fix extends, where its ingredients lie, and how hard the bug is."""

import difflib
from collections.abc import Callable, Sequence
from typing import Literal

from repairlab.core.diff import Hunk, parse_patch, unified_diff
from repairlab.core.record import record
from repairlab.core.text import line_of
from repairlab.languages.fix_extent import location_of
from repairlab.languages.language import language as language_of
from repairlab.study.labelling.file_change import FileChange

Extent = Literal["line", "hunk", "function"]
Counting = Literal["first", "later"]
_APART = 7
"""Unchanged lines between two changes that make git put them into two hunks."""


def location(changes: Sequence[FileChange]) -> str | None:
    """Return the label of a fix of one file: one line at most before and after, one run of lines, or one function; None: more."""
    if len(changes) != 1:
        return None
    return location_of(changes[0].language, changes[0].before, changes[0].after)


def location_by_defects4c(changes: Sequence[FileChange]) -> dict[Counting, Extent]:
    """Return what Defects4C's scripts would say of the first file, by both of their counting methods."""
    if not changes:
        return {}
    first = changes[0]
    hunks = parse_patch(unified_diff(first.path, first.before, first.after))[0].hunks
    return {"first": extent_of_hunks(hunks, "first"), "later": extent_of_hunks(hunks, "later")}


def extent_of_hunks(hunks: Sequence[Hunk], counting: Counting) -> Extent:
    """Return the extent as the published records of Defects4C have it: by lines that are removed, never by those that are added.

    The records were made in two ways. In the first (87 records, those without `patch_md5`) a line is one removed line, however
    many come in its place; in the later one (272) it is none: a fix that only adds. A hunk is whatever is one hunk of a diff,
    a function all else.
    """
    if sum(line[0] == "-" for hunk in hunks for line in hunk.lines) == (1 if counting == "first" else 0):
        return "line"
    return "hunk" if sum(map(_n_parts, hunks)) == 1 else "function"


def _n_parts(hunk: Hunk) -> int:
    """Return how many hunks git would make of one: some tools join changes that are seven lines apart."""
    marks = "".join(line[0] for line in hunk.lines).strip()
    return len([part for part in marks.split(" " * _APART) if part.strip()])


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


Difficulty = Literal["easy", "medium", "hard"]
_SMALL, _LARGE = 2, 10
"""Number of changed lines up to which a fix at one place is easy; beyond which it is hard."""
_MANY, _FEW = 0.5, 0.1
"""Shares of systems that solve a bug from which on it is easy; below which it is hard."""


@record
class Effort:
    """The size of a task."""

    files: int
    places: int
    lines: int
    """The larger of removed and added lines at each place; blank ones do not count."""
    trigger_tests: int
    """Tests or cases that show the bug."""


def effort(changes: Sequence[FileChange], n_trigger: int) -> Effort:
    """Return the size of a fix."""
    runs = [run for change in changes for run in change.runs]
    lines = [max(sum(bool(line.strip()) for line in side) for side in (run.old, run.new)) for run in runs]
    return Effort(files=len(changes), places=len(runs), lines=sum(lines), trigger_tests=n_trigger)


def difficulty(size: Effort, solved: tuple[int, int] | None = None) -> Difficulty:
    """Return how hard a bug is: for the systems that tried it, if some did (solved, tried); otherwise by the size of its fix.

    >>> difficulty(Effort(files=1, places=1, lines=1, trigger_tests=1))
    'easy'
    >>> difficulty(Effort(files=1, places=1, lines=1, trigger_tests=1), solved=(0, 8))
    'hard'
    """
    if solved is not None and solved[1]:
        share = solved[0] / solved[1]
        return "easy" if share >= _MANY else "hard" if share < _FEW else "medium"
    if size.files > 1 or size.lines > _LARGE:
        return "hard"
    return "easy" if size.places == 1 and size.lines <= _SMALL else "medium"
