"""Tests are found by listing them in the sandbox: JUnit 3, 4 and 5, pytest and unittest."""

from pathlib import Path

import pytest

from repairlab.core.errors import HarnessError
from repairlab.core.execution import Limits
from repairlab.core.recipe import Build, Framework, Test
from repairlab.languages.language import Lister, Listing, language
from repairlab.sandbox.sandbox import Sandbox

LIMITS = Limits(cpu_s=60, wall_s=120, memory_mb=1024, disk_mb=512)
JUNIT_4 = """\
package demo;
import java.util.Arrays;
import org.junit.*;
import org.junit.runner.RunWith;
import org.junit.runners.Parameterized;

public class Cases {
    public static class Base {
        @Test public void inherited() {}
    }
    public static class Plain extends Base {
        @Test public void own() {}
        @Ignore @Test public void ignored() {}
        public void noTest() {}
    }
    public static class Old extends junit.framework.TestCase {
        public void testOld() { throw new IllegalStateException("listing runs nothing"); }
    }
    @RunWith(Parameterized.class)
    public static class Many {
        @Parameterized.Parameters public static Iterable<Object[]> all() {
            return Arrays.asList(new Object[][] {{1}, {2}});
        }
        public Many(int number) {}
        @Test public void each() {}
    }
    public static class Empty {}
}
"""
JUNIT_5 = """\
package demo;
import org.junit.jupiter.api.*;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

class FiveTest {
    @Test void one() {}
    @ParameterizedTest @ValueSource(ints = {1, 2}) void many(int number) {}
    @RepeatedTest(3) void again() {}
    void noTest() {}
}
"""
PYTEST = """\
import unittest
import pytest

@pytest.mark.parametrize("number", [1, 2])
def test_number(number): raise ValueError("listing runs nothing")

class TestMany:
    def test_method(self): pass

class Case(unittest.TestCase):
    def test_case(self): pass
    def helper(self): pass
"""


def listed(language_name: str, sandbox: Sandbox, tree: Path, recipe: tuple[Build, Test], *places: str) -> Listing:
    build, test = recipe
    try:
        toolchain = language(language_name).toolchain
        assert isinstance(toolchain, Lister)
        files = [path.relative_to(tree).as_posix() for path in tree.rglob("*") if path.is_file()]
        for command in toolchain.build(build, test, files):
            done = sandbox.run(command.under(LIMITS), tree)
            assert done.succeeded, done.stderr
        batch = toolchain.listing(build, test, places)
    except HarnessError as error:
        pytest.skip(str(error))
    return toolchain.listed(batch, sandbox.run(batch.command.under(LIMITS), tree))


def write(folder: Path, name: str, text: str) -> Path:
    tree = folder / "tree"
    (tree / name).parent.mkdir(parents=True, exist_ok=True)
    (tree / name).write_text(text)
    return tree


def test_junit_3_and_4_tests_are_named_once_by_their_class(sandbox: Sandbox, tmp_path: Path) -> None:
    tree = write(tmp_path, "src/demo/Cases.java", JUNIT_4)
    recipe = Build(tool="javac", tests=("src/**/*.java",)), Test(framework="junit4")
    places = [f"demo.Cases${name}" for name in ("Plain", "Old", "Many", "Empty")]
    found = listed("java", sandbox, tree, recipe, *places, "demo.Missing")
    assert sorted(found.tests) == [
        "demo.Cases$Many::each",
        "demo.Cases$Old::testOld",
        "demo.Cases$Plain::ignored",
        "demo.Cases$Plain::inherited",
        "demo.Cases$Plain::own",
    ]
    assert "demo.Missing: java.lang.ClassNotFoundException" in found.error


def test_junit_5_tests_are_named_with_those_that_run_many_times(sandbox: Sandbox, tmp_path: Path) -> None:
    tree = write(tmp_path, "src/demo/FiveTest.java", JUNIT_5)
    recipe = Build(tool="javac", tests=("src/**/*.java",)), Test(framework="junit5")
    found = listed("java", sandbox, tree, recipe, "demo.FiveTest")
    assert sorted(found.tests) == [f"demo.FiveTest::{name}" for name in ("again", "many", "one")]
    assert found.error == ""


@pytest.mark.parametrize(
    ("framework", "place", "expected"),
    [
        (
            "pytest",
            "tests/test_it.py",
            [
                "tests/test_it.py::Case::test_case",
                "tests/test_it.py::TestMany::test_method",
                "tests/test_it.py::test_number[1]",
                "tests/test_it.py::test_number[2]",
            ],
        ),
        ("unittest", "tests/test_it.py", ["tests.test_it.Case.test_case"]),
        ("unittest", "tests.test_it", ["tests.test_it.Case.test_case"]),
    ],
)
def test_python_tests_are_named(framework: Framework, place: str, expected: list[str], sandbox: Sandbox, tmp_path: Path) -> None:
    text = PYTEST if framework == "pytest" else "import unittest\n\nclass Case(unittest.TestCase):\n    def test_case(self): pass\n"
    tree = write(tmp_path, "tests/test_it.py", text)
    found = listed("python", sandbox, tree, (Build(), Test(framework=framework)), place)
    assert sorted(found.tests) == expected
    assert found.error == ""


def test_a_file_that_cannot_be_loaded_is_told(sandbox: Sandbox, tmp_path: Path) -> None:
    tree = write(tmp_path, "test_it.py", "import nothing_of_this_name\n")
    found = listed("python", sandbox, tree, (Build(), Test(framework="pytest")), "test_it.py", "test_missing.py")
    assert found.tests == ()
    assert "test_missing.py: there is no such file" in found.error
