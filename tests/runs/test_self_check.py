"""`./check` builds what a program has made so far and runs the tests that it may see; hidden ones stay hidden."""

import re
from pathlib import Path

import pytest

from repairlab.benchmarks.catalog import open_benchmark
from repairlab.core.bug import Bug
from repairlab.core.problem import Visibility
from repairlab.runs.failing_test import code_of_failing_test
from repairlab.sandbox.sandbox import Sandbox
from repairlab.validation.machine import Machine
from tests.runs.test_commanding import Start

pytestmark = pytest.mark.usefixtures("networked")
OPEN = Visibility(tests=True)


@pytest.fixture
def start(tiny: Path, sandbox: Sandbox, machine: Machine, tmp_path: Path) -> Start:
    return Start(open_benchmark(str(tiny)).bug("shop"), sandbox, machine, tmp_path / "run")


def said(start: Start, command: str, visibility: Visibility) -> list[str]:
    (made,) = start(command, visibility=visibility)
    return start.log(made).split("\n")[1:]


def test_visible_tests_are_run_on_the_tree_as_it_is_by_then(start: Start) -> None:
    fix = r"sed -i 's/\[:-1\]//' shop/cart.py"
    lines = said(start, f"./check; echo code $?; {fix}; ./check; echo code $?", OPEN)
    before, after = lines[: lines.index("code 1")], lines[lines.index("code 1") + 1 :]
    assert any(line.startswith("tests/test_cart.py::") for line in before)
    assert re.fullmatch(r"\d of (\d) tests pass", before[-1])
    n = before[-1].split()[2]
    assert after[:2] == [f"{n} of {n} tests pass", "code 0"]


def test_tests_that_a_program_writes_decide_nothing(start: Start) -> None:
    lines = said(start, "echo 'def test_total(): pass' > tests/test_cart.py; ./check; echo code $?", OPEN)
    assert "code 1" in lines


def test_hidden_tests_are_neither_run_nor_laid_out(start: Start) -> None:
    spy = "import pathlib; assert not pathlib.Path('tests').exists(), 'tests are there'"
    lines = said(
        start,
        f"echo \"{spy}\" >> shop/cart.py; ./check; echo code $?; echo ')' >> shop/cart.py; ./check; echo code $?",
        Visibility(),
    )
    assert lines[:2] == ["It builds. Its tests are hidden.", "code 0"]
    assert lines[2].startswith("It does not build:")
    assert "code 1" in lines


def test_a_tree_that_does_not_build_without_its_tests_says_so(sandbox: Sandbox, machine: Machine, tmp_path: Path) -> None:
    start = Start(open_benchmark("starter").bug("c-bitmap-last-run"), sandbox, machine, tmp_path / "run")
    lines = said(start, "./check; echo code $?", Visibility())
    assert lines[0].startswith("Without its hidden tests, this tree does not build, changed or not: ")
    assert lines[1] == "code 0"


def test_the_script_is_no_part_of_the_candidate_and_spares_one_that_is_there(
    start: Start, tiny: Path, sandbox: Sandbox, machine: Machine, tmp_path: Path
) -> None:
    (made,) = start("echo exit 0 > check")
    assert not made.edits
    (tiny / "bugs/shop/buggy/check").write_text("theirs\n")
    other = Start(open_benchmark(str(tiny)).bug("shop"), sandbox, machine, tmp_path / "other")
    (made,) = other("cat check; cat ISSUE.md; env")
    assert "theirs" in other.log(made)
    assert "REPAIRLAB_CHECK" not in other.log(made)
    assert "./check" not in other.log(made)


@pytest.mark.parametrize(
    ("bug_id", "line"),
    [
        ("python-config-merge", "    def test_arguments_are_left_alone(self):"),
        ("java-header-split", "    public void hostKeepsItsPort() {"),
        ("c-bitmap-last-run", "static void gap_at_the_end_is_found(void)"),
        ("cpp-event-bus", "TEST(Bus, HandlerMaySubscribeMoreHandlers) {"),
        ("javascript-bill-split", "test('first shares take the cents that are left', () => {"),
        ("go-booking-merge", "func TestSpanWithinAnother(t *testing.T) {"),
    ],
)
def test_the_code_of_a_failing_test_is_found_by_its_name(bug_id: str, line: str) -> None:
    code = code_of_failing_test(open_benchmark("starter").bug(bug_id))
    path, _, first, *body, last = code.split("\n")
    assert path.endswith(":")
    assert first == line
    assert body or last
    assert code.count("test_") + code.count("(") > 1


def test_programs_without_test_code_have_none(bug: Bug) -> None:
    assert code_of_failing_test(bug) == ""
