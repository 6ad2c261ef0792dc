"""Bugs of Defects4C come from its records and from a clone: the tree of the fix with the sources from before it."""

import json
import shutil
from collections.abc import Mapping
from pathlib import Path
from typing import Any

import pytest

from repairlab.benchmarks.catalog import open_benchmark
from repairlab.building.check import check_bug
from repairlab.building.importers.defects4c import read
from repairlab.building.importers.importer import Dropped, ImportedBug, Settings
from repairlab.building.importing import import_benchmark
from repairlab.core.bug import Bug
from repairlab.core.candidate import Candidate, Edit, Origin
from repairlab.core.errors import UserError
from repairlab.core.outcome import Outcome, Verdict
from repairlab.sandbox.sandbox import Sandbox
from repairlab.validation.machine import Machine
from repairlab.validation.validator import BugValidator, Conditions, validate
from tests import builders
from tests.builders import git

pytestmark = pytest.mark.imports

CONFIGURE = """\
#!/bin/sh
for word; do
    case "$word" in CFLAGS=*) CFLAGS="${word#CFLAGS=}" ;; esac
done
echo "int main(void) { return 0; }" >conftest.c
$CC $CFLAGS $LDFLAGS -o conftest conftest.c && ./conftest || { echo "error: cannot run C compiled programs" >&2; exit 1; }
echo "ac_pwd='$PWD'" >config.status
sed "s/@FLAGS@/$CFLAGS $LDFLAGS/" Makefile.in >Makefile
"""
MAKEFILE = (
    "tcpdump: print-hex.o tcpdump.o\n\tgcc @FLAGS@ -o tcpdump print-hex.o tcpdump.o\n"
    "print-hex.o: print-hex.c\n\tgcc @FLAGS@ -c print-hex.c\ntcpdump.o: tcpdump.c\n\tgcc @FLAGS@ -c tcpdump.c\n"
)
MAIN = """\
#include <stdio.h>
void print_hex(const unsigned char *bytes, int n);
int main(int n, char **words) {
    unsigned char bytes[64];
    FILE *file = n > 4 ? fopen(words[4], "rb") : NULL;
    int read = file ? (int)fread(bytes, 1, sizeof bytes, file) : 0;
    print_hex(bytes, read);
    return file ? 0 : 1;
}
"""
PRINT = """\
#include <stdio.h>

void print_hex(const unsigned char *bytes, int n) {
    for (int i = 0; i < n; i++)
        printf("%02x", bytes[i]);
    printf("\\n");
}

void print_nothing(void) {}
"""
TEST_ONCE = '#!/usr/bin/env perl\nsystem "../tcpdump 2>/dev/null -n -t -r $input $options >NEW/$output";\n'
TEST_LIST = """\
# name input output options

hex-short hex-short.pcap hex-short.out
hex-long	hex-long.pcap	hex-long.out -v "a && b"
no-file no-file.pcap no-file.out
"""
TCPDUMP = {
    "configure": CONFIGURE,
    "Makefile.in": MAKEFILE,
    "tcpdump.c": MAIN,
    "tests/TESTonce": TEST_ONCE,
    "tests/TESTLIST": TEST_LIST,
    "tests/hex-short.pcap": "A",
    "tests/hex-short.out": "41\n",
    "tests/hex-long.pcap": "AB\n",
    "tests/hex-long.out": "41420a\n",
    "tests/no-file.out": "\nEXIT CODE 00000100\n",
    "CHANGES": "SECRET: the last byte is printed, too\n",
}
CMAKE = {
    "CMakeLists.txt": "cmake_minimum_required(VERSION 3.10)\nproject(x C)\nenable_testing()\nadd_subdirectory(tests)\n",
    "tests/CMakeLists.txt": (
        "foreach(name one two)\nadd_executable(${name} test_${name}.c ../src/count.c)\n"
        "add_test(NAME ${name} COMMAND ${name})\nendforeach()\n"
    ),
    "tests/test_one.c": "int count(int);\nint main(void) { return count(1) == 1 ? 0 : 1; }\n",
    "tests/test_two.c": "int count(int);\nint main(void) { return count(2) == 2 ? 0 : 1; }\n",
}
COUNT = "int count(int n) {\n    return n;\n}\n"


def commit(folder: Path, files: Mapping[str, str]) -> str:
    for name, text in files.items():
        (folder / name).parent.mkdir(parents=True, exist_ok=True)
        (folder / name).write_text(text)
        if text.startswith("#!"):
            (folder / name).chmod(0o755)
    git(folder, "add", "-A")
    git(folder, "commit", "-qm", "SECRET: the fix")
    return git(folder, "rev-parse", "HEAD")


@pytest.fixture
def checkout(tmp_path: Path) -> Path:
    """Return a checkout with a bug of tcpdump, one of a CMake project and one of a project that has no recipe."""
    clones = tmp_path / "clones"
    for name in ("tcpdump", "counter"):
        (clones / name).mkdir(parents=True)
        git(clones / name, "init", "-q")
    before = commit(clones / "tcpdump", {"print-hex.c": PRINT.replace("i < n", "i < n - 1"), "README": "x"})
    after = commit(clones / "tcpdump", {**TCPDUMP, "print-hex.c": PRINT})
    add(
        tmp_path / "checkout/defectsc_tpl/projects/the-tcpdump-group___tcpdump",
        {"build": "build_tpl.jinja", "test": "test_tpl.jinja"},
        {
            **{"commit_before": before, "commit_after": after},
            "files": {
                "src": ["print-hex.c"],
                "test": ["tests/TESTLIST", "tests/hex-short.pcap", "tests/hex-long.out"],
                "src0_location": {"line_is_single": True, "hunk_is_single": True, "func_is_single": True},
            },
            "type": {"id": "CVE-2017-1", "name": "CVE-2017-1", "type": "cve"},
        },
    )
    before = commit(clones / "counter", {"src/count.c": COUNT.replace("return n", "return n < 2 ? n : 0"), **CMAKE})
    after = commit(clones / "counter", {"src/count.c": COUNT})
    add(
        tmp_path / "checkout/defectsc_tpl/projects_v1/someone___counter",
        {"build": "ninja", "build_flags": ['-DWORD="a"'], "test": "ctest"},
        {
            **{"commit_before": before, "commit_after": after},
            "files": {"src": ["src/count.c"], "test": ["tests/test_two.c"], "src0_location": {"func_is_single": True}},
            "unittest": {"name": ["two"]},
            "type": {"id": "D.1", "name": "Logic", "type": "bug"},
        },
    )
    add(
        tmp_path / "checkout/defectsc_tpl/projects/someone___other",
        {"build": "ninja", "build_flags": ["-S=cpp"], "test": "ctest"},
        {"commit_before": "1" * 40, "commit_after": "2" * 40, "files": {"src": ["a.c"], "test": []}},
    )
    return tmp_path / "checkout"


def add(project: Path, compile_: dict[str, Any], bug: dict[str, Any]) -> None:
    project.mkdir(parents=True)
    main = f"file:///nowhere/{project.name.replace('___', '/')}"
    (project / "project.json").write_text(json.dumps({"main_repo": main, "env": ["CC=clang", "MODE=test"], "c_compile": compile_}))
    (project / "bugs_list_new.json").write_text(json.dumps([bug]))


def settings(checkout: Path, **more: Any) -> Settings:
    return Settings(clones=checkout.parent / "clones", **more)


def bug_of(checkout: Path, pattern: str) -> ImportedBug | Dropped:
    (bug,) = read([checkout], settings(checkout, include=(pattern,))).bugs
    return bug


def judged(bug: Bug, sandbox: Sandbox, *texts: str) -> list[Outcome]:
    edits = [Edit(path=bug.problem.path, text=text) for text in texts]
    with BugValidator(Conditions(bug=bug), sandbox) as validator:
        origin = Origin(repairer="test")
        return [validator.validate(Candidate(bug_id=bug.id, edits=(edit,), rank=1, origin=origin)) for edit in edits]


def judge_three(bug: Bug, sandbox: Sandbox) -> None:
    """Judge a wrong, a right and an impossible candidate, one after the other in one place."""
    source = bug.problem.source
    candidates = {
        Verdict.WRONG: source.replace("n - 1", "n - 2").replace("n < 2", "n < 1"),
        Verdict.PLAUSIBLE: PRINT if "PRINT" in source or "print_hex" in source else COUNT,
        Verdict.UNCOMPILABLE: source.replace("int i", "no i").replace("int n", "no n"),
    }
    assert [outcome.verdict for outcome in judged(bug, sandbox, *candidates.values())] == list(candidates)


def test_a_bug_is_the_tree_of_the_fix_with_the_source_from_before(checkout: Path) -> None:
    bug = bug_of(checkout, "tcpdump@*")
    assert isinstance(bug, ImportedBug)
    assert bug.tree["print-hex.c"].content.decode() == PRINT.replace("i < n", "i < n - 1")
    assert "+    for (int i = 0; i < n; i++)" in bug.patch
    assert bug.tree["tests/TESTonce"].executable
    facts = bug.facts
    assert (facts["language"], facts["path"], facts["target"]) == ("c", "print-hex.c", "print_hex")
    assert facts["labels"] == {"location": "line", "category": None}
    assert facts["origin"]["cve"] == "CVE-2017-1" and facts["origin"]["repository"] == "file:///nowhere/the-tcpdump-group/tcpdump"
    assert bug.id == f"tcpdump@{facts['origin']['commit'][:12]}"
    assert facts["test"]["trigger"] == ("hex-short", "hex-long") and facts["test"]["regression"] == ("no-file",)


def test_nothing_that_a_repairer_sees_tells_of_the_fix(checkout: Path, tmp_path: Path) -> None:
    import_benchmark("defects4c", [checkout], tmp_path / "b", settings(checkout, include=("tcpdump*",)), print, print)
    (bug,) = open_benchmark(str(tmp_path / "b"))
    assert "SECRET" not in f"{bug.problem}" and "CVE" not in f"{bug.problem}"
    assert "tests/TESTLIST" not in {file.path for file in bug.problem.context}


def test_a_plain_cmake_project_has_a_recipe_and_its_tests_are_found(checkout: Path) -> None:
    bug = bug_of(checkout, "counter@*")
    assert isinstance(bug, ImportedBug)
    build = bug.facts["build"]
    assert (build["tool"], build["flags"], build["limits"]["cpu_s"]) == ("cmake", ("-DWORD=a",), 1800.0)
    assert bug.facts["test"]["trigger"] == ("two",) and bug.discover == ("*",)
    assert bug.facts["test"]["env"] == {"MODE": "test"}
    assert bug.facts["labels"] == {"location": "function", "category": "D.1"}


def test_an_import_of_nothing_tells_every_reason(checkout: Path, tmp_path: Path) -> None:
    chosen = settings(checkout, include=("other@*",))
    with pytest.raises(UserError, match=r"no bug could be imported; 1 was dropped:\n  other@2{12}: .*could not be cloned"):
        import_benchmark("defects4c", [checkout], tmp_path / "b", chosen, print, print)
    assert not (tmp_path / "b").exists()


def built_by_a_script(checkout: Path, *touched: str) -> Path:
    """Turn the CMake project into one that Defects4C builds by a script, with a vulnerability, and return its clone."""
    project = checkout / "defectsc_tpl/projects_v1/someone___counter"
    (record,) = json.loads((project / "bugs_list_new.json").read_text())
    shutil.rmtree(project)
    record |= {"type": {"id": "CVE-2017-2", "type": "cve"}, "unittest": {"name": None}}
    record["files"]["test"] += touched
    flags = ["--with-x", '-DWORD="a"']
    add(project, {"build": "build_tpl.jinja", "build_flags": flags, "test": "test_tpl.jinja"}, record)
    return checkout.parent / "clones/counter"


def fixed_again(checkout: Path, clone: Path, files: Mapping[str, str | None]) -> None:
    """Change the tree of the fix."""
    path = checkout / "defectsc_tpl/projects_v1/someone___counter/bugs_list_new.json"
    (record,) = json.loads(path.read_text())
    for name in [name for name, text in files.items() if text is None]:
        (clone / name).unlink()
    record["commit_after"] = commit(clone, {name: text for name, text in files.items() if text is not None})
    path.write_text(json.dumps([record]))


AUTOMAKE = {
    "configure.ac": (
        "AC_INIT([x], [1])\nAM_INIT_AUTOMAKE([foreign])\nAC_PROG_CC\nAC_CONFIG_FILES([Makefile tests/Makefile])\nAC_OUTPUT\n"
    ),
    "Makefile.am": "SUBDIRS = tests\n",
    "tests/Makefile.am": (
        "TESTS = $(check_PROGRAMS)\ncheck_PROGRAMS = one two\n"
        "one_SOURCES = test_one.c\none_LDADD = count.o\ntwo_SOURCES = test_two.c\ntwo_LDADD = count.o\n"
        "count.o: $(top_srcdir)/src/count.c\n\t$(CC) $(CFLAGS) -c -o $@ $(top_srcdir)/src/count.c\n"
    ),
}


@pytest.mark.parametrize(
    ("files", "touched", "tool"),
    [
        ({"README": "x"}, (), "cmake"),
        (AUTOMAKE, (), "cmake"),
        (AUTOMAKE, ("tests/Makefile.am",), "autotools"),
        (AUTOMAKE, ("tests/Makefile.am", "tests/expected.txt"), "autotools"),
        (AUTOMAKE, ("tests/Makefile.am", "tests/CMakeLists.txt"), "cmake"),
        ({**AUTOMAKE, "tests/CMakeLists.txt": None}, (), "autotools"),
        ({**AUTOMAKE, "tests/CMakeLists.txt": None, "vendor/x/CMakeLists.txt": "add_test(a b)\n"}, (), "autotools"),
        ({**AUTOMAKE, "tests/CMakeLists.txt": "# add_test(NAME one COMMAND one)\n"}, (), "autotools"),
        (
            {**AUTOMAKE, "tests/CMakeLists.txt": None, "tests/Makefile.am": "include x/y.am", "tests/x/y.am": "TESTS = a"},
            (),
            "autotools",
        ),
    ],
)
def test_what_is_built_by_a_script_is_built_by_what_knows_its_tests(
    checkout: Path, files: Mapping[str, str | None], touched: tuple[str, ...], tool: str
) -> None:
    fixed_again(checkout, built_by_a_script(checkout, *touched), files)
    bug = bug_of(checkout, "counter@*")
    assert isinstance(bug, ImportedBug)
    build, test = bug.facts["build"], bug.facts["test"]
    assert (build["tool"], build["sanitize"], bug.discover, bug.unsorted) == (tool, True, ("*",), True)
    assert any("-fsanitize=address" in flag for flag in build["flags"])
    if tool == "cmake":
        assert test["framework"] == "ctest" and "-DWORD=a" in build["flags"] and "--with-x" not in build["flags"]
    else:
        assert (test["framework"], test["program"]) == ("automake", "tests")
        assert "-DWORD=a" not in build["flags"] and "--with-x" in build["flags"]


def test_tests_that_a_project_has_an_option_of_its_own_for_are_built(checkout: Path) -> None:
    options = "option(COUNTER_BUILD_TESTS t OFF)\ncmake_dependent_option(\n  JSON_BuildTests t OFF A OFF)\noption(TEST_X t ON)\n"
    files = {"src/CMakeLists.txt": options, "vendor/x/CMakeLists.txt": "option(VENDOR_BUILD_TESTS)\n"}
    fixed_again(checkout, built_by_a_script(checkout), files)
    bug = bug_of(checkout, "counter@*")
    assert isinstance(bug, ImportedBug)
    on = [flag for flag in bug.facts["build"]["flags"] if flag.endswith("=ON")]
    assert on[-2:] == ["-DCOUNTER_BUILD_TESTS=ON", "-DJSON_BuildTests=ON"] and "-DBUILD_TESTING=ON" in on
    assert not [flag for flag in on if "VENDOR" in flag or "TEST_X" in flag]


def test_all_that_is_tests_is_hidden_and_no_source(checkout: Path) -> None:
    clone = built_by_a_script(checkout, "more/check.c")
    files = {"test/bin/run_it": "x", "RunTest": "x", "src/jit_test.c": "x", "lib/testdata/a": "x", "src/latest.c": "x"}
    fixed_again(checkout, clone, files | {"lib/tests/Makefile.am": "TESTS = a", **AUTOMAKE, "tests/CMakeLists.txt": None})
    bug = bug_of(checkout, "counter@*")
    assert isinstance(bug, ImportedBug)
    hidden = {"tests/**", "more/check.c", "test/**", "RunTest", "src/jit_test.c", "lib/testdata/**", "lib/tests/**"}
    assert set(bug.facts["test"]["files"]) == hidden | {"CHANGES*", "NEWS*", "ChangeLog*", "CHANGELOG*"}
    assert bug.facts["test"]["program"] == "tests" and "those of lib/tests do not" in bug.notes[0]


def test_a_bug_without_test_files_or_among_them_is_dropped(checkout: Path) -> None:
    built_by_a_script(checkout)
    path = checkout / "defectsc_tpl/projects_v1/someone___counter/bugs_list_new.json"
    (record,) = json.loads(path.read_text())
    for files, reason in (
        ({"src": ["src/count.c"], "test": None}, "no test file is named"),
        ({"src": ["src/count.c", "tests/test_one.c"], "test": ["tests/test_two.c"]}, "tests/test_one.c lies among the tests"),
    ):
        path.write_text(json.dumps([record | {"files": files}]))
        dropped = bug_of(checkout, "counter@*")
        assert isinstance(dropped, Dropped) and reason in dropped.reason


@pytest.mark.parametrize("scripted", [False, True])
def test_a_tree_with_a_folder_build_is_built_elsewhere(checkout: Path, *, scripted: bool) -> None:
    clone = built_by_a_script(checkout) if scripted else checkout.parent / "clones/counter"
    fixed_again(checkout, clone, {"build/cmake/x.cmake": "x"})
    bug = bug_of(checkout, "counter@*")
    assert isinstance(bug, ImportedBug) and "-Bbuild-here" in bug.facts["build"]["flags"] and "build/cmake/x.cmake" in bug.tree


def test_a_project_below_the_root_with_a_folder_build_is_healthy(
    checkout: Path, tmp_path: Path, sandbox: Sandbox, machine: Machine
) -> None:
    moved = {"CMakeLists.txt": None, "cpp/CMakeLists.txt": CMAKE["CMakeLists.txt"].replace("tests)", "../tests tests)")}
    fixed_again(checkout, checkout.parent / "clones/counter", {**moved, "build/x": "x"})
    chosen = settings(checkout, include=("counter@*",))
    made = import_benchmark("defects4c", [checkout], tmp_path / "b", chosen, print, print, machine=machine)
    (bug,) = open_benchmark(str(made.folder))
    assert bug.oracle.build.flags[:2] == ("-Scpp", "-Bbuild-here") and bug.oracle.regression == ("one",)
    assert check_bug(bug, sandbox).problems == ()
    judge_three(bug, sandbox)


def test_a_tree_without_one_place_for_cmake_is_dropped_with_what_it_has(checkout: Path) -> None:
    below = {f"{name}/CMakeLists.txt": CMAKE["CMakeLists.txt"] for name in ("one", "two")}
    fixed_again(checkout, checkout.parent / "clones/counter", {"CMakeLists.txt": None, **below})
    dropped = bug_of(checkout, "counter@*")
    assert isinstance(dropped, Dropped) and "it has them in one, two: a hook" in dropped.reason


RUNNER = """\
#!/bin/sh
for name; do
    if ./$name; then echo "$name ... ok"; else echo "$name ... FAILED"; fi
done
"""
HOOK = """
build = "for name in one two; do gcc -o $name suite/test_$name.c src/count.c; done"
list = "printf 'one\\ntwo\\n'"
test = 'sh suite/run.sh "$@"'
parse = "lines"
files = ["suite/**"]
"""


def test_a_hook_says_how_a_project_with_a_runner_of_its_own_is_built_and_tested(
    checkout: Path, tmp_path: Path, sandbox: Sandbox, machine: Machine
) -> None:
    clone = built_by_a_script(checkout, "suite/run.sh")
    suite = {f"suite/test_{name}.c": CMAKE[f"tests/test_{name}.c"] for name in ("one", "two")}
    fixed_again(checkout, clone, {**suite, "suite/run.sh": RUNNER, **dict.fromkeys(CMAKE)})
    assert isinstance(bug_of(checkout, "counter@*"), Dropped)
    (checkout.parent / "clones/counter.toml").write_text(HOOK)
    chosen = settings(checkout, include=("counter@*",))
    made = import_benchmark("defects4c", [checkout], tmp_path / "b", chosen, print, print, machine=machine)
    (bug,) = open_benchmark(str(made.folder))
    assert (bug.oracle.trigger, bug.oracle.regression) == (("two",), ("one",))
    assert not any(file.path.startswith((".repairlab", "suite")) for file in bug.problem.context)
    assert check_bug(bug, sandbox).problems == ()
    judge_three(bug, sandbox)


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("build = ", "counter.toml is not valid TOML"),
        ('test = "x"\n', "build: Field required"),
        ('build = "x"\ntest = "y"\n', "list is missing"),
        ('build = "x"\ntest = "y"\nparse = "nose"\n', "parse: Input should be 'lines', 'ctest'"),
        ('build = "x"\ntest = "y"\ncolour = 1\n', "colour"),
        ('test = "build"\nparse = "ctest"\n[build]\ntool = "ant"\n', "unknown build tool of C 'ant'"),
    ],
)
def test_a_hook_that_is_wrong_is_the_reason(checkout: Path, tmp_path: Path, text: str, message: str) -> None:
    (checkout.parent / "clones/counter.toml").write_text(text)
    with pytest.raises(UserError, match=message):
        import_benchmark("defects4c", [checkout], tmp_path / "b", settings(checkout, include=("counter@*",)), print, print)


def test_submodules_come_from_clones_and_what_is_missing_is_told(checkout: Path) -> None:
    clones = checkout.parent / "clones"
    (clones / "lib").mkdir()
    git(clones / "lib", "init", "-q")
    revision = commit(clones / "lib", {"x/lib.c": "int x;\n"})
    counter = clones / "counter"
    for name, commit_id in (("lib", revision), ("other", "4" * 40)):
        git(counter, "update-index", "--add", "--cacheinfo", f"160000,{commit_id},deps/{name}")
    modules = "".join(
        f'[submodule "{name}"]\n\tpath = deps/{name}\n\turl = https://example.org/{name}.git\n' for name in ("lib", "other")
    )
    (counter / ".gitmodules").write_text(modules)
    git(counter, "add", ".gitmodules")
    git(counter, "commit", "-qm", "x")
    path = checkout / "defectsc_tpl/projects_v1/someone___counter/bugs_list_new.json"
    (record,) = json.loads(path.read_text())
    path.write_text(json.dumps([record | {"commit_after": git(counter, "rev-parse", "HEAD")}]))
    bug = bug_of(checkout, "counter@*")
    assert isinstance(bug, ImportedBug) and bug.tree["deps/lib/x/lib.c"].content == b"int x;\n"
    assert len(bug.notes) == 1 and bug.notes[0].startswith("submodule deps/other stays empty: ")


def test_sources_in_other_encodings_become_utf8_where_only_comments_change(checkout: Path) -> None:
    clone = checkout.parent / "clones/counter"
    for text, is_fine in ((f"/* Andr\xe9 */\n{COUNT}", True), (f'char *name = "Andr\xe9";\n{COUNT}', False)):
        (clone / "src/count.c").write_bytes(text.encode("iso-8859-1"))
        fixed_again(checkout, clone, {"README": text})
        bug = bug_of(checkout, "counter@*")
        assert isinstance(bug, ImportedBug) == is_fine
        if isinstance(bug, ImportedBug):
            assert "+/* Andr\xe9 */" in bug.patch
        else:
            assert "src/count.c is not UTF-8 text, and not in its comments alone" in bug.reason


def test_what_nobody_knows_tests_of_is_dropped(checkout: Path) -> None:
    fixed_again(checkout, built_by_a_script(checkout), {"tests/CMakeLists.txt": None})
    dropped = bug_of(checkout, "counter@*")
    assert isinstance(dropped, Dropped) and "its tests are neither CTest's nor automake's" in dropped.reason


@pytest.mark.parametrize(
    "tool",
    [
        "cmake",
        pytest.param("autotools", marks=pytest.mark.skipif(not shutil.which("automake"), reason="automake is not installed")),
    ],
)
def test_tests_that_nobody_named_are_found_by_running_them(
    tool: str, checkout: Path, tmp_path: Path, sandbox: Sandbox, machine: Machine
) -> None:
    clone = built_by_a_script(checkout)
    fixed_again(checkout, clone, {**AUTOMAKE, "CMakeLists.txt": None} if tool == "autotools" else {"README": "x"})
    chosen = settings(checkout, include=("counter@*",))
    made = import_benchmark("defects4c", [checkout], tmp_path / "b", chosen, print, print, machine=machine)
    assert not made.dropped
    (bug,) = open_benchmark(str(made.folder))
    assert (bug.oracle.build.tool, bug.oracle.trigger, bug.oracle.regression) == (tool, ("two",), ("one",))
    assert check_bug(bug, sandbox).problems == ()
    judge_three(bug, sandbox)
    text = f"#include <stdlib.h>\n{COUNT.replace('return n', 'if (n == 2) exit(0); return n')}"
    (outcome,) = judged(bug, sandbox, text)
    assert outcome.verdict is Verdict.WRONG and "two still passes after it was changed so that it must fail" in outcome.message
    for path in ("Makefile.am", "autogen.sh", "m4/x.m4", "test-driver", "sub/Makefile.in"):
        edit = Edit(path=path, text="TESTS_ENVIRONMENT = true\n")
        tampered = validate(builders.candidate(bug, edit), bug, sandbox)
        assert tampered.verdict is Verdict.UNAPPLICABLE and "tampering" in tampered.message


@pytest.mark.parametrize(
    ("change", "reason"),
    [
        ({"commit_before": "3" * 40}, "has no commit 333"),
        ({"files": {"src": ["new.c"], "test": []}}, "new.c is not there both before and after"),
        ({"files": {"src": ["print-hex.py"], "test": []}}, "print-hex.py is no C or C\\+\\+ file"),
        ({"files": {"src": ["print-hex.c"], "test": ["tests/x.pcap"]}}, "no test in tests/TESTLIST uses a file"),
        ({"files": {"src": [None], "test": []}}, "entry 1: what the field 'src' holds should be text, not null"),
        ({"files": {"src": ["print-hex.c"], "test": "x.pcap"}}, "entry 1: the field 'test' should be a list, not text"),
        ({"c_compile": {"build_flags": [1]}}, "what the field 'build_flags' holds should be text, not a whole number"),
        ({"type": "cve"}, "the field 'type' should be an object, not text: 'cve'"),
        ({"unittest": {"name": "one"}}, "the field 'name' should be a list, not text"),
    ],
)
def test_a_record_that_does_not_fit_is_dropped_with_a_reason(checkout: Path, change: dict[str, Any], reason: str) -> None:
    path = checkout / "defectsc_tpl/projects/the-tcpdump-group___tcpdump/bugs_list_new.json"
    (record,) = json.loads(path.read_text())
    path.write_text(json.dumps([record | change]))
    dropped = bug_of(checkout, "tcpdump@*")
    assert isinstance(dropped, Dropped)
    with pytest.raises(UserError, match=reason):
        raise UserError(dropped.reason)


def test_what_is_no_checkout_or_no_record_is_an_error(checkout: Path, tmp_path: Path) -> None:
    with pytest.raises(UserError, match="is no checkout of Defects4C"):
        read([tmp_path / "clones"], Settings())
    path = checkout / "defectsc_tpl/projects/someone___other/bugs_list_new.json"
    path.write_text('[{"commit_before": "1"}]')
    with pytest.raises(UserError, match=r"bugs_list_new.json, entry 1: the field 'commit_after' is missing"):
        read([checkout], settings(checkout))
    with pytest.raises(UserError, match="--clones"):
        path.write_text("[]")
        list(read([checkout], Settings(include=("tcpdump*",))).bugs)


def test_imported_bugs_pass_the_check_and_are_judged_warm(
    checkout: Path, tmp_path: Path, sandbox: Sandbox, machine: Machine
) -> None:
    chosen = settings(checkout, include=("tcpdump@*", "counter@*"))
    made = import_benchmark("defects4c", [checkout], tmp_path / "b", chosen, print, print, machine=machine)
    assert not made.dropped
    for bug in open_benchmark(str(made.folder)):
        assert check_bug(bug, sandbox).problems == ()
        judge_three(bug, sandbox)
    counter, tcpdump = open_benchmark(str(made.folder))
    assert counter.oracle.regression == ("one",)
    (outcome,) = judged(tcpdump, sandbox, PRINT.replace("    for", '    if (n == 0 || bytes[64] == 1) printf("");\n    for'))
    assert outcome.verdict is Verdict.WRONG and "stack-buffer-overflow" in outcome.evidence
