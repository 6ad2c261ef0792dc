"""Report lines, XML and compiler messages as hostile or broken processes would write them."""

import json

import pytest

from repairlab.core.execution import Command, Ending, Execution
from repairlab.core.outcome import TestVerdict
from repairlab.languages import reports
from repairlab.languages.facts import facts
from repairlab.languages.language import Batch
from repairlab.languages.native.frameworks import report as native_report


def batch(*tests: str) -> Batch:
    return Batch(command=Command(argv=("x",)), tests=tests, nonce="secret")


def ended(report: bytes | list[dict[str, object]], *, code: int = 0, stdout: bytes = b"") -> Execution:
    text = report if isinstance(report, bytes) else b"".join(json.dumps(line).encode() + b"\n" for line in report)
    return Execution(
        ending=Ending.EXITED, exit_code=code, signal=None, stdout=stdout, stderr=b"", report=text, cpu_s=0, wall_s=0, peak_mb=0
    )


def line(event: str, test: str = "", **more: object) -> dict[str, object]:
    return {"nonce": "secret", "event": event, "test": test, **more}


DONE = line("done")


def test_first_end_counts_and_strangers_do_not() -> None:
    report = reports.read_events(
        batch("a"),
        ended([line("end", "a", status="failed"), line("end", "a", status="passed"), line("end", "b", status="passed"), DONE]),
    )
    assert [(result.id, result.verdict) for result in report.results] == [("a", TestVerdict.WRONG)]


@pytest.mark.parametrize(
    "noise",
    [b"\xff\xfe\n", b"[1]\n", b"{\n", b"null\n", b'{"nonce": "secret", "test": [], "event": "end"}\n', b"[" * 100_000 + b"\n"],
)
def test_malformed_lines_are_passed_over(noise: bytes) -> None:
    good = b"".join(json.dumps(item).encode() + b"\n" for item in [line("end", "a", status="passed", cpu_s="x", wall_s=-1), DONE])
    report = reports.read_events(batch("a"), ended(noise + good))
    assert [result.verdict for result in report.results] == [TestVerdict.PASSED]


@pytest.mark.parametrize("wrong", [{"nonce": "guess"}, {"nonce": ""}, {"nonce": None}, {}])
def test_lines_without_the_nonce_do_not_count(wrong: dict[str, object]) -> None:
    forged = {"event": "end", "test": "a", "status": "passed", **wrong}
    report = reports.read_events(batch("a"), ended([forged, {**DONE, **wrong, "nonce": "no"}]))
    assert (report.results, report.unfinished) == ((), "a")


def test_last_pass_of_a_process_that_did_not_end_properly_is_unfinished() -> None:
    passed = [line("end", "a", status="passed"), line("end", "b", status="passed")]
    for execution in (ended(passed), ended([*passed, DONE], code=1)):
        report = reports.read_events(batch("a", "b"), execution)
        assert [result.id for result in report.results] == ["a"]
        assert report.unfinished == "b"


def test_unknown_status_is_a_failure() -> None:
    report = reports.read_events(batch("a"), ended([line("end", "a", status="PASSED"), DONE]))
    assert report.results[0].verdict is TestVerdict.WRONG


@pytest.mark.parametrize(
    "text", [b"", b"<testsuites>", b"garbage", b"<a/><b/>", b'<?xml version="1.0" encoding="nonsense"?><a/>', b"\0"]
)
def test_broken_xml_reports_nothing(text: bytes) -> None:
    report = native_report("gtest", batch("A.b"), ended(text))
    assert (report.results, report.unfinished) == ((), "A.b")


def gtest_xml(attributes: str, inner: str = "") -> bytes:
    return f"<testsuites><testcase classname='A' name='b' {attributes}>{inner}</testcase></testsuites>".encode()


def test_pass_needs_report_and_exit_code() -> None:
    good = gtest_xml("status='run' result='completed' time='0.5'")
    assert native_report("gtest", batch("A.b"), ended(good)).results[0].wall_s == 0.5
    assert native_report("gtest", batch("A.b"), ended(good, code=1)).unfinished == "A.b"
    for bad in (gtest_xml("status='notrun'"), gtest_xml("status='run' result='skipped'"), gtest_xml("status='run'", "<failure/>")):
        assert native_report("gtest", batch("A.b"), ended(bad)).results[0].verdict is TestVerdict.WRONG


def test_report_of_catch2_version_3_is_understood() -> None:
    text = "<Catch2TestRun name='t'><TestCase name='x'><OverallResult success='true' skips='{}'/></TestCase></Catch2TestRun>"
    verdicts = [native_report("catch2", batch("x"), ended(text.format(n).encode())).results[0].verdict for n in (0, 1)]
    assert verdicts == [TestVerdict.PASSED, TestVerdict.WRONG]


@pytest.mark.parametrize(
    ("language", "text", "expected"),
    [
        ("c", "main.c: In function 'f':\nsrc/main.c:3:1: error: x\n", "src/main.c:3:1: error: x"),
        (
            "cpp",
            "a.cpp:1: warning: w\n/work/src/a.cpp:2:1: fatal error: q.h: No such file\n",
            "a.cpp:2:1: fatal error: q.h: No such file",
        ),
        (
            "c",
            "/usr/bin/ld: /tmp/cc1.o: in function `main':\n/work/a.c:1: undefined reference to `f'\n",
            "a.c:1: undefined reference to `f'",
        ),
        ("java", "warning: [options] x\nbank/A.java:3: error: ';' expected\n", "bank/A.java:3: error: ';' expected"),
        ("java", "error: invalid flag: -x\n", "error: invalid flag: -x"),
        ("python", "a b.py:2: SyntaxError: invalid syntax\n", "a b.py:2: SyntaxError: invalid syntax"),
        ("c", "", "the compiler said nothing"),
        ("c", "sh: 1: gcc: not found\n", "sh: 1: gcc: not found"),
        ("c", "made it.\n../wrap: line 1: yacc: command not found\n*** Error 127\n", "../wrap: line 1: yacc: command not found"),
        (
            "c",
            "CMake Error at /work/CMakeLists.txt:11 (include):\n  include could not find requested file:\n\n    Foo\n\nBar\n",
            "CMake Error at CMakeLists.txt:11 (include): include could not find requested file: Foo",
        ),
        (
            "c",
            "configure: error: Package requirements (check) were not met:\n\nNo package 'check' found\n",
            "configure: error: Package requirements (check) were not met: No package 'check' found",
        ),
        ("c", "sh: 1: odd: not found\na.c:1:1: error: x\n", "a.c:1:1: error: x"),
    ],
)
def test_first_error_is_one_line_without_folders_of_the_machine(language: str, text: str, expected: str) -> None:
    assert reports.first_error(text.encode(), facts(language).error_line) == expected
