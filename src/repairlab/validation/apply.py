"""Lay out a bug's tree with a candidate applied. Test files are never taken from a candidate. Called by `validate`."""

import shutil
from collections.abc import Mapping
from pathlib import Path, PurePosixPath

from repairlab.core.bug import Bug
from repairlab.core.candidate import Candidate
from repairlab.core.diff import apply_edits
from repairlab.core.errors import HarnessError, UserError
from repairlab.core.glob import matching
from repairlab.core.record import digest
from repairlab.languages.table import language
from repairlab.validation.worktree import files_below, write_text

_SETTINGS = (
    # Python: pytest, and what every interpreter loads at its start
    *("conftest.py", "pytest.ini", ".pytest.ini", "tox.ini", "setup.cfg", "setup.py", "pyproject.toml"),
    *("sitecustomize.py", "usercustomize.py", "*.pth"),
    # Java: build tools, JUnit's settings and services that are found by name
    *("build.xml", "pom.xml", "*.gradle", "*.gradle.kts", "junit-platform.properties", "META-INF/**"),
    # C and C++: build tools
    *("CMakeLists.txt", "*.cmake", "CMakePresets.json", "Makefile", "makefile", "GNUmakefile", "*.mk", "*.ninja", "configure*"),
    # autoconf, automake and libtool: what they read, and the scripts that they leave
    *("*.am", "*.ac", "*.m4", "Makefile.in", "autogen.sh", "bootstrap", "bootstrap.sh", "test-driver", "libtool", "ltmain.sh"),
    *("compile", "config.guess", "config.site", "config.status", "config.sub", "depcomp", "install-sh", "missing", "ylwrap"),
    # code that would stand in for a test framework
    *("pytest.py", "unittest.py", "pytest/**", "_pytest/**", "unittest/**", "pluggy/**", "pluggy.py"),
    *(
        "org/junit/**",
        "org/hamcrest/**",
        "org/opentest4j/**",
        "junit/framework/**",
        "gtest/**",
        "catch2/**",
        "gtest.h",
        "catch.hpp",
    ),
)
"""Files that decide how tests are built and run, in whatever folder: no candidate may touch them, unless the fix itself did."""
_TEST_SETTINGS = (*_SETTINGS, *(f"**/{pattern}" for pattern in _SETTINGS))


def changed_files(candidate: Candidate, bug: Bug) -> dict[str, str | None]:
    """Return the new text of each file that a candidate changes; UserError says why it does not apply."""
    if candidate.problem is not None:
        raise UserError(candidate.problem)
    if candidate.bug_id != bug.id:
        raise UserError(f"the candidate is for bug {candidate.bug_id!r}, not for {bug.id!r}")
    tree = Path(bug.tree.source)
    sources: dict[str, str] = {}
    for path in dict.fromkeys(edit.path for edit in candidate.edits):
        check_path(path)
        original = tree / path
        if any(parent.is_symlink() for parent in (original, *original.parents) if parent.is_relative_to(tree)):
            raise UserError(f"{path!r} lies behind a symbolic link")
        if original.is_file():
            try:
                sources[path] = original.read_bytes().decode("utf-8")
            except UnicodeDecodeError:
                raise UserError(f"{path!r} is not UTF-8 text, so it cannot be edited") from None
    changed = apply_edits(candidate.edits, sources)
    for path, text in changed.items():
        if text is not None and "\0" in text and path.endswith((".java", ".c", ".cpp", ".h", ".hpp")):
            raise UserError(f"the new text of {path!r} holds a NUL character")
    allowed = {bug.problem.path, *(edit.path for edit in bug.oracle.reference)}
    if refused := [path for path in matching(changed, _TEST_SETTINGS) if path not in allowed]:
        raise UserError(f"tampering: candidates may not touch the configuration of tests or builds, such as {refused[0]!r}")
    hidden = set(matching(changed, bug.oracle.test.files))
    return {path: text for path, text in changed.items() if path not in hidden}


def check_path(path: str) -> None:
    """Refuse a path that leaves the tree, reaches into version control, or is written in another than the one plain way."""
    parts = PurePosixPath(path).parts
    outside = not parts or path.startswith("/") or ".." in parts or parts[0] == ".git"
    # Two spellings of one file (`./a`, `a//b`) would slip past the list of test files.
    if outside or path != "/".join(parts) or "\0" in path or "\\" in path or any(len(part.encode()) > 255 for part in parts):
        raise UserError(f"{path[:200]!r} is not a path inside the tree, written plainly with forward slashes")


def lay_out(bug: Bug, changed: Mapping[str, str | None], work: Path) -> None:
    """Copy the buggy tree to `work` and write the changed files into it."""
    try:
        shutil.copytree(bug.tree.source, work, symlinks=True, ignore=shutil.ignore_patterns(".git", "__pycache__"))
        for path, text in changed.items():
            write_text(work / path, text)
    except (OSError, shutil.Error) as error:
        raise HarnessError(f"cannot lay out bug {bug.id}: {error}") from error


def lay_over(bug: Bug, built: Path, work: Path) -> None:
    """Copy the built tree of a twin to `work`, and write those of the bug's own files into it that differ."""
    source = Path(bug.tree.source)
    try:
        shutil.copytree(built, work, symlinks=True)
        for path in files_below(source):
            content = (source / path).read_bytes()
            if (work / path).read_bytes() != content:
                (work / path).write_bytes(content)
    except (OSError, shutil.Error) as error:
        raise HarnessError(f"cannot lay out bug {bug.id}: {error}") from error


def normal_digest(candidate: Candidate, bug: Bug) -> str:
    """Return a hash equal for candidates that differ only in comments and white space; UserError when one does not apply."""
    syntax = language(bug.problem.language).syntax
    extensions = language(bug.problem.language).extensions
    changed = changed_files(candidate, bug)
    forms = {
        path: syntax.normal_form(text) if text is not None and path.endswith(extensions) else text
        for path, text in sorted(changed.items())
    }
    return digest(bug.id, forms)
