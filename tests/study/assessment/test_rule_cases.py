"""Ten cases for each of nine rules of NPR4J's Table 4, written from its descriptions, and pairs that no rule explains."""

import pytest

from repairlab.study.assessment.rules import Programs, proposed_rules

HEAD = """\
package a;
import java.util.*;
public class Store {
    private final Map<String, Integer> sizes = new HashMap<>();
    private List<String> names = new ArrayList<>();
    private static final String EMPTY = "";
    private static final int MAX = 10;
    private int limit;
    private String title;
    private Locale locale;
    public int getLimit() { return limit; }
    public String getTitle() { return title; }
    public Locale getLocale() { return this.locale; }
    public List<String> getNames() { return names; }
    boolean isBlank(String s) { return s == null || s.trim().isEmpty(); }
    private static void checkIndex(int i, int n) { if (i < 0 || i >= n) { throw new IndexOutOfBoundsException("index " + i); } }
    private int clamp(int v) { return Math.max(0, Math.min(v, limit)); }
    private void reset() { sizes.clear(); limit = 0; }
    private double half(double v) { return v / 2; }
    int f(String s, int lo, int hi, Object o, List<String> xs, double x, double y, char[] cs, int[] a) {
"""
CASES = {
    "R3": [
        ("use(s);", "String t = s == null ? EMPTY : s;\nuse(t);", "String t = s == null ? new String() : s;\nuse(t);"),
        (
            "return xs.size();",
            "if (xs == null) { xs = Collections.emptyList(); }\nreturn xs.size();",
            "if (xs == null) { xs = new ArrayList<>(); }\nreturn xs.size();",
        ),
        (
            "Map<String,Integer> m = null;\nreturn run(m);",
            "Map<String,Integer> m = Collections.emptyMap();\nreturn run(m);",
            "Map<String,Integer> m = new HashMap<String,Integer>();\nreturn run(m);",
        ),
        (
            "return run(s);",
            'if (s == null) return run("");\nreturn run(s);',
            "if (s == null) return run(new String());\nreturn run(s);",
        ),
        (
            "return run(a);",
            "if (a == null) { a = EMPTY_INTS; }\nreturn run(a);",
            "if (a == null) { a = new int[0]; }\nreturn run(a);",
        ),
        (
            "Boolean b = null;\nreturn run(b);",
            "Boolean b = Boolean.FALSE;\nreturn run(b);",
            "Boolean b = new Boolean(false);\nreturn run(b);",
        ),
        ("return run(null, lo);", "return run(Locale.ENGLISH, lo);", 'return run(new Locale("en"), lo);'),
        (
            "return run(s);",
            "int[] none = {};\nreturn s == null ? run(none) : run(s);",
            "return s == null ? run(new int[] {}) : run(s);",
        ),
        (
            "BigInteger n = null;\nreturn run(n);",
            "BigInteger n = BigInteger.ONE;\nreturn run(n);",
            'BigInteger n = new BigInteger("1");\nreturn run(n);',
        ),
        (
            "Set<String> seen = null;\nreturn run(seen);",
            "Set<String> seen = Collections.emptySet();\nreturn run(seen);",
            "Set<String> seen = new HashSet<>();\nreturn run(seen);",
        ),
    ],
    "R4": [
        ("return lo;", "return lo > hi ? hi : lo;", "if (lo > hi) {\n return hi;\n}\nreturn lo;"),
        (
            "int n = s.length();\nreturn n;",
            "int n = s == null ? 0 : s.length();\nreturn n;",
            "int n;\nif (s == null) {\n n = 0;\n} else {\n n = s.length();\n}\nreturn n;",
        ),
        (
            "int n = s.length();\nreturn n;",
            "int n = s == null ? 0 : s.length();\nreturn n;",
            "int n = 0;\nif (s != null) {\n n = s.length();\n}\nreturn n;",
        ),
        ("return run(s);", "if (s == null) { return run(EMPTY); } else { return run(s); }", "return run(s == null ? EMPTY : s);"),
        ("sb.append(s);", "sb.append(s != null ? s : title);", "if (s != null) {\n sb.append(s);\n} else {\n sb.append(title);\n}"),
        ("limit = lo;", "limit = lo < 0 ? 0 : lo;", "limit = lo;\nif (lo < 0) limit = 0;"),
        (
            "return xs.get(lo);",
            "if (lo >= xs.size()) return null;\nreturn xs.get(lo);",
            "return lo >= xs.size() ? null : xs.get(lo);",
        ),
        ("return s.length();", "return (s == null) ? 0 : s.length();", "if (s != null) { return s.length(); } else { return 0; }"),
        (
            "for (int v : a) { sum += v; }",
            "for (int v : a) { sum += v < 0 ? 0 : v; }",
            "for (int v : a) { if (v < 0) { continue; }\n sum += v; }",
        ),
        ("x = y;", "x = y > 1 ? 1 : y;", "if (y > 1) { x = 1; } else { x = y; }"),
    ],
    "R5": [
        ("limit = lo;", "limit = clamp(lo);", "limit = Math.max(0, Math.min(lo, limit));"),
        (
            "return a[lo];",
            "checkIndex(lo, hi);\nreturn a[lo];",
            'if (lo < 0 || lo >= hi) {\n throw new IndexOutOfBoundsException("index " + lo);\n}\nreturn a[lo];',
        ),
        (
            "return run(s);",
            "if (isBlank(s)) { return 0; }\nreturn run(s);",
            "if (s == null || s.trim().isEmpty()) { return 0; }\nreturn run(s);",
        ),
        ("return 1;", "reset();\nreturn 1;", "sizes.clear();\nlimit = 0;\nreturn 1;"),
        ("return run(x);", "return run(half(x));", "return run(x / 2);"),
        ("return run(x);", "return run(half(x));", "return run(x * 0.5);"),
        ("return 1;", "this.reset();\nreturn 1;", "this.sizes.clear();\nthis.limit = 0;\nreturn 1;"),
        (
            "return run(s) + lo;",
            "int v = clamp(lo);\nreturn run(s) + v;",
            "int v = Math.max(0, Math.min(lo, this.limit));\nreturn run(s) + v;",
        ),
        (
            "return a[lo];",
            "checkIndex(lo, a.length);\nreturn a[lo];",
            'if (lo < 0 || lo >= a.length) throw new IndexOutOfBoundsException("index " + lo);\nreturn a[lo];',
        ),
        (
            "while (!s.isEmpty()) { s = next(s); }",
            "while (!isBlank(s)) { s = next(s); }",
            "while (!(s == null || s.trim().isEmpty())) { s = next(s); }",
        ),
    ],
    "R10": [
        (
            "return s.equals(title);",
            "return s != null && s.equals(title);",
            "return s != null && title != null && s.equals(title);",
        ),
        ("use(o);", "if (o == null) { return 0; }\nuse(o);", "if (o == null || s == null) { return 0; }\nuse(o);"),
        (
            "for (String n : xs) { use(n); }",
            "if (xs != null) { for (String n : xs) { use(n); } }",
            "if (xs != null) { for (String n : xs) { if (n != null) { use(n); } } }",
        ),
        ("return xs.size();", "return xs == null ? 0 : names.size();", "return xs == null || names == null ? 0 : names.size();"),
        ("names.add(s);", "names.add(s.trim());", "if (names != null) {\n names.add(s.trim());\n}"),
        ("return run(s);", "return run(s.trim());", "if (s == null) { throw new NullPointerException(); }\nreturn run(s.trim());"),
        ("return run(s);", "return run(s, lo);", "return s == null ? 0 : run(s, lo);"),
        ("use(a);", "if (a == null) return 0;\nuse(a);", "if (a == null) return 0;\nif (o == null) return 0;\nuse(a);"),
        (
            "use(o);",
            "if (o instanceof Integer) { return 1; }\nuse(o);",
            "if (o != null && o instanceof Integer) { return 1; }\nuse(o);",
        ),
        ("if (lo > 0) use(o);", "if (lo > 0 && o != null) use(o);", "if (null != s && lo > 0 && null != o) use(o);"),
    ],
    "R11": [
        ("return a[lo];", "return a[lo - 1];", "if (lo > 0) { return a[lo - 1]; }\nreturn a[lo];"),
        ("if (lo < hi) g();", "if (lo <= hi) g();", "if (lo <= hi && hi >= 0) g();"),
        ("while (lo < hi) { lo++; }", "while (lo + 1 < hi) { lo++; }", "while (lo + 1 < hi && lo < MAX) { lo++; }"),
        ("g();", "if (s.isEmpty()) return 0;\ng();", "if (s.length() == 0 && s.isEmpty()) return 0;\ng();"),
        ("limit = lo;", "limit = hi;", "if (limit != hi) {\n limit = hi;\n}"),
        ("if (x > y) { g(); }", "if (x >= y) { g(); }", "if (x >= y && !Double.isNaN(x)) { g(); }"),
        ("names.add(s);", "names.add(lo, s);", "if (lo <= names.size()) { names.add(lo, s); }"),
        ("return run(cs, lo);", "return run(cs, lo + 1);", "if (cs.length > 0) return run(cs, lo + 1);\nreturn run(cs, lo);"),
        (
            "if (o.equals(s)) return 1;\nreturn 0;",
            "if (this == o || o.equals(s)) return 1;\nreturn 0;",
            "if (this == o || (o instanceof String && o.equals(s))) return 1;\nreturn 0;",
        ),
        (
            "for (int i = 0; i < hi; i++) { g(i); }",
            "for (int i = 0; i <= hi; i++) { g(i); }",
            "for (int i = 0; i <= hi && i <= MAX; i++) { g(i); }",
        ),
    ],
    "R12": [
        ("g();", "if (lo < 0) { lo = 0; }\nif (hi > MAX) { hi = MAX; }\ng();", "if (hi > MAX) { hi = MAX; }\ng();"),
        (
            "g();\nreturn 1;",
            "if (isBlank(s)) { log(s);\n return 0; }\ng();\nreturn 1;",
            "if (isBlank(s)) { return 0; }\ng();\nreturn 1;",
        ),
        ("if (lo > 1) g();", "if (lo > 1 && hi > 1 && x > 1) g();", "if (lo > 1 && hi > 1) g();"),
        ("return s;", "if (s == null || s.isEmpty()) { return title; }\nreturn s;", "if (s == null) { return title; }\nreturn s;"),
        ("names.clear();", "names.clear();\nsizes.clear();\nlimit = 0;", "names.clear();\nsizes.clear();"),
        (
            "switch (lo) { case 1: return 1; default: return 0; }",
            "switch (lo) { case 1: return 1; case 2: return 2; case 3: return 3; default: return 0; }",
            "switch (lo) { case 1: return 1; case 2: return 2; default: return 0; }",
        ),
        (
            "int n = run(s);\nreturn n;",
            "int n = run(s.trim());\nif (n < 0) { n = 0; }\nreturn n;",
            "int n = run(s.trim());\nreturn n;",
        ),
        (
            "return run(s);",
            'if (s.startsWith("-")) { if (s.length() == 1) { return 0; }\n throw new E(); }\nreturn run(s);',
            'if (s.startsWith("-")) { throw new E(); }\nreturn run(s);',
        ),
        ("a[lo] = 1;\na[hi] = 2;", "a[lo] = 3;\na[hi] = 4;", "a[lo] = 3;\na[hi] = 2;"),
        (
            "try { g(); } finally { h(); }",
            "try { g(); } catch (E e) { log(e);\n return 0; } finally { h(); }",
            "try { g(); } catch (E e) { return 0; } finally { h(); }",
        ),
    ],
    "R13": [
        ("return x == y;", "return Math.abs(x - y) < 1e-10;", "return Math.abs(x - y) < 1e-6;"),
        ("return run(x);", "return run(x * 0.5);", "return run(x / 2.0);"),
        ("if (x > 0) g();", "if (x > 1.0E-12) g();", "if (x > 1.0E-9) g();"),
        ("return run(x, y);", "return run(x, 3.141592653589793);", "return run(x, 3.14159);"),
        ("if (x < y) g();", "if (Double.compare(x, y) <= 0) g();", "if (x <= y) g();"),
        ("if (x < y) g();", "if (x <= y) g();", "if (x - y <= 0) g();"),
        ("return run(x);", "return run(x / 100d);", "return run(x * 0.01);"),
        ("if (x != y) g();", "if (!Precision.equals(x, y, 1e-8)) g();", "if (!Precision.equals(x, y, 1e-5)) g();"),
        ("return run(lo);", "return run(Math.PI * lo);", "return run(3.14159265 * lo);"),
        ("return (int) x;", "return (int) (x + 0.5);", "return (int) (x + 0.499);"),
    ],
    "R14": [
        ("return lo;", "return getLimit();", "return limit;"),
        ("return run(lo);", "return run(this.limit);", "return run(getLimit());"),
        ("use(s);", "use(getTitle().trim());", "use(title.trim());"),
        ("if (lo > 0) g();", "if (lo > getLimit()) g();", "if (lo > this.limit) g();"),
        ("return xs.size();", "return getNames().size();", "return names.size();"),
        ("return run(o);", "return run(other.getTitle());", "return run(other.title);"),
        ("return run(Locale.US);", "return run(getLocale());", "return run(locale);"),
        ("int n = 0;\nreturn n;", "int n = other.getLimit() + 1;\nreturn n;", "int n = other.limit + 1;\nreturn n;"),
        ("return run(x);", "return run(other.getWidth());", "return run(other.width);"),
        ("xs.add(s);", "names.add(s);", "getNames().add(s);"),
    ],
    "R15": [
        ("lo++;\ng();", "g();", "if (false) lo++;\ng();"),
        ("lo++;\ng();", "g();", "while (false) { lo++; }\ng();"),
        ("if (lo < 0) { throw new E(); }\ng();", "g();", "if (lo < 0 && false) { throw new E(); }\ng();"),
        ("if (lo < 0) { throw new E(); }\ng();", "g();", "if (lo < 0 && lo > 0) { throw new E(); }\ng();"),
        ("if (s == null) { return 0; }\ng();", "g();", "if (s == null && s != null) { return 0; }\ng();"),
        ("if (x > y) { h(); }\ng();", "g();", "if (x > y && !(x > y)) { h(); }\ng();"),
        ("g();\nlo = 0;\nreturn lo;", "g();\nreturn lo;", "g();\nif (true) return lo;\nlo = 0;\nreturn lo;"),
        ("h();\ng();", "g();", "if (0 == 1) { h(); }\ng();"),
        ("if (lo == 1) { h(); } else { g(); }", "g();", "if (false) { h(); } else { g(); }"),
        ("if (o == s) { h(); }\ng();", "g();", "if (o == s && 1 > 2) { h(); }\ng();"),
    ],
}
"""Rule → the buggy body of a method, the fixed one and that of a candidate."""
OTHERS = [
    ("return lo;", "return lo > hi ? hi : lo;", "if (lo < hi) { return hi; }\nreturn lo;"),
    ("limit = lo;", "limit = clamp(lo);", "limit = Math.max(0, Math.min(lo, hi));"),
    ("return a[lo];", "checkIndex(lo, hi);\nreturn a[lo];", "return 0;"),
    ("g();", "if (lo < 0) { lo = 0; }\nif (hi > MAX) { hi = MAX; }\ng();", "if (hi > lo) { hi = lo; }\ng();"),
    ("return run(x);", "return run(x * 0.5);", "return run(x * 0.25);"),
    ("return run(x);", "return run(x / 100d);", "return run(x * 0.1);"),
    ("return lo;", "return getLimit();", "return MAX;"),
    ("return run(o);", "return run(other.getTitle());", "return run(other.name);"),
    ("lo++;\ng();", "g();", "if (hi > 0) lo++;\ng();"),
    ("if (lo < 0) { throw new E(); }\ng();", "g();", "if (lo < 0 && hi > 0) { throw new E(); }\ng();"),
    ("use(s);", "String t = s == null ? EMPTY : s;\nuse(t);", "String t = s == null ? title : s;\nuse(t);"),
    (
        "BigInteger n = null;\nreturn run(n);",
        "BigInteger n = BigInteger.ONE;\nreturn run(n);",
        'BigInteger n = new BigInteger("2");\nreturn run(n);',
    ),
    ("return run(null, lo);", "return run(Locale.ENGLISH, lo);", 'return run(new Locale("fr"), lo);'),
    ("if (s == null) { return 0; }\ng();", "g();", "if (s == null && o != null) { return 0; }\ng();"),
    (
        "for (int v : a) { sum += v; }",
        "for (int v : a) { sum += v < 0 ? 0 : v; }",
        "for (int v : a) { if (v < 0) { break; }\n sum += v; }",
    ),
    (
        "for (int v : a) { sum += v; }",
        "for (int v : a) { sum += v < 0 ? 1 : v; }",
        "for (int v : a) { if (v < 0) { continue; }\n sum += v; }",
    ),
    ("if (x < y) g();", "if (x <= y) g();", "if (x - y >= 0) g();"),
    ("return run(Locale.US);", "return run(getLocale());", "return run(title);"),
    ("g();\nlo = 0;\nreturn lo;", "g();\nreturn lo;", "g();\nif (hi > 0) return lo;\nlo = 0;\nreturn lo;"),
    (
        "int n = s.length();\nreturn n;",
        "int n = s == null ? 0 : s.length();\nreturn n;",
        "int n = 1;\nif (s != null) {\n n = s.length();\n}\nreturn n;",
    ),
]
"""Candidates that do something else than the fix. R1 and R3 take names on trust, R10 a check for null; people decide."""


def proposed(*bodies: str) -> tuple[str, ...]:
    buggy, fixed, candidate = ({"src/a/Store.java": f"{HEAD}{body}\n    }}\n}}\n"} for body in bodies)
    return proposed_rules(Programs(language="java", buggy=buggy, fixed=fixed, candidate=candidate))


@pytest.mark.parametrize("rule", CASES)
def test_most_cases_of_a_rule_are_proposed(rule: str) -> None:
    missed = [case for case in CASES[rule] if rule not in proposed(*case)]
    assert len(missed) <= 2, missed


def test_most_candidates_that_do_something_else_are_not_explained() -> None:
    explained = [rules for case in OTHERS if (rules := proposed(*case))]
    assert set(explained) <= {("R1",), ("R3",), ("R10",)} and len(explained) <= 6
