"""Reading what Go's test programs print with -test.v; the Go tool chain calls it.

Code under test can print such lines, too. A failure counts wherever it is said; whether a pass can be believed, counter-tests tell.
"""

import re

from repairlab.core.execution import Ending, Execution
from repairlab.core.outcome import TestResult, TestVerdict
from repairlab.languages import reports
from repairlab.languages.language import Batch, Report

# What a test prints may stand before it on its line, but no name of a test holds a blank.
_RESULT = re.compile(r"--- (?P<word>PASS|FAIL|SKIP): (?P<name>\S+) \((?P<seconds>\d+\.\d+)s\)$", re.MULTILINE)
_STEP = re.compile(r"^=== (?:RUN|CONT|NAME) +(?P<name>\S+)$")
_SAID = re.compile(r"^\s+(?P<text>\S+\.go:\d+: .*)$")
_ENDS = {0: "PASS", 1: "FAIL"}
"""What a test program says last, by its exit code."""
_PANIC = re.compile(rb"^(?:panic|fatal error|runtime): .+", re.MULTILINE)


def read(batch: Batch, execution: Execution) -> Report:
    """Return how the tests ended; of a program that did not come to its proper end, the one at fault is unfinished."""
    text = execution.report.decode("utf-8", "replace").replace("\r\n", "\n")
    started, messages = _steps(text)
    ends: dict[str, tuple[str, float]] = {}
    for match in _RESULT.finditer(text):
        if ends.get(match["name"], ("", 0.0))[0] != "FAIL":
            ends[match["name"]] = match["word"], float(match["seconds"])
    names = {test: test.partition("::")[2] for test in batch.tests}
    results = {test: _result(test, *ends[name], message=messages.get(name, "")) for test, name in names.items() if name in ends}
    if _is_whole(text, execution):
        return Report(results=tuple(results.values()))
    unfinished = _at_fault(names, started, ends)
    panic = _PANIC.search(execution.stderr)
    kept = tuple(result for test, result in results.items() if test != unfinished)
    return Report(results=kept, unfinished=unfinished, error=reports.shorten(panic[0].decode("utf-8", "replace")) if panic else "")


def _is_whole(text: str, execution: Execution) -> bool:
    said = text.rstrip().rpartition("\n")[2]
    return execution.ending is Ending.EXITED and said == _ENDS.get(-1 if execution.exit_code is None else execution.exit_code)


def _at_fault(names: dict[str, str], started: list[str], ends: dict[str, tuple[str, float]]) -> str:
    """Return the test that the program ended in: one that began and did not pass, the last; else the first that is missing."""
    open_tests = [test for test, name in names.items() if name in started and ends.get(name, ("FAIL", 0))[0] == "FAIL"]
    in_order = sorted(open_tests, key=lambda test: started.index(names[test]))
    missing = [test for test, name in names.items() if name not in ends]
    return (in_order[-1:] or missing[:1] or list(names)[-1:])[0]


def _steps(text: str) -> tuple[list[str], dict[str, str]]:
    """Return the tests that began, in order, and the first thing that each of them said."""
    started: list[str] = []
    messages: dict[str, str] = {}
    for line in text.splitlines():
        if step := _STEP.match(line):
            started.append(step["name"])
        elif started and (said := _SAID.match(line)):
            name = started[-1]
            while name:  # a test fails with its subtests
                messages.setdefault(name, said["text"])
                name = name.rpartition("/")[0]
    return started, messages


def _result(test: str, word: str, seconds: float, *, message: str) -> TestResult:
    verdict = TestVerdict.PASSED if word == "PASS" else TestVerdict.WRONG
    shown = {"PASS": "", "FAIL": message or "the test failed", "SKIP": f"the test was skipped: {message}".rstrip(": ")}[word]
    return TestResult(id=test, verdict=verdict, wall_s=seconds, message=reports.shorten(shown))
