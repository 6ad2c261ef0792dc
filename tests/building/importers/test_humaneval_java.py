"""HumanEval-Java: methods with a bug and JUnit tests, sorted by running them."""

from typing import Any

import pytest

from repairlab.core.errors import UserError
from repairlab.validation.machine import Machine

pytestmark = pytest.mark.imports

PROGRAM = """\
package humaneval.buggy;

/* Add two numbers. */

public class ADD {
    public static int add(int x, int y) {
        return x | y;
    }
}
"""
TEST = """\
package humaneval;

public class TEST_ADD {
    @org.junit.Test(timeout = 3000)
    public void test_0() throws java.lang.Exception {
        org.junit.Assert.assertEquals(3, humaneval.buggy.ADD.add(1, 2));
    }

    @org.junit.Test(timeout = 3000)
    public void test_1() throws java.lang.Exception {
        org.junit.Assert.assertEquals(2, humaneval.buggy.ADD.add(1, 1));
    }
}
"""
FILES = {
    "src/main/java/humaneval/buggy/ADD.java": PROGRAM,
    "src/main/java/humaneval/correct/ADD.java": PROGRAM.replace(".buggy", ".correct").replace("x | y", "x + y"),
    "src/test/java/humaneval/TEST_ADD.java": TEST,
}


@pytest.mark.timeout(300)
def test_a_method_is_healthy(importing: Any, machine: Machine) -> None:
    importing.write(FILES)
    importing.run("humaneval-java", machine=machine)
    bug = importing.benchmark.bug("ADD")
    assert bug.oracle.trigger == ("humaneval.TEST_ADD::test_1",) and bug.oracle.regression == ("humaneval.TEST_ADD::test_0",)
    assert bug.problem.description == "Add two numbers." and bug.problem.target.name == "ADD.add"
    assert importing.problems(machine) == {"ADD": ()}


def test_another_folder_is_no_checkout(importing: Any) -> None:
    importing.write({"README.md": ""})
    with pytest.raises(UserError, match="is no checkout of HumanEval-Java"):
        importing.run("humaneval-java")


def test_a_missing_test_drops_the_program(importing: Any) -> None:
    importing.write({path: text for path, text in FILES.items() if "TEST" not in path})
    with pytest.raises(UserError, match=r"TEST_ADD\.java is missing"):
        importing.run("humaneval-java")
