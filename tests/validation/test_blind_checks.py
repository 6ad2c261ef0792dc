"""What blind tests say is compared as the tests would compare it, whatever a candidate says."""

import json
from typing import Any

import pytest

from repairlab.languages.blind import BlindCheck, How
from repairlab.languages.python.runners.python_saying import freeze
from repairlab.validation.blind_checks import by_test, difference, holds, is_telling


def check(how: How, expected: Any = None, **more: Any) -> BlindCheck:
    return BlindCheck(number=1, line=1, text="assert it", how=how, expected="" if expected is None else freeze(expected), **more)


def raw(how: How, expected: str) -> BlindCheck:
    return BlindCheck(number=1, line=1, text="assert it", how=how, expected=expected)


@pytest.mark.parametrize(
    ("how", "said", "expected", "is_met"),
    [
        ("equal", 1, 1.0, True),
        ("equal", True, 1, True),
        ("equal", 0.1 + 0.2, 0.3, False),
        ("equal", -0.0, 0, True),
        ("equal", "1", 1, False),
        ("equal", [1, (2, 3)], (1, [2, 3]), True),
        ("equal", [1, 2], [1], False),
        ("equal", {"a": 1, "b": [2]}, {"b": [2.0], "a": True}, True),
        ("equal", {"a": 1}, {"a": 2}, False),
        ("equal", {1, 2}, frozenset((2, 1)), True),
        ("equal", {1, 2}, {1, 3}, False),
        ("equal", b"ab", bytearray(b"ab"), True),
        ("equal", None, 0, False),
        ("equal", float("nan"), float("nan"), True),
        ("equal", float("inf"), float("-inf"), False),
        ("equal", 10**400, 10**400 + 1, False),
        ("different", 1, 2, True),
        ("different", 1, 1.0, False),
        ("less", 1, 2, True),
        ("less", 2, 2, False),
        ("at most", 2, 2, True),
        ("more", [1, 10], [1, 9], True),
        ("more", "b", "a", True),
        ("at least", 1, 2, False),
        ("less", "1", 2, False),
        ("less", None, 2, False),
        ("contains", "hello", "ell", True),
        ("contains", [1, 2], 2.0, True),
        ("contains", {"a": 1}, "a", True),
        ("contains", 5, 5, False),
        ("lacks", "hello", "x", True),
        ("in", 2, [1, 2], True),
        ("not in", 2, [1, 2], False),
        ("matches", "version 12", r"\d+$", True),
        ("matches", "version", r"\d+$", False),
        ("same items", [1, 2, 2], [2, 1, 2], True),
        ("same items", [1, 2, 2], [2, 1, 1], False),
        ("raised", ["ParseError", "ValueError"], ["ValueError"], True),
        ("raised", ["ParseError"], ["ValueError", "KeyError"], False),
        ("raised", None, ["ValueError"], False),
    ],
)
def test_relations_mean_what_they_mean_in_a_test(how: How, said: Any, expected: Any, is_met: bool) -> None:
    assert holds(check(how, expected), freeze(said), None) is is_met


@pytest.mark.parametrize(
    ("said", "expected", "tolerance", "is_met"),
    [
        (1.05, 1, "0.1", True),
        (1.2, 1, "0.1", False),
        (1000001, 1000000, "1e-06r 1e-12", True),
        (1e-13, 0.0, "1e-06r 1e-12", True),
        ([1.0, {"a": 2.05}], [1, {"a": 2}], "0.1", True),
        ([1.0], [1.0, 2.0], "0.1", False),
        ("a", 1, "0.1", False),
    ],
)
def test_near_is_as_near_as_the_test_wants(said: Any, expected: Any, tolerance: str, is_met: bool) -> None:
    assert holds(check("near", expected, tolerance=tolerance), freeze(said), None) is is_met


def test_without_an_expectation_the_reference_fix_tells() -> None:
    assert holds(check("equal"), '["i","1"]', '["f","1.0"]')
    assert not holds(check("equal"), '["i","1"]', '["i","2"]')
    assert not holds(check("same"), '["i","1"]', '["f","1.0"]')
    parsed = freeze(["ParseError", "ValueError", "Exception"])
    assert holds(check("raised"), freeze(["Own", "ParseError", "Exception"]), parsed)
    assert not holds(check("raised"), freeze(["KeyError", "Exception"]), parsed), "what everything is tells nothing"


def test_two_values_are_compared_with_each_other() -> None:
    assert holds(check("more", of_two=True), freeze([[1, 10], [1, 9]]), None)
    assert not holds(check("more", of_two=True), freeze([[1, 9], [1, 10]]), freeze([[2], [1]]))


@pytest.mark.parametrize(
    "said",
    ["", "null", "[]", '["i"]', '["i","x"]', '["f","1e999999999"]', '["q","1"]', "[" * 5000, '["l",5]', '["d",[1]]', '["o"]'],
)
def test_what_is_no_frozen_value_is_never_what_was_expected(said: str) -> None:
    for how in ("equal", "less", "contains", "near", "raised", "matches", "same items"):
        assert not holds(raw(how, '["l",[["s","a"]]]'), said, None)


def test_objects_are_compared_by_what_can_be_seen_of_them() -> None:
    point, more = ["o", "Point", [["x", ["i", "1"]]]], ["o", "Point", [["x", ["i", "1"]], ["cached", ["n"]]]]
    assert holds(check("equal"), json.dumps(more), json.dumps(point))
    assert not holds(check("equal"), json.dumps(point), json.dumps(more))
    assert not is_telling(check("equal"), '["l",[["o","Point"]]]')
    assert is_telling(check("equal"), json.dumps(point))


def test_what_is_said_belongs_to_the_test_that_ends_next() -> None:
    said = by_test([("1", "a"), ("1", "b"), ("end", "test_a"), ("2", "c"), ("end", "test_b"), ("3", "lost")])
    assert said == {"test_a": {"1": ("a", "b"), "end": ("test_a",)}, "test_b": {"2": ("c",), "end": ("test_b",)}}


@pytest.mark.parametrize(
    ("said", "found"),
    [
        ({"1": ('["i","1"]',), "end": ("t",)}, None),
        ({"1": ('["i","2"]',), "end": ("t",)}, "assert it"),
        ({"1": ('["i","1"]', '["i","1"]'), "end": ("t",)}, "assert it"),
        ({"end": ("t",)}, "assert it"),
        ({"1": ('["i","1"]',)}, "its end"),
        ({"1": ('["i","1"]',), "end": ("t", "t")}, "its end"),
        ({"1": ('["i","1"]',), "7": ('["i","1"]',), "end": ("t",)}, "what it does not assert"),
    ],
)
def test_each_assertion_is_met_as_often_as_by_the_reference_fix(said: dict[str, tuple[str, ...]], found: str | None) -> None:
    due = {"1": ('["i","1"]',), "end": ("t",)}
    assert difference(said, due, {"1": check("equal", 1)}) == found


def test_an_assertion_in_a_branch_counts_where_it_is_met() -> None:
    checks = {"1": check("equal", 1, always=False)}
    due = {"1": ('["i","1"]',), "end": ("t",)}
    assert difference({"end": ("t",)}, due, checks) is None
    assert difference({"1": ('["i","2"]', '["i","1"]'), "end": ("t",)}, due, checks) == "assert it"
