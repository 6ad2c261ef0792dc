"""Other files of the tests that may hold what a blind test expects: data, and constants of other test files."""

import re
from collections import Counter
from collections.abc import Collection, Iterator, Mapping
from pathlib import Path

from repairlab.core.bug import Bug
from repairlab.core.recipe import matching
from repairlab.languages.blind import BlindFile
from repairlab.validation.apply import protected
from repairlab.validation.test_mutants import language_of_test
from repairlab.validation.worktree import files_below

NEEDS_DATA = "it needs data files of the tests, which may hold what it expects"
TOLD_ELSEWHERE = "what it expects stands in another file of the tests"
IN_REACH = (NEEDS_DATA, TOLD_ELSEWHERE)
"""Why candidates can reach what a test expects, even if the test itself is blind."""
NO_DATA = "?\n"
"""What replaces the contents of a data file; an empty one might be a table without rows."""
_DATA_FOLDERS = ("testdata/**", "**/testdata/**", "fixtures/**", "**/fixtures/**")
"""Where tests keep data even if the benchmark does not name these files."""
_CONSTANT = re.compile(
    r"^(?!.*\b(?:private|require|import)\b)(?:\S.*?|[ \t]+(?:[\w<>\[\]]+[ \t]+)*?(?:static|final|const|constexpr)\b.*?)??"
    r"\b(\w+)(?:\s*\[[^\]\n]*\])*(?:\s*:[^=\n]+)?\s*:?=(?!=)[^;]{0,80}?[\"'\d]|^\s*#\s*define\s+(\w+)\s+.*[\"'\d]",
    re.MULTILINE,
)
"""Where a file names a literal, or a table of them, for other files."""
_WORD = re.compile(r"\w+")
_NAMELESS = ("exports", "default")


def data_files(bug: Bug) -> list[str]:
    """Return the files of a bug's tests that are neither programs nor settings of tests and builds."""
    paths = set(matching(files_below(Path(bug.tree.source)), (*bug.oracle.test.files, *_DATA_FOLDERS)))
    programs = {*protected(paths, bug), *bug.oracle.build.class_path}
    return sorted(path for path in paths - programs if language_of_test(bug, path) is None)


def told_elsewhere(sources: Mapping[str, str], files: Mapping[str, BlindFile]) -> dict[str, str]:
    """Return test files that expect a constant of another one, with that one: blind files use its name less often."""
    told, found = {path: set(_constants(path, sources[path])) for path in files}, dict[str, str]()
    for path, file in files.items():
        before, after = (Counter(_WORD.findall(text)) for text in (sources[path], file.text))
        as_a_whole = (check.text for check in file.checks if check.of_two or '"b"' in check.expected)
        used = {*file.gone, *(name for name in before if before[name] > after[name])} | set(_WORD.findall(" ".join(as_a_whole)))
        for other in (it for it in told.keys() - {path} if _is_known(it, path, before.keys())):
            if names := (used & told[other]) - told[path]:
                found[path] = f"{TOLD_ELSEWHERE}: {min(names)} in {other}"
    return found


def reason_for(test: str, reasons: Mapping[str, str], files: Collection[str]) -> str:
    """Return the reason of the file that a test is in: the one in its name, or any if its name holds none."""
    words = set(_WORD.findall(test))
    own = {path for path in files if Path(path).name.partition(".")[0] in words} or files
    return next((why for path, why in reasons.items() if path in own), "")


def _is_known(other: str, path: str, words: Collection[str]) -> bool:
    """Return whether a file names another one, or can use it without: in Go, the files of a folder are one package."""
    place = Path(other)
    stem = place.parent.name if place.stem == "__init__" else place.name.partition(".")[0]
    return stem in words or (place.suffix == ".go" and place.parent == Path(path).parent)


def _constants(path: str, text: str) -> Iterator[str]:
    for match in _CONSTANT.finditer(text):
        name = match[1] or match[2]
        yield Path(path).name.partition(".")[0] if name in _NAMELESS else name
