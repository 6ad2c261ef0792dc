"""Blind test files of C and C++: what they say when they run, and that what tests expect is gone from them."""

import json
from pathlib import Path

import pytest

from repairlab.benchmarks.catalog import open_benchmark
from repairlab.languages.language import Tools
from repairlab.languages.native.language import C, Cpp
from tests.languages.conftest import blinded

QUICK = ("c-date-iso-week", "c-table-lost-after-delete", "cpp-utf8-decode")
SLOW = (
    *("c-bitmap-last-run", "c-ini-quoted-value", "c-lru-evict-accounting", "c-path-parent-of-relative", "c-ring-buffer-wrap"),
    *("c-varint-wide-values", "cpp-event-bus", "cpp-interval-merge", "cpp-matrix-transpose", "cpp-object-pool"),
    *("cpp-rational-sign", "cpp-settings-fallback", "cpp-table-multiline"),
)


@pytest.mark.parametrize("name", [*QUICK, *(pytest.param(name, marks=pytest.mark.slow) for name in SLOW)])
def test_tests_of_starter_are_blind(name: str, tmp_path: Path, tools: Tools) -> None:
    bug = open_benchmark("starter").bug(name)
    made = blinded(bug, (C if bug.problem.language == "c" else Cpp)(tools), "tests/*.c*")
    said, again = (made.said(tmp_path / folder, bug.oracle.reference) for folder in ("fixed", "again"))
    assert said == again
    buggy = made.said(tmp_path / "buggy")
    left_out = {test for file in made.files.values() for test in file.open}
    assert len(left_out) <= (5 if name == "cpp-matrix-transpose" else 1 if name == "cpp-rational-sign" else 0)
    for test in {*bug.oracle.trigger, *bug.oracle.regression} - left_out:
        lines = said[test]
        assert lines[-1] == ("end", test)
        assert len(lines) > 1
        for number, value in lines[:-1]:
            check = made.checks[number]
            assert check.how != "equal" or not check.expected or json.loads(check.expected) == json.loads(value)
            assert '"o"' not in value
        assert (buggy.get(test) != lines) is (test in bug.oracle.trigger)
