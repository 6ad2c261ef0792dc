"""Compare a program's output with the expected one, outside the sandbox. Called by `verdict` for stdin/stdout bugs."""

import math
import re
from collections import Counter
from collections.abc import Iterable

from repairlab.core.oracle import Case, Checker
from repairlab.core.outcome import TestVerdict
from repairlab.core.record import record

_INTEGER = re.compile(rb"[+-]?\d+")
# Each character can be matched in one way only: a token of 16 MB must not cost more than one look at each.
_NUMBER = re.compile(rb"[+-]?(?:(?:\d+(?:\.\d*)?|\.\d+)(?:[eE][+-]?\d+)?|inf|infinity|nan)", re.IGNORECASE)
_SLACK = 1 + 1e-9
"""A difference of just the tolerance passes, whatever the last bit of a double makes of it."""


@record
class CheckerResult:
    """What a checker says of one output, and why when it is not right."""

    verdict: TestVerdict
    message: str = ""


def compare(case: Case, output: bytes) -> CheckerResult:
    """Judge an output by the case's own checker, which must not be a program."""
    verdict = check(output, case.expected, case.checker)
    passed = verdict is TestVerdict.PASSED
    return CheckerResult(verdict=verdict, message="" if passed else first_difference(output, case.expected, checker=case.checker))


def check(output: bytes, expected: str, checker: Checker) -> TestVerdict:
    """Return PASSED, WRONG, or PRESENTATION when only the layout differs and the checker is strict about it."""
    if checker.kind == "program":
        raise ValueError("a checker program judges in a sandbox, see custom_checker")
    wanted = expected.encode("utf-8")
    if checker.kind == "unordered":
        return _check_unordered(output, wanted)
    tokens, wanted_tokens = output.split(), wanted.split()
    if checker.kind == "float":
        same = len(tokens) == len(wanted_tokens) and all(
            _near(token, other, checker) for token, other in zip(tokens, wanted_tokens, strict=True)
        )
        return TestVerdict.PASSED if same else TestVerdict.WRONG
    if tokens != wanted_tokens:
        return TestVerdict.WRONG
    if checker.kind == "lines" and _lines(output) != _lines(wanted):
        return TestVerdict.PRESENTATION
    if checker.kind == "exact" and _unix(output).removesuffix(b"\n") != _unix(wanted).removesuffix(b"\n"):
        return TestVerdict.PRESENTATION
    return TestVerdict.PASSED


def first_difference(output: bytes, expected: str, *, checker: Checker = Checker()) -> str:  # noqa: B008  # frozen
    """Say in one line where two outputs begin to differ."""
    if checker.kind == "unordered":
        return _line_difference(output, expected.encode("utf-8"))
    got, wanted = output.split(), expected.encode("utf-8").split()
    for index, token in enumerate(wanted):
        if index >= len(got):
            return f"output ends after {len(got)} of {len(wanted)} tokens; next expected {_show(token)}"
        if got[index] != token and not (checker.kind == "float" and _near(got[index], token, checker)):
            return f"token {index + 1} is {_show(got[index])}, expected {_show(token)}"
    if len(got) > len(wanted):
        return f"{len(got) - len(wanted)} tokens too many, the first is {_show(got[len(wanted)])}"
    return "same tokens, other layout"


def _check_unordered(output: bytes, wanted: bytes) -> TestVerdict:
    """Compare lines as a bag; only line breaks may be wrong for PRESENTATION, not lines and their order at once."""
    lines, wanted_lines = _lines(output), _lines(wanted)
    if _bag(lines) == _bag(wanted_lines):
        return TestVerdict.PASSED
    only_blank = _bag(line for line in lines if line) == _bag(line for line in wanted_lines if line)
    return TestVerdict.PRESENTATION if only_blank or output.split() == wanted.split() else TestVerdict.WRONG


def _line_difference(output: bytes, wanted: bytes) -> str:
    got, due = _bag(_lines(output)), _bag(_lines(wanted))
    if missing := due - got:
        return f"no line {_show(b' '.join(next(iter(missing))))}, in whatever order ({missing.total()} of {due.total()} missing)"
    extra = got - due
    return f"{extra.total()} lines too many, the first is {_show(b' '.join(next(iter(extra))))}" if extra else "same lines"


def _bag(lines: Iterable[list[bytes]]) -> Counter[tuple[bytes, ...]]:
    return Counter(map(tuple, lines))


def _show(token: bytes) -> str:
    text = repr(token[:200].decode("utf-8", "backslashreplace"))
    return text if len(text) <= 60 else text[:57] + "…"


def _unix(text: bytes) -> bytes:
    return text.replace(b"\r\n", b"\n")


def _lines(text: bytes) -> list[list[bytes]]:
    """Return the tokens of each line, without blank lines at the end."""
    lines = [line.split() for line in _unix(text).split(b"\n")]
    while lines and not lines[-1]:
        lines.pop()
    return lines


def _near(token: bytes, wanted: bytes, checker: Checker) -> bool:
    if token == wanted:
        return True
    if not (_NUMBER.fullmatch(token) and _NUMBER.fullmatch(wanted)):
        return False
    if _INTEGER.fullmatch(token) and _INTEGER.fullmatch(wanted):
        # Large integers differ by less than any relative tolerance, and must not be equal for that.
        return _plain(token) == _plain(wanted)
    got, value = float(token), float(wanted)
    if math.isnan(value) or math.isnan(got):
        return math.isnan(value) and math.isnan(got)
    if math.isinf(value) or math.isinf(got):
        # 1e999 is a number that a double cannot hold: no infinity, and not equal to 1e998.
        return got == value and _is_word(token) and _is_word(wanted)
    return abs(got - value) <= max(checker.absolute, checker.relative * abs(value)) * _SLACK


def _is_word(number: bytes) -> bool:
    return number.lstrip(b"+-")[:1].isalpha()


def _plain(integer: bytes) -> bytes:
    """Return an integer without plus sign and leading zeros; text, because it may have any number of digits."""
    sign = b"-" if integer.startswith(b"-") else b""
    digits = integer.lstrip(b"+-").lstrip(b"0") or b"0"
    return digits if digits == b"0" else sign + digits
