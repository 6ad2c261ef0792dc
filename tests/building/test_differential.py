"""New inputs, and what differential testing of functions shows."""

from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from repairlab.benchmarks.catalog import open_benchmark
from repairlab.building.differential import differential, mutated_inputs, similar_calls
from repairlab.languages.java import calls
from repairlab.languages.language import Function, language
from repairlab.languages.python.toolchain import example_calls
from repairlab.sandbox.sandbox import Sandbox

SOURCE = "def clamp(value, low, high):\n    return {}\n"
TESTS = (
    "from clamp import clamp\n\n\ndef test_inside():\n    assert clamp(5, 0, 9) == 5\n\n\n"
    "def test_above():\n    assert clamp(11, 0, 9) == 9\n"
)


def write_bug(folder: Path) -> Path:
    bug = folder / "bugs" / "clamp"
    (bug / "buggy").mkdir(parents=True)
    (folder / "benchmark.toml").write_text('schema = 1\nname = "b"\nversion = "1"\nlicence = "MIT"\n')
    (bug / "buggy/clamp.py").write_text(SOURCE.format("value"))
    (bug / "buggy/test_clamp.py").write_text(TESTS)
    (bug / "issue.md").write_text("Too large\n\nValues above the bound stay.\n")
    fixed = SOURCE.format("max(low, min(value, high))").splitlines()[1]
    (bug / "fix.patch").write_text(f"--- a/clamp.py\n+++ b/clamp.py\n@@ -2,1 +2,1 @@\n-    return value\n+{fixed}\n")
    (bug / "bug.toml").write_text(
        'schema = 1\nlanguage = "python"\npath = "clamp.py"\ntarget = "clamp"\n'
        '[test]\nframework = "pytest"\nfiles = ["test_clamp.py"]\n'
        'trigger = ["test_clamp.py::test_above"]\nregression = ["test_clamp.py::test_inside"]\n'
    )
    return folder


def test_functions_are_called_with_new_arguments(tmp_path: Path, sandbox: Sandbox) -> None:
    bug = open_benchmark(str(write_bug(tmp_path / "b"))).bug("clamp")
    fix = {"clamp.py": SOURCE.format("max(low, min(value, high))")}
    same = differential(bug, fix, {"clamp.py": SOURCE.format("sorted((low, value, high))[1] if low <= high else low")}, sandbox)
    assert same.n_valid > 20
    assert (same.n_differ, same.example) == (0, "")
    overfitting = differential(bug, fix, {"clamp.py": SOURCE.format("min(value, high)")}, sandbox)
    assert 0 < overfitting.n_differ < overfitting.n_valid
    assert "candidate: " in overfitting.example
    crashing = differential(bug, fix, {"clamp.py": "import os\n" + SOURCE.format("os._exit(0)")}, sandbox)
    assert crashing.n_differ == crashing.n_valid > 0, "an answer that is missing is none"


def test_why_nothing_is_measured_is_said(tiny: Path, sandbox: Sandbox) -> None:
    bug = open_benchmark(str(tiny)).bug("shop")
    assert "no function that can be called by itself" in differential(bug, {}, {}, sandbox).skipped


JAVA = """package a.b;

public class Cut {
    static String cut(final String text, int from, char[] ends, double... more) throws IndexOutOfBoundsException {
        return %s;
    }
}
"""


@pytest.mark.slow
def test_static_methods_of_java_are_called_even_where_their_class_hides_them(tmp_path: Path, sandbox: Sandbox) -> None:
    bug = tmp_path / "b/bugs/cut"
    (bug / "buggy/src/a/b").mkdir(parents=True)
    (tmp_path / "b/benchmark.toml").write_text('schema = 1\nname = "b"\nversion = "1"\nlicence = "MIT"\n')
    (bug / "buggy/src/a/b/Cut.java").write_text(JAVA % "text")
    tests = "class CutTest { void t() { Cut.cut(\"abcd\", 1, new char[] {'x', 'd'}, new double[] {-1.5, 2}); } }\n"
    (bug / "buggy/CutTest.java").write_text(tests)
    (bug / "issue.md").write_text("Nothing is cut\n")
    change = "@@ -5,1 +5,1 @@\n-        return text;\n+        return text.substring(from);\n"
    (bug / "fix.patch").write_text(f"--- a/src/a/b/Cut.java\n+++ b/src/a/b/Cut.java\n{change}")
    (bug / "bug.toml").write_text(
        'schema = 1\nlanguage = "java"\npath = "src/a/b/Cut.java"\ntarget = "Cut.cut"\n[build]\ntool = "javac"\n'
        'sources = ["src/**"]\n[test]\nframework = "junit4"\nfiles = ["CutTest.java"]\ntrigger = ["CutTest::t"]\n'
    )
    opened = open_benchmark(str(tmp_path / "b")).bug("cut")
    fix = {"src/a/b/Cut.java": JAVA % "text.substring(from)"}
    found = differential(opened, fix, {"src/a/b/Cut.java": JAVA % "from > text.length() ? text : text.substring(from)"}, sandbox)
    assert 0 < found.n_differ < found.n_valid, found
    assert "fix: 'throws java.lang.StringIndexOutOfBoundsException" in found.example, "it says so itself"
    same = differential(opened, fix, {"src/a/b/Cut.java": JAVA % "text.substring(from, text.length())"}, sandbox)
    assert (same.n_differ, same.n_valid) == (0, found.n_valid)
    broken = differential(opened, fix, {"src/a/b/Cut.java": JAVA % "no"}, sandbox)
    assert broken.n_differ == broken.n_valid


def java_function(head: str, name: str = "F.f") -> Function:
    source = f"class F {{ static {head} {{ }} }}"
    function = next(item for item in language("java").syntax.functions(source) if item.qualified == name)
    assert calls.stands_alone(function, "src/F.java", source)
    return function


def test_examples_for_java_have_the_types_that_are_stated() -> None:
    found = calls.example_calls(
        java_function("int f(int a, double b, boolean c, String d)"),
        [
            'x = f(-1, 2, true, "a\\u0041\\n\\"");',
            "f(0x10, Double.NaN, false, null); f(1.5, 1, true, null); f(a, 1, true, null); f(1, 2);",
            'f(Integer.MIN_VALUE, (double) 1_0, true, ""',
        ],
    )
    assert repr(found[:2]) == repr([(-1, 2.0, True, 'aA\n"'), (16, float("nan"), False, None)])
    assert found[2:] == [(0, 0.0, True, ""), (1, 1.5, False, "a b"), (7, 0.0, True, "1.2")]


@pytest.mark.parametrize(
    "source",
    [
        "class F { void f(int a) { } }",
        "class F { static void f(java.util.List<String> a) { } }",
        "class G { static void f(int a) { } }",
        "class F { class G { static void f(int a) { } } }",
    ],
)
def test_methods_of_objects_and_odd_types_do_not_stand_alone(source: str) -> None:
    function = language("java").syntax.functions(source)[0]
    assert not calls.stands_alone(function, "src/F.java", source)


def test_values_that_java_does_not_have_are_refused() -> None:
    function = java_function("void f(byte a, char b)")
    made = calls.calling_program(function, "package p.q;\nclass F {}", [(127, "x"), (128, "x"), (-128, "xy"), (1, None)])
    assert made.count("refuse();") == 4 and made.count("call(new Object[] {(byte) 127L, (char) 120});") == 1
    assert 'forName("p.q.F").getDeclaredMethod("f", byte.class, char.class)' in made


def functions(text: str) -> Function:
    return language("python").syntax.functions(text)[0]


def test_examples_come_from_literal_calls_and_stated_types() -> None:
    found = example_calls(functions("def f(a, b=1): pass\n"), ["f(1, [2])\nx.f('a')\nf(y)\nf(1, b=2)\n", "no python ("])
    assert found == [(1, [2]), ("a",)]
    assert (0, []) in example_calls(functions("def f(a: int, b: list[str]): pass\n"), [])
    assert example_calls(functions("def f(a: Odd): pass\n"), []) == []


def test_new_calls_look_like_known_ones() -> None:
    known: list[tuple[object, ...]] = [(3, "ab", [1.5, None]), (7, "", {"k": (1, b"x")}), (True, "c", {2}), ("alone",)]
    made = similar_calls(known, 40)
    assert len(made) > 20
    assert similar_calls(known, 40) == made, "the same every time"
    assert {len(call) for call in made} == {1, 3}
    assert all(isinstance(call[0], int) and isinstance(call[1], str) for call in made if len(call) == 3)
    assert not set(map(repr, made)) & set(map(repr, known))
    assert similar_calls([], 5) == []


@given(st.lists(st.text("ab 01\n-", max_size=20), max_size=4), st.integers(0, 5))
def test_new_inputs_have_the_form_of_known_ones(known: list[str], seed: int) -> None:
    made = mutated_inputs(known, 5, seed=seed)
    assert len(set(made)) == len(made)
    assert not set(made) & set(known)
    assert {text.partition("\n")[0] for text in made if "\n" in text[:-1]} <= {text.partition("\n")[0] for text in known} | {""}


def test_lines_that_are_counted_stay_as_many() -> None:
    counted = mutated_inputs(["2\na b\nc\n", "3\na\nb\nc d\n"], 30)
    assert {text.count("\n") for text in counted} == {3, 4}
    assert len({text.count("\n") for text in mutated_inputs(["9\na b\nc\n", "7\na\nb\nc d\n"], 30)}) > 2
