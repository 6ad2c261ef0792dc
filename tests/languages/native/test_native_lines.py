"""Lines that test programs print are read by form; what they do not say is no pass."""

import subprocess
import sys
from pathlib import Path

import pytest

from repairlab.core.execution import Command, Ending, Execution
from repairlab.core.outcome import TestVerdict
from repairlab.languages.language import Batch
from repairlab.languages.native.lines import Form, read, report

AUTOMAKE = """\
make  check-TESTS
PASS: test-alpha
FAIL: test-beta
XFAIL: test-gamma
XPASS: test-delta
SKIP: test-epsilon
ERROR: test-zeta
PASS: suite.t 1 - reads a number
FAIL: suite.t 2 - reads a word
# PASS:  2
"""
LIT = """\
-- Testing: 3 tests, 1 workers --
PASS: Words :: lexer/plain.txt (1 of 3)
FAIL: Words :: lexer/quoted.txt (2 of 3)
UNSUPPORTED: Words :: other system.txt (3 of 3)
FLAKYPASS: Words :: slow.txt (3 of 3, 2 of 4 attempts)
********************
Failed Tests (1):
  Words :: lexer/quoted.txt
"""
CMOCKA = """\
[==========] Running 3 test(s).
[ RUN      ] test_adds
[       OK ] test_adds
[ RUN      ] test_divides
[  ERROR   ] --- 3 != 4
[   LINE   ] --- tests/test_sum.c:12: error: Failure!
[  FAILED  ] test_divides
[ RUN      ] test_rests
[  SKIPPED ] test_rests
[ RUN      ] test_crashes
[==========] 3 test(s) run.
[  PASSED  ] 1 test(s).
[  FAILED  ] 1 test(s), listed below:
[  FAILED  ] test_divides
"""
CUNIT = """\
Suite: words
  Test: counts words ...passed
  Test: counts none ...FAILED
    1. test_words.c:21  - CU_ASSERT_EQUAL(count(""),0)
  Test: prints ...it passed
and then some
passed
  Test: ends no line ...hellopassed
  Test: prints and fails ...all is passed
FAILED
    1. test_words.c:30  - 0
  Test: dies ...
"""
PLAIN = """\
    first-print                        : passed
    second-print                       : TEST FAILED(exit 256)
test_a ... ok
test_b ... FAILED: 1 is not 2
[PASS] boxed
ok 3 - numbered
SKIP: left out
c: d: passed
Nothing to say here
"""


@pytest.mark.parametrize(
    ("form", "text", "expected"),
    [
        (
            "automake",
            AUTOMAKE,
            "test-alpha passed, test-beta failed, test-gamma skipped, test-delta failed, test-epsilon skipped, test-zeta failed, "
            "suite.t passed (1 - reads a number), suite.t failed (2 - reads a word)",
        ),
        (
            "lit",
            LIT,
            "Words :: lexer/plain.txt passed, Words :: lexer/quoted.txt failed, Words :: other system.txt skipped, "
            "Words :: slow.txt passed",
        ),
        (
            "cmocka",
            CMOCKA,
            "test_adds begun, test_adds passed, test_divides begun, "
            "test_divides failed (3 != 4 tests/test_sum.c:12: error: Failure!), "
            "test_rests begun, test_rests skipped, test_crashes begun, test_divides failed",
        ),
        (
            "cunit",
            CUNIT,
            'counts words passed, counts none failed (test_words.c:21  - CU_ASSERT_EQUAL(count(""),0)), prints passed, '
            "ends no line passed, prints and fails failed (test_words.c:30  - 0), dies begun",
        ),
        (
            "lines",
            PLAIN,
            "first-print passed, second-print failed ((exit 256)), test_a passed, test_b failed (1 is not 2), boxed passed, "
            "numbered passed, left out skipped, c: d passed",
        ),
    ],
)
def test_each_form_is_read(form: Form, text: str, expected: str) -> None:
    said = [f"{line.name} {line.status}" + (f" ({line.message})" if line.message else "") for line in read(form, text)]
    assert ", ".join(said) == expected
    assert read(form, text.replace("\n", "\r\n")) == read(form, text)


def run(
    form: Form, tests: tuple[str, ...], stdout: str, *, code: int | None = 0, report_text: str = ""
) -> tuple[dict[str, TestVerdict], str | None]:
    execution = Execution(
        ending=Ending.SIGNALLED if code is None else Ending.EXITED,
        exit_code=code,
        signal=11 if code is None else None,
        stdout=stdout.encode(),
        stderr=b"",
        report=report_text.encode(),
        cpu_s=0.0,
        wall_s=0.0,
        peak_mb=0.0,
    )
    found = report(form, Batch(command=Command(argv=("x",)), tests=tests, nonce=""), execution)
    return {result.id: result.verdict for result in found.results}, found.unfinished


PASSED, WRONG = TestVerdict.PASSED, TestVerdict.WRONG


def test_every_test_is_looked_up_by_its_name() -> None:
    verdicts = {"first-print": PASSED, "second-print": WRONG, "third-print": WRONG}
    assert run("lines", tuple(verdicts), PLAIN, code=1) == (verdicts, None)


def test_of_two_lines_on_one_test_the_failure_counts() -> None:
    assert run("automake", ("suite.t",), AUTOMAKE, code=2) == ({"suite.t": WRONG}, None)
    assert run("cmocka", ("a",), "[       OK ] a\n[  SKIPPED ] a\n") == ({"a": WRONG}, None)


def test_a_pass_needs_a_good_end_of_the_process() -> None:
    assert run("lines", ("a", "b"), "a: passed\nb: passed\n", code=3) == ({"a": PASSED}, "b")
    assert run("lines", ("a", "b"), "a: passed\nb: failed\n", code=3) == ({"a": PASSED, "b": WRONG}, None)
    assert run("lines", ("a",), "a: passed\n", code=None) == ({}, "a")


def test_the_test_that_had_begun_is_to_blame_for_a_crash() -> None:
    begun = "[ RUN      ] b\n[       OK ] b\n[ RUN      ] c\n"
    assert run("cmocka", ("a", "b", "c"), begun, code=None) == ({"b": PASSED}, "c")
    assert run("cunit", ("counts words", "dies"), CUNIT, code=None) == ({"counts words": PASSED}, "dies")


def test_an_early_good_end_is_no_pass_for_what_is_left() -> None:
    assert run("cmocka", ("a", "b"), "[       OK ] a\n[ RUN      ] b\n") == ({"a": PASSED, "b": WRONG}, None)


def test_what_the_report_channel_says_is_all_that_counts() -> None:
    assert run("automake", ("a",), "PASS: a\n", report_text="FAIL: a\n") == ({"a": WRONG}, None)


def test_lit_names_a_file_by_its_suite() -> None:
    tests = ("words/test/lexer/plain.txt", "lexer/plain.txt", "Words :: lexer/plain.txt", "xlexer/plain.txt")
    assert run("lit", tests, LIT) == (dict(zip(tests, (PASSED, PASSED, PASSED, WRONG), strict=True)), None)


def test_what_lit_prints_is_read(tmp_path: Path) -> None:
    files = {
        "lit.cfg.py": "import lit.formats\nconfig.name, config.suffixes = 'Demo', ['.txt']\n"
        "config.test_format = lit.formats.ShTest()\n",
        "good.txt": "RUN: true\n",
        "sub/bad one.txt": "RUN: false\n",
        "lacks.txt": "REQUIRES: moon\nRUN: true\n",
        "expected.txt": "XFAIL: *\nRUN: false\n",
        "luck.txt": "XFAIL: *\nRUN: true\n",
        "empty.txt": "\n",
        "second.txt": "ALLOW_RETRIES: 2\nRUN: bash -c 'test -e %t.flag || { touch %t.flag; false; }'\n",
    }
    for name, text in files.items():
        (tmp_path / name).parent.mkdir(exist_ok=True)
        (tmp_path / name).write_text(text)
    lit = Path(sys.executable).with_name("lit")
    done = subprocess.run([lit, "-v", tmp_path], capture_output=True, text=True, check=False)
    assert {line.name.removeprefix("Demo :: "): line.status for line in read("lit", done.stdout)} == {
        "good.txt": "passed",
        "sub/bad one.txt": "failed",
        "lacks.txt": "skipped",
        "expected.txt": "skipped",
        "luck.txt": "failed",
        "empty.txt": "failed",
        "second.txt": "passed",
    }, done.stderr
    assert "FLAKYPASS: Demo :: second.txt" in done.stdout
