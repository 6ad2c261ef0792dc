"""What is found out about plausible candidates without people: R0, rules, held-out tests, differential tests. For `assess`."""

from collections.abc import Callable, Sequence
from pathlib import Path

from repairlab.building.differential import Differential, differential
from repairlab.core.bug import Bug
from repairlab.core.candidate import Candidate
from repairlab.core.errors import HarnessError
from repairlab.core.outcome import Verdict
from repairlab.core.record import record
from repairlab.runs.executors.work_queue import run_pool
from repairlab.sandbox.sandbox import Sandbox
from repairlab.study.assessment.records import AssessmentTask
from repairlab.study.assessment.rules import Programs, proposed_rules
from repairlab.validation.apply import changed_files
from repairlab.validation.machine import Machine
from repairlab.validation.validator import validate

UNASKED = Differential(skipped="not asked for")


@record
class HeldOut:
    """What tests say that the run did not have."""

    verdict: Verdict | None = None
    message: str = ""


@record
class Evidence:
    """What was found out about one task."""

    rules: tuple[str, ...]
    """Proposed; R0 is certain."""
    differential: Differential = UNASKED
    held_out: HeldOut = HeldOut()

    @property
    def speaks_against(self) -> bool:
        """Return whether something was found on which the candidate is wrong, or differs from the fix."""
        return self.differential.n_differ > 0 or (self.is_held_out and self.held_out.verdict is not Verdict.PLAUSIBLE)

    @property
    def is_held_out(self) -> bool:
        """Return whether held-out tests said something of it."""
        return self.held_out.verdict not in (None, Verdict.UNDECIDED)

    def lacks(self, *, inputs: bool, held_out: bool) -> bool:
        """Return whether something is asked for that was not looked at; the fix itself needs no look."""
        return self.rules != ("R0",) and ((inputs and self.differential == UNASKED) or (held_out and self.held_out.verdict is None))

    def over(self, before: "Evidence") -> "Evidence":
        """Return this evidence with what only the one before knows."""
        return Evidence(
            rules=self.rules,
            differential=before.differential if self.differential == UNASKED else self.differential,
            held_out=before.held_out if self.held_out.verdict is None else self.held_out,
        )


@record
class EvidenceQuestion:
    """A task that nothing is known of yet, with all that is needed to find out."""

    task: AssessmentTask
    candidate: Candidate
    bug: Bug
    held_out: Bug | None
    """The same bug with other tests."""
    n_inputs: int
    seed: int


@record
class EvidenceAnswer:
    """What came of a question."""

    task: str
    evidence: Evidence | None
    problem: str = ""


def programs_of(bug: Bug, candidate: Candidate) -> Programs:
    """Return all versions of the files that a candidate or the fix changes."""
    fixed, mine = changed_files(bug.fix, bug), changed_files(candidate, bug)
    buggy = {path: _before(bug, path) for path in fixed.keys() | mine.keys()}
    return Programs(language=bug.problem.language, buggy=buggy, fixed=fixed, candidate=mine)


def _before(bug: Bug, path: str) -> str | None:
    file = Path(bug.tree.source) / path
    return file.read_bytes().decode("utf-8", "replace") if file.is_file() else None


def answer_questions(questions: Sequence[EvidenceQuestion], machine: Machine, receive: Callable[[EvidenceAnswer], None]) -> None:
    """Find out what can be found out, in parallel; each answer is received when it is there."""

    def lost(question: EvidenceQuestion, reason: str) -> None:
        receive(EvidenceAnswer(task=question.task.id, evidence=None, problem=reason))

    run_pool(_answer, iter(questions), machine, receive, lost)


def _answer(question: EvidenceQuestion, sandbox: Sandbox, notify: Callable[[EvidenceAnswer], None]) -> None:
    bug, programs = question.bug, programs_of(question.bug, question.candidate)
    rules = proposed_rules(programs)
    try:
        if rules == ("R0",):
            found = Evidence(rules=rules, differential=Differential(skipped="it is the fix"))
        else:
            differs = UNASKED
            if question.n_inputs:
                differs = differential(bug, programs.fixed, programs.candidate, sandbox, n=question.n_inputs, seed=question.seed)
            found = Evidence(rules=rules, differential=differs, held_out=_held_out(question, sandbox))
    except HarnessError as error:
        notify(EvidenceAnswer(task=question.task.id, evidence=None, problem=str(error)))
        return
    notify(EvidenceAnswer(task=question.task.id, evidence=found))


def _held_out(question: EvidenceQuestion, sandbox: Sandbox) -> HeldOut:
    if question.held_out is None:
        return HeldOut()
    outcome = validate(question.candidate, question.held_out, sandbox)
    return HeldOut(verdict=outcome.verdict, message=outcome.message)
