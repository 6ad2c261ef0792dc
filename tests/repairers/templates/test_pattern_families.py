"""Cases for each family of patterns: `⟦old→new⟧` marks a change that must be proposed, by the family or one before it."""

import re
from itertools import islice

import pytest

from repairlab.core.problem import Problem, Target
from repairlab.core.text import Lines, Span, replace_span
from repairlab.languages.language import language
from repairlab.repairers.templates.catalogue import INSERTIONS, PATTERNS
from repairlab.repairers.templates.repairer import Templates

PY = "def f(a, b, n, items, text):\n{}\n"
JAVA = "class A {{\n    int x;\n    int f(int a, int b, String s, java.util.List<Integer> items) {{\n{}\n    }}\n}}\n"
C = "int f(int a, int b, char *s, int *p, int n) {{\n{}\n}}\n"
WHOLE = "{}\n"
TWO = "int add(int a, int b) {{ return a + b; }}\nint sub(int a, int b) {{ return a - b; }}\n"
COLLECT = "    found = []\n    for item in items:\n        print(item)\n⟦→        found.append(item)\n⟧    return found"
STEP = "        while (a > 0) {\n            x = a;\n⟦→            b = a;\n⟧            a--;\n        }\n        return b;"
HEADER = "#include <stdio.h>\n⟦→#include <stdlib.h>\n⟧\nint main(void) {\n    char *p = malloc(3);\n    return !p;\n}"

JS = "function f(a, b, items, options) {{\n{}\n}}\n"
GO = "package p\n\nfunc f(a, b int, s string) int {{\n{}\n}}\n"
CASES = [
    ("comparison operator", "python", PY, "    return a ⟦<→<=⟧ b"),
    ("comparison operator", "java", JAVA, "        return a ⟦>→>=⟧ b ? 1 : 0;"),
    ("arithmetic operator", "c", C, "    return a ⟦+→-⟧ b;"),
    ("logical operator", "cpp", C, "    return a > 0 ⟦&&→||⟧ b > 0;"),
    ("all logical operators", "python", PY, "    return a > 0 ⟦and→or⟧ b > 0 ⟦and→or⟧ n > 0"),
    ("comparison and bound", "java", JAVA, "        if (a ⟦== 0→<= 1⟧) return 0;"),
    ("assignment operator", "java", JAVA, "        a ⟦-=→+=⟧ b;"),
    ("assignment operator", "c", C, "    a⟦++→--⟧;"),
    ("unary operator", "python", PY, "    return ⟦-→⟧a"),
    ("operands", "java", JAVA, "        return ⟦a - b→b - a⟧;"),
    ("grouping", "c", C, "    return ⟦a + b * n→(a + b) * n⟧;"),
    ("comparison bound", "python", PY, "    if n > ⟦len(items)→len(items) - 1⟧:\n        return 0"),
    ("index", "c", C, "    return p[⟦n→n - 1⟧];"),
    ("swapped indices", "python", PY, "    return items[⟦a→b⟧][⟦b→a⟧]"),
    ("value by one", "java", JAVA, "        return ⟦a→a + 1⟧;"),
    ("range", "python", PY, "    for i in range(⟦n→1, n + 1⟧):\n        print(i)"),
    ("slice", "python", PY, "    return items[⟦:n→:n + 1⟧]"),
    ("part of sequence", "python", PY, "    for item in items⟦→[1:]⟧:\n        print(item)"),
    ("loop header", "c", C, "    for (int i = ⟦0→1⟧; i < n; i++) a += i;"),
    ("array size", "c", C, "    char buffer[⟦16→17⟧];"),
    ("negated condition", "java", JAVA, "        if (⟦→!⟧s.isEmpty()) return 1;"),
    ("dropped clause", "python", PY, "    return a > 0⟦ and b > 0→⟧"),
    ("reordered clauses", "c", C, "    return ⟦p[a] > 0 && a < n→a < n && p[a] > 0⟧;"),
    ("stronger condition", "java", JAVA, "        if (⟦→s != null && ⟧s.length() > 2) return 1;"),
    ("weaker condition", "python", PY, "    if a < 0⟦→ or not items⟧:\n        return items"),
    ("truthiness", "python", PY, "    if a⟦→ is not None⟧:\n        return 1"),
    ("keyword of condition", "c", C, "    ⟦if→while⟧ (a > b) a--;"),
    ("loop condition", "python", PY, "    while ⟦True→items⟧:\n        items.pop()"),
    ("guarded statement", "python", PY, "    ⟦items.sort()→if items is not None:\n        items.sort()⟧"),
    ("default value", "python", PY, "    return ⟦a / b→a / b if b != 0 else 0⟧"),
    ("clamped value", "java", JAVA, "        return ⟦a - b→Math.abs(a - b)⟧;"),
    ("best value", "python", PY, "    a = ⟦n→max(a, n)⟧"),
    ("variable", "java", JAVA, "        return ⟦a→b⟧ * 2;"),
    ("function", "c", TWO + C, "    return ⟦add→sub⟧(a, b);"),
    ("literal to name", "python", PY, "    return a * ⟦2→b⟧"),
    ("name to literal", "c", C, "    return ⟦a→0⟧;"),
    ("applied function", "python", PY, "    return ⟦a→abs(a)⟧"),
    ("added operand", "python", PY, "    return a⟦→ + b⟧"),
    ("constant operand", "java", JAVA, "        int half = (a + b)⟦→ / 2⟧;"),
    ("both sides", "python", PY, "    return ⟦a == b→set(a) == set(b)⟧"),
    ("swapped arguments", "c", C, "    return f(⟦a, b→b, a⟧, s, p, n);"),
    ("dropped argument", "python", PY, "    return max(a, b⟦, n→⟧)"),
    ("number", "java", JAVA, "        return a + ⟦1→2⟧;"),
    ("first element", "python", PY, "    best = ⟦0→items[0]⟧"),
    ("extreme", "c", C, "    int best = ⟦0→INT_MAX⟧;"),
    ("truth", "python", PY, "    return ⟦True→False⟧"),
    ("truth to condition", "python", PY, "    return ⟦True→n == 0⟧"),
    ("elements", "python", PY, "    return [⟦a, b→b, a⟧]"),
    ("string", "python", PY, '    return "⟦,→, ⟧".join(items)'),
    ("format", "c", C, '    printf("⟦%d→%ld⟧", a);'),
    ("character", "java", JAVA, "        return s.charAt(0) == ⟦'a'→'A'⟧ ? 1 : 0;"),
    ("declared type", "c", C, "    ⟦int→long long⟧ total = a;"),
    ("conversion", "java", JAVA, "        double r = ⟦→(double) ⟧a / b;"),
    ("conversion", "python", PY, "    return a + ⟦text→int(text)⟧"),
    ("number suffix", "c", C, "    long long x = ⟦1→1LL⟧ << n;"),
    ("sibling function", "python", PY, "    return text.⟦lstrip→rstrip⟧()"),
    ("called method", "python", PY, "    return text⟦→.strip()⟧"),
    ("equality of contents", "java", JAVA, '        return ⟦s == "x"→s.equals("x")⟧ ? 1 : 0;'),
    ("deleted statement", "c", C, "    a = b;\n⟦    b = a;\n→⟧    return b;"),
    ("moved statement", "python", PY, "⟦    a = b\n    b = n\n→    b = n\n    a = b\n⟧    return a"),
    ("indentation", "python", PY, "    for i in items:\n        n += i\n⟦        return n→    return n⟧"),
    ("renamed statement", "java", JAVA, "        int left = a, right = b;\n        ⟦left→right⟧ = ⟦left→right⟧ + 1;"),
    ("returned value", "python", PY, "    ⟦→return ⟧f(a, b, n, items, text)"),
    ("exception type", "python", PY, "    raise ⟦KeyError→ValueError⟧(a)"),
    ("caught exception", "python", PY, "    ⟦items.remove(a)→try:\n        items.remove(a)\n    except Exception:\n        pass⟧"),
    ("copied value", "python", PY, "    rest = ⟦items→list(items)⟧"),
    ("await", "python", "async def f(a):\n{}\n", "    return ⟦→await ⟧g(a)"),
    ("comprehension", "python", PY, "    return [i for i in items⟦→ if i⟧]"),
    ("unpacking", "python", PY, "    a, b = ⟦b, n→n, b⟧"),
    ("collection type", "java", JAVA, "        Object o = new java.util.⟦HashMap→TreeMap⟧<String, String>();"),
    ("modifiers", "java", "class A {{\n{}\n}}\n", "    ⟦→synchronized ⟧void f() {\n        return;\n    }"),
    ("overflow", "java", JAVA, "        return ⟦a - b→Integer.compare(a, b)⟧;"),
    ("boxed number", "java", JAVA, "        items.remove(⟦a→Integer.valueOf(a)⟧);"),
    ("size", "c", C, "    char *t = malloc(strlen(s)⟦→ + 1⟧);"),
    ("size of value", "c", C, "    memset(p, 0, sizeof(⟦→*⟧p));"),
    ("address", "c", C, '    scanf("%d", ⟦→&⟧a);'),
    ("confused equals", "c", C, "    if (a ⟦=→==⟧ b) return 1;"),
    ("precedence", "c", C, "    return ⟦a & b == 0→(a & b) == 0⟧;"),
    ("initialisation", "c", C, "    int total⟦→ = 0⟧;"),
    ("reference", "cpp", "#include <vector>\n{}\n", "void f(std::vector<int> ⟦→&⟧v) {\n    v.clear();\n}"),
    ("ownership", "cpp", C, "    delete⟦→[]⟧ p;"),
    ("iterator", "cpp", "void f(std::vector<int> &v, std::vector<int>::iterator it) {{\n{}\n}}\n", "    ⟦→it = ⟧v.erase(it);"),
    ("unsigned loop", "cpp", C, "    for (⟦size_t→int⟧ i = n - 1; i >= 0; i--) a += i;"),
    ("punctuation", "c", C, "    a = b⟦→;⟧"),
    ("punctuation", "python", PY, "    if a > b⟦→:⟧\n        return a"),
    ("misspelt keyword", "python", PY, "    ⟦retrun→return⟧ a"),
    ("undeclared name", "java", JAVA, "        int count = a;\n        return ⟦cuont→count⟧;"),
    ("missing declaration", "java", JAVA, "        ⟦→int ⟧total = a + b;"),
    ("missing import", "python", "⟦→import math\n⟧def f(a):\n{}\n", "    return math.⟦floor→floor⟧(a)"),
    ("early exit", "java", JAVA, "⟦→        if (b == 0) {\n            return 0;\n        }\n⟧        return a / b;"),
    ("jump", "c", C, "    while (a > 0) {\n        a--;\n⟦→        break;\n⟧    }\n    return a;"),
    ("update", "python", PY, "    i = 0\n    while i < n:\n        print(items[i])\n⟦→        i += 1\n⟧    return i"),
    ("assignment", "java", JAVA, STEP),
    ("reset", "java", JAVA, "        int sum = b;\n⟦→        sum = 0;\n⟧        return sum;"),
    ("release", "c", C, "    char *copy = strdup(s);\n    a = strlen(copy);\n⟦→    free(copy);\n⟧    return a;"),
    ("call", "python", PY, COLLECT),
    ("copied statement", "java", JAVA, "        a += b;\n        x = a;\n⟦→        a += b;\n⟧        return x;"),
    ("thrown exception", "python", PY, "⟦→    if b == 0:\n        raise ValueError\n⟧    return a / b"),
    ("outer scope", "python", "count = 0\n\n\ndef f():\n{}\n", "⟦→    global count\n⟧    count = count + 1"),
    ("cleared memory", "c", C, "    for (n = 0; n < a; n++) s[n] = 'x';\n⟦→    s[n] = '\\0';\n⟧    return 0;"),
    ("import", "c", WHOLE, HEADER),
    ("missing value", "javascript", JS, "  return options.limit ⟦||→??⟧ 10;"),
    ("strict equality", "javascript", JS, "  return a ⟦==→===⟧ b;"),
    ("awaited call", "javascript", "async {}", "function f(work) {\n  return ⟦work(1)→await work(1)⟧;\n}\n"),
    ("order of sort", "javascript", JS, "  return items.sort(⟦→(a, b) => a - b⟧);"),
    ("copied object", "javascript", JS, "  for (const item of ⟦items→[...items]⟧) {\n    item();\n  }"),
    ("copied object", "javascript", JS, "  const counts = ⟦{}→Object.create(null)⟧;\n  return counts;"),
    ("hidden variable", "go", GO, "\tif a > b {\n\t\ta ⟦:=→=⟧ b\n\t\tprint(a)\n\t}\n\treturn a"),
    ("letters of text", "go", GO, "\treturn len(⟦s→[]rune(s)⟧)"),
]  # fmt: skip


def case_problem(kind: str, frame: str, marked: str) -> tuple[Problem, str]:
    """Return the problem, with the lines that the marks touch, and the fixed text."""
    text = frame.replace("{{", "{").replace("}}", "}").replace("{}", marked, 1)
    parts = re.split(r"⟦(.*?)→(.*?)⟧", text, flags=re.DOTALL)
    buggy = fixed = ""
    lines = []
    for index in range(0, len(parts), 3):
        buggy, fixed = buggy + parts[index], fixed + parts[index]
        if index + 2 < len(parts):
            old, new = parts[index + 1], parts[index + 2]
            first = buggy.count("\n") + 1
            is_gap = not old and new.endswith("\n")
            lines.append(Lines(path="a.x", first=first, last=first - 1 if is_gap else first + old.rstrip("\n").count("\n")))
            buggy, fixed = buggy + old, fixed + new
    problem = Problem(
        id="bug",
        benchmark="toy",
        language=kind,
        title="",
        description="",
        path="a.x",
        source=buggy,
        target=Target(name=None, span=Span(start=0, end=len(buggy)), text=buggy),
        target_without_comments=buggy,
        location=tuple(dict.fromkeys(lines)),
    )
    return problem, fixed


@pytest.mark.parametrize(
    ("pattern", "kind", "frame", "marked"), CASES, ids=[f"{case[0]}: {case[1]} {case[3][:30]}" for case in CASES]
)
def test_the_change_that_a_family_is_for_is_proposed(pattern: str, kind: str, frame: str, marked: str) -> None:
    problem, fixed = case_problem(kind, frame, marked)
    syntax = language(kind).syntax
    wanted = syntax.normal_form(fixed)
    for candidate in islice(Templates().propose(problem, ()), 400):
        text = problem.source
        for edit in reversed(candidate.edits):
            assert edit.span is not None
            assert edit.text is not None
            text = replace_span(text, edit.span, edit.text)
        if syntax.normal_form(text) == wanted:
            return
    pytest.fail(f"{pattern}: not proposed")


def test_pattern_names_are_unique_and_weights_positive() -> None:
    listed = [(pattern.name, pattern.weight) for pattern in PATTERNS] + [(pattern.name, pattern.weight) for pattern in INSERTIONS]
    assert len({name for name, _ in listed}) == len(listed)
    assert all(weight > 0 for _, weight in listed)


def test_cases_name_patterns_of_the_catalogue() -> None:
    known = {pattern.name for pattern in PATTERNS} | {pattern.name for pattern in INSERTIONS}
    assert {case[0] for case in CASES} <= known
