import dataclasses
from pathlib import Path

import pytest

from repairlab.benchmarks.catalog import open_benchmark
from repairlab.core.bug import Bug
from repairlab.core.candidate import Candidate, Edit, Origin
from repairlab.core.errors import HarnessError, UserError
from repairlab.core.execution import Command, Execution
from repairlab.core.outcome import Outcome, Policy, TestVerdict, Verdict
from repairlab.core.text import Span
from repairlab.runs.experiment import feedback
from repairlab.sandbox.sandbox import FakeSandbox, Sandbox, exited
from repairlab.validation.apply import normal_digest
from repairlab.validation.paths import check_path
from repairlab.validation.validator import validate


def candidate(bug: Bug, *edits: Edit, problem: str | None = None) -> Candidate:
    return Candidate(bug_id=bug.id, edits=edits, rank=1, origin=Origin(repairer="test"), problem=problem)


@pytest.fixture
def program(tiny: Path) -> Bug:
    return open_benchmark(str(tiny)).bug("sum")


@pytest.fixture
def project(tiny: Path) -> Bug:
    return open_benchmark(str(tiny)).bug("shop")


def limited(bug: Bug, cpu_s: float) -> Bug:
    """Return a bug whose tests may take so long; who passes the limit on a busy machine gets ten times as much in all."""
    limits = dataclasses.replace(bug.oracle.limits, cpu_s=cpu_s)
    return dataclasses.replace(bug, oracle=dataclasses.replace(bug.oracle, limits=limits))


def judge_program(bug: Bug, sandbox: Sandbox, text: str, policy: Policy = "first-failure") -> Outcome:
    return validate(candidate(bug, Edit(path="main.py", text=text)), bug, sandbox, policy=policy)


@pytest.mark.parametrize(
    ("text", "verdict"),
    [
        ("print(sum(map(int, input().split())))", Verdict.PLAUSIBLE),
        ("print(4)", Verdict.WRONG),
        ("print(sum(map(int, input().split()))); exit(1)", Verdict.CRASH),
        ("import os; print(sum(map(int, input().split()))); os.abort()", Verdict.CRASH),
        ("while True: pass", Verdict.TIMEOUT),
        ("x = []\nwhile True: x.append('x' * 1000000)", Verdict.OUT_OF_MEMORY),
        ("x = bytearray(10**12)", Verdict.OUT_OF_MEMORY),
        ("while True: print('x' * 100000)", Verdict.OUTPUT_LIMIT),
        ("print(", Verdict.UNCOMPILABLE),
        ("print(3)\0", Verdict.UNCOMPILABLE),
    ],
)
def test_programs_get_the_verdict_of_their_behaviour(program: Bug, sandbox: Sandbox, text: str, verdict: Verdict) -> None:
    bug = limited(program, 0.5) if verdict is Verdict.TIMEOUT else program
    outcome = judge_program(bug, sandbox, text)
    assert outcome.verdict is verdict, outcome
    assert (outcome.message != "") == (verdict is not Verdict.PLAUSIBLE)


def test_the_policy_full_runs_every_case_and_first_failure_stops(program: Bug, sandbox: Sandbox) -> None:
    assert [test.id for test in judge_program(program, sandbox, "print(5)").tests] == ["01"]
    outcome = judge_program(program, sandbox, "print(5)", "full")
    assert [(test.id, test.verdict) for test in outcome.tests] == [("01", TestVerdict.WRONG), ("02", TestVerdict.PASSED)]
    assert (outcome.n_passed, outcome.n_tests, outcome.stage) == (1, 2, "cases")


def test_presentation_counts_where_the_case_is_strict_about_it(program: Bug, sandbox: Sandbox) -> None:
    strict = [dataclasses.replace(case, checker=dataclasses.replace(case.checker, kind="lines")) for case in program.oracle.cases]
    bug = dataclasses.replace(program, oracle=dataclasses.replace(program.oracle, cases=tuple(strict)))
    assert judge_program(bug, sandbox, "print()\nprint(sum(map(int, input().split())))").verdict is Verdict.PRESENTATION


def test_a_candidate_that_does_not_apply_says_why(program: Bug, sandbox: Sandbox) -> None:
    for edit, message in [
        (Edit(path="main.py", text="x", span=Span(start=0, end=9999)), "outside the file"),
        (Edit(path="../main.py", text="x"), "not a path inside the tree"),
        (Edit(path="/etc/passwd", text="x"), "not a path inside the tree"),
        (Edit(path="gone.py", text="x", span=Span(start=0, end=0)), "not in the tree"),
        (Edit(path="main.py/x", text="x"), "which is a file"),
    ]:
        outcome = validate(candidate(program, edit), program, sandbox)
        assert (outcome.verdict, outcome.stage) == (Verdict.UNAPPLICABLE, "apply")
        assert message in outcome.message
    unreadable = validate(candidate(program, problem="the answer is empty"), program, sandbox)
    assert (unreadable.verdict, unreadable.message) == (Verdict.UNAPPLICABLE, "the answer is empty")


@pytest.mark.parametrize(
    "path",
    [
        *("conftest.py", "pom.xml", "CMakeLists.txt", "Makefile", "configure", "configure.ac", "org/junit/Assert.java"),
        *("Makefile.am", "tests.am", "Makefile.in", "aclocal.m4", "autogen.sh", "bootstrap", "test-driver", "ltmain.sh", "missing"),
    ],
)
def test_no_candidate_touches_how_tests_are_built_and_run(program: Bug, path: str) -> None:
    for name in (path, f"some/folder/{path}"):
        outcome = validate(candidate(program, Edit(path=name, text="x\n")), program, FakeSandbox(lambda _: exited()))
        assert outcome.verdict is Verdict.UNAPPLICABLE and "tampering" in outcome.message


def test_projects_pass_their_trigger_and_regression_tests(project: Bug, sandbox: Sandbox) -> None:
    fixed = validate(candidate(project, *project.oracle.reference), project, sandbox)
    assert (fixed.verdict, fixed.n_passed, fixed.stage) == (Verdict.PLAUSIBLE, 2, "regression")
    buggy = validate(candidate(project), project, sandbox)
    assert (buggy.verdict, buggy.stage, len(buggy.tests)) == (Verdict.WRONG, "trigger", 1)
    assert "assert 1 == 3" in buggy.message + buggy.evidence


def judge_project(bug: Bug, sandbox: Sandbox, body: str, *more: Edit, policy: Policy = "first-failure") -> Outcome:
    text = f"class Cart:\n    def __init__(self, prices):\n        self.prices = prices\n\n    def total(self):\n        {body}\n"
    return validate(candidate(bug, Edit(path="shop/cart.py", text=text), *more), bug, sandbox, policy=policy)


def test_a_fix_that_breaks_another_test_fails_at_regression(project: Bug, sandbox: Sandbox) -> None:
    outcome = judge_project(project, sandbox, "return 3")
    assert (outcome.verdict, outcome.stage) == (Verdict.WRONG, "regression")


def test_edits_of_tests_are_ignored(project: Bug, sandbox: Sandbox) -> None:
    forged = Edit(path="tests/test_cart.py", text="def test_total(): pass\ndef test_empty(): pass\n")
    assert judge_project(project, sandbox, "return 1", forged).verdict is Verdict.WRONG
    assert judge_project(project, sandbox, "return sum(self.prices)", forged).verdict is Verdict.PLAUSIBLE


@pytest.mark.parametrize(
    ("body", "verdict"),
    [
        ("import os; os._exit(0)", Verdict.CRASH),
        ("import sys; sys.exit(0)", Verdict.WRONG),
        ("print('2 passed'); return 1", Verdict.WRONG),
        ("import pytest; pytest.skip('no')", Verdict.WRONG),
        ("import pytest; pytest.xfail('no')", Verdict.WRONG),
        ("import os; os.kill(os.getpid(), 11)", Verdict.CRASH),
    ],
)
def test_ending_a_test_early_is_not_a_fix(project: Bug, sandbox: Sandbox, body: str, verdict: Verdict) -> None:
    assert judge_project(project, sandbox, body).verdict is verdict


def test_after_a_crash_the_other_tests_are_still_judged(project: Bug, sandbox: Sandbox) -> None:
    body = "import os\n        if self.prices: os._exit(0)\n        return 0"
    outcome = judge_project(project, sandbox, body, policy="full")
    assert [test.verdict for test in outcome.tests] == [TestVerdict.CRASH, TestVerdict.PASSED]


def test_an_endless_test_is_a_time_out(project: Bug, sandbox: Sandbox) -> None:
    assert judge_project(limited(project, 1.0), sandbox, "while True: pass").verdict is Verdict.TIMEOUT


def test_a_module_that_cannot_be_imported_is_a_crash_of_the_suite(project: Bug, sandbox: Sandbox) -> None:
    outcome = validate(candidate(project, Edit(path="shop/cart.py", text="import nowhere\n")), project, sandbox)
    assert (outcome.verdict, outcome.stage) == (Verdict.CRASH, "trigger")
    assert "nowhere" in outcome.message + outcome.evidence


def test_our_own_failure_is_tried_twice_then_undecided(program: Bug) -> None:
    calls: list[Command] = []

    def fail(command: Command) -> Execution:
        calls.append(command)
        raise HarnessError("the disk is full")

    outcome = validate(candidate(program), program, FakeSandbox(fail))
    assert (outcome.verdict, outcome.message, len(calls)) == (Verdict.UNDECIDED, "the disk is full", 2)


def test_a_tool_that_the_sandbox_does_not_have_is_our_failure_and_not_the_candidates(program: Bug) -> None:
    sandbox = FakeSandbox(lambda _: exited(127, stderr=b"cannot run 'ninja': no such file\n"))
    outcome = validate(candidate(program), program, sandbox)
    assert outcome.verdict is Verdict.UNDECIDED
    assert "cannot run 'ninja'" in outcome.message


def test_candidates_that_differ_in_comments_and_white_space_have_one_normal_digest(program: Bug) -> None:
    one = candidate(program, Edit(path="main.py", text="x = 1  # one\n\nprint(x)\n"))
    two = candidate(program, Edit(path="main.py", text="x=1\nprint( x )"))
    other = candidate(program, Edit(path="main.py", text="x = 1\nif x:\n  print(x)"))
    assert normal_digest(one, program) == normal_digest(two, program) != normal_digest(other, program)


@pytest.mark.parametrize("path", ["", "/a", "a/../b", "..", "a\0b", ".git/config", "a\\b", "./a", "a//b", "a/./b", "a/", "x" * 300])
def test_paths_outside_the_tree_are_refused(path: str) -> None:
    with pytest.raises(UserError):
        check_path(path)


def test_feedback_tells_only_what_the_policy_allows(project: Bug, sandbox: Sandbox) -> None:
    outcome = validate(candidate(project), project, sandbox)
    assert feedback(outcome, "none") is None
    assert feedback(outcome, "verdict") == "WRONG"
    assert str(feedback(outcome, "message")).startswith("WRONG at trigger: tests/test_cart.py::test_total")
    assert feedback(dataclasses.replace(outcome, message=""), "message") == "WRONG"
