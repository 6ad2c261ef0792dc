"""Reading the lines that test programs of C and C++ projects print, one per test.

A form is the way one family of runners writes: automake, lit, cmocka, CUnit; `lines` is whatever says NAME and then ok or failed.
"""

import re
from collections.abc import Iterator, Sequence
from typing import Literal

from repairlab.core.execution import Ending, Execution
from repairlab.core.outcome import TestResult, TestVerdict
from repairlab.core.record import record
from repairlab.languages import reports
from repairlab.languages.language import Batch, Report

Form = Literal["automake", "lit", "cmocka", "cunit", "lines"]
Status = Literal["passed", "failed", "skipped", "begun"]


@record
class Line:
    """What one line says of one test."""

    name: str
    status: Status
    message: str = ""


_WORDS: dict[str, Status] = {
    "pass": "passed",
    "flakypass": "passed",
    "passed": "passed",
    "ok": "passed",
    "success": "passed",
    "fail": "failed",
    "failed": "failed",
    "not ok": "failed",
    "error": "failed",
    "timeout": "failed",
    "unresolved": "failed",
    "xpass": "failed",
    "test failed": "failed",
    "skip": "skipped",
    "skipped": "skipped",
    "ignored": "skipped",
    "xfail": "skipped",
    "unsupported": "skipped",
    "excluded": "skipped",
    "run": "begun",
}
"""The runners' words for a test's result. A test that was expected to fail and did has shown nothing."""

_RESULT = r"PASS|FLAKYPASS|FAIL|XFAIL|XPASS|SKIP|ERROR|UNSUPPORTED|UNRESOLVED|TIMEOUT|EXCLUDED"
_FORMS: dict[Form, re.Pattern[str]] = {
    "automake": re.compile(rf"^(?P<word>{_RESULT}): (?P<name>\S+)(?: (?P<message>\S.*))?$"),
    "lit": re.compile(rf"^(?P<word>{_RESULT}): (?P<name>.+?)(?: \(\d+ of \d+(?:, \d+ of \d+ attempts)?\))?$"),
    "cmocka": re.compile(
        r"^\[ *(?P<word>RUN|OK|FAILED|SKIPPED|ERROR) *\] (?!---|\d+ test\(s\))(?P<name>.+?)(?: \(Test \w+ failed\))?$"
    ),
    "cunit": re.compile(r"^ *Test: (?P<name>.+?) ?\.\.\.(?P<word>passed|FAILED|skipped)?(?P<message>.*)$"),
    "lines": re.compile(
        r"^\s*(?:\[? ?(?P<first>PASS|PASSED|FAIL|FAILED|OK|ok|not ok|SKIP|SKIPPED|ERROR)\b ?\]?:?(?: \d+)?(?: -)?\s+"
        r"(?P<before>\S.*?)"
        r"|(?P<name>\S.*?)\s*(?::|\.{2,}|\s-)\s*"
        r"(?P<word>(?i:passed|pass|ok|success|test failed|failed|fail|not ok|error|skipped|skip|ignored))\b(?P<message>.*))\s*$"
    ),
}
_CMOCKA_WHY = re.compile(r"^\[ *(?:ERROR|LINE) *\] --- (?P<message>.+)$")
_CUNIT_END = re.compile(r"(?P<word>passed|FAILED|skipped)$")
_CUNIT_NEXT = re.compile(r"^ *(?:Test|Suite): |^Run Summary:|^WARNING - Suite ")
_CUNIT_WHY = re.compile(r"^ {4,}\d+\. (?P<message>.+)$")


def read(form: Form, text: str) -> list[Line]:
    r"""Return what a text says of tests, in its order.

    >>> read("automake", "PASS: alpha\nmake[1]: nothing\nFAIL: beta\n")
    [Line(name='alpha', status='passed', message=''), Line(name='beta', status='failed', message='')]
    """
    return list(_lines(form, text.replace("\r\n", "\n").split("\n")))


def _lines(form: Form, lines: Sequence[str]) -> Iterator[Line]:
    why: list[str] = []
    for number, line in enumerate(lines):
        if form == "cmocka" and (reason := _CMOCKA_WHY.match(line)):
            why.append(reason["message"])
        found = _FORMS[form].match(line)
        if found is None:
            continue
        parts = found.groupdict()
        word = (parts.get("first") or parts["word"] or "run").lower()
        message = (parts.get("message") or "").strip(" \t:-")
        if form == "cunit":
            word, message = _cunit_end(lines, number, word)
        elif form == "cmocka" and _WORDS[word] == "failed":
            message = " ".join(why)
        if _WORDS[word] != "begun":
            why = []
        yield Line(name=(parts.get("before") or parts["name"]).strip(), status=_WORDS[word], message=message)


def _cunit_end(lines: Sequence[str], number: int, word: str) -> tuple[str, str]:
    """Return how the test of line `number` ended, and why; the test's own output precedes that word."""
    for after in range(number + 1, len(lines) + 1):
        end = _CUNIT_END.search(lines[after - 1])
        word = end["word"].lower() if end else word
        reason = _CUNIT_WHY.match(lines[after]) if end and after < len(lines) else None
        if reason and word == "failed":
            return word, reason["message"].strip()
        if after == len(lines) or _CUNIT_NEXT.match(lines[after]):
            break
    return word, ""


def report(form: Form, batch: Batch, execution: Execution) -> Report:
    """Report on the tests of a batch; of several lines on one test, a failure counts most and a pass least."""
    said = execution.report if execution.report.strip() else execution.stdout + b"\n" + execution.stderr
    lines = read(form, said.decode("utf-8", "replace"))
    results = [found for test in batch.tests if (found := _result(form, test, lines)) is not None]
    failed = any(line.status == "failed" for line in lines)
    # Runners that end with an error say so of a test, too, asked for or not; one that does not has not come to its end.
    orderly = execution.ending is Ending.EXITED if failed else execution.succeeded
    if orderly:
        absent = [reports.missing(test) for test in batch.tests if test not in {result.id for result in results}]
        return Report(results=(*results, *absent))
    unfinished = _unfinished(batch.tests, results, lines)
    return Report(results=tuple(result for result in results if result.id != unfinished), unfinished=unfinished)


def _unfinished(tests: Sequence[str], results: Sequence[TestResult], lines: Sequence[Line]) -> str:
    """Return the test to blame for the end of the process: one that had begun, or else the first without a result."""
    ended = {result.id for result in results}
    begun = [line.name for line in lines if line.status == "begun" and line.name in tests and line.name not in ended]
    return next(iter([*begun, *(test for test in tests if test not in ended), tests[-1]]))


def _result(form: Form, test: str, lines: Sequence[Line]) -> TestResult | None:
    about = [line for line in lines if line.status != "begun" and _is(form, test, line.name)]
    for status, verdict, text in (
        ("failed", TestVerdict.WRONG, "the test failed"),
        ("skipped", TestVerdict.WRONG, "the test was skipped"),
        ("passed", TestVerdict.PASSED, ""),
    ):
        found = [line for line in about if line.status == status]
        if found:
            message = "" if verdict is TestVerdict.PASSED else next((line.message for line in found if line.message), text)
            return TestResult(id=test, verdict=verdict, message=reports.shorten(message))
    return None


def _is(form: Form, test: str, name: str) -> bool:
    """Return whether a name in a report is that of a test; lit names files by suite and path below it."""
    if form != "lit" or " :: " not in name:
        return name == test
    suite, _, path = name.partition(" :: ")
    return test in (name, path) or (test.endswith(f"/{path}") and bool(suite))
