"""The line as code: propose candidates, judge shards of them, store all at once. `schedule` hands the work out, workers do it.

Where a candidate depends on the outcomes of those before it (a conversation, a stop at the first fix), it is judged as soon as it
is proposed, by the same worker.
"""

import dataclasses
from collections.abc import Callable, Iterator, Mapping
from contextlib import ExitStack, contextmanager

from repairlab.core.candidate import Attempt, Candidate
from repairlab.core.outcome import Outcome, Verdict
from repairlab.core.problem import shown
from repairlab.core.record import record
from repairlab.core.samples import Ended
from repairlab.repairers.repairer import Repairer
from repairlab.runs.feedback import feedback
from repairlab.runs.judge import Judge, Judged
from repairlab.runs.repairing import open_repairer
from repairlab.runs.store import Disagreement, Store
from repairlab.runs.task import Entry, Shard, Task
from repairlab.sandbox.sandbox import Sandbox
from repairlab.validation.stopwatch import STOPWATCH, Phase
from repairlab.validation.validator import BugError


@record
class Progress:
    """One step of a run, for whoever watches."""

    bug_id: str
    verdict: Verdict | None
    """None: the bug is finished."""


@record
class Proposed:
    """A candidate is stored and can be judged."""

    bug_id: str
    entry: Entry


@record
class Begun:
    """A validation begins: should the worker die now, this candidate is under suspicion."""

    bug_id: str
    candidate_id: str


@record
class Drawn:
    """All candidates of a bug are drawn and wait to be judged."""

    bug_id: str
    n: int


@record
class ProposalsEnded:
    """No more candidates of a bug are to come."""

    bug_id: str
    ended: Ended


@record
class Failed:
    """Our own machinery fails for every candidate of a bug; what is left of it stays undone."""

    bug_id: str
    reason: str


@record
class WorkerTime:
    """Where the time of a worker went while it did one item."""

    bug_id: str
    seconds: Mapping[Phase, float]


@record
class Notice:
    """Something that the user should know."""

    text: str


Event = Proposed | Begun | Judged | ProposalsEnded | Failed | Disagreement | Notice | WorkerTime
"""What a worker emits."""
Emit = Callable[[Event], None]
Step = Progress | Drawn | Disagreement | Notice | WorkerTime
"""What whoever watches a run is told."""


class RunWorker:
    """Does the work of one worker process; the bug that it worked on last stays open, for the shards to come."""

    def __init__(self, sandbox: Sandbox, emit: Emit) -> None:
        self._sandbox, self._emit = sandbox, emit
        self._task: Task | None = None
        self._judge: Judge | None = None
        self._open = ExitStack()

    def __call__(self, item: Task | Shard) -> None:
        """Propose the candidates of a bug, or judge a shard; all that is learnt on the way is stored at once."""
        STOPWATCH.restart()
        task = item if isinstance(item, Task) else item.task
        if task is not None:
            self._turn_to(task)
        assert self._task is not None and self._judge is not None
        try:
            if isinstance(item, Task):
                self._propose(item, self._judge)
            else:
                self._judge_shard(item, self._task, self._judge)
        except BugError as error:
            self._emit(Failed(bug_id=self._task.bug.id, reason=str(error)))
        self._emit(WorkerTime(bug_id=self._task.bug.id, seconds=STOPWATCH.taken()))

    def close(self) -> None:
        """Close the bug that is open."""
        self._open.close()
        self._task = self._judge = None

    def _turn_to(self, task: Task) -> None:
        self.close()
        begin: Callable[[str], None] = lambda name: self._emit(Begun(bug_id=task.bug.id, candidate_id=name))  # noqa: E731
        self._judge = self._open.enter_context(Judge(task, self._sandbox, begin=begin, warn=self._emit))
        self._task = task

    def _propose(self, task: Task, judge: Judge) -> None:
        def receive(candidate: Candidate, place: int) -> Outcome | None:
            if not task.is_sequential:
                entry = Entry(candidate_id=candidate.id, place=place, form=judge.form(candidate))
                self._emit(Proposed(bug_id=task.bug.id, entry=entry))
                return None
            outcome, judged = judge(candidate)
            self._emit(judged)
            judge.probe()
            return outcome

        if task.ended is not None:
            for rank in sorted(task.candidates):
                receive(Store(task.folder).at(Candidate, task.candidates[rank]), task.candidates[rank])
            ended = task.ended
        else:
            with open_repairer(task, lambda text: self._emit(Notice(text=text)), self._sandbox) as repairer:
                ended = propose(task, repairer, receive)
        self._emit(ProposalsEnded(bug_id=task.bug.id, ended=ended))

    def _judge_shard(self, shard: Shard, task: Task, judge: Judge) -> None:
        judge.learn(twins=dict(shard.twins), given_up=dict(shard.given_up))
        store = Store(task.folder)
        for entry in shard.entries:
            _, judged = judge(store.at(Candidate, entry.place), form=entry.form)
            self._emit(judged)
            judge.probe()


@contextmanager
def open_worker(sandbox: Sandbox, emit: Emit) -> Iterator[RunWorker]:
    """Give what a worker of a run does with each item."""
    opened = RunWorker(sandbox, emit)
    try:
        yield opened
    finally:
        opened.close()


def propose(task: Task, repairer: Repairer, receive: Callable[[Candidate, int], Outcome | None]) -> Ended:
    """Draw and store the candidates of a bug, hand each over with its place, and return why no more were drawn.

    `receive` returns the outcomes on which further candidates depend, if they do.
    """
    experiment = task.experiment
    problem = shown(task.bug.problem, experiment.visibility)
    history: tuple[Attempt, ...] = ()
    rank = 0
    for _ in range(experiment.rounds):  # 1, unless the repair is a conversation
        for proposed in STOPWATCH.each("propose", repairer.propose(problem, history)):
            rank += 1
            candidate, place = _stored(task, proposed, rank)
            outcome = receive(candidate, place)
            if outcome is not None and experiment.rounds > 1:
                history += (Attempt(candidate=candidate, feedback=feedback(outcome, experiment.feedback)),)
            if outcome is not None and experiment.stop_when_fixed and outcome.verdict is Verdict.PLAUSIBLE:
                return "solved"
            if rank == experiment.n:
                return "asked"
    return "exhausted"


def sample(task: Task, repairer: Repairer) -> Task:
    """Draw and store all candidates of a bug; returns the task to judge them."""
    places = dict(task.candidates)
    ended: Ended = "asked"
    if len(places) < task.experiment.n:  # else an earlier start of the run drew them
        places.clear()
        ended = propose(task, repairer, lambda candidate, place: places.update({candidate.rank: place}))
    return dataclasses.replace(task, given=None, examples=(), candidates=places, ended=ended)  # workers need no examples any more


def _stored(task: Task, proposed: Candidate, rank: int) -> tuple[Candidate, int]:
    """Return the candidate that an earlier start of the run stored at this rank, else store the proposed one; with its place."""
    store = Store(task.folder)
    if rank in task.candidates:
        return store.at(Candidate, task.candidates[rank]), task.candidates[rank]
    candidate = dataclasses.replace(proposed, rank=rank)
    with STOPWATCH.phase("store"):
        return candidate, store.append(candidate)
