from pathlib import Path

from repairlab.core.outcome import Verdict
from repairlab.runs.catalog import open_benchmark
from repairlab.runs.check import Health, check_bug, check_bugs
from repairlab.runs.pool import Machine
from repairlab.sandbox.sandbox import Sandbox


def test_a_sound_benchmark_is_healthy(tiny: Path, machine: Machine) -> None:
    found: list[Health] = []
    check_bugs(open_benchmark(str(tiny)).bugs, machine, found.append, repeats=2)
    assert sorted((card.bug_id, card.healthy, card.buggy_verdict) for card in found) == [
        ("shop", True, Verdict.WRONG),
        ("sum", True, Verdict.WRONG),
    ]


def check(tiny: Path, bug: str, sandbox: Sandbox) -> str:
    return "\n".join(check_bug(open_benchmark(str(tiny)).bug(bug), sandbox).problems)


def test_a_reference_fix_that_fails_is_reported(tiny: Path, sandbox: Sandbox) -> None:
    (tiny / "bugs/sum/cases/02.out").write_text("7\n")
    assert "the reference fix fails 1 of 2 tests (02: token 1 is '5', expected '7')" in check(tiny, "sum", sandbox)


def test_a_bug_that_is_none_is_reported(tiny: Path, sandbox: Sandbox) -> None:
    for name, text in (("01", "4\n"), ("02", "6\n")):
        (tiny / f"bugs/sum/cases/{name}.out").write_text(text)
    assert "the buggy tree passes every test" in check(tiny, "sum", sandbox)


def test_a_wrong_verdict_on_record_is_reported(tiny: Path, sandbox: Sandbox) -> None:
    facts = tiny / "bugs/sum/bug.toml"
    facts.write_text(facts.read_text().replace('"WRONG"', '"CRASH"'))
    assert "is WRONG, not CRASH as its record says" in check(tiny, "sum", sandbox)


def test_trigger_and_regression_tests_must_be_what_they_are_called(tiny: Path, sandbox: Sandbox) -> None:
    facts = tiny / "bugs/shop/bug.toml"
    text = facts.read_text().replace("test_total", "test_X").replace("test_empty", "test_total").replace("test_X", "test_empty")
    facts.write_text(text)
    problems = check(tiny, "shop", sandbox)
    assert "trigger test tests/test_cart.py::test_empty passes on the buggy tree" in problems
    assert "regression test tests/test_cart.py::test_total fails on the buggy tree" in problems


def test_a_test_that_flips_is_flaky(tiny: Path, sandbox: Sandbox) -> None:
    tests = tiny / "bugs/shop/buggy/tests/test_cart.py"
    # The nanosecond clock is the nearest thing to chance that two runs in a fixed environment have.
    tests.write_text(
        tests.read_text().replace("    assert Cart([]).total() == 0", "    import time\n    assert time.time_ns() // 1000 % 2")
    )
    flaky = check_bug(open_benchmark(str(tiny)).bug("shop"), sandbox, repeats=12).flaky
    assert flaky == ("tests/test_cart.py::test_empty",)
