"""One tree, built once, that serves candidate after candidate and is put back in between, with real compilers."""

import shutil
from collections.abc import Callable, Mapping
from pathlib import Path
from typing import Any

import pytest

from repairlab.core import recipe
from repairlab.core.recipe import Build
from repairlab.languages.facts import facts
from repairlab.languages.language import Continuing, Tools, language
from repairlab.languages.native.toolchain import NativeToolchain
from repairlab.languages.reports import first_error
from tests.languages.conftest import Project, execute

Make = Callable[..., Any]

MAIN = (
    '#include <cstdio>\n#include <vector>\n#include "rules.hpp"\nint main() { std::printf("%d", rule(std::vector<int>{1, 2})); }\n'
)
RULES = {
    "src/rules.hpp": "#pragma once\n#include <vector>\ninline int base() { return 100; }\nint rule(const std::vector<int>& v);\n",
    "src/rules.cpp": '#include "rules.hpp"\nint rule(const std::vector<int>& v) { return base() + v[0]; }\n',
    "src/main.cpp": MAIN,
}
CHANGED = RULES["src/rules.cpp"].replace("v[0]", "v[1]")


class Shared:
    """A tree with its copy, as a validator keeps it."""

    def __init__(self, project: Project, files: Mapping[str, str], changing: str) -> None:
        self.project = project
        self.buggy = project.root.with_name("buggy")
        project.write(files)
        shutil.copytree(project.root, self.buggy)
        toolchain = project.toolchain
        assert isinstance(toolchain, NativeToolchain)
        self.shared = toolchain.shared(project.recipe, tree=self.buggy, changing=changing)
        names = sorted(files)
        for command in self.shared.prepare(project.test_recipe, names):
            execute(command, project.root, 300)
        self.kept = project.root.with_name("kept")
        shutil.copytree(project.root, self.kept)

    def build(self, changed: Mapping[str, str]) -> Any:
        """Put the tree back, times included, write a candidate's files, and build."""
        shutil.rmtree(self.project.root)
        shutil.copytree(self.kept, self.project.root)
        self.project.write(changed)
        toolchain = self.shared.toolchain(changed)
        assert toolchain is not None
        self.project.toolchain = toolchain
        return self.project.build()

    def output(self, changed: Mapping[str, str]) -> bytes:
        failed = self.build(changed)
        assert failed is None, failed.stdout + failed.stderr
        return self.project.program().stdout

    def made(self, path: str) -> int:
        return (self.project.root / path).stat().st_mtime_ns


def cpp(project: Make, tools: Tools, build: Build | None = None, program: str = "") -> Project:
    build = build or Build(tool="compile", sources=("src/*.cpp",), include=("src",))
    made = project(NativeToolchain(tools, "cpp"), build, recipe.Test(program=program))
    assert isinstance(made, Project)
    return made


@pytest.mark.slow
def test_candidates_after_each_other_get_what_they_would_alone(project: Make, tools: Tools) -> None:
    shared = Shared(cpp(project, tools), RULES, "src/rules.cpp")
    main = shared.made("build/objects/src/main.cpp.o")
    assert shared.output({"src/rules.cpp": CHANGED}) == b"102"
    assert shared.output({"src/rules.cpp": CHANGED.replace("v[1]", "v[1] + 1")}) == b"103"
    assert shared.made("build/objects/src/main.cpp.o") == main
    assert shared.output({}) == b"101"
    assert shared.output({"src/main.cpp": MAIN.replace("1, 2", "7, 8")}) == b"107"
    assert shared.output({"src/rules.cpp": CHANGED}) == b"102"
    assert shared.output({"src/rules.hpp": RULES["src/rules.hpp"].replace("100", "200")}) == b"201"
    assert shared.output({"src/rules.cpp": CHANGED}) == b"102"


def test_nothing_is_compiled_twice_for_one_candidate(project: Make, tools: Tools) -> None:
    shared = Shared(cpp(project, tools), RULES, "src/rules.cpp")
    shared.output({"src/rules.cpp": CHANGED})
    program = shared.made("build/program")
    shared.project.must_build()
    assert shared.made("build/program") == program


def test_candidate_that_begins_with_other_includes_has_only_those(project: Make, tools: Tools) -> None:
    shared = Shared(cpp(project, tools), RULES, "src/rules.cpp")
    assert list((shared.project.root / "build/headers").glob("*.gch"))
    header = RULES["src/rules.hpp"].replace(
        "#include <vector>", "#include <initializer_list>\nnamespace std { template <class> class vector; }"
    )
    failed = shared.build({"src/rules.hpp": header, "src/rules.cpp": CHANGED})
    assert failed is not None
    assert "rules.cpp" in first_error(failed.stdout + failed.stderr, facts("cpp").error_line)
    assert shared.output({"src/rules.cpp": "#include <algorithm>\n" + CHANGED}) == b"102"


def test_error_names_the_line_of_the_candidate(project: Make, tools: Tools) -> None:
    shared = Shared(cpp(project, tools), RULES, "src/rules.cpp")
    for wrong in ("v[1]", "w"):
        failed = shared.build({"src/rules.cpp": CHANGED.replace("v[1]", f"{wrong}; x")})
        told = first_error(failed.stdout + failed.stderr, facts("cpp").error_line)
        assert told.startswith("src/rules.cpp:2:"), told


def test_tree_that_does_not_build_serves_too(project: Make, tools: Tools) -> None:
    shared = Shared(cpp(project, tools), {**RULES, "src/rules.cpp": CHANGED.replace("return", "retrun")}, "src/rules.cpp")
    assert shared.output({"src/rules.cpp": CHANGED}) == b"102"


@pytest.mark.parametrize(("changing", "n_headers"), [("src/rules.hpp", 2), ("src/gone.cpp", 0)])
def test_sources_that_include_the_bug_get_precompiled_headers_and_are_not_built_beforehand(
    project: Make, tools: Tools, changing: str, n_headers: int
) -> None:
    shared = Shared(cpp(project, tools), RULES, changing)
    assert len(list((shared.project.root / "build/headers").glob("*.gch"))) == n_headers
    assert (shared.project.root / "build/objects/src/main.cpp.o").exists() is (n_headers == 0)
    assert shared.output({"src/rules.hpp": RULES["src/rules.hpp"].replace("100", "200")}) == b"201"


def test_test_that_includes_the_program_is_built_once_a_candidate_with_a_precompiled_header(project: Make, tools: Tools) -> None:
    files = {
        "solution.cpp": "#include <vector>\nint last(const std::vector<int>& v) { return v[0]; }\n",
        "test.cpp": '#include "solution.cpp"\n#include <cstdio>\nint main() { std::printf("%d", last({1, 2})); }\n',
    }
    shared = Shared(cpp(project, tools, Build(tool="compile", sources=("test.cpp",))), files, "solution.cpp")
    assert not (shared.project.root / "build/objects").exists()
    assert shared.output({"solution.cpp": files["solution.cpp"].replace("v[0]", "v[1]")}) == b"2"
    made = b"".join(path.read_bytes() for path in (shared.project.root / "build/headers").glob("*.hpp"))
    assert made == b"#include <vector>\n"
    (command,) = shared.project.toolchain.build(shared.project.recipe, shared.project.test_recipe, sorted(files))
    assert b"first = -include build/headers/" in command.stdin
    assert shared.output({"solution.cpp": "#include <deque>\n" + files["solution.cpp"]}) == b"1"


MAKEFILE = """prog: main.o rules.o
\t$(CXX) -o $@ $^
%.o: src/%.cpp
\t$(CXX) $(CXXFLAGS) -c -o $@ $<
"""
CMAKE = "cmake_minimum_required(VERSION 3.13)\nproject(demo CXX)\nadd_executable(prog src/main.cpp src/rules.cpp)\n"


@pytest.mark.parametrize(("tool", "script", "program"), [("make", "Makefile", "prog"), ("cmake", "CMakeLists.txt", "build/prog")])
def test_make_and_cmake_build_only_what_changed(project: Make, tools: Tools, tool: Any, script: str, program: str) -> None:
    files = {**RULES, script: MAKEFILE if tool == "make" else CMAKE}
    shared = Shared(cpp(project, tools, Build(tool=tool), program), files, "src/rules.cpp")
    (main,) = shared.project.root.rglob("main*.o")
    before = main.stat().st_mtime_ns
    configured = {path: path.stat().st_mtime_ns for path in shared.project.root.glob("build/build.ninja")}
    assert shared.output({"src/rules.cpp": CHANGED}) == b"102"
    assert shared.output({}) == b"101"
    assert shared.output({"src/main.cpp": MAIN.replace("1, 2", "7, 8")}) == b"107"
    assert shared.output({"src/rules.cpp": CHANGED}) == b"102"
    assert main.stat().st_mtime_ns == before
    assert all(path.stat().st_mtime_ns == time for path, time in configured.items())


@pytest.mark.parametrize(
    ("tool", "extra", "changed", "served"),
    [
        ("compile", {}, {"src/rules.cpp": "", "src/rules.hpp": ""}, True),
        ("compile", {}, {"src/rules.cpp": None}, True),
        ("compile", {}, {"src/vector": ""}, False),
        ("compile", {}, {"src/new.cpp": ""}, False),
        ("compile", {}, {"build/objects/src/main.cpp.o": ""}, False),
        ("compile", {"table.txt": "1"}, {"table.txt": "2"}, False),
        ("make", {}, {"src/rules.cpp": ""}, True),
        ("make", {}, {"src/rules.hpp": ""}, False),
        ("make", {"src/all.cpp": '#include "../src/rules.cpp"\n'}, {"src/rules.cpp": ""}, False),
        ("make", {"src/all.cpp": '#define RULES "rules.cpp"\n#include RULES\n'}, {"src/rules.cpp": ""}, False),
        ("cmake", {"CMakeLists.txt": CMAKE}, {"src/rules.hpp": ""}, True),
        ("cmake", {"CMakeLists.txt": CMAKE + "file(STRINGS src/rules.hpp v)\n"}, {"src/rules.hpp": ""}, False),
        ("cmake", {"CMakeLists.txt": CMAKE + "file(STRINGS src/rules.hpp v)\n"}, {"src/rules.cpp": ""}, True),
    ],
)
def test_change_that_a_build_might_not_notice_is_not_served(
    tmp_path: Path, tools: Tools, tool: Any, extra: dict[str, str], changed: dict[str, str | None], served: bool
) -> None:
    for name, text in {**RULES, **extra}.items():
        path = tmp_path / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(text)
    build = Build(tool=tool, sources=("src/*.cpp",), include=("src",))
    shared = NativeToolchain(tools, "cpp").shared(build, tree=tmp_path, changing="src/rules.cpp")
    assert (shared.toolchain(changed) is not None) == served


@pytest.mark.parametrize(
    ("tool", "changed", "others", "expected"),
    [
        ("compile", ["a.c", "a.h"], ["b.c"], ()),
        ("compile", [], ["b.h"], None),
        ("cmake", ["a.c"], [], ()),
        ("cmake", ["a.h", "README"], [], ()),
        ("cmake", ["CMakeLists.txt"], [], ("build/.files-*",)),
        ("cmake", ["a.c"], ["b.c"], ("build/.files-*",)),
        ("autotools", ["a.c", "README"], [], ()),
        ("autotools", ["included.c"], [], None),
        ("autotools", ["a.h"], [], None),
        ("autotools", ["Makefile.am"], [], None),
        ("autotools", ["a.c"], ["b.c"], None),
        ("make", ["a.c"], [], None),
    ],
)
def test_what_of_a_built_tree_is_outdated(
    tmp_path: Path, tool: str, changed: list[str], others: list[str], expected: object
) -> None:
    (tmp_path / "a.c").write_text('#include "included.c"\n')
    toolchain = language("c").toolchain
    assert isinstance(toolchain, Continuing)
    assert toolchain.outdated(Build(tool=tool), tree=tmp_path, changed=changed, others=others) == expected
