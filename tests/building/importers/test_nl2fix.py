"""nl2fix gives bugs of Defects4J their issues and one function; what was said about the fix stays out."""

import json
from collections import Counter
from pathlib import Path
from typing import Any

import pytest

from repairlab.building.importers.importer import Dropped, ImportedBug, Settings
from repairlab.building.importers.nl2fix import read, read_issues
from repairlab.core.errors import UserError
from tests.published import DATA

DATASET = DATA / "nl2fix" / "nl2fix_dataset.json"
GREETER = "src/main/java/demo/Greeter.java"


def entry(**changes: Any) -> dict[str, Any]:
    text = 'public String greet(String name) {\n        return "Gr\u00fcezi ";\n    }'
    plain = {
        "src": text,
        "summary": "Names are\nforgotten",
        "Description": "I am greeted, but not by name.",
        "issue_url": None,
        "comments": ["MARKER one"],
        "summarized_discussion": "MARKER two",
        "fixed_src": "MARKER three",
    }
    return plain | changes


def write(folder: Path, entries: dict[str, Any]) -> Path:
    path = folder / "nl2fix_dataset.json"
    path.write_text(json.dumps(entries))
    return path


def bugs_of(small: Any, path: Path) -> dict[str, ImportedBug | Dropped]:
    return {bug.id: bug for bug in read([path, small.checkout], Settings(clones=small.clones)).bugs}


def test_a_bug_has_its_issue_and_its_function(defects4j: Any, tmp_path: Path) -> None:
    bug = bugs_of(defects4j, write(tmp_path, {f"Csv_1_{GREETER}_5_7": entry()}))["Csv-1"]
    assert isinstance(bug, ImportedBug)
    assert (bug.title, bug.description) == ("Names are forgotten", "I am greeted, but not by name.")
    assert (bug.facts["path"], bug.facts["target"]) == (GREETER, "Greeter.greet(String name)")


def test_the_function_is_found_by_its_lines_where_its_text_differs(defects4j: Any, tmp_path: Path) -> None:
    bug = bugs_of(defects4j, write(tmp_path, {f"Csv_1_{GREETER}_9_15": entry(src="something else")}))["Csv-1"]
    assert isinstance(bug, ImportedBug)
    assert bug.facts["target"] == "Greeter.greet(String name, int times)"


def test_comments_and_summaries_of_discussions_never_enter_a_record(defects4j: Any, tmp_path: Path) -> None:
    bug = bugs_of(defects4j, write(tmp_path, {f"Csv_1_{GREETER}_5_7": entry(Description=None)}))["Csv-1"]
    assert isinstance(bug, ImportedBug)
    assert "MARKER" not in f"{bug.title}{bug.description}{bug.facts}{bug.notes}"
    assert bug.description == ""
    assert not any(b"MARKER" in file.content for file in bug.tree.values())


def test_a_bug_whose_commit_is_missing_is_dropped_with_that_reason(defects4j: Any, tmp_path: Path) -> None:
    dropped = bugs_of(defects4j, write(tmp_path, {f"Csv_3_{GREETER}_5_7": entry()}))["Csv-3"]
    assert isinstance(dropped, Dropped)
    assert "lacks the commit" in dropped.reason


def test_a_path_may_hold_underscores(tmp_path: Path) -> None:
    issues = read_issues(write(tmp_path, {"Compress_34_src/X7875_NewUnix.java_12_20": entry()}))
    issue = issues["Compress-34"]
    assert (issue.path, issue.first, issue.last) == ("src/X7875_NewUnix.java", 12, 20)


@pytest.mark.parametrize(
    ("entries", "message"),
    [
        ({}, "one member per bug"),
        ({"Csv": entry()}, "PROJECT_NUMBER_PATH_FIRST_LAST"),
        ({"Csv_1_a_1_2": []}, "not a JSON object but list"),
        ({"Csv_1_a_1_2": {"src": ""}}, "the field 'summary' is missing"),
        ({"Csv_1_a_1_2": entry(Description=3)}, "'Description' should be text, not a whole number"),
    ],
)
def test_a_wrong_data_set_is_refused_with_the_place(tmp_path: Path, entries: dict[str, Any], message: str) -> None:
    with pytest.raises(UserError, match=message):
        read_issues(write(tmp_path, entries))


def test_a_bug_that_defects4j_does_not_know_is_an_error(defects4j: Any, tmp_path: Path) -> None:
    with pytest.raises(UserError, match="does not know the bug Csv-77"):
        bugs_of(defects4j, write(tmp_path, {"Csv_77_a_1_2": entry()}))


@pytest.mark.skipif(not DATASET.is_file(), reason="the data set of nl2fix is not at hand")
def test_the_data_set_has_283_bugs_of_12_projects() -> None:
    issues = read_issues(DATASET)
    assert len(issues) == 283
    assert Counter(name.partition("-")[0] for name in issues) == {
        "Chart": 6,
        "Cli": 28,
        "Codec": 11,
        "Collections": 1,
        "Compress": 36,
        "Csv": 12,
        "JacksonCore": 13,
        "JacksonDatabind": 67,
        "JacksonXml": 5,
        "JxPath": 10,
        "Math": 73,
        "Mockito": 21,
    }
    assert sum(not issue.description for issue in issues.values()) == 2
