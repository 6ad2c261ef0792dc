"""Unified diffs: read them into edits, write them, and find the lines that differ between texts. Pure text, no files."""

import difflib
import itertools
import re
from bisect import bisect_left
from collections.abc import Iterator, Mapping, Sequence

from repairlab.core.candidate import Edit
from repairlab.core.errors import UserError
from repairlab.core.record import record
from repairlab.core.text import Lines, Span, common_ends, newline_of, split_lines, with_newlines

_NUMBER = r"(\d{1,9})"
_HUNK = re.compile(rf"^@@ -{_NUMBER}(?:,{_NUMBER})? \+{_NUMBER}(?:,{_NUMBER})? @@", re.ASCII)
_NO_FILE = "/dev/null"
_REFUSED = ("GIT binary patch", "Binary files ", "rename from ", "copy from ")
_MODE = re.compile(r"(?:new file mode|deleted file mode|old mode|new mode|index [0-9a-f]+\.\.[0-9a-f]+) (?!100)(\d{6})$", re.ASCII)
"""Modes of anything but plain files: a symbolic link (120000) or a submodule (160000)."""
_QUOTED = re.compile(r'"((?:[^"\\]|\\.)*)"')
_ESCAPE = re.compile(rb"\\([0-3][0-7]{2}|.)", re.DOTALL)
_ESCAPED = {b"a": b"\a", b"b": b"\b", b"t": b"\t", b"n": b"\n", b"v": b"\v", b"f": b"\f", b"r": b"\r"}


@record
class Hunk:
    """One hunk: the claimed place of its old lines, and its lines with their mark (blank, `-` or `+`)."""

    first: int
    lines: tuple[str, ...]
    ends: str = ""
    """Which last lines are said to have no line ending: none, or marks as of lines (`-` of the old file, `+` of the new one)."""

    @property
    def old(self) -> list[str]:
        """Return the lines that must be in the file, without mark and line ending."""
        return [line[1:] for line in self.lines if line[0] != "+"]


@record
class FilePatch:
    """The changes of one file; `old` or `new` is None for a created or deleted file."""

    old: str | None
    new: str | None
    hunks: tuple[Hunk, ...]


def parse_patch(text: str) -> tuple[FilePatch, ...]:
    """Read a unified diff (plain or git's); refuses what no edit can express: binary patches, renames, links, submodules.

    Modes of plain files do not count. Empty files that git's diffs make or delete have no hunks.
    """
    lines = [line.rstrip("\r") for line in text.split("\n")]
    files: list[FilePatch] = []
    section = ""
    index = 0
    while index < len(lines):
        line = lines[index]
        if line.startswith(_REFUSED):
            raise UserError(f"cannot apply a patch with {line.split()[0].lower()} changes: {line!r}")
        if mode := _MODE.match(line):
            raise UserError(f"cannot apply a patch of a link or submodule (mode {mode[1]}): {section or line!r}")
        if line.startswith("diff --git "):
            section = line
        elif line.startswith(("new file mode ", "deleted file mode ")) and section and not _has_names(lines, index + 1):
            path = _path_of_section(section.removeprefix("diff --git "))
            is_new = line.startswith("new")
            files.append(FilePatch(old=None if is_new else path, new=path if is_new else None, hunks=()))
        if line.startswith("--- ") and index + 1 < len(lines) and lines[index + 1].startswith("+++ "):
            old, new = _path(line[4:]), _path(lines[index + 1][4:])
            hunks, index = _hunks(lines, index + 2)
            files.append(FilePatch(old=old, new=new, hunks=tuple(hunks)))
        else:
            index += 1
    if not files:
        raise UserError("this is no unified diff: no '--- a/file' line followed by '+++ b/file' was found")
    return tuple(files)


def _has_names(lines: list[str], index: int) -> bool:
    """Return whether the rest of a section of git's diff names its files, which it does before hunks."""
    rest = itertools.takewhile(lambda line: not line.startswith("diff --git "), itertools.islice(lines, index, index + 3))
    return any(line.startswith(("--- ", *_REFUSED)) for line in rest)


def _path_of_section(names: str) -> str:
    """Return the path that `a/path b/path` has twice; quoted, or with blanks in it."""
    quoted = _QUOTED.match(names)
    path = _path(quoted[0] if quoted else names[: len(names) // 2])
    return path or ""


def _path(header: str) -> str | None:
    quoted = _QUOTED.match(header)
    name = _unquoted(quoted[1]) if quoted else header.split("\t", maxsplit=1)[0].strip()
    if name == _NO_FILE:
        return None
    return name[2:] if name.startswith(("a/", "b/")) else name


def _unquoted(text: str) -> str:
    r"""Return a path that git has quoted.

    >>> _unquoted(r"a/na\303\257ve \"x\"")
    'a/naïve "x"'
    """

    def byte(match: re.Match[bytes]) -> bytes:
        return bytes([int(match[1], 8)]) if len(match[1]) > 1 else _ESCAPED.get(match[1], match[1])

    return _ESCAPE.sub(byte, text.encode("utf-8", "surrogatepass")).decode("utf-8", "surrogateescape")


def _hunks(lines: list[str], index: int) -> tuple[list[Hunk], int]:
    hunks: list[Hunk] = []
    while index < len(lines) and (match := _HUNK.match(lines[index])):
        n_old, n_new = int(match[2] or 1), int(match[4] or 1)
        body: list[str] = []
        ends = ""
        index += 1
        while index < len(lines) and (n_old > 0 or n_new > 0 or lines[index].startswith("\\")):
            line = lines[index] or " "  # some tools drop the blank before an empty context line
            if line[0] not in " -+\\":
                break
            if line[0] == "\\":
                ends += body[-1][0].replace(" ", "-+") if body else ""
            else:
                body.append(line)
                n_old -= line[0] != "+"
                n_new -= line[0] != "-"
            index += 1
        if n_old or n_new:
            lacking = n_old > 0 or n_new > 0
            raise UserError(
                f"hunk {match[0]!r} is cut short: {n_old} old and {n_new} new lines are missing"
                if lacking
                else f"hunk {match[0]!r} has more lines than it says"
            )
        if index < len(lines) and _goes_on(lines, index):
            raise UserError(f"hunk {match[0]!r} has more lines than it says: {lines[index]!r}")
        hunks.append(Hunk(first=int(match[1]), lines=tuple(body), ends=ends))
    return hunks, index


def _goes_on(lines: list[str], index: int) -> bool:
    """Return whether a line after a hunk still belongs to it, rather than to the next file or the end of a mail."""
    line = lines[index]
    is_next_file = line.startswith("--- ") and lines[index + 1 : index + 2] and lines[index + 1].startswith("+++ ")
    return line[:1] in ("+", "-", " ") and bool(line.strip()) and not is_next_file and line.rstrip() != "--"


def edits_of_patch(text: str, files: Mapping[str, str]) -> tuple[Edit, ...]:
    """Return a diff as edits of `files` (path → text); hunks may lie off their line numbers but must match their context."""
    edits: list[Edit] = []
    for patch in parse_patch(text):
        if patch.old is None:
            if any(hunk.old for hunk in patch.hunks):
                raise UserError(f"the diff creates {patch.new!r}, but has lines that must be in it before")
            created = "".join(line[1:] + "\n" for hunk in patch.hunks for line in hunk.lines)
            is_open = bool(patch.hunks) and "+" in patch.hunks[-1].ends
            edits.append(Edit(path=patch.new or "", text=created[:-1] if is_open else created))
            continue
        if patch.old not in files:
            raise UserError(f"the diff changes {patch.old!r}, which is not in the tree")
        if patch.new is None:
            there = [line.rstrip("\r\n") for line in split_lines(files[patch.old])]
            if [line for hunk in patch.hunks for line in hunk.lines] != [f"-{line}" for line in there]:
                raise UserError(f"the diff deletes {patch.old!r}, but its lines do not match that file")
            edits.append(Edit(path=patch.old, text=None))
        elif patch.new != patch.old:
            raise UserError(f"cannot apply a patch that renames {patch.old!r} to {patch.new!r}")
        else:
            edits.extend(_edits_of_file(patch.old, patch.hunks, files[patch.old]))
    return tuple(edits)


def _edits_of_file(path: str, hunks: Sequence[Hunk], source: str) -> Iterator[Edit]:
    old = _OldLines(source)
    earliest = 0
    for hunk in hunks:
        start = old.locate(hunk, earliest)
        if start is None:
            first = repr(hunk.lines[0]) if hunk.lines else "it has no lines"
            raise UserError(f"a hunk of the diff does not match {path!r} near line {hunk.first}: {first}")
        earliest = start + len(hunk.old)
        yield from _changes(path, hunk, start + 1, old)


class _OldLines:
    """The lines of a file that a diff changes; finding some of them costs one look at the file, however often they nearly match."""

    def __init__(self, source: str) -> None:
        lines = split_lines(source)
        bare = [line.rstrip("\r\n") for line in lines]
        self.source = source
        self.starts = list(itertools.accumulate(map(len, lines), initial=0))
        """Where each line starts, and where the last one ends."""
        self._text = "".join(f"\n{line}" for line in bare) + "\n"
        self._places = list(itertools.accumulate((len(line) + 1 for line in bare), initial=0))

    def locate(self, hunk: Hunk, earliest: int) -> int | None:
        """Return the index of the hunk's first old line, nearest to its claimed place and not before `earliest`."""
        old = hunk.old
        last = len(self._places) - 1 - len(old)
        if last < earliest:
            return None
        said = min(max(hunk.first - 1 if old else hunk.first, earliest), last)
        if not old:
            return said
        wanted = "".join(f"\n{line}" for line in old) + "\n"
        before = self._text.rfind(wanted, self._places[earliest], self._places[said] + len(wanted))
        behind = self._text.find(wanted, self._places[said])
        found = [bisect_left(self._places, place) for place in (before, behind) if place >= 0]
        return min(found, key=lambda at: (abs(at - said), at), default=None)

    def span(self, first: int, last: int) -> Span:
        """Return the span of lines `first` to `last`, 1-based and both included."""
        return Span(start=self.starts[first - 1], end=self.starts[last])


def _changes(path: str, hunk: Hunk, line: int, old: _OldLines) -> Iterator[Edit]:
    """Yield one edit per run of changed lines of a hunk whose first old line is line number `line`."""
    source = old.source
    removed, added = 0, list[str]()
    for marked in (*hunk.lines, " "):
        if marked[0] == "-":
            removed += 1
        elif marked[0] == "+":
            added.append(marked[1:])
        else:
            if removed or added:
                span = old.span(line, line + removed - 1)
                text = "".join(item + "\n" for item in added)
                at_end = source != "" and span.end == len(source) and not source.endswith("\n")
                if at_end and span.start == span.end:
                    text = "\n" + text
                # A hunk that does not mention line endings leaves the last one as it was.
                is_open = "+" in hunk.ends if hunk.ends else at_end
                is_open = is_open and span.end == len(source) and text.endswith("\n")
                yield Edit(path=path, text=text[:-1] if is_open else text, span=span)
                line += removed
                removed, added = 0, []
            line += 1


def apply_edits(edits: Sequence[Edit], files: Mapping[str, str]) -> dict[str, str | None]:
    """Return the new text of each edited file (None: deleted); spans refer to the old text and must not overlap."""
    changed: dict[str, str | None] = {}
    by_path: dict[str, list[Edit]] = {}
    for edit in edits:
        by_path.setdefault(edit.path, []).append(edit)
    for path, mine in by_path.items():
        whole = [edit for edit in mine if edit.span is None]
        if whole:
            if len(mine) > 1:
                raise UserError(f"{path!r} is replaced as a whole and edited in part by the same candidate")
            changed[path] = whole[0].text
        elif path not in files:
            raise UserError(f"the edit changes {path!r}, which is not in the tree")
        else:
            changed[path] = _apply_spans(path, mine, files[path])
    return changed


def _apply_spans(path: str, edits: Sequence[Edit], source: str) -> str:
    ordered = sorted(((edit.span, edit.text or "") for edit in edits if edit.span), key=lambda item: (item[0].start, item[0].end))
    for (before, _), (after, _) in itertools.pairwise(ordered):
        if after.start < before.end:
            raise UserError(f"two edits of {path!r} overlap: {before.start}..{before.end} and {after.start}..{after.end}")
    ending = newline_of(source)
    parts: list[str] = []
    done = 0
    for span, new in ordered:
        if span.end > len(source):
            raise UserError(f"span {span.start}..{span.end} lies outside the file {path!r}, which has {len(source)} characters")
        parts += [source[done : span.start], with_newlines(new, ending)]
        done = span.end
    return "".join([*parts, source[done:]])


def changed_lines(path: str, old: str, new: str) -> tuple[Lines, ...]:
    """Return the lines of `old` that differ in `new`; an insertion is the gap before a line (`last == first - 1`)."""
    before, after = split_lines(old), split_lines(new)
    head, tail = _n_equal(before, after), _n_equal(before[::-1], after[::-1])
    both = min(len(before), len(after))
    head, tail = (head, min(tail, both - head)) if head >= tail else (min(head, both - tail), tail)
    matcher = difflib.SequenceMatcher(None, before[head : len(before) - tail], after[head : len(after) - tail], autojunk=False)
    return tuple(
        Lines(path=path, first=head + i1 + 1, last=head + i2) for tag, i1, i2, _, _ in matcher.get_opcodes() if tag != "equal"
    )


def added_lines(old: str, new: str) -> list[str]:
    r"""Return the lines of `new` that are not where they were in `old`.

    >>> added_lines("a\nb\n", "a\nc\nb\n")
    ['c\n']
    """
    lines = split_lines(new)
    return [line for part in changed_lines("", new, old) for line in lines[part.first - 1 : part.last]]


def _n_equal(first: Sequence[str], second: Sequence[str]) -> int:
    """Return how many lines both begin with."""
    pairs = enumerate(zip(first, second, strict=False))
    return next((at for at, (one, other) in pairs if one != other), min(len(first), len(second)))


def unified_diff(path: str, old: str | None, new: str | None) -> str:
    """Return a unified diff of one file with git's path prefixes; None stands for a missing file."""
    names = _NO_FILE if old is None else f"a/{path}", _NO_FILE if new is None else f"b/{path}"
    lines = difflib.unified_diff(split_lines(old or ""), split_lines(new or ""), *names)
    return "".join(line if line.endswith("\n") else line + "\n\\ No newline at end of file\n" for line in lines)


@record
class ChangedLines:
    """The lines from the first to the last that a fix changes, in both texts; numbers are 0-based, ends not included."""

    first: int
    last: int
    new_first: int
    new_last: int
    old: str
    new: str


def changed_lines_of(buggy: str, fixed: str) -> ChangedLines:
    r"""Return the smallest range of lines that turns one text into the other.

    >>> found = changed_lines_of("a\nb\nc\n", "a\nx\ny\nc\n")
    >>> found.first, found.last, found.new_last, found.new
    (1, 2, 3, 'x\ny\n')
    """
    before, after = split_lines(buggy), split_lines(fixed)
    head, tail = common_ends(before, after)
    last, new_last = len(before) - tail, len(after) - tail
    return ChangedLines(
        first=head, last=last, new_first=head, new_last=new_last, old="".join(before[head:last]), new="".join(after[head:new_last])
    )
