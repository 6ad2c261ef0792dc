"""Issue texts for mined and imported bugs, without what gives the fix away: from tracker exports or written by a model.

A model sees the failing test and its output, never the fix or the code to fix; `origin.issue` marks what it wrote.
"""

import contextlib
import dataclasses
import itertools
import json
import re
import tomllib
from collections.abc import Iterable, Iterator, Mapping, Sequence
from datetime import UTC, datetime
from email.utils import parsedate_to_datetime
from pathlib import Path
from typing import Any
from xml.etree import ElementTree

from repairlab.benchmarks.writing import toml
from repairlab.building.importers.importer import Dropped, ImportedBug
from repairlab.building.importers.libro import html_text
from repairlab.building.leak import folded, telling_lines, texts_of_tests
from repairlab.core.bug import Bug
from repairlab.core.diff import added_lines
from repairlab.core.errors import UserError
from repairlab.core.model import Message, Prompt
from repairlab.core.recipe import matching
from repairlab.core.record import record
from repairlab.repairers.llm.client.model import ChatModel, Sampling, Unanswerable
from repairlab.validation.apply import changed_files
from repairlab.validation.worktree import files_below

_LINKS = re.compile(r"(?:#|/issues/|\bGH-|\bissue\s+)(\d+)\b|\b([A-Z][A-Z0-9]+-\d+)\b", re.IGNORECASE)
_CLOSING = re.compile(r"\b(?:fix(?:e[sd])?|close[sd]?|resolve[sd]?)\b[\s:]*(?:#|\S*/issues/|GH-|issue\s+)(\d+)", re.IGNORECASE)
_LAST = re.compile(r"[A-Z][A-Z0-9]+-\d+(?=/?$)|\d+(?=(?:\.json)?/?$)", re.IGNORECASE)
"""Key or number at the end of an address."""
_DIFF = re.compile(r"^(?:diff --git |@@ -\d|\+\+\+ |--- [ab]/)", re.MULTILINE)
_FIXED_IN = re.compile(
    r"\b(?:fixed|resolved|solved)\s+(?:in|by|with)\b|\bpull request\b|\bPR\s*#\d+|/pull/\d+|/commit/[0-9a-f]{7}", re.IGNORECASE
)


@record
class TrackedIssue:
    """What a tracker says of a bug, as of before the fix."""

    name: str
    """Number or key."""
    title: str
    description: str
    url: str | None = None
    comments: tuple[str, ...] = ()
    """Comments from before it was closed, oldest first; none if that time is unknown."""


class Issues(Mapping[str, TrackedIssue]):
    """Issues by number (`12`) or key (`CSV-12`)."""

    def __init__(self, sources: Iterable[Path]) -> None:
        """Take exports of GitHub, GitLab, Jira, Google Code, SourceForge or Bugzilla, or folders of files NUMBER.md."""
        found = [issue for source in sources for issue in _read(source)]
        self._issues = {issue.name.upper(): issue for issue in found}
        self._by_url = {_address(issue.url): issue for issue in found if issue.url}

    def __getitem__(self, name: str) -> TrackedIssue:
        return self._issues[name.upper()]

    def __iter__(self) -> Iterator[str]:
        return iter(self._issues)

    def __len__(self) -> int:
        return len(self._issues)

    def at(self, url: str) -> TrackedIssue | None:
        """Return the issue at an address; by key or number only if the export has no addresses."""
        name = _LAST.search(url)
        found = self._issues.get(name[0].upper()) if name else None
        known = self._by_url.get(_address(url))
        return known or (found if found and (found.url is None or "-" in found.name) else None)

    def named_by(self, message: str) -> TrackedIssue | None:
        """Return the issue that a message closes, else the only one it mentions."""
        closed = [number for number in _CLOSING.findall(message) if number in self]
        named = [name for pair in _LINKS.findall(message) for name in pair if name and name in self]
        found = list(dict.fromkeys(closed or named))
        return self[found[0]] if len(found) == 1 or (closed and found) else None


def attached(bug: ImportedBug | Dropped, issues: Issues, *, comments: bool = False) -> ImportedBug | Dropped:
    """Return an imported bug with the text of its origin's issue and, if wanted, comments from before the fix."""
    if isinstance(bug, Dropped):
        return bug
    origin = bug.facts.get("origin", {})
    issue = issues.at(url) if (url := origin.get("issue")) else None
    if issue is None:
        return dataclasses.replace(bug, notes=(*bug.notes, f"no export has its issue, {url}" if url else "it names no issue"))
    added = [line[1:] for line in bug.patch.splitlines() if line.startswith("+") and not line.startswith("+++ ")]
    clean, note = without_leaks(issue, origin.get("commit") or "", added)
    if clean is None:
        return dataclasses.replace(bug, notes=(*bug.notes, note))
    texts = (clean.description, *(clean.comments if comments else ()))
    notes = (*bug.notes, note) if note else bug.notes
    return dataclasses.replace(bug, title=clean.title, description="\n\n".join(filter(None, texts)), notes=notes)


def _address(url: str) -> str:
    """Return one form of an address.

    >>> _address("https://issues.apache.org/jira//browse/CSV-75/")
    'issues.apache.org/jira/browse/csv-75'
    """
    return re.sub(r"/+", "/", url.partition("://")[2]).rstrip("/").lower().replace("/pull/", "/issues/")


def without_leaks(issue: TrackedIssue, commit: str, added: Iterable[str]) -> tuple[TrackedIssue | None, str]:
    """Return an issue without paragraphs that give the fix away, and what was cut; None if its title does.

    Comments end before the first that gives it away.
    """
    code = telling_lines(added)

    def tells(text: str) -> bool:
        flat = folded(text)
        names_commit = commit and any(re.search(rf"\b{commit[:n]}", text) for n in (7, 12))
        return bool(names_commit or _DIFF.search(text) or _FIXED_IN.search(text) or any(line in flat for line in code))

    if tells(issue.title):
        return None, "the title of the issue tells the fix"
    paragraphs = re.split(r"\n\s*\n", issue.description)
    kept = [text for text in paragraphs if not tells(text)]
    cut = len(paragraphs) - len(kept)
    note = f"issue {issue.name}: {cut} of {len(paragraphs)} paragraphs tell the fix and are cut" if cut else ""
    comments = tuple(itertools.takewhile(lambda text: not tells(text), issue.comments))
    return dataclasses.replace(issue, description="\n\n".join(kept), comments=comments), note


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
    if text.lstrip().startswith("<"):
        yield from _of_xml(text, source)
        return
    try:
        data = json.loads(text)
        entries = data.get("issues") or data.get("tickets") or [data] if isinstance(data, dict) else data
    except json.JSONDecodeError:
        try:
            entries = [json.loads(line) for line in text.splitlines() if line.strip()]
        except json.JSONDecodeError as error:
            raise UserError(f"{source} is neither XML nor JSON nor JSON Lines: {error}") from None
    for place, entry in enumerate(entries, start=1):
        if not isinstance(entry, dict):
            raise UserError(f"{source}, entry {place}: not an issue but {type(entry).__name__}")
        if "pull_request" not in entry:
            yield _issue(entry, f"{source}, entry {place}")


def _of_xml(text: str, source: Path) -> Iterator[TrackedIssue]:
    """Read Jira's (item, in RSS) or Bugzilla's (bug) XML; Bugzilla's first text is the description."""
    try:
        root = ElementTree.fromstring(text)
    except ElementTree.ParseError as error:
        raise UserError(f"{source} cannot be read as XML: {error}") from None
    for place, item in enumerate((*root.iter("item"), *root.iter("bug")), start=1):
        known = {part.tag: part.text or "" for part in item}
        is_jira = item.tag == "item"
        if is_jira:
            said = [{"body": html_text(part.text or ""), "created": part.get("created")} for part in item.iter("comment")]
            known |= {"title": known.get("summary", ""), "description": html_text(known.get("description", ""))}
        else:
            parts = item.iter("long_desc")
            said = [{"body": part.findtext("thetext", ""), "created": part.findtext("bug_when")} for part in parts]
        yield _issue(known | {"comments": said}, f"{source}, entry {place}")


_NAMES = ("number", "iid", "key", "ticket_num", "bug_id", "id")
_TITLES = ("title", "summary", "short_desc")
_CLOSED = ("closed_at", "closedAt", "resolutiondate", "resolved", "cf_last_resolved")
_CREATED = ("created_at", "createdAt", "created", "timestamp")


def _issue(entry: dict[str, Any], where: str) -> TrackedIssue:
    """Return an issue in the form of GitHub, GitLab, Jira, Google Code's archive, SourceForge or Bugzilla."""
    inner = entry.get("fields")
    fields = inner if isinstance(inner, dict) else entry
    name, title = _first(entry, _NAMES), _first(fields, _TITLES)
    if not name or not isinstance(title, str):
        raise UserError(f"{where}: no issue of GitHub (number, title), GitLab (iid, title), Jira (key, summary) or another tracker")
    said = _said(entry, fields)
    body = _first(fields, ("body", "description"))
    if not body and said and not {"body", "description"} & fields.keys():
        body = said.pop(0)[1]
    closed, url = _moment(_first(fields, _CLOSED)), str(_first(entry, ("html_url", "web_url", "link", "url")) or "")
    return TrackedIssue(
        name=str(name),
        title=title.strip(),
        description=str(body or "").replace("\r\n", "\n").strip(),
        url=None if not url or "://api." in url else url,
        comments=tuple(text for moment, text in said if closed and moment and moment < closed),
    )


def _first(fields: Mapping[str, Any], names: Sequence[str]) -> Any:
    return next((fields[name] for name in names if fields.get(name)), None)


def _said(entry: dict[str, Any], fields: dict[str, Any]) -> list[tuple[float | None, str]]:
    """Return the comments with their times, oldest first."""
    found = entry.get("comments") or fields.get("comment") or entry.get("discussion_thread")
    if isinstance(found, dict):
        found = _first(found, ("comments", "posts"))
    parts = [part for part in found if isinstance(part, dict)] if isinstance(found, list) else []
    said = [(_moment(_first(part, _CREATED)), _first(part, ("body", "content", "text"))) for part in parts]
    said.sort(key=lambda item: item[0] or 0.0)
    return [(moment, str(text).replace("\r\n", "\n").strip()) for moment, text in said if text]


def _moment(value: object) -> float | None:
    """Read a moment in seconds, as ISO 8601 or as in mail; none for anything else.

    >>> _moment(86400), _moment("1970-01-02T00:00:00.000+0000"), _moment("Fri, 2 Jan 1970 01:00:00 +0100"), _moment("soon")
    (86400.0, 86400.0, 86400.0, None)
    """
    if isinstance(value, int | float):
        return float(value)
    for read in (datetime.fromisoformat, parsedate_to_datetime):
        with contextlib.suppress(ValueError, TypeError):
            found = read(str(value))
            return (found if found.tzinfo else found.replace(tzinfo=UTC)).timestamp()
    return None


BY_MODEL = "written by model "
"""How `origin.issue` of such a bug begins."""
_LONGEST_TESTS = 6_000
"""Characters of tests that are shown."""
_ANSWER = re.compile(
    r"^[\s*#]*title[ *]*:[ *]*(.+?)[ *]*\n+(?:[\s*#]*description[ *]*:)?(.*)", re.IGNORECASE | re.DOTALL | re.MULTILINE
)
_MAX_TOKENS = 500


def write_issue(model: ChatModel, bug: Bug, folder: Path, symptom: str) -> str:
    """Have the issue of a bug written to its folder; return what its user should know, if anything."""
    try:
        (answer,) = model.complete(question(bug, symptom), Sampling(temperature=0.0, max_tokens=_MAX_TOKENS))
    except Unanswerable as error:
        return f"{bug.id}: {model.name} wrote no issue: {error}"
    written = read_answer(answer.text)
    if written is None:
        return f"{bug.id}: {model.name} wrote no issue: its answer has no title and description"
    clean, note = without_leaks(written, bug.origin.commit or "", _added(bug))
    if clean is None or not clean.description.strip():
        return f"{bug.id}: what {model.name} wrote tells the fix, and is left out"
    (folder / "issue.md").write_text(f"{clean.title}\n\n{clean.description}".rstrip() + "\n", encoding="utf-8")
    facts = tomllib.loads((folder / "bug.toml").read_text(encoding="utf-8"))
    facts["origin"] = {**facts.get("origin", {}), "issue": f"{BY_MODEL}{model.name}"}
    (folder / "bug.toml").write_text(toml(facts), encoding="utf-8")
    return f"{bug.id}: {note}" if note else ""


def question(bug: Bug, symptom: str) -> Prompt:
    """Return the prompt for a model: the trigger tests and what the first of them print."""
    tests = "\n\n".join(_trigger_texts(bug))[:_LONGEST_TESTS]
    return Prompt(
        messages=(
            Message(role="system", content="You report defects as a user would who saw the symptom and cannot see the code."),
            Message(
                role="user",
                content=(
                    f"A project in {bug.problem.language} has a defect. These tests fail:\n```\n{tests}\n```\n\n"
                    f"What they say:\n```\n{symptom}\n```\n\n"
                    "Write the issue: what was done, what happened, what should happen instead. "
                    "Do not propose a fix, and do not mention tests. Answer in this form:\n"
                    "title: <one line>\ndescription: <a few sentences>"
                ),
            ),
        )
    )


def read_answer(text: str) -> TrackedIssue | None:
    r"""Return the issue of an answer; none where it has not both parts.

    >>> read_answer("Sure.\n**Title:** Totals are too small\n\nDescription: The first price is lost.").title
    'Totals are too small'
    """
    found = _ANSWER.search(text)
    if found is None or not found[2].strip(" *\n"):
        return None
    return TrackedIssue(name="", title=found[1].strip(), description=found[2].strip(" *\n"))


def _trigger_texts(bug: Bug) -> Sequence[str]:
    root = Path(bug.tree.source)
    paths = matching(files_below(root), bug.oracle.test.files)
    return texts_of_tests(bug.oracle.trigger, {path: (root / path).read_bytes().decode(errors="replace") for path in paths})


def _added(bug: Bug) -> list[str]:
    root = Path(bug.tree.source)
    pairs = [(root / path, new or "") for path, new in changed_files(bug.fix, bug).items()]
    return [line for old, new in pairs for line in added_lines(old.read_text("utf-8") if old.is_file() else "", new)]
