"""Building C and C++ trees with gcc, make, cmake or a `configure` script, and testing them.

Plain builds go through ninja, so that in a tree that was built before only what a candidate changed is compiled again.
"""

import dataclasses
import functools
import re
import shlex
from collections.abc import Collection, Mapping, Sequence
from fnmatch import fnmatchcase
from pathlib import Path
from typing import Literal

from repairlab.core.errors import UserError
from repairlab.core.execution import Command, Ending, Execution
from repairlab.core.recipe import Build, Test
from repairlab.core.record import digest
from repairlab.languages import host, reports
from repairlab.languages.language import Batch, Listing, Report, Tools
from repairlab.languages.native import ctest, frameworks
from repairlab.languages.native.ninja import FLAGS, GOLD, MAX_ERRORS, SANITIZE, manifest
from repairlab.languages.native.reuse import SharedTree, is_configured_by, may_differ

Native = Literal["c", "cpp"]

# Leaks are not checked: that needs ptrace, which sandboxes often forbid, and a verdict must not depend on it.
_SANITIZE_ENV = (
    ("ASAN_OPTIONS", "detect_leaks=0:abort_on_error=1:verify_asan_link_order=0"),
    ("UBSAN_OPTIONS", "halt_on_error=1:abort_on_error=1:print_stacktrace=1"),
)
_JOBS = "-j2"
_PLAIN_FOLDER = re.compile(r"[\w.+-]+(?:/[\w.+-]+)*")
# Assertions count, debugging information does not.
_DEBUG = ("-DCMAKE_BUILD_TYPE=Debug", "-DCMAKE_C_FLAGS_DEBUG=", "-DCMAKE_CXX_FLAGS_DEBUG=")
# By itself CMake starts two more programs for each library, and plain `ar` asks all plugins about each of its files.
_ARCHIVE = "rm -f <TARGET>;gcc-ar qc <TARGET> <LINK_FLAGS> <OBJECTS>"
_ARCHIVER = (f"-DCMAKE_C_CREATE_STATIC_LIBRARY={_ARCHIVE}", f"-DCMAKE_CXX_CREATE_STATIC_LIBRARY={_ARCHIVE}")
# Settings made for one linker are left to it.
_WANTS_ITS_LINKER = "grep -rqsE 'Wl,|LINKER|LINK_FLAGS|link_options|LINK_OPTIONS' --include=CMakeLists.txt --include='*.cmake' ."


class NativeToolchain:
    """The Toolchain of C and of C++."""

    def __init__(self, tools: Tools, language: Native, *, first: Mapping[str, str] | None = None) -> None:
        """Take headers that are read before some sources of a plain build; they must change only the time it takes."""
        self._tools = tools
        self._language = language
        self._first = first or {}

    def shared(self, build: Build, *, tree: Path, changing: str, tests: Sequence[str] = (), twin: bool = False) -> SharedTree:
        """Return how one tree serves many candidates of a bug that change this file; `tree` is the unchanged buggy one."""
        del tests, twin  # the programs of a twin are needed anyway

        def toolchain(first: Mapping[str, str]) -> NativeToolchain:
            return NativeToolchain(self._tools, self._language, first=first)

        return SharedTree(toolchain, build, tree=tree, changing=changing, cache=Path(self._tools.cache))

    def outdated(self, build: Build, *, tree: Path, changed: Collection[str], others: Collection[str]) -> tuple[str, ...] | None:
        """Return what must go from a built tree before files change in it and others come or go; none: all of it."""
        if may_differ(build, tree, changed, others):
            return None
        if build.tool == "cmake" and (others or is_configured_by(tree, changed)):
            return (f"{_cmake_folder(build, '-B', 'build')}/.files-*",)  # it is configured anew
        return ()

    def build(self, build: Build, test: Test, files: Sequence[str]) -> tuple[Command, ...]:
        """Return the commands of the recipe's tool."""
        command = self._build(build, test, files)
        if test.framework == "ctest":
            command = dataclasses.replace(command, argv=ctest.building(_tests_of(build, test), command.argv))
        return (command,)

    def _build(self, build: Build, test: Test, files: Sequence[str]) -> Command:
        if build.tool == "compile":
            told = manifest(build, files, _program(build, test), cpp=self._language == "cpp", first=self._first)
            return Command(argv=("ninja", _JOBS, "-f", "/dev/stdin"), stdin=told, writable=True)
        if build.tool == "make":
            return _make(build)
        if build.tool == "cmake":
            return _cmake(build, files)
        if build.tool == "autotools":
            return _builder(_configuring(build, _JOBS), build)
        raise UserError(f"C and C++ cannot be built with build.tool = {build.tool!r}. Possible: compile, make, cmake, autotools")

    def program(self, build: Build, test: Test) -> Command:
        """Return the command that runs the program."""
        return Command(argv=(_program(build, test),), env=run_env(build, test), address_space=not build.sanitize)

    def batches(self, build: Build, test: Test, tests: Sequence[str], *, stop: bool) -> tuple[Batch, ...]:
        """Return one batch per test, which runs in a fresh process, or larger ones for programs that run many."""
        del stop
        program = _tests_of(build, test)
        return tuple(
            _batch(frameworks.command_line(test.framework, program, names), names, build, test)
            for names in frameworks.grouped(test.framework, tuple(dict.fromkeys(tests)))
        )

    def listing(self, build: Build, test: Test, places: Sequence[str]) -> Batch:
        """Return the command that names all tests; places are shell patterns of names."""
        return _batch(frameworks.listing_command(test.framework, _tests_of(build, test)), tuple(places), build, test)

    def listed(self, batch: Batch, execution: Execution) -> Listing:
        """Read what that command found."""
        names = (line.strip() for line in execution.stdout.decode("utf-8", "replace").splitlines())
        found = dict.fromkeys(name for name in names if any(fnmatchcase(name, place) for place in batch.tests))
        said = reports.shorten(execution.stderr.decode("utf-8", "replace"))[-300:]
        return Listing(tests=tuple(found), error="" if execution.succeeded else f"the tests could not be listed to the end: {said}")

    def report(self, test: Test, batch: Batch, execution: Execution) -> Report:
        """Read the report of the test's framework."""
        return frameworks.report(test.framework, batch, execution)

    def out_of_memory(self, execution: Execution) -> bool:
        """Return whether the program died of an uncaught `std::bad_alloc`, or of AddressSanitizer's own limit."""
        if execution.ending not in (Ending.EXITED, Ending.SIGNALLED) or execution.succeeded:
            return False
        said = execution.stderr
        uncaught = b"terminate called after throwing an instance of 'std::bad_alloc'" in said
        return uncaught or b"ERROR: AddressSanitizer: out of memory" in said or b"AddressSanitizer: out-of-memory" in said

    def versions(self) -> dict[str, str]:
        """Return the versions of compiler and build tools; those that only some recipes need may be missing."""
        needed = (host.require("gcc" if self._language == "c" else "g++"), host.require("ninja", "ninja-build"))
        others = (tool for tool in ("gcc", "g++", "make", "cmake") if host.is_installed(tool))
        return {tool: host.version(tool) for tool in dict.fromkeys((*needed, *others))}


def run_env(build: Build, test: Test) -> tuple[tuple[str, str], ...]:
    """Return the environment of programs and tests."""
    return (*(_SANITIZE_ENV if build.sanitize else ()), *test.env)


def _tests_of(build: Build, test: Test) -> str:
    """Return what runs the tests: a program, or the folder for ctest or make."""
    folders = {"ctest": _cmake_folder(build, "-B", "build"), "automake": "."}
    return test.program or folders[test.framework] if test.framework in folders else _program(build, test)


def _batch(argv: tuple[str, ...], tests: tuple[str, ...], build: Build, test: Test) -> Batch:
    command = Command(argv=argv, env=run_env(build, test), private=True, address_space=not build.sanitize)
    return Batch(command=command, tests=tests, nonce="")


def _program(build: Build, test: Test) -> str:
    if not test.program and build.tool != "compile":
        raise UserError(f"test.program is missing: with build.tool = {build.tool!r} it must name the program to run")
    program = test.program or ("build/program" if test.framework == "stdio" else "build/tests")
    # A bare name would be looked up in PATH.
    return program if "/" in program else f"./{program}"


def _flags(build: Build) -> str:
    flags = " ".join((*FLAGS, *(SANITIZE if build.sanitize else ())))
    # Other compilers, which a recipe may name, have no such flag.
    return flags if _uses_gcc(build) else flags.replace(f" {MAX_ERRORS}", "")


def _uses_gcc(build: Build) -> bool:
    return not any("clang" in flag for flag in build.flags)


def _make(build: Build) -> Command:
    host.require("make")
    # A makefile that sets CFLAGS overrides the environment; the compiler's name on the command line overrides the makefile.
    compilers = tuple(f"{name} {MAX_ERRORS} {' '.join(SANITIZE)}" for name in ("CC=gcc", "CXX=g++")) if build.sanitize else ()
    argv = ("make", _JOBS, *compilers, *build.flags, *build.targets)
    command = _builder(argv, build)
    # It would also lose the limit on errors; the compiler's name in the environment keeps it.
    bounded = {"CC": f"gcc {MAX_ERRORS}", "CXX": f"g++ {MAX_ERRORS}"} if _uses_gcc(build) else {}
    return dataclasses.replace(command, env=tuple((name, bounded.get(name, value)) for name, value in command.env))


def _cmake(build: Build, files: Sequence[str]) -> Command:
    host.require("cmake")
    host.require("ninja", "ninja-build")
    source, made = _cmake_folder(build, "-S", "."), _cmake_folder(build, "-B", "build")
    flags = [flag for flag in build.flags if not flag.startswith(("-S", "-B"))]
    settings = (*_DEBUG, *(_ARCHIVER if host.is_installed("gcc-ar") else ()), *flags)
    configure = shlex.join(["cmake", "-S", source, "-B", made, "-G", "Ninja", *settings])
    compile_ = shlex.join(["ninja", "-C", made, _JOBS, *build.targets])
    # A build folder remembers where it was made, and may have looked for files: only one made here of the same files needs no
    # second configuration (ninja itself runs cmake again when a CMakeLists.txt has changed). One made here of others is configured
    # from nothing; what was compiled stays, for ninja knows of each file with which command it was made, and of what.
    stamp = f"{made}/.files-{_digest(tuple(files), made)}"
    home = "$PWD" if source == "." else f"$PWD/{source}"
    here = f'grep -qsxF "CMAKE_HOME_DIRECTORY:INTERNAL={home}" {made}/CMakeCache.txt'
    forget = f"{{ {here} && rm -f {made}/CMakeCache.txt {made}/.files-*; }} || rm -rf {made}"
    gold = f'{{ {_WANTS_ITS_LINKER} || export LDFLAGS="$LDFLAGS {GOLD}"; }}' if host.is_installed("ld.gold") else ":"
    configured = f"{{ {here} && test -f {stamp}; }} || {{ {forget}; {gold}; {configure} && touch {stamp}; }}"
    return _builder(("/bin/sh", "-c", f"{configured} && exec {compile_} >&2"), build)


def _builder(argv: tuple[str, ...], build: Build) -> Command:
    # Programs that a build makes and runs (code generators, tests of `configure`) are sanitised too and need address space.
    return Command(argv=argv, env=_compiler_env(_flags(build), build), writable=True, address_space=not build.sanitize)


def _cmake_folder(build: Build, option: str, usual: str) -> str:
    """Return the folder of the sources (`-Scpp`) or of what is built (`-Bout`), as the flags of a recipe name it."""
    named = [flag.removeprefix(option).strip("= ") for flag in build.flags if flag.startswith(option)]
    folder = named[-1].rstrip("/") if named and build.tool == "cmake" else usual
    if not _PLAIN_FOLDER.fullmatch(folder) or ".." in folder.split("/"):
        raise UserError(f"build.flags: {option}{folder} names no folder of the tree")
    return folder


@functools.lru_cache(maxsize=16)
def _digest(files: tuple[str, ...], made: str) -> str:
    return digest(sorted(path for path in files if not path.startswith(f"{made}/")))


def _compiler_env(flags: str, build: Build) -> tuple[tuple[str, str], ...]:
    linking = (("LDFLAGS", " ".join(SANITIZE)),) if build.sanitize else ()
    # Without them, tools look for `cc` and `c++`, links into /etc that a sandbox may not show.
    compilers = (("CC", "gcc"), ("CXX", "g++"))
    return (*compilers, ("CFLAGS", flags), ("CXXFLAGS", flags), *linking, *(_SANITIZE_ENV if build.sanitize else ()))


# Files of a tree come in any order, so what was generated may look older than what it was generated from, and make would generate
# it again. Where nothing was generated, autogen.sh or autoreconf does it.
_GENERATE = """
if [ -f configure ]; then
    find . -name aclocal.m4 -exec touch {} +
    sleep 0.02
    find . \\( -name configure -o -name config.h.in -o -name Makefile.in \\) -exec touch {} +
elif [ -f autogen.sh ]; then
    NOCONFIGURE=1 sh ./autogen.sh
else
    autoreconf -fi
fi
"""
# Makefiles remember where they were made: only one configured here needs no other.
_SCRIPT = """
configure() {{
    {generate}
    [ -f configure ] && sh ./configure {flags}
}}
{{ grep -qsxF "ac_pwd='$PWD'" config.status && [ -f Makefile ]; }} || configure >&2 || exit 1
exec {make} >&2
"""


def _configuring(build: Build, jobs: str) -> tuple[str, ...]:
    """Return the command that configures a tree, unless that was done in the same place, and makes it."""
    make = shlex.join([host.require("make"), jobs, *build.targets])
    script = _SCRIPT.format(generate=_GENERATE.strip(), flags=shlex.join(build.flags), make=make)
    return ("/bin/sh", "-c", script)
