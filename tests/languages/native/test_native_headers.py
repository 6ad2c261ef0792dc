"""Precompiled headers: which includes they hold, and that they change nothing but the time that a compilation takes."""

import subprocess
from collections.abc import Sequence
from pathlib import Path

import pytest

from repairlab.languages.native.reuse import can_precompile, first_includes, precompiled

FLAGS = ("-std=c++17", "-O1", "-fsigned-char")


def included_first(files: dict[str, str], folders: Sequence[str] = ()) -> str:
    found = first_includes("src/main.cpp", files.get, folders)
    return found.replace("#include ", "").replace("\n", "")


@pytest.mark.parametrize(
    ("source", "found"),
    [
        ("#include <map>\n#include <set>\nint x;\n#include <list>\n", "<map><set>"),
        ("// one\n\n/* two\n * three */\n  #  include <map>  // four\n/* a */ #include <set> /* b */\nint x;\n", "<map><set>"),
        ("#include <map>\r\n#include <set>\r\n", "<map><set>"),
        ("#include <map>\n#include <map>\n#include <set>", "<map><set>"),
        ('#pragma GCC diagnostic ignored "-Wpedantic"\n#ifdef __cplusplus\n#include <map>\n#else\n#include <set>\n', "<map>"),
        ("#pragma pack(1)\n#include <map>\n", ""),
        ("#ifdef NDEBUG\n#include <map>\n", ""),
        ("int x;\n#include <map>\n", ""),
        ("#define NDEBUG\n#include <cassert>\n", ""),
        ("#ifndef _GNU_SOURCE\n#define _GNU_SOURCE\n#include <map>\n", ""),
        ("#ifndef MAIN_HPP\n#define MAIN_HPP\n#include <map>\n", ""),
        ("#include <map>\n#include <gtest/gtest.h>\n#include <set>\n", "<map>"),
        ("#include <map>\n// a comment that goes on \\\n#include <set>\n", "<map>"),
        ("// what is this??/\n#include <set>\n", ""),
        ("/* never closed\n#include <set>\n", ""),
        ('R"(\n#include <set>\n)"\n', ""),
        ("#include MAP\n#include <set>\n", ""),
        ("\ufeff#include <set>\n", ""),
        ("", ""),
    ],
)
def test_first_includes_end_at_the_first_line_that_is_something_else(source: str, found: str) -> None:
    assert included_first({"src/main.cpp": source}) == found


@pytest.mark.parametrize(
    ("files", "found"),
    [
        ({"src/a.hpp": "#pragma once\n#include <map>\nint x;\n"}, "<map>"),
        ({"src/a.hpp": "#ifndef A_HPP\n#define A_HPP\n#include <map>\n#endif\n"}, "<map>"),
        ({"src/a.hpp": "#ifndef A_HPP\n#define B_HPP\n#include <map>\n#endif\n"}, ""),
        ({"src/a.hpp": "#ifndef NDEBUG\n#define NDEBUG\n#include <map>\n#endif\n"}, ""),
        ({"lib/a.hpp": "#include <map>\n"}, "<map>"),
        ({"lib/a.hpp": "#include <map>\n", "src/a.hpp": "#include <set>\n"}, "<set>"),
        (
            {"src/a.hpp": '#include "deep/b.hpp"\n', "src/deep/b.hpp": '#include "c.hpp"', "src/deep/c.hpp": "#include <map>\n"},
            "<map>",
        ),
        ({"src/a.hpp": '#include "a.hpp"\n#include <map>\n'}, ""),
        ({}, ""),
    ],
)
def test_headers_of_the_tree_that_come_first_are_followed(files: dict[str, str], found: str) -> None:
    assert included_first({"src/main.cpp": '#include "a.hpp"\n#include <list>\n', **files}, ["lib"]) == found


def test_flags_and_files_that_change_standard_headers_make_it_impossible() -> None:
    assert can_precompile(["-O2", "-DLIMIT=3", "-Wall", "-fno-exceptions"], ["src"], ["src/main.cpp", "vector"])
    for flag in ("-include", "-Iother", "-fplugin=x", "-imacros", "-Wp,-DX", "@more"):
        assert not can_precompile([flag], [], [])
    for path in ("src/vector", "src/string.h", "src/bits/stl_map.h"):
        assert not can_precompile([], ["src"], [path])


SOURCE = """#include <cassert>
#include <iostream>
#include <map>
#include <string>

namespace { int calls = 0; }
template <class T> T twice(T x) { ++calls; return x + x; }
int main() {
    std::map<std::string, int> count;
    for (std::string word; std::cin >> word;) ++count[twice(word)];
    auto line = [] { return __LINE__ + __COUNTER__; };
    assert(line() == 11);
    for (const auto& [word, n] : count) std::cout << word << ' ' << n << ' ' << calls << std::endl;
}
"""


def compiled(folder: Path, source: str, *first: str) -> subprocess.CompletedProcess[str]:
    (folder / "main.cpp").write_text(source)
    argv = ["g++", *FLAGS, "-Wall", "-Wextra", *first, "-c", "main.cpp", "-o", "main.o"]
    return subprocess.run(argv, cwd=folder, capture_output=True, text=True, check=False)


@pytest.fixture(scope="module")
def header(tmp_path_factory: pytest.TempPathFactory) -> bytes:
    includes = first_includes("main.cpp", {"main.cpp": SOURCE}.get, [])
    return precompiled(includes, [*FLAGS, "-Wall", "-Wextra"], tmp_path_factory.mktemp("cache"))


@pytest.fixture
def with_header(tmp_path: Path, header: bytes) -> list[str]:
    (tmp_path / "first.hpp").write_text("#error the precompiled header is not used\n")
    (tmp_path / "first.hpp.gch").write_bytes(header)
    return ["-Winvalid-pch", "-include", "first.hpp"]


def test_object_file_is_the_same_to_the_byte(tmp_path: Path, with_header: list[str]) -> None:
    assert compiled(tmp_path, SOURCE).returncode == 0
    without = (tmp_path / "main.o").read_bytes()
    done = compiled(tmp_path, SOURCE, *with_header)
    assert (done.returncode, done.stderr) == (0, "")
    assert (tmp_path / "main.o").read_bytes() == without


@pytest.mark.parametrize(
    ("old", "new"), [("++calls;", "++called;"), ("int n", "int"), ("count;", "count"), ("int calls = 0;", "int calls = 0, unused;")]
)
def test_messages_are_the_same(tmp_path: Path, with_header: list[str], old: str, new: str) -> None:
    source = SOURCE.replace(old, new)
    without, done = compiled(tmp_path, source), compiled(tmp_path, source, *with_header)
    assert (done.returncode, done.stderr) == (without.returncode, without.stderr)


def test_headers_that_do_not_compile_give_nothing(tmp_path: Path) -> None:
    assert precompiled("#include <map>\n", ["-Dnamespace=class"], tmp_path) == b""


def test_cache_keeps_those_that_were_used_last(tmp_path: Path) -> None:
    folder = tmp_path / "headers"
    for number in range(40):
        (folder / f"{number:02}").mkdir(parents=True)
    assert precompiled("#include <cstddef>\n", FLAGS, tmp_path)
    left = {path.name for path in folder.iterdir()}
    assert len(left) == 32
    assert any(len(name) > 2 for name in left)
