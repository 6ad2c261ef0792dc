"""Blind tests of Java: what is left of a test file, and what its tests say when they run."""

import json
import re
import shutil
from collections.abc import Callable, Sequence
from pathlib import Path
from typing import Any

import pytest

from repairlab.core.recipe import Build, Framework, Test
from repairlab.languages.blind import BlindFile, Blinding
from repairlab.languages.java.language import Java
from repairlab.languages.java.toolchain import JavaToolchain
from repairlab.languages.language import Tools
from tests.languages.conftest import Project, execute

NONCE = "n0nce"
JUNIT4 = "import static org.junit.Assert.*;\nimport java.util.*;\nimport org.junit.*;\n"
JUNIT5 = "import static org.junit.jupiter.api.Assertions.*;\nimport java.util.*;\nimport org.junit.jupiter.api.*;\n"


def blinding(tools: Tools | None = None) -> Blinding:
    made = Java(tools or Tools(cache=""))
    assert isinstance(made, Blinding)
    return made


def blind(members: str, *, framework: Framework = "junit5") -> BlindFile:
    head = JUNIT5 if framework == "junit5" else JUNIT4
    return blinding().blind(f"{head}public class ATest {{\n{members}\n}}\n", framework, NONCE, 1)


def body(statements: str) -> str:
    return f"@Test public void x() throws Exception {{ {statements} }}"


def one(statements: str, framework: Framework = "junit5") -> tuple[str, Any, str, bool]:
    """Return how the only check of a test compares, with what, how near and whether two values are said."""
    file = blind(body(statements), framework=framework)
    assert file.open == {}
    (check,) = file.checks
    return check.how, json.loads(check.expected) if check.expected else None, check.tolerance, check.of_two


@pytest.mark.parametrize(
    ("statements", "expected"),
    [
        ("assertEquals(2, F.f(1));", ("equal", ["i", "2"], "", False)),
        ("org.junit.jupiter.api.Assertions.assertEquals((int) 2, F.f(1));", ("equal", ["i", "2"], "", False)),
        ("assertEquals((Object) F.f(2), F.f(1));", ("equal", None, "", True)),
        ("assertEquals(F.f(1), 2);", ("equal", ["i", "2"], "", False)),
        ('assertEquals(0x10L, F.f(1), "they differ");', ("equal", ["i", "16"], "", False)),
        ("assertEquals(-0.5, F.g(1), 1e-9);", ("near", ["f", "-0.5"], "1e-09", False)),
        ('assertEquals(List.of("a", "b"), F.f(1));', ("equal", ["l", [["s", "a"], ["s", "b"]]], "", False)),
        ("assertEquals(Set.of('a'), F.f(1));", ("equal", ["u", [["s", "a"]]], "", False)),
        ('assertEquals(Map.of("b", 1), F.f(1));', ("equal", ["d", [[["s", "b"], ["i", "1"]]]], "", False)),
        ("assertArrayEquals(new int[] {1, 2}, F.f(1));", ("equal", ["l", [["i", "1"], ["i", "2"]]], "", False)),
        ('assertNotEquals("x" + "y", F.f(1));', ("different", ["s", "xy"], "", False)),
        ('assertNull(F.f(1), "no");', ("equal", ["n"], "", False)),
        ("assertNotNull(F.f(1));", ("different", ["n"], "", False)),
        ("assertTrue(F.f(1) > 2);", ("more", ["i", "2"], "", False)),
        ("assertFalse(2 <= F.f(1));", ("less", ["i", "2"], "", False)),
        ("assertTrue(!F.b(1));", ("equal", ["b", False], "", False)),
        ('assertTrue("x".equals(F.f(1)));', ("equal", ["s", "x"], "", False)),
        ('assertFalse(F.f(1).toString().contains("x"));', ("lacks", ["s", "x"], "", False)),
        ('assertTrue(F.f(1).startsWith("x."));', ("matches", ["s", r"\Ax\."], "", False)),
        ('Tree tree = new Tree(); assertTrue(tree.contains("x"));', ("equal", ["b", True], "", False)),
        ("assertThrows(a.b.Odd.class, () -> F.f(1));", ("raised", ["s", "Odd"], "", False)),
        ('try { F.f(1); fail("no Odd"); } catch (Odd | Even e) { }', ("raised", ["l", [["s", "Odd"], ["s", "Even"]]], "", False)),
        ("assertSame(null, F.f(1));", ("equal", ["n"], "", False)),
        ("assertSame(Color.RED, F.f(1));", ("equal", ["b", True], "", False)),
        ("assertEquals(F.f(2), F.f(1));", ("equal", None, "", True)),
        ("Tree t = new Tree(); assertEquals(t.size(), F.f(1));", ("equal", None, "", True)),
        ("int due = 4 * 4; assertEquals(due, F.f(1));", ("equal", None, "", False)),
        ("List<Integer> l = new ArrayList<>(); l.add(F.g(1)); assertEquals(l, F.f(1));", ("equal", None, "", True)),
        ("if (F.f(1) != 2) { throw new IllegalStateException(); }", ("equal", ["i", "2"], "", False)),
        ("if (!Objects.equals(F.f(1), 2)) throw new AssertionError(F.f(1));", ("equal", ["i", "2"], "", False)),
        ('assert F.f(1).equals(Arrays.asList("a")) : "no list of a";', ("equal", ["l", [["s", "a"]]], "", False)),
        ("assertTrue(F.f(1).equals(Arrays.asList(Optional.of(1))));", ("equal", None, "", False)),
        ("assertTrue(Math.abs(F.f(1) - 0.5) < 1e-3);", ("near", ["f", "0.5"], "0.001", False)),
        (
            "List<Boolean> all = Arrays.asList(!F.b(1)); if (all.contains(false)) throw new Error();",
            ("equal", ["b", False], "", False),
        ),
        ("assertEquals(new Point(1, 2), F.f(1));", ("equal", None, "", False)),
    ],
)
def test_assertions_are_checked_outside(statements: str, expected: tuple[str, Any, str, bool]) -> None:
    assert one(statements) == expected


@pytest.mark.parametrize(
    ("statements", "expected"),
    [
        ('assertEquals("they differ", 2, F.f(1));', ("equal", ["i", "2"], "", False)),
        ('assertEquals("they differ", 0.5, F.g(1), 0.01);', ("near", ["f", "0.5"], "0.01", False)),
        ("assertEquals(0.5, F.g(1), 0.01);", ("near", ["f", "0.5"], "0.01", False)),
        ('assertTrue("no", F.b(1));', ("equal", ["b", True], "", False)),
        ("assertThat(F.f(1), is(equalTo(2)));", ("equal", ["i", "2"], "", False)),
        ("assertThat(F.f(1), not(2));", ("different", ["i", "2"], "", False)),
        ("assertThat(F.f(1), is(not(nullValue())));", ("different", ["n"], "", False)),
        ('assertThat("no", F.f(1), not(containsString("x")));', ("lacks", ["s", "x"], "", False)),
        ("assertThat(F.f(1), is(greaterThan(2)));", ("more", ["i", "2"], "", False)),
        ('assertThat(F.f(1), endsWith("x"));', ("matches", ["s", r"x\Z"], "", False)),
        ("assertThat(F.f(1), closeTo(0.5, 0.01));", ("near", ["f", "0.5"], "0.01", False)),
    ],
)
def test_messages_of_junit_4_come_first(statements: str, expected: tuple[str, Any, str, bool]) -> None:
    assert one(statements, "junit4") == expected


SECRETS = [
    body('assertEquals("secret", F.f(1));'),
    'static final String DUE = "secret";\n' + body("assertEquals(DUE, F.f(1));"),
    body('Point due = make("secret"); assertEquals(due, F.f(1));') + "\nstatic Point make(String s) { return new Point(s); }",
    "void check(int a, String due) { assertEquals(due, F.f(a)); }\n" + body('check(1, "secret"); check(2, "secret");'),
    body('assertEquals(1, F.f(1), "not secret"); /* it is secret */'),
    body('try { F.f(1); fail("secret"); } catch (secret e) { assertEquals("secret", e.getMessage()); }'),
    body('secret e = assertThrows(secret.class, () -> F.f(1)); assertEquals("secret", e.getMessage());'),
    body('for (int i = 0; i < 3; i++) { assertEquals("secret" + i, F.f(i)); }'),
    "@Test(expected = secret.class) public void y() { F.f(1); }",
    '@ParameterizedTest @CsvSource({"1, secret", "2, secret"}) void y(int a, String due) { assertEquals(due, F.f(a)); }',
    "@ParameterizedTest @MethodSource void y(int a, String due) { assertEquals(due, F.f(a)); }\n"
    'static Stream<Arguments> y() { return Stream.of(Arguments.of(1, "secret"), arguments(2, "secret")); }',
    body('assertTrue(F.f(1).equals("secret") && !F.f(2).toString().contains("secret"));'),
    body('List<Boolean> all = Arrays.asList(F.f(1) == "secret", F.f(2)); if (all.contains(false)) { throw new Error("secret"); }'),
    "void check(boolean ok, String s) { if (!ok) throw new AssertionError(s); }\n"
    + body('check(F.f(1) == "secret", "no secret");'),
    "@Test(timeout = 5, expected = secret.class) public void y() { F.f(1); }",
]


@pytest.mark.parametrize("members", SECRETS)
def test_nothing_that_is_expected_is_left(members: str) -> None:
    file = blind(members)
    assert file.open == {}
    assert file.checks
    assert "secret" not in file.text


@pytest.mark.parametrize(
    ("statements", "reason"),
    [
        ("assertTrue(F.f(1) == 2 || F.f(1) == 3);", "claims several things"),
        ("if (F.f(1) == 2) { return; } throw new IllegalStateException();", "throws by itself"),
        ("assertTrue(same(F.f(1), 2)); } boolean same(int one, int other) { return one == other;", "asks a method of the test"),
        ("assertFine(2, F.f(1));", "asserts by assertFine"),
        ("assertEquals(inherited, F.f(1));", "elsewhere"),
        ("List<String> due = new ArrayList<>(List.of()); for (String it : due) assertEquals(it, F.f(1));", "elsewhere"),
        ("int[] due = new int[1]; due[0] = 2; assertArrayEquals(due, F.f(1));", "is put together"),
        ('Map<String, Integer> due = new HashMap<>(); due.put("a", 2); assertEquals(due, F.f(1));', "is put together"),
        ("List<Integer> due = new ArrayList<>(); due.add(2); assertTrue(F.f(1).equals(due));", "is put together"),
        ("Odd e = assertThrows(Odd.class, () -> F.f(1)); assertEquals(2, e.line());", "is looked at"),
        ('assertTrue(F.f(1).matches("a+"));', "looks for a part"),
    ],
)
def test_what_cannot_be_withheld_is_open_and_left_out(statements: str, reason: str) -> None:
    file = blind(body(statements))
    assert list(file.open) == ["ATest::x"]
    assert reason in file.open["ATest::x"]
    assert "F.f(1)" not in file.text


@pytest.mark.parametrize(
    ("members", "reason"),
    [
        ("@ParameterizedTest @CsvSource({\"1, 'x, y'\"}) void x(int a, String due) { assertEquals(due, F.f(1)); }", "in a table"),
        ("@ParameterizedTest @EnumSource void x(Color due) { assertEquals(due, F.f(1)); }", "in a table"),
        ("int due; ATest(int due) { this.due = due; } @Test public void x() { assertEquals(due, F.f(1)); }", "elsewhere"),
    ],
)
def test_tables_that_cannot_be_withheld_leave_their_tests_open(members: str, reason: str) -> None:
    file = blind(members)
    assert list(file.open) == ["ATest::x"]
    assert reason in file.open["ATest::x"]
    assert "F.f(1)" not in file.text


def test_what_tests_of_other_files_call_is_said_to_hold_what_they_expect() -> None:
    source = "class Check { static void even(int n) { if (F.f(n) == 1 && n == 4) throw new AssertionError(); } }"
    assert list(blinding().blind(source, "junit4", NONCE, 1).shared) == ["Check"]


def test_imports_that_nothing_needs_any_more_go() -> None:
    source = f"import a.Odd;\n{JUNIT5}class ATest {{ {body('assertThrows(Odd.class, () -> F.f(1));')} }}"
    assert "Odd" not in blinding().blind(source, "junit5", NONCE, 1).text


@pytest.fixture
def project(tmp_path: Path, tools: Tools) -> Callable[[Framework], Project]:
    def made(framework: Framework) -> Project:
        build = Build(tool="javac", sources=("*.java",), release=11)
        return Project(tmp_path, JavaToolchain(tools), build, Test(framework=framework, files=("ATest.java",)))

    return made


def heard(project: Project, tests: Sequence[str]) -> list[tuple[str, str]]:
    """Return what tests said."""
    (batch,) = project.toolchain.batches(project.recipe, project.test_recipe, tests, stop=False)
    return list(blinding().said(NONCE, execute(batch.command, project.root, 60).stdout.decode()))


def said(project: Project, members: str, code: str = "") -> Any:
    framework = project.test_recipe.framework
    file = blind(members, framework=framework)
    assert file.open == {}
    project.write({"ATest.java": file.text, "F.java": f"class F {{ static Object f(Object x) {{ {code} return x; }} }}\n" + TYPES})
    project.must_build()
    tests = [f"ATest::{name}" for name in re.findall(r"public void (\w+)\(", members)]
    return [(number, value if number == "end" else json.loads(value)) for number, value in heard(project, tests)]


java = pytest.mark.skipif(shutil.which("javac") is None, reason="no JDK is installed")

TYPES = """
enum Color { RED { public String toString() { return "red"; } } }
class Plain { }
class Odd extends IllegalStateException { Odd(String message) { super(message); } }
class Point { final int x; Point(int x) { this.x = x; } @Override public String toString() { return "(" + x + ")"; } }
"""
VALUES = [
    ("null", ["n"]),
    ("true", ["b", True]),
    ("12", ["i", "12"]),
    ("-1L", ["i", "-1"]),
    ("(byte) 1", ["i", "1"]),
    ('new java.math.BigInteger("12")', ["i", "12"]),
    ("0.1", ["f", "0.1"]),
    ("0.1f", ["f", "0.1"]),
    ("Double.NaN", ["f", "nan"]),
    ("-1.0 / 0", ["f", "-inf"]),
    ("'x'", ["s", "x"]),
    ('"\\u00e9;\\n\\""', ["s", 'é;\n"']),
    ("new int[][] {{1}, {}}", ["l", [["l", [["i", "1"]]], ["l", []]]]),
    ("Arrays.asList(1, null)", ["l", [["i", "1"], ["n"]]]),
    ('Collections.singleton("a")', ["u", [["s", "a"]]]),
    ("new HashMap<>(Map.of(2, 'a', 1, 'b'))", ["d", [[["i", "1"], ["s", "b"]], [["i", "2"], ["s", "a"]]]]),
    ("Map.of(1, 2).entrySet().iterator().next()", ["l", [["i", "1"], ["i", "2"]]]),
    ("Color.RED", ["o", "Color", [["name", ["s", "RED"]]]]),
    ("new Point(1)", ["o", "Point", [["text", ["s", "(1)"]]]]),
    ("java.time.LocalDate.of(2024, 1, 2)", ["o", "LocalDate", [["text", ["s", "2024-01-02"]]]]),
    ('new java.math.BigDecimal("1.50")', ["o", "BigDecimal", [["text", ["s", "1.50"]]]]),
    ("new Plain()", ["o", "Plain"]),
    ('new Odd("x")', ["o", "Odd"]),
    ("String.class", ["s", "java.lang.String"]),
]


@java
@pytest.mark.parametrize("framework", ["junit4", "junit5"])
def test_values_are_said_by_what_they_are(project: Callable[[Framework], Project], framework: Framework) -> None:
    statements = "".join(f"assertEquals(0, F.f({text})); " for text, _ in VALUES)
    found = said(project(framework), body(statements))
    assert [value for _, value in found[:-1]] == [value for _, value in VALUES]
    assert found[-1] == ("end", "ATest::x")


@java
def test_literals_are_frozen_as_they_are_said(project: Callable[[Framework], Project]) -> None:
    texts = ["12", "0x7F", "0xFFFFFFFF", "1_000L", "-2.5", "1e3", '"\\u0041\\t\\101"', "List.of(1, List.of())", 'Map.of("b", true)']
    members = body("".join(f"assertEquals({text}, F.f({text})); " for text in texts))
    found = said(project("junit5"), members)
    for (_, value), check in zip(found[:-1], blind(members).checks, strict=True):
        due = json.loads(check.expected)
        assert value == due or float(value[1]) == float(due[1])


@java
def test_exceptions_are_said_with_what_they_are_kinds_of(project: Callable[[Framework], Project]) -> None:
    kinds = [
        "l",
        [["s", name] for name in ("Odd", "IllegalStateException", "RuntimeException", "Exception", "Throwable", "Object")],
    ]
    members = """
@Test public void a() { Odd e = assertThrows(Odd.class, () -> F.f(1)); assertEquals("no", e.getMessage()); }
@Test(expected = Odd.class) public void b() { F.f(1); }
@Test public void c() { try { F.f(1); fail(); } catch (Odd e) { assertEquals("no", e.getMessage()); } }
@Test public void d() { if (F.class != null) { return; } assertEquals(1, F.f(1)); }
"""
    found = said(project("junit4"), members, code='if (x != null) throw new Odd("no");')
    assert [value for _, value in found] == [
        *(kinds, ["s", "no"], "ATest::a"),
        *(kinds, "ATest::b"),
        *(kinds, ["s", "no"], "ATest::c"),
        "ATest::d",
    ]


@java
def test_what_only_an_expectation_throws_may_still_be_caught(project: Callable[[Framework], Project]) -> None:
    url, caught = 'new java.net.URL("http://a/")', "catch (java.net.MalformedURLException e) { fail(); }"
    found = said(project("junit4"), f"@Test public void x() {{ try {{ assertEquals({url}, F.f(12)); }} {caught} }}")
    assert found == [("1", ["i", "12"]), ("end", "ATest::x")]


@java
def test_code_under_test_cannot_change_what_is_said(project: Callable[[Framework], Project]) -> None:
    forging = 'System.setOut(null); System.setErr(null); java.util.Locale.setDefault(new java.util.Locale("ar", "EG"));'
    found = said(project("junit5"), body("assertEquals(1, F.f(12));"), code=forging)
    assert found == [("1", ["i", "12"]), ("end", "ATest::x")]


@java
def test_claims_that_a_program_makes_are_said_one_by_one(project: Callable[[Framework], Project]) -> None:
    program = """
        List<Boolean> all = Arrays.asList(F.f(1).equals(1) && F.f(2).equals(2), !F.f(3).equals(4));
        if (all.contains(false)) { throw new AssertionError(); }
        if (!F.f("x").equals("x") || F.f(5).hashCode() > 9) throw new RuntimeException("5");
        assert F.f(6).equals(6);"""
    found = said(project("junit4"), f"{body('main(null);')} static void main(String[] args) {{ {program} }}")
    due = [*(["i", str(n)] for n in (1, 2, 3)), ["s", "x"], ["i", "5"], "ATest::x"]
    assert [value for _, value in found] == due, "statements that Java leaves out are left out"


@java
def test_a_test_that_leaves_early_says_no_end(project: Callable[[Framework], Project]) -> None:
    assert said(project("junit5"), body("assertEquals(1, F.f(1));"), code="Runtime.getRuntime().halt(0);") == []


@java
def test_rows_of_a_parameterised_test_are_said_one_by_one(project: Callable[[Framework], Project]) -> None:
    imports = "import org.junit.jupiter.params.*;\nimport org.junit.jupiter.params.provider.*;\n"
    members = '@ParameterizedTest @CsvSource({"1, 10", "2, 20"}) public void x(int a, int due) { assertEquals(due, F.f(a)); }'
    made = project("junit5")
    file = blinding().blind(f"{imports}{JUNIT5}public class ATest {{ {members} }}", "junit5", NONCE, 1)
    made.write({"ATest.java": file.text, "F.java": "class F { static Object f(int x) { return 10 * x; } }\n"})
    if made.build() is not None:
        pytest.skip("JUnit's parameterised tests are not at hand")
    found = heard(made, ["ATest::x"])
    assert found == [("1", '["i","10"]'), ("end", "ATest::x"), ("1", '["i","20"]'), ("end", "ATest::x")]


def test_a_matcher_of_null_is_open() -> None:
    source = "import org.junit.*;\npublic class ATest {\n@Test public void x() { assertThat(F.f(1), endsWith(null)); }\n}\n"
    assert blinding().blind(source, "junit4", NONCE, 0).open == {"ATest::x": "asserts by a matcher"}
