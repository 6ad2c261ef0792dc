"""What a repairer may see of a bug. Nothing in here, nor anything it imports, knows tests or the fix."""

import dataclasses
from collections.abc import Iterator, Sequence
from functools import cached_property
from typing import Literal, overload

from repairlab.core.errors import UserError
from repairlab.core.outcome import Verdict
from repairlab.core.record import record
from repairlab.core.text import Lines, Span

Localisation = Literal["line", "hunk", "function", "file", "none", "spectrum"]
"""How precisely the place of the bug is shown: exact lines, one range around them, the function, the file, or not at all.

With `spectrum` it is computed from test runs.
"""
TOLD: tuple[Localisation, ...] = ("none", "file", "function", "hunk", "line")
"""Those that need no test runs, from the least to the most precise."""


@record
class SourceFile:
    """A file of the buggy tree."""

    path: str
    text: str


@record
class Target:
    """What is to be fixed: a function, or a whole file if it has no name."""

    name: str | None
    """Qualified name, e.g. `Account.withdraw`; None for a whole file."""
    span: Span
    text: str


@record
class Problem:
    """One bug as a repairer sees it."""

    id: str
    benchmark: str
    language: str
    title: str
    description: str
    path: str
    """The file to fix, relative to the root of the tree, with forward slashes; empty if no place is shown."""
    source: str
    """The whole buggy file."""
    target: Target
    target_without_comments: str
    location: tuple[Lines, ...] | None = None
    """Lines that the fix changes; None if the policy does not show them."""
    error: str | None = None
    """How a test fails: its code, its first message, or both; None unless the policy shows them."""
    submission_verdict: Verdict | None = None
    """What the judge said of the buggy program, for stdin/stdout bugs."""
    context: Sequence[SourceFile] = ()
    """Other files that the repairer may read (never tests); a benchmark on disk reads them on demand."""

    @property
    def files(self) -> dict[str, str]:
        """Return the text of each file that a repairer may change, by path."""
        own = {self.path: self.source} if self.path else {}
        return own | {file.path: file.text for file in self.context}


@record
class SpectrumProblem(Problem):
    """A problem whose place was computed from test runs: its file, target and location are the most suspicious ones."""

    suspects: tuple[Lines, ...] = ()
    """Lines, most suspicious first."""


@record
class Visibility:
    """The policy that decides what of a problem is shown to the repairer."""

    localisation: Localisation = "line"
    """`line`: the lines the fix changes; `hunk`: one range around them; `function` or `file`: only where to look;
    `none`: the tree and the issue, nothing else; `spectrum`: the most suspicious line and its function, computed from test runs."""
    error: bool = False
    """Show the first failing message of the hidden tests."""
    context: bool = True
    """Show the other files of the project, without tests."""
    tests: bool = False
    """Show the code of a failing test; to the program of the repairer `command` all test files and the names of failing tests."""

    @property
    def is_computed(self) -> bool:
        """Whether the place shown is computed from test runs."""
        return self.localisation == "spectrum"


NOWHERE = Target(name=None, span=Span(start=0, end=0), text="")
"""The target if no place is shown."""


class _All(Sequence[SourceFile]):
    """All files of a problem by path, so that their order does not reveal which is to be fixed; read on demand."""

    def __init__(self, problem: Problem) -> None:
        self._problem = problem

    @cached_property
    def _files(self) -> tuple[SourceFile, ...]:
        own = SourceFile(path=self._problem.path, text=self._problem.source)
        return tuple(sorted((own, *self._problem.context), key=lambda file: file.path))

    def __len__(self) -> int:
        return len(self._files)

    @overload
    def __getitem__(self, which: int) -> SourceFile: ...
    @overload
    def __getitem__(self, which: slice) -> tuple[SourceFile, ...]: ...
    def __getitem__(self, which: int | slice) -> SourceFile | tuple[SourceFile, ...]:
        return self._files[which]

    def __iter__(self) -> Iterator[SourceFile]:
        return iter(self._files)


def shown(problem: Problem, visibility: Visibility) -> Problem:
    """Return the problem as the policy lets a repairer see it."""
    if visibility.is_computed and not isinstance(problem, SpectrumProblem):
        raise UserError(f"localisation = spectrum runs tests, which only `repairlab run` does. Possible here: {', '.join(TOLD)}")
    if visibility.localisation == "none":
        problem = dataclasses.replace(
            problem, path="", source="", target=NOWHERE, target_without_comments="", context=_All(problem)
        )
    location = problem.location
    if visibility.localisation == "hunk" and location:
        paths = dict.fromkeys(lines.path for lines in location)
        location = tuple(_hull(path, [lines for lines in location if lines.path == path]) for path in paths)
    elif visibility.localisation in ("function", "file", "none"):
        location = None
    target = problem.target
    bare = problem.target_without_comments
    if visibility.localisation == "file" and target.name is not None:
        target = Target(name=None, span=Span(start=0, end=len(problem.source)), text=problem.source)
        bare = problem.source
    return dataclasses.replace(
        problem,
        location=location,
        target=target,
        target_without_comments=bare,
        error=problem.error if visibility.error else None,
        context=problem.context if visibility.context else (),
    )


def _hull(path: str, lines: list[Lines]) -> Lines:
    return Lines(path=path, first=min(item.first for item in lines), last=max(item.last for item in lines))
