"""Issue texts for mined bugs: exports of trackers, linked by what commits say, without what tells the fix."""

import json
import re
from collections.abc import Iterable, Iterator, Mapping
from pathlib import Path
from typing import Any

from repairlab.building.leak import folded, telling_lines
from repairlab.core.errors import UserError
from repairlab.core.record import record

_LINKS = re.compile(r"(?:#|/issues/|\bGH-|\bissue\s+)(\d+)\b|\b([A-Z][A-Z0-9]+-\d+)\b", re.IGNORECASE)
_CLOSING = re.compile(r"\b(?:fix(?:e[sd])?|close[sd]?|resolve[sd]?)\b[\s:]*(?:#|\S*/issues/|GH-|issue\s+)(\d+)", re.IGNORECASE)
_DIFF = re.compile(r"^(?:diff --git |@@ -\d|\+\+\+ |--- [ab]/)", re.MULTILINE)
_FIXED_IN = re.compile(
    r"\b(?:fixed|resolved|solved)\s+(?:in|by|with)\b|\bpull request\b|\bPR\s*#\d+|/pull/\d+|/commit/[0-9a-f]{7}", re.IGNORECASE
)


@record
class TrackedIssue:
    """What a tracker says of a bug, as of before the fix: comments are never read."""

    name: str
    """Number or key."""
    title: str
    description: str
    url: str | None = None


class Issues(Mapping[str, TrackedIssue]):
    """Issues by number (`12`) or key (`CSV-12`)."""

    def __init__(self, sources: Iterable[Path]) -> None:
        """Take exports (JSON, JSON Lines) of GitHub, GitLab or Jira, or folders of Markdown files NUMBER.md."""
        self._issues = {issue.name.upper(): issue for source in sources for issue in _read(source)}

    def __getitem__(self, name: str) -> TrackedIssue:
        return self._issues[name.upper()]

    def __iter__(self) -> Iterator[str]:
        return iter(self._issues)

    def __len__(self) -> int:
        return len(self._issues)

    def named_by(self, message: str) -> TrackedIssue | None:
        """Return the issue that a message closes, else the only one that it names."""
        closed = [number for number in _CLOSING.findall(message) if number in self]
        named = [name for pair in _LINKS.findall(message) for name in pair if name and name in self]
        found = list(dict.fromkeys(closed or named))
        return self[found[0]] if len(found) == 1 or (closed and found) else None


def without_leaks(issue: TrackedIssue, commit: str, added: Iterable[str]) -> tuple[TrackedIssue | None, str]:
    """Return an issue without the paragraphs that tell the fix, and what was cut; none when its title tells it."""
    code = telling_lines(added)

    def tells(text: str) -> bool:
        flat = folded(text)
        names_commit = any(re.search(rf"\b{commit[:n]}", text) for n in (7, 12))
        return bool(names_commit or _DIFF.search(text) or _FIXED_IN.search(text) or any(line in flat for line in code))

    if tells(issue.title):
        return None, "the title of the issue tells the fix"
    paragraphs = re.split(r"\n\s*\n", issue.description)
    kept = [text for text in paragraphs if not tells(text)]
    cut = len(paragraphs) - len(kept)
    note = f"issue {issue.name}: {cut} of {len(paragraphs)} paragraphs tell the fix and are cut" if cut else ""
    return TrackedIssue(name=issue.name, title=issue.title, description="\n\n".join(kept), url=issue.url), note


def _read(source: Path) -> Iterator[TrackedIssue]:
    if source.is_dir():
        files = sorted(source.glob("*.md"))
        if not files:
            raise UserError(f"{source} holds no issue: files such as 12.md, the title in the first line, are expected")
        for path in files:
            title, _, description = path.read_text(encoding="utf-8").strip().partition("\n")
            yield TrackedIssue(name=path.stem, title=title.lstrip("# ").strip(), description=description.strip())
        return
    try:
        text = source.read_text(encoding="utf-8")
    except (OSError, UnicodeDecodeError) as error:
        raise UserError(f"{source} cannot be read: {error}") from None
    yield from _of_export(text, source)


def _of_export(text: str, source: Path) -> Iterator[TrackedIssue]:
    try:
        data = json.loads(text)
        entries = data.get("issues", [data]) if isinstance(data, dict) else data
    except json.JSONDecodeError:
        try:
            entries = [json.loads(line) for line in text.splitlines() if line.strip()]
        except json.JSONDecodeError as error:
            raise UserError(f"{source} is neither JSON nor JSON Lines: {error}") from None
    for place, entry in enumerate(entries, start=1):
        if not isinstance(entry, dict):
            raise UserError(f"{source}, entry {place}: not an issue but {type(entry).__name__}")
        if "pull_request" not in entry:
            yield _issue(entry, f"{source}, entry {place}")


def _issue(entry: dict[str, Any], where: str) -> TrackedIssue:
    """Return an issue of GitHub (number, title, body), GitLab (iid, title, description) or Jira (key, fields)."""
    inner = entry.get("fields")
    fields = inner if isinstance(inner, dict) else entry
    name = entry.get("number") or entry.get("iid") or entry.get("key")
    title = fields.get("title") or fields.get("summary")
    if not name or not isinstance(title, str):
        raise UserError(f"{where}: no issue of GitHub (number, title), GitLab (iid, title) or Jira (key, fields.summary)")
    body = fields.get("body") or fields.get("description") or ""
    url = entry.get("html_url") or entry.get("web_url")
    return TrackedIssue(name=str(name), title=title.strip(), description=str(body).replace("\r\n", "\n").strip(), url=url)
