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


def unchanged(name: str, language: str, source: str, text: str) -> bool:
    """Return whether a text of a program stays with a change in both versions."""
    new = perturbed(name, language, FileVersions(source, source.replace(" - 1", "")))
    return new is None or (text in new.buggy and text.replace(" - 1", "") in new.fixed)


@pytest.mark.parametrize(
    ("name", "language", "source", "text"),
    [
        ("rename", "python", 'def f():\n    seen = 3\n    return f"{seen=}", 2 - 1\n', "{seen=}"),
        (
            "rename",
            "python",
            "def f(p):\n    seen = 1\n    match p:\n        case P(seen=y):\n            return seen - 1\n",
            "P(seen=y)",
        ),
        ("rename", "python", "def f():\n    seen = 3\n    return dir(), seen - 1\n", "seen = 3"),
        ("rename", "python", "def f():\n    seen = 3\n    g = locals\n    return g() - 1\n", "seen = 3"),
        (
            "rename",
            "python",
            "import sys\ndef g():\n    return sys._getframe(1)\ndef f():\n    seen = g()\n    return seen - 1\n",
            "seen =",
        ),
        ("rename", "python", "def f():\n    \uff46oo = 4\n    return foo - 1\n", "return foo"),
        (
            "rename",
            "python",
            "def f():\n    def seen():\n        pass\n    seen = seen\n    return seen.__name__, 2 - 1\n",
            "seen = seen",
        ),
        ("rename", "java", "class A {\n  int size(int n) {\n    int size = n;\n    return size - 1;\n  }\n}\n", "int size(int"),
        (
            "rename",
            "java",
            "class A {\n  int f(E e) {\n    int ONE = 1;\n    switch (e) { case ONE: return ONE - 1; }\n    return 0;\n  }\n}\n",
            "case ONE",
        ),
        ("rename", "c", "int f(int n) {\n    int f = n;\n    return f - 1;\n}\n", "int f(int"),
        ("rename", "c", "int f(void) {\n    extern char **environ;\n    return environ != 0 - 1;\n}\n", "**environ"),
        ("rename", "c", "int f(int n) {\n    double fabs(double);\n    return fabs(n) - 1;\n}\n", "fabs(double)"),
        (
            "rename",
            "c",
            "#define SHOW(x) puts(#x)\nint f(int n) {\n    int seen = n;\n    SHOW(seen);\n    return n - 1;\n}\n",
            "SHOW(seen)",
        ),
        ("rename", "c", "int f(int n) {\n    int seen = n;\n#define STEP seen += 1\n    STEP;\n    return n - 1;\n}\n", "int seen"),
        ("rename", "cpp", "int f(int n) {\n    int seen = n;\n    double d(seen);\n    return d - 1;\n}\n", "int seen"),
        ("dead-code", "python", "def f():\n    return 2 - 1\nprint(f.__code__.co_varnames)\n", "def f():\n    return"),
        ("dead-code", "python", 'def f():\n    u"""Doc."""\n    return 2 - 1\n', 'f():\n    u"""'),
        ("dead-code", "python", 'def f():\n    "Doc."; x = 5\n    return x - 1\n', '"Doc."; x = 5'),
        ("dead-code", "c", "int f(int n) {\n    return __LINE__ - 1;\n}\n", "{\n    return"),
        (
            "dead-code",
            "java",
            "class A extends B {\n  A(int v) {\n    // first\n    super(v - 1);\n  }\n}\n",
            "{\n    // first\n    super",
        ),
        ("dead-code", "javascript", 'function f() {\n  "use strict";\n  return 2 - 1;\n}\n', '{\n  "use strict"'),
        ("reorder", "python", "def f():\n    global x\n    y = g()\n    x = 5\n    return g() - 1\n", "y = g()\n    x = 5"),
        ("reorder", "python", "def f():\n    x = 1\n    y = sorted(locals())\n    return y - 1\n", "x = 1\n    y"),
        (
            "reorder",
            "python",
            "def f():\n    class A:\n        a = 1\n        b = 2\n    return vars_of(A) - 1\n",
            "a = 1\n        b",
        ),
        (
            "reorder",
            "python",
            "def f():\n    n = h()\n    g = (n for _ in h())\n    n = 2\n    r = list(g)\n    return r - 1\n",
            "n = 2\n    r = list",
        ),
        (
            "reorder",
            "python",
            "def f(d):\n    with suppress(KeyError):\n        a = 1\n        b = d[2]\n    return a - 1\n",
            "a = 1\n        b",
        ),
        ("reorder", "python", "def f():\n    a = yield 1\n    b = g()\n    yield a - 1\n", "a = yield 1\n    b"),
        ("reorder", "python", "def f():\n    a = g()\n    b = 1 // 0\n    return a - 1\n", "a = g()\n    b"),
        (
            "reorder",
            "c",
            "int f(int *p) {\n    int x, y;\n    p = &x;\n    x = 5;\n    y = *p;\n    return y - 1;\n}\n",
            "x = 5;\n    y = *p",
        ),
        ("reorder", "c", "int g;\nint f(int y) {\n    y = h();\n    g = 5;\n    return y - 1;\n}\n", "y = h();\n    g = 5"),
        ("reorder", "cpp", "int f(int n) {\n    A b = h(n);\n    A a = 1;\n    return a - 1;\n}\n", "A b = h(n);\n    A a"),
        (
            "reorder",
            "java",
            "class A extends B {\n  int f(int y) {\n    y = next();\n    total = 5;\n    return y - 1;\n  }\n}\n",
            "next();\n    total",
        ),
    ],
)
def test_code_whose_meaning_would_change_stays(name: str, language: str, source: str, text: str) -> None:
    assert unchanged(name, language, source, text)


def test_what_cannot_be_changed_is_said() -> None:
    assert cannot_perturb("dead-code", "go") is None
    assert "variables of Go" in (cannot_perturb("rename", "go") or "")
    with pytest.raises(UserError, match="unknown perturbation 'shuffle'"):
        check_perturbations(["shuffle"])
    with pytest.raises(UserError, match="once"):
        check_perturbations(["rename", "rename"])
