"""Changes that keep a program's meaning: what they change, and what they leave alone."""

import pytest

from repairlab.core.errors import UserError
from repairlab.languages.perturbation import FileVersions, cannot_perturb, check_perturbations, perturbed

PYTHON = '''import math

limit = 3


def area(radius, *, scale=1):
    """Return an area."""
    limit, factor = radius, 2
    for item in [factor]:
        factor = item * scale
    names = dict(factor=factor)
    return math.floor(factor) - 1, names.factor, f"{factor}"
'''
JAVA = """class Box {
    private int size = 0;

    Box(int size) {
        this.size = size;
    }

    int grow(int by) {
        int first = 1;
        int second = size + by;
        Box other = new Box(by);
        return first + second + other.size - 1;
    }
}
"""
C = """int sum(const int *values, int n) {
    int total = 0;
    int i = 0;
    for (i = 0; i < n; i++) {
        total += values[i];
    }
    return total - 1;
}
"""


def changed(name: str, language: str, source: str) -> list[str]:
    """Return the new lines of the buggy version; the fix takes `- 1` away, and is changed alike."""
    fixed = source.replace(" - 1", "")
    new = perturbed(name, language, FileVersions(source, fixed))
    assert new is not None
    assert new.buggy.replace(" - 1", "") == new.fixed
    before = source.splitlines()
    return [line.strip() for line in new.buggy.splitlines() if line not in before]


@pytest.mark.parametrize(
    ("language", "source", "lines"),
    [
        (
            "python",
            PYTHON,
            [
                "limit, var1 = radius, 2",
                "for var2 in [var1]:",
                "var1 = var2 * scale",
                "var3 = dict(factor=var1)",
                'return math.floor(var1) - 1, var3.factor, f"{var1}"',
            ],
        ),
        (
            "java",
            JAVA,
            [
                "int grow(int var1) {",
                "int var2 = 1;",
                "int var3 = size + var1;",
                "Box var4 = new Box(var1);",
                "return var2 + var3 + var4.size - 1;",
            ],
        ),
        (
            "c",
            C,
            [
                "int sum(const int *var1, int var2) {",
                "int var3 = 0;",
                "int var4 = 0;",
                "for (var4 = 0; var4 < var2; var4++) {",
                "var3 += var1[var4];",
                "return var3 - 1;",
            ],
        ),
    ],
)
def test_local_variables_are_renamed_and_nothing_that_others_name(language: str, source: str, lines: list[str]) -> None:
    assert changed("rename", language, source) == lines


@pytest.mark.parametrize(
    ("language", "source", "line"),
    [
        ("python", PYTHON, "if False:"),
        ("java", JAVA, "if (false) { int unused1 = 0; }"),
        ("c", C, "if (0) { int unused1 = 0; (void)unused1; }"),
        ("cpp", C, "if (false) { int unused1 = 0; (void)unused1; }"),
        ("go", "package main\n\nfunc one() int {\n\treturn 2 - 1\n}\n", "if false { var unused1 = 0; _ = unused1 }"),
        ("javascript", "function one() {\n  return 2 - 1;\n}\n", "if (false) { let unused1 = 0; }"),
    ],
)
def test_functions_begin_with_code_that_never_runs(language: str, source: str, line: str) -> None:
    assert line in changed("dead-code", language, source)


def test_a_docstring_stays_the_first_statement() -> None:
    new = perturbed("dead-code", "python", FileVersions(PYTHON, PYTHON.replace(" - 1", "")))
    assert new is not None
    assert '"""Return an area."""\n    if False:\n        unused1 = 0\n    limit' in new.buggy


def test_neighbours_that_know_nothing_of_each_other_are_swapped() -> None:
    new = perturbed("reorder", "java", FileVersions(JAVA, JAVA.replace(" - 1", "")))
    assert new is not None
    assert "int second = size + by;\n        int first = 1;\n        Box other" in new.buggy
    dependent = "def f():\n    one = 1\n    two = one\n    return two - 1\n"
    assert perturbed("reorder", "python", FileVersions(dependent, dependent.replace(" - 1", ""))) is None


def test_names_that_a_program_can_see_at_run_time_stay() -> None:
    text = "def f():\n    first = 1\n    return locals()\n"
    assert perturbed("rename", "python", FileVersions(text, text.replace("1", "2"))) is None


def test_what_cannot_be_changed_is_said() -> None:
    assert cannot_perturb("dead-code", "go") is None
    assert "variables of Go" in (cannot_perturb("rename", "go") or "")
    with pytest.raises(UserError, match="unknown perturbation 'shuffle'"):
        check_perturbations(["shuffle"])
    with pytest.raises(UserError, match="once"):
        check_perturbations(["rename", "rename"])
