"""ConDefects: programs of AtCoder whose cases lie in a folder of their own."""

from typing import Any

import pytest

from repairlab.core.errors import UserError
from repairlab.validation.machine import Machine

pytestmark = pytest.mark.imports

JAVA = "public class Main {{\n    public static void main(String[] args) {{\n        System.out.println({});\n    }}\n}}\n"
FILES = {
    "code/Code/abc221_a/Python/17/faultyVersion.py": "print(int(input()) + 1)\n",
    "code/Code/abc221_a/Python/17/correctVersion.py": "print(int(input()))\n",
    "code/Code/abc221_a/Python/17/faultLocation.txt": "1\n",
    "code/Code/abc221_h/Java/18/faultyVersion.java": JAVA.format("2"),
    "code/Code/abc221_h/Java/18/correctVersion.java": JAVA.format("1"),
    "code/Code/abc999_a/Python/19/faultyVersion.py": "print(1)\n",
    "code/Code/abc999_a/Python/19/correctVersion.py": "print(2)\n",
    "tests/ABC221/A/in/1.txt": "3\n",
    "tests/ABC221/A/out/1.txt": "3\n",
    "tests/ABC221/Ex/in/1.txt": "\n",
    "tests/ABC221/Ex/out/1.txt": "1\n",
}


@pytest.mark.timeout(300)
def test_programs_find_their_cases_and_are_healthy(importing: Any, machine: Machine) -> None:
    importing.write(FILES)
    made = importing.run("condefects", "code", "tests")
    assert made.bugs == ("abc221_a-Python-17", "abc221_h-Java-18")
    assert [(bug.id, "no test cases for abc999_a" in bug.reason) for bug in made.dropped] == [("abc999_a-Python-19", True)]
    assert importing.problems(machine) == dict.fromkeys(made.bugs, ())


def test_samples_of_statements_are_cases_too(importing: Any) -> None:
    files = {path: text for path, text in FILES.items() if not path.startswith("tests/ABC221/A/")}
    samples = {"tests/abc221/a/test/sample-1.in": "3\n", "tests/abc221/a/test/sample-1.out": "3\n"}
    importing.write({**files, **samples, "tests/ABC221/Ex/in/1.txt": "\n"})
    assert "abc221_a-Python-17" in importing.run("condefects", "code", "tests").bugs


def test_one_language_can_be_chosen(importing: Any) -> None:
    importing.write(FILES)
    assert importing.run("condefects", "code", "tests", language="java").bugs == ("abc221_h-Java-18",)


def test_both_sources_are_needed(importing: Any) -> None:
    importing.write(FILES)
    with pytest.raises(UserError, match="needed are: a checkout of ConDefects, the folder of test cases"):
        importing.run("condefects", "code")
    with pytest.raises(UserError, match="is no checkout of ConDefects"):
        importing.run("condefects", "tests", "tests")
