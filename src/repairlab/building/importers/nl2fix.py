"""Import nl2fix: 283 bugs of Defects4J, each with its issue and the one function to fix.

Discussions of an issue (`comments`, `summarized_discussion`) say how it was fixed, so they are not read.
"""

import re
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

from repairlab.building.importers.defects4j import Checkout
from repairlab.building.importers.defects4j_bug import Issue
from repairlab.building.importers.importer import Import, Settings, chosen, need_sources
from repairlab.core.errors import UserError
from repairlab.core.foreign import field, read_json

_KEY = re.compile(r"([A-Za-z]+)_(\d+)_(.+)_(\d+)_(\d+)")
"""Project, number, path, first and last line; a path may hold underscores, so that only both ends are certain."""


def read(sources: Sequence[Path], settings: Settings) -> Import:
    """Look at the data set and a checkout of Defects4J."""
    data, folder = need_sources(list(sources), ("nl2fix_dataset.json", "a checkout of Defects4J"))
    issues = read_issues(data)
    checkout = Checkout(folder, settings)
    ids = chosen(sorted(issues, key=_order), settings)
    if unknown := [bug_id for bug_id in ids if bug_id not in checkout.rows]:
        raise UserError(f"{folder} does not know the bug {unknown[0]} of {data} as an active one")
    return Import(
        name="nl2fix",
        version=checkout.version,
        licence="each bug has the licence of its project",
        description="Bugs of Defects4J within one function, with the issues that reported them",
        n_bugs=len(ids),
        bugs=(checkout.bug(bug_id, issues[bug_id]) for bug_id in ids),
    )


def read_issues(path: Path) -> Mapping[str, Issue]:
    """Return the issues of the data set by bug id such as `Csv-1`."""
    entries = read_json(path)
    if not isinstance(entries, dict) or not entries:
        raise UserError(f"{path} should hold a JSON object with one member per bug")
    found: dict[str, Issue] = {}
    for key, entry in entries.items():
        where = f"{path}, key {key!r}"
        parts = _KEY.fullmatch(key)
        if parts is None:
            raise UserError(f"{where}: a key should be PROJECT_NUMBER_PATH_FIRST_LAST")
        if not isinstance(entry, dict):
            raise UserError(f"{where}: not a JSON object but {type(entry).__name__}")
        project, number, file, first, last = parts.groups()
        found[f"{project}-{number}"] = _issue(entry, where, file, (int(first), int(last)))
    return found


def _issue(entry: dict[str, Any], where: str, file: str, lines: tuple[int, int]) -> Issue:
    return Issue(
        title=" ".join(field(entry, "summary", str, where).split()),
        description=_text(entry, "Description", where),
        url=_text(entry, "issue_url", where) or None,
        path=file,
        first=lines[0],
        last=lines[1],
        source=field(entry, "src", str, where),
    )


def _text(entry: dict[str, Any], name: str, where: str) -> str:
    """Return a text that may be null."""
    return field(entry, name, str, where).strip() if entry.get(name) is not None else ""


def _order(bug_id: str) -> tuple[str, int]:
    project, _, number = bug_id.partition("-")
    return project, int(number)
