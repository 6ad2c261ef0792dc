"""Give every candidate of one bug its outcome, validating each distinct one once. Called by `execute`."""

import dataclasses
from collections.abc import Callable, Mapping
from contextlib import ExitStack
from types import TracebackType
from typing import Self

from repairlab.core.bug import Bug
from repairlab.core.candidate import Candidate
from repairlab.core.errors import HarnessError, UserError
from repairlab.core.outcome import Outcome, Verdict
from repairlab.core.record import digest
from repairlab.runs.store import Disagreement, Store
from repairlab.runs.task import Task
from repairlab.runs.verdicts import Verdicts, engine_digest, open_verdicts
from repairlab.sandbox.sandbox import Sandbox
from repairlab.validation.apply import normal_digest
from repairlab.validation.validate import Workbench, workbench


class Judge:
    """Finds the outcome of a candidate: stored in this run, that of a twin, of an earlier run, or by validating it.

    It remembers places in the run's files and no outcomes, so that it does not grow with what it has seen.
    """

    def __init__(self, task: Task, sandbox: Sandbox, *, begin: Callable[[str], None], warn: Callable[[Disagreement], None]) -> None:
        """Take what to call when a validation begins, and when a verdict of an earlier run did not come out again."""
        self._task, self._sandbox, self._begin, self._warn = task, sandbox, begin, warn
        self._store = Store(task.folder)
        self._stack = ExitStack()
        self._bench: Workbench | None = None
        experiment = task.experiment
        self._conditions = digest(task.bug.digest, task.tools, experiment.policy, experiment.confirm, task.machine.isolation)
        self._by_id = dict(task.outcomes)
        self._by_form: dict[str, int] = {}

    def __enter__(self) -> Self:
        self._verdicts = self._stack.enter_context(open_verdicts(self._task.machine))
        part = self._task.part
        self._forms = Forms(self._task.bug, self._verdicts, known=dict(zip(part.ranks, part.forms, strict=False)) if part else {})
        for rank in part.ranks if part else sorted(self._task.candidates):
            candidate = self._store.at(Candidate, self._task.candidates[rank])
            if candidate.id in self._by_id:
                self._by_form.setdefault(self._forms.of(candidate, candidate.id), self._by_id[candidate.id])
        return self

    def __exit__(self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None) -> None:
        self._stack.close()

    def __call__(self, candidate: Candidate) -> Outcome:
        """Return the outcome of a candidate, which is stored by then."""
        name = candidate.id
        if name in self._by_id:
            return self._store.at(Outcome, self._by_id[name])
        form = self._forms.of(candidate, name)
        if form in self._by_form:
            twin = self._store.at(Outcome, self._by_form[form])
            outcome = dataclasses.replace(twin, candidate_id=name, equivalent_to=twin.equivalent_to or twin.candidate_id)
        elif name in self._task.given_up:
            outcome = self._undecided(candidate, self._task.given_up[name])
        else:
            outcome = self._decide(candidate, name, f"{self._conditions}-{form}")
        place = self._store.append(outcome)
        self._by_id[name] = place
        if outcome.verdict is not Verdict.UNDECIDED:
            self._by_form[form] = place
        return outcome

    def _decide(self, candidate: Candidate, name: str, key: str) -> Outcome:
        """Take the verdict of an earlier run, or validate; a share of the former is validated all the same, and must agree."""
        known = self._verdicts.get(key) if self._verdicts is not None else None
        if known is not None and not _is_sampled(key, self._task.machine.recheck):
            return dataclasses.replace(known, candidate_id=name, cached=True, environment=self._task.environment)
        outcome = self._validate(candidate, name)
        if self._verdicts is None:
            return outcome
        if known is None or outcome.verdict is Verdict.UNDECIDED:
            self._verdicts.put(key, outcome)
        elif known.verdict is not outcome.verdict:
            self._verdicts.remove(key)
            found = Disagreement(bug_id=outcome.bug_id, candidate_id=name, cached=known.verdict, now=outcome.verdict)
            self._store.append(found)
            self._warn(found)
        return outcome

    def _validate(self, candidate: Candidate, name: str) -> Outcome:
        task = self._task
        warm = task.machine.isolation == "warm"
        if self._bench is None:
            self._bench = self._stack.enter_context(workbench(task.bug, self._sandbox, warm=warm))
        self._begin(name)
        outcome = self._bench.validate(candidate, policy=task.experiment.policy, confirm=task.experiment.confirm)
        isolation = f"{self._sandbox.name}/{task.machine.isolation}"
        return dataclasses.replace(outcome, environment=task.environment, isolation=isolation)

    def _undecided(self, candidate: Candidate, reason: str) -> Outcome:
        """Return the outcome of a candidate over which workers died."""
        oracle = self._task.bug.oracle
        return Outcome(
            candidate_id=candidate.id,
            bug_id=self._task.bug.id,
            verdict=Verdict.UNDECIDED,
            stage="apply",
            policy=self._task.experiment.policy,
            message=reason,
            n_tests=len(oracle.cases) + len(oracle.trigger) + len(oracle.regression),
            environment=self._task.environment,
        )


class Forms:
    """Normal forms of one bug's candidates: equal for those that differ only in comments and white space."""

    def __init__(self, bug: Bug, verdicts: Verdicts | None, *, known: Mapping[int, str] | None = None) -> None:
        """Take what remembers forms between runs, and those that are known already, by rank."""
        self._bug, self._verdicts, self._known = bug, verdicts, known or {}
        self._conditions = digest(engine_digest(), bug.digest)

    def of(self, candidate: Candidate, name: str) -> str:
        """Return the digest of a candidate's normal form; `name` is the candidate's id, which costs time to compute."""
        if candidate.rank in self._known:
            return self._known[candidate.rank]
        raw = f"{self._conditions}-{name}"
        form = self._verdicts.form(raw) if self._verdicts else None
        if form is None:
            try:
                form = normal_digest(candidate, self._bug)
            except (UserError, HarnessError):
                form = name
            if self._verdicts:
                self._verdicts.put_form(raw, form)
        return form


def _is_sampled(key: str, one_in: int) -> bool:
    return one_in > 0 and int(key[:8], 16) % one_in == 0
