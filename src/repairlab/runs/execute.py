"""The line as code: for each bug, propose → validate → store. Called by `schedule` in workers, a bug or part of one each."""

import dataclasses
from collections.abc import Callable

from repairlab.core.candidate import Attempt, Candidate, Origin
from repairlab.core.outcome import Verdict
from repairlab.core.problem import shown
from repairlab.core.record import record
from repairlab.core.samples import Ended
from repairlab.repairers.baselines import Prepared
from repairlab.repairers.repairer import Repairer
from repairlab.repairers.table import repairer
from repairlab.runs.judge import Forms, Judge
from repairlab.runs.store import Disagreement, Store
from repairlab.runs.task import Task
from repairlab.runs.verdicts import open_verdicts
from repairlab.sandbox.sandbox import Sandbox
from repairlab.validation.feedback import feedback


@record
class Progress:
    """One step of a run, for whoever watches."""

    bug_id: str
    verdict: Verdict | None
    """None: the bug is finished."""


@record
class Begun:
    """A validation begins: should the worker die now, this candidate is under suspicion."""

    bug_id: str
    part: int
    candidate_id: str


@record
class Formed:
    """The normal form of one candidate."""

    bug_id: str
    rank: int
    form: str


@record
class Finished:
    """All candidates of a bug, or of a part of it, are drawn or judged."""

    bug_id: str
    ended: Ended


News = Progress | Begun | Disagreement | Finished


def execute(task: Task, sandbox: Sandbox, tell: Callable[[News], None]) -> None:
    """Run one bug, or a part of it, to its end; all that is learnt on the way is stored at once."""
    number = task.part.number if task.part else 0
    begin: Callable[[str], None] = lambda name: tell(Begun(bug_id=task.bug.id, part=number, candidate_id=name))  # noqa: E731
    with Judge(task, sandbox, begin=begin, warn=tell) as judge:
        ended = _judge_part(task, judge, tell) if task.part else _repair(task, judge, tell)
    tell(Finished(bug_id=task.bug.id, ended=ended))


def _repair(task: Task, judge: Judge, tell: Callable[[News], None]) -> Ended:
    """Draw and judge one candidate after the other, and return why no more were drawn."""
    experiment = task.experiment
    problem = shown(task.bug.problem, experiment.visibility)
    history: tuple[Attempt, ...] = ()
    rank = 0
    for _ in range(experiment.rounds):  # 1, unless the repair is a conversation
        for proposed in _repairer(task).propose(problem, history):
            rank += 1
            candidate = _stored(task, proposed, rank)
            outcome = judge(candidate)
            if experiment.rounds > 1:
                history += (Attempt(candidate=candidate, feedback=feedback(outcome, experiment.feedback)),)
            tell(Progress(bug_id=task.bug.id, verdict=outcome.verdict))
            if experiment.stop_when_fixed and outcome.verdict is Verdict.PLAUSIBLE:
                return "solved"
            if rank == experiment.n:
                return "asked"
    return "exhausted"


def _judge_part(task: Task, judge: Judge, tell: Callable[[News], None]) -> Ended:
    """Judge candidates that are stored already."""
    assert task.part is not None
    store = Store(task.folder)
    for rank in task.part.ranks:
        outcome = judge(store.at(Candidate, task.candidates[rank]))
        tell(Progress(bug_id=task.bug.id, verdict=outcome.verdict))
    return task.part.ended


def draw(task: Task, sandbox: Sandbox, tell: Callable[[Finished], None]) -> None:
    """Draw and store all candidates of a bug and judge none."""
    del sandbox
    n, rank = task.experiment.n, 0
    for proposed in _repairer(task).propose(shown(task.bug.problem, task.experiment.visibility), ()):
        rank += 1
        _stored(task, proposed, rank)
        if rank == n:
            break
    tell(Finished(bug_id=task.bug.id, ended="asked" if rank == n else "exhausted"))


def find_forms(task: Task, sandbox: Sandbox, tell: Callable[[Formed], None]) -> None:
    """Tell the normal form of each candidate of a part."""
    del sandbox
    assert task.part is not None
    store = Store(task.folder)
    with open_verdicts(task.machine) as verdicts:
        forms = Forms(task.bug, verdicts)
        for rank in task.part.ranks:
            candidate = store.at(Candidate, task.candidates[rank])
            tell(Formed(bug_id=task.bug.id, rank=rank, form=forms.of(candidate, candidate.id)))


def _stored(task: Task, proposed: Candidate, rank: int) -> Candidate:
    """Return the candidate that an earlier start of the run stored at this rank; else store the proposed one."""
    store = Store(task.folder)
    if rank in task.candidates:
        return store.at(Candidate, task.candidates[rank])
    candidate = dataclasses.replace(proposed, rank=rank)
    store.append(candidate)
    return candidate


def _repairer(task: Task) -> Repairer:
    name = task.experiment.repairer
    if task.given is not None:
        return Prepared(name, {task.bug.id: task.given})
    if name == "reference":
        fix = Candidate(bug_id=task.bug.id, edits=task.bug.oracle.reference, rank=1, origin=Origin(repairer=name))
        return Prepared(name, {task.bug.id: [fix]})
    return repairer(name)
