"""Trees of one project built one after the other: what they share stays, and nothing of the last one is left."""

from collections.abc import Mapping
from pathlib import Path

import pytest

from repairlab.benchmarks.folder import load_bug
from repairlab.building.bug_trees import BuildFolder, DoesNotBuildError, opened_build_folder, opened_trees
from repairlab.core.bug import Bug
from repairlab.sandbox.sandbox import Sandbox
from repairlab.validation.tree_tester import TreeTester

COMPILE = 'tool = "compile"\nsources = ["*.c"]\n[test]\nframework = "tap"\nfiles = ["test_*"]\ntrigger = ["two"]\nregression = []\n'
CMAKE = 'tool = "cmake"\n[test]\nframework = "ctest"\nfiles = ["test_*"]\ntrigger = ["two"]\nregression = []\n'
ONE = '#include "one.h"\nint one(void) { return ONE; }\n'
TWO = """#include <stdio.h>
int one(void);
int main(void) { int sum = one() - 1; puts(sum == 2 ? "ok two" : "not ok two"); return sum != 2; }
"""
FILES = {"one.c": ONE, "one.h": "#define ONE 1\n", "two.c": TWO}
LISTS = """cmake_minimum_required(VERSION 3.16)
project(sum C)
enable_testing()
option(WITH_ONE "" {default})
if(WITH_ONE)
  add_definitions(-DONE=1)
endif()
file(GLOB SOURCES *.c)
add_executable(two ${{SOURCES}})
add_test(NAME two COMMAND two)
"""


def bug_of(folder: Path, build: str, files: Mapping[str, str]) -> Bug:
    """Write a bug whose fix turns a sign."""
    (folder / "buggy").mkdir(parents=True)
    (folder / "buggy" / "test_sums.txt").write_text("two\n")
    for name, text in files.items():
        (folder / "buggy" / name).write_text(text)
    line = next(line for line in files["two.c"].splitlines() if " - 1" in line)
    patch = f"--- a/two.c\n+++ b/two.c\n@@ -3,1 +3,1 @@\n-{line}\n+{line.replace(' - 1', ' + 1')}\n"
    (folder / "fix.patch").write_text(patch)
    (folder / "issue.md").write_text("# One and one\n")
    (folder / "bug.toml").write_text(f'schema = 1\nlanguage = "c"\npath = "two.c"\n[build]\n{build}')
    return load_bug(folder, "sums")


def passes(trial: TreeTester) -> bool:
    trial.run(("two",), ())
    return trial.log.tests[-1].passed


def made(folder: BuildFolder, name: str) -> int:
    """Return when an object file was made."""
    (found,) = folder.work.rglob(name)
    return found.stat().st_mtime_ns


def test_what_trees_share_is_compiled_once(tmp_path: Path, sandbox: Sandbox) -> None:
    first = bug_of(tmp_path / "first", COMPILE, FILES)
    second = bug_of(tmp_path / "second", COMPILE, {**FILES, "two.c": FILES["two.c"] + "/* more */\n", "notes.txt": "new"})
    with opened_build_folder(sandbox) as folder:
        with opened_trees(first, sandbox, folder) as trees:
            assert passes(trees.built(first.oracle.reference))
            one, two = made(folder, "one.c.o"), made(folder, "two.c.o")
            assert not passes(trees.built(()))
            assert made(folder, "one.c.o") == one and made(folder, "two.c.o") > two
        with opened_trees(second, sandbox, folder) as trees:
            assert passes(trees.built(second.oracle.reference))
            assert made(folder, "one.c.o") == one
            assert (folder.work / "notes.txt").exists()
        with opened_trees(first, sandbox, folder) as trees:
            assert not passes(trees.built(()))
            assert not (folder.work / "notes.txt").exists() and made(folder, "one.c.o") == one


def test_a_header_that_comes_or_goes_begins_from_nothing(tmp_path: Path, sandbox: Sandbox) -> None:
    first = bug_of(tmp_path / "first", COMPILE, FILES)
    # Found in the folder of the source now, where the compiler looked in vain before.
    second = bug_of(tmp_path / "second", COMPILE, {**FILES, "stdio.h": "int puts(const char *);\n"})
    with opened_build_folder(sandbox) as folder:
        with opened_trees(first, sandbox, folder) as trees:
            trees.built(())
            one = made(folder, "one.c.o")
        with opened_trees(second, sandbox, folder) as trees:
            trees.built(())
            assert made(folder, "one.c.o") > one


def test_what_is_left_of_another_build_is_no_reason_to_fail(tmp_path: Path, sandbox: Sandbox) -> None:
    bug = bug_of(tmp_path / "bug", COMPILE, FILES)
    broken = bug_of(tmp_path / "broken", COMPILE, {**FILES, "one.c": "int one(void) { return ; ; }}\n"})
    with opened_build_folder(sandbox) as folder:
        with opened_trees(bug, sandbox, folder) as trees:
            trees.built(())
            next(folder.work.rglob("one.c.o")).write_text("no object file")
            assert passes(trees.built(bug.oracle.reference))
        with (
            opened_trees(broken, sandbox, folder) as trees,
            pytest.raises(DoesNotBuildError, match="the buggy tree does not build"),
        ):
            trees.built(())


def test_a_configuration_is_not_kept_when_its_rules_change(tmp_path: Path, sandbox: Sandbox) -> None:
    with_one = {**FILES, "one.c": "int one(void) { return ONE; }\n", "CMakeLists.txt": LISTS.format(default="ON")}
    without = {**with_one, "CMakeLists.txt": LISTS.format(default="OFF")}
    first, second = bug_of(tmp_path / "first", CMAKE, with_one), bug_of(tmp_path / "second", CMAKE, without)
    more = bug_of(tmp_path / "more", CMAKE, {**with_one, "three.c": "int three(void) { return 3; }\n"})
    with opened_build_folder(sandbox) as folder:
        with opened_trees(first, sandbox, folder) as trees:
            assert passes(trees.built(first.oracle.reference))
            one = made(folder, "one.c.o")
        with opened_trees(more, sandbox, folder) as trees:  # the list of files is made anew, and nothing is compiled again
            assert passes(trees.built(more.oracle.reference))
            assert made(folder, "one.c.o") == one and made(folder, "three.c.o") > one
        with opened_trees(second, sandbox, folder) as trees, pytest.raises(DoesNotBuildError, match="ONE"):
            trees.built(())  # an old cache would still say ON
