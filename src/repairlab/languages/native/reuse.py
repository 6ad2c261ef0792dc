"""One tree of a C or C++ bug that is built once and then again for candidate after candidate, with precompiled headers.

Between two candidates whoever owns the tree puts back what changed, build products included, each with its own modification time:
then ninja and make find the buggy program's tree as it was built, and in it a candidate's files, newer than all the rest.

Candidates change one file. What is compiled again for each of them are the sources that read it: itself, or a test that includes
it. Precompiled is what the preprocessor reads first in those, as long as it is nothing but headers of the standard library. The
source itself stays as it is and includes them again, which adds nothing: those headers may be included any number of times. So a
compilation means what it would mean without. Made from the system's headers alone, one serves all bugs: a cache keeps them.
"""

import contextlib
import dataclasses
import functools
import os
import re
import shutil
import subprocess
from collections import Counter
from collections.abc import Callable, Collection, Iterator, Mapping, Sequence
from functools import cached_property
from pathlib import Path, PurePosixPath

from repairlab.core.execution import Command
from repairlab.core.recipe import Build, Test
from repairlab.core.record import digest
from repairlab.languages import host
from repairlab.languages.language import Toolchain
from repairlab.languages.native.ninja import CPP, C, compiler_flags, object_file, sources

_UNITS = (*C, *CPP)
_CODE = (*_UNITS, ".h", ".hh", ".hpp", ".hxx", ".inl", ".ipp", ".tcc")
_INCLUDE = re.compile(r"^[ \t]*#[ \t]*include(?:_next)?\b[ \t]*(?:[<\"]([^>\"\n]*)|(\w+))", re.MULTILINE)
_LOOKS_INTO_SOURCES = re.compile(r"\b(?:file\s*\(\s*(?:READ|STRINGS)|try_compile|try_run|execute_process)\b", re.IGNORECASE)
"""What can make the configuration of a CMake project depend on a header without CMake's knowledge."""
_CONFIGURES = re.compile(r"(?:^|/)CMakeLists\.txt$|\.(?:cmake|in|cmakein)$")
_MAKES = re.compile(r"(?:^|/)(?:configure|[Mm]akefile|autogen\.sh)(?:$|\.)|\.(?:am|ac|m4|in|mk)$")
"""Files that decide how a tree is configured and made."""
_INSTALL = 'mkdir -p build/headers && printf %s "$INCLUDES" >"$1" && exec cat >"$1.gch"'


class SharedTree:
    """What candidates of a bug share, nearly all of which change the same file."""

    def __init__(
        self, toolchain: Callable[[Mapping[str, str]], Toolchain], build: Build, *, tree: Path, changing: str, cache: Path
    ) -> None:
        """Take what makes a tool chain that reads headers before some sources, the unchanged buggy tree, and that file's path."""
        self._make, self._build, self._tree, self._changing, self._cache = toolchain, build, tree, changing, cache
        self._headers: dict[str, tuple[str, str]] = {}
        """By source, the lines with its first includes, and the header that was precompiled of them."""

    def prepare(self, test: Test, files: Sequence[str]) -> tuple[Command, ...]:
        """Return the commands that make, in a copy of the buggy tree, what candidates share; some fail if it does not build."""
        if self._build.tool != "compile":
            return self._make({}).build(self._build, test, files)
        (command,) = self._make({}).build(self._build, test, files)
        units = sources(self._build, files)
        again = including(self._tree, self._changing)
        targets = [object_file(path) for path in units if path not in again]
        shared = (dataclasses.replace(command, argv=(*command.argv, "-k0", *targets)),) if targets else ()
        return (*self._precompiling([path for path in units if path in again], files), *shared)

    def toolchain(self, changed: Mapping[str, str | None], *, prepared: bool = True) -> Toolchain | None:
        """Return what builds the tree again with new texts of some files; none where a build from nothing might differ."""
        del prepared  # the tool knows what is left to build
        if not self._serves(changed):
            return None
        return self._make(
            {path: name for path, (includes, name) in self._headers.items() if self._first_includes(path, changed) == includes}
        )

    def _precompiling(self, units: Sequence[str], files: Sequence[str]) -> Iterator[Command]:
        """Yield the commands that put precompiled headers into the tree for sources that can have one."""
        if not can_precompile(self._build.flags, self._build.include, files):
            return
        flags = compiler_flags("g++", self._build)
        found = {path: self._first_includes(path, {}) for path in units if path.endswith(CPP)}
        for includes, _ in Counter(filter(None, found.values())).most_common(_MOST_IN_A_TREE):
            name = f"build/headers/{digest(includes)}.hpp"
            if content := b"" if name in files else precompiled(includes, flags, self._cache):
                argv = ("/bin/sh", "-c", _INSTALL, "sh", name)
                yield Command(argv=argv, env=(("INCLUDES", includes),), stdin=content, writable=True)
            if content or name in files:  # the tree of a twin has what was put into the other one
                self._headers |= {path: (includes, name) for path, first in found.items() if first == includes}

    def _first_includes(self, unit: str, changed: Mapping[str, str | None]) -> str:
        def read(path: str) -> str | None:
            return changed[path] if path in changed else self._read(path)

        return first_includes(unit, read, self._build.include)

    def _read(self, path: str) -> str | None:
        file = self._tree / path
        return file.read_text(encoding="utf-8", errors="replace") if file.is_file() else None

    def _serves(self, changed: Mapping[str, str | None]) -> bool:
        # A new file may be found where the build once looked in vain, and no dependency list says where it looked.
        if not all(path.endswith(_CODE) and (self._tree / path).is_file() for path in changed):
            return False
        if self._build.tool in ("make", "autotools"):  # few makefiles know what includes what
            return all(path.endswith(_UNITS) and PurePosixPath(path).name not in self._included for path in changed)
        if self._build.tool == "cmake" and self._configuration_is_curious:
            return all(path.endswith(_UNITS) for path in changed)
        return True

    @cached_property
    def _included(self) -> frozenset[str]:
        return _included_names(self._tree)

    @cached_property
    def _configuration_is_curious(self) -> bool:
        return _is_curious(self._tree)


def may_differ(build: Build, tree: Path, changed: Collection[str], others: Collection[str]) -> bool:
    """Return whether a build from scratch might differ from one that continues after files changed, appeared or vanished."""
    if any(path.endswith(_CODE) and not path.endswith(_UNITS) for path in others):
        return True  # it may be found where the build once looked in vain, or be missed
    if build.tool == "autotools":  # few makefiles know what includes what, and none which files might exist
        known = [path.endswith(_UNITS) or not (path.endswith(_CODE) or _MAKES.search(path)) for path in changed]
        names = {PurePosixPath(path).name for path in changed}
        return bool(others) or not all(known) or not names.isdisjoint(_included_names(tree))
    return build.tool not in ("cmake", "compile")


def is_configured_by(tree: Path, changed: Collection[str]) -> bool:
    """Return whether files of a CMake project may decide how it is configured."""
    if any(_CONFIGURES.search(path) for path in changed):
        return True
    return not all(path.endswith(_UNITS) for path in changed) and _is_curious(tree)


def including(tree: Path, changing: str) -> frozenset[str]:
    """Return a file and all code that may read it, by the names that it includes."""
    included = {
        path.relative_to(tree).as_posix(): _included_by(path)
        for path in tree.rglob("*")
        if path.name.endswith(_CODE) and path.is_file()
    }
    found, names = {changing}, {PurePosixPath(changing).name}
    while more := {path for path, read in included.items() if path not in found and (read is None or not names.isdisjoint(read))}:
        found |= more
        names |= {PurePosixPath(path).name for path in more}
    return frozenset(found)


def _included_names(tree: Path) -> frozenset[str]:
    """Return the names of files that others include; if a macro says what is included, those of all files."""
    found = [_included_by(path) for path in tree.rglob("*") if path.name.endswith(_CODE)]
    if None in found:
        return frozenset(path.name for path in tree.rglob("*"))
    return frozenset().union(*(names for names in found if names is not None))


def _included_by(file: Path) -> frozenset[str] | None:
    """Return the names of what a file includes; None if a macro says what."""
    found = [*_INCLUDE.finditer(file.read_text(encoding="utf-8", errors="replace"))]
    return None if any(match[2] for match in found) else frozenset(PurePosixPath(match[1]).name for match in found)


def _is_curious(tree: Path) -> bool:
    paths = (path for pattern in ("CMakeLists.txt", "*.cmake") for path in tree.rglob(pattern))
    return any(_LOOKS_INTO_SOURCES.search(path.read_text(encoding="utf-8", errors="replace")) for path in paths)


_MOST_IN_A_TREE = 2
"""Precompiled headers of one tree: adding each takes time."""
_KEPT = 32
"""Precompiled headers in the cache, some 25 MB each; the most recently used ones stay."""
_NAMES = (
    # C++17
    "algorithm any array atomic bitset cassert cctype cerrno cfenv cfloat charconv chrono cinttypes climits clocale cmath codecvt"
    " complex condition_variable csetjmp csignal cstdarg cstddef cstdint cstdio cstdlib cstring ctime cuchar cwchar cwctype deque"
    " exception execution filesystem forward_list fstream functional future initializer_list iomanip ios iosfwd iostream istream"
    " iterator limits list locale map memory memory_resource mutex new numeric optional ostream queue random ratio regex"
    " scoped_allocator set shared_mutex sstream stack stdexcept streambuf string string_view system_error thread tuple type_traits"
    " typeindex typeinfo unordered_map unordered_set utility valarray variant vector"
    # C++20
    " barrier bit compare concepts coroutine latch numbers ranges semaphore source_location span stop_token version"
    # C
    " assert.h ctype.h errno.h fenv.h float.h inttypes.h limits.h locale.h math.h setjmp.h signal.h stdarg.h stddef.h stdint.h"
    " stdio.h stdlib.h string.h time.h uchar.h wchar.h wctype.h"
    # gcc's header with all of them, which competition programs use
    " bits/stdc++.h"
)
_STANDARD = frozenset(_NAMES.split())

_PLAIN_FLAG = re.compile(
    r"-(?:[Ogm][\w=.-]*|std=[\w+]+|[DU]\w+(?:=\w*)?|W[\w-]*|f(?!plugin|dump|pch|profile)[\w=-]+|pthread|pedantic)"
)
"""Flags that mean the same for a header as for the file that includes it, and that make the compiler load or write nothing."""
_NO_MEANING = re.compile(r"(?>[ \t\r\n\f\v]+|//[^\n]*|/\*(?>[^*]+|\*(?!/))*\*/)*")
_FIRST_LINE = re.compile(
    r"""\#[ \t]*
    (?: include[ \t]*<(?P<standard>[^>\n]+)>
      | include[ \t]*"(?P<local>[\w.+-]+(?:/[\w.+-]+)*)"
      | (?P<idle>ifdef[ \t]+__cplusplus|pragma[ \t]+GCC[ \t]+diagnostic[ \t]+ignored[ \t]+"-W[\w-]+")
      # It must look like a guard: what another macro means to the headers below it is not known here.
      | ifndef[ \t]+(?P<guard>[A-Z]\w*_(?:|H|HH|HPP|HXX|INCLUDED))[ \t]*\r?\n[ \t]*\#[ \t]*define[ \t]+(?P=guard)
      | pragma[ \t]+once )
    [ \t]*(?=[\r\n]|//|/\*|\Z)""",
    re.VERBOSE | re.ASCII,
)
_JOINED = re.compile(r"^.*(?:\\[ \t\r]*$|\?\?)", re.MULTILINE)
"""A line that continues in the next one, or may do so by a trigraph."""


def first_includes(path: str, read: Callable[[str], str | None], folders: Sequence[str]) -> str:
    r"""Return the standard headers that a source includes before anything else, as lines; `read` gives the texts of files, if any.

    Headers of the tree that come first are followed, since a source often begins with its own one.

    >>> first_includes("a.cpp", {"a.cpp": '#include "a.hpp"', "a.hpp": "#pragma once\n#include <map>\nint x;"}.get, ())
    '#include <map>\n'
    """
    names: list[str] = []
    seen: list[str] = []
    local: str | None = path
    while local is not None and local not in seen:
        seen.append(local)
        included = _follow(read(local) or "", names, is_header=len(seen) > 1)
        places = (str(PurePosixPath(folder, included)) for folder in (str(PurePosixPath(local).parent), *folders))
        local = next((place for place in places if included and read(place) is not None), None)
    return "".join(f"#include <{name}>\n" for name in dict.fromkeys(names))


def _follow(text: str, names: list[str], *, is_header: bool) -> str:
    """Collect standard headers up to the first line that is something else; return the header of the tree which that includes."""
    joined = _JOINED.search(text)
    text = text[: joined.start()] if joined else text
    at = 0
    while True:
        skipped = _NO_MEANING.match(text, at)
        found = _FIRST_LINE.match(text, skipped.end() if skipped else at)
        if found is None:
            return ""
        at = found.end()
        if found["local"]:
            return "" if ".." in found["local"].split("/") else found["local"]
        if found["standard"] in _STANDARD:
            names.append(found["standard"])
        elif found["standard"] or not (is_header or found["idle"]):
            return ""


def can_precompile(flags: Sequence[str], folders: Sequence[str], files: Sequence[str]) -> bool:
    """Return whether standard headers are the system's own under these flags, given the files of a tree and its header folders."""
    roots = [PurePosixPath(folder) for folder in folders]
    inside = (PurePosixPath(path).relative_to(root) for path in files for root in roots if PurePosixPath(path).is_relative_to(root))
    return all(map(_PLAIN_FLAG.fullmatch, flags)) and not any(
        (system / path).exists() for path in inside for system in _system_folders()
    )


@functools.lru_cache(maxsize=1)
def _system_folders() -> tuple[Path, ...]:
    """Return where the compiler looks for headers by itself."""
    done = subprocess.run(["g++", "-E", "-v", "-x", "c++", "/dev/null"], capture_output=True, text=True, check=False)
    listed = done.stderr.partition("#include <...> search starts here:")[2].partition("End of search list.")[0]
    return tuple(Path(line.strip()) for line in listed.splitlines() if line.strip())


def precompiled(includes: str, flags: Sequence[str], cache: Path) -> bytes:
    """Return the header with these lines, compiled with these flags; None if they do not compile."""
    # A file's time, not its content, shows that the package with the C library's headers was replaced.
    times = [path.stat().st_mtime_ns for path in (Path("/usr/include/features.h"), *_system_folders()) if path.exists()]
    folder = cache / "headers" / digest(host.version("g++"), times, list(flags), includes)
    with host.made_once(folder) as scratch:
        if scratch is not None:
            (scratch / "first.hpp").write_text(includes, encoding="utf-8")
            argv = ["g++", *flags, "-x", "c++-header", "first.hpp", "-o", "first.hpp.gch"]
            subprocess.run(argv, cwd=scratch, env={"PATH": host.SANDBOX_PATH}, capture_output=True, check=False)
    try:
        os.utime(folder)
        content = (folder / "first.hpp.gch").read_bytes()
    except FileNotFoundError:  # it did not compile, or another process has just deleted it
        return b""
    _forget_oldest(folder.parent)
    return content


def _forget_oldest(folder: Path) -> None:
    with contextlib.suppress(FileNotFoundError):  # others may do the same at the same time
        entries = sorted(
            (path for path in folder.iterdir() if not path.name.startswith(".")), key=lambda path: path.stat().st_mtime
        )
        for path in entries[:-_KEPT]:
            shutil.rmtree(path, ignore_errors=True)
