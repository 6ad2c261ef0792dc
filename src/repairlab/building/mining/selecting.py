"""The commits of a history that look like fixes: stage by stage, counted in a funnel. Nothing is built or run.

A history is read as a stream of one `git log`; the paths that a commit changes are sorted into sources, tests and the rest.
"""

import re
from collections.abc import Collection, Iterator, Mapping, Sequence
from functools import cache
from pathlib import Path, PurePosixPath

from repairlab.benchmarks.protection import is_test_path
from repairlab.building.importers.repository import Repository
from repairlab.building.mining.funnel import Funnel
from repairlab.building.mining.settings import MiningSettings, message_rule
from repairlab.core.bug import Bug
from repairlab.core.errors import UserError
from repairlab.core.record import record
from repairlab.languages.facts import by_extension, every
from repairlab.languages.fix_extent import Extent, fixed_function, location_of, too_wide
from repairlab.validation.apply import changed_files

_START = "\x01commit\x02"
"""Stands before every commit; no message has it."""
_STATUS = re.compile(r"[AMDTUX]")


@record
class ChangedPath:
    """One path that a commit changes; a renamed file is one that was deleted and one that was added."""

    status: str
    """A: added, M: modified, D: deleted, T: now of another type."""
    path: str


@record
class Commit:
    """One commit of a history."""

    id: str
    parents: tuple[str, ...]
    date: str
    """When it was committed: 2020-02-29T12:00:00+01:00."""
    message: str
    changes: tuple[ChangedPath, ...]


def read_history(repository: Repository, *, since: str = "", until: str = "") -> Iterator[Commit]:
    """Yield the commits that lead to HEAD, newest first; a history that was cut off is refused, for who knows what it lacks."""
    if repository.is_shallow():
        raise UserError(
            f"{repository.folder} is a shallow clone: its history is cut off. Fetch the rest with: git fetch --unshallow"
        )
    dates = [f"--{name}={value}" for name, value in (("since", since), ("until", until)) if value]
    arguments = ("log", "-z", "--no-renames", "--name-status", f"--format={_START}%H%x00%P%x00%cI%x00%B%x00", *dates)
    for text in repository.stream(*arguments, separator=_START.encode()):
        commit, parents, date, message, *changes = text.decode("utf-8", "replace").split("\0")
        yield Commit(
            id=commit,
            parents=tuple(parents.split()),
            date=date,
            message=message.strip(),
            changes=tuple(_changes([field.strip("\n") for field in changes])),
        )


def _changes(fields: list[str]) -> Iterator[ChangedPath]:
    fields = [field for field in fields if field]
    for status, path in zip(fields[::2], fields[1::2], strict=False):
        if _STATUS.fullmatch(status):
            yield ChangedPath(status=status, path=path)


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


COMMITS, MESSAGE, PATHS, CONTENT = "commits", "message", "files", "change"
"""The stages."""
_ANY_LENGTH = 10**9
_Texts = tuple[bytes | None, bytes | None]
"""A source before and after a commit, none where it is not there."""


@record
class Selected:
    """A commit that looks like a fix."""

    commit: Commit
    change: CommitChange
    target: str | None = None
    """The function that differs, where it is one of one file."""
    location: str | None = None
    """How far the fix extends, where it is in one file."""


def select(
    repository: Repository,
    settings: MiningSettings,
    funnel: Funnel,
    *,
    needs_tests: bool = True,
    patches: Collection[str] = (),
) -> Iterator[Selected]:
    """Yield the commits that pass every filter, the newest first, at most as many as the settings allow.

    Commits listed in `patches` are fixes; their messages are not read.
    """
    says_so = message_rule(settings.message)
    n_found = 0
    for commit in read_history(repository, since=settings.since, until=settings.until):
        if settings.limit is not None and n_found >= settings.limit:
            return
        if not funnel.count(COMMITS, "" if len(commit.parents) == 1 else "a merge, or the first of all"):
            continue
        is_fix = commit.id in patches or says_so(commit.message)
        if not funnel.count(MESSAGE, "" if is_fix else "the message names no fix"):
            continue
        change = change_of(commit)
        if not funnel.count(PATHS, unfit(change, settings.extent, needs_tests=needs_tests) or _other_language(change, settings)):
            continue
        texts = [(repository.read(commit.parents[0], path), repository.read(commit.id, path)) for path in change.sources]
        if funnel.count(CONTENT, _unfit_content(texts, change.language, settings)):
            n_found += 1
            yield _selected(commit, change, texts)


def _other_language(change: CommitChange, settings: MiningSettings) -> str:
    return "" if settings.language in (None, change.language) else f"it is in {change.language}"


def _unfit_content(texts: Sequence[_Texts], language: str, settings: MiningSettings) -> str:
    for old, new in texts:
        is_whole = old is not None and new is not None
        if not is_whole and settings.extent != "files":
            return "the clone lacks the file's contents"
        try:
            before, after = _decoded((old, new))
        except UnicodeDecodeError:
            return "a source is not UTF-8 text"
        if is_whole and (reason := too_wide(language, before, after, settings.extent, settings.max_lines)):
            return reason
    return ""


def wider(bug: Bug, extent: Extent) -> str:
    """Say why the fix of a bug is none of the extent; nothing when it is."""
    if extent == "files":
        return ""
    try:
        changed = {path: new for path, new in changed_files(bug.fix, bug).items() if _language(path)}
        if len(changed) != 1:
            return f"{len(changed) or 'no'} source file{'s are' if len(changed) > 1 else ' is'} changed"
        ((path, after),) = changed.items()
        file = Path(bug.tree.source, path)
        if after is None or not file.is_file():
            return "a source file is added or deleted"
        return too_wide(_language(path), file.read_text(encoding="utf-8"), after, extent, _ANY_LENGTH)
    except (UserError, UnicodeDecodeError) as error:
        return f"its fix cannot be read: {error}"


def _decoded(texts: _Texts) -> tuple[str, str]:
    return (texts[0] or b"").decode(), (texts[1] or b"").decode()


def _selected(commit: Commit, change: CommitChange, texts: Sequence[_Texts]) -> Selected:
    """Say what the commit changes now, while its texts are parsed: reading a large source once more is dear."""
    if len(texts) != 1:
        return Selected(commit=commit, change=change)
    before, after = _decoded(texts[0])
    target, location = fixed_function(change.language, before, after), location_of(change.language, before, after)
    return Selected(commit=commit, change=change, target=target, location=location)
