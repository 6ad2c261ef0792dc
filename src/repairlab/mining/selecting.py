"""The commits of a history that look like fixes: stage by stage, counted in a funnel. Nothing is built or run. Called by `mine`."""

from collections.abc import Iterator

from repairlab.benchmarks.importers.repository import Repository
from repairlab.core.record import record
from repairlab.mining.changes import CommitChange, change_of, too_wide, unfit
from repairlab.mining.funnel import Funnel
from repairlab.mining.history import Commit, read_history
from repairlab.mining.messages import message_rule
from repairlab.mining.settings import MiningSettings

COMMITS, MESSAGE, PATHS, CONTENT = "commits", "message", "files", "change"
"""The stages."""


@record
class Selected:
    """A commit that looks like a fix."""

    commit: Commit
    change: CommitChange


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
        if funnel.count(CONTENT, _unfit_content(repository, commit, change, settings)):
            n_found += 1
            yield Selected(commit=commit, change=change)


def _other_language(change: CommitChange, settings: MiningSettings) -> str:
    return "" if settings.language in (None, change.language) else f"it is in {change.language}"


def _unfit_content(repository: Repository, commit: Commit, change: CommitChange, settings: MiningSettings) -> str:
    for path in change.sources:
        old, new = (repository.read(revision, path) for revision in (commit.parents[0], commit.id))
        if settings.extent == "files" and (old is None or new is None):
            continue
        if old is None or new is None:
            return "the clone lacks the file's contents"
        try:
            before, after = old.decode(), new.decode()
        except UnicodeDecodeError:
            return "a source is not UTF-8 text"
        if reason := too_wide(change.language, before, after, settings.extent, settings.max_lines):
            return reason
    return ""
