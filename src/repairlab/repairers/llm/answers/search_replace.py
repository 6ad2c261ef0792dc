"""Reads search/replace blocks in their usual spellings and applies them to the file."""

import re
from collections.abc import Iterator
from typing import Any, NamedTuple

from repairlab.core.problem import Problem
from repairlab.core.text import without_outer_blanks
from repairlab.repairers.llm.answers.blocks import json_data
from repairlab.repairers.llm.answers.matching import EditedText, adjusted, best, places
from repairlab.repairers.llm.answers.reading import AMBIGUOUS_SEARCH, NO_PLACE, NO_SEARCH_TEXT, SEARCH_NOT_FOUND, Reading

_OPEN = re.compile(
    r"[ \t]*(?:<{5,9}[ \t]*(?:SEARCH|ORIGINAL|HEAD|OLD|BEFORE|FIND|)|-{5,9}[ \t]*SEARCH)[ \t]*>{0,3}[ \t]*(.*)$", re.IGNORECASE
)
_MIDDLE = re.compile(r"[ \t]*={5,9}[ \t]*$")
_CLOSE = re.compile(r"[ \t]*(?:>{5,9}|\+{5,9})[ \t]*(?:REPLACE|UPDATED|NEW|AFTER|HEAD|\w*)?[ \t]*$", re.IGNORECASE)
_TAGS = (
    ("<search>", "</search>", "<replace>", "</replace>"),
    ("<old>", "</old>", "<new>", "</new>"),
    ("<old_code>", "</old_code>", "<new_code>", "</new_code>"),
    ("<original>", "</original>", "<replacement>", "</replacement>"),
    ("<find>", "</find>", "<replace>", "</replace>"),
)
_KEYS = (
    ("search", "replace"),
    ("old", "new"),
    ("old_code", "new_code"),
    ("find", "replace"),
    ("original", "replacement"),
    ("old_str", "new_str"),
)
_WORD = re.compile(r"^[\w+#-]+[ \t]+")
"""The name of a language that a fence begins with."""
_PATH = re.compile(
    r"[*#`'\" \t]*(?:(?:file|path|filename)[ \t]*:[ \t]*)?[`'\"]*([\w][\w./+-]*\.\w{1,5})[`'\":*]*[ \t]*$", re.IGNORECASE
)


class Swap(NamedTuple):
    """One block: text to find and its replacement."""

    path: str | None
    old: list[str]
    new: list[str]


def swaps(text: str) -> tuple[list[Swap], bool]:
    """Return the search/replace blocks of an answer, and whether the last one has no end."""
    found: list[Swap] = []
    is_cut = False
    if "<<<<<" in text or "----- SEARCH" in text.upper():
        found, is_cut = _marked(text.split("\n"))
    if not found and not is_cut and "<" in text:
        found = list(_tagged(text))
    if not found and not is_cut:
        found = list(_from_json(json_data(text)))
    return found, is_cut


def _marked(lines: list[str]) -> tuple[list[Swap], bool]:
    found: list[Swap] = []
    path: str | None = None
    old: list[str] = []
    new: list[str] | None = None
    is_open = False
    for number, line in enumerate(lines):
        if not is_open:
            match = _OPEN.match(line)
            if match:
                is_open, old, new = True, [], None
                path = _path(match[1]) or _path_before(lines, number)
        elif new is None and _MIDDLE.match(line):
            new = []
        elif new is not None and _CLOSE.match(line) and line.strip()[0] in ">+":
            found.append(Swap(path, old, new))
            is_open = False
        elif new is not None and _MIDDLE.match(line) and not found:
            continue
        else:
            (old if new is None else new).append(line)
    return found, is_open


def _path(text: str) -> str | None:
    match = _PATH.match(text.strip()[:200])
    return match[1] if match else None


def _path_before(lines: list[str], number: int) -> str | None:
    for line in reversed(lines[max(0, number - 3) : number]):
        path = _path(_WORD.sub("", line.strip().lstrip("`~")) if line.strip().startswith(("```", "~~~")) else line)
        if path:
            return path
    return None


def _tagged(text: str) -> Iterator[Swap]:
    for opening, closing, opening_new, closing_new in _TAGS:
        position = 0
        while (start := text.find(opening, position)) >= 0:
            end = text.find(closing, start)
            start_new = text.find(opening_new, end) if end >= 0 else -1
            end_new = text.find(closing_new, start_new) if start_new >= 0 else -1
            if end_new < 0:
                break
            yield Swap(None, _inner(text[start + len(opening) : end]), _inner(text[start_new + len(opening_new) : end_new]))
            position = end_new + len(closing_new)
        if position:
            return


def _inner(text: str) -> list[str]:
    lines = text.removeprefix("\n").split("\n")
    if lines and not lines[-1].strip():
        lines.pop()
    if lines and lines[0].lstrip().startswith("```") and lines[-1].strip() == "```":
        lines = lines[1:-1]
    return lines


def _from_json(data: Any) -> Iterator[Swap]:
    todo = [data]
    n_seen = 0
    while todo and n_seen < 200:
        value = todo.pop(0)
        n_seen += 1
        if isinstance(value, list):
            todo.extend(value)
        elif isinstance(value, dict):
            for old, new in _KEYS:
                if isinstance(value.get(old), str) and isinstance(value.get(new), str):
                    path = next((value[key] for key in ("path", "file", "filename") if isinstance(value.get(key), str)), None)
                    yield Swap(path, _inner(value[old]), _inner(value[new]))
                    break
            else:
                todo.extend(item for item in value.values() if isinstance(item, dict | list))


def apply(found: list[Swap], problem: Problem) -> Reading:
    """Return the edits of some search/replace blocks, applied one after another."""
    drafts = Drafts(problem)
    for swap in found:
        draft = drafts.of(swap.path, swap.old)
        reason = _apply(swap, draft)
        if reason:
            return Reading(problem=reason)
    return drafts.reading()


def _apply(swap: Swap, draft: EditedText) -> str | None:
    old, new = without_outer_blanks(swap.old), swap.new
    if not old:
        if draft.source.strip():
            return NO_SEARCH_TEXT
        draft.lines = new
        return None
    found = places(draft.lines, old)
    if not found and (lead := draft.target_lead) and new:
        # The prompt shows the target without text before it on its line, such as `export`.
        whole = [lead + old[0], *old[1:]]
        if found := places(draft.lines, whole):
            old, new = whole, [lead + new[0], *new[1:]]
    place = best(found, draft.wanted, draft.problem.location)
    if place is None and not found:
        return _apply_within_line(old, new, draft)
    if place is None:
        return AMBIGUOUS_SEARCH
    ours = draft.lines[place.first : place.first + len(old)]
    draft.lines[place.first : place.first + len(old)] = adjusted(without_outer_blanks(new), old, ours)
    return None


def _apply_within_line(old: list[str], new: list[str], draft: EditedText) -> str | None:
    """Replace a part of a line if the search text is not whole lines."""
    if len(old) == 1 and len(without_outer_blanks(new)) <= 1 and len(old[0].strip()) > 2:
        part = old[0].strip()
        hits = [index for index, line in enumerate(draft.lines) if part in line]
        inside = [index for index in hits if index in draft.wanted]
        hits = hits if len(hits) == 1 else inside
        if len(hits) == 1 and draft.lines[hits[0]].count(part) == 1:
            draft.lines[hits[0]] = draft.lines[hits[0]].replace(part, "".join(without_outer_blanks(new)).strip())
            return None
        if hits:
            return AMBIGUOUS_SEARCH
    return SEARCH_NOT_FOUND


class Drafts:
    """The files that an answer changes."""

    def __init__(self, problem: Problem) -> None:
        self._problem = problem
        self._drafts: dict[str, EditedText] = {}

    def of(self, path: str | None, old: list[str]) -> EditedText:
        """Return the file that is meant: that of the bug if the lines are in it or no other file has the name.

        If the problem has none, lines without a path are those of the only file that has them.
        """
        own = self._draft(self._problem.path, self._problem.source)
        if (
            not self._problem.context
            or (path and _is_same(path, self._problem.path))
            or places(own.lines, without_outer_blanks(old))
        ):
            return own
        if path is not None:
            named = [file for file in self._problem.context if _is_same(path, file.path)]
        else:
            text = "\n".join(without_outer_blanks(old))
            named = [file for file in self._problem.context if text in file.text] if not self._problem.path else []
            named = named if len(named) == 1 else []
        return self._draft(named[0].path, named[0].text) if named else own

    def _draft(self, path: str, source: str) -> EditedText:
        if path not in self._drafts:
            self._drafts[path] = EditedText(self._problem, path, source)
        return self._drafts[path]

    def reading(self) -> Reading:
        """Return the edits of all changed files; the unchanged target if there are none."""
        changed = [draft for draft in self._drafts.values() if tuple(draft.lines) != draft.original]
        if not self._problem.path and not (changed and all(draft.path for draft in changed)):
            return Reading(problem=NO_PLACE)
        own = self._draft(self._problem.path, self._problem.source)
        return Reading(edits=tuple(draft.edit() for draft in changed or [own]))


def _is_same(name: str, path: str) -> bool:
    bare = name.removeprefix("a/").removeprefix("b/").lstrip("./")
    return path == bare or path.endswith("/" + bare) or bare.endswith("/" + path)
