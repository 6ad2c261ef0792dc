"""Reports of bugs come from a second source, as text; what is not in a report stays out."""

import json
from pathlib import Path
from typing import Any

import pytest

from repairlab.building.importers.defects4j import read
from repairlab.building.importers.importer import ImportedBug, Settings
from repairlab.building.importers.libro import html_text
from repairlab.core.errors import UserError


def write(folder: Path, **reports: Any) -> Path:
    place = folder / "libro/data/Defects4J/bug_report"
    place.mkdir(parents=True)
    for name, report in reports.items():
        (place / f"{name.replace('_', '-')}.json").write_text(json.dumps(report))
    return folder / "libro"


def test_bugs_with_a_report_get_its_title_and_description_as_text(defects4j: Any, tmp_path: Path) -> None:
    report = {"issue_id": "CSV-1", "title": "Names &amp; such", "description": "<p>Not by <b>name</b>.</p>", "comments": "MARKER"}
    libro = write(tmp_path, Csv_1=report)
    bugs = {bug.id: bug for bug in read([defects4j.checkout, libro], Settings(clones=defects4j.clones)).bugs}
    one, two = bugs["Csv-1"], bugs["Csv-2"]
    assert isinstance(one, ImportedBug) and isinstance(two, ImportedBug)
    assert (one.title, one.description) == ("Names & such", "Not by name.")
    assert one.facts["target"] == "Greeter.greet(String name)"
    assert two.title == "commons-csv does not do what its tests expect (CSV-2)"
    assert "MARKER" not in f"{one.facts}{one.notes}"


def test_a_report_that_cannot_be_read_is_named(defects4j: Any, tmp_path: Path) -> None:
    with pytest.raises(UserError, match="no checkout of coinse/libro"):
        read([defects4j.checkout, tmp_path], Settings(clones=defects4j.clones))
    with pytest.raises(UserError, match=r"Csv-1\.json"):
        list(read([defects4j.checkout, write(tmp_path, Csv_1={"title": 3})], Settings(clones=defects4j.clones)).bugs)


@pytest.mark.parametrize(
    ("html", "text"),
    [
        ("plain &lt;T&gt; text", "plain <T> text"),
        ("<div>\n<p>one\ntwo</p>\n<p>three<br/>four</p></div>", "one two\n\nthree\nfour"),
        ("<ol><li><p>a</p></li><li>b</li></ol>c", "- a\n\n- b\n\nc"),
        ("<pre>int x;\n  y();</pre>after", "int x;\n  y();\n\nafter"),
        ("<script>alert(1)</script>ok<style>p{}</style>", "ok"),
        ("x<table><tr><td>1</td><td>2</td></tr><tr><td>3</td></tr></table>", "x\n\n1 2\n3"),
        ("unclosed <b>tag", "unclosed tag"),
        ("", ""),
    ],
)
def test_html_becomes_text(html: str, text: str) -> None:
    assert html_text(html) == text
