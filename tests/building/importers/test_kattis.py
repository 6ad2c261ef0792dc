"""Problem packages: rejected submissions are bugs, validators become checkers, and our judge agrees with the folders."""

from pathlib import Path
from typing import Any

import pytest

from repairlab.building.importers.kattis import judging
from repairlab.building.importers.kattis_package import read_package
from repairlab.core.bug import Case, CheckerProgram
from repairlab.core.errors import UserError
from repairlab.core.execution import Limits
from repairlab.core.outcome import TestVerdict, Verdict
from repairlab.core.problem import SourceFile
from repairlab.sandbox.sandbox import Sandbox
from repairlab.validation.custom_checker import checking
from repairlab.validation.machine import Machine

pytestmark = pytest.mark.imports

SUM = "a, b = map(int, input().split())\nprint({})\n"
VALIDATOR = """\
#include <cstdlib>
#include <fstream>
#include <iostream>
#include <string>
#include "codes.h"
int main(int argc, char **argv) {
    std::ifstream given(argv[1]);
    long a, b, first, second;
    given >> a >> b;
    std::ofstream message(std::string(argv[3]) + "judgemessage.txt");
    if (argc != 5 || std::string(argv[4]) != "two")
        abort();
    if (!(std::cin >> first >> second) || first + second != a + b) {
        message << "no such sum" << std::endl;
        exit(WRONG);
    }
    return RIGHT;
}
"""
FILES = {
    "sum/problem.yaml": "name: A Sum\nlicense: cc by-sa\nlimits:\n  time_limit: 1\n",
    "sum/problem_statement/problem.en.tex": "\\problemname{A Sum}\n\nAdd two numbers.\n",
    "sum/data/sample/1.in": "1 2\n",
    "sum/data/sample/1.ans": "3\n",
    "sum/data/secret/big/01.in": "5 -7\n",
    "sum/data/secret/big/01.ans": "-2\n",
    "sum/submissions/accepted/sum.py": SUM.format("a + b"),
    "sum/submissions/accepted/sum_2.py": "#!/usr/bin/python2\nprint sum(map(int, raw_input().split()))\n",
    "sum/submissions/accepted/sum.rs": "fn main() {}\n",
    "sum/submissions/wrong_answer/abs.py": SUM.format("abs(a + b)"),
    "sum/submissions/run_time_error/div.py": SUM.format("a + b + 0 // (a - 5)"),
    "sum/submissions/time_limit_exceeded/loop.py": SUM.format("a + b if a < 5 else [0 for _ in iter(int, 1)]"),
    "sum/submissions/wrong_answer/sum.c": "int main(void) { return 0; }\n",
    "sum/submissions/wrong_answer/sum.rs": "fn main() {}\n",
    "sum/submissions/wrong_answer/parts/a.py": "x = 1\n",
    "sum/submissions/wrong_answer/parts/b.py": "x = 1\n",
}


@pytest.mark.timeout(300)
def test_our_judge_agrees_with_the_folders_of_submissions(importing: Any, machine: Machine) -> None:
    importing.write(FILES)
    made = importing.run("kattis")
    assert made.bugs == ("sum-run_time_error-div.py", "sum-time_limit_exceeded-loop.py", "sum-wrong_answer-abs.py")
    reasons = {bug.id: bug.reason for bug in made.dropped}
    assert "no accepted program in c" in reasons["sum-wrong_answer-sum.c"]
    assert "no language is known for sum.rs" in reasons["sum-wrong_answer-sum.rs"]
    assert "consists of 2 files" in reasons["sum-wrong_answer-parts"]
    bug = importing.benchmark.bug("sum-wrong_answer-abs.py")
    assert [case.id for case in bug.oracle.cases] == ["sample-1", "secret-big-01"]
    assert bug.oracle.limits.cpu_s == 1.0 and bug.oracle.limits.memory_mb == 2048
    assert bug.problem.submission_verdict is Verdict.WRONG and bug.problem.description == "Add two numbers."
    assert importing.problems(machine) == dict.fromkeys(made.bugs, ())


@pytest.mark.timeout(300)
def test_a_validator_in_cpp_becomes_a_checker(importing: Any, machine: Machine) -> None:
    several = {
        "sum/problem.yaml": "name: A Sum\nvalidation: custom\nvalidator_flags: two\n",
        "sum/output_validators/parts/validate.cc": VALIDATOR,
        "sum/output_validators/parts/codes.h": "const int RIGHT = 42, WRONG = 43;\n",
        "sum/submissions/accepted/sum.py": SUM.format("a - 1, b + 1"),
        "sum/submissions/wrong_answer/abs.py": SUM.format("a, b - 1"),
    }
    kept = {path: text for path, text in FILES.items() if "/submissions/" not in path}
    importing.write({**kept, **several})
    assert importing.run("kattis").notes == ("sum-wrong_answer-abs.py: the package has no time limit; 5 s are used",)
    assert importing.problems(machine) == {"sum-wrong_answer-abs.py": ()}


def judged(folder: Path, sandbox: Sandbox, output: bytes) -> TestVerdict:
    """Return what the checker of a package says of an output for its first case."""
    package = read_package(folder)
    made = judging(package)
    files = tuple(SourceFile(path=path, text=text.decode()) for path, text in made.files.items())
    table = made.facts["checker"]
    program = CheckerProgram(
        language=table["language"],
        files=files,
        program="checker.py" if table["language"] == "python" else "",
        flags=tuple(table.get("flags", ())),
    )
    given, expected = next(iter(package.cases.values()))
    case = Case(id="1", input=given.decode(), expected=expected.decode())
    with checking(program, sandbox, Limits(cpu_s=60, wall_s=120, memory_mb=1024)) as checker:
        return checker.judge(case, output).verdict


@pytest.mark.parametrize(
    ("flags", "answer", "output", "right"),
    [
        ("", "Yes 1.0", b"YES\n1.0\n", True),
        ("", "Yes 1.0", b"yes 1.00", False),
        ("case_sensitive space_change_sensitive", "Yes", b"yes\n", False),
        ("space_change_sensitive", "Yes  No", b"yes No\n", False),
        ("space_change_sensitive", "Yes  No", b"yes  No\n", True),
        ("float_tolerance 1e-2", "Yes 100", b"yes 100.9", True),
        ("float_tolerance 1e-2", "Yes 100", b"yes 101.1", False),
        ("float_absolute_tolerance 1e-2", "Yes 100", b"yes 100.9", False),
        ("float_tolerance 1e-2", "inf", b"5", False),
        ("float_tolerance 1e-2", "inf", b"-inf", False),
        ("float_tolerance 1e-2", "inf", b"1e999", False),
        ("float_tolerance 1e-2", "inf", b"Infinity", True),
        ("float_tolerance 1e-2", "1e999 x", b"5 x", False),
        ("float_tolerance 1e-2", "1e999 x", b"inf x", False),
        ("float_tolerance 1e-2", "5 x", b"inf x", False),
        ("float_tolerance 1e-2", "5 x", b"nan x", False),
        ("float_tolerance 1e-2", "nan", b"5", False),
        ("float_tolerance 1e-2", "nan", b"nan", True),
        ("", "Yes", b"yes no", False),
        ("", "Yes No", b"yes", False),
    ],
)
def test_the_default_validator_compares_words_in_whatever_case(
    importing: Any, sandbox: Sandbox, flags: str, answer: str, output: bytes, right: bool
) -> None:
    head = f"name: X\nvalidator_flags: {flags}\n"
    importing.write({"x/problem.yaml": head, "x/data/secret/1.in": "\n", "x/data/secret/1.ans": f"{answer}\n"})
    importing.write({"x/submissions/accepted/a.py": "\n"})
    assert judged(importing.source / "x", sandbox, output) is (TestVerdict.PASSED if right else TestVerdict.WRONG)


def test_without_letters_our_own_checkers_do(importing: Any) -> None:
    importing.write({"x/data/secret/1.in": "\n", "x/data/secret/1.ans": "3.5\n", "x/submissions/accepted/a.py": "\n"})
    importing.write({"x/problem.yaml": "name: X\n"})
    assert judging(read_package(importing.source / "x")).test == {"checker": "tokens"}
    importing.write({"x/problem.yaml": "name: X\nvalidator_flags: float_relative_tolerance 1e-4\n"})
    assert judging(read_package(importing.source / "x")).test == {"checker": "float", "absolute": 0.0, "relative": 1e-4}


@pytest.mark.parametrize(("code", "verdict"), [(42, TestVerdict.PASSED), (43, TestVerdict.WRONG)])
def test_a_validator_in_python_becomes_a_checker(importing: Any, sandbox: Sandbox, code: int, verdict: TestVerdict) -> None:
    script = "import pathlib, sys\nassert sys.stdin.read() == 'out'\nassert open(sys.argv[1]).read() == 'in'\n"
    script += f"pathlib.Path(sys.argv[3], 'judgemessage.txt').write_text(sys.argv[4])\nsys.exit({code})\n"
    files = {"problem.yaml": "name: X\n", "data/testdata.yaml": "output_validator_flags: --fast\n", "data/secret/1.in": "in"}
    files |= {"data/secret/1.ans": "", "output_validator/validate.py": script, "submissions/accepted/a.py": "\n"}
    importing.write({f"x/{path}": text for path, text in files.items()})
    assert judged(importing.source / "x", sandbox, b"out") is verdict


@pytest.mark.parametrize("name", ["validate.py", "validate.c"])
def test_an_output_that_crashes_a_validator_is_wrong(importing: Any, sandbox: Sandbox, name: str) -> None:
    python = "import sys\nsys.exit(42 if int(input()) == 5 else 43)\n"
    c = "#include <stdio.h>\n#include <stdlib.h>\n"
    c += 'int main(void) { int n; if (scanf("%d", &n) != 1) abort(); return n == 5 ? 42 : 43; }\n'
    files = {"problem.yaml": "name: X\n", "data/secret/1.in": "in", "data/secret/1.ans": "5\n", "submissions/accepted/a.py": "\n"}
    files[f"output_validator/{name}"] = python if name.endswith(".py") else c
    importing.write({f"x/{path}": text for path, text in files.items()})
    verdicts = [judged(importing.source / "x", sandbox, output) for output in (b"5", b"6", b"x")]
    assert verdicts == [TestVerdict.PASSED, TestVerdict.WRONG, TestVerdict.WRONG]


GAME = """\
#include <cstdlib>
#include <fstream>
#include <iostream>
#include <string>
struct Started {
    bool called = false;
    ~Started() { if (!called) abort(); }  // as in validate.h: "init was never called"
} started;
int main(int argc, char **argv) {
    started.called = true;
    std::ifstream given(argv[1]);
    long a, b, first, second;
    given >> a >> b;
    if (argc != 5 || std::string(argv[4]) != "two")
        abort();
    std::cout << a << " " << b << std::endl;
    if (!(std::cin >> first >> second) || first + second != a + b) {
        std::ofstream(std::string(argv[3]) + "judgemessage.txt") << "no such sum" << std::endl;
        exit(43);
    }
    exit(42);
}
"""


@pytest.mark.timeout(300)
def test_interactive_problems_are_judged_by_conversation(importing: Any, machine: Machine) -> None:
    kept = {path: text for path, text in FILES.items() if "/submissions/" not in path}
    several = {
        "sum/problem.yaml": "name: A Sum\nvalidation: custom interactive\nvalidator_flags: two\nlimits:\n  time_limit: 1\n",
        "sum/output_validators/game/game.cc": GAME,
        "sum/submissions/accepted/sum.py": SUM.format("a - 1, b + 1"),
        "sum/submissions/wrong_answer/more.py": SUM.format("a, b - 1"),
        "sum/submissions/run_time_error/div.py": SUM.format("a // 0, b"),
        "sum/submissions/time_limit_exceeded/wait.py": "a, b = map(int, input().split())\nwhile a: pass\n",
    }
    importing.write({**kept, **several})
    made = importing.run("kattis")
    assert made.bugs == ("sum-run_time_error-div.py", "sum-time_limit_exceeded-wait.py", "sum-wrong_answer-more.py")
    checker = importing.benchmark.bug("sum-wrong_answer-more.py").oracle.checker
    assert checker.interactive and checker.arguments == ("two",)
    assert importing.problems(machine) == dict.fromkeys(made.bugs, ())


def test_interactive_problems_without_a_validator_are_dropped_with_the_reason(importing: Any) -> None:
    importing.write({**FILES, "sum/problem.yaml": "name: {en: A Sum}\ntype: interactive\n"})
    with pytest.raises(UserError, match="output_validators is missing"):
        importing.run("kattis")


def test_a_validator_with_static_objects_judges(importing: Any, sandbox: Sandbox) -> None:
    """Destructors run where the validator's main ran, and nowhere else."""
    silent = GAME.replace('std::cout << a << " " << b << std::endl;', "")
    importing.write(
        {
            "x/problem.yaml": "name: X\nvalidation: custom\nvalidator_flags: two\n",
            "x/data/secret/1.in": "1 2\n",
            "x/data/secret/1.ans": "\n",
            "x/output_validators/v/v.cc": silent,
            "x/submissions/accepted/a.py": "\n",
        }
    )
    assert judged(importing.source / "x", sandbox, b"3 0") is TestVerdict.PASSED
    assert judged(importing.source / "x", sandbox, b"3 1") is TestVerdict.WRONG


def test_a_case_with_a_missing_half_is_dropped_by_name(importing: Any) -> None:
    importing.write({**FILES, "sum/data/secret/big/02.in": "1 1\n", "sum/data/sample/9.ans": "1\n"})
    made = importing.run("kattis")
    reasons = {item.id: item.reason for item in made.dropped}
    assert "no answer, secret/big/02.ans" in reasons["sum-case-secret-big-02"]
    assert "no input, sample/9.in" in reasons["sum-case-sample-9"]
    assert [case.id for case in importing.benchmark.bug("sum-wrong_answer-abs.py").oracle.cases] == ["sample-1", "secret-big-01"]


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("name: [\n", "problem.yaml, line 2: not valid YAML"),
        ("- 1\n", "should be a table of settings, not list"),
        ("limits: {time_limit: soon}\n", "should be a number of seconds, not 'soon'"),
        ("limits: 3\n", "limits should be a table"),
    ],
)
def test_a_broken_package_is_told_with_file_and_line(importing: Any, text: str, message: str) -> None:
    importing.write({**FILES, "sum/problem.yaml": text})
    with pytest.raises(UserError, match=message):
        importing.run("kattis")


def test_a_package_that_cannot_be_read_leaves_the_others(importing: Any) -> None:
    importing.write({**FILES, "empty/problem.yaml": "name: {}\n"})
    made = importing.run("kattis", language="python")
    assert len(made.bugs) == 3
    assert [bug.id for bug in made.dropped] == ["empty", "sum-wrong_answer-parts"]


def test_a_folder_without_packages_is_an_error(importing: Any) -> None:
    importing.write({"a/b.txt": ""})
    with pytest.raises(UserError, match=r"no problem\.yaml was found"):
        importing.run("kattis")
