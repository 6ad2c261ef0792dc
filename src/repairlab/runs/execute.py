"""The line as code: for each bug, propose → validate → store. Called by `schedule` in workers, a bug or part of one each."""

import dataclasses
from collections.abc import Callable

from repairlab.core.candidate import Attempt, Candidate
from repairlab.core.outcome import Verdict
from repairlab.core.problem import shown
from repairlab.core.record import record
from repairlab.core.samples import Ended
from repairlab.repairers.repairer import Repairer
from repairlab.runs.judge import Forms, Judge
from repairlab.runs.repairing import open_repairer
from repairlab.runs.store import Disagreement, Store
from repairlab.runs.task import Part, Task
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
class Drawn:
    """All candidates of a bug are drawn and wait to be judged."""

    bug_id: str
    n: int


@record
class Finished:
    """All candidates of a bug, or of a part of it, are drawn or judged."""

    bug_id: str
    ended: Ended


@record
class Notice:
    """Something that the user should know."""

    text: str


News = Progress | Begun | Disagreement | Finished | Notice
Step = Progress | Drawn | Disagreement | Notice
"""What whoever watches a run is told."""


def execute(task: Task, sandbox: Sandbox, tell: Callable[[News], None]) -> None:
    """Run one bug, or a part of it, to its end; all that is learnt on the way is stored at once."""
    number = task.part.number if task.part else 0
    begin: Callable[[str], None] = lambda name: tell(Begun(bug_id=task.bug.id, part=number, candidate_id=name))  # noqa: E731
    with Judge(task, sandbox, begin=begin, warn=tell) as judge:
        if task.part:
            ended = _judge_part(task, judge, tell)
        else:
            with open_repairer(task, lambda text: tell(Notice(text=text))) as repairer:
                ended = _repair(task, repairer, judge, tell)
    tell(Finished(bug_id=task.bug.id, ended=ended))


def _repair(task: Task, repairer: Repairer, judge: Judge, tell: Callable[[News], None]) -> Ended:
    """Draw and judge one candidate after the other, and return why no more were drawn."""
    experiment = task.experiment
    problem = shown(task.bug.problem, experiment.visibility)
    history: tuple[Attempt, ...] = ()
    rank = 0
    for _ in range(experiment.rounds):  # 1, unless the repair is a conversation
        for proposed in repairer.propose(problem, history):
            rank += 1
            candidate, _ = _stored(task, proposed, rank)
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
    with open_repairer(task, lambda text: None) as repairer:  # noqa: ARG005  # only models have something to say
        drawn = draw_all(task, repairer)
    tell(Finished(bug_id=task.bug.id, ended=drawn.part.ended if drawn.part else "exhausted"))


def draw_all(task: Task, repairer: Repairer) -> Task:
    """Draw and store all candidates of a bug; returns the task to judge them."""
    n, places = task.experiment.n, dict[int, int]()
    problem = shown(task.bug.problem, task.experiment.visibility)
    if len(task.candidates) == n:  # drawn by an earlier start of the run
        places = dict(task.candidates)
    for proposed in repairer.propose(problem, ()) if not places else ():
        rank = len(places) + 1
        _, places[rank] = _stored(task, proposed, rank)
        if rank == n:
            break
    part = Part(number=0, ranks=tuple(places), ended="asked" if len(places) == n else "exhausted")
    return dataclasses.replace(task, given=None, examples=(), candidates=places, part=part)  # workers need no examples any more


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


def _stored(task: Task, proposed: Candidate, rank: int) -> tuple[Candidate, int]:
    """Return the candidate that an earlier start of the run stored at this rank, else store the proposed one; with its place."""
    store = Store(task.folder)
    if rank in task.candidates:
        return store.at(Candidate, task.candidates[rank]), task.candidates[rank]
    candidate = dataclasses.replace(proposed, rank=rank)
    return candidate, store.append(candidate)
