"""What only validation may see of a bug: its tests, its limits and the developer's fix."""

from collections.abc import Sequence
from typing import Literal, Protocol, runtime_checkable

from repairlab.core.candidate import Edit
from repairlab.core.execution import Limits
from repairlab.core.problem import SourceFile
from repairlab.core.recipe import Build, Test
from repairlab.core.record import record

CheckerKind = Literal["tokens", "lines", "exact", "float", "unordered", "program"]


@record
class Checker:
    """How a program's output is compared with the expected one."""

    kind: CheckerKind = "tokens"
    """`tokens`: white space only separates; `lines`: also the line breaks count; `exact`: byte for byte but for a final newline;
    `float`: tokens, numbers within the tolerance; `unordered`: lines in any order; `program`: the oracle's checker decides."""
    absolute: float = 1e-6
    relative: float = 1e-6


@record
class CheckerProgram:
    """A program that comes with a bug and decides whether an output is right, in testlib's convention."""

    language: str
    files: tuple[SourceFile, ...]
    """All its sources; it is built in a tree of its own."""
    program: str = ""
    """The script (Python) or the main class (Java); C and C++ have one program."""
    flags: tuple[str, ...] = ()
    """Extra compiler flags."""
    limits: Limits = Limits()
    interactive: bool = False
    """Whether it talks with the program, in Kattis' convention, instead of looking at an output."""
    arguments: tuple[str, ...] = ()
    """What an interactive one is called with, besides the case."""


@record
class Case:
    """One run of a stdin/stdout program."""

    id: str
    input: str
    expected: str
    checker: Checker = Checker()


@runtime_checkable
class ListedCases(Protocol):
    """Cases whose ids are known without reading them."""

    @property
    def ids(self) -> tuple[str, ...]:
        """Return the ids in order."""


@record
class Oracle:
    """How a candidate for one bug is judged."""

    reference: tuple[Edit, ...]
    """The developer's fix."""
    build: Build
    test: Test
    limits: Limits
    trigger: tuple[str, ...] = ()
    """Tests that fail on the buggy tree and must pass on a fixed one."""
    regression: tuple[str, ...] = ()
    """Tests that pass on the buggy tree and must go on passing."""
    cases: Sequence[Case] = ()
    """Instead of tests, for stdin/stdout programs; a benchmark on disk reads them when they are looked at."""
    checker: CheckerProgram | None = None
    """What judges the output of cases whose checker is a program."""
    excluded: tuple[str, ...] = ()
    """Tests left out by name because they are flaky, or fail with the fix, too."""

    @property
    def n_tests(self) -> int:
        """Return how many tests and cases there are."""
        return len(self.cases) + len(self.trigger) + len(self.regression)

    @property
    def case_ids(self) -> tuple[str, ...]:
        """Return the ids of the cases; where they are known without that, no case is read."""
        return self.cases.ids if isinstance(self.cases, ListedCases) else tuple(case.id for case in self.cases)
