"""What candidates make of a bug's target: the function as they leave it, and whether it is new at all."""

from functools import cached_property, partial
from operator import contains

from repairlab.core.candidate import Candidate
from repairlab.core.diff import apply_edits
from repairlab.core.problem import Problem
from repairlab.core.record import record
from repairlab.languages.facts import facts
from repairlab.languages.language import language


@record
class Proposal:
    """What one candidate makes of the target."""

    function: str
    """The target as the candidate leaves it."""
    is_unchanged: bool
    """Whether the candidate differs from the buggy program at most in comments and white space."""


class Proposals:
    """Reads the candidates of one bug."""

    def __init__(self, problem: Problem) -> None:
        self._problem = problem
        self._syntax = language(problem.language).syntax
        span = problem.target.span
        self._before, self._behind = problem.source[: span.start], problem.source[span.end :]
        self._function = _Original(problem.target.text, problem.language)

    @cached_property
    def _file(self) -> "_Original":
        return _Original(self._problem.source, self._problem.language)

    def read(self, candidate: Candidate) -> Proposal:
        """Return what a candidate makes of the target; UserError when its edits do not apply."""
        problem = self._problem
        elsewhere = any(edit.path != problem.path for edit in candidate.edits)
        edits = [edit for edit in candidate.edits if edit.path == problem.path]
        text = apply_edits(edits, {problem.path: problem.source}).get(problem.path, problem.source) or ""
        n_around = len(self._before) + len(self._behind)
        if len(text) >= n_around and text.startswith(self._before) and text.endswith(self._behind):
            function = text[len(self._before) : len(text) - len(self._behind)]
            return Proposal(function=function, is_unchanged=not elsewhere and self._function.is_equal(function))
        return Proposal(function=self._find(text), is_unchanged=not elsewhere and self._file.is_equal(text))

    def _find(self, text: str) -> str:
        """Return the target in a new text of its file; the whole text when the function is no longer there."""
        name = self._problem.target.name or ""
        functions = self._syntax.functions(text)
        named = [item for item in functions if name == item.signature]
        named += [item for item in functions if name.partition("(")[0] == item.qualified]
        return named[0].span.of(text) if named else text


class _Original:
    """A buggy text that others are compared with."""

    def __init__(self, text: str, language_name: str) -> None:
        self._text = text
        self._syntax = language(language_name).syntax
        self._marks = facts(language_name).comments

    def is_equal(self, text: str) -> bool:
        """Whether a text differs at most in comments and white space."""
        return text == self._text or (self._may_be_equal(text) and self._syntax.normal_form(text) == self._form)

    def _may_be_equal(self, text: str) -> bool:
        """Whether it can be so at a glance: lexing every candidate would take much longer than all the rest of a ranking."""
        solid = "".join(text.split())
        if not any(mark in text for mark in self._marks):
            return solid == self._solid
        rest = iter(solid)
        return all(map(partial(contains, rest), self._solid))  # type: ignore[arg-type]  # an iterator will do, and shall be used up

    @cached_property
    def _form(self) -> str:
        return self._syntax.normal_form(self._text)

    @cached_property
    def _solid(self) -> str:
        return "".join(self._syntax.strip_comments(self._text).split())
