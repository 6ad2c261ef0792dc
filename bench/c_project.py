"""One bug of a C project with CMake: configure, build all and run all tests, against ours. A row of `engine.py`, or alone.

The project is written for this: 120 sources of some 120 lines in three libraries, with headers, and a program with 36 tests.
"""

import json
import os
import subprocess
import tempfile
from pathlib import Path

from side_by_side import Row, candidates_of, compare, main

from repairlab.benchmarks.catalog import open_benchmark
from repairlab.core.bug import Bug
from repairlab.core.candidate import Candidate
from repairlab.core.diff import unified_diff
from repairlab.core.outcome import Verdict
from repairlab.languages.language import default_cache
from repairlab.sandbox.table import open_sandbox
from repairlab.validation.apply import changed_files, lay_out
from repairlab.validation.validator import BugValidator, Conditions

PARTS = Path(__file__).with_name("c_project_parts")
KINDS = ("queue", "table", "series")
_WORDS = (
    "order sensor price event door tide weight parcel seat voltage score page shift coin altitude ticket engine harvest letter"
    " meter badge cargo depth fuel grade hour invoice journal kettle lamp mileage note oven pressure quota rain signal timber"
    " usage wage"
)
NAMES = _WORDS.split()
TYPES = ("int", "double", "long", "unsigned", "short", "float")
TESTED = ("order", "sensor", "price", "event")
N_CANDIDATES = 100
BUGGY, FIXED = "queue->items[kept] = other;", "queue->items[place(queue, kept)] = other;"
TRIGGER = "queue_order_removes"
CPU_S = 1.0
FLAGS = ("-O1", "-fsigned-char")
"""As the tool chain has them, so that both ways make the same code."""

CHECK_H = """#ifndef CHECK_H
#define CHECK_H

#include <stdio.h>
#include <stdlib.h>

#define CHECK(condition) \\
    ((condition) ? (void)0 : (fprintf(stderr, "%s:%d: %s\\n", __FILE__, __LINE__, #condition), exit(1)))

struct test {
    const char *name;
    void (*run)(void);
};

#endif
"""
CMAKE = """cmake_minimum_required(VERSION 3.16)
project(depot C)

set(CMAKE_C_STANDARD 17)
include(CheckFunctionExists)
include(CheckIncludeFile)
include(CheckTypeSize)
foreach(header unistd.h sys/mman.h sys/random.h threads.h)
    string(MAKE_C_IDENTIFIER "HAVE_${header}" name)
    check_include_file(${header} ${name})
endforeach()
foreach(function strdup getline reallocarray explicit_bzero)
    check_function_exists(${function} HAVE_${function})
endforeach()
check_type_size("long" SIZEOF_LONG)
check_type_size("time_t" SIZEOF_TIME_T)

foreach(kind queue table series)
    file(GLOB sources src/${kind}_*.c)
    add_library(depot_${kind} STATIC ${sources})
    target_include_directories(depot_${kind} PUBLIC include)
    target_link_libraries(depot_${kind} PUBLIC m)
endforeach()

enable_testing()
file(GLOB tests tests/*.c)
add_executable(depot_tests ${tests})
target_link_libraries(depot_tests PRIVATE depot_queue depot_table depot_series)
"""


def row(*, quick: bool) -> Row:
    """One bug of a C project with 120 sources, 100 candidates."""
    with tempfile.TemporaryDirectory() as name:
        folder = Path(name)
        bug = _bug(folder / "benchmark")
        candidates = candidates_of(bug, N_CANDIDATES // 10 if quick else N_CANDIDATES)
        sandbox = open_sandbox(cache=default_cache())

        def naive() -> list[Verdict]:
            return [_plainly(bug, candidate, folder) for candidate in candidates]

        def ours() -> list[Verdict]:
            with BugValidator(Conditions(bug=bug), sandbox) as validator:
                return [validator.validate(candidate).verdict for candidate in candidates]

        ready, objects = folder / "ready", _made_ready(bug, folder / "ready")

        def least() -> None:
            for candidate in candidates:
                _barely(bug, candidate, ready, objects)

        floor = ("gcc for the changed file, gold, and the tests that decide, with nothing around them", least)
        return compare(f"C project bug, {len(candidates)} candidates", naive, ours, target=60, floor=floor)


def _bug(folder: Path) -> Bug:
    """Write a benchmark with one bug and read it."""
    bug = folder / "bugs" / "queue-remove"
    tree = bug / "buggy"
    for where in ("src", "include", "tests"):
        (tree / where).mkdir(parents=True)
    for kind in KINDS:
        for name in NAMES:
            (tree / f"include/{kind}_{name}.h").write_text(_part(f"{kind}.h", name))
            (tree / f"src/{kind}_{name}.c").write_text(_part(f"{kind}.c", name))
        for name in TESTED:
            (tree / f"tests/test_{kind}_{name}.c").write_text(_part(f"test_{kind}.c", name))
    lists = [f"{kind}_{name}_tests" for kind in KINDS for name in TESTED]
    (tree / "tests/check.h").write_text(CHECK_H)
    (tree / "tests/main.c").write_text(_main(lists))
    tests = sorted(line.split('"')[1] for path in tree.glob("tests/*.c") for line in path.read_text().splitlines() if '{"' in line)
    named = "".join(f"add_test(NAME {test} COMMAND depot_tests {test})\n" for test in tests)
    (tree / "CMakeLists.txt").write_text(CMAKE + named)
    path = tree / "src/queue_order.c"
    fixed = path.read_text()
    path.write_text(fixed.replace(FIXED, BUGGY))
    (bug / "fix.patch").write_text(unified_diff("src/queue_order.c", path.read_text(), fixed))
    (bug / "issue.md").write_text(
        "Removing an order loses others\n\nAfter some orders were taken out, removing one damages the rest.\n"
    )
    (bug / "bug.toml").write_text(
        f'schema = 1\nlanguage = "c"\npath = "src/queue_order.c"\ntarget = "queue_order_remove"\n'
        f'[build]\ntool = "cmake"\n[test]\nframework = "ctest"\nfiles = ["tests/**", "CMakeLists.txt"]\n'
        f'trigger = ["{TRIGGER}"]\nregression = {json.dumps([test for test in tests if test != TRIGGER])}\n'
        f"[limits]\ncpu_s = {CPU_S}\nwall_s = 5.0\nmemory_mb = 256\n"
    )
    (folder / "benchmark.toml").write_text(
        'schema = 1\nname = "depot"\nversion = "1"\nlicence = "MIT"\ndescription = "One bug of a C project."\n'
    )
    return open_benchmark(str(folder)).bug("queue-remove")


def _part(file: str, name: str) -> str:
    text = (PARTS / file).read_text(encoding="utf-8")
    return text.replace("@name@", name).replace("@NAME@", name.upper()).replace("@type@", TYPES[NAMES.index(name) % len(TYPES)])


def _main(lists: list[str]) -> str:
    declared = "".join(f"extern const struct test {each}[];\n" for each in lists)
    return (
        f'#include "check.h"\n\n#include <string.h>\n\n{declared}\n'
        f"static const struct test *const all[] = {{{', '.join(lists)}}};\n\n"
        "int main(int argc, char **argv)\n{\n    for (size_t i = 0; argc > 1 && i < sizeof all / sizeof *all; i++)\n"
        "        for (const struct test *test = all[i]; test->name; test++)\n"
        "            if (!strcmp(test->name, argv[1]))\n                return test->run(), 0;\n    return 2;\n}\n"
    )


def _plainly(bug: Bug, candidate: Candidate, folder: Path) -> Verdict:
    """Do as a script would: copy, configure, build, run all tests."""
    flags = ["-DCMAKE_BUILD_TYPE=Debug", f"-DCMAKE_C_FLAGS_DEBUG={' '.join(FLAGS)}"]
    with tempfile.TemporaryDirectory(dir=folder) as name:
        work = Path(name, "work")
        lay_out(bug, changed_files(candidate, bug), work)
        if _run(work, "cmake", "-S", ".", "-B", "build", "-G", "Ninja", *flags) or _run(work, "cmake", "--build", "build"):
            return Verdict.UNCOMPILABLE
        log = work / "tests.log"
        if not _run(work, "ctest", "--test-dir", "build", "--timeout", "3", "--output-log", str(log)):
            return Verdict.PLAUSIBLE
        late = any("***Timeout" in line and f" {TRIGGER} " in line for line in log.read_text().splitlines())
        return Verdict.TIMEOUT if late else Verdict.WRONG


def _made_ready(bug: Bug, work: Path) -> list[str]:
    """Build a tree and return the object files that do not depend on the candidate."""
    lay_out(bug, {}, work)
    _run(work, "cmake", "-S", ".", "-B", "build", "-G", "Ninja")
    _run(work, "cmake", "--build", "build")
    changing = Path(bug.problem.path).name
    return sorted(str(path) for path in work.rglob("*.o") if path.name != f"{changing}.o")


def _barely(bug: Bug, candidate: Candidate, work: Path, objects: list[str]) -> None:
    """Do only what has to be done for this candidate."""
    for path, text in changed_files(candidate, bug).items():
        (work / path).write_text(text or "")
    if _run(work, "gcc", *FLAGS, "-Iinclude", "-c", bug.problem.path, "-o", "changed.o"):
        return
    if _run(work, "gcc", "-fuse-ld=gold", "changed.o", *objects, "-lm", "-o", "all_tests"):
        return
    for test in (*bug.oracle.trigger, *bug.oracle.regression):
        if _run(work, "timeout", "1", "./all_tests", test):
            return


def _run(work: Path, *argv: str) -> int:
    return subprocess.run(argv, cwd=work, env={**os.environ, "CC": "gcc"}, capture_output=True, check=False).returncode


if __name__ == "__main__":
    main(row)
