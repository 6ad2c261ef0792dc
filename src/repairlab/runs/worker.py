"""What a worker of a run does: propose the candidates of a bug, or judge some of them, and emit all results.

Where a candidate depends on the outcomes of earlier ones (a conversation, a stop at the first fix), the same worker judges it as
soon as it is proposed. Workers read and write no records of a run.
"""

import dataclasses
import time
from collections.abc import Mapping
from contextlib import AbstractContextManager, ExitStack, closing

from repairlab.core.candidate import Candidate
from repairlab.core.outcome import Outcome, Verdict
from repairlab.runs.loop import repair
from repairlab.runs.messages import (
    BugFailed,
    CandidateProposed,
    Emit,
    Notice,
    Order,
    OutcomeKnown,
    ProposalsEnded,
    Task,
    ValidationStarted,
    WorkerTime,
)
from repairlab.runs.repairing import open_repairer
from repairlab.runs.store import Disagreement, decoded, encoded
from repairlab.runs.suspects import seen_problem
from repairlab.sandbox.sandbox import Sandbox
from repairlab.validation.stopwatch import STOPWATCH
from repairlab.validation.validator import BugError, BugValidator


class RunWorker:
    """Does the orders of one worker process; the last bug stays open for orders to come."""

    def __init__(self, sandbox: Sandbox, emit: Emit) -> None:
        self._sandbox, self._emit = sandbox, emit
        # Of the open bug
        self._task: Task | None = None
        self._validator: BugValidator | None = None
        self._open = ExitStack()
        self._given_up: dict[str, str] = {}
        """Candidates over which too many workers died, with the reason."""
        # Of the current order: encoded outcomes
        self._outcomes: dict[str, bytes] = {}
        """By candidate id."""
        self._decided: dict[str, bytes] = {}
        """By normal form; each decides all candidates of that form."""

    def __call__(self, order: Order) -> None:
        """Do an order, emitting everything learnt on the way at once."""
        STOPWATCH.restart()
        if order.task is not None:
            self._turn_to(order.task)
        assert self._task is not None
        task = self._task
        self._given_up |= order.given_up
        try:
            if order.proposes:
                self._outcomes = {name: order.outcomes[place] for name, place in task.outcomes.items() if place in order.outcomes}
                self._decided = {}
                self._propose(task, {rank: order.candidates[place] for rank, place in task.candidates.items()})
            else:
                self._outcomes = {}
                self._decided = {form: order.outcomes[place] for form, place in order.decided.items()}
                for entry in order.entries:
                    self._judge(decoded(Candidate, order.candidates[entry.place]), entry.form)
        except BugError as error:
            self._emit(BugFailed(bug_id=order.bug_id, reason=str(error)))
        self._emit(WorkerTime(bug_id=order.bug_id, seconds=STOPWATCH.taken()))

    def close(self) -> None:
        """Close the open bug."""
        self._open.close()
        self._task = self._validator = None

    def _turn_to(self, task: Task) -> None:
        """Open this bug instead of the open one."""
        self.close()
        self._given_up = dict(task.given_up)
        validator = BugValidator(
            task.conditions,
            self._sandbox,
            task.machine.verdict_cache,
            begin=lambda name: self._emit(ValidationStarted(bug_id=task.bug_id, candidate_id=name)),
            disagree=self._disagree,
        )
        self._validator = self._open.enter_context(validator)
        self._task = task

    def _propose(self, task: Task, stored: Mapping[int, bytes]) -> None:
        """Propose the candidates of a bug, except stored ones, by rank."""

        def store(candidate: Candidate) -> Candidate:
            with STOPWATCH.phase("other"):
                is_new = candidate.rank not in stored
                kept = candidate if is_new else decoded(Candidate, stored[candidate.rank])
                body = encoded(kept) if is_new else b""
                form = "" if task.is_sequential else self._form(kept)
                self._emit(CandidateProposed(bug_id=task.bug_id, candidate_id=kept.id, rank=kept.rank, form=form, body=body))
            return kept

        def judge(candidate: Candidate) -> Outcome | None:
            with STOPWATCH.phase("other"):
                return self._judge(candidate) if task.is_sequential else None

        earlier = [decoded(Candidate, stored[rank]) for rank in sorted(stored)]
        if task.ended is not None:
            for candidate in earlier:
                store(candidate)
            ended = task.ended
        else:
            with open_repairer(task, lambda text: self._emit(Notice(text=text)), self._sandbox, earlier) as repairer:
                problem = seen_problem(task.bug, task.experiment.visibility, task.spectrum)
                with STOPWATCH.phase("propose"):  # the time spent on each candidate counts for itself
                    ended = repair(problem, repairer, task.experiment, store=store, judge=judge)
        self._emit(ProposalsEnded(bug_id=task.bug_id, ended=ended))

    def _judge(self, candidate: Candidate, form: str | None = None) -> Outcome:
        """Emit the outcome of a candidate: this run's, an equal candidate's, an earlier run's, or a new one."""
        assert self._task is not None and self._validator is not None
        start, name = time.monotonic(), candidate.id
        form = form or self._form(candidate)
        if name in self._outcomes:
            outcome, body = decoded(Outcome, self._outcomes[name]), b""
        else:
            if form in self._decided:
                equal = decoded(Outcome, self._decided[form])
                outcome = dataclasses.replace(equal, candidate_id=name, equivalent_to=equal.equivalent_to or equal.candidate_id)
            elif name in self._given_up:
                outcome = self._task.conditions.undecided(candidate, self._given_up[name])
            else:
                outcome = self._validator.judge(candidate, name, form)
            with STOPWATCH.phase("store"):
                self._outcomes[name] = body = encoded(outcome)
        if outcome.verdict is not Verdict.UNDECIDED:
            self._decided.setdefault(form, self._outcomes[name])
        judged = OutcomeKnown(
            bug_id=self._task.bug_id,
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


def open_worker(sandbox: Sandbox, emit: Emit) -> AbstractContextManager[RunWorker]:
    """Give a function that does the orders in a worker process."""
    return closing(RunWorker(sandbox, emit))
