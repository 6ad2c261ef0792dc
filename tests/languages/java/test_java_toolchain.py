"""Java programs and JUnit 4 and 5 through real compilers and virtual machines."""

import functools
import hashlib
import http.server
import threading
import zipfile
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import pytest

from repairlab.core import recipe
from repairlab.core.errors import HarnessError, UserError
from repairlab.core.outcome import TestVerdict, Verdict
from repairlab.core.recipe import Build
from repairlab.languages.facts import facts
from repairlab.languages.java import jars
from repairlab.languages.java.toolchain import JavaToolchain
from repairlab.languages.language import Tools
from repairlab.languages.reports import first_error

Make = Callable[..., Any]
PASSED, WRONG = TestVerdict.PASSED, TestVerdict.WRONG
JAVAC = Build(tool="javac", sources=("src/**/*.java",), tests=("test/**/*.java",))

ACCOUNT = """package bank;
public class Account {
    private int balance;
    public void deposit(int amount) { balance += amount; }
    public int balance() { return balance; }
}
"""


@pytest.fixture
def stdio(project: Make, tools: Tools) -> Any:
    return project(JavaToolchain(tools), Build(tool="javac"), recipe.Test())


@pytest.fixture
def junit4(project: Make, tools: Tools) -> Any:
    made = project(JavaToolchain(tools), JAVAC, recipe.Test(framework="junit4", files=("test/**",)))
    made.write({"src/bank/Account.java": ACCOUNT})
    return made


@pytest.fixture
def junit5(project: Make, tools: Tools) -> Any:
    made = project(JavaToolchain(tools), JAVAC, recipe.Test(framework="junit5", files=("test/**",)))
    made.write({"src/bank/Account.java": ACCOUNT})
    return made


@pytest.mark.slow
def test_program_of_several_files_reads_and_writes(stdio: Any) -> None:
    main = "import java.util.*; public class Main { public static void main(String[] a) { Scanner s = new Scanner(System.in);"
    stdio.write(
        {
            "Main.java": main + ' System.out.println(Rules.twice(s.nextInt()) + "ü"); } }\n',
            "with space/Rules.java": "class Rules { static int twice(int x) { return 2 * x; } }\n",
        }
    )
    stdio.must_build()
    assert stdio.program(b"21\n").stdout.decode() == "42ü\n"


@pytest.mark.slow
def test_compile_error_is_told_in_one_line(stdio: Any) -> None:
    stdio.write({"Main.java": "public class Main {\n  int x = y;\n}\n"})
    failed = stdio.build()
    assert failed is not None
    assert first_error(failed.stderr, facts("java").error_line) == "Main.java:2: error: cannot find symbol (variable y)"


@pytest.mark.slow
def test_class_whose_source_is_gone_does_not_live_on(stdio: Any) -> None:
    stdio.write({"Main.java": "public class Main { Old old; }\n", "Old.java": "class Old { }\n"})
    stdio.must_build()
    (stdio.root / "Old.java").unlink()
    assert stdio.build() is not None


@pytest.mark.slow
@pytest.mark.parametrize(
    ("body", "expected"),
    [
        ("java.util.List<byte[]> l = new java.util.ArrayList<>(); while (true) l.add(new byte[1 << 22]);", True),
        ("throw new OutOfMemoryError();", True),
        ('throw new IllegalStateException("java.lang.OutOfMemoryError");', False),
        ("System.exit(3);", False),
    ],
)
def test_out_of_memory_is_told_from_other_crashes(stdio: Any, body: str, expected: bool) -> None:
    stdio.write({"Main.java": f"public class Main {{ public static void main(String[] a) {{ {body} }} }}\n"})
    stdio.must_build()
    done = stdio.program()
    assert not done.succeeded
    assert stdio.toolchain.out_of_memory(done) is expected


JUNIT4 = """package bank;
import static org.junit.Assert.*;
import org.junit.*;
public class AccountTest {
    @Test public void passes() { Account a = new Account(); a.deposit(2); assertEquals(2, a.balance()); }
    @Test public void fails() { assertEquals("balance \\"of\\" ü", 3, new Account().balance()); }
    @Test public void errs() { Object o = null; o.hashCode(); }
    @Test @Ignore("later") public void ignored() { }
    @Test public void assumed() { Assume.assumeTrue(false); }
    @Test(expected = ArithmeticException.class) public void expects() { int x = 1 / 0; }
    @Test public void noMemory() { throw new OutOfMemoryError("x"); }
    @Test public void exits() { System.exit(0); }
    @Test public void halts() { Runtime.getRuntime().halt(0); }
    @Test public void sleeps() throws Exception { Thread.sleep(100000); }
    @Test public void lingers() { new Thread(() -> { while (true) { } }).start(); }
    public static class Inner { @Test public void inside() { } }
    public void noTest() { }
}
"""
JUNIT4_OTHERS = {
    "test/bank/BaseTest.java": "package bank;\npublic abstract class BaseTest { @org.junit.Test public void inherited() { } }\n",
    "test/bank/DerivedTest.java": "package bank;\npublic class DerivedTest extends BaseTest { }\n",
    "test/bank/OldTest.java": """package bank;
public class OldTest extends junit.framework.TestCase { public void testOld() { } }
""",
    "test/bank/BrokenTest.java": """package bank;
import org.junit.*;
public class BrokenTest {
    @BeforeClass public static void up() { throw new IllegalStateException("no database"); }
    @Test public void x() { }
}
""",
    "test/bank/ParamTest.java": """package bank;
import java.util.*;
import org.junit.*;
import org.junit.runner.RunWith;
import org.junit.runners.Parameterized;
@RunWith(Parameterized.class)
public class ParamTest {
    @Parameterized.Parameters public static Collection<Object[]> data() { return Arrays.asList(new Object[][] {{1}, {2}, {3}}); }
    private final int n;
    public ParamTest(int n) { this.n = n; }
    @Test public void all() { Assert.assertTrue(n > 0); }
    @Test public void some() { Assert.assertTrue(n != 2); }
}
""",
}


@pytest.mark.slow
def test_junit4_ends_have_their_verdicts(junit4: Any) -> None:
    junit4.write({"test/bank/AccountTest.java": JUNIT4, **JUNIT4_OTHERS})
    junit4.must_build()
    a = "bank.AccountTest::"
    expected = {
        a + "fails": WRONG,
        a + "passes": PASSED,
        a + "errs": WRONG,
        a + "ignored": WRONG,
        a + "assumed": WRONG,
        a + "expects": PASSED,
        a + "noMemory": Verdict.OUT_OF_MEMORY,
        a + "lingers": PASSED,
        a + "nowhere": WRONG,
        a + "noTest": WRONG,
        "bank.AccountTest$Inner::inside": PASSED,
        "bank.DerivedTest::inherited": PASSED,
        "bank.OldTest::testOld": PASSED,
        "bank.BrokenTest::x": WRONG,
        "bank.ParamTest::all": PASSED,
        "bank.ParamTest::some": WRONG,
        "bank.GoneTest::x": WRONG,
    }
    report = junit4.report(list(expected))
    assert {result.id: result.verdict for result in report.results} == expected
    assert [result.id for result in report.results] == list(expected)
    messages = {result.id: result.message for result in report.results}
    assert messages[a + "fails"] == 'java.lang.AssertionError: balance "of" ü expected:<3> but was:<0>'
    assert messages[a + "nowhere"] == "there is no such test"
    assert "no database" in messages["bank.BrokenTest::x"]
    stopped = junit4.report([a + "passes", a + "fails", a + "expects"], stop=True)
    assert [result.verdict for result in stopped.results] == [PASSED, WRONG]
    assert stopped.unfinished is None
    for ending in ("exits", "halts", "sleeps"):
        early = junit4.report([a + "passes", a + ending, a + "expects"], timeout_s=8)
        assert [result.id for result in early.results] == [a + "passes"]
        assert early.unfinished == a + ending


CLASS_SET_UP = {
    "test/bank/ServerTest.java": """package bank;
import static org.junit.Assert.*;
import org.junit.*;
public class ServerTest {
    static int starts; static boolean up;
    @BeforeClass public static void start() { up = true; starts++; }
    @AfterClass public static void stop() { up = false; }
    @Test public void one() { assertTrue(up); assertEquals(1, starts); }
    @Test public void two() { assertTrue(up); assertEquals(1, starts); }
    @Test public void fails() { fail("no"); }
    @Test @Ignore("later") public void ignored() { }
    @Test public void assumed() { Assume.assumeTrue(false); }
    @Test public void exits() { System.exit(0); }
}
""",
    "test/bank/OrderTest.java": """package bank;
import org.junit.*;
import org.junit.rules.*;
import org.junit.runners.*;
@FixMethodOrder(MethodSorters.NAME_ASCENDING)
public class OrderTest {
    @ClassRule public static final ExternalResource RULE = new ExternalResource() { protected void before() { n = 0; } };
    static int n;
    @Test public void a() { Assert.assertEquals(1, ++n); }
    @Test public void b() { Assert.assertEquals(2, ++n); }
}
""",
    "test/bank/ParamTest.java": """package bank;
import org.junit.*;
import org.junit.runner.RunWith;
import org.junit.runners.Parameterized;
@RunWith(Parameterized.class)
public class ParamTest {
    @Parameterized.Parameters public static Object[] data() { return new Object[] {1, 2, 3}; }
    @BeforeClass public static void up() { }
    private final int n;
    public ParamTest(int n) { this.n = n; }
    @Test public void all() { Assert.assertTrue(n > 0); }
    @Test public void some() { Assert.assertTrue(n != 2); }
}
""",
    "test/bank/UpTest.java": """package bank;
import org.junit.*;
public class UpTest {
    @BeforeClass public static void up() { throw new IllegalStateException("no database"); }
    @Test public void x() { }
    @Test public void y() { }
}
""",
    "test/bank/DownTest.java": """package bank;
import org.junit.*;
public class DownTest {
    @AfterClass public static void down() { throw new IllegalStateException("no end"); }
    @Test public void x() { }
    @Test public void y() { }
}
""",
    "test/bank/OffTest.java": """package bank;
import org.junit.*;
@Ignore public class OffTest { @BeforeClass public static void up() { } @Test public void x() { } @Test public void y() { } }
""",
}


@pytest.mark.slow
def test_junit4_set_up_of_a_class_is_made_once_for_all_its_tests(junit4: Any) -> None:
    junit4.write(CLASS_SET_UP)
    junit4.must_build()
    s = "bank.ServerTest::"
    expected = {
        s + "two": PASSED,
        s + "fails": WRONG,
        "bank.OrderTest::b": PASSED,
        "bank.ParamTest::some": WRONG,
        "bank.UpTest::x": WRONG,
        "bank.DownTest::x": PASSED,
        "bank.OffTest::x": WRONG,
        s + "ignored": WRONG,
        s + "one": PASSED,
        s + "assumed": WRONG,
        s + "nowhere": WRONG,
        "bank.OrderTest::a": PASSED,
        "bank.ParamTest::all": PASSED,
        "bank.UpTest::y": WRONG,
        "bank.DownTest::y": WRONG,
        "bank.OffTest::y": WRONG,
    }
    found = {result.id: result for result in junit4.report(list(expected)).results}
    assert {test: result.verdict for test, result in found.items()} == expected
    assert [test for test in found if test.startswith(s)] == [test for test in expected if test.startswith(s)]
    assert [found[f"bank.UpTest::{name}"].message for name in "xy"] == ["java.lang.IllegalStateException: no database"] * 2
    assert found["bank.DownTest::y"].message == "java.lang.IllegalStateException: no end"
    assert found[s + "nowhere"].message == "there is no such test"
    stopped = junit4.report([s + "one", s + "fails", s + "two", "bank.OrderTest::a"], stop=True)
    assert [(result.id, result.verdict) for result in stopped.results] == [(s + "one", PASSED), (s + "fails", WRONG)]
    early = junit4.report([s + "one", s + "exits", s + "two"])
    assert ([result.id for result in early.results], early.unfinished) == ([s + "one"], s + "exits")


SUITES = {
    # Tests of inner classes that only the suite can make, as a decorator or not; two of them have the name of a test outside.
    "test/bank/BulkTest.java": """package bank;
import junit.framework.*;
public class BulkTest extends TestCase {
    public BulkTest(String name) { super(name); }
    public static Test suite() {
        BulkTest outer = new BulkTest("testSame");
        TestSuite inner = new TestSuite("inner");
        inner.addTest(outer.new Inner("testSame"));
        inner.addTest(outer.new Inner("testInner"));
        inner.addTest(new OldTest());
        TestSuite all = new TestSuite(BulkTest.class);
        all.addTest(inner);
        return all;
    }
    public void testSame() { }
    public class Inner extends TestCase {
        public Inner(String name) { super(name); }
        public void testSame() { fail("inside"); }
        public void testInner() { }
    }
}
""",
    "test/bank/DecoratedTest.java": """package bank;
import junit.framework.*;
public class DecoratedTest extends TestCase {
    private static boolean ready;
    public static Test suite() {
        return new junit.extensions.TestSetup(new TestSuite(DecoratedTest.class)) { protected void setUp() { ready = true; } };
    }
    public void testReady() { assertTrue(ready); }
    public void testFails() { fail("no"); }
}
""",
    "test/bank/OldTest.java": """package bank;
public class OldTest extends junit.framework.TestCase { public OldTest() { super("testOld"); } public void testOld() { } }
""",
    "test/bank/UnmadeTest.java": """package bank;
public class UnmadeTest { private UnmadeTest() { } @org.junit.Test public void x() { } }
""",
}


@pytest.mark.slow
def test_tests_of_junit_3_suites_are_named_and_run_one_by_one(junit4: Any) -> None:
    junit4.write(SUITES)
    junit4.must_build()
    places = ("bank.BulkTest", "bank.DecoratedTest")
    expected = {
        "bank.BulkTest::testSame": PASSED,
        "bank.BulkTest::BulkTest$Inner.testSame": WRONG,
        "bank.BulkTest::BulkTest$Inner.testInner": PASSED,
        "bank.OldTest::testOld": PASSED,
        "bank.DecoratedTest::testReady": PASSED,
        "bank.DecoratedTest::testFails": WRONG,
    }
    assert sorted(junit4.listed(places)) == sorted(expected)
    report = junit4.report([*expected, "bank.BulkTest::testInner", "bank.UnmadeTest::x"])
    found = {result.id: result for result in report.results}
    assert {test: found[test].verdict for test in expected} == expected
    assert found["bank.BulkTest::testInner"].message == "there is no such test"
    assert "constructor" in found["bank.UnmadeTest::x"].message


JUNIT5 = """package bank;
import static org.junit.jupiter.api.Assertions.*;
import org.junit.jupiter.api.*;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.*;
class AccountTest {
    @Test void passes() { Account a = new Account(); a.deposit(2); assertEquals(2, a.balance()); }
    @Test void fails() { assertEquals(3, new Account().balance()); }
    @Test void errs() { throw new IllegalStateException("x"); }
    @Test @Disabled("later") void disabled() { }
    @Test void assumed() { Assumptions.assumeTrue(false); }
    @Test void exits() { System.exit(0); }
    @ParameterizedTest @ValueSource(ints = {1, 2, 3}) void all(int n) { assertTrue(n > 0); }
    @ParameterizedTest @ValueSource(ints = {1, 2, 3}) void some(int n) { assertTrue(n != 2); }
    @ParameterizedTest @CsvSource({"1, a", "2, b"}) void csv(int n, String s) { assertEquals(n == 1 ? "a" : "b", s); }
    @RepeatedTest(2) void repeated() { }
    @TestFactory java.util.List<DynamicTest> factory() { return java.util.List.of(DynamicTest.dynamicTest("d", () -> fail("no"))); }
    @Nested class Inner { @Test void inside() { } }
    void noTest() { }
}
@Disabled class AllOff { @Test void x() { } }
class Broken { @BeforeAll static void up() { throw new IllegalStateException("no database"); } @Test void x() { } }
abstract class Base { @Test void inherited() { } }
class Derived extends Base { }
"""


@pytest.mark.slow
def test_junit5_ends_have_their_verdicts(junit5: Any) -> None:
    junit5.write({"test/bank/AccountTest.java": JUNIT5})
    junit5.must_build()
    a = "bank.AccountTest::"
    expected = {
        a + "fails": WRONG,
        a + "passes": PASSED,
        a + "errs": WRONG,
        a + "disabled": WRONG,
        a + "assumed": WRONG,
        a + "all": PASSED,
        a + "some": WRONG,
        a + "csv": PASSED,
        a + "repeated": PASSED,
        a + "factory": WRONG,
        a + "noTest": WRONG,
        a + "nowhere": WRONG,
        "bank.AccountTest$Inner::inside": PASSED,
        "bank.AllOff::x": WRONG,
        "bank.Broken::x": WRONG,
        "bank.Derived::inherited": PASSED,
        "bank.Gone::x": WRONG,
    }
    report = junit5.report(list(expected))
    assert {result.id: result.verdict for result in report.results} == expected
    messages = {result.id: result.message for result in report.results}
    assert messages[a + "disabled"] == "the test was skipped: later"
    assert messages[a + "fails"].endswith("expected: <3> but was: <0>")
    early = junit5.report([a + "passes", a + "exits", a + "all"])
    assert ([result.id for result in early.results], early.unfinished) == ([a + "passes"], a + "exits")


CLASS_SET_UP5 = """package bank;
import static org.junit.jupiter.api.Assertions.*;
import org.junit.jupiter.api.*;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.*;
class ServerTest {
    static int starts; static boolean up;
    @BeforeAll static void start() { up = true; starts++; }
    @AfterAll static void stop() { up = false; }
    @Test void one() { assertTrue(up); assertEquals(1, starts); }
    @Test void two() { assertTrue(up); assertEquals(1, starts); }
    @Test void fails() { fail("no"); }
    @Test @Disabled("later") void disabled() { }
    @Test void assumed() { Assumptions.assumeTrue(false); }
    @Test void exits() { System.exit(0); }
    @ParameterizedTest @ValueSource(ints = {1, 2, 3}) void all(int n) { assertTrue(up && n > 0); }
    @ParameterizedTest @ValueSource(ints = {1, 2, 3}) void some(int n) { assertTrue(n != 2); }
    @TestFactory java.util.List<DynamicTest> factory() { return java.util.List.of(DynamicTest.dynamicTest("d", () -> fail("no"))); }
    void noTest() { }
}
@TestInstance(TestInstance.Lifecycle.PER_CLASS) @TestMethodOrder(MethodOrderer.MethodName.class)
class OrderTest {
    int n;
    @Test void a() { assertEquals(1, ++n); }
    @Test void b() { assertEquals(2, ++n); }
}
class UpTest { @BeforeAll static void up() { throw new IllegalStateException("no database"); } @Test void x() { }
    @Test void y() { } }
class DownTest { @AfterAll static void down() { throw new IllegalStateException("no end"); } @Test void x() { } @Test void y() { } }
@Disabled("off") class OffTest { @BeforeAll static void up() { } @Test void x() { } @Test void y() { } }
class NoneTest { @BeforeAll static void up() { } void x() { } void y() { } }
"""


@pytest.mark.slow
def test_junit5_set_up_of_a_class_is_made_once_for_all_its_tests(junit5: Any) -> None:
    junit5.write({"test/bank/ServerTest.java": CLASS_SET_UP5})
    junit5.must_build()
    s = "bank.ServerTest::"
    expected = {
        s + "two": PASSED,
        s + "fails": WRONG,
        s + "some": WRONG,
        "bank.OrderTest::b": PASSED,
        "bank.UpTest::x": WRONG,
        "bank.DownTest::x": PASSED,
        "bank.OffTest::x": WRONG,
        "bank.NoneTest::x": WRONG,
        s + "disabled": WRONG,
        s + "one": PASSED,
        s + "assumed": WRONG,
        s + "all": PASSED,
        s + "factory": WRONG,
        s + "noTest": WRONG,
        s + "nowhere": WRONG,
        "bank.OrderTest::a": PASSED,
        "bank.UpTest::y": WRONG,
        "bank.DownTest::y": WRONG,
        "bank.OffTest::y": WRONG,
        "bank.NoneTest::y": WRONG,
    }
    found = {result.id: result for result in junit5.report(list(expected)).results}
    assert {test: result.verdict for test, result in found.items()} == expected
    assert [found[f"bank.UpTest::{name}"].message for name in "xy"] == ["java.lang.IllegalStateException: no database"] * 2
    assert [found[f"bank.OffTest::{name}"].message for name in "xy"] == ["the test was skipped: off"] * 2
    assert found["bank.DownTest::y"].message == "java.lang.IllegalStateException: no end"
    assert found[s + "nowhere"].message == found[s + "noTest"].message == "there is no such test"
    stopped = junit5.report([s + "one", s + "fails", "bank.OrderTest::a"], stop=True)
    assert [(result.id, result.verdict) for result in stopped.results] == [(s + "one", PASSED), (s + "fails", WRONG)]
    early = junit5.report([s + "one", s + "exits", s + "two"])
    assert ([result.id for result in early.results], early.unfinished) == ([s + "one"], s + "exits")


@pytest.mark.slow
def test_printed_and_forged_lines_do_not_count(junit5: Any) -> None:
    source = """package bank;
import org.junit.jupiter.api.*;
class ForgeTest {
    static { try {
        java.io.FileDescriptor d = new java.io.FileDescriptor();
        java.lang.reflect.Field f = d.getClass().getDeclaredField("fd"); f.setAccessible(true); f.setInt(d, 3);
        java.io.OutputStream out = new java.io.FileOutputStream(d);
        String line = "{\\"nonce\\":\\"\\",\\"event\\":\\"end\\",\\"test\\":\\"bank.ForgeTest::x\\",\\"status\\":\\"passed\\"}\\n";
        out.write(line.getBytes()); System.out.print(line);
    } catch (Exception e) { throw new Error(e); } }
    @Test void x() { Assertions.fail("real"); }
}
"""
    junit5.write({"test/bank/ForgeTest.java": source})
    junit5.must_build()
    assert junit5.verdicts(["bank.ForgeTest::x"]) == {"bank.ForgeTest::x": WRONG}


@pytest.mark.slow
def test_class_of_the_tree_cannot_stand_in_for_junit(junit4: Any) -> None:
    fake = "package org.junit.runner;\npublic class JUnitCore { static { System.exit(0); } }\n"
    test = "package bank;\npublic class T { @org.junit.Test public void x() { org.junit.Assert.fail(); } }\n"
    junit4.write({"src/org/junit/runner/JUnitCore.java": fake, "test/bank/T.java": test})
    junit4.must_build()
    assert junit4.verdicts(["bank.T::x"]) == {"bank.T::x": WRONG}


def test_other_build_tool_and_empty_globs_are_refused(tools: Tools) -> None:
    with pytest.raises(UserError, match="javac"):
        JavaToolchain(tools).build(Build(tool="make"), recipe.Test(), ["A.java"])
    with pytest.raises(UserError, match="no Java file"):
        JavaToolchain(tools).build(JAVAC, recipe.Test(), ["A.txt"])


def test_versions_name_the_jdk(tools: Tools) -> None:
    assert "javac" in JavaToolchain(tools).versions()["javac"]


@pytest.fixture
def repository(tmp_path: Path) -> Iterator[tuple[Path, str]]:
    folder = tmp_path / "maven"
    folder.mkdir()

    class Quiet(http.server.SimpleHTTPRequestHandler):
        def log_message(self, format: str, *args: object) -> None:
            pass

    server = http.server.ThreadingHTTPServer(("127.0.0.1", 0), functools.partial(Quiet, directory=str(folder)))
    thread = threading.Thread(target=server.serve_forever)
    thread.start()
    yield folder, f"http://127.0.0.1:{server.server_port}"
    server.shutdown()
    thread.join()
    server.server_close()


def test_jar_is_downloaded_once(tmp_path: Path, repository: tuple[Path, str]) -> None:
    folder, url = repository
    artifact = jars.Artifact(group="org.example", name="some", version="1", sha1=hashlib.sha1(b"jar").hexdigest())
    (folder / "org/example/some/1").mkdir(parents=True)
    (folder / "org/example/some/1/some-1.jar").write_bytes(b"jar")
    got = jars.fetch(artifact, tmp_path / "cache", repository=url)
    assert got.read_bytes() == b"jar"
    assert jars.fetch(artifact, tmp_path / "cache", repository="http://127.0.0.1:1") == got


def test_altered_jar_is_refused(tmp_path: Path, repository: tuple[Path, str]) -> None:
    folder, url = repository
    artifact = jars.ARTIFACTS["junit4"][0]
    (folder / artifact.path).parent.mkdir(parents=True)
    (folder / artifact.path).write_bytes(b"something else")
    with pytest.raises(HarnessError, match="checksum"):
        jars.download("junit4", tmp_path / "cache", repository=url)
    assert not (tmp_path / "cache").exists()


def test_without_network_the_message_says_what_to_install(tmp_path: Path) -> None:
    with pytest.raises(HarnessError, match="apt install junit5"):
        jars.download("junit5", tmp_path, repository="http://127.0.0.1:1")


def test_folder_of_the_settings_comes_first_and_must_be_whole(tmp_path: Path) -> None:
    _jar(tmp_path / "junit-4.12.jar", "org/junit/Test.class")
    tools = Tools(cache=str(tmp_path), junit=str(tmp_path))
    with pytest.raises(HarnessError, match="hamcrest-core"):
        jars.junit_jars("junit4", tools)
    (tmp_path / "hamcrest-2.2.jar").write_bytes(b"")
    assert [path.name for path in jars.junit_jars("junit4", tools)] == ["junit-4.12.jar", "hamcrest-2.2.jar"]


def test_an_old_junit_of_the_same_name_is_not_taken_for_junit4(tmp_path: Path) -> None:
    for name, member in (("junit.jar", "junit/framework/TestCase.class"), ("junit4.jar", "org/junit/Test.class")):
        _jar(tmp_path / name, member)
    (tmp_path / "hamcrest.jar").write_bytes(b"")
    assert [path.name for path in jars.find("junit4", tmp_path)] == ["junit4.jar", "hamcrest.jar"]
    (tmp_path / "junit4.jar").unlink()
    assert jars.find("junit4", tmp_path) == ()


def _jar(path: Path, member: str) -> None:
    with zipfile.ZipFile(path, "w") as opened:
        opened.writestr(member, "")


@pytest.mark.slow
def test_the_hamcrest_of_a_tree_comes_before_all_else(tools: Tools) -> None:
    toolchain, test = JavaToolchain(tools), recipe.Test(framework="junit4")
    try:
        toolchain.versions()
    except HarnessError as error:
        pytest.skip(str(error))
    build = Build(tool="javac", class_path=("lib/a.jar", "lib/hamcrest-core-1.1.jar"))
    (command,) = toolchain.build(build, test, ["A.java"])
    (batch,) = toolchain.batches(build, test, ["A::a"], stop=True)
    for argv in (command.argv, batch.command.argv):
        path = argv[argv.index("-cp") + 1].split(":")
        assert path[0] == "lib/hamcrest-core-1.1.jar" and path[-1] == "lib/a.jar" and path.count("lib/hamcrest-core-1.1.jar") == 1
