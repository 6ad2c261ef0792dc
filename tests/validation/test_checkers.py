import math
import tracemalloc

import pytest
from hypothesis import given
from hypothesis import strategies as st

from repairlab.core.bug import Case, Checker, CheckerKind
from repairlab.core.outcome import TestVerdict
from repairlab.validation.checkers import check, compare, first_difference

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
    assert first_difference(b"1 2", "1") == "1 token too many, the first is '2'"
    assert first_difference(b"1\n2", "1 2") == "same tokens, other layout"
    assert first_difference(b"x" * 100, "1").endswith("…, expected '1'")


def test_the_first_difference_is_one_for_the_checker() -> None:
    floats = Checker(kind="float")
    assert first_difference(b"0.5000000001 2.0", "0.5 1.0", checker=floats) == "token 2 is '2.0', expected '1.0'"
    lines = Checker(kind="unordered")
    assert first_difference(b"b\na\n", "a\nc d\n", checker=lines) == "no line 'c d', in whatever order (1 of 2 missing)"
    assert first_difference(b"b\na\na\n", "a\nb\n", checker=lines) == "1 line too many, the first is 'a'"


BLANKS = {
    "newlines": b"\n",
    "spaces": b" ",
    "CRLF": b"\r\n",
    "returns": b"\r",
    "blank lines with spaces": b"  \n",
    "form feeds": b"\f",
}


@pytest.mark.parametrize("blank", BLANKS.values(), ids=BLANKS)
@pytest.mark.parametrize("kind", ["tokens", "lines", "exact", "float", "unordered"])
def test_a_flood_of_blanks_costs_no_object_for_each(kind: CheckerKind, blank: bytes) -> None:
    """A list for each blank line took 3 GB and most of a minute for 16 MB of them, outside the sandbox."""
    flood, checker = blank * (300_000 // len(blank)), Checker(kind=kind)
    tracemalloc.start()
    try:
        between = compare(Case(id="1", input="", expected="1\n2\n", checker=checker), b"1\n" + flood + b"2\n")
        after = check(b"1\n2\n" + flood, "1\n2\n", checker)
        before = check(flood + b"\n1\n2\n", "1\n2\n", checker)
        _, peak = tracemalloc.get_traced_memory()
    finally:
        tracemalloc.stop()
    assert peak < 16 * len(flood)
    has_lines, is_exact = b"\n" in blank, kind == "exact"
    assert between.verdict is (PE if is_exact or (has_lines and kind in ("lines", "unordered")) else AC)
    assert after is (PE if is_exact else AC)
    assert before is (AC if kind in ("tokens", "float") else PE)


@pytest.mark.parametrize("kind", ["tokens", "lines", "exact", "float"])
def test_a_flood_of_words_is_counted_and_not_kept(kind: CheckerKind) -> None:
    words = b"12 " * 100_000
    tracemalloc.start()
    try:
        found = compare(Case(id="1", input="", expected="12\n", checker=Checker(kind=kind)), words)
        _, peak = tracemalloc.get_traced_memory()
    finally:
        tracemalloc.stop()
    assert (found.verdict, found.message) == (WA, "99999 tokens too many, the first is '12'")
    assert peak < 8 * len(words)


def lines_of(text: bytes) -> list[list[bytes]]:
    """Return the words of each line, as the documentation says it, for small texts."""
    lines = [line.split() for line in text.replace(b"\r\n", b"\n").split(b"\n")]
    while lines and not lines[-1]:
        lines.pop()
    return lines


TEXTS = st.text(alphabet="ab1 \t\r\n\f\v", max_size=12)


@given(TEXTS, TEXTS)
def test_the_layout_is_that_of_the_words_of_each_line(output: str, expected: str) -> None:
    given_lines, due_lines = lines_of(output.encode()), lines_of(expected.encode())
    same_words = output.encode().split() == expected.encode().split()
    assert check(output.encode(), expected, Checker(kind="tokens")) is (AC if same_words else WA)
    verdict = AC if given_lines == due_lines else PE if same_words else WA
    assert check(output.encode(), expected, Checker(kind="lines")) is verdict
    bags = [sorted(lines) for lines in (given_lines, due_lines)]
    without_blank = [[line for line in bag if line] for bag in bags]
    loose = same_words or without_blank[0] == without_blank[1]
    assert check(output.encode(), expected, Checker(kind="unordered")) is (AC if bags[0] == bags[1] else PE if loose else WA)


WORDS = ["inf", "+inf", "-inf", "Infinity", "-INFINITY", "nan", "-nan", "NaN", "1e999", "-1e999", "9" * 400]
NUMBERS = st.one_of(st.sampled_from(WORDS), st.floats(allow_nan=False, allow_infinity=False).map(repr), st.integers().map(str))


@given(NUMBERS, NUMBERS, st.floats(0, 1e300), st.floats(0, 1, exclude_max=True))
def test_what_is_no_number_is_near_to_none_whatever_the_tolerance(got: str, due: str, absolute: float, relative: float) -> None:
    checker = Checker(kind="float", absolute=absolute, relative=relative)
    verdict = check(got.encode(), due, checker)
    if got == due:
        assert verdict is AC
        return
    values = [float(text) for text in (got, due)]
    words = [text.strip("+-")[0].isalpha() for text in (got, due)]
    if any(math.isnan(value) for value in values):
        assert verdict is (AC if all(math.isnan(value) for value in values) else WA)
    elif any(math.isinf(value) for value in values):
        assert verdict is (AC if all(words) and values[0] == values[1] else WA)
    elif verdict is AC:
        assert abs(values[0] - values[1]) <= max(absolute, relative * abs(values[1])) * (1 + 1e-6)
