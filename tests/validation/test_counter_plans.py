"""Drafts and plans of counter-tests without a sandbox: laws over all bugs under attack, and what each odd candidate is told."""

import dataclasses
import random
from collections.abc import Callable, Iterator, Mapping
from contextlib import contextmanager
from pathlib import Path

import pytest

from repairlab.benchmarks.catalog import open_benchmark
from repairlab.core.bug import Bug
from repairlab.core.candidate import Candidate, Edit
from repairlab.core.errors import HarnessError
from repairlab.core.outcome import Outcome, Policy, TestResult, TestVerdict, Verdict
from repairlab.validation.counter_tests import CounterTests
from repairlab.validation.test_mutants import Draft
from tests import builders

ATTACKED = open_benchmark(str(Path(__file__).parents[1] / "hostile/cases"))
WITH_TESTS = [bug.id for bug in ATTACKED if bug.oracle.trigger]
PASSED, WRONG, CRASH = TestVerdict.PASSED, TestVerdict.WRONG, TestVerdict.CRASH
Judge = Callable[[str, bool], TestVerdict | None]
"""From a test, and whether it is changed, to what comes of it; none: it is not reported."""


@pytest.mark.parametrize("bug_id", WITH_TESTS)
def test_each_change_is_made_in_one_twin(bug_id: str) -> None:
    bug = ATTACKED.bug(bug_id)
    for seed in range(4):
        draft = Draft(bug, random.Random(seed))
        assert draft.drawn, "there is something to change"
        neutral = draft.twins({}, apart=True)[0]
        assert draft.counter() != neutral
        for apart in (True, False):
            one, other = draft.twins(draft.drawn, apart=apart)
            for path, text in neutral.items():
                both = {one[path], other[path]}
                assert draft.counter()[path] in both or len(both) == 2 or both == {text}


@pytest.mark.parametrize("bug_id", WITH_TESTS)
def test_less_and_less_is_changed_until_nothing_is(bug_id: str) -> None:
    draft = Draft(ATTACKED.bug(bug_id), random.Random(1))
    steps = 0
    while draft.change_less("nobody names a file"):
        steps += 1
    assert 0 < steps < 10
    assert draft.drawn == {}
    named = Draft(ATTACKED.bug(bug_id), random.Random(1))
    assert named.change_less(f"error in {next(iter(named.drawn))[0]}")


@pytest.mark.parametrize("bug_id", WITH_TESTS)
def test_tests_that_pass_all_the_same_get_other_changes_as_long_as_there_are_some(bug_id: str) -> None:
    draft = Draft(ATTACKED.bug(bug_id), random.Random(1))
    first = draft.drawn
    assert not draft.redraw(draft.tests) or draft.drawn == first, "all failed, as they must"
    if draft.redraw(()):
        assert draft.drawn != first or draft.has_programs


def test_files_that_hold_no_text_and_links_are_left_alone(tmp_path: Path) -> None:
    bug = ATTACKED.bug("python-pytest")
    for path in Path(bug.tree.source).rglob("*.py"):
        copy = tmp_path / path.relative_to(bug.tree.source)
        copy.parent.mkdir(exist_ok=True)
        copy.write_bytes(path.read_bytes())
    (tmp_path / "tests/test_binary.py").write_bytes(b"\xff")
    (tmp_path / "tests/test_link.py").symlink_to("test_add.py")
    other = dataclasses.replace(bug, tree=dataclasses.replace(bug.tree, source=str(tmp_path)))
    assert {Path(path).name for path in Draft(other, random.Random(1)).counter()} == {"test_add.py", "test_name.py"}


class _Scripted:
    """Says what a function makes of each test, and whether it is changed."""

    def __init__(self, bug: Bug, twin: Bug, judges: Mapping[str, Judge | Verdict]) -> None:
        self._judges, self._changed = judges, {test: _is_changed(test, bug, twin) for test in twin.oracle.trigger}

    def validate(self, candidate: Candidate, *, policy: Policy | None = None) -> Outcome:
        judge = self._judges[candidate.origin.repairer]
        outcome = builders.outcome(Verdict.WRONG, stage="trigger", policy=policy or "full", message="m")
        if isinstance(judge, Verdict):
            return dataclasses.replace(outcome, verdict=judge)
        seen = [(test, judge(test, changed)) for test, changed in self._changed.items()]
        return dataclasses.replace(outcome, tests=tuple(TestResult(id=test, verdict=found) for test, found in seen if found))


def _is_changed(test: str, bug: Bug, twin: Bug) -> bool:
    """Return whether a line of a test is not there any more."""
    path, _, name = test.partition("::")
    texts = [Path(each.tree.source, path).read_text() for each in (bug, twin)]
    before, after = (text.partition(f"def {name}(")[2].partition("\ndef ")[0].splitlines() for text in texts)
    return not {line for line in before if line.strip()} <= set(after)


def honest(test: str, changed: bool) -> TestVerdict:
    return WRONG if changed else PASSED


@pytest.fixture
def bug() -> Bug:
    return ATTACKED.bug("python-pytest")


@pytest.fixture
def tests_of(bug: Bug, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Callable[..., CounterTests]:
    """Return what makes the counter-tests of a bug whose fix and whose other candidates come out as two functions say."""
    monkeypatch.setenv("REPAIRLAB_CACHE", str(tmp_path / "cache"))
    made = iter(range(1000))

    def folder() -> Path:
        new = tmp_path / str(next(made))
        new.mkdir()
        return new

    def counter_tests(reference: Judge | Verdict, others: Judge | Verdict = honest, *, bug: Bug = bug) -> CounterTests:
        @contextmanager
        def validator(twin: Bug, texts: Mapping[str, str]) -> Iterator[_Scripted]:
            yield _Scripted(bug, twin, {"reference": reference, "test": others})

        return CounterTests(bug, folder, validator, lambda *_: None)

    return counter_tests


CANDIDATE = ATTACKED.bug("python-pytest").candidate((Edit(path="calc.py", text=""),), "test")


@pytest.mark.parametrize(
    ("candidate", "says"),
    [
        (honest, ""),
        (lambda test, changed: PASSED, "still passes after it was changed so that it must fail"),
        (Verdict.CRASH, "tampering: CRASH once the tests were changed: m"),
        (lambda test, changed: CRASH if changed else PASSED, "is CRASH after it was changed so that it must be WRONG"),
        (lambda test, changed: None if changed else PASSED, "is not reported after it was changed so that it must be WRONG"),
        (lambda test, changed: WRONG, "fails after a change of its file that means nothing"),
    ],
)
def test_what_does_not_come_out_as_it_must_is_told(
    tests_of: Callable[..., CounterTests], candidate: Judge | Verdict, says: str
) -> None:
    found = tests_of(honest, candidate).examine(CANDIDATE)
    assert found.problem.endswith(says) if says else not found.problem
    assert found.note.startswith("3 of 3 counter-tests failed as they must")


def test_a_failure_that_does_not_happen_again_was_the_machines(tests_of: Callable[..., CounterTests]) -> None:
    seen: list[str] = []

    def unlucky_once(test: str, changed: bool) -> TestVerdict:
        seen.append(test)
        return WRONG if changed or len(seen) <= 3 else PASSED

    assert tests_of(honest, unlucky_once).examine(CANDIDATE).problem == ""


def test_tests_that_no_change_makes_fail_guard_nothing(bug: Bug, tests_of: Callable[..., CounterTests]) -> None:
    counter_tests = tests_of(lambda test, changed: PASSED)
    assert counter_tests.examine(CANDIDATE).note.startswith("unguarded")
    assert counter_tests.unguarded() == (*bug.oracle.trigger, *bug.oracle.regression)
    some = tests_of(lambda test, changed: WRONG if changed and "negative" in test else PASSED)
    assert some.unguarded() == ("tests/test_add.py::test_sum", "tests/test_name.py::test_name")
    assert tests_of(honest).unguarded() == ()
    assert tests_of(Verdict.UNCOMPILABLE).plan() is None


def test_what_fails_whether_changed_or_not_is_left_out(tests_of: Callable[..., CounterTests]) -> None:
    plan = tests_of(lambda test, changed: WRONG if changed or "sum" in test else PASSED).plan()
    assert plan is not None
    assert set(plan.failing) == {"tests/test_add.py::test_negative", "tests/test_name.py::test_name"}


def test_plans_that_are_damaged_are_made_again(tests_of: Callable[..., CounterTests], tmp_path: Path) -> None:
    assert tests_of(honest).plan() is not None
    (kept,) = (tmp_path / "cache/counter-tests").glob("*/*.json")
    kept.write_text("{}")
    assert tests_of(honest).plan() is not None


def test_a_machine_that_fails_is_no_tampering(bug: Bug, tests_of: Callable[..., CounterTests], tmp_path: Path) -> None:
    with pytest.raises(HarnessError, match="counter-tests: m"):
        tests_of(honest, Verdict.UNDECIDED).examine(CANDIDATE)
    tree = dataclasses.replace(bug.tree, source=str(tmp_path / "gone"))
    counter_tests = tests_of(honest)
    plan = counter_tests.plan()
    counter_tests.close()
    counter_tests._bug = dataclasses.replace(bug, tree=tree)
    assert plan is not None
    with pytest.raises(HarnessError, match="cannot lay out bug python-pytest"):
        counter_tests.examine(CANDIDATE)


def test_what_tests_share_is_left_alone_where_the_fix_passes_all_the_same(tests_of: Callable[..., CounterTests]) -> None:
    counter_tests = tests_of(honest, bug=ATTACKED.bug("python-late"))
    plan = counter_tests.plan()
    assert plan is not None
    assert len(plan.twins) == 2, "there are none of helpers and data, which `honest` does not look at"


@pytest.mark.parametrize(
    ("name", "text", "is_changed"), [("a.expect", "3\n4\n", True), ("a.expect", "\n", False), ("a.in", "3\n", False)]
)
def test_files_of_expected_output_are_changed_where_tests_are_no_functions(
    tmp_path: Path, name: str, text: str, is_changed: bool
) -> None:
    bug = ATTACKED.bug("c-lit")
    (tmp_path / "tests").mkdir()
    (tmp_path / "tests" / name).write_text(text)
    oracle = dataclasses.replace(bug.oracle, trigger=("tests/a",), regression=())
    other = dataclasses.replace(bug, oracle=oracle, tree=dataclasses.replace(bug.tree, source=str(tmp_path)))
    assert bool(Draft(other, random.Random(1)).drawn) is is_changed


def test_changes_that_make_up_for_one_another_are_tried_apart(tmp_path: Path) -> None:
    """Who negates an assertion, and the comparison that it calls, has changed nothing."""
    bug = ATTACKED.bug("c-tap")
    (tmp_path / "tests").mkdir()
    (tmp_path / "tests/test_calc.c").write_text(
        """#include <assert.h>
#include "../calc.h"
static int same(const int *a, const int *b) { if (a[0] != b[0]) return 0; return 1; }
int main(void) { int sum = add(1, 2), three = 1 + 2; assert(same(&sum, &three)); return 0; }
"""
    )
    oracle = dataclasses.replace(bug.oracle, trigger=("whole",), regression=())
    other = dataclasses.replace(bug, oracle=oracle, tree=dataclasses.replace(bug.tree, source=str(tmp_path)))
    for seed in range(4):
        draft = Draft(other, random.Random(seed))
        assert len(draft.drawn) == 2
        assert draft.redraw(()), "nothing failed"
        assert len(draft.drawn) == 1
