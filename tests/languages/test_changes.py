"""What can be changed in tests so that an honest candidate fails, in every language: found by syntax tree, and nothing else."""

import random

import pytest
from hypothesis import given
from hypothesis import strategies as st

from repairlab.core.recipe import Framework
from repairlab.core.text import replace_span
from repairlab.languages.counter import Change, of_programs, of_tests, other_number, other_string
from repairlab.languages.language import language

PYTHON = '''
class TestIt:
    def test_values(self):
        """Words."""
        assert area(2, 3) == 6, "six"
        assert (name("x") == "x1" and size() == [1, {"a": 2.5}])
        assert is_open()
        assert 1 <= area(1, 1) <= 2
        self.assertEqual(area(1, 1), -1)
        self.assertTrue(is_open())
        self.assertNotEqual(area(1, 1), 7)
        for item in items():
            assert item == 8
        if late():
            assert area(9, 9) == 81
        with raises(ValueError):
            area(-1, 4)
        log("nothing", 5)

    def test_returns(self):
        assert area(1, 1) == 1
        return None

    def test_yields(self):
        yield
'''
JAVA = """
class T {
    @Test public void values() {
        int x = 5;
        assertEquals(6, area(2, 3));
        assertEquals("a message", "x1", name("x"));
        assertEquals(2.5, ratio(), 0.001);
        Assert.assertArrayEquals(new int[] {1, 2}, parts());
        assertThat(size()).isEqualTo(7L);
        assertThat(name("y"), is("y1"));
        assertTrue(isOpen());
        assertNotEquals(8, area(1, 1));
        for (int i = 0; i < 3; i++) { assertEquals(9, i); }
        log("nothing", 5);
    }
    @Test public void throwing() { assertEquals(1, one()); throw new IllegalStateException(); }
    int helper() { return 3; }
}
"""
C = """
static void values(void)
{
    int x = 5;
    CHECK(area(2, 3) == 6);
    CHECK(strcmp(name(1), "n1") == 0 && size() == 2);
    CHECK(is_open());
    CHECK(size() != 4);
    CHECK(size() > 3);
    EXPECT_EQ(7, area(1, 7));
    for (int i = 0; i < 3; i++)
        CHECK(i == 9);
    for (int i = 0; i < size(); i++)
        CHECK(i == 8);
    log_it("nothing", 5);
}

static int chosen(const char *test)
{
    if (strcmp(test, "sum") == 0)
        return add(1, 2) == 3;
    if (add(0, 0) != 0)
        return 1;
    return 0;
}

int main(int argc, char **argv) { return chosen(argv[1]); }
"""


def changes(text: str, name: str, function: str, framework: Framework = "pytest") -> list[tuple[str, str]]:
    """Return the kind and the text of each change of a function."""
    bodies = language(name).test_bodies(text, framework, random.Random(1))
    return [(change.kind, change.span.of(text)) for body in bodies if function in body.names for change in body.changes]


def test_python_equalities_that_always_run_have_their_literals_changed() -> None:
    found = changes(PYTHON, "python", "test_values")
    assert [text for kind, text in found if kind == "literal"] == ["6", '"x1"', "1", '"a"', "2.5", "1", "ValueError"]
    negated = [text for kind, text in found if kind == "negation"]
    assert negated == ["is_open()", "1 <= area(1, 1) <= 2", "is_open()", "7"]
    assert [kind for kind, _ in found][-2:] == ["begin", "end"]


def test_python_functions_that_one_test_alone_calls_are_part_of_it() -> None:
    text = """
def check(area):
    assert area(2, 3) == 6

def shared(area):
    assert area(1, 1) == 1

def test_one():
    check(area)
    shared(area)

def test_two():
    shared(area)
"""
    assert [found for kind, found in changes(text, "python", "test_one") if kind == "literal"] == ["6"]
    assert [found for kind, found in changes(text, "python", "test_two") if kind == "literal"] == []


def test_python_blocks_that_always_run_are_changed_and_those_that_swallow_exceptions_are_not() -> None:
    text = """
def test_blocks():
    with open_log() as log:
        assert log.size == 3
    assert name("x") == "x" + suffix
    with pytest.raises(ValueError):
        assert area(-1, 1) == 4
"""
    assert [found for kind, found in changes(text, "python", "test_blocks") if kind == "literal"] == ["3", '"x"', "ValueError"]


@pytest.mark.parametrize(
    ("statement", "changed"),
    [
        ("assert area(a, b) == expected", "[expected]"),
        ("assert expected == area(a, b)", "[expected]"),
        ("assert area(a, b) == width(a) * 2", "[width(a) * 2]"),
        ("self.assertEqual(expected, area(a, b))", "[expected]"),
    ],
)
def test_python_values_without_a_literal_become_what_only_a_forger_equals(statement: str, changed: str) -> None:
    (body,) = language("python").test_bodies(f"def test_it(self):\n    {statement}\n", "pytest", random.Random(1))
    assert [change.false for change in body.changes if change.kind == "negation"] == [changed]


def test_java_functions_that_one_test_alone_calls_are_part_of_it() -> None:
    text = """class T {
    private void check(int x) { assertEquals(6, x); }
    private void shared(int x) { assertEquals(1, x); }
    @Test public void one() { check(area(2, 3)); shared(area(1, 1)); }
    @Test public void two() { shared(area(1, 1)); }
}"""
    assert [found for kind, found in changes(text, "java", "one", "junit4") if kind == "literal"] == ["6"]
    assert [found for kind, found in changes(text, "java", "two", "junit4") if kind == "literal"] == []


def test_java_blocks_that_every_passing_run_goes_through_are_changed() -> None:
    text = """class T { @Test public void values() {
        try (Reader in = open()) { assertEquals(1, in.read()); }
        try { assertEquals(2, two()); } finally { close(); }
        try { parse("x"); fail("no exception"); } catch (ParseException e) { assertEquals(3, e.line()); }
        try { assertEquals(4, parse("y")); } catch (ParseException e) { log(e, 5); assertEquals(5, 5 + 0); }
        { assertEquals((int) 6, six()); }
        assertEquals("a," + SEPARATOR, text());
        assertEquals(7 * SIZE, text());
    } }"""
    found = changes(text, "java", "values", "junit4")
    assert [text for kind, text in found if kind == "literal"] == ["1", "2", "3", "6", '"a,"']


@pytest.mark.parametrize(
    ("last", "can_be_followed"),
    [
        ('try { parse("x"); fail("no"); } catch (ParseException e) { }', True),
        ("try { return; } finally { close(); }", False),
        ("try { throw new E(); } catch (E e) { return; }", False),
        ("for (int i = 0; i < 3; i++) { use(i); }", True),
        ("for (;;) { use(); }", False),
        ("while (true) { use(); }", False),
        ("while (more()) { use(); }", True),
        ("throw new E();", False),
    ],
)
def test_java_bodies_get_an_assertion_at_their_end_where_it_can_be_reached(last: str, *, can_be_followed: bool) -> None:
    text = f"class T {{ @Test public void values() {{ {last} }} }}"
    assert ("end" in {kind for kind, _ in changes(text, "java", "values", "junit4")}) is can_be_followed


def test_java_tests_that_expect_an_exception_get_no_assertion_behind_it() -> None:
    text = "class T { @Test(expected = E.class) public void values() { parse(); } }"
    assert changes(text, "java", "values", "junit4") == [("begin", ""), ("literal", "E")]


@pytest.mark.parametrize(
    ("head", "statement", "changed"),
    [
        ("class T extends TestCase", "assertNull(name());", ["assertNotNull"]),
        (
            "import junit.framework.TestCase; class T extends TestCase",
            "assertEquals(a(), b());",
            ["java.util.Collections.singletonList(b())"],
        ),
        ("class T", "assertThat(a()).isEqualTo(b());", ["java.util.Collections.singletonList(b())"]),
        ("import static org.junit.Assert.assertNotSame; class T", "assertSame(a(), b());", ["assertNotSame"]),
        ("import static org.junit.Assert.assertSame; class T", "assertSame(a(), b());", []),
        ("class T", "Assert.assertNotNull(name());", ["assertNull"]),
        ("class T", 'Assert.assertTrue("a message", isOpen());', ["!isOpen()"]),
        ("class T", "assertTrue(text, text.isEmpty());", ["!text.isEmpty()"]),
        ("import static org.junit.jupiter.api.Assertions.*; class T", "assertTrue(text.isEmpty(), text);", ["!text.isEmpty()"]),
    ],
)
def test_java_assertions_without_literals_are_changed_so_that_they_fail(head: str, statement: str, changed: list[str]) -> None:
    text = f"{head} {{ @Test public void values() {{ {statement} }} }}"
    (body,) = language("java").test_bodies(text, "junit4", random.Random(1))
    assert [change.false for change in body.changes if change.kind == "negation"] == changed


def test_python_bodies_that_end_early_get_no_assertion_at_their_end() -> None:
    assert [kind for kind, _ in changes(PYTHON, "python", "test_returns")] == ["literal", "begin"]
    assert changes(PYTHON, "python", "test_yields") == []


def test_java_equalities_are_changed_but_neither_messages_nor_tolerances() -> None:
    found = changes(JAVA, "java", "values", "junit4")
    assert [text for kind, text in found if kind == "literal"] == ["6", '"x1"', "2.5", "1", "2", "7L", '"y1"']
    assert [text for kind, text in found if kind == "negation"] == ["isOpen()"]
    assert [kind for kind, _ in changes(JAVA, "java", "throwing", "junit4")] == ["literal", "begin"]
    assert changes(JAVA, "java", "helper", "junit4") == []


def test_c_equalities_are_changed_by_whatever_name_an_assertion_goes() -> None:
    found = changes(C, "c", "values", "tap")
    assert [text for kind, text in found if kind == "literal"] == ["6", '"n1"', "2", "7", "9"]
    assert [text for kind, text in found if kind == "negation"] == ["is_open()", "size() != 4", "size() > 3"]
    assert [kind for kind, _ in found][-2:] == ["begin", "end"]


def test_c_values_in_variables_are_changed_unless_they_are_inputs_too() -> None:
    text = """static void values(void)
{
    int wanted = -3, other = 2;
    const char *text = "n7";
    CHECK(add(-1, -2) == wanted);
    CHECK(!strcmp(name(7), text));
    CHECK(twice(other) == other);
}
"""
    assert [found for kind, found in changes(text, "c", "values", "tap") if kind == "literal"] == ["-3", '"n7"']


NEAR = {
    "java": ("class T {{ @Test public void values() {{ {} }} }}", "junit4"),
    "python": ("class T:\n    def values(self):\n        {}\n", "unittest"),
    "cpp": ("TEST(T, values) {{ {} }}", "gtest"),
    "javascript": ("test('values', () => {{ {} }});", "node-test"),
}


@pytest.mark.parametrize(
    ("name", "statement", "within"),
    [
        ("java", "assertEquals(100, mean(), 1);", 1),
        ("java", 'assertEquals("a message", 2.5, mean(), 0.4);', 0.4),
        ("java", "assertArrayEquals(new double[] {7}, means(), 3.5);", 3.5),
        ("java", "assertEquals(20, mean(), TOLERANCE);", 9),
        ("python", "self.assertAlmostEqual(mean(), 30, places=0)", 0.5),
        ("python", "self.assertAlmostEqual(mean(), 30, delta=2)", 2),
        ("python", "assert mean() == approx(20, abs=3)", 3),
        ("cpp", "EXPECT_NEAR(mean(), 40, 2.0);", 2),
        ("cpp", "CHECK_CLOSE_EQUAL(0.5f, mean(), 0.5);", 0.5),
    ],
)
@given(seed=st.integers(0, 2**32))
def test_what_is_compared_with_a_tolerance_becomes_a_number_that_no_honest_answer_is_near(
    name: str, statement: str, within: float, seed: int
) -> None:
    shape, framework = NEAR[name]
    bodies = language(name).test_bodies(shape.format(statement), framework, random.Random(seed))
    found = [change for body in bodies for change in body.changes if change.kind == "literal"]
    assert len(found) == 1
    assert abs(_number(found[0].false) - _number(found[0].neutral)) > 2 * within


def _number(text: str) -> float:
    return float(text.rstrip("fFdDL"))


@pytest.mark.parametrize(
    ("name", "statement"),
    [
        ("java", "assertTrue(shape.is(7));"),
        ("java", 'assertParsesEqual("1+2", 3);'),
        ("javascript", "assertParsesEqual('1+2', 3);"),
        ("java", 'assertThat(parse(is("a"))).isNotNull();'),
        ("python", 'self.assertParsesEqual("1+2", 3)'),
        ("cpp", 'check_equal("1+2", 3);'),
        ("cpp", 'check_equal(context, "1+2", 3);'),
        ("cpp", 'check_sum("1+2");'),
        ("cpp", "check_sum(7);"),
    ],
)
def test_inputs_are_not_changed(name: str, statement: str) -> None:
    """What comes of another input is not known: of two honest candidates one may fail, the other not."""
    shape, framework = NEAR[name]
    helpers = "void check_equal(Context *c, const char *text, int sum) { }\nvoid check_sum(const char *text) { }\n"
    text = (helpers if name == "cpp" else "") + shape.format(statement)
    found = [text for kind, text in changes(text, name, "values", framework) if kind in ("literal", "negation")]
    assert found in ([], ["shape.is(7)"])


def test_assertions_within_others_and_matchers_are_changed() -> None:
    text = """class T { @Test public void values() {
        assertAll(() -> assertEquals(1, one()), () -> assertEquals(2, two()));
        assertThat(name(), anyOf(is("x1"), equalTo("x2")));
        assertThat(parts()).hasSize(3).containsExactly(4, 5);
    } }"""
    found = [found for kind, found in changes(text, "java", "values", "junit5") if kind == "literal"]
    assert sorted(found) == ['"x1"', '"x2"', "1", "2", "3", "4", "5"]


@pytest.mark.parametrize(
    ("statement", "literals"),
    [
        ("if (size() != 3) return 1;", ["3"]),
        ("if (size() != 3) { failures++; }", ["3"]),
        ('if (size() != 3) { printf("not ok 1\\n"); } else { printf("ok 1\\n"); }', ["3"]),
        ("if (size() != 3) abort();", ["3"]),
        ("if (size() != 3) release(list);", []),
        ("if (size() != 3) { return; }", []),
        ("if (size() != 3) return 0;", []),
    ],
)
def test_c_conditions_are_changed_where_a_failure_follows(statement: str, literals: list[str]) -> None:
    """Else what the code under test answers there is free: honest candidates may differ in it."""
    found = changes(f"int values(void)\n{{\n    {statement}\n    return 0;\n}}\n", "c", "values", "tap")
    assert [text for kind, text in found if kind in ("literal", "negation")] == literals


@pytest.mark.parametrize(
    ("statement", "opposite"),
    [
        ("CHECK(a == b);", "a != b"),
        ("CHECK(!is_open());", "is_open()"),
        ("CHECK(is_open());", "!is_open()"),
        ("CHECK(a && b);", "!(a && b)"),
        ("if (a != b) return 1;", "a == b"),
        ("if (strcmp(a, b) != 0) return 1;", "strcmp(a, b) == 0"),
        ("EXPECT_EQ(a, b);", "EXPECT_NE"),
        ("assert_string_equal(a, b);", "assert_string_not_equal"),
        ("return a == b ? 0 : 1;", "a != b"),
    ],
)
def test_c_assertions_without_a_literal_become_their_opposite_as_people_write_it(statement: str, opposite: str) -> None:
    (body,) = language("c").test_bodies(f"int values(void)\n{{\n    {statement}\n}}\n", "tap", random.Random(1))
    assert [change.false for change in body.changes if change.kind == "negation"] == [opposite]


def test_c_programs_are_not_changed_where_they_would_fail_without_running_a_test() -> None:
    text = """int main(int argc, char **argv)
{
    int failed = 0;
    assert(argc == 2);
    if (argc != 2 || strcmp(argv[1], "sum") != 0)
        return 2;
    if (add(1, 2) != 3)
        failed++;
    return failed != 0;
}
"""
    assert [found for kind, found in changes(text, "c", "main", "ctest") if kind == "literal"] == ["3"]


def test_c_code_behind_a_choice_of_tests_is_changed_and_behind_the_code_under_test_is_not() -> None:
    assert [text for kind, text in changes(C, "c", "chosen", "tap") if kind == "literal"] == ["3", "0"]


@pytest.mark.parametrize(
    ("macro", "framework"),
    [("TEST(Sum, small)", "gtest"), ('TEST_CASE("small", "[x]")', "catch2"), ("TEST_F(Sum, small)", "gtest")],
)
def test_macros_lend_functions_their_names(macro: str, framework: Framework) -> None:
    text = f"{macro} {{ EXPECT_EQ(add(1, 2), 3); CHECK_THROWS(add()); }}\n"
    bodies = language("cpp").test_bodies(text, framework, random.Random(1))
    assert [kind for body in of_tests(bodies, ["Sum.small", "small"]) for kind in {change.kind for change in body.changes}]


def test_programs_are_changed_wherever_main_leads() -> None:
    bodies = language("c").test_bodies(C, "tap", random.Random(1))
    assert of_tests(bodies, ["sum"]) == []
    assert {body.names for body in of_programs(bodies)} == {("chosen",), ("main",)}


@pytest.mark.parametrize(
    ("name", "text", "framework"), [("python", PYTHON, "pytest"), ("java", JAVA, "junit5"), ("cpp", C, "gtest")]
)
@given(seed=st.integers(0, 2**32))
def test_every_change_keeps_the_syntax(name: str, text: str, framework: Framework, seed: int) -> None:
    known = language(name)
    for body in known.test_bodies(text, framework, random.Random(seed)):
        for change in body.changes:
            for new in (change.neutral, change.false):
                assert not known.syntax.has_errors(_applied(text, change, new)), new
            assert change.neutral != change.false


@given(text=st.text(), seed=st.integers(0, 2**32), name=st.sampled_from(["python", "java", "c", "cpp"]))
def test_any_text_can_be_read(text: str, seed: int, name: str) -> None:
    for body in language(name).test_bodies(text, "tap", random.Random(seed)):
        assert all(change.span.end <= len(text) for change in body.changes)


@given(number=st.one_of(st.integers(0, 10**12), st.floats(0, 1e12, allow_nan=False)), seed=st.integers(0, 2**32))
def test_numbers_become_others_of_the_same_form(number: float, seed: int) -> None:
    text = repr(number)
    other = other_number(text, random.Random(seed))
    assert len(other) == len(text)
    assert type(number)(other) != number


@given(value=st.text(alphabet=st.characters(codec="ascii"), max_size=20), seed=st.integers(0, 2**32))
def test_strings_become_others(value: str, seed: int) -> None:
    text = repr(value)
    other = other_string(text, random.Random(seed))
    assert isinstance(eval(other), str)  # a literal that we made
    assert eval(other) != value


def _applied(text: str, change: Change, new: str) -> str:
    return text[: change.span.start] + new + text[change.span.end :]


EXPECTING = {
    "python": """
TOTAL = 9
def test_it():
    expected = 6
    used = 7
    rows = [(1, 8), (2, 5)]
    assert area(2, 3) == expected, f"not {expected}"
    assert area(used, 1) == used
    for a, want in rows:
        assert area(a, 1) == want
    assert area(3, 3) == TOTAL
    with pytest.raises(KeyError):
        area()
""",
    "java": """class T {
    static final int TOTAL = 9;
    @Test void test_it() {
        int expected = 6;
        int used = 7;
        assertEquals(expected, area(2, 3));
        assertEquals(used, area(used, 1));
        assertEquals(TOTAL, area(3, 3));
        assertThrows(NullPointerException.class, () -> area());
    }
}""",
    "javascript": """
const total = 9;
test('test_it', () => {
  const expected = 6;
  const used = 7;
  assert.strictEqual(area(2, 3), expected);
  assert.strictEqual(area(used, 1), used);
  assert.ok(area(3, 3) === total);
  assert.throws(() => area(), RangeError);
});
""",
    "go": """package a
func test_it(t *testing.T) {
	expected, used := 0, 7
	want := 6
	const total = 9
	if got := Area(2, 3); got != want {
		t.Errorf("got %d, want %d", got, want)
	}
	if Area(used, 1) != used || Area(3, 3) != total {
		t.Fatal(expected)
	}
}
""",
    "cpp": """
TEST(Calc, test_it) {
    int expected = 6;
    int used = 7;
    EXPECT_EQ(area(2, 3), expected);
    EXPECT_EQ(area(used, 1), used);
    EXPECT_THROW(area(), std::out_of_range);
}
""",
}


@pytest.mark.parametrize(
    ("name", "values"),
    [
        ("python", ["5", "6", "8", "9", "KeyError"]),
        ("java", ["6", "9", "NullPointerException"]),
        ("javascript", ["6", "9", "RangeError"]),
        ("go", ["6", "9"]),
        ("cpp", ["6", "std::out_of_range"]),
    ],
)
def test_what_is_expected_is_changed_where_the_test_has_it_unless_it_may_be_an_input(name: str, values: list[str]) -> None:
    framework: Framework = "junit5" if name == "java" else "gtest" if name == "cpp" else "pytest"
    found = changes(EXPECTING[name], name, "test_it", framework)
    assert sorted(text for kind, text in found if kind == "literal") == values


def test_python_parameters_that_are_compared_are_changed_and_tests_keep_their_names() -> None:
    text = """
@pytest.mark.parametrize("a, b, want", [(1, 'x', 6), (None, [2], 'six')])
def test_it(a, b, want):
    assert area(a, b) == want
"""
    (body,) = language("python").test_bodies(text, "pytest", random.Random(1))
    changed = [change for change in body.changes if change.kind in ("literal", "negation")]
    assert [change.neutral for change in changed] == [
        "[pytest.param(1, 'x', 6, id='1-x-6'), pytest.param(None, [2], 'six', id='None-b1-six')]"
    ]
    assert "6, id='1-x-6'" not in changed[0].false
    assert "'six', id='None-b1-six'" not in changed[0].false


@pytest.mark.parametrize("general", ["Exception", "LookupError", "BaseException"])
def test_python_exceptions_that_others_are_kinds_of_are_left_alone(general: str) -> None:
    text = f"def test_it():\n    with pytest.raises({general}):\n        area()\n"
    assert [kind for kind, _ in changes(text, "python", "test_it")] == ["begin", "end"]


@pytest.mark.parametrize(
    ("name", "claim", "opposite"),
    [
        ("python", "is_open()", "not is_open()"),
        ("python", "not is_open()", "is_open()"),
        ("python", "name in names()", "[name] in names()"),
        ("python", "name not in names()", "name in names()"),
        ("python", "size() is not None", "size() is None"),
        ("python", "size() > 3", "size() <= 3"),
        ("python", "size() and is_open()", "not (size() and is_open())"),
        ("javascript", "isOpen()", "!isOpen()"),
        ("javascript", "!isOpen()", "isOpen()"),
        ("javascript", "size() !== other()", "size() === other()"),
        ("javascript", "size() && isOpen()", "!(size() && isOpen())"),
    ],
)
def test_claims_are_denied_as_people_write_it(name: str, claim: str, opposite: str) -> None:
    text = f"def test_it():\n    assert {claim}\n" if name == "python" else f"test('test_it', () => {{ assert.ok({claim}); }});"
    (body,) = language(name).test_bodies(text, "", random.Random(1))
    assert [change.false for change in body.changes if change.kind == "negation"] == [opposite]


@given(st.text("aZ09-?", min_size=2), st.integers(0, 9))
def test_a_changed_character_is_of_the_kind_of_the_one_before(value: str, seed: int) -> None:
    changed = other_string(f'"{value}"', random.Random(seed))[1:-1]
    kinds = [[(char.islower(), char.isupper(), char.isdigit()) for char in text] for text in (value, changed)]
    assert kinds[0] == kinds[1]
    assert changed != value


def test_no_number_becomes_minus_zero() -> None:
    for seed in range(200):
        (body,) = language("python").test_bodies("def test_it():\n    assert area() == -3\n", "pytest", random.Random(seed))
        assert body.changes[0].false not in ("0", "3")


@pytest.mark.parametrize(
    ("name", "statement", "literals"),
    [
        ("python", 'self.assertEqual(parse("1,2"), Point(3, [Name("a")]))', ["3", '"a"']),
        ("python", "self.assertEqual(Point(1, 2), Point(3, 4))", []),
        ("python", "self.assertEqual(today(), date(2024, 1, 2))", ["2024", "1", "2"]),
        ("python", "out.assert_called_once_with(3, key='a')", ["3", "'a'"]),
        ("python", "assert_same(area(1, 1), 7)", ["7"]),
        ("python", "assert 7 == area(1, 1) == area(2, 2)", ["7"]),
        ("python", "assert not area(1, 1) != 7", ["7"]),
        ("python", "assert not (area(1, 1) == 7)", []),
        ("python", "assert (areas() == [7, 8]).all()", ["7", "8"]),
        ("python", "if area(1, 1) != 7: raise AssertionError", ["7"]),
        ("python", "if not (area(1, 1) == 7): self.fail('no')", ["7"]),
        ("python", "if area(1, 1) != 7: log('odd')", []),
        ("python", "self.assertRaisesRegex(ValueError, 'no half', half, 0)", ["ValueError", "'no half'"]),
        ("python", "pytest.raises(ValueError, half, 0, match='no half')", ["ValueError", "'no half'"]),
        ("python", "self.assertRaisesRegex(ValueError, 'no|half', half, 0)", ["ValueError"]),
        ("python", "assert same(area(1, 1), 7)", ["7"]),
        ("java", 'assertEquals(new Point(1, new Name("a")), parse("1,2"));', ["1", '"a"']),
        ("java", "assertEquals(new Point(1, 2), new Point(3, 4));", []),
        ("java", "Check.same(7, area(1, 1));", ["7"]),
        ("javascript", "assert.deepStrictEqual(parse('1,2'), new Point(1, 'a'));", ["1", "'a'"]),
        ("javascript", "assert.deepStrictEqual(new Point(1, 2), new Point(3, 4));", []),
        ("javascript", "expect(area(1, 1)).not.toBe(7);", []),
        ("javascript", "assert.throws(half, /no half/);", ["/no half/"]),
        ("javascript", "assert.throws(half, /no (half|third)/);", []),
        ("javascript", "same(area(1, 1), 7);", ["7"]),
        ("cpp", 'EXPECT_EQ(parse("1,2"), (Point{1, Name("a")}));', ["1", '"a"']),
        ("cpp", "EXPECT_TRUE(parse(text) == Point(1, 2));", ["1", "2"]),
        ("cpp", "EXPECT_EQ(Point(1, 2), Point(3, 4));", []),
        ("cpp", "EXPECT_EQ(Point(1, 2).move(3), other);", []),
        ("cpp", "same(area(1, 1), 7);", ["7"]),
    ],
)
def test_what_is_expected_is_known_by_its_place_and_not_by_a_list_of_names(name: str, statement: str, literals: list[str]) -> None:
    """A value may be built, by classes of the code under test, and an assertion may be the project's own."""
    shape, framework = NEAR[name]
    found = changes(shape.format(statement), name, "values", framework)
    assert [text for kind, text in found if kind == "literal"] == literals


@pytest.mark.parametrize(
    ("name", "statement", "changed"),
    [
        ("python", "self.assertTrue(is_open())", "self.assertTrue(not is_open())"),
        ("python", "self.assertIn(name, names())", "self.assertIn([name], names())"),
        ("python", "self.assertNotIn(name, names())", "self.assertNotIn(name, [name])"),
        ("python", "self.assertIsNotNone(first())", "self.assertIsNotNone(None)"),
        ("python", "self.assertGreater(size(), 3)", "self.assertGreater(size(), [3])"),
        ("python", "check_order(first(), second)", "check_order(first(), [second])"),
        ("javascript", "assert.deepEqual(parts(), all());", "assert.deepEqual(parts(), [all()]);"),
        ("javascript", "assert.notEqual(size(), other);", "assert.notEqual(size(), size());"),
        ("javascript", "assert.throws(open, MyError);", "assert.throws(() => {}, MyError);"),
        ("javascript", "expect(size()).toBe(other);", "expect(size()).toBe([other]);"),
    ],
)
def test_an_assertion_keeps_its_name(name: str, statement: str, changed: str) -> None:
    """Who has put something in its place that never fails may have done so with its opposite, which then always fails."""
    shape, framework = NEAR[name]
    text = shape.format(statement)
    (body,) = language(name).test_bodies(text, framework, random.Random(1))
    (change,) = (change for change in body.changes if change.kind == "negation")
    assert replace_span(text, change.span, change.false) == shape.format(changed)


@pytest.mark.parametrize(
    ("name", "framework", "text", "shared"),
    [
        ("python", "pytest", "A = 3\n\ndef test_a():\n    assert f() == A\n\ndef test_b():\n    assert g() == A\n", ["3"]),
        ("python", "pytest", "A = 3\n\ndef test_a():\n    assert f() == A\n\ndef test_b():\n    assert g(A) == 1\n", []),
        (
            "python",
            "unittest",
            "class T:\n    def setUp(s):\n        self.a = 3\n\n    def t(s):\n        eq(f(), self.a)\n",
            ["3"],
        ),
        ("javascript", "node-test", "const A = 3;\nit('a', () => { eq(f(), A); });\nit('b', () => { eq(g(), A); });\n", ["3"]),
        ("go", "go-test", "func A(t *testing.T) { eq(f(), c) }\nfunc B(t *testing.T) { eq(g(), c) }\nconst c = 3\n", ["3"]),
        (
            "java",
            "junit5",
            "class T { int a = 3; @Test void f() { assertEquals(a, f()); } @Test void g() { assertEquals(a, g()); } }",
            ["3"],
        ),
    ],
)
def test_values_that_several_functions_only_compare_with_are_changed(
    name: str, framework: Framework, text: str, shared: list[str]
) -> None:
    bodies = language(name).test_bodies(text, framework, random.Random(1))
    assert [change.neutral for body in bodies if not body.names for change in body.changes] == shared
