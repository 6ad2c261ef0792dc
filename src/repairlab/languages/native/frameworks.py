"""Run tests of GoogleTest, Catch2, CTest, TAP and other programs, and read their reports."""

import re
from collections.abc import Iterable, Sequence
from xml.etree import ElementTree

from repairlab.core.errors import UserError
from repairlab.core.execution import Ending, Execution
from repairlab.core.outcome import TestResult, TestVerdict
from repairlab.core.recipe import Framework
from repairlab.languages import host, reports
from repairlab.languages.language import Batch, Report
from repairlab.languages.native import ctest, lines

_LINES: tuple[lines.Form, ...] = ("automake", "lit", "cmocka", "cunit", "lines")
FRAMEWORKS = ("gtest", "catch2", "ctest", "tap", *_LINES)
_AT_ONCE = ("lit", "cmocka", "cunit", "lines")
"""Frameworks whose programs run many tests in one process and report each at once."""
_GROWTH = 4

# Frameworks write their report to a named file. The descriptor has no name that can be relied on (a process that changed its
# user may not open it again), so the file is copied to it afterwards; the tests themselves do not get the descriptor.
_SCRIPT = """
report="${TMPDIR:-/tmp}/report.$$.xml"
%s 3>/dev/null </dev/null
code=$?
cat "$report" 2>/dev/null >&3
if [ "$code" -gt 128 ]; then kill -"$((code - 128))" $$; fi
exit "$code"
"""
_RUN = {
    "gtest": '"$1" "--gtest_filter=$2" "--gtest_output=xml:$report" --gtest_color=no',
    "catch2": '"$1" "$2" -r xml -o "$report"',
    "ctest": 'ctest --test-dir "$1" -R "$3" --output-junit "$report" --output-on-failure',
}
# Automake leaves a file with the result beside the test, unless its makefiles are very old; then make's output counts.
_AUTOMAKE = """
rm -f "$1/$2.trs" "$1/${2%.*}.trs"
make -C "$1" check "TESTS=$2" 3>/dev/null </dev/null
code=$?
for trs in "$1/$2.trs" "$1/${2%.*}.trs"; do
    [ -f "$trs" ] && NAME="$2" awk '/^:test-result:/ { print $2 ": " ENVIRON["NAME"] }' "$trs" >&3
done
exit "$code"
"""
_LISTS = {
    "ctest": """ctest --test-dir "$1" -N | sed -n 's/^ *Test *#[0-9]*: //p'""",
    "gtest": """"$1" --gtest_list_tests | awk '/^[^ ]/ { suite = $1 } /^  / { print suite $1 }'""",
    "catch2": '"$1" --list-test-names-only; true',
    "lines": '"$1" --list',
    # Makefiles also print other things, for example when they are regenerated.
    "automake": r"""said=$(printf 'include Makefile\nlist-tests:\n\t@$(foreach test,$(TESTS),$(info TEST: $(test))):\n' |
        make -s --no-print-directory -C "$1" -f - list-tests) || exit
        printf '%s\n' "$said" | sed -n 's/^TEST: //p'""",
}
"""Shell commands that print the names of all tests, one per line."""


def grouped(framework: Framework, tests: Sequence[str]) -> Iterable[tuple[str, ...]]:
    """Yield the tests that share a process, in their order: few at first, since the first failure may end it all.

    Whether it does must not count: tests that share a process with others may end otherwise than alone.
    """
    size = 1
    start = 0
    while start < len(tests):
        yield tuple(tests[start : start + size])
        start += size
        size *= _GROWTH if framework in _AT_ONCE else 1


def listing_command(framework: Framework, program: str) -> tuple[str, ...]:
    """Return the command line that prints the names of all tests."""
    if framework not in _LISTS:
        raise UserError(f"tests of {framework!r} cannot be listed; name them instead. Possible: {', '.join(_LISTS)}")
    return ("/bin/sh", "-c", _LISTS[framework], "sh", program)


def command_line(framework: Framework, program: str, names: Sequence[str]) -> tuple[str, ...]:
    """Return the command line that runs these tests; just one, except for programs that print lines."""
    name = names[0]
    if framework == "tap":
        return (program, name)
    if framework in ("cmocka", "cunit"):
        return (program,)
    if framework in ("lines", "lit"):
        return (program, *(("-v",) if framework == "lit" else ()), *names)
    if framework == "automake":
        host.require("make")
        return ("/bin/sh", "-c", _AUTOMAKE, "sh", program, name)
    if framework not in _RUN:
        raise UserError(f"C and C++ have no test framework {framework!r}. Possible: {', '.join(FRAMEWORKS)}, stdio")
    if framework == "ctest":
        host.require("ctest", "cmake")
        return ctest.testing(program, name, _SCRIPT % _RUN["ctest"], _pattern("ctest", name))
    return ("/bin/sh", "-c", _SCRIPT % _RUN[framework], "sh", program, _pattern(framework, name))


def _pattern(framework: Framework, name: str) -> str:
    """Return the option that selects one test by its exact name."""
    if framework == "gtest":
        # Filters know no escapes; a wildcard for one character will do, since only a report with the exact name counts.
        return re.sub(r"[-:*]", "?", name)
    if framework == "catch2":
        escaped = re.sub(r'([\\,\[\]*"~])', r"\\\1", name)
        # A name must look like neither an option nor an exclusion.
        return f"\\{escaped}" if escaped.startswith(("-", "exclude:")) else escaped
    return "^" + re.sub(r"([][()*+?.\\^$|])", r"\\\1", name) + "$"


def report(framework: Framework, made: Batch, execution: Execution) -> Report:
    """Read the output of the process that ran a batch's tests."""
    for form in _LINES:
        if framework == form:
            return lines.report(form, made, execution)
    test = made.tests[0]
    if framework == "tap":
        found = _tap(test, execution)
        return reports.single_report(made, execution, found, complete=found is not None or execution.succeeded)
    if framework == "ctest" and execution.report.strip() == ctest.DIRECT.encode():
        return _direct(test, made, execution)
    root = reports.parse_xml(execution.report)
    if root is None:
        return reports.single_report(made, execution, None, complete=False)
    reader = {"gtest": _gtest, "catch2": _catch2, "ctest": _ctest_result}[framework]
    return reports.single_report(made, execution, reader(test, root), complete=True)


def _gtest(test: str, root: ElementTree.Element) -> TestResult | None:
    for case in root.iter("testcase"):
        if f"{case.get('classname')}.{case.get('name')}" == test:
            failures = [child.get("message") or "" for child in case if child.tag == "failure"]
            ran = case.get("status") == "run" and case.get("result", "completed") == "completed"
            return _decide(test, failures, skipped=not ran or case.find("skipped") is not None, seconds=case.get("time"))
    return None


def _catch2(test: str, root: ElementTree.Element) -> TestResult | None:
    for case in root.iter("TestCase"):
        if (case.get("name") or "").strip() == test.strip():
            overall = case.find("OverallResult")
            failures = list(_catch2_failures(case))
            if overall is None or overall.get("success") != "true":
                failures = failures or ["the test case failed"]
            # Skips are counted since Catch2 3.3.
            skipped = overall is not None and overall.get("skips", "0") != "0"
            return _decide(
                test, failures, skipped=skipped, seconds=overall.get("durationInSeconds") if overall is not None else None
            )
    return None


def _catch2_failures(case: ElementTree.Element) -> Iterable[str]:
    for element in case.iter():
        if element.tag == "Expression" and element.get("success") == "false":
            texts = [" ".join((element.findtext(part) or "").split()) for part in ("Original", "Expanded", "Exception")]
            yield f"{element.get('type')}({texts[0]}) with {texts[1]}" + (f" threw {texts[2]}" if texts[2] else "")
        elif element.tag in ("Exception", "Failure", "FatalErrorCondition"):
            yield f"{element.tag}: {' '.join((element.text or '').split())}"


def _direct(test: str, made: Batch, execution: Execution) -> Report:
    """Judge a CTest test that ran without ctest."""
    if execution.ending not in (Ending.EXITED, Ending.SIGNALLED):
        return reports.single_report(made, execution, None, complete=False)
    ended = f"exit code {execution.exit_code}" if execution.ending is Ending.EXITED else f"signal {execution.signal}"
    output = " ".join((execution.stdout + execution.stderr).decode("utf-8", "replace").split())
    failures = [] if execution.succeeded else [f"{ended}: {output}" if output else ended]
    return reports.single_report(made, execution, _decide(test, failures, skipped=False, seconds=None), complete=True)


def _ctest_result(test: str, root: ElementTree.Element) -> TestResult | None:
    for case in root.iter("testcase"):
        if case.get("name") == test:
            failures = [child.get("message") or "the test failed" for child in case if child.tag in ("failure", "error")]
            if case.get("status") == "fail":
                failures = failures or ["the test failed"]
            output = " ".join((case.findtext("system-out") or "").split())
            failures = [f"{failure}: {output}" if output else failure for failure in failures]
            return _decide(test, failures, skipped=case.get("status") != "run", seconds=case.get("time"))
    return None


def _decide(test: str, failures: list[str], *, skipped: bool, seconds: str | None) -> TestResult:
    verdict, message = TestVerdict.PASSED, ""
    if failures:
        message = reports.shorten(failures[0])
        verdict = TestVerdict.OUT_OF_MEMORY if "std::bad_alloc" in message else TestVerdict.WRONG
    elif skipped:
        verdict, message = TestVerdict.WRONG, "the test was skipped"
    return TestResult(id=test, verdict=verdict, wall_s=_seconds(seconds), message=message)


def _seconds(text: str | None) -> float:
    return float(text) if text and re.fullmatch(r"\d+(\.\d+)?", text) else 0.0


def _tap(test: str, execution: Execution) -> TestResult | None:
    """Find `ok NAME`, `not ok NAME message` or `ok 1 - NAME` on the report channel, else on standard output."""
    text = (execution.report if execution.report.strip() else execution.stdout).decode("utf-8", "replace").replace("\r\n", "\n")
    name = rf"(?: \d+)?(?: -)? {re.escape(test)}"
    failures = [match[1].strip() or "not ok" for match in re.finditer(rf"^not ok{name}((?:[ \t].*)?)$", text, re.MULTILINE)]
    passes = [match[1] for match in re.finditer(rf"^ok{name}((?:[ \t]+#.*)?)[ \t]*$", text, re.MULTILINE)]
    if not failures and not passes:
        return None
    skipped = any(re.match(r"\s*# *(?:skip|todo)", directive, re.IGNORECASE) for directive in passes)
    return _decide(test, failures, skipped=skipped, seconds=None)
