"""One defect: what a repairer sees, how candidates are judged, and where it came from. No repairer may import this."""

import dataclasses
from collections.abc import Sequence
from typing import Literal, Protocol, runtime_checkable

from repairlab.core.candidate import Candidate, Edit, Origin
from repairlab.core.execution import Limits
from repairlab.core.problem import Problem, SourceFile
from repairlab.core.recipe import Build, Test
from repairlab.core.record import digest, record

Difficulty = Literal["easy", "medium", "hard", "A", "B", "C", "D", "E", "F", "G", "H"]
"""In words, or as the letter of a task in its contest."""
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
    """All its sources; it is built in a separate tree."""
    program: str = ""
    """The script (Python) or the main class (Java); C and C++ have one program."""
    flags: tuple[str, ...] = ()
    """Extra compiler flags."""
    limits: Limits = Limits()
    interactive: bool = False
    """Whether it talks with the program, in Kattis' convention, instead of reading its output."""
    arguments: tuple[str, ...] = ()
    """Arguments of an interactive one, besides the case."""


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
    """Instead of tests, for stdin/stdout programs; a benchmark on disk reads them on demand."""
    checker: CheckerProgram | None = None
    """Judges the output of cases whose checker is a program."""
    excluded: tuple[str, ...] = ()
    """Tests excluded by name because they are flaky, or fail even with the fix."""

    @property
    def case_ids(self) -> tuple[str, ...]:
        """Return the ids of the cases, without reading any if the ids are known."""
        return self.cases.ids if isinstance(self.cases, ListedCases) else tuple(case.id for case in self.cases)


@record
class Tree:
    """Where the buggy sources come from."""

    source: str
    """A folder, or a git repository."""
    revision: str | None = None
    """Set for git."""
    digest: str = ""
    """Content hash of the folder, so that the same bug has the same digest on every machine."""


@record
class Provenance:
    """Where a bug came from."""

    repository: str | None = None
    commit: str | None = None
    issue: str | None = None
    licence: str | None = None
    cve: str | None = None
    cwe: str | None = None


@record
class Labels:
    """How a bug is classified."""

    location: Literal["line", "hunk", "function"] | None = None
    state: Literal["redundant", "incorrect", "missing"] | None = None
    """Error state (NPR4J): whether the buggy code has something superfluous, wrong or missing."""
    element: Literal["token", "partial", "whole", "multi"] | None = None
    """Error element (NPR4J): a token, part of a statement, a whole statement, several statements."""
    category: str | None = None
    """Defects4C taxonomy: A.1-A.4 signature, B sanitizer, C.1-C.3 memory, D.1-D.2 logic."""
    domain: str | None = None
    """The purpose of the project in free text, such as networking or compilers."""
    symptom: str | None = None
    """What a user sees: wrong answer, crash, time-out, memory, output, presentation, compile error, memory error."""
    difficulty: Difficulty | None = None
    split: str | None = None


@record
class ToolNeed:
    """What a bug needs of a machine."""

    language: str
    tool: str
    framework: str


@record
class Bug:
    """One defect of a benchmark."""

    problem: Problem
    oracle: Oracle
    tree: Tree
    origin: Provenance
    labels: Labels
    _known_digest: str = dataclasses.field(default="", init=False, compare=False, repr=False)
    """Computed once, since it covers all files of the tree; a bug that replaces another computes its own."""

    @property
    def id(self) -> str:
        """Return the id within the benchmark."""
        return self.problem.id

    @property
    def digest(self) -> str:
        """Return the hash of everything that can change a verdict."""
        if not self._known_digest:
            judged = dataclasses.replace(self.problem, error=None)  # messages may differ slightly between machines
            remember_digest(self, digest(judged, self.oracle, self.tree.digest))
        return self._known_digest

    @property
    def n_tests(self) -> int:
        """Return how many tests and cases it is judged by."""
        return len(self.oracle.cases) + len(self.oracle.trigger) + len(self.oracle.regression)

    @property
    def tool_need(self) -> ToolNeed:
        """Return what it needs of a machine."""
        return ToolNeed(language=self.problem.language, tool=self.oracle.build.tool, framework=self.oracle.test.framework)

    def candidate(self, edits: tuple[Edit, ...], repairer: str) -> Candidate:
        """Return edits as the only candidate of a repairer."""
        return Candidate(bug_id=self.id, edits=edits, rank=1, origin=Origin(repairer=repairer))

    @property
    def unpatched(self) -> Candidate:
        """Return the candidate that changes nothing."""
        return self.candidate((), "copy")

    @property
    def fix(self) -> Candidate:
        """Return the developer's fix as a candidate."""
        return self.candidate(self.oracle.reference, "reference")


def remember_digest(bug: Bug, known: str) -> Bug:
    """Give a bug its known digest, and return it."""
    object.__setattr__(bug, "_known_digest", known)
    return bug
