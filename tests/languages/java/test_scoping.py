"""Local variables that a candidate declares twice, or uses where there are none, are seen before a compiler does."""

import pytest

from repairlab.languages.java.rejection import has_wrong_names, local_names
from repairlab.languages.parser import Parsed

FILE = """
class C extends B {
    int field;
    int f(int given, int[] many) {
        int local = given;
        for (int i = 0; i < many.length; i++) { local += many[i]; }
        for (int one : many) { local -= one; }
        try { g(); } catch (Exception e) { throw new Error(e); }
        Runnable r = () -> { int inner = 1; };
        java.util.function.IntUnaryOperator op = number -> number + local;
        inherited = 3;
        return local;
    }
    void h() { int inherited = 1; int field = 2; }
}
"""
NAMES = local_names(Parsed("java", FILE).root)


def test_names_that_are_also_fields_or_used_without_a_declaration_are_not_looked_at() -> None:
    assert {"given", "many", "local", "i", "one", "e", "inner"} <= NAMES
    assert NAMES.isdisjoint({"field", "inherited"})
    assert not has_wrong_names(Parsed("java", FILE).root, NAMES)


@pytest.mark.parametrize(
    "body",
    [
        "int local = 1; if (given > 0) { local++; } return local;",
        "for (int i = 0; i < 3; i++) { } for (int i = 0; i < 3; i++) { } return 1;",
        "{ int local = 1; } int local = 2; return local;",
        "local: while (true) { break local; }",
        "return this.local + local() + given;",
        "Object o = new Object() { int x(int given) { return given; } }; return 1;",
        "switch (given) { case 1: int local = 1; default: local = 2; return local; }",
    ],
)
def test_what_the_compiler_takes_is_let_pass(body: str) -> None:
    root = Parsed("java", f"class C {{ int f(int given) {{ {body} }} }}").root
    assert not has_wrong_names(root, frozenset({"given", "local", "i"}))


@pytest.mark.parametrize(
    "body",
    [
        "int given = 1; return given;",
        "local = 2; int local = 1; return local;",
        "int local = 1; if (given > 0) { int local = 2; } return local;",
        "return local;",
        "{ int local = 1; } return local;",
        "for (int i = 0; i < 3; i++) { } return i;",
        "for (int given : many) { } return 1;",
        "Runnable r = () -> { int given = 1; }; return 1;",
        "IntUnaryOperator o = given -> 1; return 1;",
    ],
)
def test_what_the_compiler_rejects_is_kept_back(body: str) -> None:
    assert has_wrong_names(Parsed("java", f"class C {{ int f(int given) {{ {body} }} }}").root, frozenset({"given", "local", "i"}))
