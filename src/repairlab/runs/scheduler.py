"""Hand the rest of a run out to the pool: bugs to propose candidates for, and shards of candidates to judge.

A worker stays with its open bug; without work there it begins another bug, the slowest first, or helps where most is left. When a
worker dies, its shard is handed out again; a candidate over which several workers died is given up as UNDECIDED.
"""

import dataclasses
import time
from collections import deque
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import ExitStack
from functools import partial

from repairlab.core.amounts import count
from repairlab.core.candidate import Candidate
from repairlab.core.outcome import Outcome, Verdict
from repairlab.core.record import record
from repairlab.languages.facts import facts
from repairlab.repairers.repairer import Repairer
from repairlab.runs.executors.executor import DEATHS, Deaths, Executor, Source
from repairlab.runs.first_starts import FirstStarts
from repairlab.runs.messages import (
    BugFailed,
    CandidateProposed,
    Drawn,
    Entry,
    Event,
    Notice,
    Order,
    OutcomeKnown,
    Progress,
    ProposalsEnded,
    Step,
    Task,
    ValidationStarted,
)
from repairlab.runs.repairing import draws_ahead, n_at_once, open_repairer
from repairlab.runs.sampler import Sampler, sample
from repairlab.runs.sharding import Backlog
from repairlab.runs.store import BugEnd, Disagreement, Store
from repairlab.runs.transfer import Dispatch, open_distant_worker
from repairlab.runs.worker import open_worker
from repairlab.validation.cache import open_verdict_cache
from repairlab.validation.validator import INTERNAL

SHARD_S = 0.3
"""Target size of a shard: many times the cost of handing one out, and little to wait for at the end of a run."""
FAR_SHARD_S = 1.0
"""The same for workers on other machines."""
SMALLEST_SHARD_S = 0.05
"""The same when little is left, so that all workers end at the same time."""
_LOOK_AGAIN_S = 0.1
"""How long to wait before looking again for a bug that one more worker should open."""


@record
class Stored:
    """What a run's files hold of some bugs: positions of candidates by bug and rank, of outcomes by bug and candidate id."""

    candidates: Mapping[str, Mapping[int, int]]
    outcomes: Mapping[str, Mapping[str, int]]


class Scheduler(Source[Order]):
    """Brings the tasks of a run to their end; the pool asks it for work."""

    def __init__(
        self, store: Store, step: Callable[[Step], None], first_starts: FirstStarts, *, given_up: Mapping[str, str]
    ) -> None:
        """Take the run's files, the receiver of steps, the watch over the first bugs, and candidates given up before."""
        self._store, self._step, self._first_starts = store, step, first_starts
        self._unstarted: deque[Task] = deque()
        self._sampled: Iterator[Task | None] = iter(())
        """Bugs whose candidates a model proposes here; None: it has not finished."""
        self._sampling = False
        self._backlogs: dict[str, Backlog] = {}
        """Bugs that are begun and not finished."""
        self._at_work: dict[int, Order] = {}
        """By worker, like the following."""
        self._holds: dict[int, str] = {}
        """The bug that is open."""
        self._begun: dict[int, str] = {}
        """The candidate whose validation began."""
        self._deaths = Deaths()
        self._workers, self._shard_s = 1, SHARD_S
        self._nothing_until = 0.0
        """Until when no other bug is worth opening for one more worker, unless something happens."""
        self.given_up = dict(given_up)
        """Candidates over which too many workers died, with the reason."""
        self.failed: dict[str, str] = {}
        """Bugs that could not be finished, with the reason."""
        self.internal_errors: dict[str, str] = {}
        """Candidates that made our own code fail, with the message."""
        self.n_undecided = 0

    def run(self, tasks: Sequence[Task], executor: Executor) -> None:
        """Do all tasks; each is a whole bug."""
        self._workers, self._shard_s = executor.workers, FAR_SHARD_S if executor.is_remote else SHARD_S
        with ExitStack() as stack:
            sampler = None
            if draws_ahead(tasks[0].experiment):
                repairer = stack.enter_context(open_repairer(tasks[0], lambda text: self._step(Notice(text=text))))
                threads = n_at_once(tasks[0].experiment, tasks[0].machine)
                sampler = stack.enter_context(
                    Sampler(
                        tasks,
                        partial(self._draw, repairer),
                        threads=threads,
                        may_begin=lambda: self._first_starts.may_begin,
                    )
                )
                self._sampled, self._sampling = sampler.tasks(), True
            else:
                self._unstarted.extend(sorted(tasks, key=_expected_cost, reverse=True))
            wakeup = sampler.wakeup if sampler else None
            if executor.is_remote:
                verdicts = stack.enter_context(open_verdict_cache(tasks[0].machine.verdict_cache))
                dispatch = Dispatch(self, self._receive, verdicts)
                executor.run(open_distant_worker, dispatch, dispatch.receive, wakeup=wakeup)
            else:
                executor.run(open_worker, self, self._receive, wakeup=wakeup)
        if sampler and sampler.ended_by:
            raise sampler.ended_by

    def take(self, worker: int) -> Order | None:
        """Return a worker's next order, with the records it needs; None: nothing for now."""
        order = self._next(worker)
        if order is None:
            return None
        self._at_work[worker] = order
        candidates, outcomes = [entry.place for entry in order.entries], list(order.decided.values())
        if order.task is not None and order.proposes:
            candidates = list(order.task.candidates.values())
            outcomes = list(order.task.outcomes.values()) if order.task.is_sequential else []
        store = self._store
        return dataclasses.replace(
            order, candidates=store.bodies_at(Candidate, candidates), outcomes=store.bodies_at(Outcome, outcomes)
        )

    def is_over(self) -> bool:
        """Return whether all work is finished or in progress."""
        self._take_sampled()
        # Bugs in progress may still allow more to begin; what is sampled is judged in any case.
        has_unstarted = bool(self._unstarted) and (self._may_start or bool(self._at_work))
        return not has_unstarted and not self._sampling and not any(log.is_ready for log in self._backlogs.values())

    def finish(self, worker: int) -> None:
        """Note that a worker finished its order."""
        self._nothing_until = 0.0
        order = self._at_work.pop(worker)
        self._begun.pop(worker, None)
        if not order.proposes and (backlog := self._backlogs.get(order.bug_id)):
            backlog.put_back(order, {})
            self._end_if_done(backlog)

    def lose(self, worker: int, reason: str, *, machine: str | None = None) -> None:
        """Note that a worker died, and hand out its order again with everything stored by now."""
        self._nothing_until = 0.0
        order = self._at_work.pop(worker)
        bug_id = order.bug_id
        suspect = self._begun.pop(worker, None)
        self._holds.pop(worker, None)
        backlog = self._backlogs.get(bug_id)
        if backlog is None:
            return  # it has failed meanwhile
        backlog.forget(worker)
        stored = read_stored(self._store, {bug_id}, self.given_up)
        candidates, outcomes = stored.candidates[bug_id], stored.outcomes[bug_id]
        # Deaths between two validations are no candidate's fault, and count only as long as nothing gets done.
        is_suspect = suspect is not None and suspect not in outcomes
        cause = suspect if is_suspect and suspect else f"{count(len(candidates), 'candidate')}, {len(outcomes)} outcomes"
        is_last = self._deaths.add((bug_id, cause), machine) >= DEATHS
        if is_last and not is_suspect:
            self._fail(bug_id, f"{reason}, {DEATHS} times")
            return
        if is_last:
            self.given_up[cause] = f"{reason}, {DEATHS} times over this candidate"
        if order.proposes and order.task is not None:
            again = dataclasses.replace(order.task, candidates=candidates, outcomes=outcomes, given_up=dict(self.given_up))
            self._unstarted.appendleft(again)
            return
        names = {entry.candidate_id for entry in order.entries} & outcomes.keys()
        known = {name: (outcomes[name], self._store.at(Outcome, outcomes[name]).verdict) for name in names}
        for verdict, n in backlog.put_back(order, known):
            self._count(bug_id, verdict, n)
        self._end_if_done(backlog)

    def _next(self, worker: int) -> Order | None:
        held = self._backlogs.get(self._holds.get(worker, ""))
        if held is not None and held.is_ready:
            return self._cut(held, worker)
        self._take_sampled()
        if self._unstarted and self._may_start:
            task = self._unstarted.popleft()
            backlog = self._turn(worker, self._backlogs.setdefault(task.bug_id, Backlog(task)))
            backlog.task = task
            backlog.hold(worker)
            return Order(bug_id=task.bug_id, task=task)
        if time.monotonic() < self._nothing_until:
            return None  # another idle worker found that out a moment ago: otherwise a thousand workers would each look at all bugs
        worth = [log for log in self._backlogs.values() if log.is_worth_opening()]
        if not worth:
            self._nothing_until = time.monotonic() + _LOOK_AGAIN_S
            return None
        return self._cut(max(worth, key=lambda log: log.remaining_s / (len(log.holders) + 1)), worker)

    def _cut(self, backlog: Backlog, worker: int) -> Order:
        seconds = self._shard_s
        if not self._unstarted and not self._sampling:  # else plenty is left
            left_s = sum(log.remaining_s for log in self._backlogs.values())
            seconds = min(seconds, max(SMALLEST_SHARD_S, left_s / (3 * self._workers)))
        return self._turn(worker, backlog).cut(worker, seconds, self.given_up)

    def _turn(self, worker: int, backlog: Backlog) -> Backlog:
        """Note that a worker closes its open bug and opens this one."""
        bug_id = backlog.task.bug_id
        if (before := self._holds.get(worker)) != bug_id and before in self._backlogs:
            self._backlogs[before].forget(worker)
        self._holds[worker] = bug_id
        return backlog

    def _draw(self, repairer: Repairer, task: Task) -> Task:
        """Have all candidates of a bug proposed, in a thread of the sampler."""
        drawn = sample(task, repairer)
        self._first_starts.take(drawn.bug_id)
        return drawn

    @property
    def _may_start(self) -> bool:
        """Whether the next waiting bug may be given to a worker."""
        return self._unstarted[0].ended is not None or self._first_starts.may_begin

    def _take_sampled(self) -> None:
        """Take the bugs for which a model has proposed candidates by now."""
        while self._sampling:
            try:
                task = next(self._sampled)
            except StopIteration:
                self._sampling = False
                return
            if task is None:
                return
            self._step(Drawn(bug_id=task.bug_id, n=len(task.candidates)))
            self._unstarted.append(task)

    def _receive(self, event: Event, worker: int) -> None:
        self._nothing_until = 0.0
        match event:
            case ValidationStarted():
                self._begun[worker] = event.candidate_id
                if backlog := self._backlogs.get(event.bug_id):
                    backlog.begin(worker)
            case OutcomeKnown():
                self._store_outcome(event, worker)
            case BugFailed():
                self._fail(event.bug_id, event.reason)
            case CandidateProposed():
                self._store_candidate(event)
            case ProposalsEnded():
                if backlog := self._backlogs.get(event.bug_id):  # else it has failed meanwhile
                    self._end_proposals(event, backlog)
            case Disagreement():
                self._store.append(event)
                self._step(event)
            case _:
                self._step(event)

    def _store_candidate(self, event: CandidateProposed) -> None:
        place = self._store.append_body(Candidate, event.body) if event.body else None
        backlog = self._backlogs.get(event.bug_id)
        if backlog is None or backlog.task.is_sequential:
            return
        place = backlog.task.candidates[event.rank] if place is None else place
        outcome_place = backlog.task.outcomes.get(event.candidate_id)
        known = None if outcome_place is None else (outcome_place, self._store.at(Outcome, outcome_place).verdict)
        verdict = backlog.add(Entry(candidate_id=event.candidate_id, place=place, form=event.form), known=known)
        if verdict is not None:
            self._count(event.bug_id, verdict, 1)

    def _end_proposals(self, event: ProposalsEnded, backlog: Backlog) -> None:
        backlog.ended = event.ended
        self._first_starts.take(event.bug_id)
        # Workers no longer need what candidates are made from.
        backlog.task = dataclasses.replace(backlog.task, own=None, given=None, examples=(), candidates={}, outcomes={}, given_up={})
        self._end_if_done(backlog)

    def _store_outcome(self, event: OutcomeKnown, worker: int) -> None:
        self._begun.pop(worker, None)
        place = self._store.append_body(Outcome, event.body) if event.body else None
        backlog = self._backlogs.get(event.bug_id)
        if event.message.startswith(INTERNAL):
            self.internal_errors[event.candidate_id] = f"bug {event.bug_id}, candidate {event.candidate_id}: {event.message}"
        n_ranks = 1 if backlog is None or backlog.task.is_sequential or place is None else backlog.judge(event, place, worker)
        self._count(event.bug_id, event.verdict, n_ranks)

    def _count(self, bug_id: str, verdict: Verdict, n: int) -> None:
        self.n_undecided += verdict is Verdict.UNDECIDED
        for _ in range(n):
            self._step(Progress(bug_id=bug_id, verdict=verdict))

    def _end_if_done(self, backlog: Backlog) -> None:
        if backlog.is_done and backlog.ended is not None:
            bug_id = backlog.task.bug_id
            del self._backlogs[bug_id]
            self._first_starts.end(BugEnd(bug_id=bug_id, ended=backlog.ended))
            self._step(Progress(bug_id=bug_id, verdict=None))

    def _fail(self, bug_id: str, reason: str) -> None:
        """Leave a bug unfinished; each reason is reported once, however many bugs have it."""
        if self._backlogs.pop(bug_id, None) is None:
            return
        if reason not in self.failed.values():
            self._step(Notice(text=f"bug {bug_id} is left undone: {reason}"))
        self.failed[bug_id] = reason


def read_stored(store: Store, bug_ids: set[str], given_up: Mapping[str, str]) -> Stored:
    """Look up what is stored of bugs; UNDECIDED outcomes do not count unless their candidate was given up."""
    candidates: dict[str, dict[int, int]] = {bug_id: {} for bug_id in bug_ids}
    outcomes: dict[str, dict[str, int]] = {bug_id: {} for bug_id in bug_ids}
    for place, data in store.scan_data(Candidate):
        if data["bug_id"] in bug_ids:
            candidates[data["bug_id"]][data["rank"]] = place
    for place, data in store.scan_data(Outcome):
        if data["bug_id"] in bug_ids and (data["verdict"] != Verdict.UNDECIDED or data["candidate_id"] in given_up):
            outcomes[data["bug_id"]][data["candidate_id"]] = place
    return Stored(candidates=candidates, outcomes=outcomes)


def _expected_cost(task: Task) -> tuple[int, float]:
    """Return the key for comparing bugs before anything of them has run: how they are built, and a test's time limit."""
    bug = task.bug
    return facts(bug.problem.language).tools.get(bug.oracle.build.tool, 0), bug.oracle.limits.cpu_s
