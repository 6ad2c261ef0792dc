"""Find evidence about plausible candidates: the fix itself, rules, held-out tests, differential tests."""

from collections.abc import Callable, Sequence

from repairlab.benchmarks.catalog import Benchmark
from repairlab.building.differential import differential
from repairlab.core.bug import Bug
from repairlab.core.candidate import Candidate
from repairlab.core.errors import HarnessError, UserError
from repairlab.core.record import record, to_data
from repairlab.runs.executors.pool import open_pool
from repairlab.runs.executors.work_queue import calling, run_each
from repairlab.sandbox.sandbox import Sandbox
from repairlab.study.assessment.assess import Assessment
from repairlab.study.assessment.evidence import UNASKED, Differential, Evidence, HeldOut, programs_of
from repairlab.study.assessment.ratings import AssessmentTask
from repairlab.study.assessment.rules import proposed_rules
from repairlab.validation.machine import Machine
from repairlab.validation.validator import validate


@record
class EvidenceQuestion:
    """A task without an answer yet, with all that is needed to find one."""

    task: AssessmentTask
    candidate: Candidate
    bug: Bug
    held_out: Bug | None
    """The same bug with other tests."""
    n_inputs: int
    seed: int


@record
class EvidenceAnswer:
    """The answer to one question."""

    task: str
    evidence: Evidence | None
    problem: str = ""


def gather(
    assessment: Assessment,
    machine: Machine,
    receive: Callable[[EvidenceAnswer], None],
    *,
    n_inputs: int,
    seed: int,
    held_out: Benchmark | None = None,
    again: bool = False,
) -> None:
    """Answer what is asked and not yet known, or everything again."""
    known = {} if again else assessment.evidence()
    questions = []
    for task in assessment.tasks:
        other = _other_tests(assessment, task, held_out)
        if task.id not in known or known[task.id].lacks(inputs=bool(n_inputs), held_out=other is not None):
            questions.append(
                EvidenceQuestion(
                    task=task,
                    candidate=assessment.candidate(task.candidate_id),
                    bug=assessment.benchmark.bug(task.bug_id),
                    held_out=other,
                    n_inputs=n_inputs,
                    seed=seed,
                )
            )

    def keep(answered: EvidenceAnswer) -> None:
        if answered.evidence is not None:
            before = known.get(answered.task)
            assessment.store.put_evidence(answered.task, to_data(answered.evidence.over(before) if before else answered.evidence))
        receive(answered)

    if questions:
        answer_questions(questions, machine, keep)


def _other_tests(assessment: Assessment, task: AssessmentTask, benchmark: Benchmark | None) -> Bug | None:
    """Return the bug of a task with other tests, which must otherwise be the same."""
    if benchmark is None or task.bug_id not in benchmark.ids:
        return None
    other = benchmark.bug(task.bug_id)
    if other.problem.source != assessment.benchmark.bug(task.bug_id).problem.source:
        raise UserError(f"{task.bug_id} of {benchmark.name} has another source than that of {assessment.benchmark.name}")
    return other


def answer_questions(questions: Sequence[EvidenceQuestion], machine: Machine, receive: Callable[[EvidenceAnswer], None]) -> None:
    """Find answers in parallel and yield each as soon as it is known."""

    def lost(question: EvidenceQuestion, reason: str) -> None:
        receive(EvidenceAnswer(task=question.task.id, evidence=None, problem=reason))

    with open_pool(machine) as pool:
        run_each(calling(_answer), iter(questions), pool, receive, lost)


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
