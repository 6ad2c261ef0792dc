"""Find the verdict on one candidate after the other: in the cache of earlier runs, or by validating.

This is also the net under the engine: whatever is raised while one candidate is normalised or validated, bugs of ours included,
leaves that candidate UNDECIDED and nothing else.
"""

import dataclasses
import traceback
from collections.abc import Callable, Iterator
from contextlib import ExitStack, contextmanager, suppress
from types import TracebackType
from typing import Self

from repairlab.core.bug import Bug
from repairlab.core.candidate import Candidate
from repairlab.core.errors import HarnessError, UserError
from repairlab.core.outcome import Outcome, Policy, Verdict
from repairlab.core.record import digest, record
from repairlab.sandbox.sandbox import Sandbox
from repairlab.validation.apply import normal_digest
from repairlab.validation.cache import VerdictCache, engine_digest, open_verdict_cache
from repairlab.validation.machine import Machine
from repairlab.validation.validator import BugValidator, open_validator

INTERNAL = "internal error: "
"""How the message of an outcome begins that a bug of ours left UNDECIDED; its evidence is the traceback."""
_EVIDENCE_CHARS = 4000
_MESSAGE_CHARS = 500


@record
class Conditions:
    """All that decides the verdict on a candidate of one bug, and how it is found."""

    bug: Bug
    machine: Machine
    environment: str
    """Digest of all tools of the run, for outcomes."""
    tools: str
    """Digest of the tools that can change a verdict on this bug, for the verdict cache."""
    policy: Policy = "first-failure"
    confirm: int = 0

    @property
    def key(self) -> str:
        """What verdicts of earlier runs must have been made under to count."""
        return digest(self.bug.digest, self.tools, self.policy, self.confirm, self.machine.isolation)


class Decider:
    """Decides candidates of one bug, which stays open between them."""

    def __init__(
        self,
        conditions: Conditions,
        sandbox: Sandbox,
        *,
        begin: Callable[[str], None] = lambda name: None,  # noqa: ARG005
        disagree: Callable[[Outcome, Outcome], None] = lambda earlier, now: None,  # noqa: ARG005
    ) -> None:
        """Take what to call when a validation begins, and when a verdict of an earlier run did not come out again."""
        self._conditions, self._sandbox, self._begin, self._disagree = conditions, sandbox, begin, disagree
        self._key = conditions.key
        self._stack, self._validator_stack = ExitStack(), ExitStack()
        self._validator: BugValidator | None = None
        self.n_undecided = 0
        self.has_decided = False
        """Whether any candidate was decided that was built and run."""

    def __enter__(self) -> Self:
        self._verdicts = self._stack.enter_context(open_verdict_cache(self._conditions.machine.verdict_cache))
        self._forms = Forms(self._conditions.bug, self._verdicts)
        return self

    def __exit__(self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None) -> None:
        self._close_validator()
        self._stack.close()

    def form(self, candidate: Candidate, name: str) -> str:
        """Return the digest of a candidate's normal form; `name` is the candidate's id, which costs time to compute."""
        return self._forms.of(candidate, name)

    def remember(self, key: str, text: str) -> None:
        """Keep what the reader of something found, beside the verdicts, for whoever asks again."""
        if self._verdicts is not None:
            self._verdicts.put_form(key, text)

    def decide(self, candidate: Candidate, name: str, form: str) -> Outcome:
        """Take the verdict of an earlier run, or validate; a share of the former is validated all the same, and must agree."""
        key = f"{self._key}-{form}"
        known = self._verdicts.get(key) if self._verdicts is not None else None
        if known is not None and not is_sampled(key, self._conditions.machine.recheck):
            return dataclasses.replace(known, candidate_id=name, cached=True, environment=self._conditions.environment)
        self._begin(name)
        outcome = self.validate(candidate)
        if outcome.verdict is Verdict.UNDECIDED:
            self.n_undecided += 1
        elif outcome.verdict is not Verdict.UNAPPLICABLE:  # which says nothing about sandbox and tools
            self.has_decided = True
        if self._verdicts is None:
            return outcome
        if known is None or outcome.verdict is Verdict.UNDECIDED:
            self._verdicts.put(key, outcome)
        elif known.verdict is not outcome.verdict:
            self._verdicts.remove(key)
            self._disagree(dataclasses.replace(known, candidate_id=name), outcome)
        return outcome

    def validate(self, candidate: Candidate) -> Outcome:
        """Validate a candidate; an exception, whichever it is, is about this one alone, and the next gets a new place."""
        given = self._conditions
        try:
            if self._validator is None:
                opened = open_validator(given.bug, self._sandbox, warm=given.machine.isolation == "warm")
                self._validator = self._validator_stack.enter_context(opened)
            outcome = self._validator.validate(candidate, policy=given.policy, confirm=given.confirm)
        except MemoryError:
            raise  # the worker's end, not the candidate's
        except Exception as error:
            trace = traceback.format_exc()[-_EVIDENCE_CHARS:]
            outcome = undecided(given, candidate, f"{INTERNAL}{type(error).__name__}: {error}"[:_MESSAGE_CHARS], evidence=trace)
            self._close_validator()
        isolation = f"{self._sandbox.name}/{given.machine.isolation}"
        return dataclasses.replace(outcome, environment=given.environment, isolation=isolation)

    def _close_validator(self) -> None:
        self._validator = None
        with suppress(Exception):  # what it leaves behind lies in the run's temporary folder
            self._validator_stack.close()


@contextmanager
def open_decider(
    conditions: Conditions, sandbox: Sandbox, emit: Callable[[Outcome], None]
) -> Iterator[Callable[[Candidate], None]]:
    """Give what decides one candidate after the other in a worker; before an outcome, an earlier one that disagrees is emitted."""
    with Decider(conditions, sandbox, disagree=lambda earlier, now: emit(earlier)) as decider:  # noqa: ARG005

        def decide(candidate: Candidate) -> None:
            name = candidate.id
            emit(decider.decide(candidate, name, decider.form(candidate, name)))

        yield decide


def undecided(conditions: Conditions, candidate: Candidate, reason: str, *, evidence: str = "") -> Outcome:
    """Return the outcome of a candidate on which we failed."""
    oracle = conditions.bug.oracle
    return Outcome(
        candidate_id=candidate.id,
        bug_id=conditions.bug.id,
        verdict=Verdict.UNDECIDED,
        stage="apply",
        policy=conditions.policy,
        message=reason,
        n_tests=len(oracle.cases) + len(oracle.trigger) + len(oracle.regression),
        environment=conditions.environment,
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
