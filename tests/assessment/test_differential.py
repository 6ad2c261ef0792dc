"""New inputs, and what differential testing of functions shows."""

from pathlib import Path

from hypothesis import given
from hypothesis import strategies as st

from repairlab.assessment.differential import differential
from repairlab.assessment.inputs import mutated_inputs, similar_calls
from repairlab.benchmarks.catalog import open_benchmark
from repairlab.languages.language import Function
from repairlab.languages.python.calls import example_calls
from repairlab.languages.table import language
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
    assert "no function of a module" in differential(bug, {}, {}, sandbox).skipped


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
