"""The judge of one bug: an earlier run's verdict if there is one, else that of the engines.

An exception while a candidate is normalised or validated, even from a bug of ours, leaves that candidate UNDECIDED and nothing
else.
"""

import dataclasses
import traceback
from collections.abc import Callable, Mapping
from contextlib import ExitStack, suppress
from pathlib import Path
from types import TracebackType
from typing import Self

from repairlab.core.bug import Bug
from repairlab.core.candidate import Candidate
from repairlab.core.errors import HarnessError, UserError
from repairlab.core.outcome import Outcome, Policy, Strength, Verdict
from repairlab.core.record import digest, record
from repairlab.sandbox.sandbox import Sandbox
from repairlab.validation.apply import changed_files, normal_digest, rough_form
from repairlab.validation.cache import engine_digest, open_verdict_cache, verdict_key
from repairlab.validation.counter_tests import CounterTests
from repairlab.validation.engines import Engines, TwinOf, outcome_of
from repairlab.validation.guards import PassGuard
from repairlab.validation.luck import Luck
from repairlab.validation.machine import Isolation
from repairlab.validation.tree_tester import Judgement

INTERNAL = "internal error: "
"""How the message of an outcome begins that a bug of ours left UNDECIDED; its evidence is the traceback."""
PROBE_AFTER = 5
"""After this many UNDECIDED candidates, with none of the bug decided, its unchanged tree is tried."""
_EVIDENCE_CHARS = 4000
_MESSAGE_CHARS = 500


class BugError(HarnessError):
    """Our own machinery fails for every candidate of a bug."""


@record
class Conditions:
    """Everything that decides the verdicts on candidates of one bug."""

    bug: Bug
    policy: Policy = "first-failure"
    confirm: int = 0
    """How often a failing test is repeated, alone, before it counts."""
    min_strength: Strength = "unchecked"
    """A weaker pass is UNDECIDED; verdicts are kept as they were found."""
    isolation: Isolation = "warm"
    blind: bool = True
    """Whether passes are tested by blind tests if there are any, or only by counter-tests."""
    environment: str = ""
    """Digest of all tools of the run, for outcomes."""
    tools: str = ""
    """Digest of the tools that can change a verdict on this bug, for the verdict cache."""
    recheck: int = 0
    """One in this many earlier verdicts is reached again and must agree; 0: none."""

    @property
    def key(self) -> str:
        """The conditions under which an earlier verdict counts."""
        return digest(self.bug.digest, self.tools, self.policy, self.confirm, self.isolation, self.blind)

    def undecided(self, candidate: Candidate, reason: str, *, evidence: str = "") -> Outcome:
        """Return the outcome of a candidate when we failed."""
        return self.not_run(candidate, Verdict.UNDECIDED, reason, evidence=evidence)

    def not_run(self, candidate: Candidate, verdict: Verdict, message: str, *, evidence: str = "") -> Outcome:
        """Return the outcome of a candidate that was not run."""
        return Outcome(
            candidate_id=candidate.id,
            bug_id=self.bug.id,
            verdict=verdict,
            stage="apply",
            policy=self.policy,
            message=message,
            n_tests=self.bug.n_tests,
            environment=self.environment,
            evidence=evidence,
        )


def validate(candidate: Candidate, bug: Bug, sandbox: Sandbox, *, policy: Policy = "first-failure", confirm: int = 0) -> Outcome:
    """Return the verdict on one candidate, built and run from scratch; our own failures are tried twice, then UNDECIDED."""
    with BugValidator(Conditions(bug=bug, policy=policy, confirm=confirm, isolation="process"), sandbox) as validator:
        return validator.validate(candidate)


class BugValidator:
    """Judges candidates of one bug, which stays open between them."""

    def __init__(
        self,
        conditions: Conditions,
        sandbox: Sandbox,
        cache: Path | None = None,
        *,
        begin: Callable[[str], None] = lambda name: None,  # noqa: ARG005
        disagree: Callable[[Outcome, Outcome], None] = lambda earlier, now: None,  # noqa: ARG005
        twin: TwinOf | None = None,
    ) -> None:
        """Take the folder of the verdict cache, if earlier verdicts count.

        `begin` is called with a candidate's id when its validation begins, `disagree` when an earlier verdict could not be
        repeated. In a `twin` of another bug a pass is believed.
        """
        self._conditions, self._sandbox, self._twin = conditions, sandbox, twin
        self._cache, self._begin, self._disagree = cache, begin, disagree
        # Without a cache nobody needs keys, and a tree that changed meanwhile has none.
        self._key = conditions.key if cache else ""
        self._forms = digest(engine_digest(), conditions.bug.digest) if cache else ""
        self._open_cache, self._open_engines = ExitStack(), ExitStack()
        self._opened: PassGuard | None = None
        """Examines passes, using the engines; None before the first candidate and after an exception."""
        self._named: list[tuple[str | None, str, Candidate]] = []
        """Candidates with their rough forms and names, if no cache needs more."""
        self._digests: dict[str, str] = {}
        """Of normal forms, by names of candidates."""
        self._probe_at = PROBE_AFTER
        self.n_undecided = 0
        self.has_decided = False
        """Whether any candidate was built, run and decided."""

    def __enter__(self) -> Self:
        self._verdicts = self._open_cache.enter_context(open_verdict_cache(self._cache))
        return self

    def __exit__(self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None) -> None:
        self._close_engines()
        self._open_cache.close()

    @property
    def counter_tests(self) -> CounterTests:
        """The counter-tests of the bug."""
        return self._guard().counter_tests()

    @property
    def luck(self) -> Luck:
        """Repeats passes of the bug in other surroundings."""
        return self._guard().luck

    def form(self, candidate: Candidate, name: str) -> str:
        """Return the digest of a candidate's normal form, equal for candidates that differ only in comments and white space.

        `name` is the candidate's id, which takes time to compute. Without a cache, whose keys outlive this object, the first
        candidate of a normal form lends its name to all.
        """
        if self._verdicts is None:
            return self._name_of_first(candidate, name)
        raw = f"{self._forms}-{name}"
        form = self._verdicts.form(raw)
        if form is None:
            try:
                form = normal_digest(candidate, self._conditions.bug)
            except (UserError, HarnessError):
                form = name
            except MemoryError:
                raise
            except Exception:  # a bug of ours, which must cost no more than a duplicate that is validated twice
                return name
            self.remember(raw, form)
        return form

    def _name_of_first(self, candidate: Candidate, name: str) -> str:
        """Return the name of the first candidate with this one's normal form; only similar texts are compared closely."""
        bug = self._conditions.bug
        try:
            rough = rough_form(changed_files(candidate, bug), bug.problem.language)
            self._named.append((rough, name, candidate))
            similar = [(known, other) for form, known, other in self._named if rough is None or form is None or form == rough]
            for known, other in similar if len(similar) > 1 else ():
                if known not in self._digests:
                    self._digests[known] = normal_digest(other, bug)
            own = self._digests.get(name)
            return next(known for known, _ in similar if self._digests.get(known) == own)
        except MemoryError:
            raise
        except Exception:  # as above; and what does not apply is like no other
            return name

    def remember(self, key: str, text: str) -> None:
        """Keep a text beside the verdicts, under a key; without a cache nothing is kept."""
        if self._verdicts is not None:
            self._verdicts.put_form(key, text)

    def judge(self, candidate: Candidate, name: str, form: str) -> Outcome:
        """Take an earlier verdict, or validate; a share of the former is validated anyway and must agree."""
        return self._judged(candidate, name, form).at_least(self._conditions.min_strength)

    def _judged(self, candidate: Candidate, name: str, form: str) -> Outcome:
        key = verdict_key(self._key, form)
        known = self._verdicts.get(key) if self._verdicts is not None else None
        if known is not None and not is_sampled(key, self._conditions.recheck):
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

    def validate(self, candidate: Candidate, *, policy: Policy | None = None) -> Outcome:
        """Validate a candidate, whatever earlier runs found; after an exception the next one gets new engines."""
        given = self._conditions if policy is None else dataclasses.replace(self._conditions, policy=policy)
        try:
            outcome = self._validated(candidate, given)
        except MemoryError:
            raise  # the worker's end, not the candidate's
        except Exception as error:
            trace = traceback.format_exc()[-_EVIDENCE_CHARS:]
            outcome = given.undecided(candidate, f"{INTERNAL}{type(error).__name__}: {error}"[:_MESSAGE_CHARS], evidence=trace)
            self._close_engines()
        isolation = f"{self._sandbox.name}/{given.isolation}"
        return dataclasses.replace(outcome, environment=given.environment, isolation=isolation)

    def probe(self) -> None:
        """Raise BugError if so many candidates are UNDECIDED that the bug itself is suspect, and its unchanged tree is, too."""
        if self.has_decided or self.n_undecided < self._probe_at:
            return
        self._probe_at *= 2
        outcome = self.validate(self._conditions.bug.unpatched)
        if outcome.verdict is Verdict.UNDECIDED:
            raise BugError(outcome.message)
        self.has_decided = True

    def _validated(self, candidate: Candidate, given: Conditions) -> Outcome:
        """Ask the engines; after a failure of our own, build from scratch."""
        try:
            changed, engines = changed_files(candidate, given.bug), self._guard().engines
            try:
                return self._believed(candidate, changed, given, engines.judge(changed, given.policy, confirm=given.confirm))
            except HarnessError:
                fresh = engines.judge_fresh(changed, given.policy, confirm=given.confirm)
                return self._believed(candidate, changed, given, fresh)
        except UserError as error:
            return given.not_run(candidate, Verdict.UNAPPLICABLE, str(error)[:_MESSAGE_CHARS])
        except HarnessError as error:
            return given.undecided(candidate, str(error)[:_MESSAGE_CHARS])

    def _believed(
        self, candidate: Candidate, changed: Mapping[str, str | None], given: Conditions, judgement: Judgement
    ) -> Outcome:
        """Return the outcome of a judgement, unless a pass turns out not to be one."""
        guard, log = self._guard(), judgement.log
        guard.require_checker(log.checker_failures)
        outcome = outcome_of(judgement, candidate, given.bug, given.policy)
        if outcome.verdict is not Verdict.PLAUSIBLE or self._twin:
            return outcome
        found = guard.examine(candidate, changed, given.policy, given.confirm, log.changed)
        if not found.problem:
            return dataclasses.replace(outcome, guard=found.note, strength=found.strength)
        return dataclasses.replace(outcome, verdict=Verdict.WRONG, message=found.problem[:_MESSAGE_CHARS], guard=found.note)

    def _guard(self) -> PassGuard:
        """Return what examines passes; engines are opened with it."""
        if self._opened is None:
            warm = self._conditions.isolation == "warm"
            engines = self._open_engines.enter_context(Engines(self._conditions.bug, self._sandbox, warm=warm, twin=self._twin))
            self._opened = PassGuard(
                engines,
                lambda bug, texts: self._open_twin(bug, TwinOf(engines=engines, texts=texts)),
                blind=self._conditions.blind,
            )
        return self._opened

    def _open_twin(self, bug: Bug, twin: TwinOf) -> "BugValidator":
        isolation: Isolation = "warm" if twin.engines.shares else "process"
        return BugValidator(Conditions(bug=bug, isolation=isolation), self._sandbox, twin=twin)

    def _close_engines(self) -> None:
        self._opened = None
        with suppress(Exception):  # what it leaves behind lies in the run's temporary folder
            self._open_engines.close()


def is_sampled(key: str, one_in: int) -> bool:
    """Return whether an earlier verdict is reached again; every part of its key counts, above all the candidate's form."""
    return one_in > 0 and int(digest(key), 16) % one_in == 0
