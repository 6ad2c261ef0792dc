"""Java's compiler rejects dead code; so do the templates, by the same rules."""

import pytest

from repairlab.languages.java.rejection import has_dead_code
from repairlab.languages.parser import Parsed

FINE = [
    "int f(int x) { if (x > 0) { return 1; } else { return 2; } }",
    "int f() { while (true) { } }",
    "int f() { for (;;) { try { return 1; } catch (Exception e) { continue; } } }",
    "int f(int x) { switch (x) { case 1: return 1; default: throw new Error(); } }",
    "void f(int x) { switch (x) { case 1: return; default: break; } x++; }",
    "void f() { outer: while (true) { while (true) { break outer; } } g(); }",
    "int f() { try { return g(); } finally { h(); } }",
    "void f(boolean b) { do { if (b) continue; return; } while (b); g(); }",
    "void f() { Runnable r = () -> { return; }; r.run(); }",
    "void f() { if (true) return; g(); }",
    "int f() { synchronized (this) { return 1; } }",
    "C() { super(); x = 1; }",
    "void f() { while (true) { if (g()) break; } h(); }",
    "int f(int x) { return switch (x) { case 1 -> 2; default -> 3; }; }",
    "abstract int f();",
]
DEAD = [
    "int f() { return 1; g(); }",
    "void f() { return; g(); }",
    "void f() { throw new Error(); int x; }",
    "int f(int x) { if (x > 0) { return 1; } }",
    "void f() { while (true) { g(); } h(); }",
    "void f() { for (;;) { break; g(); } }",
    "void f(int x) { if (x > 0) { return; } else { return; } g(); }",
    "int f() { try { g(); } catch (Exception e) { return 1; } }",
    "void f() { try { return; } finally { g(); } h(); }",
    "void f() { while (false) { g(); } }",
    "void f() { for (int x : xs) { continue; g(); } }",
    "void f(int x) { switch (x) { case 1: return; x++; } }",
    "void f() { do { return; } while (true); }  int g() { { } }",
]


@pytest.mark.parametrize("method", FINE)
def test_what_the_compiler_takes_is_let_pass(method: str) -> None:
    assert not has_dead_code(Parsed("java", f"class C {{ {method} }}").root)


@pytest.mark.parametrize("method", DEAD)
def test_what_the_compiler_rejects_is_kept_back(method: str) -> None:
    assert has_dead_code(Parsed("java", f"class C {{ {method} }}").root)
