"""Samples of pairs and problems hold what a representation asks for, and recovered text goes back to its place."""

import pytest

from repairlab.benchmarks.catalog import open_benchmark
from repairlab.core.diff import apply_edits
from repairlab.core.errors import UserError
from repairlab.core.pair import Pair, PairForm, PairSet
from repairlab.core.problem import Visibility, shown
from repairlab.learning.representations.code import same_code
from repairlab.learning.representations.representation import Sample, Unit, Unrepresentable
from repairlab.learning.representations.samples import edit_for, put_back, sample_of_pair, sample_of_problem
from repairlab.learning.representations.table import REPRESENTATIONS, representation

METHOD = "int f(int a) {\n    int b = a;\n    return b;\n}"


def facts(form: PairForm, language: str = "java") -> PairSet:
    return PairSet(name="x", version="1", licence="MIT", description="", language=language, form=form, abstract=False)


def test_a_line_of_a_class_knows_its_method_and_file() -> None:
    file = f"class A {{\n{METHOD}\nint g() {{\n    int b = a;\n}}\n}}\n"
    pair = Pair(id="1", buggy="int b = a;", fixed="int b = -a;", context=file, start=file.rindex("int b"))
    sample, fixed = sample_of_pair(pair, facts("line"), "line")
    assert (sample.method, fixed) == ("int g() {\n    int b = a;\n}", "int b = -a;")
    assert sample.file == file and file.startswith("int g", sample.method_start)
    first, _ = sample_of_pair(Pair(id="1", buggy="int b = a;", fixed="x", context=file), facts("line"), "line")
    assert first.method == METHOD, "without a place, the first such line"
    widened, whole = sample_of_pair(pair, facts("line"), "method")
    assert (widened.buggy, whole) == (sample.method, "int g() {\n    int b = -a;\n}") and widened.marked == (14, 24)
    program, all_of_it = sample_of_pair(pair, facts("line"), "program")
    assert program.buggy == file and all_of_it.count("-a") == 1
    with pytest.raises(Unrepresentable, match="not in the code around it"):
        sample_of_pair(Pair(id="1", buggy="x", fixed="y", context="z"), facts("line"), "line")


@pytest.mark.parametrize(("said", "read"), [("Time Limit Exceeded", "TIMEOUT"), ("WRONG", "WRONG"), ("odd", "odd"), (None, None)])
def test_a_verdict_is_the_same_word_of_a_pair_and_of_a_bug(said: str | None, read: str | None) -> None:
    pair = Pair(id="1", buggy="x = 1", fixed="x = 2", verdict=said)
    for unit in ("program", "method", "line", "text"):
        assert sample_of_pair(pair, facts("program", "python"), unit)[0].verdict == read


@pytest.mark.parametrize(
    ("fixed", "buggy", "text"),
    [
        (METHOD.replace("= a", "= 1"), "int b = a;", "int b = 1;"),
        (METHOD.replace("    return", "    g();\n    return"), "", "g();"),
        (METHOD.replace("    int b = a;\n", ""), "int b = a;", ""),
        (METHOD.replace("= a;\n    return b", "= 0;\n    return a"), "int b = a;\n    return b;", "int b = 0;\n    return a;"),
    ],
)
def test_a_method_is_cut_down_to_the_changed_lines(fixed: str, buggy: str, text: str) -> None:
    around = f"class A {{\n{METHOD}\n}}"
    for context in ("", around):
        sample, change = sample_of_pair(Pair(id="1", buggy=METHOD, fixed=fixed, context=context), facts("method"), "line")
        assert (sample.buggy, change, sample.method) == (buggy, text, METHOD)
        assert put_back(sample, change) == fixed


def test_what_cannot_be_a_sample_says_why() -> None:
    with pytest.raises(Unrepresentable, match="nothing is changed"):
        sample_of_pair(Pair(id="1", buggy="a", fixed="a"), facts("method"), "line")
    text = "def f():\n    x()\n    y()\n"
    with pytest.raises(Unrepresentable, match="depth of lines"):
        sample_of_pair(Pair(id="1", buggy=text, fixed=text.replace("    y", "        y")), facts("method", "python"), "line")


def test_lines_in_python_keep_their_depth() -> None:
    text = "class A:\n    def f(self):\n        if self.x:\n            return 1\n        return 2\n"
    fixed = text.replace("if self.x:\n            return 1", "if self.x > 0:\n            self.y()\n            return 1")
    for name in ("line", "sequencer", "method-marked", "coconut", "edits", "line-context"):
        made = representation(name)
        sample, change = sample_of_pair(Pair(id="1", buggy=text, fixed=fixed), facts("program", "python"), "line")
        _, written = made.target(sample, change)
        (again, *_) = made.recover(made.encode(sample), written)
        assert put_back(sample, again) == put_back(sample, change), name


def test_lines_begin_with_the_shallowest_where_depth_counts() -> None:
    text = "def f(a):\n    if a:\n        return 1\n    else:\n        return 2\n"
    fixed = text.replace("1", "0").replace("2", "1")
    pair = Pair(id="1", buggy=text, fixed=fixed)
    sample, change = sample_of_pair(pair, facts("program", "python"), "line")
    assert (sample.buggy, change) == (text[14:].strip(), fixed[14:].strip())
    for name in ("line", "sequencer", "method-marked", "coconut", "edits", "line-context"):
        made = representation(name)
        _, written = made.target(sample, change)
        (again, *_) = made.recover(made.encode(sample), written)
        assert put_back(sample, again).strip() == fixed.strip(), name
    assert sample_of_pair(pair, facts("program", "java"), "line")[0].buggy.startswith("return 1")
    with pytest.raises(Unrepresentable, match="depth"):
        sample_of_pair(
            Pair(id="1", buggy=text, fixed=text.replace("return 1\n", "a()\n    b()\n")), facts("program", "python"), "line"
        )


@pytest.mark.parametrize("unit", ["line", "method", "program"])
def test_the_reference_fix_of_a_problem_goes_back_into_its_file(unit: Unit) -> None:
    tried = set()
    for bug in open_benchmark("starter"):
        problem = shown(bug.problem, Visibility())
        try:
            after = apply_edits(bug.oracle.reference, {problem.path: problem.source})
        except UserError:  # a fix of other files is no matter here
            continue
        fixed = after[problem.path]
        if list(after) != [problem.path] or fixed is None:
            continue
        try:
            sample = sample_of_problem(problem, unit)
            pair = Pair(id=bug.id, buggy=problem.source, fixed=fixed)
            of_pair, change = sample_of_pair(pair, facts("program", problem.language), unit)
        except Unrepresentable:
            continue
        if (of_pair.method, of_pair.start, of_pair.buggy) != (sample.method, sample.start, sample.buggy):
            continue  # the target is an inner function, or the location wider than the diff
        tried.add(problem.language)
        made = apply_edits((edit_for(problem, sample, change),), {problem.path: problem.source})[problem.path]
        assert same_code(problem.language, made or "", fixed), bug.id
    assert tried >= {"python", "java", "c", "cpp", "go", "javascript"}


def test_a_problem_without_a_location_has_no_line() -> None:
    problem = shown(next(iter(open_benchmark("starter"))).problem, Visibility(localisation="function"))
    with pytest.raises(Unrepresentable, match="not shown"):
        sample_of_problem(problem, "line")
    assert sample_of_problem(problem, "method").buggy == problem.target.text
    assert sample_of_problem(problem, "method").marked is None


def test_every_representation_encodes_problems() -> None:
    problem = next(bug.problem for bug in open_benchmark("starter") if bug.problem.language == "java")
    for name in REPRESENTATIONS:
        made = representation(name)
        if made.unit == "text" or name == "program-verdict":
            continue
        sample = sample_of_problem(problem, made.unit)
        assert isinstance(sample, Sample) and made.encode(sample).source
