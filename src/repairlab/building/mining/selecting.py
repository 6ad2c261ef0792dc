"""The commits of a history that look like fixes: stage by stage, counted in a funnel. Nothing is built or run."""

from collections.abc import Iterator, Sequence

from repairlab.building.importers.repository import Repository
from repairlab.building.mining.changes import CommitChange, change_of, unfit
from repairlab.building.mining.funnel import Funnel
from repairlab.building.mining.history import Commit, read_history
from repairlab.building.mining.messages import message_rule
from repairlab.building.mining.settings import MiningSettings
from repairlab.core.record import record
from repairlab.languages.fix_extent import fixed_function, location_of, too_wide

COMMITS, MESSAGE, PATHS, CONTENT = "commits", "message", "files", "change"
"""The stages."""
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


def select(repository: Repository, settings: MiningSettings, funnel: Funnel, *, needs_tests: bool = True) -> Iterator[Selected]:
    """Yield the commits that pass every filter, the newest first, at most as many as the settings allow."""
    says_so = message_rule(settings.message)
    n_found = 0
    for commit in read_history(repository, since=settings.since, until=settings.until):
        if settings.limit is not None and n_found >= settings.limit:
            return
        if not funnel.count(COMMITS, "" if len(commit.parents) == 1 else "a merge, or the first of all"):
            continue
        if not funnel.count(MESSAGE, "" if says_so(commit.message) else "the message names no fix"):
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


def _decoded(texts: _Texts) -> tuple[str, str]:
    return (texts[0] or b"").decode(), (texts[1] or b"").decode()


def _selected(commit: Commit, change: CommitChange, texts: Sequence[_Texts]) -> Selected:
    """Say what the commit changes now, while its texts are parsed: reading a large source once more is dear."""
    if len(texts) != 1:
        return Selected(commit=commit, change=change)
    before, after = _decoded(texts[0])
    target, location = fixed_function(change.language, before, after), location_of(change.language, before, after)
    return Selected(commit=commit, change=change, target=target, location=location)
