"""Tests of CMake projects run one by one, directly where that is the same as through ctest."""

import os
import re
import subprocess
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from repairlab.core import recipe
from repairlab.core.recipe import Build
from repairlab.languages.language import Tools
from repairlab.languages.native import ctest
from repairlab.languages.native.toolchain import NativeToolchain
from tests.languages.conftest import execute

CMAKE = """cmake_minimum_required(VERSION 3.19)
project(demo C)
enable_testing()
add_executable(prog main.c)
foreach(name pass fail crash silent)
    add_test(NAME ${name} COMMAND prog ${name})
endforeach()
add_test(NAME spaces COMMAND prog "a b" "" pass)
add_test(NAME quotes COMMAND prog "it's \\"$HOME\\" ; \\\\" pass)
add_test(NAME here COMMAND prog folder build)
add_test(NAME there COMMAND prog folder inner WORKING_DIRECTORY ${CMAKE_CURRENT_SOURCE_DIR}/inner)
add_test(NAME turned COMMAND prog fail)
set_tests_properties(turned PROPERTIES WILL_FAIL TRUE)
add_test(NAME says COMMAND prog fail)
set_tests_properties(says PROPERTIES PASS_REGULAR_EXPRESSION "words")
add_test(NAME unsaid COMMAND prog pass)
set_tests_properties(unsaid PROPERTIES FAIL_REGULAR_EXPRESSION "words")
add_test(NAME setting COMMAND prog environment)
set_tests_properties(setting PROPERTIES ENVIRONMENT "SETTING=1")
add_test(NAME unset COMMAND prog environment)
add_test(NAME system COMMAND true)
add_subdirectory(inner)
"""
INNER = """add_test(NAME below COMMAND prog folder inner)
add_test(NAME fixture COMMAND prog pass)
set_tests_properties(fixture PROPERTIES FIXTURES_REQUIRED base)
add_test(NAME base COMMAND prog fail)
set_tests_properties(base PROPERTIES FIXTURES_SETUP base)
"""
PROG = """#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>
int main(int argc, char **argv) {
    char folder[4096];
    const char *last = argv[argc - 1];
    puts("words");
    if (!strcmp(argv[1], "folder")) return !getcwd(folder, sizeof folder) || strcmp(strrchr(folder, '/') + 1, last);
    if (!strcmp(last, "environment")) return getenv("SETTING") == NULL;
    if (!strcmp(last, "crash")) abort();
    return strcmp(last, "pass") && strcmp(last, "silent");
}
"""
DIRECT = {"pass", "fail", "crash", "silent", "spaces", "here", "there", "unset", "below"}


@pytest.mark.slow
def test_each_test_passes_when_ctest_says_so(project: Callable[..., Any], tools: Tools) -> None:
    made = project(NativeToolchain(tools, "c"), Build(tool="cmake"), recipe.Test(framework="ctest"))
    made.write({"CMakeLists.txt": CMAKE, "main.c": PROG, "inner/CMakeLists.txt": INNER})
    made.must_build()
    listed = subprocess.run(["ctest", "--test-dir", "build", "-N"], cwd=made.root, capture_output=True, text=True, check=True)
    names = re.findall(r"Test +#\d+: (\w+)", listed.stdout)
    assert len(names) == 17
    for name in names:
        argv = ["ctest", "--test-dir", "build", "-R", f"^{name}$"]
        passes = subprocess.run(argv, cwd=made.root, capture_output=True, check=False).returncode == 0
        (batch,) = made.toolchain.batches(made.recipe, made.test_recipe, [name], stop=True)
        done = execute(batch.command, made.root, 60)
        assert (done.report == b"<direct/>\n") == (name in DIRECT), name
        (result,) = made.toolchain.report(made.test_recipe, batch, done).results
        assert result.passed == passes, (name, result.message)
    assert made.report(["fail"]).results[0].message == "exit code 1: words"
    assert made.report(["crash"]).results[0].message.startswith("signal 6")
    assert made.report(["nowhere"]).results[0].message == "there is no such test"


@pytest.mark.parametrize("spelled", ["a.b", "[=[a.b]=]", '"a.b"', "[=[100%/a]=]", "a/../b"])
def test_names_are_read_as_each_version_of_cmake_writes_them(spelled: str, tmp_path: Path) -> None:
    _write_list(tmp_path, spelled, "exit 7")
    assert _built_and_tested(tmp_path, spelled.strip('[]="')) == (7, f"{ctest.DIRECT}\n")


def test_tests_are_looked_up_when_the_build_may_have_changed_them(tmp_path: Path) -> None:
    _write_list(tmp_path, "a", "exit 7")
    (tmp_path / "build.ninja").touch()
    assert _built_and_tested(tmp_path, "a") == (7, f"{ctest.DIRECT}\n")
    _write_list(tmp_path, "b", "exit 8")
    os.utime(tmp_path / "build.ninja", (2**31, 2**31))
    assert _built_and_tested(tmp_path, "a") == (99, "")
    assert _built_and_tested(tmp_path, "b") == (8, f"{ctest.DIRECT}\n")


def test_a_build_that_fails_says_how(tmp_path: Path) -> None:
    assert subprocess.run(ctest.building(str(tmp_path), ("/bin/sh", "-c", "exit 3")), check=False).returncode == 3


def _write_list(folder: Path, spelled: str, script: str) -> None:
    properties = f'set_tests_properties({spelled} PROPERTIES  _BACKTRACE_TRIPLES "x;1;y;")'
    lists = f'add_test({spelled} "/bin/sh" "-c" "{script}")\n{properties}\n'
    (folder / "CTestTestfile.cmake").write_text(lists, encoding="utf-8")


def _built_and_tested(folder: Path, name: str) -> tuple[int, str]:
    subprocess.run(ctest.building(str(folder), ("true",)), check=True)
    argv = ctest.testing(str(folder), name, "exit 99")
    done = subprocess.run(["/bin/sh", "-c", 'exec 3>&1; "$@"', "sh", *argv], capture_output=True, text=True, check=False)
    return done.returncode, done.stdout
