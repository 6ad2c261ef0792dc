"""How the projects of Defects4C are built and tested here, and which of their tests belong to a bug.

A recipe is derived from a project's makefiles and test lists. Defects4C builds many projects with scripts that are not read here;
for those, what CTest or automake lists counts.
"""

import dataclasses
import re
from collections.abc import Callable, Iterator, Mapping, Sequence
from pathlib import PurePosixPath
from typing import Any

from repairlab.benchmarks.protection import TEST_FOLDER, TEST_NAME
from repairlab.building.importers.importer import TreeFile, added_text
from repairlab.core.errors import UserError
from repairlab.core.record import record
from repairlab.languages import host

Tree = Mapping[str, TreeFile]

_PLAIN_BUILDS = ("ninja", "cmake")
_TESTS_ON = tuple(f"-D{name}=ON" for name in ("BUILD_TEST", "BUILD_TESTS", "BUILD_TESTING", "ENABLE_TESTS", "ENABLE_TESTING"))
"""What projects call the option that adds their tests; CMake ignores those that a project does not know."""
_TEST_OPTION = re.compile(rb"option\s*\(\s*(\w*(?:BUILD|ENABLE|WITH)_?(?:UNIT_?)?TEST(?:S|ING)?)\b", re.IGNORECASE)
"""Others carry the project's prefix, such as EXPAT_BUILD_TESTS."""
_COMPILE = "<CMAKE_{0}_COMPILER> <DEFINES> <INCLUDES> <FLAGS> -Wno-error -o <OBJECT> -c <SOURCE>"
_WARNINGS_ONLY = tuple(f"-DCMAKE_{name}_COMPILE_OBJECT={_COMPILE.format(name)}" for name in ("C", "CXX"))
"""Today's compilers warn of more than those for which a project made warnings errors; this comes after a project's own flags."""
_ASAN = "-O0 -g1 -fsigned-char -fsanitize=address -fno-omit-frame-pointer"
"""Most vulnerabilities access memory out of bounds, which often shows only with AddressSanitizer.

UBSan would stop at old habits. Speed is not measured here, and files compile in half the time without optimisation.
"""
_PLAIN = "-O1 -g -fsigned-char"
LONG_BUILD = {"cpu_s": 1800.0, "wall_s": 1800.0, "disk_mb": 4096}
_BUILD_FOLDER = "build-here"
_HOOK = "a hook beside the clones can say how it is built and tested"
_ADD_TEST = re.compile(rb"^[^#\n]*\badd_test\s*\(", re.IGNORECASE | re.MULTILINE)
_PROJECT = re.compile(rb"^[^#\n]*\bproject\s*\(", re.IGNORECASE | re.MULTILINE)
_TESTS = re.compile(rb"^[ \t]*TESTS\s*\+?=", re.MULTILINE)
_LIBTOOL = re.compile(rb"^\s*(?:LT_INIT|A[CM]_PROG_LIBTOOL)\b", re.MULTILINE)
_VENDORED = frozenset({"third_party", "third-party", "thirdparty", "external", "extern", "vendor", "vendored", "deps", "contrib"})
"""Folders with third-party projects, whose tests are not this project's."""
_TELLING = ("CHANGES*", "NEWS*", "ChangeLog*", "CHANGELOG*")
"""Files that may reveal the fix; hidden from repairers, as tests are."""


@record
class Record:
    """What Defects4C says of one bug and its project, as far as recipes need it."""

    project: str
    """As OWNER___REPOSITORY."""
    build: str
    """The name of the build: `ninja`, or a template."""
    test: str
    flags: tuple[str, ...]
    env: tuple[tuple[str, str], ...]
    sources: tuple[str, ...]
    tests: tuple[str, ...]
    """Paths of the test files that the fix touched."""
    named: tuple[str, ...]
    """Names of the unit tests."""
    category: str
    vulnerability: bool = False


@record
class Recipe:
    """What becomes the tables `build` and `test`, and what else a bug needs."""

    build: Mapping[str, Any]
    test: Mapping[str, Any]
    added: Tree = dataclasses.field(default_factory=dict)
    """Files added to the tree: a runner that reports each test."""
    discover: tuple[str, ...] = ()
    unsorted: bool = False
    """Whether nobody says which tests show the bug."""
    notes: tuple[str, ...] = ()


def recipe_of(bug: Record) -> Callable[[Record, Tree], Recipe]:
    """Return a function that derives a bug's recipe from the fixed tree; UserError says why there is none."""
    if bug.project in _PROJECTS:
        return _PROJECTS[bug.project]
    return _ctest if bug.build in _PLAIN_BUILDS and bug.test == "ctest" else _by_tree


def _cmake_source(bug: Record, tree: Tree) -> str | None:
    """Return the folder of the project's CMakeLists.txt: the one named, the root, or the only one just below it."""
    named = [flag.removeprefix("-S").strip("= ") for flag in bug.flags if flag.startswith("-S")]
    tops = _cmake_tops(tree)
    source = named[-1] if named else "" if "CMakeLists.txt" in tree else tops[0] if len(tops) == 1 else None
    return source if source is not None and str(PurePosixPath(source, "CMakeLists.txt")) in tree else None


def _cmake_tops(tree: Tree) -> list[str]:
    return sorted(str(path.parent) for path in _holding(tree, "CMakeLists.txt", _PROJECT) if len(path.parts) == 2)


def _cmake_places(bug: Record, tree: Tree) -> tuple[str, ...]:
    """Return flags that say where CMakeLists.txt lies, if not at the root, and where to build, if the tree has a folder `build`."""
    source, tops = _cmake_source(bug, tree), _cmake_tops(tree)
    if source is None:
        where = f"it has them in {', '.join(tops[:5])}" if tops else "it has none just below it either"
        raise UserError(f"project {bug.project}: no CMakeLists.txt at the root of the tree; {where}: {_HOOK}")
    own_build = any(path.startswith("build/") for path in tree)
    return (*([f"-S{source}"] if source else []), *([f"-B{_BUILD_FOLDER}"] if own_build else []))


def _ctest(bug: Record, tree: Tree) -> Recipe:
    """Return the recipe of any CMake project that is built without a script, and whose tests have names."""
    return Recipe(
        build={"tool": "cmake", "flags": (*_cmake_places(bug, tree), *_cmake_flags(bug)), "limits": LONG_BUILD},
        test={
            "framework": "ctest",
            "files": hidden_files(bug, tree),
            "trigger": _need_names(bug),
            "regression": (),
            "env": dict(bug.env),
        },
        discover=("*",),
    )


def _by_tree(bug: Record, tree: Tree) -> Recipe:
    """Return the recipe of a project built by a script: tests of CMake or automake, whichever the fix touched."""
    if not bug.tests:
        raise UserError(f"project {bug.project}: no test file is named, so that nobody knows what to hide from repairers")
    by_cmake = _cmake_source(bug, tree) is not None and any(_holding(tree, "CMakeLists.txt", _ADD_TEST))
    folders = _automake_folders(tree, bug.tests)
    touched = [PurePosixPath(path).name for path in bug.tests]
    if folders and any(name.endswith(".am") for name in touched) and "CMakeLists.txt" not in touched:
        by_cmake = False
    if by_cmake:
        build, test = _cmake_build(bug, tree), {"framework": "ctest"}
    elif folders:
        if not host.is_installed("libtoolize") and "configure" not in tree and any(_holding(tree, "configure.*", _LIBTOOL)):
            raise UserError(f"project {bug.project}: its configure needs libtoolize. Install it with: apt install libtool")
        build, test = _automake_build(bug), {"framework": "automake", "program": folders[0]}
    else:
        raise UserError(f"project {bug.project}: its tests are neither CTest's nor automake's: {_HOOK}")
    left = [] if by_cmake else folders[1:]
    return Recipe(
        build={**build, "sanitize": bug.vulnerability, "limits": LONG_BUILD},
        test={**test, "files": hidden_files(bug, tree), "trigger": ("*",), "regression": (), "env": dict(bug.env)},
        discover=("*",),
        unsorted=True,
        notes=(f"the tests of {folders[0]} count; those of {', '.join(left)} do not",) if left else (),
    )


def _cmake_build(bug: Record, tree: Tree) -> dict[str, Any]:
    asan = [f"-DCMAKE_{language}_FLAGS={_ASAN}" for language in ("C", "CXX") if bug.vulnerability]
    own = [flag for flag in _cmake_flags(bug) if flag.startswith("-D") and not (asan and "_FLAGS" in flag)]
    return {"tool": "cmake", "flags": (*_cmake_places(bug, tree), *_tests_on(tree), *_WARNINGS_ONLY, *asan, *own)}


def _tests_on(tree: Tree) -> tuple[str, ...]:
    """Return flags for all options that add tests, including those in the project's own option lists."""
    lists = [tree[str(path)].content for path in _holding(tree, "CMakeLists.txt", _TEST_OPTION)]
    named = sorted({f"-D{name.decode()}=ON" for text in lists for name in _TEST_OPTION.findall(text)})
    return (*_TESTS_ON, *(flag for flag in named if flag not in _TESTS_ON))


def _automake_build(bug: Record) -> dict[str, Any]:
    how = _ASAN if bug.vulnerability else _PLAIN
    flags = [f"{name}={how} -Wno-error" for name in ("CFLAGS", "CXXFLAGS")]
    own = [flag for flag in bug.flags if flag.startswith("--")]
    return {"tool": "autotools", "flags": (*flags, *own), "targets": ("check", "TESTS=")}


def _cmake_flags(bug: Record) -> tuple[str, ...]:
    kept = (flag for flag in bug.flags if "COMPILER_LAUNCHER" not in flag and not flag.startswith("-S"))
    return tuple(flag.replace('"', "") for flag in kept)


def _holding(tree: Tree, pattern: str, text: re.Pattern[bytes]) -> Iterator[PurePosixPath]:
    """Yield the project's own files that match by name and are not empty."""
    for path, file in tree.items():
        place = PurePosixPath(path)
        if place.match(pattern) and _VENDORED.isdisjoint(place.parts[:-1]) and text.search(file.content):
            yield place


def _automake_folders(tree: Tree, tests: Sequence[str]) -> list[str]:
    """Return the folders whose makefiles list tests: first those with a file that the fix touched, the deepest first."""
    if {"configure", "configure.ac", "configure.in"}.isdisjoint(tree):
        return []
    found = set()
    for path in _holding(tree, "*.am", _TESTS):
        # A makefile may include the lists of subfolders.
        found |= {next((folder for folder in path.parents if str(folder / "Makefile.am") in tree), path.parent)}

    def order(folder: PurePosixPath) -> tuple[bool, int, str]:
        around = any(PurePosixPath(test).is_relative_to(folder) for test in tests)
        return not around, -len(folder.parts), str(folder)

    return [str(folder) for folder in sorted(found, key=order)]


def _need_names(bug: Record) -> tuple[str, ...]:
    odd = [name for name in bug.named if not re.fullmatch(r"[\w./+:-]+", name)]
    if not bug.named or odd:
        raise UserError(f"project {bug.project}: " + (f"{odd[0]!r} is a pattern, not a test" if odd else "no unit test is named"))
    return bug.named


def hidden_files(bug: Record, tree: Tree) -> tuple[str, ...]:
    """Return patterns for everything that is a test, since any of it may count, and for what reveals the fix.

    Tests are the topmost test folders, files named as tests, and those that the fix touched; never a source to fix.
    """
    globs = []
    for path in (*bug.tests, *tree):
        *folders, name = PurePosixPath(path).parts
        depth = next((i for i, folder in enumerate(folders, start=1) if TEST_FOLDER.match(folder)), 0)
        if depth and path in bug.sources:
            raise UserError(f"project {bug.project}: its source {path} lies among the tests, which repairers may not see")
        if depth:
            globs.append("/".join((*folders[:depth], "**")))
        elif path not in bug.sources and (path in bug.tests or TEST_NAME.search(name)):
            globs.append(path)
    return (*dict.fromkeys(globs), *_TELLING)


_TCPDUMP_RUNNER = "tests/one-by-one.sh"
_TCPDUMP_SCRIPT = added_text("tcpdump-one-by-one.sh").encode()
_BY_LIBPCAP = ("arp-too-long-tha", "juniper_header-heapoverflow", "tftp-heapoverflow", "relts-0x80000000", "stp-v4-length-sigsegv")
"""Their capture files are damaged; with a recent libpcap they failed on a fixed tree."""


def _tcpdump(bug: Record, tree: Tree) -> Recipe:
    """Return the recipe of tcpdump: configure, make, and a comparison of what it prints for each line of tests/TESTLIST."""
    once = tree["tests/TESTonce"].content if "tests/TESTonce" in tree else b""
    if "configure" not in tree or "tests/TESTLIST" not in tree or b"../tcpdump 2>/dev/null -n -t -r $input $options" not in once:
        raise UserError("tcpdump: its tree has no configure or tests of another kind, for which there is no recipe")
    listed = [line.split() for line in tree["tests/TESTLIST"].content.decode("utf-8", "replace").splitlines()]
    by_name = {line[0]: line[1:3] for line in reversed(listed) if len(line) > 2 and not line[0].startswith("#")}
    touched = {PurePosixPath(path).name for path in bug.tests if path.endswith((".pcap", ".out"))}
    trigger = tuple(name for name in reversed(by_name) if touched & set(by_name[name]))
    if not trigger:
        raise UserError(
            f"tcpdump: no test in tests/TESTLIST uses a file that the fix touched ({', '.join(sorted(touched)) or 'none'})"
        )
    others = tuple(name for name in reversed(by_name) if name not in trigger)
    left = tuple(name for name in others if name in _BY_LIBPCAP)
    return Recipe(
        build={"tool": "autotools", "sanitize": True, "flags": (f"CFLAGS={_ASAN}",), "targets": ("tcpdump",)},
        test={
            "framework": "lines",
            "program": _TCPDUMP_RUNNER,
            "files": ("tests/**", *_TELLING),
            "trigger": trigger,
            "regression": tuple(name for name in others if name not in left),
        },
        added={_TCPDUMP_RUNNER: TreeFile(content=_TCPDUMP_SCRIPT, executable=True)},
        notes=(f"left out, for they fail with a recent libpcap: {', '.join(left)}",) if left else (),
    )


_LIBYANG_TEST = re.compile(r"\bly_add_utest\(\s*NAME\s+(\S+)\s+SOURCES\s+([^)\s]+)")
_LIBYANG_LIST = re.compile(r"\bset\(\s*(?:local_tests|\w+_tests)\s+([^)]+)\)")
_LIBYANG_FLAGS = (
    *("-DENABLE_TESTS=ON", "-DENABLE_BUILD_TESTS=ON", "-DENABLE_VALGRIND_TESTS=OFF"),  # names differ between versions
    "-DCMAKE_C_FLAGS=-O0 -g0 -fsigned-char",
)
_LIBYANG_PARTS = {"utest_plugins"}
"""Tests that need more than their own program."""


def _libyang(bug: Record, tree: Tree) -> Recipe:
    """Return the recipe of libyang: CMake and CTest; regression tests are those next to the trigger test."""
    trigger = _need_names(bug)
    lists = [
        file.content.decode("utf-8", "replace") for path, file in tree.items() if re.fullmatch(r"tests/.*CMakeLists\.txt", path)
    ]
    folders = {f"utest_{name}": str(PurePosixPath(path).parent) for text in lists for name, path in _LIBYANG_TEST.findall(text)}
    if trigger[0] in folders:
        beside = [name for name, folder in folders.items() if folder == folders[trigger[0]] and name not in _LIBYANG_PARTS]
        targets: Sequence[str] = tuple(dict.fromkeys((*trigger, *beside)))
    else:
        groups = [found.split() for text in lists for found in _LIBYANG_LIST.findall(text)]
        beside, targets = next((names for names in groups if trigger[0] in names), []), ()
    return Recipe(
        build={"tool": "cmake", "flags": (*bug.flags, *_LIBYANG_FLAGS), "targets": targets},
        test={
            "framework": "ctest",
            "files": ("tests/**", *_TELLING),
            "trigger": trigger,
            "regression": tuple(name for name in beside if name not in trigger),
            "env": dict(bug.env),
        },
    )


_PROJECTS: dict[str, Callable[[Record, Tree], Recipe]] = {"the-tcpdump-group___tcpdump": _tcpdump, "CESNET___libyang": _libyang}
