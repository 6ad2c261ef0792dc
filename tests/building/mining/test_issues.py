"""Issues of trackers are read in their forms, linked by what commits say, and never tell the fix."""

import json
from pathlib import Path

import pytest

from repairlab.building.mining.issues import Issues, TrackedIssue, without_leaks
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
    for text, said in (("{", "neither JSON"), ("[1]", "not an issue but int"), ('[{"title": "a"}]', "no issue of GitHub")):
        path = tmp_path / "a.json"
        path.write_text(text, encoding="utf-8")
        with pytest.raises(UserError, match=said):
            Issues([path])
    (tmp_path / "none").mkdir()
    with pytest.raises(UserError, match="holds no issue"):
        Issues([tmp_path / "none"])
    with pytest.raises(UserError, match="cannot be read"):
        Issues([tmp_path / "gone.json"])
