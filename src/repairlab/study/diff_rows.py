"""Two texts beside each other, line by line, with the changed words marked: for pages that show diffs in two columns or in one."""

import difflib
import re
from collections.abc import Iterator, Mapping, Sequence

from repairlab.core.record import record
from repairlab.core.text import split_lines
from repairlab.study.text import Kind, visible

_WORD = re.compile(r"\w+|\s+|[^\w\s]")
_CONTEXT = 4
_MAX_ROWS = 2000
_MAX_COLUMNS = 2000
_MAX_WORDS = 400
"""Of longer lines only the lines are marked as changed, not their words."""


@record
class LinePiece:
    """Some characters of a line, and whether the other side lacks them."""

    text: str
    is_changed: bool = False


@record
class Side:
    """One line of one text."""

    number: int
    pieces: tuple[LinePiece, ...]


@record
class DiffRow:
    """Lines that stand beside each other; either may be missing. A row of kind `hunk` says how many lines are left out."""

    kind: Kind
    old: Side | None = None
    new: Side | None = None
    text: str = ""


@record
class FileDiff:
    """What changes in one file."""

    path: str
    rows: tuple[DiffRow, ...]

    @property
    def n_added(self) -> int:
        """Return how many lines are new."""
        return sum(row.new is not None and row.kind != "same" for row in self.rows)

    @property
    def n_removed(self) -> int:
        """Return how many lines are gone."""
        return sum(row.old is not None and row.kind != "same" for row in self.rows)

    def unified(self) -> tuple[DiffRow, ...]:
        """Return the rows for one column: of changed lines the old ones first."""
        rows: list[DiffRow] = []
        added: list[DiffRow] = []
        for row in self.rows:
            if row.kind in ("same", "hunk"):
                rows += [*added, row]
                added = []
                continue
            if row.old is not None:
                rows.append(DiffRow(kind="del", old=row.old))
            if row.new is not None:
                added.append(DiffRow(kind="add", new=row.new))
        return (*rows, *added)


def diff_files(old: Mapping[str, str], new: Mapping[str, str | None]) -> tuple[FileDiff, ...]:
    """Return the diffs of all files that differ; what is none in `new` is deleted, what `old` lacks is created."""
    return tuple(
        FileDiff(path=path, rows=tuple(_rows(old.get(path, ""), text or ""))) for path, text in new.items() if old.get(path) != text
    )


def _rows(old: str, new: str) -> Iterator[DiffRow]:
    """Yield the rows of a diff with a little context; of very many the first ones."""
    before, after = _lines(old), _lines(new)
    matcher = difflib.SequenceMatcher(None, before, after, autojunk=False)
    n = 0
    behind = 0
    for group in matcher.get_grouped_opcodes(_CONTEXT):
        first = group[0][1]
        if first > behind:
            yield DiffRow(kind="hunk", text=f"{first - behind} unchanged line{'s' if first - behind != 1 else ''}")
        behind = group[-1][2]
        for tag, i1, i2, j1, j2 in group:
            if n > _MAX_ROWS:
                yield DiffRow(kind="hunk", text="the rest of the diff is too long to be shown")
                return
            made = list(_same(before, i1, i2, j1) if tag == "equal" else _changed(before[i1:i2], after[j1:j2], i1, j1))
            n += len(made)
            yield from made[:_MAX_ROWS]
    if behind and behind < len(before):
        yield DiffRow(kind="hunk", text=f"{len(before) - behind} unchanged line{'s' if len(before) - behind != 1 else ''}")


def _lines(text: str) -> list[str]:
    """Return lines as they are shown: nothing in them is invisible, and a missing last newline is told."""
    lines = [visible(line[:_MAX_COLUMNS].removesuffix("\n").removesuffix("\r")) for line in split_lines(text)]
    if text and not text.endswith("\n"):
        lines[-1] += " ⏎̸"
    return lines


def _same(before: Sequence[str], i1: int, i2: int, j1: int) -> Iterator[DiffRow]:
    for offset in range(i2 - i1):
        pieces = (LinePiece(text=before[i1 + offset]),)
        yield DiffRow(kind="same", old=Side(number=i1 + offset + 1, pieces=pieces), new=Side(number=j1 + offset + 1, pieces=pieces))


def _changed(before: Sequence[str], after: Sequence[str], i1: int, j1: int) -> Iterator[DiffRow]:
    for offset in range(max(len(before), len(after))):
        a = before[offset] if offset < len(before) else None
        b = after[offset] if offset < len(after) else None
        old, new = _words(a, b)
        yield DiffRow(
            kind="add" if a is None else "del",
            old=None if old is None else Side(number=i1 + offset + 1, pieces=old),
            new=None if new is None else Side(number=j1 + offset + 1, pieces=new),
        )


def _words(a: str | None, b: str | None) -> tuple[tuple[LinePiece, ...] | None, tuple[LinePiece, ...] | None]:
    """Mark the words of two lines that differ."""
    if a is None or b is None:
        return (None if a is None else (LinePiece(text=a),), None if b is None else (LinePiece(text=b),))
    mine, theirs = _WORD.findall(a), _WORD.findall(b)
    if len(mine) > _MAX_WORDS or len(theirs) > _MAX_WORDS:
        return (LinePiece(text=a),), (LinePiece(text=b),)
    matcher = difflib.SequenceMatcher(None, mine, theirs, autojunk=False)
    if matcher.ratio() < 0.4:  # marks all over would say nothing
        return (LinePiece(text=a),), (LinePiece(text=b),)
    codes = matcher.get_opcodes()
    old = tuple(LinePiece(text="".join(mine[i1:i2]), is_changed=tag != "equal") for tag, i1, i2, _, _ in codes if i2 > i1)
    new = tuple(LinePiece(text="".join(theirs[j1:j2]), is_changed=tag != "equal") for tag, _, _, j1, j2 in codes if j2 > j1)
    return old, new
