"""Rules of NPR4J's Table 4, each by an example, and what must not be called correct."""

import pytest

from repairlab.study.assessment.rules import Programs, is_identical, proposed_rules

METHODS = """\
    void setRate(double r) { if (r < 0 || r > 1) { throw new E(r); } this.rate = r; }
    int most(int a, int b) { return a > b ? a : b; }
    Object list() { if (all == null) { init(); } return all; }
"""


def java(body: str) -> str:
    return "class A {\n" + METHODS + "    int f(int lo, int hi) {\n" + body + "\n    }\n}\n"


def proposed(buggy: str, fixed: str, candidate: str, language: str = "java") -> str:
    texts = [java(text) if language == "java" else text for text in (buggy, fixed, candidate)]
    before, after, mine = ({"src/A.java" if language == "java" else "a.py": text} for text in texts)
    return " ".join(proposed_rules(Programs(language=language, buggy=before, fixed=after, candidate=mine)))


@pytest.mark.parametrize(
    ("rule", "buggy", "fixed", "candidate"),
    [
        ("R0", "while (true) { g(); }", "while (lo < hi) { g(); }", "while ( ( lo ) < hi )  g(); // now"),
        ("R1", "for (long c : cs) { x(); }", "for (Integer c : cs) { x(); }", "for (int c : cs) { x(); }"),
        ("R1", "return lo;", "return this.max;", "return max;"),
        ("R2", "return 1;", 'throw new NumberFormatException(s + " is no number");', "throw new NumberFormatException();"),
        ("R3", "return s;", 'if (s == null) s = "";\nreturn s;', "if (s == null) s = new String();\nreturn s;"),
        ("R4", "return b;", "return a == null ? b : c;", "if (a == null) { return b; }\nreturn c;"),
        ("R7", "while (lo <= hi) { g(); }", "while (lo < hi) { g(); }", "while (!(lo >= hi)) { g(); }"),
        ("R7", "while (lo <= hi) { g(); }", "while (lo < hi && p) { g(); }", "while (p && hi > lo) { g(); }"),
        ("R8", "old();\na();", "b();", "old();\nb();"),
        ("R9", "return found;", "return found && !point;", "if (point == true) { return false; }\nreturn found;"),
        ("R10", "use(a);", "if (a == null) { x(); }\nuse(a);", "if (a == null || b == null) { x(); }\nuse(a);"),
        ("R11", "while (true) { g(); }", "while (lo < hi) { g(); }", "while (lo < hi && lo >= 0) { g(); }"),
        ("R12", "a();", "if (p(lo)) { return 1; }\nif (q(hi)) { return 2; }\na();", "if (p(lo)) { return 1; }\na();"),
        ("R13", "return g(lo);", "return g(lo) * 2.0;", "return g(lo) * 2.5;"),
        ("R14", "return set.has(lo);", "return set.has(getLocale());", "return set.has(locale);"),
        ("R15", "bad();\na();", "a();", "if (false) { bad(); }\na();"),
        ("R16", "return g(2);", "return g(1);", "return (1 * g(1));"),
        ("R16", "n = 2;", "n = n + 1;", "n++;"),
        ("R17", "return g(2);", "return g(1);", "return (int) g(1);"),
        ("R19", "return g(b);", "x();\nreturn encode(b, false);", "x();\nreturn encode(b);"),
        ("R3", "return 0;", "return Integer.valueOf(1);", "return new Integer(1);"),
        ("R3", "x = null;", "x = Collections.emptyList();", "x = new ArrayList<String>();"),
        ("R3", "x = null;", "x = BigDecimal.ZERO;", "x = new BigDecimal(0);"),
        ("R3", "return fit(p, v);", "int[] v = make(lo);\nreturn fit(v);", "int[] v = make(lo);\nreturn fit(make(lo));"),
        ("R4", "x = b;", "x = a ? b : c;", "if (a) { x = b; } else { x = c; }"),
        (
            "R4",
            "for (int i = 0; i < n; i++) { k[i] = a[i].g(); }",
            "for (int i = 0; i < n; i++) { k[i] = a[i] == null ? null : a[i].g(); }",
            "for (int i = 0; i < n; i++) { if (a[i] == null) continue; k[i] = a[i].g(); }",
        ),
        ("R4 R7", "return b;", "return !a ? c : b;", "if (a) return b;\nreturn c;"),
        ("R5", "this.rate = lo;", "setRate(lo);", "if (lo < 0 || lo > 1) { throw new E(lo); }\nthis.rate = lo;"),
        (
            "R2 R5 R7",
            "this.rate = lo;",
            "setRate(lo);",
            "if (lo > 1) { throw new E(null); }\nif (lo < 0) { throw new E(null); }\nthis.rate = lo;",
        ),
        ("R5", "return lo;", "return most(lo, hi);", "return lo > hi ? lo : hi;"),
        ("R5", "return lo;", "x = most(lo, hi);\nreturn x;", "x = lo > hi ? lo : hi;\nreturn x;"),
        ("R6", "return lo;", "return g(lo) + 1;", "int x = g(lo);\nreturn x + 1;"),
        ("R10", "return a;", "return g(a);", "if (a == null) { return null; }\nreturn g(a);"),
        ("R10", "if (p) { g(); }", "if (p && a != null) { g(); }", "if (p && a != null && b != null) { g(); }"),
        ("R10", "x = a;", "x = g(a);", "x = a == null ? null : g(a);"),
        ("R11", "return NAN;", "return INF;", "if (this.equals(z)) { return INF; }\nreturn NAN;"),
        ("R12", "use(a);", "if (p) { fix(a); more(b); }\nuse(a);", "if (p) { fix(a); }\nuse(a);"),
        ("R13", "return p(-dim / 2);", "return p(-0.5 * dim);", "return p(-dim / 2d);"),
        ("R13", "if (x < 0 && p) g();", "if ((x < 0 || z) && p) g();", "if (x <= 0 && p) g();"),
        ("R14", "return h(lo);", "return h(list());", "return h(all);"),
        ("R14", "return h(lo);", "return h(o.getLocale());", "return h(o.locale);"),
        ("R15", "bad();\na();", "a();", "if (1 > 2) { bad(); }\na();"),
        ("R15", "bad();\na();", "a();", "for (int i = 0; false; i++) { bad(); }\na();"),
        ("R7 R17", "return lo > hi;", "return lo < hi;", "return (long) hi > lo;"),
    ],
)
def test_a_rule_is_proposed_for_what_it_describes(rule: str, buggy: str, fixed: str, candidate: str) -> None:
    assert proposed(buggy, fixed, candidate) == rule


@pytest.mark.parametrize(
    ("buggy", "fixed", "candidate"),
    [
        ("bad(lo);\na();", "good(lo, hi);\na();", "a();"),
        ("return lo;", "return lo + hi;", "return 0;"),
        ("if (p) { return lo; }\nreturn hi;", "if (p && q(hi)) { return lo; }\nreturn hi;", "return hi;"),
        ("return lo < hi;", "return lo <= hi;", "return lo < hi;"),
        ("return lo;", "return lo - hi;", "return hi - lo;"),
        ("x = null;", "x = List.of(lo);", "x = new ArrayList<>();"),
        ("return lo;", "return most(lo, hi);", "return lo < hi ? lo : hi;"),
        ("int x = 0;\nx++;\nreturn x;", "int x = 1;\nx++;\nreturn x;", "int x = 1;\nx++;\nreturn 1;"),
        ("return hi;", "return g(lo);", "if (lo < 3) { return g(lo); }\nreturn 7;"),
    ],
)
def test_what_differs_otherwise_is_not_explained(buggy: str, fixed: str, candidate: str) -> None:
    assert proposed(buggy, fixed, candidate) == ""


def test_rules_hold_for_indented_code() -> None:
    buggy = "class A:\n    def f(self, x):\n        return 2\n"
    fixed = "class A:\n    def f(self, x):\n        if x is None:\n            return 1\n        return 2\n"
    mine = "class A:\n    def f(self, x):\n        # short\n        return 1 if x == None else 2\n"
    assert proposed(buggy, fixed, mine, "python") == "R4"


def test_chains_of_branches_are_nested_ones() -> None:
    buggy = "def f(x):\n    return 0\n"
    fixed = "def f(x):\n    if x > 1:\n        y = 1\n    elif x:\n        y = 2\n    else:\n        y = 3\n    return y\n"
    mine = "def f(x):\n    if 1 < x:\n        y = 1\n    else:\n"
    mine += "        if x:\n            y = 2\n        else:\n            y = 3\n    return y\n"
    assert proposed(buggy, fixed, mine, "python") == "R7"


def test_files_that_only_one_side_has_are_not_explained() -> None:
    both = {"a.py": "def f():\n    return 1\n"}
    more = Programs(language="python", buggy={}, fixed=both, candidate={**both, "b.py": "x = 1\n"})
    assert proposed_rules(more) == ()
    assert is_identical(Programs(language="python", buggy={}, fixed=both, candidate=both))
    gone = Programs(language="python", buggy=both, fixed={"a.py": None}, candidate={"a.py": None})
    assert proposed_rules(gone) == ("R0",)


def test_code_outside_of_functions_must_be_the_same() -> None:
    assert proposed("x = 1\n", "x = 2\n", "x = 3\n", "python") == ""


def test_what_does_not_parse_or_is_too_deep_is_not_explained() -> None:
    deep = "return " + "(" * 3000 + "1" + ")" * 3000 + ";"
    assert proposed("return 1;", "return 2;", deep) == ""
    assert proposed("return 1;", "return g(2);", "return g(2;") == ""
