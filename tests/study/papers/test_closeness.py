"""What of a candidate is compared with the code, and what cannot be compared."""

import dataclasses
from pathlib import Path

import pytest

from repairlab.benchmarks.catalog import open_benchmark
from repairlab.core.bug import Bug, Provenance
from repairlab.core.candidate import Edit
from repairlab.core.text import Span
from repairlab.study.papers.closeness import Yardstick
from repairlab.study.papers.facts import project_of
from tests import builders
from tests.study.papers.conftest import BUGGY, FIXED

FUNCTION = "def answer(value): result = value - 1 return result"


@pytest.fixture
def bug(six_bugs: Path) -> Bug:
    return open_benchmark(str(six_bugs)).bug("Cli-1")


def yardstick(bug: Bug) -> Yardstick:
    return Yardstick(bug.problem.files, bug.problem.path, bug.problem.target, bug.oracle.reference)


def test_a_span_and_the_whole_file_are_the_same_candidate(bug: Bug) -> None:
    start = BUGGY.index("value - 1")
    part = Edit(path="main.py", text="value", span=Span(start=start, end=start + 9))
    near = yardstick(bug).measure([part])
    assert near is not None
    assert near == yardstick(bug).measure([Edit(path="main.py", text=FIXED)])
    assert near.is_exact
    assert near.to_fixed == 1.0
    assert near.to_buggy == pytest.approx(1 - 4 / len(FUNCTION), abs=1e-6)


def test_a_candidate_that_changes_more_than_the_function_is_compared_as_files(bug: Bug) -> None:
    near = yardstick(bug).measure([Edit(path="main.py", text=FIXED), Edit(path="more.py", text="x = 1\n")])
    assert near is not None
    assert not near.is_exact
    assert near.to_buggy < near.to_fixed < 1.0
    deleted = yardstick(bug).measure([Edit(path="main.py", text=None)])
    assert deleted is not None
    assert deleted.to_buggy == 0.0


def test_edits_that_do_not_apply_have_no_closeness(bug: Bug) -> None:
    assert yardstick(bug).measure([Edit(path="none.py", text="", span=Span(start=0, end=1))]) is None
    foreign = dataclasses.replace(bug.oracle, reference=(Edit(path="none.py", text="", span=Span(start=0, end=1)),))
    assert yardstick(dataclasses.replace(bug, oracle=foreign)).measure([Edit(path="main.py", text=FIXED)]) is None


def test_a_bug_without_a_number_belongs_to_its_repository(bug: Bug) -> None:
    origin = Provenance(repository="https://host.example/owner/library.git/")
    assert project_of("off-by-one", dataclasses.replace(bug, origin=origin), "toy") == "library"
    assert project_of("off-by-one", bug, "toy") == "toy"
    assert project_of("libyang@0a1b2c3d4e", None, "toy") == "libyang"


SOURCE = """import math


class Shop:
    def price(self):
        return self.net

    def total(self):
        return sum(self.parts)


LIMIT = 3
"""


@pytest.mark.parametrize(
    ("changes", "expected"),
    [
        ({"shop.py": ("self.net", "self.gross")}, (0.5, 1 / 3, 1 / 3)),
        ({"shop.py": ("self.net", "self.net + 1")}, (0.5, 1 / 3, 1 / 3)),
        ({"shop.py": ("return sum", "log()\n        return sum")}, (0.5, 1 / 3, 1 / 3)),
        ({"shop.py": ("(self.parts)", "(self.parts, 1)")}, (0.5, 1 / 3, 1 / 3)),
        ({"shop.py": ("def price", "def prices")}, (0.5, 1 / 3, 0.0)),
        ({"shop.py": ("LIMIT = 3", "LIMIT = 4")}, (0.5, 0.0, 0.0)),
        ({"other.py": ("x = 1", "x = 3"), "shop.py": ("self.net", "1")}, (1.0, 2 / 3, 2 / 3)),
        ({"new.py": ("", "x = 1")}, (0.0, 0.0, 0.0)),
    ],
)
def test_a_landing_is_the_share_of_the_fix_that_a_candidate_changes(
    changes: dict[str, tuple[str, str]], expected: tuple[float, float, float]
) -> None:
    files = {"shop.py": SOURCE, "other.py": "x = 1\n", "third.py": "y = 1\n"}
    fixed = SOURCE.replace("self.net", "self.gross").replace("        return sum", "        self.log()\n        return sum")
    fix = [Edit(path="shop.py", text=fixed), Edit(path="other.py", text="x = 2\n")]
    mine = [Edit(path=path, text=files.get(path, "").replace(old, new) if old else new) for path, (old, new) in changes.items()]
    target = builders.problem(SOURCE, path="shop.py").target
    near = Yardstick(files, "shop.py", target, fix).measure(mine)
    assert near is not None
    assert (near.landing.files, near.landing.functions, near.landing.lines) == pytest.approx(expected)
