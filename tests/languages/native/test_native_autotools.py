"""Trees with a configure script, and programs that run many tests at once and print a line for each."""

import shutil
import subprocess
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from repairlab.core import recipe
from repairlab.core.errors import UserError
from repairlab.core.execution import Ending, Execution
from repairlab.core.outcome import TestVerdict
from repairlab.core.recipe import Build
from repairlab.languages.language import Lister, Tools
from repairlab.languages.native.toolchain import NativeToolchain

Make = Callable[..., Any]
PASSED, WRONG = TestVerdict.PASSED, TestVerdict.WRONG

CONFIGURE = """#!/bin/sh
echo "configured with $* by $CC" >>configured.txt
echo "ac_pwd='$PWD'" >config.status
sed "s/@CFLAGS@/$CFLAGS/" Makefile.in >Makefile
"""
MAKEFILE = """CFLAGS = @CFLAGS@
all: sum
sum: sum.o
\tgcc $(CFLAGS) -o sum sum.o
sum.o: sum.c
\tgcc $(CFLAGS) -c sum.c
check:
\t@for t in $(TESTS); do if sh ./$$t; then echo "PASS: $$t"; else echo "FAIL: $$t"; bad=1; fi; \\
\t  echo ":test-result: `if sh ./$$t; then echo PASS; else echo FAIL; fi`" >$$t.trs; done; test -z "$$bad"
"""
SUM = (
    '#include <stdio.h>\n#include <stdlib.h>\nint main(int n, char **v) {{ (void)n; printf("%d\\n", atoi(v[1]) {} atoi(v[2])); }}\n'
)
RUNNER = """#!/bin/sh
[ "$1" = --list ] && printf '%s\\n' two three other && exit
bad=0
for name; do
    case $name in
        two) [ "$(./sum 1 1)" = 2 ] && echo "two: passed" || { echo "two: failed"; bad=1; } ;;
        three) [ "$(./sum 1 2)" = 3 ] && echo "three ... ok" || { echo "three ... FAILED: not three"; bad=1; } ;;
        *) echo "$name: failed, no such test"; bad=1 ;;
    esac
done
exit $bad
"""


@pytest.fixture
def summing(project: Make, tools: Tools) -> Any:
    build = Build(tool="autotools", flags=("--enable-sums", "--with-words=a b"))
    made = project(NativeToolchain(tools, "c"), build, recipe.Test(framework="lines", program="run.sh"))
    made.write({"configure": CONFIGURE, "Makefile.in": MAKEFILE, "sum.c": SUM.format("+"), "run.sh": RUNNER})
    (made.root / "run.sh").chmod(0o755)
    return made


def test_a_tree_is_configured_once_and_made_as_often_as_it_changes(summing: Any) -> None:
    summing.must_build()
    assert (summing.root / "configured.txt").read_text() == "configured with --enable-sums --with-words=a b by gcc\n"
    assert "-fsigned-char" in (summing.root / "Makefile").read_text()
    assert summing.verdicts(["two", "three"]) == {"two": PASSED, "three": PASSED}
    summing.write({"sum.c": SUM.format("-")})
    summing.must_build()
    assert summing.verdicts(["two", "three"]) == {"two": WRONG, "three": WRONG}
    assert len((summing.root / "configured.txt").read_text().splitlines()) == 1


def test_a_tree_that_was_configured_elsewhere_is_configured_again(summing: Any) -> None:
    summing.write({"config.status": "ac_pwd='/elsewhere'\n", "Makefile": "all:\n\tfalse\n"})
    summing.must_build()
    assert summing.verdicts(["two"]) == {"two": PASSED}


def test_what_does_not_compile_or_configure_does_not_build(summing: Any) -> None:
    summing.write({"sum.c": "int main(void) { return x; }\n"})
    assert summing.build() is not None
    summing.write({"configure": "#!/bin/sh\nexit 1\n", "config.status": ""})
    assert summing.build() is not None


def test_a_missing_configure_is_made_by_the_tree_itself(summing: Any) -> None:
    (summing.root / "configure").rename(summing.root / "later")
    summing.write({"autogen.sh": 'test "$NOCONFIGURE" && cp later configure\n'})
    summing.must_build()
    assert summing.verdicts(["three"]) == {"three": PASSED}


@pytest.mark.slow
@pytest.mark.skipif(not shutil.which("automake"), reason="autoconf and automake are not installed")
def test_a_missing_configure_is_made_by_autoreconf(project: Make, tools: Tools) -> None:
    test = recipe.Test(framework="automake", files=("tests/**",))
    made = project(NativeToolchain(tools, "c"), Build(tool="autotools"), test)
    made.write(
        {
            "configure.ac": "AC_INIT([x], [1])\nAM_INIT_AUTOMAKE([foreign])\nAC_PROG_CC\nAC_CONFIG_FILES([Makefile])\nAC_OUTPUT\n",
            "Makefile.am": "bin_PROGRAMS = sum\nsum_SOURCES = sum.c\nTESTS = tests/two.sh tests/one.sh\n",
            "sum.c": SUM.format("-"),
            "tests/two.sh": '#!/bin/sh\n[ "$(./sum 1 1)" = 2 ]\n',
            "tests/one.sh": '#!/bin/sh\n[ "$(./sum 1 0)" = 1 ]\n',
        }
    )
    for name in ("one", "two"):
        (made.root / f"tests/{name}.sh").chmod(0o755)
    made.must_build()
    assert made.verdicts(["tests/two.sh", "tests/one.sh"]) == {"tests/two.sh": WRONG, "tests/one.sh": PASSED}
    made.write({"sum.c": SUM.format("+")})
    made.must_build()
    assert made.verdicts(["tests/two.sh", "tests/one.sh"]) == {"tests/two.sh": PASSED, "tests/one.sh": PASSED}
    assert listed(made, "*") == ("tests/two.sh", "tests/one.sh")
    assert listed(made, "*/one*") == ("tests/one.sh",)


def test_the_same_tests_share_a_process_under_either_policy(summing: Any) -> None:
    summing.must_build()
    names = ["two", "three", "four", "five", "six", "seven"]
    assert [len(report.results) for report in summing.reports(names)] == [1, 4, 1]
    assert [len(report.results) for report in summing.reports(names, stop=True)] == [1, 4, 1]
    (report,) = summing.reports(["four"])
    assert report.results[0].message == ", no such test"


def listed(made: Any, pattern: str) -> tuple[str, ...]:
    toolchain = made.toolchain
    assert isinstance(toolchain, Lister)
    batch = toolchain.listing(made.recipe, made.test_recipe, (pattern,))
    done = subprocess.run(batch.command.argv, cwd=made.root, capture_output=True, check=True)
    said = Execution(
        ending=Ending.EXITED,
        exit_code=0,
        signal=None,
        stdout=done.stdout,
        stderr=b"",
        report=b"",
        cpu_s=0.0,
        wall_s=0.0,
        peak_mb=0.0,
    )
    return toolchain.listed(batch, said).tests


def test_tests_are_listed_by_pattern(summing: Any) -> None:
    assert listed(summing, "t*") == ("two", "three")
    with pytest.raises(UserError, match="cannot be listed"):
        summing.toolchain.listing(summing.recipe, recipe.Test(framework="lit", program="x"), ("*",))


def test_automake_says_in_a_file_what_came_of_a_test(summing: Any) -> None:
    summing.test_recipe = recipe.Test(framework="automake")
    summing.write({"good.sh": 'test "$(./sum 2 2)" = 4\n', "bad.sh": "false\n"})
    summing.must_build()
    assert summing.verdicts(["good.sh", "bad.sh"]) == {"good.sh": PASSED, "bad.sh": WRONG}
    (report,) = summing.reports(["none.sh"])
    assert not any(result.verdict is PASSED for result in report.results)


CMOCKA_TEST = """#include <stdarg.h>
#include <stddef.h>
#include <setjmp.h>
#include <stdint.h>
#include <cmocka.h>
static void good(void **state) { (void)state; assert_int_equal(1, 1); }
static void bad(void **state) { (void)state; assert_int_equal(1, 2); }
static void left(void **state) { (void)state; skip(); }
int main(void) {
    const struct CMUnitTest tests[] = {cmocka_unit_test(good), cmocka_unit_test(bad), cmocka_unit_test(left)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
"""


@pytest.mark.skipif(not Path("/usr/include/cmocka.h").exists(), reason="cmocka is not installed (libcmocka-dev)")
def test_a_cmocka_program_tells_of_all_its_tests(project: Make, tools: Tools) -> None:
    build = Build(tool="compile", sources=("*.c",), libraries=("-lcmocka",))
    made = project(NativeToolchain(tools, "c"), build, recipe.Test(framework="cmocka"))
    made.write({"tests.c": CMOCKA_TEST})
    made.must_build()
    assert made.verdicts(["good", "bad", "left", "none"]) == {"good": PASSED, "bad": WRONG, "left": WRONG, "none": WRONG}


CUNIT_TEST = """#include <stdio.h>
#include <CUnit/Basic.h>
static int broken(void) { return 1; }
static void good(void) { CU_ASSERT(1); }
static void bad(void) { CU_ASSERT_EQUAL(1, 2); CU_ASSERT(0); }
static void loud(void) { puts("it passed, or not"); printf("no end of line"); CU_ASSERT(1); }
int main(void) {
    CU_initialize_registry();
    CU_pSuite suite = CU_add_suite("suite", NULL, NULL);
    CU_add_test(suite, "is good()", good);
    CU_add_test(suite, "bad", bad);
    CU_add_test(suite, "loud", loud);
    CU_set_test_active(CU_add_test(suite, "left out", good), CU_FALSE);
    CU_add_test(CU_add_suite("unset", broken, NULL), "never", good);
    CU_basic_set_mode(CU_BRM_VERBOSE);
    CU_basic_run_tests();
    CU_cleanup_registry();
    return 0;
}
"""


@pytest.mark.skipif(not Path("/usr/include/CUnit/Basic.h").exists(), reason="CUnit is not installed (libcunit1-dev)")
def test_a_cunit_program_tells_of_all_its_tests(project: Make, tools: Tools) -> None:
    build = Build(tool="compile", sources=("*.c",), libraries=("-lcunit",))
    made = project(NativeToolchain(tools, "c"), build, recipe.Test(framework="cunit"))
    made.write({"tests.c": CUNIT_TEST})
    made.must_build()
    verdicts = {"is good()": PASSED, "bad": WRONG, "loud": PASSED, "left out": WRONG, "never": WRONG}
    assert made.verdicts(list(verdicts)) == verdicts
