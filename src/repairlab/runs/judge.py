"""Give candidates of one bug their outcomes, validating each distinct one once. Called by `execute`.

This is also the net under the engine: whatever is raised while one candidate is normalised or validated, bugs of ours included,
leaves that candidate UNDECIDED and nothing else.
"""

import dataclasses
import time
import traceback
from collections.abc import Callable
from contextlib import ExitStack, suppress
from types import TracebackType
from typing import Self

from repairlab.core.bug import Bug
from repairlab.core.candidate import Candidate, Origin
from repairlab.core.errors import HarnessError, UserError
from repairlab.core.outcome import Outcome, Verdict
from repairlab.core.record import digest, record
from repairlab.runs.store import Disagreement, Store
from repairlab.runs.task import Task
from repairlab.sandbox.sandbox import Sandbox
from repairlab.validation.apply import normal_digest
from repairlab.validation.cache import VerdictCache, engine_digest, open_verdict_cache
from repairlab.validation.validator import BugValidator, open_validator

PROBE_AFTER = 5
"""After so many candidates that are UNDECIDED, while none of the bug was decided, its unchanged tree is tried."""
INTERNAL = "internal error: "
"""How the message of an outcome begins that a bug of ours left UNDECIDED; its evidence is the traceback."""
_EVIDENCE_CHARS = 4000
_MESSAGE_CHARS = 500


class BugError(HarnessError):
    """Our own machinery fails for every candidate of a bug."""


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


class Judge:
    """Finds the outcome of a candidate: stored in this run, that of a twin, of an earlier run, or by validating it.

    It remembers places in the run's files and no outcomes, so that it does not grow with what it has seen.
    """

    def __init__(self, task: Task, sandbox: Sandbox, *, begin: Callable[[str], None], warn: Callable[[Disagreement], None]) -> None:
        """Take what to call when a validation begins, and when a verdict of an earlier run did not come out again."""
        self._task, self._sandbox, self._begin, self._warn = task, sandbox, begin, warn
        self._store = Store(task.folder)
        self._stack, self._bench_stack = ExitStack(), ExitStack()
        self._bench: BugValidator | None = None
        experiment = task.experiment
        self._conditions = digest(task.bug.digest, task.tools, experiment.policy, experiment.confirm, task.machine.isolation)
        self._by_id = dict(task.outcomes)
        self._by_form: dict[str, int] = {}
        self._given_up = dict(task.given_up)
        self._n_undecided, self._probe_at = 0, PROBE_AFTER
        self._works = False

    def __enter__(self) -> Self:
        self._verdicts = self._stack.enter_context(open_verdict_cache(self._task.machine.verdict_cache))
        self._forms = Forms(self._task.bug, self._verdicts)
        return self

    def __exit__(self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None) -> None:
        self._close_bench()
        self._stack.close()

    def learn(self, *, twins: dict[str, int], given_up: dict[str, str]) -> None:
        """Take note of what others found out: outcomes by form, and candidates that are given up."""
        self._by_form |= twins
        self._given_up |= given_up

    def form(self, candidate: Candidate) -> str:
        """Return the digest of a candidate's normal form."""
        return self._forms.of(candidate, candidate.id)

    def __call__(self, candidate: Candidate, *, form: str | None = None) -> tuple[Outcome, Judged]:
        """Return the outcome of a candidate, which is stored by then; raises BugError when nothing of the bug can be decided."""
        start, name = time.monotonic(), candidate.id
        form = form or self._forms.of(candidate, name)
        if name in self._by_id:
            outcome = self._store.at(Outcome, self._by_id[name])
        else:
            outcome = self._outcome(candidate, name, form)
            self._by_id[name] = self._store.append(outcome)
        if outcome.verdict is not Verdict.UNDECIDED:
            self._by_form.setdefault(form, self._by_id[name])
        judged = Judged(
            bug_id=self._task.bug.id,
            candidate_id=name,
            verdict=outcome.verdict,
            message=outcome.message if outcome.verdict is Verdict.UNDECIDED else "",
            place=self._by_id[name],
            seconds=time.monotonic() - start,
        )
        return outcome, judged

    def probe(self) -> None:
        """Raise BugError when so many candidates are UNDECIDED that the bug itself is suspect, and its unchanged tree is, too."""
        if self._works or self._n_undecided < self._probe_at:
            return
        self._probe_at *= 2
        unchanged = Candidate(bug_id=self._task.bug.id, edits=(), rank=1, origin=Origin(repairer="copy"))
        outcome = self._validated(unchanged)
        if outcome.verdict is Verdict.UNDECIDED:
            raise BugError(outcome.message)
        self._works = True

    def _outcome(self, candidate: Candidate, name: str, form: str) -> Outcome:
        if form in self._by_form:
            twin = self._store.at(Outcome, self._by_form[form])
            return dataclasses.replace(twin, candidate_id=name, equivalent_to=twin.equivalent_to or twin.candidate_id)
        if name in self._given_up:
            return self._undecided(candidate, self._given_up[name])
        return self._decide(candidate, name, f"{self._conditions}-{form}")

    def _decide(self, candidate: Candidate, name: str, key: str) -> Outcome:
        """Take the verdict of an earlier run, or validate; a share of the former is validated all the same, and must agree."""
        known = self._verdicts.get(key) if self._verdicts is not None else None
        if known is not None and not is_sampled(key, self._task.machine.recheck):
            return dataclasses.replace(known, candidate_id=name, cached=True, environment=self._task.environment)
        self._begin(name)
        outcome = self._validated(candidate)
        if outcome.verdict is Verdict.UNDECIDED:
            self._n_undecided += 1
        elif outcome.verdict is not Verdict.UNAPPLICABLE:  # which says nothing about sandbox and tools
            self._works = True
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

    def _validated(self, candidate: Candidate) -> Outcome:
        """Validate a candidate; an exception, whichever it is, is about this one alone, and the next gets a new place."""
        task = self._task
        try:
            if self._bench is None:
                opened = open_validator(task.bug, self._sandbox, warm=task.machine.isolation == "warm")
                self._bench = self._bench_stack.enter_context(opened)
            outcome = self._bench.validate(candidate, policy=task.experiment.policy, confirm=task.experiment.confirm)
        except MemoryError:
            raise  # the worker's end, not the candidate's
        except Exception as error:
            trace = traceback.format_exc()[-_EVIDENCE_CHARS:]
            outcome = self._undecided(candidate, f"{INTERNAL}{type(error).__name__}: {error}"[:_MESSAGE_CHARS], evidence=trace)
            self._close_bench()
        isolation = f"{self._sandbox.name}/{task.machine.isolation}"
        return dataclasses.replace(outcome, environment=task.environment, isolation=isolation)

    def _close_bench(self) -> None:
        self._bench = None
        with suppress(Exception):  # what it leaves behind lies in the run's temporary folder
            self._bench_stack.close()

    def _undecided(self, candidate: Candidate, reason: str, *, evidence: str = "") -> Outcome:
        """Return the outcome of a candidate on which we failed."""
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
            evidence=evidence,
        )


class Forms:
    """Normal forms of one bug's candidates: equal for those that differ only in comments and white space."""

    def __init__(self, bug: Bug, verdicts: VerdictCache | None) -> None:
        """Take what remembers forms between runs."""
        self._bug, self._verdicts = bug, verdicts
        self._conditions = digest(engine_digest(), bug.digest)

    def of(self, candidate: Candidate, name: str) -> str:
        """Return the digest of a candidate's normal form; `name` is the candidate's id, which costs time to compute."""
        raw = f"{self._conditions}-{name}"
        form = self._verdicts.form(raw) if self._verdicts else None
        if form is None:
            try:
                form = normal_digest(candidate, self._bug)
            except (UserError, HarnessError):
                form = name
            except MemoryError:
                raise
            except Exception:  # a bug of ours, which must cost no more than a duplicate that is validated twice
                return name
            if self._verdicts:
                self._verdicts.put_form(raw, form)
        return form


def is_sampled(key: str, one_in: int) -> bool:
    """Return whether a verdict of an earlier run is made again; every part of its key counts, the candidate's form above all."""
    return one_in > 0 and int(digest(key), 16) % one_in == 0
