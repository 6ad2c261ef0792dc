import pytest

from repairlab.core.oracle import Checker
from repairlab.core.outcome import Verdict
from repairlab.validation.checkers import check, first_difference

AC, WA, PE = Verdict.PLAUSIBLE, Verdict.WRONG, Verdict.PRESENTATION


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
    ],
)
def test_outputs_are_compared_as_the_checker_says(kind: str, output: bytes, expected: str, verdict: Verdict) -> None:
    assert check(output, expected, Checker(kind=kind)) is verdict  # type: ignore[arg-type]  # kinds are literals


def test_the_tolerance_is_absolute_or_relative_as_set() -> None:
    strict = Checker(kind="float", absolute=1e-9, relative=0.0)
    assert check(b"100.00000001", "100", strict) is WA
    assert check(b"100.00000001", "100", Checker(kind="float", absolute=0.0, relative=1e-9)) is AC


def test_the_first_difference_is_named() -> None:
    assert first_difference(b"1 x 3", "1 2 3") == "token 2 is 'x', expected '2'"
    assert first_difference(b"1", "1 2 3") == "output ends after 1 of 3 tokens; next expected '2'"
    assert first_difference(b"1 2", "1") == "1 tokens too many, the first is '2'"
    assert first_difference(b"1\n2", "1 2") == "same tokens, other layout"
    assert first_difference(b"x" * 100, "1").endswith("…, expected '1'")
