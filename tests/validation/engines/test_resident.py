"""Candidates that share a compiler and a tree: what is judged so is what a build and processes of their own would say."""

import dataclasses
import itertools
from collections.abc import Iterator
from pathlib import Path

import pytest

from repairlab.benchmarks.catalog import open_benchmark
from repairlab.core.bug import Bug
from repairlab.core.candidate import Candidate, Edit
from repairlab.core.execution import BuildLimits
from repairlab.core.outcome import TestVerdict, Verdict
from repairlab.core.problem import Visibility, shown
from repairlab.languages.language import Warmable, language
from repairlab.repairers.table import repairer
from repairlab.sandbox.sandbox import Sandbox
from repairlab.validation.apply import changed_files
from repairlab.validation.resident import ResidentEngine
from repairlab.validation.validator import BugValidator, Conditions, validate
from tests import builders
from tests.builders import write_files

COUNTER = """\
public class Counter {
    public static final int STEP = 1;
    private static int count;

    public int next() {
        return count += STEP;
    }

    public int twice(int n) {
        return n + n + 1;
    }
}
"""
FIXED = COUNTER.replace("n + n + 1", "n + n")
USER = """\
final class User {
    static int step() {
        return Counter.STEP;
    }

    static long four() {
        return new Counter().twice(2);
    }
}
"""
TEST = """\
import static org.junit.Assert.assertEquals;

import org.junit.Test;

public class CounterTest {
    @Test
    public void twoTimesTwoIsFour() {
        assertEquals(4, User.four());
    }

    @Test
    public void countingStartsAtOne() {
        assertEquals(1, new Counter().next());
    }

    @Test
    public void theStepIsOne() {
        assertEquals(1, User.step());
    }

    @Test
    public void numbersLookEnglish() {
        assertEquals("1.5 I", String.format("%.1f ", 1.5) + "i".toUpperCase());
    }
}
"""
SUM = """\
import java.util.Scanner;

public class Main {
    static int sum = 1;

    public static void main(String[] args) {
        Scanner in = new Scanner(System.in);
        while (in.hasNextInt()) {
            sum += in.nextInt();
        }
        System.out.println(sum);
    }
}
"""
FILES = {
    "benchmark.toml": 'schema = 1\nname = "shared"\nversion = "1.0.0"\nlicence = "MIT"\ndescription = "for tests"\n',
    "bugs/counter/bug.toml": (
        'schema = 1\nlanguage = "java"\npath = "src/Counter.java"\ntarget = "Counter.twice"\n'
        '[build]\ntool = "javac"\nsources = ["src/**/*.java"]\ntests = ["test/**/*.java"]\nrelease = 11\n'
        '[test]\nframework = "junit4"\nfiles = ["test/**"]\ntrigger = ["CounterTest::twoTimesTwoIsFour"]\n'
        'regression = ["CounterTest::countingStartsAtOne", "CounterTest::theStepIsOne", "CounterTest::numbersLookEnglish"]\n'
    ),
    "bugs/counter/issue.md": "# Twice is too much\n\nTwo times two is five.\n",
    "bugs/counter/buggy/src/Counter.java": COUNTER,
    "bugs/counter/buggy/src/User.java": USER,
    "bugs/counter/buggy/test/CounterTest.java": TEST,
    "bugs/counter/fix.patch": (
        "--- a/src/Counter.java\n+++ b/src/Counter.java\n@@ -9,3 +9,3 @@\n     public int twice(int n) {\n"
        "-        return n + n + 1;\n+        return n + n;\n     }\n"
    ),
    "bugs/sum/bug.toml": (
        'schema = 1\nlanguage = "java"\npath = "Main.java"\ntarget = "Main.main"\nsubmission_verdict = "WRONG"\n'
        '[build]\ntool = "javac"\n[test]\nframework = "stdio"\n'
    ),
    "bugs/sum/issue.md": "# Sum is one too large\n\nThe sum of 1 and 2 is printed as 4.\n",
    "bugs/sum/buggy/Main.java": SUM,
    "bugs/sum/fix.patch": (
        "--- a/Main.java\n+++ b/Main.java\n@@ -3,3 +3,3 @@\n public class Main {\n"
        "-    static int sum = 1;\n+    static int sum = 0;\n \n"
    ),
    "bugs/sum/cases/01.in": "1 2\n",
    "bugs/sum/cases/01.out": "3\n",
    "bugs/sum/cases/02.in": "5\n",
    "bugs/sum/cases/02.out": "5\n",
}


@pytest.fixture(scope="module")
def bugs(tmp_path_factory: pytest.TempPathFactory) -> dict[str, Bug]:
    folder = tmp_path_factory.mktemp("shared")
    write_files(folder, FILES)
    return {bug.id: bug for bug in open_benchmark(str(folder))}


def start(bug: Bug, sandbox: Sandbox, folder: Path) -> ResidentEngine:
    toolchain = language("java").toolchain
    assert isinstance(toolchain, Warmable)
    folder.chmod(0o755)
    return ResidentEngine(bug, sandbox, toolchain, folder)


@pytest.fixture(scope="module")
def counter(bugs: dict[str, Bug], sandbox: Sandbox, tmp_path_factory: pytest.TempPathFactory) -> Iterator[ResidentEngine]:
    warm = start(bugs["counter"], sandbox, tmp_path_factory.mktemp("counter"))
    yield warm
    warm.close()


@pytest.fixture(scope="module")
def total(bugs: dict[str, Bug], sandbox: Sandbox, tmp_path_factory: pytest.TempPathFactory) -> Iterator[ResidentEngine]:
    warm = start(bugs["sum"], sandbox, tmp_path_factory.mktemp("sum"))
    yield warm
    warm.close()


def seen(warm: ResidentEngine, text: str, *, path: str = "src/Counter.java") -> Verdict | None:
    """Return the verdict on a new text of a file."""
    found = warm.judge({path: text}, "first-failure")
    return None if found is None else found.verdict


def candidate(bug: Bug, old: str, new: str) -> Candidate:
    edit = Edit(path=bug.problem.path, text=bug.problem.source.replace(old, new))
    return builders.candidate(bug, edit)


def in_twice(statements: str) -> str:
    return FIXED.replace("return n + n;", f"{statements}\n        return n + n;")


def test_a_failure_names_its_test(counter: ResidentEngine) -> None:
    found = counter.judge({"src/Counter.java": COUNTER.replace("+ 1", "+ 2")}, "first-failure")
    assert found is not None
    assert (found.verdict, found.log.stage) == (Verdict.WRONG, "trigger")
    assert found.message == "CounterTest::twoTimesTwoIsFour: java.lang.AssertionError: expected:<4> but was:<6>"
    assert [test.id for test in found.log.tests] == ["CounterTest::twoTimesTwoIsFour"]


def test_a_pass_has_run_every_test(counter: ResidentEngine) -> None:
    found = counter.judge({"src/Counter.java": FIXED}, "first-failure")
    assert found is not None
    assert (found.verdict, found.log.stage, len(found.log.tests)) == (Verdict.PLAUSIBLE, "regression", 4)
    assert found.log.peak_mb > 0


def test_policy_full_runs_every_test(counter: ResidentEngine) -> None:
    found = counter.judge({"src/Counter.java": COUNTER}, "full")
    assert found is not None
    assert [test.verdict for test in found.log.tests] == [TestVerdict.WRONG, *[TestVerdict.PASSED] * 3]


def test_what_runs_again_is_not_compiled_again(bugs: dict[str, Bug], sandbox: Sandbox, tmp_path: Path) -> None:
    warm = start(bugs["counter"], sandbox, tmp_path)
    assert seen(warm, FIXED) is seen(warm, FIXED + "// once more") is Verdict.PLAUSIBLE
    assert warm._compiler is not None
    warm._compiler.close()
    assert seen(warm, FIXED) is seen(warm, FIXED + "// once more") is Verdict.PLAUSIBLE
    assert seen(warm, FIXED + "// and once more") is None
    warm.close()


def test_a_source_too_deep_for_the_compiler_is_left_to_one_of_its_own(counter: ResidentEngine) -> None:
    deep = FIXED.replace("n + n;", f"{'(' * 20000}n + n{')' * 20000};")
    assert counter.judge({"src/Counter.java": deep}, "first-failure") is None
    assert seen(counter, FIXED) is Verdict.PLAUSIBLE


def test_bugs_take_turns_with_one_compiler(counter: ResidentEngine, total: ResidentEngine) -> None:
    for _ in range(2):
        broken = counter.judge({"src/Counter.java": COUNTER.replace("n + n", "n + m")}, "first-failure")
        assert broken is not None
        assert broken.message == "src/Counter.java:10: error: cannot find symbol (variable m)"
        other = total.judge({"Main.java": SUM.replace("sum += in", "sum += on")}, "first-failure")
        assert other is not None
        assert other.message == "Main.java:9: error: cannot find symbol (variable on)"


def test_a_changed_constant_reaches_classes_that_have_it_inlined(counter: ResidentEngine) -> None:
    found = counter.judge({"src/Counter.java": FIXED.replace("count += STEP", "++count").replace("STEP = 1", "STEP = 2")}, "full")
    assert found is not None
    assert found.message == "CounterTest::theStepIsOne: java.lang.AssertionError: expected:<1> but was:<2>"


@pytest.mark.parametrize(
    "text",
    [
        FIXED.replace("int twice(int n)", "long twice(long n)"),
        FIXED.replace("public int twice", "protected int twice"),
        FIXED.replace("public int next", "private static final class Inner {}\n    public int next"),
        FIXED.replace("return n + n;", "return new Object() { int sum() { return n + n; } }.sum();"),
        FIXED.replace("return n + n;", "java.util.function.IntSupplier s = () -> n + n;\n        return s.getAsInt();"),
        FIXED.replace("class Counter", "class Counter implements java.io.Serializable"),
        FIXED + "class Another {}\n",
        FIXED.replace("public int next", "@Deprecated\n    public int next"),
    ],
    ids=["signature", "access", "inner class", "anonymous class", "lambda", "supertype", "second class", "annotation"],
)
def test_changed_declarations_are_compiled_with_their_users(counter: ResidentEngine, text: str) -> None:
    assert seen(counter, text) is Verdict.PLAUSIBLE


def test_files_may_go_and_all_else_is_not_for_it(counter: ResidentEngine) -> None:
    gone = counter.judge({"src/Counter.java": None}, "first-failure")
    assert gone is not None
    assert gone.verdict is Verdict.UNCOMPILABLE
    assert counter.judge({"src/Counter.java": FIXED, "src/New.java": "class New {}"}, "first-failure") is None
    assert counter.judge({"README.md": "no source"}, "first-failure") is None


def test_builds_with_limits_of_their_own_are_not_for_it(bugs: dict[str, Bug], sandbox: Sandbox, tmp_path: Path) -> None:
    bug = bugs["counter"]
    build = dataclasses.replace(bug.oracle.build, limits=BuildLimits(cpu_s=0.3))
    warm = start(dataclasses.replace(bug, oracle=dataclasses.replace(bug.oracle, build=build)), sandbox, tmp_path)
    assert seen(warm, FIXED) is None
    warm.close()


@pytest.mark.parametrize(
    ("old", "new"),
    [
        ("return n + n + 1;", "return n + m;"),
        ("return n + n + 1;", "return n + ;"),
        ("return n + n + 1;", 'return "four";'),
        ("public int twice(int n)", "public int thrice(int n)"),
        ("public int twice(int n)", "public int twice(int n, int m)"),
        ("return n + n + 1;\n    }", "return n + n + 1;"),
        ("n + n + 1", "n + n + 3"),
        ("return n + n + 1;", "throw new IllegalStateException(String.valueOf(n));"),
        ("return n + n + 1;", "System.exit(0);\n        return 4;"),
    ],
)
def test_outcomes_are_those_of_a_process_of_its_own(
    bugs: dict[str, Bug], sandbox: Sandbox, counter: ResidentEngine, old: str, new: str
) -> None:
    fresh = validate(candidate(bugs["counter"], old, new), bugs["counter"], sandbox)
    found = counter.judge({"src/Counter.java": COUNTER.replace(old, new)}, "first-failure")
    assert found is not None
    assert (fresh.verdict is Verdict.CRASH) == ("exit" in new)
    assert (found.verdict, found.log.stage, found.message) == (fresh.verdict, fresh.stage, fresh.message)
    assert found.log.evidence == fresh.evidence
    assert [(test.id, test.verdict, test.message) for test in found.log.tests] == [
        (test.id, test.verdict, test.message) for test in fresh.tests
    ]


OPEN_TWICE = """\
try {
            Class<?> type = Class.forName("java.io.File" + "Descriptor");
            java.lang.reflect.Field number = type.getDeclaredField("fd");
            number.setAccessible(true);
        } catch (ReflectiveOperationException | RuntimeException error) {
            return 4 * n - 4;
        }
        if (n == 2) { return 4; }"""


def test_the_code_under_test_has_no_way_into_packages_that_java_closes(counter: ResidentEngine) -> None:
    assert seen(counter, in_twice(OPEN_TWICE).replace("4 * n - 4", "5")) is Verdict.WRONG


def test_a_recipe_can_open_packages_for_its_tests(bugs: dict[str, Bug], sandbox: Sandbox, tmp_path: Path) -> None:
    bug = bugs["counter"]
    opening = (("JDK_JAVA_OPTIONS", "--add-opens=java.base/java.io=ALL-UNNAMED"),)
    test = dataclasses.replace(bug.oracle.test, env=opening)
    warm = start(dataclasses.replace(bug, oracle=dataclasses.replace(bug.oracle, test=test)), sandbox, tmp_path)
    try:
        assert seen(warm, in_twice(OPEN_TWICE).replace("4 * n - 4", "5")) is Verdict.PLAUSIBLE
    finally:
        warm.close()


POISON = {
    "streams": "System.setOut(null); System.setErr(null); System.setIn(null);",
    "locale": 'java.util.Locale.setDefault(new java.util.Locale("tr", "TR"));',
    "file": 'try { new java.io.File("left").createNewFile(); } catch (java.io.IOException error) { }',
    "thread": "Thread left = new Thread(() -> { while (true) { } }); left.setDaemon(true); left.start();",
    "cache": """\
try {
            java.lang.reflect.Field found = sun.misc.Unsafe.class.getDeclaredField("theUnsafe");
            found.setAccessible(true);
            sun.misc.Unsafe unsafe = (sun.misc.Unsafe) found.get(null);
            for (int i = -128; i < 128; i++) {
                unsafe.putInt(Integer.valueOf(i), unsafe.objectFieldOffset(Integer.class.getDeclaredField("value")), 7);
            }
        } catch (ReflectiveOperationException | RuntimeException error) {
            throw new IllegalStateException(error);
        }""",
    "exit": "System.exit(0);",
    "loop": "while (n > 0) { }",
    "memory": "int[][] all = new int[100000][]; for (int i = 0; i < all.length; i++) { all[i] = new int[1 << 20]; }",
}


@pytest.mark.parametrize(
    "statements",
    [pytest.param(text, id=name, marks=pytest.mark.differential if name == "loop" else ()) for name, text in POISON.items()],
)
@pytest.mark.slow
def test_whatever_a_candidate_does_the_next_one_is_judged_as_ever(counter: ResidentEngine, statements: str) -> None:
    assert seen(counter, in_twice(statements)) is not None
    assert seen(counter, FIXED) is Verdict.PLAUSIBLE


def main(statements: str) -> str:
    return SUM.replace("sum = 1", "sum = 0").replace("System.out.println(sum);", statements)


def test_programs_are_judged_by_their_output_outside(total: ResidentEngine) -> None:
    found = total.judge({"Main.java": SUM.replace("+=", "-=")}, "first-failure")
    assert found is not None
    assert (found.verdict, found.message, found.log.stage) == (Verdict.WRONG, "01: token 1 is '-2', expected '3'", "cases")


IN_ONE_PROCESS = {
    "plain": "System.out.println(sum);",
    "format": 'System.out.printf("%d%n", sum);',
    "bytes": 'byte[] text = (sum + "\\n").getBytes(); System.out.write(text, 0, text.length); System.out.flush();',
    "unflushed": "System.out.write('0' + sum);",
    "crash": "throw new IllegalStateException();",
    "crash below": "fail(sum); } static void fail(int n) { try { n /= 0; } catch (RuntimeException e) { throw new Error(e); }",
    "crash after output": 'System.out.println(sum); System.err.println("here"); System.out.println(1 / (sum - sum));',
    "large stack": 'new Thread(null, () -> System.out.println(sum), "deep", 1 << 28).start();',
    "class path": 'System.out.println(System.getProperty("java.class.path").equals("build/classes") ? sum : 0);',
    "command": 'System.out.println(System.getProperty("sun.java.command").equals("Main") ? sum : 0);',
    "charset": 'System.out.println(java.nio.charset.Charset.defaultCharset().name().equals("UTF-8") ? sum : 0);',
    "letters": 'System.out.println("\\u00e9".equals("é") ? sum : 0); System.out.println("é");',
    "end of input": "System.out.println(System.in.read() < 0 ? sum : 0);",
    "assertions": "assert sum < 0; System.out.println(sum);",
    "strings": 'java.util.Set<String> names = new java.util.HashSet<>(); names.add(args.length + ""); '
    "System.out.println(sum + names.size() - 1);",
}
A_PROCESS_EACH = {
    "exit code": "System.exit(sum);",
    "exit": "System.out.println(sum); System.exit(0);",
    "descriptor": "java.io.FileOutputStream out = new java.io.FileOutputStream(java.io.FileDescriptor.out); out.write('0' + sum);",
    "hook": "Runtime.getRuntime().addShutdownHook(new Thread(() -> System.out.println(sum)));",
    "daemon": "Thread left = new Thread(() -> { while (true) { } }); left.setDaemon(true); left.start(); System.out.println(sum);",
    "property": 'System.out.println(System.getProperty("seen") == null ? sum : 0); System.setProperty("seen", "yes");',
    "file": 'java.io.File file = new java.io.File("/tmp/left"); System.out.println(file.exists() ? 0 : sum); file.mkdir();',
    "file of a writer": 'new java.io.PrintWriter("/tmp/left").close(); System.out.println(sum);',
    "thread number": "System.out.println(Thread.currentThread().getId() == 1 ? sum : 0);",
    "own thread's number": "System.out.println(new Own().getId() < 0 ? 0 : sum); } "
    'static class Own extends Thread { Own() { super(""); }',
    "thread name": 'System.out.println(new Thread(() -> { }).getName().equals("Thread-0") ? sum : 0);',
    "pool name": "java.util.concurrent.ExecutorService all = java.util.concurrent.Executors.newFixedThreadPool(1); "
    'all.submit(() -> System.out.println(Thread.currentThread().getName().equals("pool-1-thread-1") ? sum : 0)); all.shutdown();',
    "order of an enum": "for (Colour c : new java.util.HashSet<>(java.util.List.of(Colour.values()))) { System.out.print(c); } } "
    "enum Colour { RED, GREEN, BLUE, WHITE, BLACK } static {",
    "identity": "System.out.println(new Object().hashCode() % 2 == 0 ? sum : 0);",
    "class loader": "System.out.println(Main.class.getClassLoader() == ClassLoader.getSystemClassLoader() ? sum : 0);",
    "stack trace": "System.out.println(new Throwable().getStackTrace().length == 1 ? sum : 0);",
    "printed trace": "new Throwable().printStackTrace(System.out);",
    "depth": "int n = 0; try { n = depth(1); } catch (StackOverflowError e) { n = 1; } System.out.println(n > 0 ? sum : 0); } "
    "static int depth(int n) { return depth(n + 1) + 1;",
    "finaliser": "new Last(); System.gc(); System.out.println(sum); } static class Last { "
    "protected void finalize() { last = 0; } static int last;",
    "reflection": 'Class.forName("java.util.Locale").getMethod("setDefault", java.util.Locale.class).invoke(null, '
    "java.util.Locale.GERMANY); System.out.println(sum);",
    "parallel": "System.out.println(java.util.List.of(sum).parallelStream().mapToInt(i -> i).sum());",
    "much memory": "int[] much = new int[80 << 20]; System.out.println(sum + much[sum]);",
    "too much memory": "int[] much = new int[200 << 20]; System.out.println(sum + much[sum]);",
    "flood": "while (true) { System.out.println(new String(new char[1 << 16])); }",
}


def check_program(bug: Bug, sandbox: Sandbox, warm: ResidentEngine, statements: str) -> None:
    """Compare a program with what processes of its own say, under both policies."""
    text = main(statements).replace("String[] args)", "String[] args) throws Exception")
    fresh = validate(candidate(bug, SUM, text), bug, sandbox, policy="full")
    found = warm.judge({"Main.java": text}, "full")
    assert found is not None
    assert found.log.stage == fresh.stage == "cases"
    assert (found.verdict, found.message, found.log.evidence) == (fresh.verdict, fresh.message, fresh.evidence)
    assert [(test.verdict, test.message) for test in found.log.tests] == [(test.verdict, test.message) for test in fresh.tests]
    assert seen(warm, text, path="Main.java") is fresh.verdict


def some(programs: dict[str, str], one_in: int) -> list[object]:
    """Return all programs; `make test-differential` runs those that the ordinary tests do not."""
    return [
        pytest.param(text, id=name, marks=() if number % one_in == 0 else pytest.mark.differential)
        for number, (name, text) in enumerate(programs.items())
    ]


@pytest.mark.parametrize("statements", some(IN_ONE_PROCESS, 2))
def test_cases_in_one_process_find_what_they_would_find_in_their_own(
    bugs: dict[str, Bug], sandbox: Sandbox, total: ResidentEngine, statements: str
) -> None:
    together = total.n_together
    check_program(bugs["sum"], sandbox, total, statements)
    assert total.n_together == together + 4


@pytest.mark.slow
@pytest.mark.parametrize("statements", some(A_PROCESS_EACH, 3))
def test_programs_that_need_a_process_for_each_case_get_one(
    bugs: dict[str, Bug], sandbox: Sandbox, total: ResidentEngine, statements: str
) -> None:
    together = total.n_together
    check_program(bugs["sum"], sandbox, total, statements)
    assert total.n_together == together
    assert seen(total, main("System.out.println(sum);"), path="Main.java") is Verdict.PLAUSIBLE


def test_a_validator_is_warm_from_the_first_candidate(bugs: dict[str, Bug], sandbox: Sandbox) -> None:
    bug = bugs["sum"]
    with BugValidator(Conditions(bug=bug), sandbox) as validator:
        assert validator.validate(candidate(bug, "sum = 1", "sum = 2")).verdict is Verdict.WRONG
        assert validator.validate(candidate(bug, "sum = 1", "sum = 3")).verdict is Verdict.WRONG
        resident = validator._guard().engines.resident
        assert resident is not None
        assert resident.n_judged == 2
        assert validator.validate(candidate(bug, "sum = 1", "sum = 0")).verdict is Verdict.PLAUSIBLE
        stray = dataclasses.replace(candidate(bug, "sum = 1", "sum = 0"), bug_id="another")
        assert validator.validate(stray).verdict is Verdict.UNAPPLICABLE


STARTER_JAVA = [
    pytest.param(bug.id, marks=pytest.mark.differential) for bug in open_benchmark("starter") if bug.problem.language == "java"
]


@pytest.mark.slow
@pytest.mark.parametrize("bug_id", STARTER_JAVA)
def test_what_is_judged_on_starter_is_what_a_process_of_its_own_says(bug_id: str, sandbox: Sandbox, tmp_path: Path) -> None:
    bug = open_benchmark("starter").bug(bug_id)
    proposed = repairer("templates").propose(shown(bug.problem, Visibility()), ())
    warm = start(bug, sandbox, tmp_path)
    try:
        reference = builders.reference(bug, repairer="reference")
        for tried in (reference, *itertools.islice(proposed, 4)):
            found = warm.judge(changed_files(tried, bug), "first-failure")
            if found is not None:  # else the validator asks the other one anyway
                fresh = validate(tried, bug, sandbox)
                assert (found.verdict, found.log.stage, found.message[:500]) == (fresh.verdict, fresh.stage, fresh.message)
                assert [(test.id, test.verdict) for test in found.log.tests] == [(test.id, test.verdict) for test in fresh.tests]
        assert warm.n_judged > 0
    finally:
        warm.close()
