"""Issues of trackers are read in their forms, linked by what commits say, and never tell the fix."""

import json
from pathlib import Path

import pytest

from repairlab.building.importers.importer import Dropped, ImportedBug
from repairlab.building.mining.issues import Issues, TrackedIssue, attached, without_leaks
from repairlab.core.errors import UserError

COMMIT = "0123456789abcdef0123456789abcdef01234567"


def test_exports_of_three_trackers_and_folders_are_read(tmp_path: Path) -> None:
    github = [
        {
            "number": 7,
            "title": "Total is wrong",
            "body": "By one.\r\n",
            "html_url": "https://example.org/7",
            "comments": "see the fix",
        },
        {"number": 8, "title": "Mend it", "body": "", "pull_request": {}},
    ]
    (tmp_path / "github.json").write_text(json.dumps(github), encoding="utf-8")
    (tmp_path / "gitlab.jsonl").write_text('{"iid": 9, "title": "Slow", "description": null}\n\n', encoding="utf-8")
    jira = {"issues": [{"key": "CSV-4", "fields": {"summary": "Lost row", "description": "The last."}}]}
    (tmp_path / "jira.json").write_text(json.dumps(jira), encoding="utf-8")
    (tmp_path / "texts").mkdir()
    (tmp_path / "texts" / "12.md").write_text("# Crash\n\nOn empty input.\n", encoding="utf-8")
    issues = Issues(tmp_path / name for name in ("github.json", "gitlab.jsonl", "jira.json", "texts"))
    assert {name: (issues[name].title, issues[name].description) for name in issues} == {
        "7": ("Total is wrong", "By one."),
        "9": ("Slow", ""),
        "CSV-4": ("Lost row", "The last."),
        "12": ("Crash", "On empty input."),
    }


@pytest.mark.parametrize(
    ("message", "name"),
    [
        ("Fix total (#7)", "7"),
        ("fixes #7, see #9", "7"),
        ("See #7 and #9", None),
        ("csv-4: keep the last row", "CSV-4"),
        ("Closes https://example.org/a/b/issues/9", "9"),
        ("Closes #99", None),
        ("Version 7", None),
    ],
)
def test_a_message_names_one_issue_or_none(tmp_path: Path, message: str, name: str | None) -> None:
    for number in ("7", "9", "CSV-4"):
        (tmp_path / f"{number}.md").write_text(f"Issue {number}\n", encoding="utf-8")
    found = Issues([tmp_path]).named_by(message)
    assert (found.name if found else None) == name


@pytest.mark.parametrize(
    "leak",
    [
        f"It came with {COMMIT[:7]}.",
        "Fixed in 2.1.",
        "diff --git a/a.py b/a.py",
        "Just write\n    return   sum(prices) + shipping(prices)\nthere.",
        "See https://example.org/a/b/pull/12",
    ],
)
def test_paragraphs_that_tell_the_fix_are_cut(leak: str) -> None:
    issue = TrackedIssue(name="7", title="Total is wrong", description=f"It is 3.\n\n{leak}\n\nExpected 4.")
    clean, note = without_leaks(issue, COMMIT, ["    return sum(prices) + shipping(prices)", "}"])
    assert clean is not None
    assert clean.description == "It is 3.\n\nExpected 4."
    assert note == "issue 7: 1 of 3 paragraphs tell the fix and are cut"
    assert (
        without_leaks(TrackedIssue(name="7", title=leak, description=""), COMMIT, ["return sum(prices) + shipping(prices)"])[0]
        is None
    )


def test_what_is_no_export_is_refused(tmp_path: Path) -> None:
    for text, said in (
        ("{", "neither XML nor JSON"),
        ("<a>", "cannot be read as XML"),
        ("[1]", "not an issue but int"),
        ('[{"title": "a"}]', "no issue of GitHub"),
    ):
        path = tmp_path / "a.json"
        path.write_text(text, encoding="utf-8")
        with pytest.raises(UserError, match=said):
            Issues([path])
    (tmp_path / "none").mkdir()
    with pytest.raises(UserError, match="holds no issue"):
        Issues([tmp_path / "none"])
    with pytest.raises(UserError, match="cannot be read"):
        Issues([tmp_path / "gone.json"])


JIRA_XML = """<rss><channel><item><title>[CSV-75] Lost line</title><link>https://issues.example.org/jira/browse/CSV-75</link>
<key id="1">CSV-75</key><summary>Lost line</summary><description>&lt;p&gt;The &lt;b&gt;last&lt;/b&gt; one.&lt;/p&gt;</description>
<resolved>Tue, 2 Oct 2012 12:00:00 +0000</resolved><comments>
<comment created="Wed, 3 Oct 2012 12:00:00 +0000">Thanks.</comment>
<comment created="Mon, 1 Oct 2012 12:00:00 +0000">&lt;p&gt;Only on Windows.&lt;/p&gt;</comment></comments></item></channel></rss>"""
BUGZILLA = """<bugzilla><bug><bug_id>983</bug_id><short_desc>Axis is flat</short_desc>
<long_desc><bug_when>2005-01-02 03:04:05 +0000</bug_when><thetext>With one point.</thetext></long_desc>
<long_desc><bug_when>2005-01-03 03:04:05 +0000</bug_when><thetext>Two as well.</thetext></long_desc>
<cf_last_resolved>2005-02-01 00:00:00 +0000</cf_last_resolved></bug></bugzilla>"""
GOOGLE_CODE = {
    "id": 253,
    "status": "Fixed",
    "summary": "Unused",
    "comments": [{"content": "See code.", "timestamp": 1278}, {"content": "r7", "timestamp": 1279}],
}
SOURCEFORGE = {
    "tickets": [{
        "ticket_num": 868, "summary": "No title", "description": "None drawn.",
        "discussion_thread": {"posts": [{"text": "Same", "timestamp": "2008-01-01"}]},
    }]
}  # fmt: skip
GITHUB = {
    "number": 7, "title": "Total", "body": "Wrong.", "url": "https://github.com/a/b/issues/7", "closedAt": "2024-01-03T00:00:00Z",
    "comments": [
        {"body": "It is 3.", "createdAt": "2024-01-01T00:00:00Z"}, {"body": "Fixed in 2.1.", "createdAt": "2024-01-02T00:00:00Z"},
        {"body": "So it is.", "createdAt": "2024-01-02T10:00:00Z"}, {"body": "Thanks.", "createdAt": "2024-01-04T00:00:00Z"},
    ],
}  # fmt: skip


@pytest.mark.parametrize(
    ("export", "url", "expected"),
    [
        (JIRA_XML, "https://issues.example.org/jira//browse/csv-75", ("Lost line", "The last one.", ("Only on Windows.",))),
        (BUGZILLA, "https://bugs.example.org/show/983", ("Axis is flat", "With one point.", ("Two as well.",))),
        (json.dumps(GOOGLE_CODE), "https://example.org/archive/issue-253.json", ("Unused", "See code.", ())),
        (json.dumps(SOURCEFORGE), "https://sourceforge.net/p/jfreechart/bugs/868/", ("No title", "None drawn.", ())),
        (json.dumps(GITHUB), "https://github.com/a/b/pull/7", ("Total", "Wrong.", ("It is 3.", "Fixed in 2.1.", "So it is."))),
        (json.dumps(GITHUB), "https://github.com/a/other/issues/7", None),
    ],
)
def test_old_trackers_are_read_and_comments_end_when_the_issue_is_closed(
    tmp_path: Path, export: str, url: str, expected: tuple[str, str, tuple[str, ...]] | None
) -> None:
    (tmp_path / "export").write_text(export, encoding="utf-8")
    found = Issues([tmp_path / "export"]).at(url)
    assert (found and (found.title, found.description, found.comments)) == expected


def imported(url: str | None) -> ImportedBug:
    origin = {"commit": COMMIT, "issue": url}
    patch = "--- a/a.py\n+++ b/a.py\n@@ -1,1 +1,1 @@\n-    return sum(prices)\n+    return sum(prices) + shipping(prices)\n"
    return ImportedBug(id="a", facts={"origin": origin}, title="?", description="", tree={}, patch=patch)


def test_an_imported_bug_gets_its_issue_and_comments_of_before_the_fix(tmp_path: Path) -> None:
    (tmp_path / "export").write_text(json.dumps(GITHUB), encoding="utf-8")
    issues = Issues([tmp_path / "export"])
    plain, full = (attached(imported("https://github.com/a/b/issues/7"), issues, comments=flag) for flag in (False, True))
    assert isinstance(plain, ImportedBug) and isinstance(full, ImportedBug)
    assert (plain.title, plain.description) == ("Total", "Wrong.")
    assert full.description == "Wrong.\n\nIt is 3.", "all from the first comment on that tells the fix is cut"
    for url, note in ((None, "it names no issue"), ("https://github.com/a/b/issues/8", "no export has its issue")):
        without = attached(imported(url), issues)
        assert isinstance(without, ImportedBug) and without.title == "?" and note in without.notes[0]
    dropped = Dropped(id="a", reason="")
    assert attached(dropped, issues) is dropped
