"""Which tests belong to an imported bug is found out by running them on the fixed and on the buggy tree."""

import dataclasses
import tomllib
from collections import Counter
from pathlib import Path
from typing import Any

import pytest

from repairlab.benchmarks.catalog import open_benchmark
from repairlab.building.discovery import DiscoveredTests, DiscoveryStage, Search, discovering
from repairlab.core.execution import Command, Execution
from repairlab.sandbox.sandbox import Sandbox
from repairlab.validation.time_limits import BUSY_MARGIN, MARGIN

TOTAL, EMPTY = "tests/test_cart.py::test_total", "tests/test_cart.py::test_empty"
# Over the buggy tree the first command is the build, then each test runs, and then what failed runs again.
UNSTEADY = "assert Cart([1]).total() or int(os.environ['TURN']) > 3"


class Counting:
    """The real sandbox, which tells every command how many there were before it over the same tree."""

    def __init__(self, sandbox: Sandbox) -> None:
        self.name = sandbox.name
        self.reside, self.slot = sandbox.reside, sandbox.slot
        self._sandbox = sandbox
        self._turns: Counter[Path] = Counter()
        self.limits: set[float] = set()

    def run(self, command: Command, tree: Path) -> Execution:
        self._turns[tree] += 1
        self.limits.add(command.limits.cpu_s)
        env = (*command.env, ("TURN", str(self._turns[tree])))
        return self._sandbox.run(dataclasses.replace(command, env=env), tree)


def found(
    tiny: Path, sandbox: Sandbox, empty: str = "assert Cart([]).total() == 0", *, unsorted: bool = True, **how: Any
) -> DiscoveredTests:
    """Discover the tests of the bug `shop`, one of which is rewritten."""
    facts = how.pop("facts", {})
    tests = tiny / "bugs/shop/buggy/tests/test_cart.py"
    tests.write_text(tests.read_text().replace("assert Cart([]).total() == 0", empty))
    bug = open_benchmark(str(tiny)).bug("shop")
    search = Search(
        folder=tiny / "bugs/shop",
        benchmark="tiny",
        bug_id="shop",
        digest=bug.digest,
        language="python",
        facts=facts,
        places=("tests/test_cart.py",),
        unsorted=unsorted,
        **how,
    )
    seen: list[DiscoveredTests | DiscoveryStage] = []
    with discovering(Counting(sandbox), seen.append) as discover:
        discover(search)
    stages, last = [event.stage for event in seen[:-1] if isinstance(event, DiscoveryStage)], seen[-1]
    assert len(stages) == len(seen) - 1 and stages[0] == "building"
    assert isinstance(last, DiscoveredTests)
    return last


def test_tests_are_sorted_by_what_they_say_of_the_buggy_tree(tiny: Path, sandbox: Sandbox) -> None:
    seen = found(tiny, sandbox)
    assert seen == DiscoveredTests(bug_id="shop", trigger=(TOTAL,), regression=(EMPTY,))
    assert seen.symptom.startswith(f"{TOTAL}: assert 1 == 3")
    assert seen.error.startswith(f"{TOTAL}: assert 1 == 3")


def test_what_fails_with_the_fix_now_and_then_is_left_out(tiny: Path, sandbox: Sandbox) -> None:
    # Before the sixth command there were the build, the listing, and both tests by themselves; this is the second time.
    seen = found(tiny, sandbox, "import os\n    assert int(os.environ['TURN']) != 6", repeat=2)
    assert (seen.trigger, seen.regression) == ((TOTAL,), ())
    assert "1 test left out, not passing on the fixed tree each time: tests/test_cart.py::test_empty" in seen.notes[0]
    assert seen.unsteady == (EMPTY,)


def test_what_fails_without_the_fix_now_and_then_is_no_trigger_test(tiny: Path, sandbox: Sandbox) -> None:
    seen = found(tiny, sandbox, f"import os\n    {UNSTEADY}")
    assert (seen.trigger, seen.regression) == ((TOTAL,), ())
    assert "1 test left out, failing on the buggy tree only now and then: tests/test_cart.py::test_empty" in seen.notes[0]
    assert seen.unsteady == (EMPTY,)


@pytest.mark.slow
def test_what_fails_without_the_fix_now_and_then_is_told_where_nothing_is_left(tiny: Path, sandbox: Sandbox) -> None:
    tests = tiny / "bugs/shop/buggy/tests/test_cart.py"
    tests.write_text(tests.read_text().replace("assert Cart([1, 2]).total() == 3", f"import os\n    {UNSTEADY}"))
    seen = found(tiny, sandbox)
    assert "tests/test_cart.py::test_total: fails on the buggy tree only now and then" in seen.problem
    assert seen.unsteady == (TOTAL,)


def test_what_fails_without_the_fix_and_is_not_named_is_left_out(tiny: Path, sandbox: Sandbox) -> None:
    seen = found(tiny, sandbox, "assert Cart([1]).total() == 1", unsorted=False)
    assert (seen.trigger, seen.regression) == ((TOTAL,), ())
    assert "without being trigger tests: tests/test_cart.py::test_empty" in seen.notes[0]


@pytest.mark.slow
def test_a_bug_that_shows_in_another_environment_is_tested_there(tiny: Path, sandbox: Sandbox) -> None:
    tests = tiny / "bugs/shop/buggy/tests/test_cart.py"
    hidden = "import os\n    assert 'ELSEWHERE' not in os.environ or Cart([1, 2]).total() == 3"
    tests.write_text(tests.read_text().replace("assert Cart([1, 2]).total() == 3", hidden))
    facts = tomllib.loads((tiny / "bugs/shop/bug.toml").read_text())
    seen = found(tiny, sandbox, unsorted=False, facts=facts)
    assert (seen.unseen, seen.env, seen.trigger) == (True, {}, ())
    seen = found(tiny, sandbox, unsorted=False, facts=facts, other_env={"NOWHERE": "1"})
    assert seen.problem.endswith(f"({TOTAL}: passes on the buggy tree)")
    seen = found(tiny, sandbox, unsorted=False, facts=facts, other_env={"ELSEWHERE": "1"})
    assert (seen.trigger, seen.regression, seen.env) == ((TOTAL,), (EMPTY,), {"ELSEWHERE": "1"})
    assert seen.notes == ("tested with ELSEWHERE=1, for without it trigger tests pass on the buggy tree",)


@pytest.mark.slow
def test_limits_that_may_be_less_come_down_to_what_the_tests_need(tiny: Path, sandbox: Sandbox) -> None:
    recipe = tiny / "bugs/shop/bug.toml"
    recipe.write_text(f"{recipe.read_text()}\n[limits]\ncpu_s = 600.0\nwall_s = 900.0\n")
    assert found(tiny, sandbox).limits == {}
    assert found(tiny, sandbox, generous=True).limits["cpu_s"] < 600.0


@pytest.mark.slow
def test_tests_that_are_late_with_the_fix_take_time_from_those_after_them_and_these_are_found(
    tiny: Path, sandbox: Sandbox, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("repairlab.validation.time_limits.HURRIED_S", 0.75)
    tests = tiny / "bugs/shop/buggy/tests/test_cart.py"
    tests.write_text(f"{tests.read_text()}\n\n@pytest.mark.parametrize('n', [1, 2, 3])\ndef test_loops(n):\n    while n: pass\n")
    tests.write_text(f"import pytest\n{tests.read_text()}\n\ndef test_last():\n    pass\n")
    recipe = tiny / "bugs/shop/bug.toml"
    recipe.write_text(f"{recipe.read_text()}\n[limits]\ncpu_s = 2.0\n")
    counting = Counting(sandbox)
    seen = found(tiny, counting, unsorted=False)
    assert (seen.trigger, seen.regression) == ((TOTAL,), (EMPTY, "tests/test_cart.py::test_last"))
    assert "3 tests left out, not passing on the fixed tree each time: tests/test_cart.py::test_loops[1]" in seen.notes[0]
    assert {0.75 * MARGIN, 0.75 * BUSY_MARGIN} & set(counting.limits)
