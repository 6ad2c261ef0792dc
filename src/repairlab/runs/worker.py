"""What a worker of a run does: propose the candidates of a bug, or judge a shard of them; all that comes of it is emitted.

Where a candidate depends on the outcomes of those before it (a conversation, a stop at the first fix), it is judged as soon as it
is proposed, by the same worker. Workers read and write no records of a run.
"""

import dataclasses
import time
from collections.abc import Callable, Iterator, Mapping
from contextlib import ExitStack, contextmanager

from repairlab.core.candidate import Candidate
from repairlab.core.outcome import Outcome, Verdict
from repairlab.core.problem import shown
from repairlab.core.record import record
from repairlab.core.score import Ended
from repairlab.runs.loop import repair
from repairlab.runs.repairing import open_repairer
from repairlab.runs.store import Disagreement, decoded, encoded
from repairlab.runs.task import Task, WorkLoad
from repairlab.sandbox.sandbox import Sandbox
from repairlab.validation.stopwatch import STOPWATCH, Phase
from repairlab.validation.validator import BugError, BugValidator


@record
class Progress:
    """One step of a run, for whoever watches."""

    bug_id: str
    verdict: Verdict | None
    """None: the bug is finished."""


@record
class Proposed:
    """A candidate is proposed."""

    bug_id: str
    candidate_id: str
    rank: int
    form: str
    """The digest of its normal form; empty where nobody else is to judge it."""
    body: bytes
    """The candidate as it is encoded; empty when it is stored already."""


@record
class Begun:
    """A validation begins: should the worker die now, this candidate is under suspicion."""

    bug_id: str
    candidate_id: str


@record
class Judged:
    """One candidate has its outcome."""

    bug_id: str
    candidate_id: str
    verdict: Verdict
    message: str
    seconds: float
    """How long that took in the worker."""
    body: bytes
    """The outcome as it is encoded; empty when it is stored already."""


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
        self._validator: BugValidator | None = None
        self._open = ExitStack()
        self._outcomes: dict[str, bytes] = {}
        """Those of the work at hand, by candidate id, as they are encoded."""
        self._twins: dict[str, bytes] = {}
        """Those that decide all candidates of a form."""
        self._given_up: dict[str, str] = {}

    def __call__(self, load: WorkLoad) -> None:
        """Propose the candidates of a bug, or judge a shard; all that is learnt on the way is emitted at once."""
        STOPWATCH.restart()
        work = load.work
        task = work if isinstance(work, Task) else work.task
        if task is not None:
            self._turn_to(task)
        assert self._task is not None
        self._given_up |= work.given_up
        try:
            if isinstance(work, Task):
                self._outcomes = {name: load.outcomes[place] for name, place in work.outcomes.items() if place in load.outcomes}
                self._twins = {}
                self._propose(work, load)
            else:
                self._outcomes = {}
                self._twins = {form: load.outcomes[place] for form, place in work.twins.items()}
                for entry in work.entries:
                    self._judge(load.candidate(entry.place), entry.form)
        except BugError as error:
            self._emit(Failed(bug_id=self._task.bug.id, reason=str(error)))
        self._emit(WorkerTime(bug_id=self._task.bug.id, seconds=STOPWATCH.taken()))

    def close(self) -> None:
        """Close the bug that is open."""
        self._open.close()
        self._task = self._validator = None

    def _turn_to(self, task: Task) -> None:
        self.close()
        self._given_up = {}
        validator = BugValidator(
            task.conditions,
            self._sandbox,
            task.machine.verdict_cache,
            begin=lambda name: self._emit(Begun(bug_id=task.bug.id, candidate_id=name)),
            disagree=self._disagree,
        )
        self._validator = self._open.enter_context(validator)
        self._task = task

    def _propose(self, task: Task, load: WorkLoad) -> None:
        assert self._validator is not None

        def store(candidate: Candidate) -> Candidate:
            place = task.candidates.get(candidate.rank)
            kept = candidate if place is None else load.candidate(place)
            body = encoded(kept) if place is None else b""
            form = "" if task.is_sequential else self._form(kept)
            self._emit(Proposed(bug_id=task.bug.id, candidate_id=kept.id, rank=kept.rank, form=form, body=body))
            return kept

        if task.ended is not None:
            for rank in sorted(task.candidates):
                store(load.candidate(task.candidates[rank]))
            ended = task.ended
        else:
            judge: Callable[[Candidate], Outcome | None] = self._judge if task.is_sequential else lambda candidate: None  # noqa: ARG005
            notify: Callable[[str], None] = lambda text: self._emit(Notice(text=text))  # noqa: E731
            earlier = [load.candidate(task.candidates[rank]) for rank in sorted(task.candidates)]
            with open_repairer(task, notify, self._sandbox, earlier) as repairer:
                problem = shown(task.bug.problem, task.experiment.visibility)
                ended = repair(problem, repairer, task.experiment, store=store, judge=judge)
        self._emit(ProposalsEnded(bug_id=task.bug.id, ended=ended))

    def _judge(self, candidate: Candidate, form: str | None = None) -> Outcome:
        """Emit the outcome of a candidate: stored in this run, that of a twin, of an earlier run, or by validating it."""
        assert self._task is not None and self._validator is not None
        start, name = time.monotonic(), candidate.id
        form = form or self._form(candidate)
        if name in self._outcomes:
            outcome, body = decoded(Outcome, self._outcomes[name]), b""
        else:
            if form in self._twins:
                twin = decoded(Outcome, self._twins[form])
                outcome = dataclasses.replace(twin, candidate_id=name, equivalent_to=twin.equivalent_to or twin.candidate_id)
            elif name in self._given_up:
                outcome = self._task.conditions.undecided(candidate, self._given_up[name])
            else:
                outcome = self._validator.judge(candidate, name, form)
            with STOPWATCH.phase("store"):
                self._outcomes[name] = body = encoded(outcome)
        if outcome.verdict is not Verdict.UNDECIDED:
            self._twins.setdefault(form, self._outcomes[name])
        judged = Judged(
            bug_id=self._task.bug.id,
            candidate_id=name,
            verdict=outcome.verdict,
            message=outcome.message if outcome.verdict is Verdict.UNDECIDED else "",
            seconds=time.monotonic() - start,
            body=body,
        )
        self._emit(judged)
        self._validator.probe()
        return outcome

    def _form(self, candidate: Candidate) -> str:
        assert self._validator is not None
        return self._validator.form(candidate, candidate.id)

    def _disagree(self, earlier: Outcome, now: Outcome) -> None:
        self._emit(Disagreement(bug_id=now.bug_id, candidate_id=earlier.candidate_id, cached=earlier.verdict, now=now.verdict))


@contextmanager
def open_worker(sandbox: Sandbox, emit: Emit) -> Iterator[RunWorker]:
    """Give what a worker of a run does with each item."""
    opened = RunWorker(sandbox, emit)
    try:
        yield opened
    finally:
        opened.close()
