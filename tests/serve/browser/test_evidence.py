"""The source of a failing test is found by its name, whatever the language; logs keep the frames that matter."""

import re

import pytest

pytest.importorskip("fastapi", reason="pages need the extra web: pip install 'repairlab[web]'")

from repairlab.benchmarks.catalog import open_benchmark
from repairlab.core.outcome import TestResult as Result
from repairlab.core.outcome import TestVerdict as Verdict
from repairlab.serve.browser.evidence import failing_tests, highlighted, tokens, trimmed


def failed(name: str) -> Result:
    return Result(id=name, verdict=Verdict.WRONG)


def test_every_trigger_test_of_the_built_in_benchmark_is_shown_with_its_source() -> None:
    seen: dict[str, int] = {}
    for bug in list(open_benchmark("starter"))[::2]:
        for found in failing_tests(bug, [failed(name) for name in bug.oracle.trigger[:2]]):
            name = found.result.id.rsplit("::", 1)[-1].rsplit(" > ", 1)[-1].partition("[")[0]
            text = " ".join(line.html.striptags() for line in found.code)
            assert found.path and found.code, (bug.id, found.result.id)
            assert any(word in text for word in (name, *re.split(r"[./]", name))), (bug.id, name, text[:300])
            seen[bug.problem.language] = seen.get(bug.problem.language, 0) + 1
    assert len(seen) >= 5


def test_a_case_is_shown_by_its_input_and_output() -> None:
    bug = next(bug for bug in open_benchmark("starter") if bug.oracle.cases)
    case = bug.oracle.cases[0]
    (found,) = failing_tests(bug, [failed(case.id)])
    assert (found.code, found.path) == ((), "") and found.expected[:20] == case.expected[:20]
    assert failing_tests(None, [failed("x")])[0].code == ()


def test_highlighted_code_is_escaped_and_loses_nothing() -> None:
    text = "a = '<b>' # </script>\n\nif a:\n    pass"
    lines = highlighted(text, "python")
    assert len(lines) == 4 and not any("<b>" in line or "</script>" in line for line in lines)
    assert ["".join(piece for _, piece in line) for line in tokens(text, "python")] == text.split("\n")
    assert highlighted("anything", "no-such-language") == ["anything"]


@pytest.mark.parametrize(
    ("log", "kept"),
    [
        ('Traceback:\n  File "/usr/lib/python3/unittest.py", line 3, in run\n  File "main.py", line 1, in f\nE', 'File "main.py"'),
        ("panic\n\t/usr/lib/go/src/runtime.go:3 +0x1\n\t/tree/main.go:9 +0x2\n", "main.go:9"),
        ("==1==ERROR\n    #0 0x1 in f main.c:3\n    #1 0x2 in __libc_start_main\n", "main.c:3"),
    ],
)
def test_frames_of_the_tree_stay_and_others_are_counted(log: str, kept: str) -> None:
    made = trimmed(log, {"main.py", "main.go", "main.c"})
    assert kept in made and made.count("1 frame outside the tree") == 1
    assert trimmed(log, set()) == log
