import pytest

from repairlab.core.oracle import Checker
from repairlab.core.outcome import TestVerdict
from repairlab.validation.checkers import check, first_difference

AC, WA, PE = TestVerdict.PASSED, TestVerdict.WRONG, TestVerdict.PRESENTATION


@pytest.mark.parametrize(
    ("kind", "output", "expected", "verdict"),
    [
        ("tokens", b"1 2\n3\n", "1 2\n3\n", AC),
        ("tokens", b"1   2 3", "1 2\n3\n", AC),
        ("tokens", b"1 2\r\n3\r\n", "1 2\n3\n", AC),
        ("tokens", b"1 2", "1 2\n3\n", WA),
        ("tokens", b"1 2 3 4", "1 2\n3\n", WA),
        ("tokens", b"\xef\xbb\xbf1 2 3", "1 2\n3\n", WA),
        ("tokens", b"\xff\xfe", "1", WA),
        ("tokens", b"", "1", WA),
        ("tokens", b"", "", AC),
        ("tokens", b"YES", "Yes", WA),
        ("tokens", "1\u00a02".encode(), "1 2", WA),
        ("lines", b"1 2\n3", "1 2\n3\n", AC),
        ("lines", b"1 2  \n3\n\n\n", "1 2\n3\n", AC),
        ("lines", b"1 2 3\n", "1 2\n3\n", PE),
        ("lines", b"1\n2\n3\n", "1 2\n3\n", PE),
        ("lines", b"1 3\n2\n", "1 2\n3\n", WA),
        ("exact", b"a  b\n", "a  b", AC),
        ("exact", b"a b\n", "a  b", PE),
        ("exact", b"a  b\n\n", "a  b\n", PE),
        ("exact", b"a\r\nb\r\n", "a\nb\n", AC),
        ("exact", b"a c", "a b", WA),
        ("float", b"0.3333333", "0.33333333333", AC),
        ("float", b"0.3334", "0.3333", WA),
        ("float", b"1e-7", "0.0", AC),
        ("float", b"1000000.5", "1000000", AC),
        ("float", b"9007199254740993", "9007199254740992", WA),
        ("float", b"007", "7", AC),
        ("float", b"nan", "1.0", WA),
        ("float", b"nan", "NaN", AC),
        ("float", b"inf", "-inf", WA),
        ("float", b"inf", "1e308", WA),
        ("float", b"Infinity", "inf", AC),
        ("float", b"1-2", "1", WA),
        ("float", b"YES 0.5000000001", "YES 0.5", AC),
        ("float", b"1 2", "1", WA),
        ("float", b"1" * 6000, "1" * 5999 + "2", WA),
        ("float", b"-0", "0", AC),
        ("float", b"-0.0", "0", AC),
        ("float", b"-0.0000001", "0.0", AC),
        ("tokens", b"-0", "0", WA),
        ("lines", b"-0.0", "0.0", WA),
        ("float", b"0.100001", "0.1", AC),  # just the tolerance
        ("float", b"0.1000011", "0.1", WA),
        ("float", b".5", "0.5", AC),
        ("float", b"5.", "5.0", AC),
        ("float", b"+5.0", "5.0", AC),
        ("float", b"5e0", "5.0", AC),
        ("float", b"0x5", "5.0", WA),
        ("float", b"5.0.0", "5.0", WA),
        ("float", b"1_0", "10.0", WA),
        ("float", "٥".encode(), "5.0", WA),
        ("float", b"\xef\xbb\xbf5.0", "5.0", WA),
        ("float", b"5.0\r\n", "5.0\n", AC),
        ("float", b"-nan", "nan", AC),
        ("float", b"1.0", "nan", WA),
        ("float", b"nan", "inf", WA),
        ("float", b"+inf", "Infinity", AC),
        ("float", b"1.0", "inf", WA),
        ("float", b"1e999", "inf", WA),
        ("float", b"1e999", "1e998", WA),
        ("float", b"1e999", "1e999", AC),
        ("float", b"-1e308", "1.7e308", WA),
        ("unordered", b"b 2\na 1\n", "a 1\nb 2\n", AC),
        ("unordered", b"b  2\r\na 1 \r\n\n", "a 1\nb 2\n", AC),
        ("unordered", b"a 1\na 1\nb 2\n", "a 1\nb 2\nb 2\n", WA),  # a bag, not a set
        ("unordered", b"a 1\nb 2\nb 2\n", "a 1\nb 2\n", WA),
        ("unordered", b"a 1\n", "a 1\nb 2\n", WA),
        ("unordered", b"1 a\nb 2\n", "a 1\nb 2\n", WA),  # the words of a line have their order
        ("unordered", b"a 1 b 2\n", "a 1\nb 2\n", PE),
        ("unordered", b"b 2\n\na 1\n", "a 1\nb 2\n", PE),
        ("unordered", b"b 2 a 1\n", "a 1\nb 2\n", WA),  # neither lines nor order
        ("unordered", b"", "", AC),
    ],
)
def test_outputs_are_compared_as_the_checker_says(kind: str, output: bytes, expected: str, verdict: TestVerdict) -> None:
    assert check(output, expected, Checker(kind=kind)) is verdict  # type: ignore[arg-type]  # kinds are literals


def test_the_tolerance_is_absolute_or_relative_as_set() -> None:
    strict = Checker(kind="float", absolute=1e-9, relative=0.0)
    assert check(b"100.00000001", "100", strict) is WA
    assert check(b"100.00000001", "100", Checker(kind="float", absolute=0.0, relative=1e-9)) is AC


@pytest.mark.parametrize("tolerance", [1e-6, 1e-8])
def test_a_profile_is_absolute_for_small_numbers_and_relative_for_large_ones(tolerance: float) -> None:
    profile = Checker(kind="float", absolute=tolerance, relative=tolerance)
    for value in (0.0, 0.5, 3.0, 123456.5, -123456.5):
        allowed = tolerance * max(1.0, abs(value))
        assert check(repr(value + 0.9 * allowed).encode(), repr(value), profile) is AC
        assert check(repr(value - 0.9 * allowed).encode(), repr(value), profile) is AC
        assert check(repr(value + 1.5 * allowed).encode(), repr(value), profile) is WA


@pytest.mark.parametrize("token", [b"1" * 2_000_000 + b"x", b"1." + b"1" * 2_000_000 + b".", b"1e" + b"1" * 2_000_000 + b"x"])
def test_a_very_long_word_is_judged_in_time_that_grows_with_its_length(token: bytes) -> None:
    # With a pattern that can match digits in two ways, each of these would take days.
    assert check(token, "1.0", Checker(kind="float")) is WA


def test_no_comparison_stands_in_for_a_checker_program() -> None:
    with pytest.raises(ValueError, match="judges in a sandbox"):
        check(b"1", "1", Checker(kind="program"))


def test_the_first_difference_is_named() -> None:
    assert first_difference(b"1 x 3", "1 2 3") == "token 2 is 'x', expected '2'"
    assert first_difference(b"1", "1 2 3") == "output ends after 1 of 3 tokens; next expected '2'"
    assert first_difference(b"1 2", "1") == "1 tokens too many, the first is '2'"
    assert first_difference(b"1\n2", "1 2") == "same tokens, other layout"
    assert first_difference(b"x" * 100, "1").endswith("…, expected '1'")


def test_the_first_difference_is_one_for_the_checker() -> None:
    floats = Checker(kind="float")
    assert first_difference(b"0.5000000001 2.0", "0.5 1.0", checker=floats) == "token 2 is '2.0', expected '1.0'"
    lines = Checker(kind="unordered")
    assert first_difference(b"b\na\n", "a\nc d\n", checker=lines) == "no line 'c d', in whatever order (1 of 2 missing)"
    assert first_difference(b"b\na\na\n", "a\nb\n", checker=lines) == "1 lines too many, the first is 'a'"
