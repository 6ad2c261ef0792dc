"""C and C++ programs and their test frameworks through real compilers."""

from collections.abc import Callable
from typing import Any

import pytest

from repairlab.core import recipe
from repairlab.core.errors import UserError
from repairlab.core.outcome import TestVerdict, Verdict
from repairlab.core.recipe import Build
from repairlab.languages.facts import facts
from repairlab.languages.language import Tools
from repairlab.languages.native.toolchain import NativeToolchain
from repairlab.languages.reports import first_error

Make = Callable[..., Any]
PASSED, WRONG = TestVerdict.PASSED, TestVerdict.WRONG

MAIN_C = """#include <stdio.h>
#include "rules.h"
int main(void) { int x; if (scanf("%d", &x) != 1) return 1; printf("%d\\n", twice(x)); return 0; }
"""
RULES = {"src/rules.h": "int twice(int x);\n", "src/my rules.c": '#include "rules.h"\nint twice(int x) { return 2 * x; }\n'}


@pytest.fixture
def c(project: Make, tools: Tools) -> Any:
    build = Build(tool="compile", sources=("**/*.c", "**/*.h"), include=("src",), libraries=("-lm",))
    return project(NativeToolchain(tools, "c"), build, recipe.Test())


def test_program_of_several_files_is_built_and_only_changes_again(c: Any) -> None:
    c.write({"main.c": MAIN_C, **RULES})
    c.must_build()
    assert c.program(b"21\n").stdout == b"42\n"
    untouched = c.root / "build/objects/main.c.o"
    before = untouched.stat().st_mtime_ns
    c.write({"src/my rules.c": '#include "rules.h"\nint twice(int x) { return 3 * x; }\n'})
    c.must_build()
    assert c.program(b"21\n").stdout == b"63\n"
    assert untouched.stat().st_mtime_ns == before


def test_changed_header_compiles_all_that_include_it(c: Any) -> None:
    c.write({"main.c": '#include <stdio.h>\n#include "n.h"\nint main(void) { printf("%d", N); }\n', "n.h": "#define N 1\n"})
    c.must_build()
    c.write({"n.h": "#define N 2\n"})
    c.must_build()
    assert c.program().stdout == b"2"


@pytest.mark.parametrize(
    ("source", "message"),
    [
        ("int main(void) { return x; }\n", "main.c:1:25: error: 'x' undeclared (first use in this function)"),
        ("#include <nowhere.h>\n", "main.c:1:10: fatal error: nowhere.h: No such file or directory"),
        ("int f(void); int main(void) { return f(); }\n", "undefined reference to 'f'"),
    ],
)
def test_compile_error_is_told_in_one_line(c: Any, source: str, message: str) -> None:
    c.write({"main.c": source})
    failed = c.build()
    assert failed is not None
    told = first_error(failed.stdout + failed.stderr, facts("c").error_line).replace("‘", "'").replace("’", "'").replace("`", "'")
    assert message in told
    assert str(c.root) not in told


def test_bad_alloc_is_out_of_memory(project: Make, tools: Tools) -> None:
    made = project(NativeToolchain(tools, "cpp"), Build(tool="compile", sources=("*.cpp",)), recipe.Test())
    made.write({"main.cpp": "#include <new>\nint main() { throw std::bad_alloc(); }\n"})
    made.must_build()
    assert made.toolchain.out_of_memory(made.program())
    made.write({"main.cpp": "int main() { throw 1; }\n"})
    made.must_build()
    assert not made.toolchain.out_of_memory(made.program())


@pytest.mark.parametrize(
    "body",
    [
        'int *p = malloc(8); p[argc + 1] = 1; printf("%d\\n", p[argc + 1]); free(p);',
        'int x = 2147483647; printf("%d\\n", x + argc);',
    ],
)
def test_sanitizers_turn_silent_errors_into_signals(project: Make, tools: Tools, body: str) -> None:
    build = Build(tool="compile", sources=("*.c",), sanitize=True)
    made = project(NativeToolchain(tools, "c"), build, recipe.Test())
    made.write(
        {"main.c": f"#include <stdio.h>\n#include <stdlib.h>\nint main(int argc, char **argv) {{ (void)argv; {body} return 0; }}\n"}
    )
    made.must_build()
    done = made.program()
    assert done.signal == 6, done.stderr
    assert not made.toolchain.program(made.recipe, made.test_recipe).address_space


def test_sanitized_program_without_errors_succeeds(project: Make, tools: Tools) -> None:
    made = project(NativeToolchain(tools, "c"), Build(tool="compile", sources=("*.c",), sanitize=True), recipe.Test())
    made.write({"main.c": "#include <stdlib.h>\nint main(void) { return malloc(8) == 0; }\n"})
    made.must_build()
    assert made.program().succeeded


TAP = """#define _POSIX_C_SOURCE 200809L
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
int main(int argc, char **argv) {
    const char *name = argc > 1 ? argv[1] : "";
    FILE *out = fdopen(3, "w");
    if (!strcmp(name, "pass")) { fprintf(out, "ok pass\\n"); return fclose(out); }
    if (!strcmp(name, "numbered")) { fprintf(out, "1..1\\nok 1 - numbered\\n"); return fclose(out); }
    if (!strcmp(name, "fail")) { fprintf(out, "not ok fail 1 != 2\\n"); fclose(out); return 1; }
    if (!strcmp(name, "both")) { fprintf(out, "ok both\\nnot ok both\\n"); return fclose(out); }
    if (!strcmp(name, "skip")) { fprintf(out, "ok skip # SKIP no file\\n"); return fclose(out); }
    if (!strcmp(name, "stdout")) { puts("ok stdout"); return 0; }
    if (!strcmp(name, "exits")) { fprintf(out, "ok exits\\n"); fclose(out); return 3; }
    if (!strcmp(name, "aborts")) abort();
    if (!strcmp(name, "silent")) return 0;
    if (!strcmp(name, "loops")) for (;;) { }
    return 2;
}
"""


@pytest.fixture
def tap(project: Make, tools: Tools) -> Any:
    made = project(NativeToolchain(tools, "c"), Build(tool="compile", tests=("t/*.c",)), recipe.Test(framework="tap"))
    made.write({"t/tests.c": TAP})
    made.must_build()
    return made


def test_tap_lines_have_their_verdicts(tap: Any) -> None:
    expected = {"pass": PASSED, "numbered": PASSED, "fail": WRONG, "both": WRONG, "skip": WRONG, "stdout": PASSED, "silent": WRONG}
    assert tap.verdicts(list(expected)) == expected
    assert tap.report(["fail"]).results[0].message == "1 != 2"
    for name in ("exits", "aborts", "nowhere", "loops"):
        assert tap.report([name], timeout_s=2).unfinished == name


GTEST = """#include <gtest/gtest.h>
#include <cstdio>
#include <cstdlib>
#include <new>
extern "C" { #include "rules.h"
}
TEST(Rules, Pass) { EXPECT_EQ(twice(2), 4); }
TEST(Rules, Fail) { EXPECT_EQ(twice(2), 5); }
TEST(Rules, Skip) { GTEST_SKIP(); }
TEST(Rules, DISABLED_Off) { }
TEST(Rules, Throws) { throw 1; }
TEST(Rules, NoMemory) { throw std::bad_alloc(); }
TEST(Rules, Exits) { std::exit(0); }
TEST(Rules, Crashes) { std::abort(); }
TEST(Rules, Loops) { for (volatile int x = 0;; x = x + 1) { } }
TEST(Rules, Prints) { std::puts("[       OK ] Rules.Prints"); FAIL(); }
class Many : public testing::TestWithParam<int> {};
TEST_P(Many, Each) { EXPECT_NE(GetParam(), 2); }
INSTANTIATE_TEST_SUITE_P(Some, Many, testing::Values(1, 2));
""".replace("{ #include", "{\n#include")


@pytest.mark.slow
def test_gtest_results_have_their_verdicts(project: Make, tools: Tools) -> None:
    build = Build(
        tool="compile",
        sources=("src/*.c",),
        tests=("t/*.cc",),
        include=("src",),
        libraries=("-lgtest", "-lgtest_main", "-lpthread"),
    )
    made = project(NativeToolchain(tools, "c"), build, recipe.Test(framework="gtest"))
    made.write({**RULES, "t/tests.cc": GTEST})
    made.must_build()
    expected = {
        "Rules.Pass": PASSED,
        "Rules.Fail": WRONG,
        "Rules.Skip": WRONG,
        "Rules.DISABLED_Off": WRONG,
        "Rules.Throws": WRONG,
        "Rules.NoMemory": Verdict.OUT_OF_MEMORY,
        "Rules.Prints": WRONG,
        "Rules.Nowhere": WRONG,
        "Rules.*": WRONG,
        "Some/Many.Each/0": PASSED,
        "Some/Many.Each/1": WRONG,
    }
    assert made.verdicts(list(expected)) == expected
    assert "Expected equality" in made.report(["Rules.Fail"]).results[0].message
    assert made.report(["Rules.Nowhere"]).results[0].message == "there is no such test"
    for name in ("Rules.Exits", "Rules.Crashes", "Rules.Loops"):
        assert made.report([name], timeout_s=2).unfinished == name


CATCH2 = """#define CATCH_CONFIG_MAIN
#include <catch2/catch.hpp>
#include <cstdlib>
#include <new>
#include "rules.hpp"
TEST_CASE("doubles a number") { REQUIRE(twice(2) == 4); }
TEST_CASE("doubles a number twice") { REQUIRE(twice(2) == 5); }
TEST_CASE("a, b [c] * \\\\ \\"d\\" ~e") { REQUIRE(true); }
TEST_CASE("-starts with dash") { REQUIRE(true); }
TEST_CASE("<xml> & more") { CHECK(1 == 2); CHECK(3 == 4); }
TEST_CASE("throws") { throw 1; }
TEST_CASE("no memory") { throw std::bad_alloc(); }
TEST_CASE("exits") { std::exit(0); }
TEST_CASE("aborts") { std::abort(); }
TEST_CASE("sections") { SECTION("one") { REQUIRE(true); } SECTION("two") { REQUIRE(false); } }
"""


@pytest.mark.slow
def test_catch2_results_have_their_verdicts(project: Make, tools: Tools) -> None:
    build = Build(tool="compile", sources=("src/*.cpp",), tests=("t/*.cpp",), include=("src",))
    made = project(NativeToolchain(tools, "cpp"), build, recipe.Test(framework="catch2"))
    made.write(
        {
            "src/rules.hpp": "int twice(int x);\n",
            "src/rules.cpp": '#include "rules.hpp"\nint twice(int x) { return 2 * x; }\n',
            "t/tests.cpp": CATCH2,
        }
    )
    made.must_build()
    expected = {
        "doubles a number": PASSED,
        "doubles a number twice": WRONG,
        'a, b [c] * \\ "d" ~e': PASSED,
        "-starts with dash": PASSED,
        "<xml> & more": WRONG,
        "throws": WRONG,
        "no memory": Verdict.OUT_OF_MEMORY,
        "sections": WRONG,
        "nowhere": WRONG,
        "doubles*": WRONG,
    }
    assert made.verdicts(list(expected)) == expected
    assert made.report(["<xml> & more"]).results[0].message == "CHECK(1 == 2) with 1 == 2"
    assert made.report(["exits"]).unfinished == "exits"
    # Catch2 handles the signal and ends its report first, so the test is a failure that names it.
    aborted = made.report(["aborts"])
    assert aborted.results == () or "SIGABRT" in aborted.results[0].message


CMAKE = """cmake_minimum_required(VERSION 3.19)
project(demo C)
enable_testing()
add_executable(prog main.c)
add_test(NAME pass COMMAND prog 0)
add_test(NAME pass.more COMMAND prog 1)
add_test(NAME fail COMMAND prog 1)
add_test(NAME crash COMMAND prog 2)
add_test(NAME skip COMMAND prog 77)
set_tests_properties(skip PROPERTIES SKIP_RETURN_CODE 77)
add_test(NAME off COMMAND prog 0)
set_tests_properties(off PROPERTIES DISABLED TRUE)
add_test(NAME gone COMMAND not_there)
add_test(NAME "odd (name)+" COMMAND prog 0)
"""
PROG = """#include <stdlib.h>
#include <unistd.h>
int main(int argc, char **argv) {
    int code = argc > 1 ? atoi(argv[1]) : 0;
    if (write(3, "<testsuite><testcase name='fail' status='run'/></testsuite>", 58) < 0) return 9;
    if (code == 2) abort();
    return code;
}
"""


@pytest.mark.slow
def test_ctest_results_have_their_verdicts(project: Make, tools: Tools) -> None:
    made = project(NativeToolchain(tools, "c"), Build(tool="cmake"), recipe.Test(framework="ctest"))
    made.write({"CMakeLists.txt": CMAKE, "main.c": PROG})
    made.must_build()
    expected = {
        "pass": PASSED,
        "pass.more": WRONG,
        "fail": WRONG,
        "crash": WRONG,
        "skip": WRONG,
        "off": WRONG,
        "gone": WRONG,
        "odd (name)+": PASSED,
        "pas.": WRONG,
        "nowhere": WRONG,
    }
    assert made.verdicts(list(expected)) == expected


@pytest.mark.slow
def test_cmake_builds_sanitized_again_and_elsewhere(project: Make, tools: Tools) -> None:
    made = project(
        NativeToolchain(tools, "c"), Build(tool="cmake", sanitize=True, targets=("prog",)), recipe.Test(program="build/prog")
    )
    made.write(
        {
            "CMakeLists.txt": "cmake_minimum_required(VERSION 3.13)\nproject(demo C)\nadd_executable(prog main.c)\n",
            "main.c": "int main(int argc, char **argv) { int a[2] = {0}; (void)argv; return a[argc + 1]; }\n",
        }
    )
    made.must_build()
    assert made.program().signal == 6
    moved = made.root.with_name("moved")
    made.root.rename(moved)
    made.root = moved
    made.write({"main.c": "int main(void) { return 0; }\n"})
    made.must_build()
    assert made.program().succeeded
    made.write({"main.c": "int main(void) { return x; }\n"})
    failed = made.build()
    assert "undeclared" in first_error(failed.stderr, facts("c").error_line)


@pytest.mark.parametrize("sanitize", [False, True])
def test_make_builds_its_targets(project: Make, tools: Tools, sanitize: bool) -> None:
    build = Build(tool="make", flags=("EXTRA=-DN=5",), targets=("prog",), sanitize=sanitize)
    made = project(NativeToolchain(tools, "c"), build, recipe.Test(program="prog"))
    made.write(
        {
            "Makefile": "CFLAGS = -O0\nall:\n\tfalse\nprog: main.c\n\t$(CC) $(CFLAGS) $(EXTRA) -o $@ $<\n",
            "main.c": "int main(int argc, char **argv) { int a[4] = {0}; (void)argv; return a[3 + argc] == N; }\n",
        }
    )
    made.must_build()
    done = made.program()
    assert (done.signal == 6) if sanitize else (done.signal is None)


@pytest.mark.parametrize("sanitize", [False, True])
@pytest.mark.parametrize("tool", ["compile", "make", "cmake"])
def test_the_errors_of_a_file_are_bounded(project: Make, tools: Tools, tool: Any, sanitize: bool) -> None:
    build = Build(tool=tool, sources=("*.c",) if tool == "compile" else (), sanitize=sanitize)
    made = project(NativeToolchain(tools, "c"), build, recipe.Test(program="" if tool == "compile" else "prog"))
    made.write(
        {
            "Makefile": "CFLAGS = -O0\nprog: main.c\n\t$(CC) $(CFLAGS) -o $@ $<\n",
            "CMakeLists.txt": "cmake_minimum_required(VERSION 3.13)\nproject(demo C)\nadd_executable(prog main.c)\n",
            "main.c": "int main(void) {\n" + "".join(f"    x{number}();;y{number} = 1;\n" for number in range(1000)) + "}\n",
        }
    )
    failed = made.build()
    assert failed.exit_code
    assert 0 < (failed.stdout + failed.stderr).count(b"error: ") <= 21
    told = first_error(failed.stdout + failed.stderr, facts("c").error_line)  # which of the two is an error depends on the compiler
    assert told.startswith("main.c:2:") and "error: " in told


def test_wrong_recipes_are_refused(tools: Tools) -> None:
    toolchain = NativeToolchain(tools, "c")
    with pytest.raises(UserError, match="compile, make, cmake"):
        toolchain.build(Build(), recipe.Test(), ["a.c"])
    with pytest.raises(UserError, match="no C or C\\+\\+ file"):
        toolchain.build(Build(tool="compile", sources=("*.c",)), recipe.Test(), ["a.h"])
    with pytest.raises(UserError, match=r"test\.program"):
        toolchain.program(Build(tool="make"), recipe.Test())
    with pytest.raises(UserError, match="gtest"):
        toolchain.batches(Build(tool="compile"), recipe.Test(framework="pytest"), ["x"], stop=False)


def test_versions_name_compiler_and_ninja(tools: Tools) -> None:
    assert {"gcc", "ninja"} <= set(NativeToolchain(tools, "c").versions())
    assert {"g++", "ninja"} <= set(NativeToolchain(tools, "cpp").versions())
