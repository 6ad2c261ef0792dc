"""Unified diffs in what a program prints: each is a candidate."""

import re

from repairlab.core.candidate import Edit
from repairlab.core.diff import edits_of_patch
from repairlab.core.problem import Problem

ROOTS = ("/work/", "/tree/", "./")
"""How a tool may write the folder that it runs in, in front of a path."""

_HUNK = re.compile(r"^@@ -\d+(?:,(\d{1,9}))? \+\d+(?:,(\d{1,9}))? @@", re.ASCII)
_HEADINGS = ("diff ", "index ", "Index: ", "====", "new file mode ", "deleted file mode ", "old mode ", "new mode ")


def printed_diffs(text: str) -> list[str]:
    r"""Return the diffs in a text, one of several files as one; a second diff of the same file, or other text, begins a new one.

    >>> one, two = "--- a/f\n+++ b/f\n@@ -1 +1 @@\n-x\n+y", "--- a/g\n+++ b/g\n@@ -1 +1 @@\n-x\n+y"
    >>> [diff.count("@@ -") for diff in printed_diffs(f"{one}\n{two}\npatch 2:\n{one}\n{one}\n")]
    [2, 1, 1]
    """
    lines = text.replace("\r\n", "\n").split("\n")
    diffs: list[str] = []
    part: list[str] = []
    files: set[str] = set()

    def close() -> None:
        if part:
            diffs.append("\n".join(part) + "\n")
        part.clear()
        files.clear()

    at = 0
    while at < len(lines):
        if _is_header(lines, at):
            name = lines[at + 1] if "/dev/null" not in lines[at + 1] else lines[at]
            if name in files:
                close()
            files.add(name)
            end = _end_of_hunks(lines, at + 2)
            part += [_relative(lines[at]), _relative(lines[at + 1]), *lines[at + 2 : end]]
            at = end
        else:
            if not lines[at].startswith(_HEADINGS):
                close()
            at += 1
    close()
    return diffs


def edits_of(diff: str, problem: Problem) -> tuple[Edit, ...]:
    """Return a printed diff as edits of what the problem shows; UserError says why it does not apply."""
    return edits_of_patch(diff, {problem.path: problem.source, **{file.path: file.text for file in problem.context}})


def _is_header(lines: list[str], at: int) -> bool:
    return lines[at].startswith("--- ") and at + 1 < len(lines) and lines[at + 1].startswith("+++ ")


def _end_of_hunks(lines: list[str], at: int) -> int:
    while at < len(lines) and (hunk := _HUNK.match(lines[at])):
        old, new = (1 if count is None else int(count) for count in hunk.groups())
        at += 1
        while at < len(lines) and (old > 0 or new > 0) and (lines[at] or " ")[0] in " -+\\":
            mark = (lines[at] or " ")[0]
            old -= mark in " -"
            new -= mark in " +"
            at += 1
        while at < len(lines) and lines[at].startswith("\\"):
            at += 1
    return at


def _relative(header: str) -> str:
    """Return a header line whose path begins in the tree."""
    mark, path = header[:4], header[4:]
    side = path[:2] if path.startswith(("a/", "b/")) else ""
    rest = path.removeprefix(side)
    root = next((root for root in ROOTS if rest.startswith(root)), "")
    return f"{mark}{side}{rest.removeprefix(root)}"
