"""Find out whether a candidate that passed its tests changed what judges it. Called by `trial` before it says PLAUSIBLE.

Code under test shares a process with its tests, so no check here is a proof; each stops a trick that is known.
"""

import functools
import hashlib
import os
import re
import stat
from collections.abc import Iterator, Mapping
from pathlib import Path

from repairlab.core.bug import Bug, Tree
from repairlab.core.glob import matching
from repairlab.languages.table import language
from repairlab.languages.toolchain.native_tests import FRAMEWORKS
from repairlab.validation.worktree import files_below

_CODE = (".py", ".java", ".c", ".cc", ".cpp", ".cxx", ".h", ".hh", ".hpp", ".cmake", ".ini", ".cfg", ".toml", ".xml", "Makefile")
"""Test files with these endings must be as they were after the tests; others may be data that tests write."""
_BUILT = (".class", ".jar", ".so", "CTestTestfile.cmake", "Makefile")

_DECIDING = (
    r"__assert_fail|__assert_perror_fail|__assert|_?exit|_Exit|abort|strcmp|strncmp|strcasecmp|memcmp|strlen|strstr|abs|fabs|isnan"
    r"|printf|fprintf|snprintf|puts|write|fwrite|longjmp|raise|__libc_start_main|__cxa_throw"
)
"""Functions of the C library that tests rely on; a program's own definition would be used in their place."""
_DEFINES = re.compile(rf"^(?!static\b)[A-Za-z_][\w \t*]*\b({_DECIDING})\s*\([^;{{}}()]*\)\s*\{{", re.MULTILINE)
_MACROS = re.compile(
    rf"^[ \t]*#[ \t]*(?:define|undef)[ \t]+({_DECIDING}|assert|NDEBUG|main|REQUIRE\w*|EXPECT_\w+|ASSERT_\w+"
    r"|if|else|while|for|return|int|void|static)\b",
    re.MULTILINE,
)
"""A header of the program is part of the tests that include it, and so are its macros."""
_BEFORE_MAIN = re.compile(r"\(\s*(constructor)\b|\.(init_array|preinit_array)\b")
_PYTHON = re.compile(r"""(?:\bimport\s+|\bfrom\s+|['"])(_?pytest|unittest|pluggy)\b""")
_JUNIT = re.compile(r"\b(org\.junit|org\.opentest4j|org\.hamcrest|junit\.framework)\b")
_FRAMEWORK = {
    "pytest": _PYTHON,
    "unittest": _PYTHON,
    "junit4": _JUNIT,
    "junit5": _JUNIT,
    "gtest": re.compile(r"\b(testing)\s*::|\bnamespace\s+(testing)\b|(gtest)|(_ZN7testing)"),
    "catch2": re.compile(r"\b(Catch)\s*::|\bnamespace\s+(Catch)\b|(catch2?/|catch\.hpp)|(_ZN5Catch)"),
}
_SEARCHES = re.compile(
    r"/(proc)/|\b(_getframe|currentframe|f_back|get_objects|get_referrers|settrace|setprofile|addaudithook|ctypes)\b"
    r"|\bos\.(_exit)\b|\bimport\s+(__main__)\b|\b(FileDescriptor|Unsafe)\b|\.(halt)\s*\("
)
"""What it takes to find the runner in memory or its channel among the open files, or to leave in its place."""
_EQUALS_ALL = re.compile(r"\b(__eq__)\b\s*(?:\([^)]*\)[^:\n]*:\s*return|=\s*lambda[^:\n]*:)\s*(?:True|1)\b")
_EXITS = re.compile(
    r"\b(_?exit|_Exit|quick_exit|pthread_exit|thrd_exit|exit_group|syscall|exec[lv]p?e?)\s*\((?!\s*(?:[1-9]\d*|EXIT_FAILURE|-\s*1)\s*\))|\b(__?asm(?:__)?)\b"
)


class Guard:
    """Remembers what judges a candidate, as it is after the build and before any of the candidate's code ran as a test."""

    def __init__(self, bug: Bug, work: Path, changed: Mapping[str, str | None] | None) -> None:
        """Take the tree and the new texts of a candidate's files; none: whatever differs from the bug's own is the candidate's."""
        self._bug, self._work = bug, work
        self._built = dict(_built(bug, work))
        self._changed = changed if changed is not None else dict(_differing(bug, work))

    def problem(self) -> str:
        """Say what the candidate did to its judges, or nothing; to be asked after the tests."""
        for path, content in _judging(self._bug.tree, self._bug.oracle.test.files).items():
            if path.endswith(_CODE) and _content(self._work, path) != content:
                return f"tampering: the test file {path!r} was changed while the tests ran"
            if path.endswith(".py") and any((self._work / path).parent.glob(f"__pycache__/{Path(path).stem}.*")):
                return f"tampering: bytecode for the test file {path!r} was planted while the tests ran"
        after = dict(_built(self._bug, self._work))
        changed = [path for path, content in self._built.items() if after.get(path) != content]
        if changed:
            return f"tampering: {changed[0]!r}, which the build made, was changed while the tests ran"
        return _trick(self._bug, self._changed)


@functools.lru_cache(maxsize=16)
def _judging(tree: Tree, patterns: tuple[str, ...]) -> dict[str, str]:
    """Return the test files of a buggy tree with the hash of each; the same for all candidates of a bug."""
    root = Path(tree.source)
    return {path: _content(root, path) for path in matching(files_below(root), patterns)}


def _built(bug: Bug, work: Path) -> Iterator[tuple[str, str]]:
    """Yield programs, libraries, classes and test lists of the build with their content's hash."""
    if bug.oracle.test.program:
        yield bug.oracle.test.program, _content(work, bug.oracle.test.program)
    root = "." if bug.oracle.test.framework == "automake" else "build"  # automake's makefiles and programs lie beside the sources
    if (work / root).is_symlink():
        return
    folders = [root] if (work / root).is_dir() else []
    for folder in folders:
        with os.scandir(work / folder) as listed:
            for entry in listed:
                path = f"{folder}/{entry.name}"
                mode = entry.stat(follow_symlinks=False).st_mode
                if stat.S_ISDIR(mode):
                    folders.append(path)
                elif entry.name.endswith(_BUILT) or (stat.S_ISREG(mode) and mode & 0o111):
                    yield path, _content(work, path)


def _content(root: Path, path: str) -> str:
    """Return the hash of a file; a link or a pipe, which a candidate may have put in its place, is never opened."""
    name = str(root)
    for part in path.split("/"):
        name = f"{name}/{part}"
        try:
            mode = os.lstat(name).st_mode
        except OSError:
            return "no file"
        if stat.S_ISLNK(mode):
            return "no file"
    return hashlib.sha256(Path(name).read_bytes()).hexdigest() if stat.S_ISREG(mode) else "no file"


def _differing(bug: Bug, work: Path) -> Iterator[tuple[str, str]]:
    """Yield the sources of a tree that are not as in the bug's own."""
    for path in sorted(work.rglob("*")):
        name = path.relative_to(work).as_posix()
        if _is_source(bug, name) and not name.startswith("build/") and not path.is_symlink():
            text = path.read_text(errors="replace")
            if text != _original(bug, name):
                yield name, text


def _trick(bug: Bug, changed: Mapping[str, str | None]) -> str:
    """Say which known trick the changed sources use that the original ones do not, or nothing."""
    hidden = _judging(bug.tree, bug.oracle.test.files)
    fixed = " ".join(edit.text or "" for edit in bug.oracle.reference)
    for name, text in sorted(changed.items()):
        if text is not None and name not in hidden and _is_source(bug, name):
            trick = _new_trick(bug, _original(bug, name) + fixed, text)
            if trick:
                return f"tampering: {trick} in {name!r}"
    return ""


def _is_source(bug: Bug, name: str) -> bool:
    return name.endswith((*language(bug.problem.language).extensions, ".h", ".hpp", ".inc"))


def _original(bug: Bug, name: str) -> str:
    file = Path(bug.tree.source, name)
    return file.read_text(errors="replace") if file.is_file() else ""


def _new_trick(bug: Bug, old: str, new: str) -> str:
    framework = bug.oracle.test.framework
    native = {
        "a macro changes what tests mean ({})": _MACROS,
        "code runs before main ({})": _BEFORE_MAIN,
        # In C++ a function of the same name is another function.
        "a function of the C library is replaced ({})": _DEFINES if bug.problem.language == "c" else None,
        # CTest and automake know a test by its exit code alone; elsewhere a report must be forged, which canaries find.
        "the process can be left early ({})": _EXITS if framework in ("ctest", "automake") else None,
    }
    checks: Mapping[str, re.Pattern[str] | None] = {
        "the test framework is used outside the tests ({})": _FRAMEWORK.get(framework),
        "the runner's process is searched or left ({})": _SEARCHES,
        **(native if framework in FRAMEWORKS else {"an object equals everything ({})": _EQUALS_ALL}),
    }
    syntax = language(bug.problem.language).syntax
    bare = syntax.strip_comments(new)
    for text, pattern in checks.items():
        words = {next(filter(None, match.groups())) for match in pattern.finditer(bare)} if pattern else set()
        fresh = sorted(word for word in words if word not in old)
        if fresh:
            return text.format(fresh[0])
    return ""
