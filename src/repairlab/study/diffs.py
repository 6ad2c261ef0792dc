"""Candidates' texts as pages show them: shortened, with nothing invisible; diffs in one or two columns. All of it is hostile."""

import dataclasses
import difflib
import itertools
import re
from collections.abc import Callable, Iterator, Mapping, Sequence
from typing import Literal

from repairlab.core.candidate import Candidate, Edit
from repairlab.core.diff import apply_edits, unified_diff
from repairlab.core.errors import UserError
from repairlab.core.model import Prompt
from repairlab.core.record import record
from repairlab.core.text import split_lines

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
    """Return the first lines and columns of a text, and say what is left out."""
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
    """Return the whole unified diff of the changed files."""
    return "".join(unified_diff(path, old.get(path, ""), changed or "") for path, changed in new.items())


def line_kind(line: str) -> Kind:
    """Return the kind of a diff line."""
    if line.startswith(("--- ", "+++ ")):
        return "file"
    if line.startswith("@@"):
        return "hunk"
    return "add" if line.startswith("+") else "del" if line.startswith("-") else "same"


def bare(changed: Mapping[str, str | None]) -> dict[str, str]:
    """Return texts without white space."""
    return {path: "".join((text or "").split()) for path, text in changed.items()}


def changed_by(edits: Sequence[Edit], files: Mapping[str, str]) -> dict[str, str | None] | None:
    """Return the new texts of the files that edits change; None if they do not apply to these files."""
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
    """Return what a candidate holds if no diff can be shown: its answer, or the new texts of its edits."""
    if candidate.answer is not None:
        return candidate.answer
    return "\n".join(f"{edit.path}:\n{'(deleted)' if edit.text is None else edit.text}" for edit in candidate.edits)


_WORD = re.compile(r"\w+|\s+|[^\w\s]")
_CONTEXT = 4
_MAX_ROWS = 2000
_MAX_ROW_COLUMNS = 2000
_MAX_WORDS = 400
"""In longer lines, only the line is marked as changed, not its words."""


@record
class LinePiece:
    """Some characters of a line, and whether the other side lacks them."""

    text: str
    is_changed: bool = False
    token: str = ""
    """What the highlighter takes it for."""


@record
class Side:
    """One line of one text."""

    number: int
    pieces: tuple[LinePiece, ...]


@record
class DiffRow:
    """Lines beside each other; either may be missing. A row of kind `hunk` says how many lines are left out."""

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
        """Return the rows for one column: of changed lines, the old ones first."""
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


Tokens = Callable[[str], Sequence[Sequence[tuple[str, str]]]]
"""Splits lines into pieces with the classes of their tokens."""


def coloured(file: FileDiff, old: str, new: str, tokens: Tokens) -> FileDiff:
    """Return a diff of two texts whose pieces know their tokens."""
    before, after = tokens(visible(old)), tokens(visible(new))
    rows = [dataclasses.replace(row, old=_cut(row.old, before), new=_cut(row.new, after)) for row in file.rows]
    return dataclasses.replace(file, rows=tuple(rows))


def _cut(side: Side | None, lines: Sequence[Sequence[tuple[str, str]]]) -> Side | None:
    """Return a line whose pieces also end where tokens end."""
    if side is None or side.number > len(lines):
        return side
    kinds = [token for token, text in lines[side.number - 1] for _ in text]
    pieces, at = [], 0
    for piece in side.pieces:
        own = kinds[at : at + len(piece.text)] + [""] * (at + len(piece.text) - len(kinds))
        runs = [(token, len(list(same))) for token, same in itertools.groupby(own[: len(piece.text)])]
        start = 0
        for token, n in runs:
            pieces.append(dataclasses.replace(piece, text=piece.text[start : start + n], token=token))
            start += n
        at += len(piece.text)
    return dataclasses.replace(side, pieces=tuple(pieces))


def diff_files(old: Mapping[str, str], new: Mapping[str, str | None]) -> tuple[FileDiff, ...]:
    """Return the diffs of all files that differ; None in `new` means deleted, and what `old` lacks is new."""
    return tuple(
        FileDiff(path=path, rows=tuple(_rows(old.get(path, ""), text or ""))) for path, text in new.items() if old.get(path) != text
    )


def _rows(old: str, new: str) -> Iterator[DiffRow]:
    """Yield the rows of a diff with a little context; if there are too many, the first ones."""
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
    """Return lines for display: nothing in them is invisible, and a missing last newline is mentioned."""
    lines = [visible(line[:_MAX_ROW_COLUMNS].removesuffix("\n").removesuffix("\r")) for line in split_lines(text)]
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
    if matcher.ratio() < 0.4:  # marking everything would say nothing
        return (LinePiece(text=a),), (LinePiece(text=b),)
    codes = matcher.get_opcodes()
    old = tuple(LinePiece(text="".join(mine[i1:i2]), is_changed=tag != "equal") for tag, i1, i2, _, _ in codes if i2 > i1)
    new = tuple(LinePiece(text="".join(theirs[j1:j2]), is_changed=tag != "equal") for tag, _, _, j1, j2 in codes if j2 > j1)
    return old, new
