"""The code of a failing test, for repairers that are shown tests."""

import re
from pathlib import Path

from repairlab.core.bug import Bug
from repairlab.core.recipe import matching
from repairlab.validation.worktree import files_below

_LARGEST = 1 << 20


def code_of_failing_test(bug: Bug) -> str:
    """Return the code of the first failing test that is found by name; empty if there is none, as for programs."""
    tree = Path(bug.tree.source)
    paths = matching(sorted(files_below(tree)), bug.oracle.test.files)
    texts = {path: (tree / path).read_text(encoding="utf-8", errors="replace") for path in paths if _is_small(tree / path)}
    for test in bug.oracle.trigger:
        for name in _names(test):
            pattern = re.compile(rf"^.*(?<!\w){re.escape(name)}(?!\w).*$", re.MULTILINE)
            # A list of tests also names them: what has a body is the test itself.
            found = (f"{path}:\n\n{code}" for path in _likeliest(texts, test) if (code := _longest(texts[path], pattern)))
            if code := next(found, ""):
                return code
    return ""


def _is_small(file: Path) -> bool:
    return file.is_file() and file.stat().st_size <= _LARGEST


def _names(test: str) -> list[str]:
    """Return what a test may be called where it is defined, the whole name first.

    >>> _names("tests/test_a.py::TestA::test_b[1]"), _names("Bus.MayCancel"), _names("calendar::TestFree/day")
    (['TestA::test_b', 'test_b'], ['Bus.MayCancel', 'MayCancel'], ['TestFree/day', 'TestFree'])
    """
    bare = re.sub(r"\[.*\]$", "", test)
    whole = bare.split("::", 1)[-1]
    return list(dict.fromkeys((whole, whole.split("::")[-1], whole.split("/")[0], re.split(r"::| > |[.#]", whole)[-1])))


def _likeliest(texts: dict[str, str], test: str) -> list[str]:
    """Return the paths, first those that the test's name mentions."""
    return sorted(texts, key=lambda path: (Path(path).stem not in re.split(r"[/.:]+", test), path))


def _longest(text: str, pattern: re.Pattern[str]) -> str:
    return max((code for match in pattern.finditer(text) if "\n" in (code := _block(text, match.start()))), key=len, default="")


def _block(text: str, start: int) -> str:
    """Return a line with everything indented below it and the brackets that close it."""
    lines = text[start:].split("\n")
    margin = len(lines[0]) - len(lines[0].lstrip())
    kept = lines[:1]
    for line in lines[1:]:
        is_out = len(line) - len(line.lstrip()) <= margin and bool(line.strip())
        if is_out and not line.lstrip().startswith(("}", ")", "{")):
            break
        kept.append(line)
        if is_out and not line.lstrip().startswith("{"):
            break
    return "\n".join(kept).rstrip()
