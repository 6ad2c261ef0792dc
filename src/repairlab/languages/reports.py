"""Reading what test processes reported and the first error of compilers."""

import json
import math
import re
import secrets
from collections.abc import Iterable
from typing import Any
from xml.etree import ElementTree

from repairlab.core.errors import HarnessError
from repairlab.core.execution import Execution
from repairlab.core.outcome import TestResult, TestVerdict
from repairlab.languages.language import Batch, Listing, Report

_LONGEST_MESSAGE = 2000

_NO_SUCH_TEST = "there is no such test"
_STATUS_TEXT = {
    "skipped": "the test was skipped",
    "xfailed": "the test was expected to fail and did",
    "xpassed": "the test was expected to fail but passed",
    "missing": _NO_SUCH_TEST,
}


def new_nonce() -> str:
    """Return a word that code under test cannot guess."""
    return secrets.token_hex(16)


def shorten(message: str) -> str:
    """Return a message fit for a record: without surrounding white space, and not too long."""
    message = message.strip()
    return message if len(message) <= _LONGEST_MESSAGE else message[: _LONGEST_MESSAGE - 1] + "…"


def read_events(batch: Batch, execution: Execution) -> Report:
    """Read the report lines of our own runners; only lines with the nonce count, and the first end of each test.

    A runner that cannot begin for want of a tool says so, which is a HarnessError.
    """
    started: list[str] = []
    results: dict[str, TestResult] = {}
    error = ""
    built = None
    done = False
    for event in _events(execution.report, batch.nonce):
        kind, test = event.get("event"), event.get("test")
        if kind == "unable":
            raise HarnessError(str(event.get("message", "")))
        if kind == "done":
            done = True
        elif kind == "built":
            built = str(event.get("message", "")) if built is None else built
        elif kind == "error":
            error = error or shorten(str(event.get("message", "")))
        elif kind == "start" and test in batch.tests:
            started.append(test)
        elif kind == "end" and test in batch.tests:
            results.setdefault(test, _result(test, event))
    # A process that did not come to its proper end is not trusted with its last word: that test is unfinished.
    if not (done and execution.succeeded):
        open_tests = [test for test in started if test not in results] or [test for test in batch.tests if test not in results]
        unfinished = open_tests[0] if open_tests else batch.tests[-1]
        kept = tuple(result for test, result in results.items() if test != unfinished)
        return Report(results=kept, unfinished=unfinished, error=error, built=built)
    return Report(results=tuple(results.values()), error=error, built=built)


def read_listing(batch: Batch, execution: Execution) -> Listing:
    """Read which tests our own listers found; a process that did not come to its end may have missed some, and says so."""
    events = list(_events(execution.report, batch.nonce))
    found = dict.fromkeys(event["test"] for event in events if event.get("event") == "start" and event.get("test"))
    errors = [shorten(str(event.get("message", ""))) for event in events if event.get("event") == "error"]
    if not (execution.succeeded and any(event.get("event") == "done" for event in events)):
        said = (execution.stderr or execution.stdout).decode("utf-8", "replace")
        errors.append(f"the tests could not be listed to the end: {shorten(said)[-300:]}")
    return Listing(tests=tuple(found), error=errors[0] if errors else "")


def _events(report: bytes, nonce: str) -> Iterable[dict[str, Any]]:
    for line in report.split(b"\n"):
        try:
            event = json.loads(line)
        except (ValueError, RecursionError):
            continue
        if isinstance(event, dict) and event.get("nonce") == nonce and isinstance(event.get("test", ""), str):
            yield event


def _result(test: str, event: dict[str, Any]) -> TestResult:
    status = str(event.get("status"))
    message = str(event.get("message") or "")
    reason = _STATUS_TEXT.get(status, "")
    return TestResult(
        id=test,
        verdict=_VERDICTS.get(status, TestVerdict.WRONG),
        cpu_s=_seconds(event.get("cpu_s")),
        wall_s=_seconds(event.get("wall_s")),
        message=shorten(f"{reason}: {message}" if reason and message else reason or message),
    )


_VERDICTS = {
    "passed": TestVerdict.PASSED,
    "memory": TestVerdict.OUT_OF_MEMORY,
    "uncollected": TestVerdict.CRASH,
}
"""Verdicts of statuses; any other status is WRONG. `uncollected`: an exception while the test's file was loaded."""


def _seconds(value: object) -> float:
    return max(float(value), 0.0) if isinstance(value, int | float) and math.isfinite(value) else 0.0


def missing(test: str) -> TestResult:
    """Return the result of a test that a tree does not have."""
    return TestResult(id=test, verdict=TestVerdict.WRONG, message=_NO_SUCH_TEST)


def is_missing(result: TestResult) -> bool:
    """Return whether a test failed because the tree does not have it."""
    return result.verdict is TestVerdict.WRONG and result.message.partition(": ")[0] == _NO_SUCH_TEST


def parse_xml(report: bytes) -> ElementTree.Element | None:
    """Return the root of an XML report; none when it is empty, truncated or otherwise broken."""
    try:
        return ElementTree.fromstring(report)
    except (ElementTree.ParseError, ValueError, LookupError):
        return None


def single_report(batch: Batch, execution: Execution, found: TestResult | None, *, complete: bool) -> Report:
    """Report on a batch of one test whose process wrote (`complete`) or did not write a whole report.

    A pass needs the report and exit code 0; a whole report without the test means that there is no such test.
    """
    test = batch.tests[0]
    passed = found is not None and found.verdict is TestVerdict.PASSED
    if not complete or (passed and not execution.succeeded):
        return Report(results=(), unfinished=test)
    return Report(results=(found or missing(test),))


# Scripts also say such things in passing, so they count where nothing else does.
_MISSING_TOOL = re.compile(r"^.*: (?:command )?not found$", re.MULTILINE)


def first_error(stderr: bytes, error_line: str) -> str:
    r"""Return the first error of a compiler, a line of the given pattern, without folders of this machine.

    >>> first_error(b"In file included from a.h:1:\n/tmp/x/src/a.c:3:5: error: 'y' undeclared\n", r"^.*\berror: .*")
    "a.c:3:5: error: 'y' undeclared"
    >>> first_error(b"configure: error: ***\n\n  libfoo is missing\n", r"^.*\berror: .*")
    'configure: error: *** libfoo is missing'

    What a group called `more` matches, on a later line, is what the first line is about.
    """
    text = stderr.decode("utf-8", "replace").replace("\r", "")
    found = re.search(error_line, text, re.MULTILINE) or _MISSING_TOOL.search(text)
    lines = [line for line in text.splitlines() if line.strip()]
    line = found.group().partition("\n")[0] if found else (lines[0] if lines else "the compiler said nothing")
    if found and (about := found.groupdict().get("more")):
        line = f"{line.rstrip(';')} ({about.strip()})"
    more = iter(text[found.end() :].splitlines() if found else ())
    while line.rstrip().endswith((":", "***")) and (
        rest := next(filter(str.strip, more), "")
    ):  # CMake and configure say below what is missing
        line += f" {rest.strip()}"
    # Only the folder of an absolute path is dropped: relative ones are the tree's own.
    line = re.sub(r"(?<![\w./])/(?:[^\s/:'\"()]+/)*([^\s/:'\"()]+)", r"\1", line)
    return shorten(" ".join(line.split()))
