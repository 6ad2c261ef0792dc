"""One defect: what a repairer sees, how candidates are judged, and where it came from."""

import dataclasses
from typing import Literal

from repairlab.core.candidate import Candidate, Edit, Origin
from repairlab.core.oracle import Oracle
from repairlab.core.problem import Problem
from repairlab.core.record import digest, record


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
    """Error state (NPR4J): what the buggy code has too much, wrong or not at all."""
    element: Literal["token", "partial", "whole", "multi"] | None = None
    """Error element (NPR4J): a token, part of a statement, a whole statement, several statements."""
    category: str | None = None
    """Defects4C taxonomy: A.1-A.4 signature, B sanitizer, C.1-C.3 memory, D.1-D.2 logic."""
    symptom: str | None = None
    """What a user sees: wrong answer, crash, time-out, memory, output, presentation, compile error, memory error."""
    difficulty: Literal["easy", "medium", "hard"] | None = None
    split: str | None = None


@record
class Bug:
    """One defect of a benchmark."""

    problem: Problem
    oracle: Oracle
    tree: Tree
    origin: Provenance
    labels: Labels
    _known_digest: str = dataclasses.field(default="", init=False, compare=False, repr=False)
    """Made once, for it is over all files of the tree; a bug that is replaced by another one makes its own."""

    @property
    def id(self) -> str:
        """Return the id within the benchmark."""
        return self.problem.id

    @property
    def digest(self) -> str:
        """Return the hash of all that can change a verdict."""
        if not self._known_digest:
            remember_digest(self, digest(self.problem, self.oracle, self.tree.digest))
        return self._known_digest

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
    """Let a bug know its digest, and return it."""
    object.__setattr__(bug, "_known_digest", known)
    return bug
