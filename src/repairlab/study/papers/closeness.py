"""How near a candidate is to the buggy and to the fixed code. Pure: texts and edits in, numbers out."""

from collections.abc import Mapping, Sequence
from functools import cached_property

from repairlab.core.candidate import Edit
from repairlab.core.diff import apply_edits
from repairlab.core.errors import UserError
from repairlab.core.problem import Target
from repairlab.core.record import record
from repairlab.metrics.similarity import bare, edit_similarity, folded

_MOST_CHARACTERS = 50_000
"""Of longer texts only so much is compared."""


@record
class Closeness:
    """How near one distinct candidate is."""

    to_buggy: float
    to_fixed: float
    is_exact: bool
    """Equal to the developer's fix but for white space."""
    is_plausible: bool = False


@record
class ComparedTexts:
    """The same piece of code three times."""

    buggy: str
    fixed: str
    candidate: str


class Yardstick:
    """Buggy and fixed code of one bug, ready to be compared with many candidates.

    Functions are compared where candidate and fix change nothing but the target function, else the changed files.
    """

    def __init__(self, files: Mapping[str, str], path: str, target: Target, fix: Sequence[Edit]) -> None:
        """Take the buggy files, the one with the function to fix, that function, and the developer's fix."""
        self._files = files
        self._path, self._target = path, target
        self._edits = fix
        self._last: tuple[str, str, _Texts] | None = None

    @cached_property
    def _fixed(self) -> dict[str, str | None]:
        return apply_edits(self._edits, self._files)

    @cached_property
    def _fixed_function(self) -> str | None:
        return self._inside(self._fixed)

    def texts(self, edits: Sequence[Edit]) -> ComparedTexts | None:
        """Return what is compared; none when the edits (or the fix) do not apply to the files that are at hand."""
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
        """Compare a candidate; none when its edits (or the fix) do not apply to the files that are at hand."""
        texts = self.texts(edits)
        if texts is None:
            return None
        if self._last is None or self._last[:2] != (texts.buggy, texts.fixed):
            self._last = (texts.buggy, texts.fixed, _Texts(texts.buggy, texts.fixed))
        return self._last[2].measure(texts.candidate, is_plausible=is_plausible)

    def _text(self, path: str, changed: Mapping[str, str | None]) -> str:
        return (changed[path] or "") if path in changed else self._files.get(path, "")

    def _inside(self, changed: Mapping[str, str | None]) -> str | None:
        """Return the new text of the target; none when something else is changed."""
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

    def __init__(self, buggy: str, fixed: str) -> None:
        self._buggy, self._fixed, self._bare = _cut(buggy), _cut(fixed), bare(fixed)

    def measure(self, text: str, *, is_plausible: bool) -> Closeness:
        """Compare a new text with both."""
        mine = _cut(text)
        return Closeness(
            to_buggy=edit_similarity(mine, self._buggy),
            to_fixed=edit_similarity(mine, self._fixed),
            is_exact=bare(text) == self._bare,
            is_plausible=is_plausible,
        )


def _cut(text: str) -> str:
    return folded(text)[:_MOST_CHARACTERS]
