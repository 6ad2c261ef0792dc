"""Evidence about plausible candidates without asking people: proposed rules, held-out tests, differential tests."""

from pathlib import Path
from typing import Any

from repairlab.core.bug import Bug
from repairlab.core.candidate import Candidate
from repairlab.core.outcome import Verdict
from repairlab.core.record import record
from repairlab.study.assessment.rules import Programs
from repairlab.study.assessment.store import AssessmentStore
from repairlab.validation.apply import changed_files


@record
class Differential:
    """The result of differential testing."""

    n_inputs: int = 0
    """New inputs."""
    n_valid: int = 0
    """Inputs on which the fix answers, and the same twice."""
    n_differ: int = 0
    """Those of them on which the candidate answers differently or not at all."""
    example: str = ""
    """The first of these, and both answers."""
    skipped: str = ""
    """Why nothing was measured."""

    @property
    def share(self) -> float | None:
        """Return the share of valid inputs on which the candidate differs; None if there are none."""
        return self.n_differ / self.n_valid if self.n_valid else None


UNASKED = Differential(skipped="not asked for")


@record
class HeldOut:
    """Results of tests that the run did not have."""

    verdict: Verdict | None = None
    message: str = ""


@record
class Evidence:
    """The evidence on one task."""

    rules: tuple[str, ...]
    """Proposed; R0 is certain."""
    differential: Differential = UNASKED
    held_out: HeldOut = HeldOut()

    @property
    def speaks_against(self) -> bool:
        """Return whether some evidence says that the candidate is wrong or differs from the fix."""
        return self.differential.n_differ > 0 or (self.is_held_out and self.held_out.verdict is not Verdict.PLAUSIBLE)

    @property
    def is_held_out(self) -> bool:
        """Return whether held-out tests decided something."""
        return self.held_out.verdict not in (None, Verdict.UNDECIDED)

    def lacks(self, *, inputs: bool, held_out: bool) -> bool:
        """Return whether something requested has not been examined; the fix itself needs no examination."""
        return self.rules != ("R0",) and ((inputs and self.differential == UNASKED) or (held_out and self.held_out.verdict is None))

    def over(self, before: "Evidence") -> "Evidence":
        """Return this evidence, completed by what only the earlier one knows."""
        return Evidence(
            rules=self.rules,
            differential=before.differential if self.differential == UNASKED else self.differential,
            held_out=before.held_out if self.held_out.verdict is None else self.held_out,
        )


def evidence_of(store: AssessmentStore) -> dict[str, Evidence]:
    """Return what is stored of evidence, by task."""
    return {task: evidence_from(data) for task, data in store.evidence().items()}


def evidence_from(data: dict[str, Any]) -> Evidence:
    """Return evidence as a store keeps it."""
    held = data["held_out"]
    return Evidence(
        rules=tuple(data["rules"]),
        differential=Differential(**data["differential"]),
        held_out=HeldOut(verdict=held["verdict"] and Verdict(held["verdict"]), message=held["message"]),
    )


def programs_of(bug: Bug, candidate: Candidate) -> Programs:
    """Return all versions of the files that a candidate or the fix changes."""
    fixed, mine = changed_files(bug.fix, bug), changed_files(candidate, bug)
    buggy = {path: _before(bug, path) for path in fixed.keys() | mine.keys()}
    return Programs(language=bug.problem.language, buggy=buggy, fixed=fixed, candidate=mine)


def _before(bug: Bug, path: str) -> str | None:
    file = Path(bug.tree.source) / path
    return file.read_bytes().decode("utf-8", "replace") if file.is_file() else None
