"""The line as code: for each bug, propose → validate → store. Called by `run` in worker processes, a bug each."""

import dataclasses
from collections.abc import Callable, Mapping
from pathlib import Path

from repairlab.core.bug import Bug
from repairlab.core.candidate import Attempt, Candidate, Origin
from repairlab.core.errors import UserError
from repairlab.core.outcome import Outcome, Verdict
from repairlab.core.problem import shown
from repairlab.core.record import record
from repairlab.core.samples import Ended
from repairlab.repairers.baselines import Prepared
from repairlab.repairers.repairer import Repairer
from repairlab.repairers.table import repairer
from repairlab.runs.experiment import Experiment
from repairlab.runs.store import BugEnd, Store
from repairlab.sandbox.sandbox import Sandbox
from repairlab.validation.apply import normal_digest
from repairlab.validation.feedback import feedback
from repairlab.validation.validate import Workbench, workbench


@record
class Task:
    """One bug's share of a run, with what an earlier start of the run already did for it."""

    bug: Bug
    experiment: Experiment
    folder: Path
    environment: str
    given: tuple[Candidate, ...] | None
    """Candidates made elsewhere, instead of asking a repairer."""
    candidates: Mapping[int, Candidate]
    """Stored candidates by rank."""
    outcomes: Mapping[str, Outcome]
    """Stored outcomes by candidate id; UNDECIDED ones are left out, so that they are tried again."""


@record
class Progress:
    """One step of a run, for whoever watches."""

    bug_id: str
    verdict: Verdict | None
    """None: the bug is finished."""


def execute(task: Task, sandbox: Sandbox, step: Callable[[Progress], None]) -> None:
    """Run one bug to its end and mark it as finished; all that is learnt on the way is stored at once."""
    with workbench(task.bug, sandbox) as bench:
        ended = _repair(task, _Judge(task, bench, Store(task.folder)), step)
    Store(task.folder).append(BugEnd(bug_id=task.bug.id, ended=ended))
    step(Progress(bug_id=task.bug.id, verdict=None))


def _repair(task: Task, judge: Callable[[Candidate], Outcome], step: Callable[[Progress], None]) -> Ended:
    """Return why no more candidates were drawn."""
    experiment, bug, store = task.experiment, task.bug, Store(task.folder)
    problem = shown(bug.problem, experiment.visibility)
    history: tuple[Attempt, ...] = ()
    rank = 0
    for _ in range(experiment.rounds):  # 1, unless the repair is a conversation
        for proposed in _repairer(task).propose(problem, history):
            rank += 1
            candidate = task.candidates.get(rank) or dataclasses.replace(proposed, rank=rank)
            if rank not in task.candidates:
                store.append(candidate)
            outcome = judge(candidate)
            history += (Attempt(candidate=candidate, feedback=feedback(outcome, experiment.feedback)),)
            step(Progress(bug_id=bug.id, verdict=outcome.verdict))
            if experiment.stop_when_fixed and outcome.verdict is Verdict.PLAUSIBLE:
                return "solved"
            if rank == experiment.n:
                return "asked"
    return "exhausted"


def _repairer(task: Task) -> Repairer:
    name = task.experiment.repairer
    if task.given is not None:
        return Prepared(name, {task.bug.id: task.given})
    if name == "reference":
        fix = Candidate(bug_id=task.bug.id, edits=task.bug.oracle.reference, rank=1, origin=Origin(repairer=name))
        return Prepared(name, {task.bug.id: [fix]})
    return repairer(name)


class _Judge:
    """Validates each distinct candidate of one bug once."""

    def __init__(self, task: Task, bench: Workbench, store: Store) -> None:
        self._task, self._bench, self._store = task, bench, store
        self._by_id = dict(task.outcomes)
        self._by_form: dict[str, Outcome] = {}
        for candidate in task.candidates.values():
            if candidate.id in self._by_id:
                self._by_form.setdefault(self._form(candidate), self._by_id[candidate.id])

    def __call__(self, candidate: Candidate) -> Outcome:
        if candidate.id in self._by_id:
            return self._by_id[candidate.id]
        form = self._form(candidate)
        if form in self._by_form:
            twin = self._by_form[form]
            twin_id = twin.equivalent_to or twin.candidate_id
            outcome = dataclasses.replace(twin, candidate_id=candidate.id, equivalent_to=twin_id)
        else:
            outcome = self._bench.validate(candidate, policy=self._task.experiment.policy)
            outcome = dataclasses.replace(outcome, environment=self._task.environment)
        self._store.append(outcome)
        self._by_id[candidate.id] = outcome
        if outcome.verdict is not Verdict.UNDECIDED:
            self._by_form[form] = outcome
        return outcome

    def _form(self, candidate: Candidate) -> str:
        try:
            return normal_digest(candidate, self._task.bug)
        except UserError:
            return candidate.id
