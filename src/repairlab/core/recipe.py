"""How a bug's tree is built and tested, without saying which tests must pass, and which files its patterns match.

Languages turn recipes into commands.
"""

import re
from collections.abc import Iterable
from functools import lru_cache

from repairlab.core.execution import BuildLimits
from repairlab.core.record import record

Tool = str
Framework = str
"""Names that a language knows; its facts list them, and reading a benchmark checks them."""


@record
class Build:
    """How to build. Which fields matter depends on the tool."""

    tool: Tool = "none"
    """`none` (Python: only checked to compile to bytecode), `javac`, `compile` (plain gcc/g++), `make`, `cmake` (with ninja),
    `autotools` (configure, then make), `go` (go build, go test -c)."""
    sources: tuple[str, ...] = ()
    """Globs of the program's source files, relative to the root (`**` allowed)."""
    tests: tuple[str, ...] = ()
    """Globs of test source files that are compiled, too (javac, compile)."""
    include: tuple[str, ...] = ()
    """Header search folders (compile)."""
    flags: tuple[str, ...] = ()
    """Extra compiler flags; for make, cmake and configure extra arguments (`CFLAGS=-O1`, `-DX=ON`)."""
    libraries: tuple[str, ...] = ()
    """Linker flags after the objects, e.g. `-lm`, `-lgtest`."""
    targets: tuple[str, ...] = ()
    """Targets of make (autotools, too) or cmake; none means the default one."""
    release: int | None = None
    """Java language level (`javac --release`)."""
    class_path: tuple[str, ...] = ()
    """Jars of the tree that the build needs."""
    sanitize: bool = False
    """Build with AddressSanitizer and UndefinedBehaviorSanitizer, which turn silent memory errors into crashes."""
    environment: str = ""
    """Packages with which the tree is checked and tested (Python): the name of a lock of the benchmark; empty: only pytest."""
    limits: BuildLimits = BuildLimits()


@record
class Test:
    """How tests are run and which files belong to them."""

    framework: Framework = "stdio"
    program: str = ""
    """What to run: the script (Python stdio), the main class (Java stdio), the binary (C and C++: stdio, gtest, catch2, tap, cmocka
    and cunit), what takes names of tests (lines, lit), the build folder (ctest), the makefile's folder (automake), `tree`
    where the tree is the framework itself (pytest); empty means the framework's usual one."""
    files: tuple[str, ...] = ()
    """Globs of test files and test configuration: hidden from repairers and restored after a candidate is applied."""
    env: tuple[tuple[str, str], ...] = ()


def matching(paths: Iterable[str], patterns: tuple[str, ...]) -> list[str]:
    """Return the paths that match one of the patterns, in order: `*` stays within a folder, `**` crosses folders.

    A pattern behind `!` takes out what others match, wherever it stands.

    >>> matching(["a.c", "src/b.c", "src/x/c.c"], ("src/**/*.c",))
    ['src/b.c', 'src/x/c.c']
    >>> matching(["tests/a.py", "tests/x/b.py", "a.py"], ("tests/**",))
    ['tests/a.py', 'tests/x/b.py']
    >>> matching(["tests/a.py", "tests/rates.csv"], ("tests/**", "!tests/*.csv"))
    ['tests/a.py']
    """
    wanted, unwanted = _compiled(patterns)
    return [path for path in paths if wanted.fullmatch(path) and not unwanted.fullmatch(path)]


@lru_cache(maxsize=1024)
def _compiled(patterns: tuple[str, ...]) -> tuple[re.Pattern[str], re.Pattern[str]]:
    """Return the paths that match, and those that are excluded again."""
    wanted = [_expression(pattern) for pattern in patterns if not pattern.startswith("!")]
    unwanted = [_expression(pattern[1:]) for pattern in patterns if pattern.startswith("!")]
    nothing = "(?!)"
    return re.compile("|".join(wanted) or nothing, re.DOTALL), re.compile("|".join(unwanted) or nothing, re.DOTALL)


def _expression(pattern: str) -> str:
    parts = re.split(r"(\*\*/|\*\*|\*|\?)", pattern)
    meaning = {"**/": "(?:.*/)?", "**": ".*", "*": "[^/]*", "?": "[^/]"}
    return f"(?:{''.join(meaning.get(part, re.escape(part)) for part in parts)})"
