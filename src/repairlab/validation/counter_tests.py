"""Counter-tests: a pass counts when the same candidate fails the same tests after they were changed so that it must.

Twins of a bug's tree get test files with harmless additions. In one of the two,
drawn for each test by itself, one thing in the test makes an honest candidate fail: the literal of an equality, the sense of an
assertion, or an added assertion that is false. Nothing tells in which. What the reference fix was not seen to pass in one and to
fail in the other is not used.
"""

import dataclasses
import random
import re
import secrets
from collections.abc import Callable, Mapping, Sequence
from contextlib import AbstractContextManager, ExitStack
from pathlib import Path
from typing import Protocol

from repairlab.core.bug import Bug
from repairlab.core.candidate import Candidate
from repairlab.core.errors import HarnessError
from repairlab.core.outcome import Outcome, Policy, Strength, TestResult, TestVerdict, Verdict
from repairlab.core.record import digest, record
from repairlab.languages.counter import Change
from repairlab.languages.language import default_cache
from repairlab.validation.apply import lay_out_twin
from repairlab.validation.cache import engine_digest, keep_record, kept_record
from repairlab.validation.test_mutants import REGRESSION_TESTS, Draft, Key, met_by_failures

ROUNDS = 3
"""How often changes are redrawn before tests that pass all of them are left alone."""
_ADDRESS = re.compile(r"0x[0-9a-fA-F]+")
PLANS = 3
"""How many plans a machine keeps for a bug, to draw from."""


class Validating(Protocol):
    """What validates candidates of one bug."""

    def validate(self, candidate: Candidate, *, policy: Policy | None = None) -> Outcome:
        """Return the verdict on one candidate."""
        ...


@record
class Twin:
    """Test files, and the results of an honest candidate."""

    texts: dict[str, str]
    due: dict[str, TestVerdict]


@record
class CounterPlan:
    """The two twins of a bug and their expected results."""

    seed: int
    twins: tuple[Twin, ...]
    tests: tuple[str, ...]
    """The tests that run in both."""
    failing: tuple[str, ...]
    """Those that an honest candidate must fail in one of them."""


@record
class Examination:
    """What counter-tests showed about a candidate that passed all tests."""

    problem: str = ""
    """What the candidate did; empty if nothing."""
    note: str = ""
    """How far this can be relied on."""
    strength: Strength = "unchecked"


class CounterTests:
    """The twins of one bug: made when a candidate first passes its tests, and kept for later ones."""

    def __init__(
        self,
        bug: Bug,
        folder: Callable[[], Path],
        validator: Callable[[Bug, Mapping[str, str]], AbstractContextManager[Validating]],
        attempt: Callable[[Bug, Mapping[str, str], Candidate], Outcome | None],
    ) -> None:
        """Take what makes an empty folder for a tree, what opens a validator for a twin, and a short cut.

        The short cut is for tests that the reference fix runs once: it gives their results where the bug's own tests run.
        """
        self._bug = bug
        self._folder = folder
        self._validator = validator
        self._attempt = attempt
        self._plan: CounterPlan | None = None
        self._made = False
        self._twins: dict[str, tuple[Validating, ExitStack]] = {}

    def close(self) -> None:
        """Close the validators of the twins."""
        self._keep_open()

    def plan(self) -> CounterPlan | None:
        """Return the plan in use; None if no test can be changed so that the reference fix fails it."""
        if not self._made:
            self._made = True
            kept = _kept_plans(self._bug)
            self._plan = secrets.choice(kept) if len(kept) >= PLANS else self._new_plan()
            if self._plan and len(kept) < PLANS:
                keep_record(_plans(self._bug) / f"{self._plan.seed}.json", self._plan)
        return self._plan

    def unguarded(self) -> tuple[str, ...]:
        """Return the tests of the bug that could not be changed so that the reference fix fails them."""
        tests = (*self._bug.oracle.trigger, *self._bug.oracle.regression)
        plan = self._new_plan(regression_tests=None) if tests else None
        self._keep_open()
        return tuple(test for test in tests if plan is None or test not in plan.failing)

    @property
    def strength(self) -> Strength:
        """The strength of a pass that they let through: `checked` if each trigger test has one."""
        plan = self.plan()
        return "checked" if plan and set(self._bug.oracle.trigger) <= set(plan.failing) else "unchecked"

    def examine(self, candidate: Candidate) -> Examination:
        """Examine a candidate that passed all tests; HarnessError if that cannot be done."""
        plan = self.plan()
        if plan is None:
            return Examination(note="unguarded: no test of this bug could be changed so that the reference fix fails it")
        problem, is_sure = self._problem(candidate, plan)
        if problem and not is_sure:
            problem, _ = self._problem(candidate, plan)
        note = f"{len(plan.failing)} of {len(plan.tests)} counter-tests failed as they must, seed {plan.seed}"
        return Examination(problem=problem, note=note, strength=self.strength)

    def _problem(self, candidate: Candidate, plan: CounterPlan) -> tuple[str, bool]:
        """Report a wrong result in the first twin that has one, and whether once is enough.

        A failing test may be the machine's fault; a pass of a test that must fail can only be the candidate's.
        """
        for twin in plan.twins:
            outcome = self._run(twin.texts, candidate, plan.tests)
            seen = {test.id: test for test in outcome.tests}
            odd = [test for test, due in twin.due.items() if _verdict(seen, test) is not due]
            passed = [test for test in odd if _verdict(seen, test) is TestVerdict.PASSED]
            changed = [test for test in odd if twin.due[test] is not TestVerdict.PASSED]
            if passed:
                return f"tampering: {passed[0]} still passes after it was changed so that it must fail", True
            if odd and not seen:
                return f"tampering: {outcome.verdict} once the tests were changed: {outcome.message}", False
            if changed:
                verdict, due = _verdict(seen, changed[0]) or "not reported", twin.due[changed[0]]
                return f"tampering: {changed[0]} is {verdict} after it was changed so that it must be {due}", False
            if odd:
                return f"tampering: {odd[0]} fails after a change of its file that means nothing", False
        return "", False

    def _run(self, texts: Mapping[str, str], candidate: Candidate, tests: Sequence[str]) -> Outcome:
        """Return a candidate's results in a twin; HarnessError if they could not be found out."""
        name = digest(dict(texts))
        if name not in self._twins:
            with ExitStack() as stack:
                validator = stack.enter_context(
                    self._validator(lay_out_twin(self._with_tests(tests), texts, self._folder()), texts)
                )
                self._twins[name] = (validator, stack.pop_all())
        outcome = self._twins[name][0].validate(candidate, policy="full")
        if outcome.verdict is Verdict.UNDECIDED:
            raise HarnessError(f"counter-tests: {outcome.message}")
        return outcome

    def _keep_open(self, *wanted: Mapping[str, str]) -> None:
        """Close the validators of all other twins."""
        names = {digest(dict(texts)) for texts in wanted}
        for name in self._twins.keys() - names:
            self._twins.pop(name)[1].close()

    def _new_plan(self, *, regression_tests: int | None = REGRESSION_TESTS) -> CounterPlan | None:
        """Draw changes and find out how the reference fix does with them."""
        seed = secrets.randbits(32)
        draft = Draft(self._bug, random.Random(seed), regression_tests=regression_tests)
        draft.prefer(met_by_failures(draft.choices(), lambda drawn: self._said(draft, drawn)))
        best, failing = draft.drawn, list[str]()
        for _ in range(ROUNDS if best else 0):
            found = [test.id for test in self._changed_everywhere(draft) if _is_plain_failure(test)]
            if len(found) > len(failing):
                best, failing = draft.drawn, found
            if len(failing) == len(draft.tests) or not draft.redraw(failing):
                break
        pair, telling = list[Twin](), list[str]()
        # Where a single test depends on several changes, it fails in both twins unless they go together.
        for apart in (True, False) if draft.has_programs and len(draft.tests) > 1 else (False,):
            made = [self._seen_twin(texts, draft) for texts in draft.twins(best, apart=apart)] if failing else []
            # Tests that the reference fix does not pass in one twin and fail in the other are left out.
            found = [test for test in failing if _tells(test, *made)]
            if len(found) > len(telling):
                pair, telling = made, found
            if len(telling) == len(failing):
                break
        twins = tuple(
            Twin(
                texts=twin.texts, due={test: due for test, due in twin.due.items() if test in telling or _always_passes(test, pair)}
            )
            for twin in pair
        )
        is_listing = regression_tests is None  # of the tests that have a change at all
        more = [] if is_listing and len(telling) == len(draft.tests) else self._shared_twins(draft)
        telling += [test for test in draft.tests if test not in telling and any(test in twin.due for twin in more)]
        self._keep_open(*(twin.texts for twin in (*twins, *more)))
        return CounterPlan(seed=seed, twins=(*twins, *more), tests=draft.tests, failing=tuple(telling)) if telling else None

    def _said(self, draft: Draft, drawn: Mapping[Key, Change]) -> dict[str, str]:
        """Return the messages of the buggy program's failures in tests with these changes."""
        texts, buggy = draft.with_changes(drawn), dataclasses.replace(self._bug.fix, edits=())
        outcome = self._attempt(self._with_tests(draft.tests), texts, buggy) or self._run(texts, buggy, draft.tests)
        return {test.id: _ADDRESS.sub("", test.message) for test in outcome.tests if _is_plain_failure(test)}

    def _shared_twins(self, draft: Draft) -> list[Twin]:
        """Return twins in which what tests share is changed, as far as the reference fix fails there."""
        best = list[Twin]()
        for _ in range(ROUNDS):
            made = [_failures(self._seen_twin(texts, draft)) for texts in draft.shared_twins()]
            best = max(best, [twin for twin in made if twin.due], key=len)
            if len(best) == len(made):
                break
        return best

    def _seen_twin(self, texts: dict[str, str], draft: Draft) -> Twin:
        seen = self._run(texts, self._bug.fix, draft.tests).tests
        return Twin(texts=texts, due={test.id: test.verdict for test in seen if _passed(test) or _is_plain_failure(test)})

    def _changed_everywhere(self, draft: Draft) -> tuple[TestResult, ...]:
        """Return the results of the tests when each is changed; what does not build is changed less."""
        while True:
            texts, bug = draft.counter(), self._with_tests(draft.tests)
            outcome = self._attempt(bug, texts, self._bug.fix) or self._run(texts, self._bug.fix, draft.tests)
            if outcome.verdict is not Verdict.UNCOMPILABLE or not draft.change_less(f"{outcome.message}\n{outcome.evidence}"):
                return outcome.tests

    def _with_tests(self, tests: Sequence[str]) -> Bug:
        return dataclasses.replace(self._bug, oracle=dataclasses.replace(self._bug.oracle, trigger=tuple(tests), regression=()))


def _verdict(seen: Mapping[str, TestResult], test: str) -> TestVerdict | None:
    return seen[test].verdict if test in seen else None


def _tells(test: str, one: Twin, other: Twin) -> bool:
    """Whether an honest candidate passes a test in just one of two twins."""
    dues = (one.due.get(test), other.due.get(test))
    return None not in dues and dues.count(TestVerdict.PASSED) == 1


def _failures(twin: Twin) -> Twin:
    """Return a twin in which only failures count: whether a test uses what was changed may depend on the candidate."""
    due: dict[str, TestVerdict] = {test: verdict for test, verdict in twin.due.items() if verdict is not TestVerdict.PASSED}
    return dataclasses.replace(twin, due=due)


def _always_passes(test: str, pair: Sequence[Twin]) -> bool:
    return all(twin.due.get(test) is TestVerdict.PASSED for twin in pair)


def _passed(test: TestResult) -> bool:
    return test.passed and not test.flips


def _is_plain_failure(test: TestResult) -> bool:
    """Whether a test failed as assertions do: those of C end the process."""
    return test.verdict in (TestVerdict.WRONG, TestVerdict.CRASH)


def _plans(bug: Bug) -> Path:
    """Return where the plans of a bug are kept; plans of another engine version are not used."""
    return default_cache() / "counter-tests" / digest(bug.digest, engine_digest())


def _kept_plans(bug: Bug) -> list[CounterPlan]:
    """Return the plans that this machine has for a bug."""
    found = (kept_record(file, CounterPlan) for file in sorted(_plans(bug).glob("*.json")))
    return [plan for plan in found if plan]
