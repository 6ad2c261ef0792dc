"""CodeNet: rejected submissions are paired in time, tests found by name, and the judge's own troubles are no bugs."""

from typing import Any

import pytest

from repairlab.building.importers.codenet import JUDGE_SIDE
from repairlab.core.errors import UserError
from repairlab.core.outcome import CODENET, Verdict
from repairlab.validation.machine import Machine

pytestmark = pytest.mark.imports

COLUMNS = "submission_id,problem_id,user_id,date,language,original_language,filename_ext,status,cpu_time,memory,code_size,accuracy"
JAVA = (
    "public class {} {{\n    public static void main(String[] args) {{\n"
    "        int n = new java.util.Scanner(System.in).nextInt();\n        System.out.println({});\n    }}\n}}\n"
)


def rows(*entries: tuple[str, str, int, str, str, str]) -> str:
    """Return the metadata of a problem from submission, user, date, language, ending and status."""
    lines = [
        f"{s},p00001,{u},{date},{lang},{lang} (3.4.3),{ending},{status},10,20,30," for s, u, date, lang, ending, status in entries
    ]
    return "\n".join([COLUMNS, *lines]) + "\n"


FILES = {
    "net/metadata/problem_list.csv": (
        "id,name,dataset,time_limit,memory_limit,rating,tags,complexity\n"
        "p00001,AtCoder Beginner Contest 141 - Double It,AtCoder,1000,262144,,,\n"
        "p00002,AtCoder Beginner Contest 141 - Other,AtCoder,,,,,\n"
        "p00003,Never submitted,AIZU,1000,1000,,,\n"
    ),
    "net/metadata/p00001.csv": rows(
        ("s1", "u1", 100, "Python", "py", "Wrong Answer"),
        ("s2", "u1", 200, "Python", "py", "Accepted"),
        ("s3", "u1", 300, "Python", "py", "Accepted"),
        ("s4", "u1", 400, "Python", "py", "Runtime Error"),
        ("s5", "u2", 100, "Java", "java", "Wrong Answer"),
        ("s6", "u2", 200, "Java", "java", "Accepted"),
        ("s7", "u2", 150, "Java", "java", "Judge Not Available"),
        ("s8", "u3", 100, "Python", "py", "Time Limit Exceeded"),
        ("s9", "u3", 200, "Ruby", "rb", "Wrong Answer"),
    ),
    "net/metadata/p00002.csv": rows(("s1", "u1", 100, "Python", "py", "Wrong Answer")),
    "net/data/p00001/Python/s1.py": "print(int(input()) + 2)\n",
    "net/data/p00001/Python/s2.py": "print(int(input()) + int('0'))\n",
    "net/data/p00001/Python/s3.py": "print(int(input()) * 2)\n",
    "net/data/p00001/Java/s5.java": JAVA.format("Main", "n + 2"),
    "net/data/p00001/Java/s6.java": JAVA.format("Answer", "2 * n"),
    "tests/ABC141/double_it/in/a.txt": "2\n",
    "tests/ABC141/double_it/out/a.txt": "4\n",
    "tests/ABC141/double_it/in/b.txt": "5\n",
    "tests/ABC141/double_it/out/b.txt": "10\n",
    "tests/ABC141/A/in/a.txt": "2\n",
}


@pytest.mark.timeout(300)
def test_pairs_are_made_in_time_and_healthy(importing: Any, machine: Machine) -> None:
    importing.write(FILES)
    made = importing.run("codenet", "net", "tests")
    assert made.bugs == ("p00001-s1", "p00001-s5")
    reasons = {bug.id: bug.reason for bug in made.dropped}
    assert set(reasons) == {"p00001-s4", "p00001-s8", "p00002"}
    assert "no later accepted submission" in reasons["p00001-s4"] and "no test cases for p00002" in reasons["p00002"]
    python, java = (importing.benchmark.bug(name) for name in made.bugs)
    assert (python.oracle.limits.cpu_s, python.oracle.limits.memory_mb) == (1.0, 256)
    assert python.labels.difficulty == "A", "the first task of its contest"
    assert python.problem.submission_verdict is Verdict.WRONG and "Double It" in python.problem.title
    assert "* 2" in (python.oracle.reference[0].text or "")
    assert java.problem.path == "Main.java" and java.oracle.test.program == "Main"
    assert importing.problems(machine) == {"p00001-s1": (), "p00001-s5": ()}


def test_every_status_is_known() -> None:
    assert len(CODENET) + len(JUDGE_SIDE) == 13
    assert not set(CODENET) & set(JUDGE_SIDE)


def test_tests_are_found_by_id_or_by_list(importing: Any) -> None:
    files = {path: text for path, text in FILES.items() if not path.startswith("tests/")}
    importing.write({**files, "tests/problems.csv": "problem_id,folder\np00001,ABC141/A\n", "tests/p00002/1.in": "1\n"})
    importing.write({"tests/p00002/1.out": "1\n", "tests/ABC141/A/in/1": "3\n", "tests/ABC141/A/out/1": "6\n"})
    made = importing.run("codenet", "net", "tests", language="python")
    assert made.bugs == ("p00001-s1",)
    assert importing.benchmark[0].oracle.cases[0].expected == "6\n"


def test_a_letter_is_a_position_and_matches_nothing(importing: Any) -> None:
    files = {path: text for path, text in FILES.items() if "double_it" not in path}
    importing.write(files)
    with pytest.raises(UserError, match="no problem has submissions and test cases"):
        importing.run("codenet", "net", "tests")


@pytest.mark.parametrize(
    ("path", "text", "message"),
    [
        ("net/metadata/p00001.csv", "submission_id,problem_id\n", "p00001.csv, line 1: the columns user_id, date"),
        ("net/metadata/p00001.csv", rows(("s1", "u1", 1, "C", "c", "Maybe")), "p00001.csv, line 2: unknown status 'Maybe'"),
        ("net/metadata/problem_list.csv", "id,name\n", "problem_list.csv, line 1: the columns dataset"),
        (
            "net/metadata/problem_list.csv",
            "id,name,dataset,time_limit,memory_limit\np00001,AtCoder Beginner Contest 141 - Double It,A,fast,1\n",
            "line 2: time_limit should be a number, not 'fast'",
        ),
        ("tests/problems.csv", "problem_id,folder\np00002,../net\n", "is no folder below"),
    ],
)
def test_wrong_metadata_is_told_with_line_and_field(importing: Any, path: str, text: str, message: str) -> None:
    importing.write({**FILES, path: text})
    with pytest.raises(UserError, match=message):
        importing.run("codenet", "net", "tests")
