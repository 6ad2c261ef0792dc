"""QuixBugs' programs come with the tests of the checkout, sorted by running them, and without a trace of their fix."""

import json
from collections.abc import Sequence
from pathlib import Path
from typing import Any

import pytest

from repairlab.building.importers.importer import Settings
from repairlab.building.importers.quixbugs import _junit_class, read
from repairlab.core.errors import UserError
from repairlab.validation.machine import Machine

JAVA = """\
package java_programs;
import java.util.*;

public class TWICE {
    // doubles
    public static int twice(int n) {
        return n + 1;
    }

    public static Node wrap(int n) {
        return new Node();
    }
}
"""
JAVA_TEST = """\
package java_testcases.junit;

public class TWICE_TEST {
    @org.junit.Test(timeout = 3000)
    public void test_0() throws java.lang.Exception {
        org.junit.Assert.assertEquals(2, java_programs.TWICE.twice(1));
    }

    @org.junit.Test(timeout = 3000)
    public void test_1() throws java.lang.Exception {
        org.junit.Assert.assertEquals(6, java_programs.TWICE.twice(3));
    }
}
"""
PYTHON = '''\

def twice(n):
    return n + 1


"""
Twice
twice

Input:
    n: an int

Output:
    n and n again
"""
'''
PYTHON_FIXED = '''
def twice(n):
    return n + n

"""
def twice(n):
    return 2 * n
"""
'''
PYTHON_TEST = """\
import pytest
from load_testdata import load_json_testcases

if pytest.use_correct:
    from correct_python_programs.twice import twice
else:
    from python_programs.twice import twice

testdata = load_json_testcases(twice.__name__)


@pytest.mark.parametrize("input_data,expected", testdata)
def test_twice(input_data, expected):
    if input_data == [9]:
        pytest.skip("too slow")
    assert twice(*input_data) == expected
"""
LOADER = """\
import json
from pathlib import Path


def load_json_testcases(name):
    lines = (Path(__file__).parent.parent / "json_testcases" / f"{name}.json").read_text().splitlines()
    return [json.loads(line) for line in lines]
"""
FILES = {
    "java_programs/TWICE.java": JAVA,
    "java_programs/Node.java": "package java_programs;\n\npublic class Node {\n}\n",
    "java_programs/WeightedEdge.java": "package java_programs;\n\npublic class WeightedEdge {\n}\n",
    "correct_java_programs/TWICE.java": JAVA.replace("package java_programs;", "package correct_java_programs;\n")
    .replace("import java.util.*;", "import java.util.*;\nimport java_programs.Node;\n")
    .replace("n + 1", "n + n"),
    "java_testcases/junit/TWICE_TEST.java": JAVA_TEST,
    "python_programs/twice.py": PYTHON,
    "correct_python_programs/twice.py": PYTHON_FIXED,
    "correct_python_programs/node.py": "class Node:\n    pass\n",
    "correct_python_programs/twice_test.py": "print('by hand')\n",
    "python_testcases/test_twice.py": PYTHON_TEST,
    "python_testcases/load_testdata.py": LOADER,
    "json_testcases/twice.json": "[[1], 2]\n[[3], 6]\n[[9], 18]\n",
    "conftest.py": "import pytest\n\n\ndef pytest_configure(config):\n    pytest.use_correct = False\n",
}


@pytest.mark.timeout(300)
def test_java_programs_are_healthy_with_their_tests_sorted(importing: Any, machine: Machine) -> None:
    importing.write(FILES)
    made = importing.run("quixbugs", machine=machine, language="java")
    assert made.bugs == ("twice",) and not made.dropped
    bug = importing.benchmark.bug("twice")
    assert bug.oracle.trigger == ("java_testcases.junit.TWICE_TEST::test_1",)
    assert bug.oracle.regression == ("java_testcases.junit.TWICE_TEST::test_0",)
    assert bug.problem.target.name == "TWICE.twice" and "doubles" not in bug.problem.target.text
    assert [file.path for file in bug.problem.context] == ["java_programs/Node.java"]
    assert [(lines.first, lines.last) for lines in bug.problem.location] == [(7, 7)]
    assert "timeout = 30000)" in Path(bug.tree.source, "java_testcases/junit/TWICE_TEST.java").read_text()
    assert "10 times" in made.notes[0]
    assert importing.problems(machine) == {"twice": ()}


@pytest.mark.timeout(300)
def test_python_programs_are_healthy_with_their_parameters_by_name(importing: Any, machine: Machine) -> None:
    importing.write(FILES)
    made = importing.run("quixbugs", machine=machine, language="python")
    assert made.bugs == ("twice",)
    bug = importing.benchmark.bug("twice")
    assert bug.oracle.trigger == ("python_testcases/test_twice.py::test_twice[input_data1-6]",)
    assert bug.oracle.regression == ("python_testcases/test_twice.py::test_twice[input_data0-2]",)
    assert "input_data2-18" in made.notes[0] and "skipped" in made.notes[0]
    assert not bug.problem.context
    assert bug.problem.title == "Twice: twice does not do what its description says"
    assert bug.problem.description.startswith("Input:\n    n: an int")
    assert "2 * n" not in (importing.folder / "benchmark/bugs/twice/fix.patch").read_text()
    assert importing.problems(machine) == {"twice": ()}


@pytest.mark.timeout(300)
@pytest.mark.slow
def test_programs_as_json_lines_have_the_same_tests(importing: Any, machine: Machine) -> None:
    entry = {"name": "twice", "python_buggy": PYTHON, "python_fixed": PYTHON_FIXED, "pytest_source": PYTHON_TEST}
    tests = [{"args": [1], "expected": 2}, {"args": [3], "expected": 6}]
    importing.write({"quix.jsonl": json.dumps({**entry, "tests": tests}) + "\n"})
    importing.run("quixbugs", "quix.jsonl", machine=machine, language="python")
    bug = importing.benchmark.bug("twice")
    assert bug.oracle.trigger == ("python_testcases/test_twice.py::test_twice[input_data1-6]",)


def test_java_programs_as_json_lines_get_junit_classes_of_their_cases(importing: Any, machine: Machine) -> None:
    entry = {"name": "twice", "python_buggy": PYTHON, "python_fixed": PYTHON_FIXED, "pytest_source": PYTHON_TEST}
    alone = JAVA.replace("Node wrap(int n)", "int wrap(int n)").replace("new Node()", "n")
    java = {"java_buggy": alone, "java_fixed": alone.replace("n + 1", "n + n")}
    tests = [{"args": [1], "expected": 2}, {"args": [3], "expected": 6}]
    graph = {**entry, **java, "name": "graph", "tests": []}
    importing.write({"quix.jsonl": json.dumps({**entry, **java, "tests": tests}) + "\n" + json.dumps(graph) + "\n"})
    made = importing.run("quixbugs", "quix.jsonl", machine=machine, language="java")
    bug = importing.benchmark.bug("twice")
    assert bug.oracle.trigger == ("java_testcases.junit.TWICE_TEST::test_1",)
    assert bug.oracle.regression == ("java_testcases.junit.TWICE_TEST::test_0",)
    assert [item.id for item in made.dropped] == ["graph"]


@pytest.mark.parametrize(
    ("signature", "cases", "call"),
    [
        ("int f(int[] items, String s)", [[[[1, 2], "a"], 3]], 'same(3, java_programs.F.f(new int[]{1, 2}, "a"))'),
        (
            "ArrayList<Integer> f(ArrayList<ArrayList<Integer>> a)",
            [[[[[1], []]], []]],
            "same(list(), java_programs.F.f(list(list(1), list())))",
        ),
        ("boolean f(int [][] a)", [[[[[1]]], True]], "same(true, java_programs.F.f(new int[][]{new int[]{1}}))"),
        ("void f(int[] a)", [[[[1]], None]], None),
        ("int f(int a, int b)", [[[1], 2]], None),
    ],
)
def test_cases_become_calls_in_java(signature: str, cases: Sequence[Any], call: str | None) -> None:
    made = _junit_class("F", "f", f"class F {{ public static {signature} {{ }} }}", cases)
    assert (call is None and made is None) or (call is not None and made is not None and call in made)


def test_a_language_must_be_named_and_known(importing: Any) -> None:
    importing.write(FILES)
    with pytest.raises(UserError, match="--language python or --language java"):
        read([importing.source], Settings())
    with pytest.raises(UserError, match="unknown language 'cobol'"):
        read([importing.source], Settings(language="cobol"))


def test_another_folder_is_no_checkout(importing: Any) -> None:
    importing.write({"README.md": "hello"})
    with pytest.raises(UserError, match="correct_java_programs is missing"):
        read([importing.source], Settings(language="java"))


@pytest.mark.parametrize(
    ("path", "text", "message"),
    [
        ("json_testcases/twice.json", "[[1], 2]\n[[3], ", "twice.json, line 2: not valid JSON"),
        ("json_testcases/twice.json", "[1]\n", "twice.json, line 1: a case should be a list of arguments"),
        ("correct_python_programs/twice.py", "def twice(\n", "twice.py, line 1: not valid Python"),
        ("correct_python_programs/twice.py", PYTHON, "are the same"),
    ],
)
def test_a_broken_file_drops_the_program_and_says_where(importing: Any, path: str, text: str, message: str) -> None:
    importing.write({**FILES, path: text})
    with pytest.raises(UserError, match=message):
        importing.run("quixbugs", language="python")
    assert not (importing.folder / "benchmark").exists()
