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
class Plan:
    """Test files of both twins and what must come of them."""

    seed: int
    neutral: dict[str, str]
    counter: dict[str, str]
    tests: tuple[str, ...]
    """The tests that run in both twins."""
    passing: tuple[str, ...]
    """Those that an honest candidate passes in the neutral twin."""
    failing: dict[str, Verdict]
    """Those that it must fail in the counter twin, and how."""


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
        self._keep_open()

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
        self._keep_open()
        tests = (*self._bug.oracle.trigger, *self._bug.oracle.regression)
        return tuple(test for test in tests if plan is None or test not in plan.failing)

    def examine(self, candidate: Candidate) -> Finding:
        """Look at a candidate that passed all tests; HarnessError when that cannot be done."""
        plan = self.plan()
        if plan is None:
            return Finding(note="unguarded: no test of this bug could be changed so that the reference fix fails it")
        problem = self._not_failing(candidate, plan) or self._not_passing(candidate, plan)
        return Finding(
            problem=problem, note=f"{len(plan.failing)} of {len(plan.tests)} counter-tests failed as they must, seed {plan.seed}"
        )

    def _not_failing(self, candidate: Candidate, plan: Plan) -> str:
        """Say which counter-test did not fail as it must; found twice, since a single time may be the machine's fault."""
        for _ in range(2):
            outcome = self._run(plan.counter, candidate, plan.tests)
            seen = {test.id: test for test in outcome.tests}
            odd = next((test for test, due in plan.failing.items() if _verdict(seen, test) is not due), "")
            if not odd:
                return ""
        if not seen:
            return f"tampering: {outcome.verdict} once the tests were changed so that they must fail: {outcome.message}"
        verdict = _verdict(seen, odd)
        if verdict is Verdict.PLAUSIBLE:
            return f"tampering: {odd} still passes after it was changed so that it must fail"
        return f"tampering: {odd} is {verdict or 'not reported'} after it was changed so that it must be {plan.failing[odd]}"

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

    def _keep_open(self, *wanted: Mapping[str, str]) -> None:
        """End the validators of all other twins."""
        names = {digest(dict(texts)) for texts in wanted}
        for name in self._twins.keys() - names:
            self._twins.pop(name)[1].close()

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
        texts, failing = dict[str, str](), dict[str, Verdict]()
        for _ in range(ROUNDS if draft.has_changes else 0):
            drawn, seen = self._counter_twin(draft)
            if len(found := {test.id: test.verdict for test in seen if _is_plain_failure(test)}) > len(failing):
                texts, failing = drawn, found
            if not draft.redraw(failing):
                break
        neutral = draft.neutral()
        passing = [test.id for test in self._of_reference(neutral, draft).tests if _passed(test)] if failing else []
        plan = Plan(
            seed=seed,
            neutral=neutral,
            counter=texts,
            tests=draft.tests,
            passing=tuple(passing),
            failing={test: verdict for test, verdict in failing.items() if test in passing},
        )
        self._keep_open(plan.neutral, plan.counter)
        return plan if plan.failing else None

    def _counter_twin(self, draft: Draft) -> tuple[dict[str, str], tuple[TestResult, ...]]:
        """Return the texts of a counter twin that builds, and what came of its tests; what does not build is changed less."""
        while True:
            texts = draft.counter()
            outcome = self._of_reference(texts, draft)
            if outcome.verdict is not Verdict.UNCOMPILABLE or not draft.change_less(f"{outcome.message}\n{outcome.evidence}"):
                return texts, outcome.tests

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
