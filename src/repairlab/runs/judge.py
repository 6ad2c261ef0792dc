"""Give candidates of one bug their outcomes, validating each distinct one once."""

import dataclasses
import time
from collections.abc import Callable
from types import TracebackType
from typing import Self

from repairlab.core.candidate import Candidate
from repairlab.core.outcome import Outcome, Verdict
from repairlab.core.record import record
from repairlab.runs.store import Disagreement, Store
from repairlab.runs.task import Task
from repairlab.sandbox.sandbox import Sandbox
from repairlab.validation.stopwatch import STOPWATCH
from repairlab.validation.validator import BugValidator, Conditions


@record
class Judged:
    """One candidate has its outcome, which is stored."""

    bug_id: str
    candidate_id: str
    verdict: Verdict
    message: str
    place: int
    seconds: float
    """How long that took in the worker."""


def conditions_of(task: Task) -> Conditions:
    """Return all that decides the verdicts on candidates of a task."""
    return Conditions(
        bug=task.bug,
        isolation=task.machine.isolation,
        recheck=task.machine.recheck,
        environment=task.environment,
        tools=task.tools,
        policy=task.experiment.policy,
        confirm=task.experiment.confirm,
    )


class Judge:
    """Finds the outcome of a candidate: stored in this run, that of a twin, of an earlier run, or by validating it.

    It remembers places in the run's files and no outcomes, so that it does not grow with what it has seen.
    """

    def __init__(self, task: Task, sandbox: Sandbox, *, begin: Callable[[str], None], warn: Callable[[Disagreement], None]) -> None:
        """Take what to call when a validation begins, and when a verdict of an earlier run did not come out again."""
        self._warn = warn
        self._store = Store(task.folder)
        self._conditions = conditions_of(task)
        self._validator = BugValidator(self._conditions, sandbox, task.machine.verdict_cache, begin=begin, disagree=self._disagree)
        self._by_id = dict(task.outcomes)
        self._by_form: dict[str, int] = {}
        self._given_up = dict(task.given_up)

    def __enter__(self) -> Self:
        self._validator.__enter__()
        return self

    def __exit__(self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None) -> None:
        self._validator.__exit__(kind, error, trace)

    def learn(self, *, twins: dict[str, int], given_up: dict[str, str]) -> None:
        """Take note of what others found out: outcomes by form, and candidates that are given up."""
        self._by_form |= twins
        self._given_up |= given_up

    def form(self, candidate: Candidate) -> str:
        """Return the digest of a candidate's normal form."""
        return self._validator.form(candidate, candidate.id)

    def __call__(self, candidate: Candidate, *, form: str | None = None) -> tuple[Outcome, Judged]:
        """Return the outcome of a candidate, which is stored by then; raises BugError when nothing of the bug can be decided."""
        start, name = time.monotonic(), candidate.id
        form = form or self._validator.form(candidate, name)
        if name in self._by_id:
            outcome = self._store.at(Outcome, self._by_id[name])
        else:
            outcome = self._outcome(candidate, name, form)
            with STOPWATCH.phase("store"):
                self._by_id[name] = self._store.append(outcome)
        if outcome.verdict is not Verdict.UNDECIDED:
            self._by_form.setdefault(form, self._by_id[name])
        judged = Judged(
            bug_id=self._conditions.bug.id,
            candidate_id=name,
            verdict=outcome.verdict,
            message=outcome.message if outcome.verdict is Verdict.UNDECIDED else "",
            place=self._by_id[name],
            seconds=time.monotonic() - start,
        )
        return outcome, judged

    def probe(self) -> None:
        """Raise BugError when so many candidates are UNDECIDED that the bug itself is suspect, and its unchanged tree is, too."""
        self._validator.probe()

    def _outcome(self, candidate: Candidate, name: str, form: str) -> Outcome:
        if form in self._by_form:
            twin = self._store.at(Outcome, self._by_form[form])
            return dataclasses.replace(twin, candidate_id=name, equivalent_to=twin.equivalent_to or twin.candidate_id)
        if name in self._given_up:
            return self._conditions.undecided(candidate, self._given_up[name])
        return self._validator.judge(candidate, name, form)

    def _disagree(self, earlier: Outcome, now: Outcome) -> None:
        found = Disagreement(bug_id=now.bug_id, candidate_id=earlier.candidate_id, cached=earlier.verdict, now=now.verdict)
        self._store.append(found)
        self._warn(found)
