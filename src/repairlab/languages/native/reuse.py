"""One tree of a C or C++ bug that is built once and then again for candidate after candidate; `NativeToolchain.shared` makes it.

Between two candidates whoever owns the tree puts back what changed, build products included, each with its own modification time:
then ninja and make find the buggy program's tree as it was built, and in it a candidate's files, newer than all the rest.
"""

import dataclasses
import re
from collections.abc import Callable, Collection, Iterator, Mapping, Sequence
from functools import cached_property
from pathlib import Path, PurePosixPath

from repairlab.core.execution import Command
from repairlab.core.recipe import Build, Test
from repairlab.core.record import digest
from repairlab.languages.language import Toolchain
from repairlab.languages.native.headers import first_includes, possible, precompiled
from repairlab.languages.native.ninja import CPP, C, compiler_flags, object_file, sources

_UNITS = (*C, *CPP)
_CODE = (*_UNITS, ".h", ".hh", ".hpp", ".hxx", ".inl", ".ipp", ".tcc")
_INCLUDE = re.compile(r"^[ \t]*#[ \t]*include(?:_next)?\b[ \t]*(?:[<\"]([^>\"\n]*)|(\w+))", re.MULTILINE)
_LOOKS_INTO_SOURCES = re.compile(r"\b(?:file\s*\(\s*(?:READ|STRINGS)|try_compile|try_run|execute_process)\b", re.IGNORECASE)
"""What can make the configuration of a CMake project depend on a header, without CMake knowing."""
_CONFIGURES = re.compile(r"(?:^|/)CMakeLists\.txt$|\.(?:cmake|in|cmakein)$")
_MAKES = re.compile(r"(?:^|/)(?:configure|[Mm]akefile|autogen\.sh)(?:$|\.)|\.(?:am|ac|m4|in|mk)$")
"""Files that decide how a tree is configured and made."""
_INSTALL = 'mkdir -p build/headers && printf %s "$INCLUDES" >"$1" && exec cat >"$1.gch"'


class SharedTree:
    """What candidates of a bug have in common, nearly all of which change the same file."""

    def __init__(
        self, toolchain: Callable[[Mapping[str, str]], Toolchain], build: Build, *, tree: Path, changing: str, cache: Path
    ) -> None:
        """Take what makes a tool chain that reads headers before some sources, the buggy tree as it is, and that file's path."""
        self._make, self._build, self._tree, self._changing, self._cache = toolchain, build, tree, changing, cache
        self._header: dict[str, str] = {}

    def prepare(self, test: Test, files: Sequence[str]) -> tuple[Command, ...]:
        """Return the commands that make, in a copy of the buggy tree, what candidates share; some fail when it does not build."""
        if self._build.tool != "compile":
            return self._make({}).build(self._build, test, files)
        (command,) = self._make({}).build(self._build, test, files)
        targets = [object_file(path) for path in sources(self._build, files) if path != self._changing]
        shared = (dataclasses.replace(command, argv=(*command.argv, "-k0", *targets)),) if targets else ()
        return (*self._headers(files), *shared)

    def toolchain(self, changed: Mapping[str, str | None], *, prepared: bool = True) -> Toolchain | None:
        """Return what builds the tree again with new texts of some files; none where a build from nothing might differ."""
        del prepared  # the tool knows what is left to build
        if not self._serves(changed):
            return None
        same = bool(self._header) and self._first_includes(changed) == self._first_includes({})
        return self._make(self._header if same else {})

    def _headers(self, files: Sequence[str]) -> Iterator[Command]:
        """Yield the command that puts a precompiled header into the tree, if the file can have one."""
        flags = compiler_flags("g++", self._build)
        includes = self._first_includes({})
        if not includes or not self._changing.endswith(CPP):
            return
        if not possible(self._build.flags, self._build.include, files):
            return
        content = precompiled(includes, flags, self._cache)
        if content:
            name = f"build/headers/{digest(includes)}.hpp"
            self._header = {self._changing: name}
            argv = ("/bin/sh", "-c", _INSTALL, "sh", name)
            yield Command(argv=argv, env=(("INCLUDES", includes),), stdin=content, writable=True)

    def _first_includes(self, changed: Mapping[str, str | None]) -> str:
        def read(path: str) -> str | None:
            return changed[path] if path in changed else self._read(path)

        return first_includes(self._changing, read, self._build.include)

    def _read(self, path: str) -> str | None:
        file = self._tree / path
        return file.read_text(encoding="utf-8", errors="replace") if file.is_file() else None

    def _serves(self, changed: Mapping[str, str | None]) -> bool:
        # A file that is new may be found where the build once looked in vain, and no list of dependencies says where it looked.
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
    """Return whether a build from nothing might differ from one that goes on where files change, and others come or go."""
    if any(path.endswith(_CODE) and not path.endswith(_UNITS) for path in others):
        return True  # it may be found where the build once looked in vain, or be missed
    if build.tool == "autotools":  # few makefiles know what includes what, and none which files there could be
        known = [path.endswith(_UNITS) or not (path.endswith(_CODE) or _MAKES.search(path)) for path in changed]
        names = {PurePosixPath(path).name for path in changed}
        return bool(others) or not all(known) or not names.isdisjoint(_included_names(tree))
    return build.tool not in ("cmake", "compile")


def is_configured_by(tree: Path, changed: Collection[str]) -> bool:
    """Return whether files of a CMake project may decide how it is configured."""
    if any(_CONFIGURES.search(path) for path in changed):
        return True
    return not all(path.endswith(_UNITS) for path in changed) and _is_curious(tree)


def _included_names(tree: Path) -> frozenset[str]:
    """Return the names of files that others include; where a macro says what is included, those of all files."""
    texts = [path.read_text(encoding="utf-8", errors="replace") for path in tree.rglob("*") if path.name.endswith(_CODE)]
    found = [match for text in texts for match in _INCLUDE.finditer(text)]
    if any(match[2] for match in found):
        return frozenset(path.name for path in tree.rglob("*"))
    return frozenset(PurePosixPath(match[1]).name for match in found)


def _is_curious(tree: Path) -> bool:
    paths = (path for pattern in ("CMakeLists.txt", "*.cmake") for path in tree.rglob(pattern))
    return any(_LOOKS_INTO_SOURCES.search(path.read_text(encoding="utf-8", errors="replace")) for path in paths)
