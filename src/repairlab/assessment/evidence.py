"""What is found out about plausible candidates without people: R0, rules, held-out tests, differential tests. For `assess`."""

from collections.abc import Callable, Sequence
from pathlib import Path

from repairlab.assessment.differential import Differential, differential
from repairlab.assessment.records import AssessmentTask
from repairlab.assessment.rules import Programs, proposed_rules
from repairlab.core.bug import Bug
from repairlab.core.candidate import Candidate, Origin
from repairlab.core.errors import HarnessError
from repairlab.core.outcome import Verdict
from repairlab.core.record import record
from repairlab.executors.pool import run_pool
from repairlab.sandbox.sandbox import Sandbox
from repairlab.validation.apply import changed_files
from repairlab.validation.machine import Machine
from repairlab.validation.validator import validate


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
    differential: Differential = Differential(skipped="not asked for")
    held_out: HeldOut = HeldOut()

    @property
    def speaks_against(self) -> bool:
        """Return whether something was found on which the candidate is wrong, or differs from the fix."""
        wrong = self.held_out.verdict not in (None, Verdict.PLAUSIBLE, Verdict.UNDECIDED)
        return wrong or self.differential.n_differ > 0


@record
class Question:
    """A task that nothing is known of yet, with all that is needed to find out."""

    task: AssessmentTask
    candidate: Candidate
    bug: Bug
    held_out: Bug | None
    """The same bug with other tests."""
    n_inputs: int
    seed: int


@record
class Answered:
    """What came of a question."""

    task: str
    evidence: Evidence | None
    problem: str = ""


def programs_of(bug: Bug, candidate: Candidate) -> Programs:
    """Return all versions of the files that a candidate or the fix changes."""
    reference = Candidate(bug_id=bug.id, edits=bug.oracle.reference, rank=1, origin=Origin(repairer="reference"))
    fixed, mine = changed_files(reference, bug), changed_files(candidate, bug)
    buggy = {path: _before(bug, path) for path in fixed.keys() | mine.keys()}
    return Programs(language=bug.problem.language, buggy=buggy, fixed=fixed, candidate=mine)


def _before(bug: Bug, path: str) -> str | None:
    file = Path(bug.tree.source) / path
    return file.read_bytes().decode("utf-8", "replace") if file.is_file() else None


def answer_questions(questions: Sequence[Question], machine: Machine, receive: Callable[[Answered], None]) -> None:
    """Find out what can be found out, in parallel; each answer is received when it is there."""

    def lost(question: Question, reason: str) -> None:
        receive(Answered(task=question.task.id, evidence=None, problem=reason))

    run_pool(_answer, iter(questions), machine, receive, lost)


def _answer(question: Question, sandbox: Sandbox, notify: Callable[[Answered], None]) -> None:
    bug, programs = question.bug, programs_of(question.bug, question.candidate)
    rules = proposed_rules(programs)
    try:
        if rules == ("R0",):
            found = Evidence(rules=rules, differential=Differential(skipped="it is the fix"))
        else:
            differs = Differential(skipped="not asked for")
            if question.n_inputs:
                differs = differential(bug, programs.fixed, programs.candidate, sandbox, n=question.n_inputs, seed=question.seed)
            found = Evidence(rules=rules, differential=differs, held_out=_held_out(question, sandbox))
    except HarnessError as error:
        notify(Answered(task=question.task.id, evidence=None, problem=str(error)))
        return
    notify(Answered(task=question.task.id, evidence=found))


def _held_out(question: Question, sandbox: Sandbox) -> HeldOut:
    if question.held_out is None:
        return HeldOut()
    outcome = validate(question.candidate, question.held_out, sandbox)
    return HeldOut(verdict=outcome.verdict, message=outcome.message)
