"""A test that flipped for one fix of a project is no test of its other bugs."""

import shutil
from pathlib import Path

from repairlab.benchmarks.catalog import open_benchmark
from repairlab.building.amending import leave_out

TOTAL, EMPTY = "tests/test_cart.py::test_total", "tests/test_cart.py::test_empty"


def bench(tiny: Path) -> Path:
    """Make three bugs of the project, in two repositories."""
    for name in ("shop@1", "shop@2", "other@1"):
        shutil.copytree(tiny / "bugs" / "shop", tiny / "bugs" / name)
    return tiny


def test_it_is_left_out_of_all_bugs_of_the_project_and_of_no_other(tiny: Path) -> None:
    bugs = [bug for bug in open_benchmark(str(bench(tiny))) if "@" in bug.id]
    told = list(leave_out(bugs, {"shop": {EMPTY, "tests/test_gone.py::test_gone"}}))
    assert [note.partition(":")[0] for note in told] == ["shop@1", "shop@2"] and all(note.endswith(EMPTY) for note in told)
    opened = open_benchmark(str(tiny))
    assert opened.bug("shop@1").oracle.excluded == opened.bug("shop@2").oracle.excluded == (EMPTY,)
    assert opened.bug("shop@1").oracle.regression == () and opened.bug("other@1").oracle.regression == (EMPTY,)


def test_a_bug_of_which_nothing_would_be_left_is_told(tiny: Path) -> None:
    (told,) = leave_out([open_benchmark(str(bench(tiny))).bug("shop@1")], {"shop": {TOTAL}})
    assert "nothing that shows the bug would be left" in told
    assert open_benchmark(str(tiny)).bug("shop@1").oracle.trigger == (TOTAL,)
