"""Sorts the paths of a commit into sources, tests and the rest."""

from collections.abc import Mapping
from functools import cache
from pathlib import PurePosixPath

from repairlab.benchmarks.test_paths import is_test_path
from repairlab.building.mining.history import Commit
from repairlab.core.record import record
from repairlab.languages.facts import by_extension, every
from repairlab.languages.fix_extent import Extent


@record
class CommitChange:
    """The paths of a commit, sorted."""

    sources: tuple[str, ...]
    """Code that is no test, in languages that we know."""
    tests: tuple[str, ...]
    language: str
    """That of most sources."""
    is_modified: bool
    """Whether every source was there before and is there after."""


def change_of(commit: Commit) -> CommitChange:
    """Sort the paths that a commit changes; deleted tests are none."""
    sources = [item for item in commit.changes if _language(item.path) and not is_test_path(item.path)]
    named = [_language(item.path) for item in sources]
    return CommitChange(
        sources=tuple(item.path for item in sources),
        tests=tuple(item.path for item in commit.changes if item.status != "D" and is_test_path(item.path)),
        language=max(dict.fromkeys(named), key=named.count) if named else "",
        is_modified=all(item.status == "M" for item in sources),
    )


@cache
def _endings() -> Mapping[str, str]:
    """Return the languages by the endings of their files, those that others take in included."""
    return {**{ending: stated.name for stated in reversed(every()) for ending in stated.headers}, **by_extension()}


def _language(path: str) -> str:
    return _endings().get(PurePosixPath(path).suffix, "")


def unfit(change: CommitChange, extent: Extent, *, needs_tests: bool = True) -> str:
    """Say why a change is none of a bug, by its paths alone; nothing when it may be one."""
    if not change.sources:
        return "no source file is changed"
    if needs_tests and not change.tests:
        return "no test file is changed"
    if extent != "files" and len(change.sources) > 1:
        return "several source files are changed"
    if not change.is_modified and extent != "files":
        return "a source file is added or deleted"
    return ""
