"""How close a candidate is to the buggy and to the fixed code. Pure: texts and edits in, numbers out."""

import dataclasses
from collections.abc import Mapping, Sequence
from functools import cached_property

from repairlab.core.candidate import Edit
from repairlab.core.diff import apply_edits, changed_lines
from repairlab.core.errors import UserError
from repairlab.core.problem import Target
from repairlab.core.record import record
from repairlab.core.text import line_of
from repairlab.languages.facts import by_extension, languages_with_flow
from repairlab.languages.language import language as language_named
from repairlab.metrics.codebleu import CodeBleu, codebleu
from repairlab.metrics.similarity import bare, edit_similarity, folded

_MOST_CHARACTERS = 50_000
"""Of longer texts, only this much is compared."""


@record
class Landing:
    """The share of what the fix changes that a candidate changes, too."""

    files: float
    functions: float
    """Code outside functions counts as one function of its file."""
    lines: float
    """Where the fix inserts, a change of either neighbour counts."""


@record
class Closeness:
    """How close one distinct candidate is."""

    to_buggy: float
    to_fixed: float
    is_exact: bool
    """Equal to the developer's fix except for white space."""
    is_plausible: bool = False
    landing: Landing = Landing(files=0.0, functions=0.0, lines=0.0)
    codes: tuple[CodeBleu, CodeBleu] | None = None
    """CodeBLEU to the buggy and to the fixed code, if requested and defined for the language."""


@record
class ComparedTexts:
    """The same piece of code three times."""

    buggy: str
    fixed: str
    candidate: str


class Yardstick:
    """Buggy and fixed code of one bug, ready for comparison with many candidates.

    Functions are compared if candidate and fix change only the target function, else the changed files.
    """

    def __init__(self, files: Mapping[str, str], path: str, target: Target, fix: Sequence[Edit], language: str = "") -> None:
        """Take the buggy files, the one with the function to fix, that function, the developer's fix; for CodeBLEU a language."""
        self._language = language if language in languages_with_flow() else None
        self._files = files
        self._path, self._target = path, target
        self._edits = fix
        self._spans: dict[str, list[tuple[int, int, int]]] = {}
        self._last: tuple[str, str, _Texts] | None = None

    @cached_property
    def _fixed(self) -> dict[str, str | None]:
        return apply_edits(self._edits, self._files)

    @cached_property
    def _fixed_function(self) -> str | None:
        return self._inside(self._fixed)

    def texts(self, edits: Sequence[Edit]) -> ComparedTexts | None:
        """Return what is compared; None if the edits (or the fix) do not apply to the available files."""
        try:
            changed = apply_edits(edits, self._files)
            inside, fixed_inside = self._inside(changed), self._fixed_function
            paths = sorted({*changed, *self._fixed})
        except UserError:
            return None
        if inside is not None and fixed_inside is not None:
            return ComparedTexts(buggy=self._target.text, fixed=fixed_inside, candidate=inside)
        old, fixed, new = ("\n".join(self._text(path, texts) for path in paths) for texts in ({}, self._fixed, changed))
        return ComparedTexts(buggy=old, fixed=fixed, candidate=new)

    def measure(self, edits: Sequence[Edit], *, is_plausible: bool = False) -> Closeness | None:
        """Compare a candidate; None if its edits (or the fix) do not apply to the available files."""
        texts = self.texts(edits)
        if texts is None:
            return None
        if self._last is None or self._last[:2] != (texts.buggy, texts.fixed):
            self._last = (texts.buggy, texts.fixed, _Texts(texts.buggy, texts.fixed, self._language))
        near = self._last[2].measure(texts.candidate, is_plausible=is_plausible)
        return dataclasses.replace(near, landing=self._landing(apply_edits(edits, self._files)))

    def _landing(self, changed: Mapping[str, str | None]) -> Landing:
        mine, fix = self._lines(changed), self._fixed_lines
        touched = mine | {(path, line + side) for path, line in mine for side in (-0.5, 0.5)}
        owners, wanted = ({self._owner(*place) for place in places} for places in (mine, fix))
        paths, of_fix = {path for path in changed if changed[path] != self._files.get(path)}, set(self._fixed)
        return Landing(
            files=len(paths & of_fix) / len(of_fix),
            functions=len(owners & wanted) / max(len(wanted), 1),
            lines=sum(place in touched for place in fix) / max(len(fix), 1),
        )

    @cached_property
    def _fixed_lines(self) -> set[tuple[str, float]]:
        return self._lines(self._fixed)

    def _lines(self, changed: Mapping[str, str | None]) -> set[tuple[str, float]]:
        """Return the lines that differ, by path and number; an insertion is half a line before the next one."""
        found: set[tuple[str, float]] = set()
        for path, new in changed.items():
            for lines in changed_lines(path, self._files.get(path, ""), new or ""):
                found |= {(path, float(number)) for number in range(lines.first, lines.last + 1)} or {(path, lines.first - 0.5)}
        return found

    def _owner(self, path: str, line: float) -> tuple[str, int]:
        """Return the innermost function that holds a line, by path and start; -1 stands for code outside functions."""
        if path not in self._spans:
            name, source = by_extension().get(path[path.rfind(".") :]), self._files.get(path, "")
            spans = [function.span for function in language_named(name).syntax.functions(source)] if name else []
            self._spans[path] = [(span.start, line_of(source, span.start), line_of(source, span.end - 1)) for span in spans]
        return path, max((start for start, first, last in self._spans[path] if first <= line <= last), default=-1)

    def _text(self, path: str, changed: Mapping[str, str | None]) -> str:
        return (changed[path] or "") if path in changed else self._files.get(path, "")

    def _inside(self, changed: Mapping[str, str | None]) -> str | None:
        """Return the new text of the target; None if anything else is changed."""
        new = changed.get(self._path)
        if new is None or len(changed) > 1:
            return None
        source, span = self._files[self._path], self._target.span
        head, tail = source[: span.start], source[span.end :]
        if len(new) < len(head) + len(tail) or not (new.startswith(head) and new.endswith(tail)):
            return None
        return new[span.start : len(new) - len(tail)]


class _Texts:
    """A pair of buggy and fixed text."""

    def __init__(self, buggy: str, fixed: str, language: str | None) -> None:
        self._sides, self._language = (buggy, fixed), language
        self._buggy, self._fixed, self._bare = _cut(buggy), _cut(fixed), bare(fixed)

    def measure(self, text: str, *, is_plausible: bool) -> Closeness:
        """Compare a new text with both."""
        mine = _cut(text)
        codes = tuple(codebleu(text, side, self._language) for side in self._sides) if self._language else None
        return Closeness(
            to_buggy=edit_similarity(mine, self._buggy),
            to_fixed=edit_similarity(mine, self._fixed),
            is_exact=bare(text) == self._bare,
            is_plausible=is_plausible,
            codes=(codes[0], codes[1]) if codes else None,
        )


def _cut(text: str) -> str:
    return folded(text)[:_MOST_CHARACTERS]
