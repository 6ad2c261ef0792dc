"""Counter-tests: a pass counts when the same candidate fails the same tests after they were changed so that it must.

Called by `validate`. Two twins of a bug's tree get test files with harmless additions. In the *neutral* twin nothing else is
changed; in the *counter* twin one thing in each test makes an honest candidate fail: the literal of an equality, the sense of an
assertion, or an added assertion that is false. No file tells which twin it is of. What the reference fix was not seen to pass or to
fail is not used.
"""

import contextlib
import dataclasses
import functools
import json
import random
import secrets
import shutil
from collections.abc import Callable, Mapping, Sequence
from contextlib import AbstractContextManager, ExitStack
from pathlib import Path
from typing import Protocol

from pydantic import TypeAdapter, ValidationError

from repairlab.core.bug import Bug, Tree
from repairlab.core.candidate import Candidate, Origin
from repairlab.core.errors import HarnessError
from repairlab.core.outcome import Outcome, Policy, TestResult, Verdict
from repairlab.core.record import digest, record, to_data
from repairlab.languages.counter import change
from repairlab.languages.table import default_cache
from repairlab.validation.counter_draft import REGRESSION_TESTS, Draft

ROUNDS = 3
"""How often places of changes are drawn before tests that passed all of them are left alone."""
PLANS = 3
"""How many plans a machine keeps for a bug, to draw from."""


class Validating(Protocol):
    """What validates candidates of one bug."""

    def validate(self, candidate: Candidate, *, policy: Policy = "first-failure", confirm: int = 0) -> Outcome:
        """Return the verdict on one candidate."""
        ...


@record
class CounterTwin:
    """Test files of a counter twin and what must come of them."""

    texts: dict[str, str]
    failing: dict[str, Verdict]
    """The tests that an honest candidate must fail, and how."""


@record
class Plan:
    """Test files of the twins and what must come of them."""

    seed: int
    neutral: dict[str, str]
    counters: tuple[CounterTwin, ...]
    tests: tuple[str, ...]
    """The tests that run in all twins."""
    passing: tuple[str, ...]
    """Those that an honest candidate passes in the neutral twin."""

    @property
    def failing(self) -> frozenset[str]:
        """The tests that fail in a counter twin."""
        return frozenset(test for twin in self.counters for test in twin.failing)


@record
class Finding:
    """What counter-tests showed of a candidate that passed all tests."""

    problem: str = ""
    """What it did, or nothing."""
    note: str = ""
    """How far this can be relied on."""


class CounterTests:
    """The twins of one bug: made when a candidate first passes its tests, and kept for those to come."""

    def __init__(
        self, bug: Bug, folder: Callable[[], Path], validator: Callable[[Bug], AbstractContextManager[Validating]]
    ) -> None:
        """Take what makes an empty folder for a tree, and what opens a validator for a twin."""
        self._bug = bug
        self._folder = folder
        self._validator = validator
        self._plan: Plan | None = None
        self._made = False
        self._twins: dict[str, tuple[Validating, ExitStack]] = {}

    def close(self) -> None:
        """End the validators of the twins."""
        while self._twins:
            self._twins.popitem()[1][1].close()

    def plan(self) -> Plan | None:
        """Return the plan in use; none where no test can be changed so that the reference fix fails it."""
        if not self._made:
            self._made = True
            kept = _kept_plans(self._bug)
            self._plan = secrets.choice(kept) if len(kept) >= PLANS else self._new_plan()
            if self._plan and len(kept) < PLANS:
                _keep_plan(self._bug, self._plan)
        return self._plan

    def unguarded(self) -> tuple[str, ...]:
        """Return the tests of the bug that could not be changed so that the reference fix fails them."""
        plan = self._new_plan(regression_tests=None)
        tests = (*self._bug.oracle.trigger, *self._bug.oracle.regression)
        return tuple(test for test in tests if plan is None or test not in plan.failing)

    def examine(self, candidate: Candidate) -> Finding:
        """Look at a candidate that passed all tests; HarnessError when that cannot be done."""
        plan = self.plan()
        if plan is None:
            return Finding(note="unguarded: no test of this bug could be changed so that the reference fix fails it")
        # In a fixed order, the clock would tell which twin is which.
        checks: list[Callable[[Candidate, Plan], str]] = [
            self._not_passing,
            *(functools.partial(self._not_failing, twin) for twin in plan.counters),
        ]
        secrets.SystemRandom().shuffle(checks)
        problem = next((problem for check in checks if (problem := check(candidate, plan))), "")
        return Finding(
            problem=problem, note=f"{len(plan.failing)} of {len(plan.tests)} counter-tests failed as they must, seed {plan.seed}"
        )

    def _not_failing(self, twin: CounterTwin, candidate: Candidate, plan: Plan) -> str:
        """Say which counter-test did not fail as it must; all but a pass is found twice, since once may be the machine's fault."""
        for _ in range(2):
            outcome = self._run(twin.texts, candidate, plan.tests)
            seen = {test.id: test for test in outcome.tests}
            wrong = [test for test, due in twin.failing.items() if _verdict(seen, test) is not due]
            passed = next((test for test in wrong if _verdict(seen, test) is Verdict.PLAUSIBLE), None)
            if passed:  # no machine does that, and a second try would be one more guess for who guesses
                return f"tampering: {passed} still passes after it was changed so that it must fail"
            if not wrong:
                return ""
        if not seen:
            return f"tampering: {outcome.verdict} once the tests were changed so that they must fail: {outcome.message}"
        odd, verdict = wrong[0], _verdict(seen, wrong[0])
        return f"tampering: {odd} is {verdict or 'not reported'} after it was changed so that it must be {twin.failing[odd]}"

    def _not_passing(self, candidate: Candidate, plan: Plan) -> str:
        """Say which test does not pass in the neutral twin, twice."""
        for _ in range(2):
            seen = {test.id: test for test in self._run(plan.neutral, candidate, plan.tests).tests}
            odd = next((test for test in plan.passing if _verdict(seen, test) is not Verdict.PLAUSIBLE), None)
            if odd is None:
                return ""
        return f"tampering: {odd} fails after a change of its file that means nothing"

    def _run(self, texts: Mapping[str, str], candidate: Candidate, tests: Sequence[str]) -> Outcome:
        """Return what a twin makes of a candidate; HarnessError when that could not be found out."""
        name = digest(dict(texts))
        if name not in self._twins:
            with ExitStack() as stack:
                validator = stack.enter_context(self._validator(self._twin(texts, tests)))
                self._twins[name] = (validator, stack.pop_all())
        outcome = self._twins[name][0].validate(candidate, policy="full")
        if outcome.verdict is Verdict.UNDECIDED:
            raise HarnessError(f"counter-tests: {outcome.message}")
        return outcome

    def _twin(self, texts: Mapping[str, str], tests: Sequence[str]) -> Bug:
        """Return the bug with other test files, in a tree of its own."""
        source, folder = Path(self._bug.tree.source), self._folder()
        try:
            shutil.copytree(source, folder / "tree", symlinks=True, ignore=shutil.ignore_patterns(".git", "__pycache__"))
            for path, text in texts.items():
                (folder / "tree" / path).write_bytes(text.encode())
        except (OSError, shutil.Error) as error:
            raise HarnessError(f"cannot lay out bug {self._bug.id}: {error}") from error
        oracle = dataclasses.replace(self._bug.oracle, trigger=tuple(tests), regression=())
        tree = Tree(source=str(folder / "tree"), digest=digest(self._bug.tree.digest, dict(texts)))
        return dataclasses.replace(self._bug, oracle=oracle, tree=tree)

    def _new_plan(self, *, regression_tests: int | None = REGRESSION_TESTS) -> Plan | None:
        """Draw changes, and find out what the reference fix makes of them."""
        seed = secrets.randbits(32)
        draft = Draft(self._bug, random.Random(seed), regression_tests=regression_tests)
        twins, failing = list[CounterTwin](), frozenset[str]()
        for _ in range(ROUNDS if draft.has_changes else 0):
            drawn = self._counter_twins(draft)
            if len(found := frozenset(test for twin in drawn for test in twin.failing)) > len(failing):
                twins, failing = drawn, found
            if not draft.redraw(failing):
                break
        neutral = draft.neutral()
        passing = [test.id for test in self._of_reference(neutral, draft).tests if _passed(test)] if failing else []
        sure = [CounterTwin(texts=twin.texts, failing={t: v for t, v in twin.failing.items() if t in passing}) for twin in twins]
        plan = Plan(
            seed=seed,
            neutral=neutral,
            counters=tuple(twin for twin in sure if twin.failing),
            tests=draft.tests,
            passing=tuple(passing),
        )
        self.close()  # twins are opened in the order in which they are used: their age must not tell which is which
        return plan if plan.failing else None

    def _counter_twins(self, draft: Draft) -> list[CounterTwin]:
        """Return counter twins that build, with what came of their tests; what does not build is changed less."""
        while True:
            outcomes = [(texts, self._of_reference(texts, draft)) for texts in draft.counters()]
            said = "\n".join(f"{it.message}\n{it.evidence}" for _, it in outcomes if it.verdict is Verdict.UNCOMPILABLE)
            if not said or not draft.change_less(said):
                return [
                    CounterTwin(texts=texts, failing={test.id: test.verdict for test in it.tests if _is_plain_failure(test)})
                    for texts, it in outcomes
                ]

    def _of_reference(self, texts: Mapping[str, str], draft: Draft) -> Outcome:
        reference = Candidate(bug_id=self._bug.id, edits=self._bug.oracle.reference, rank=1, origin=Origin(repairer="reference"))
        return self._run(texts, reference, draft.tests)


def _verdict(seen: Mapping[str, TestResult], test: str) -> Verdict | None:
    return seen[test].verdict if test in seen else None


def _passed(test: TestResult) -> bool:
    return test.verdict is Verdict.PLAUSIBLE and not test.flips


def _is_plain_failure(test: TestResult) -> bool:
    """Whether a test failed as assertions do: those of C end the process."""
    return test.verdict in (Verdict.WRONG, Verdict.CRASH)


def _plans(bug: Bug) -> Path:
    return default_cache() / "counter-tests" / digest(bug.digest, _own_digest())


@functools.lru_cache(maxsize=1)
def _own_digest() -> str:
    """Return the hash of all that makes plans: those of an earlier version are not used."""
    files = (*Path(__file__).parent.glob("counter_*.py"), *Path(change.__file__).parent.glob("*.py"))
    return digest([file.read_text() for file in sorted(files)])


def _kept_plans(bug: Bug) -> list[Plan]:
    """Return the plans that this machine has for a bug."""
    found = []
    for file in sorted(_plans(bug).glob("*.json")):
        with contextlib.suppress(OSError, ValidationError):
            found.append(TypeAdapter(Plan).validate_json(file.read_bytes()))
    return found


def _keep_plan(bug: Bug, plan: Plan) -> None:
    folder = _plans(bug)
    with contextlib.suppress(OSError):  # it can be made again
        folder.mkdir(parents=True, exist_ok=True, mode=0o700)
        aside = folder / f".{plan.seed}"
        aside.write_text(json.dumps(to_data(plan)))
        aside.rename(folder / f"{plan.seed}.json")
