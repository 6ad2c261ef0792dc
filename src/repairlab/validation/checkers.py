"""The verdict on one run of a program, reached outside the sandbox: how it ended, and whether its output is right.

An output may be all blank lines or all words: nothing here makes an object for each or looks at a character many times.
"""

import math
import re
import signal
from collections import Counter
from collections.abc import Callable

from repairlab.core.amounts import count
from repairlab.core.bug import Case, Checker
from repairlab.core.execution import Ending, Execution
from repairlab.core.outcome import TestResult, TestVerdict
from repairlab.core.record import record
from repairlab.languages.language import Toolchain

_INTEGER = re.compile(rb"[+-]?\d+")
# Each character can be matched in one way only: a token of 16 MB must be looked at once.
_NUMBER = re.compile(rb"[+-]?(?:(?:\d+(?:\.\d*)?|\.\d+)(?:[eE][+-]?\d+)?|inf|infinity|nan)", re.IGNORECASE)
_BLANKS = bytes.maketrans(b"\t\r\f\v", b"    ")
_SHAPE = bytes(ord(" " if bytes([code]).isspace() else "x") for code in range(256))
_SLACK = 1 + 1e-9
"""A difference of exactly the tolerance passes, whatever the last bit of a double is."""


@record
class CheckerResult:
    """What a checker says of one output, and why if it is not right."""

    verdict: TestVerdict
    message: str = ""
    doubt: str = ""
    """How a checker program failed on the output; nothing has shown yet that the output is the cause."""


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
    wanted_tokens = wanted.split()
    tokens = _tokens(output, len(wanted_tokens))
    if checker.kind == "float":
        same = len(tokens) == len(wanted_tokens) and all(
            _near(token, other, checker) for token, other in zip(tokens, wanted_tokens, strict=True)
        )
        return TestVerdict.PASSED if same else TestVerdict.WRONG
    if tokens != wanted_tokens:
        return TestVerdict.WRONG
    if checker.kind == "lines" and _layout(output) != _layout(wanted):
        return TestVerdict.PRESENTATION
    if checker.kind == "exact" and _unix(output).removesuffix(b"\n") != _unix(wanted).removesuffix(b"\n"):
        return TestVerdict.PRESENTATION
    return TestVerdict.PASSED


def first_difference(output: bytes, expected: str, *, checker: Checker = Checker()) -> str:  # noqa: B008  # frozen
    """Say in one line where two outputs begin to differ."""
    if checker.kind == "unordered":
        return _line_difference(output, expected.encode("utf-8"))
    wanted = expected.encode("utf-8").split()
    got = _tokens(output, len(wanted))
    for index, token in enumerate(wanted):
        if index >= len(got):
            return f"output ends after {len(got)} of {count(len(wanted), 'token')}; next expected {_show(token)}"
        if got[index] != token and not (checker.kind == "float" and _near(got[index], token, checker)):
            return f"token {index + 1} is {_show(got[index])}, expected {_show(token)}"
    if len(got) > len(wanted):
        rest = got[-1]
        return f"{count(_n_tokens(rest), 'token')} too many, the first is {_show(rest.split(maxsplit=1)[0])}"
    return "same tokens, other layout"


def _check_unordered(output: bytes, wanted: bytes) -> TestVerdict:
    """Compare lines as a bag; PRESENTATION allows only wrong line breaks, not wrong lines and order as well."""
    lines, wanted_lines = _bag(output), _bag(wanted)
    if lines == wanted_lines:
        return TestVerdict.PASSED
    lines[b""] = wanted_lines[b""] = 0
    only_blank = lines == wanted_lines
    return TestVerdict.PRESENTATION if only_blank or _same_tokens(output, wanted) else TestVerdict.WRONG


def _line_difference(output: bytes, wanted: bytes) -> str:
    got, due = _bag(output), _bag(wanted)
    if missing := due - got:
        return f"no line {_show(next(iter(missing)))}, in whatever order ({missing.total()} of {due.total()} missing)"
    extra = got - due
    return f"{count(extra.total(), 'line')} too many, the first is {_show(next(iter(extra)))}" if extra else "same lines"


def _bag(text: bytes) -> Counter[bytes]:
    """Return how often each line occurs, including the blank one."""
    layout = _layout(text)
    if not layout:
        return Counter()
    lines = _single(layout, b"\n").lstrip(b"\n").split(b"\n")
    bag = Counter(lines)
    bag[b""] = layout.count(b"\n") + 1 - len(lines)
    return bag


def _tokens(text: bytes, most: int) -> list[bytes]:
    """Return the words of a text; everything after a limit is one more word."""
    return text.split(maxsplit=most)


def _n_tokens(text: bytes) -> int:
    return (b" " + text.translate(_SHAPE)).count(b" x")


def _same_tokens(output: bytes, wanted: bytes) -> bool:
    tokens = wanted.split()
    return _tokens(output, len(tokens)) == tokens


def _show(token: bytes) -> str:
    text = repr(token[:200].decode("utf-8", "backslashreplace"))
    return text if len(text) <= 60 else text[:57] + "…"


def _unix(text: bytes) -> bytes:
    return text.replace(b"\r\n", b"\n")


def _layout(text: bytes) -> bytes:
    """Return a text with one blank between the words of a line, none around them, and no blank lines at the end."""
    spaced = _single(_unix(text).rstrip().translate(_BLANKS), b" ")
    return spaced.replace(b" \n", b"\n").replace(b"\n ", b"\n").lstrip(b" ")


def _single(text: bytes, mark: bytes) -> bytes:
    """Return a text with runs of a mark collapsed to one; each pass halves them."""
    while mark * 2 in text:
        text = text.replace(mark * 2, mark)
    return text


def _near(token: bytes, wanted: bytes, checker: Checker) -> bool:
    if token == wanted:
        return True
    if not (_NUMBER.fullmatch(token) and _NUMBER.fullmatch(wanted)):
        return False
    if _INTEGER.fullmatch(token) and _INTEGER.fullmatch(wanted):
        # Large integers differ by less than any relative tolerance; that must not make them equal.
        return _plain(token) == _plain(wanted)
    got, value = float(token), float(wanted)
    if math.isnan(value) or math.isnan(got):
        return math.isnan(value) and math.isnan(got)
    if math.isinf(value) or math.isinf(got):
        # 1e999 exceeds a double: it is not infinity, and not equal to 1e998.
        return got == value and _is_word(token) and _is_word(wanted)
    return abs(got - value) <= max(checker.absolute, checker.relative * abs(value)) * _SLACK


def _is_word(number: bytes) -> bool:
    return number.lstrip(b"+-")[:1].isalpha()


def _plain(integer: bytes) -> bytes:
    """Return an integer without plus sign and leading zeros, as text, since it may have any number of digits."""
    sign = b"-" if integer.startswith(b"-") else b""
    digits = integer.lstrip(b"+-").lstrip(b"0") or b"0"
    return digits if digits == b"0" else sign + digits


_OF_ENDING = {
    Ending.CPU_LIMIT: TestVerdict.TIMEOUT,
    Ending.WALL_LIMIT: TestVerdict.TIMEOUT,
    Ending.MEMORY_LIMIT: TestVerdict.OUT_OF_MEMORY,
    Ending.OUTPUT_LIMIT: TestVerdict.OUTPUT_LIMIT,
    Ending.DISK_LIMIT: TestVerdict.CRASH,
}


def of_process(execution: Execution, toolchain: Toolchain) -> TestVerdict | None:
    """Return the verdict that the end of a process alone settles; None when it ended well."""
    if execution.ending in _OF_ENDING:
        return _OF_ENDING[execution.ending]
    if execution.succeeded:
        return None
    return TestVerdict.OUT_OF_MEMORY if toolchain.out_of_memory(execution) else TestVerdict.CRASH


def describe_end(execution: Execution) -> str:
    """Say in words how a process ended."""
    match execution.ending:
        case Ending.EXITED:
            return f"exit code {execution.exit_code}"
        case Ending.SIGNALLED:
            number = execution.signal or 0
            known = {int(item): item.name for item in signal.Signals}
            return f"killed by {known.get(number, f'signal {number}')}"
        case _:
            return f"{execution.ending} reached"  # without times: messages of two runs should be equal, and results have the times


def of_case(case: Case, execution: Execution, toolchain: Toolchain, check: Callable[[Case, bytes], CheckerResult]) -> TestResult:
    """Judge one run of a stdin/stdout program; `check` looks at its output if it ended well."""
    verdict = of_process(execution, toolchain)
    message = describe_end(execution)
    if verdict is None:
        finding = check(case, execution.stdout)
        verdict, message = finding.verdict, finding.message
    return TestResult(
        id=case.id,
        verdict=verdict,
        cpu_s=round(execution.cpu_s, 3),
        wall_s=round(execution.wall_s, 3),
        peak_mb=round(execution.peak_mb, 1),
        message="" if verdict is TestVerdict.PASSED else message,
    )
