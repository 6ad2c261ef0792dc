"""Compare a program's output with the expected one, outside the sandbox. Called by `validate` for stdin/stdout bugs."""

import math
import re

from repairlab.core.oracle import Checker
from repairlab.core.outcome import Verdict

_INTEGER = re.compile(rb"[+-]?\d+")
_NUMBER = re.compile(rb"[+-]?(?:(?:\d+\.?\d*|\.\d+)(?:[eE][+-]?\d+)?|inf|infinity|nan)", re.IGNORECASE)


def check(output: bytes, expected: str, checker: Checker) -> Verdict:
    """Return PLAUSIBLE, WRONG, or PRESENTATION when only the layout differs and the checker is strict about it."""
    wanted = expected.encode("utf-8")
    tokens, wanted_tokens = output.split(), wanted.split()
    if checker.kind == "float":
        same = len(tokens) == len(wanted_tokens) and all(
            _near(token, other, checker) for token, other in zip(tokens, wanted_tokens, strict=True)
        )
        return Verdict.PLAUSIBLE if same else Verdict.WRONG
    if tokens != wanted_tokens:
        return Verdict.WRONG
    if checker.kind == "lines" and _lines(output) != _lines(wanted):
        return Verdict.PRESENTATION
    if checker.kind == "exact" and _unix(output).removesuffix(b"\n") != _unix(wanted).removesuffix(b"\n"):
        return Verdict.PRESENTATION
    return Verdict.PLAUSIBLE


def first_difference(output: bytes, expected: str) -> str:
    """Say in one line where two outputs begin to differ."""
    got, wanted = output.split(), expected.encode("utf-8").split()
    for index, token in enumerate(wanted):
        if index >= len(got):
            return f"output ends after {len(got)} of {len(wanted)} tokens; next expected {_show(token)}"
        if got[index] != token:
            return f"token {index + 1} is {_show(got[index])}, expected {_show(token)}"
    if len(got) > len(wanted):
        return f"{len(got) - len(wanted)} tokens too many, the first is {_show(got[len(wanted)])}"
    return "same tokens, other layout"


def _show(token: bytes) -> str:
    text = repr(token.decode("utf-8", "backslashreplace"))
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
        return got == value
    return abs(got - value) <= max(checker.absolute, checker.relative * abs(value))


def _plain(integer: bytes) -> bytes:
    """Return an integer without plus sign and leading zeros; text, because it may have any number of digits."""
    sign = b"-" if integer.startswith(b"-") else b""
    digits = integer.lstrip(b"+-").lstrip(b"0") or b"0"
    return digits if digits == b"0" else sign + digits
