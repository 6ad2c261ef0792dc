"""Lay out a bug's tree with a candidate applied, and recognise candidates that differ only in layout.

Test files are never taken from a candidate.
"""

import dataclasses
import functools
import re
import shutil
from collections.abc import Iterable, Mapping
from pathlib import Path

from repairlab.core.bug import Bug, Tree
from repairlab.core.candidate import Candidate
from repairlab.core.diff import apply_edits
from repairlab.core.errors import HarnessError, UserError
from repairlab.core.recipe import matching
from repairlab.core.record import digest
from repairlab.languages.facts import facts
from repairlab.languages.language import language
from repairlab.languages.syntax import turns_warnings_into_errors
from repairlab.validation.paths import check_path, check_together, is_file
from repairlab.validation.worktree import files_below, write_text

LARGEST_GROWTH = 1_000_000
"""Characters that a candidate may add to the files it changes: the largest fixes have a few thousand."""
MOST_EDITS = 10_000
LARGEST_NORMAL_FORM = 1_000_000
"""Length of a file beyond which looking for candidates that differ only in layout does not pay."""

_SETTINGS = (
    # Python: pytest, and what every interpreter loads at start-up
    *("conftest.py", "pytest.ini", ".pytest.ini", "pytest.toml", ".pytest.toml", "tox.ini", "setup.cfg", "setup.py"),
    "pyproject.toml",
    *("sitecustomize.py", "usercustomize.py", "*.pth"),
    # Java: build tools, JUnit's settings and services found by name
    *("build.xml", "pom.xml", "*.gradle", "*.gradle.kts", "junit-platform.properties", "META-INF/**"),
    # C and C++: build tools
    *("CMakeLists.txt", "*.cmake", "CMakePresets.json", "Makefile", "makefile", "GNUmakefile", "*.mk", "*.ninja", "configure*"),
    # JavaScript and Go: settings of runners, and modules found before the project's own
    *(".mocharc.*", "jest.config.*", "vitest.config.*", ".npmrc", "node_modules/**", "go.work", "go.work.sum"),
    "vendor/modules.txt",
    # autoconf, automake and libtool: what they read, and the scripts they leave
    *("*.am", "*.ac", "*.m4", "Makefile.in", "autogen.sh", "bootstrap", "bootstrap.sh", "test-driver", "libtool", "ltmain.sh"),
    *("compile", "config.guess", "config.site", "config.status", "config.sub", "depcomp", "install-sh", "missing", "ylwrap"),
    # code that would replace a test framework
    *("pytest.py", "unittest.py", "pytest/**", "_pytest/**", "unittest/**", "pluggy/**", "pluggy.py"),
    *("org/junit/**", "org/hamcrest/**", "org/opentest4j/**", "junit/framework/**", "gtest/**", "catch2/**", "gtest.h"),
    "catch.hpp",
)
"""Files that decide how tests are built and run, in any folder: no candidate may touch them unless the fix does."""
_TEST_SETTINGS = (*_SETTINGS, *(f"**/{pattern}" for pattern in _SETTINGS))


def changed_files(candidate: Candidate, bug: Bug) -> dict[str, str | None]:
    """Return the new text of each file that a candidate changes; UserError says why it does not apply."""
    if candidate.problem is not None:
        raise UserError(candidate.problem)
    if candidate.bug_id != bug.id:
        raise UserError(f"the candidate is for bug {candidate.bug_id!r}, not for {bug.id!r}")
    changed = apply_edits(candidate.edits, _sources(candidate, bug))
    for path, text in changed.items():
        if text is not None and "\0" in text and path.endswith((".java", ".c", ".cpp", ".h", ".hpp")):
            raise UserError(f"the new text of {path!r} holds a NUL character")
    if refused := protected(changed, bug):
        raise UserError(f"tampering: candidates may not touch the configuration of tests or builds, such as {refused[0]!r}")
    hidden = set(matching(changed, bug.oracle.test.files))
    return {path: text for path, text in changed.items() if path not in hidden}


def protected(paths: Iterable[str], bug: Bug) -> list[str]:
    """Return the paths that decide how tests are built and run, except the file to fix and those of the reference fix."""
    allowed = {bug.problem.path, *(edit.path for edit in bug.oracle.reference)}
    return [path for path in matching(paths, _TEST_SETTINGS) if path not in allowed]


def _sources(candidate: Candidate, bug: Bug) -> dict[str, str]:
    """Return the texts of the existing files that a candidate changes, after checking its paths and size."""
    if len(candidate.edits) > MOST_EDITS:
        raise UserError(f"the candidate has {len(candidate.edits)} edits; no more than {MOST_EDITS} are possible")
    tree = Path(bug.tree.source)
    sources: dict[str, str] = {}
    paths = list(dict.fromkeys(edit.path for edit in candidate.edits))
    for path in paths:
        check_path(path)
        if is_file(tree, path):
            try:
                sources[path] = (tree / path).read_bytes().decode("utf-8")
            except UnicodeDecodeError:
                raise UserError(f"{path!r} is not UTF-8 text, so it cannot be edited") from None
            except OSError as error:
                raise HarnessError(f"cannot read {path!r} of bug {bug.id}: {error.strerror}") from error
    check_together(paths)
    n_new = sum(len(edit.text or "") for edit in candidate.edits)
    if n_new > sum(map(len, sources.values())) + LARGEST_GROWTH:
        raise UserError(
            f"the candidate has {n_new} characters of new text; it may have {LARGEST_GROWTH} more than the files that it changes"
        )
    return sources


def lay_out(bug: Bug, changed: Mapping[str, str | None], work: Path) -> None:
    """Copy the buggy tree to `work` and write the changed files into it."""
    try:
        shutil.copytree(bug.tree.source, work, symlinks=True, ignore=shutil.ignore_patterns(".git", "__pycache__"))
        for path, text in changed.items():
            write_text(work / path, text)
    except (OSError, shutil.Error) as error:
        raise HarnessError(f"cannot lay out bug {bug.id}: {error}") from error


def lay_out_twin(bug: Bug, texts: Mapping[str, str], folder: Path) -> Bug:
    """Return a bug with these texts of test files, in a copy of its tree in an empty folder."""
    lay_out(bug, texts, folder / "tree")
    return dataclasses.replace(bug, tree=Tree(source=str(folder / "tree"), digest=digest(bug.tree.digest, dict(texts))))


def lay_over(bug: Bug, built: Path, work: Path) -> None:
    """Copy the built tree of a twin to `work`, then write the bug's own files that differ."""
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
    """Return a hash that is equal for candidates that differ only in comments and white space and thus cannot behave differently.

    A UserError says that a candidate does not apply.
    """
    changed = dict(sorted(changed_files(candidate, bug).items()))
    if layout_counts(changed, bug):
        return digest(bug.id, "text", changed)
    syntax, extensions = language(bug.problem.language).syntax, facts(bug.problem.language).extensions
    forms = {
        path: syntax.normal_form(text) if text and path.endswith(extensions) and len(text) <= LARGEST_NORMAL_FORM else text
        for path, text in changed.items()
    }
    return digest(bug.id, "tokens", forms)


_BLANKS = re.compile(r"[\s\\]+")
_QUOTES = re.compile(r"[\"'`]")


def rough_form(changed: Mapping[str, str | None], name: str) -> str | None:
    r"""Return a text that is equal for equal normal forms, and made quickly; none where that takes a closer look.

    >>> rough_form({"a.py": "x = [1,  # one\n     2]"}, "python") == rough_form({"a.py": "x = [1, 2]"}, "python")
    True
    >>> rough_form({"a.py": "x = '# one'"}, "python")
    """
    known, parts = facts(name), list[str]()
    (line_comment, *other_comments), extensions = known.comments, known.extensions
    for path, text in sorted(changed.items()):
        if text is None or not path.endswith(extensions):
            parts += [path, str(text)]
            continue
        lines = [line.partition(line_comment) for line in text.splitlines()]
        if any(mark in text for mark in other_comments) or any(
            mark and _QUOTES.search(code + comment) for code, mark, comment in lines
        ):
            return None
        parts += [path, _BLANKS.sub("", "".join(code for code, _, _ in lines))]
    return "\0".join(parts)


_LARGEST_TREE = 64 * 1024 * 1024
"""Bytes of sources; larger trees are not searched, and are assumed to look at the layout of a file."""
_AMBIGUOUS = re.compile(r"[^ -~\t\n\r]|\r(?!\n)")
"""Characters that tools read differently: as the end of a line, a blank, part of a comment, or an error."""
_BUILD_FILES = (
    "CMakeLists.txt",
    ".cmake",
    "akefile",
    ".mk",
    ".am",
    ".ac",
    ".in",
    "configure",
    "pom.xml",
    "build.xml",
    ".gradle",
    ".kts",
)


def layout_counts(changed: Mapping[str, str | None], bug: Bug) -> bool:
    """Return whether the layout of a candidate's files may matter: to them, the rest of the tree, or the build."""
    syntax = language(bug.problem.language).syntax
    texts = [text for text in changed.values() if text is not None]
    sources = [text for path, text in changed.items() if text and path.endswith(facts(bug.problem.language).extensions)]
    flags = " ".join(bug.oracle.build.flags)
    return (
        any(map(_AMBIGUOUS.search, texts))
        or any(map(syntax.sees_text, texts))
        # After something unreadable, a compiler may have read the rest differently.
        or any(token.kind == "error" for text in sources for token in syntax.tokens(text))
        or turns_warnings_into_errors(flags)
        or _tree_looks(bug.tree, bug.problem.language, bug.oracle.test.files)
    )


@functools.lru_cache(maxsize=16)
def _tree_looks(tree: Tree, name: str, tests: tuple[str, ...]) -> bool:
    """Return whether something in a buggy tree looks at layout; the same for all candidates of a bug."""
    root = Path(tree.source)
    syntax = language(name).syntax
    endings = (*facts(name).extensions, *facts(name).headers)
    size = 0
    paths = files_below(root)
    hidden = set(matching(paths, tests))  # candidates do not change them
    for path in paths:
        if not path.endswith((*endings, *_BUILD_FILES)):
            continue
        content = (root / path).read_bytes()
        size += len(content)
        text = content.decode("utf-8", "replace")
        looks = syntax.sees_text(text, of_others=path in hidden) if path.endswith(endings) else turns_warnings_into_errors(text)
        if looks or size > _LARGEST_TREE:
            return True
    return False
