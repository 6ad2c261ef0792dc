"""Published tables: how they are read and compared, on a small one; then every table of `experiments/` with the published data."""

import functools
import json
from pathlib import Path

import pytest

from repairlab.cli.main import run
from repairlab.core.errors import UserError
from repairlab.study.published_table import TableComparison, TablePart, compare_table, difference, read_table, read_tables, rounded

ROOT = Path(__file__).parents[2]
EXPERIMENTS = ROOT / "experiments"
PUBLISHED = ROOT.parent / "shared" / "data"
DATA = Path(__file__).parents[1] / "formats" / "data"
TABLE = """\
kind = "published-table"
title = "Toy, table 1"
source = "nowhere"
format = "npr4j"
files = ["all_result.json"]
names = { beta = "Beta" }
systems = ["Beta", "Alpha"]

[[part]]
analysis = "checks"
columns = ["top-1", "PM_K"]

[part.rows]
Beta = ["1/3", 3]
Alpha = ["1/3", 2]

[[part.errata]]
row = "Beta"
columns = ["top-1"]
correct = ["0/3"]
as_printed = { order = "written" }
reason = "ranks were sorted as text"

[[part]]
analysis = "systems"
columns = ["mean rank of the first fix", "unique fixes"]
digits = 1

[part.rows]
Beta = [21.0, ""]
"""


def table(tmp_path: Path, text: str = TABLE) -> Path:
    path = tmp_path / "toy.toml"
    path.write_text(text, encoding="utf-8")
    return path


def test_cells_are_equal_known_errata_or_unreadable(tmp_path: Path) -> None:
    found = compare_table(read_table(table(tmp_path)), DATA)
    assert [(cell.row, cell.column, cell.ours, cell.published, cell.status) for cell in found.cells] == [
        ("Beta", "top-1", "0/3", "1/3", "erratum"),
        ("Beta", "PM_K", 3, 3, "equal"),
        ("Alpha", "top-1", "1/3", "1/3", "equal"),
        ("Alpha", "PM_K", 2, 2, "equal"),
        ("Beta", "mean rank of the first fix", 21.0, 21.0, "equal"),
        ("Beta", "unique fixes", 1, None, "unreadable"),
    ]
    assert found.cells[0].as_printed == "1/3"
    assert found.cells[0].difference == "-1/+0"


@pytest.mark.parametrize(
    "change",
    [
        ('Beta = ["1/3", 3]', 'Beta = ["1/3", 4]'),  # plainly another value
        ('correct = ["0/3"]', 'correct = ["0/4"]'),  # the erratum calls something else correct
        ('{ order = "written" }', '{ order = "number" }'),  # its way does not give what is printed
    ],
)
def test_a_cell_that_no_erratum_explains_ends_with_exit_code_1(
    change: tuple[str, str], tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    path = table(tmp_path, TABLE.replace(*change))
    assert compare_table(read_table(path), DATA).n("differs") == 1
    assert run(["rescore", "--table", str(path), "--data", str(DATA)]) == 1
    assert "1 DIFFERENT" in capsys.readouterr().out


def test_the_command_prints_cell_by_cell_and_a_summary(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    path = table(tmp_path)
    assert run(["rescore", "--table", str(path), "--data", str(DATA)]) == 0
    out = capsys.readouterr().out
    assert "Toy, table 1: 6 cells, 4 equal, 1 known erratum, 1 unreadable in the paper" in out
    assert "erratum: ranks were sorted as text" in out
    assert out.count("│ checks") == 4
    assert run(["rescore", "--table", str(path), "--data", str(DATA), "--brief"]) == 0
    assert capsys.readouterr().out.count("│ checks") == 1
    assert run(["rescore", "--table", str(path), "--table", str(tmp_path), "--data", str(DATA), "--json"]) == 0
    data = json.loads(capsys.readouterr().out)
    assert [item["summary"] for item in data] == 2 * [{"cells": 6, "equal": 4, "erratum": 1, "unreadable": 1, "differs": 0}]


def test_a_folder_of_tables_ends_with_their_sums(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    table(tmp_path)
    other = (
        TABLE[: TABLE.index("[[part]]")].replace("table 1", "table 2")
        + '[[part]]\nanalysis = "totals"\ncolumns = ["number"]\nrows = { bugs = [5] }\n'
    )
    (tmp_path / "other.toml").write_text(other, encoding="utf-8")
    assert run(["rescore", "--table", str(tmp_path), "--data", str(DATA), "--brief"]) == 0
    out = capsys.readouterr().out
    assert "Toy, table 2: 1 cell, 1 equal\n" in out
    assert [word for word in out.splitlines()[-2].split() if word.isdigit()] == ["7", "5", "1", "1", "0"]


def test_tables_of_statistics_and_of_coverage_name_what_is_missing(tmp_path: Path) -> None:
    (tmp_path / "labels.csv").write_text("project,sha8,commit_url,status,label\na,1,u,1,A.1\n", encoding="utf-8")
    (tmp_path / "all_result.json").write_bytes((DATA / "all_result.json").read_bytes())
    text = TABLE[: TABLE.index("names")] + '[[part]]\nanalysis = "systems"\ncolumns = []\nrows = {}\n'
    labels = text.replace('"npr4j"', '"defects4c"').replace("all_result.json", "labels.csv")
    with pytest.raises(UserError, match="no analysis 'systems', but categories"):
        compare_table(read_table(table(tmp_path, labels)), tmp_path)
    against = text.replace("files", 'against = "labels.csv"\nfiles')
    with pytest.raises(UserError, match="no verdicts to compare with"):
        compare_table(read_table(table(tmp_path, against)), tmp_path)


@pytest.mark.parametrize(
    ("change", "message"),
    [
        (('analysis = "checks"', "analysis ="), "not valid TOML"),
        (('title = "Toy, table 1"', "titel = 1"), "line 2: unknown key 'titel'. Did you mean 'title'?"),
        (('kind = "published-table"', 'kind = "experiment"'), "kind: unknown value 'experiment'. Known: published-table"),
        (('Alpha = ["1/3", 2]', 'Alpha = ["1/3"]'), "part.0.rows.Alpha: 1 cells for 2 columns"),
        (('row = "Beta"', 'row = "Bete"'), "part.0.errata.0: it names a row or column"),
        (('correct = ["0/3"]', "correct = []"), "part.0.errata.0: 0 correct cells for 1 columns"),
        (('format = "npr4j"', 'format = "npr5j"'), "Did you mean 'npr4j'"),
        (('analysis = "checks"', 'analysis = "check"'), "Did you mean 'checks'"),
        (("all_result.json", "all_results.json"), "all_results.json is missing; --data should name the folder"),
        (('"top-1", "PM_K"', '"top-1", "PM_J"'), "Did you mean 'PM_K'"),
        (('systems = ["Beta", "Alpha"]', 'systems = ["Beta", "Alfa"]'), "Did you mean 'Alpha'"),
    ],
)
def test_a_bad_table_is_one_message_and_exit_code_2(
    change: tuple[str, str], message: str, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    path = table(tmp_path, TABLE.replace(*change))
    assert run(["rescore", "--table", str(path), "--data", str(DATA)]) == 2
    error = capsys.readouterr().err
    assert message in error
    assert error.count("\n") == 1


def test_folders_hold_other_files_too(tmp_path: Path) -> None:
    with pytest.raises(UserError, match="has no file with a published table"):
        read_tables(tmp_path)
    (tmp_path / "run.toml").write_text('benchmark = "starter"\n', encoding="utf-8")
    assert list(read_tables(table(tmp_path).parent)) == [tmp_path / "toy.toml"]
    with pytest.raises(UserError, match=r"none\.toml is missing"):
        read_table(tmp_path / "none.toml")


def test_rounding_is_as_the_paper_does_it() -> None:
    part = TablePart(analysis="x", columns=(), rows={})
    floor = TablePart(analysis="x", columns=(), rows={}, rounding="floor", digits=1)
    assert [rounded(66.67, part), rounded(66.67, floor), rounded(3, floor), rounded("4/5", part)] == [67, 66.6, 3, "4/5"]
    assert [difference(1, 3), difference("a", "b"), difference(1.25, 1.0)] == ["-2", "≠", "+0.25"]


@functools.cache
def published(name: str) -> TableComparison:
    """Compare a table of `experiments/` with the published data."""
    made = read_table(EXPERIMENTS / f"{name}.toml")
    absent = [file for file in (*made.files, *filter(None, [made.against])) if not (PUBLISHED / file).exists()]
    if absent:
        pytest.skip(f"the published data are not here: {PUBLISHED / absent[0]}")
    return compare_table(made, PUBLISHED)


EXPECTED = {
    "defects4c-locations": (3, 1, 2, 0),
    "defects4c-table-2": (20, 17, 3, 0),
    "nl2fix-table-1": (91, 91, 0, 0),
    "npr4j-ensembles": (45, 44, 1, 0),
    "npr4j-table-6": (81, 73, 0, 8),
    "npr4j-table-7": (160, 160, 0, 0),
    "npr4j-table-8": (18, 17, 0, 1),
    "npr4j-table-9": (207, 185, 22, 0),
    "npr4j-table-10": (9, 9, 0, 0),
    "npr4j-table-11": (12, 5, 7, 0),
    "npr4j-totals": (3, 3, 0, 0),
}
"""Cells, and how many of them are equal, known errata, and unreadable in the paper."""


def test_every_table_is_listed_here() -> None:
    assert {path.stem for path in read_tables(EXPERIMENTS)} == EXPECTED.keys()


def test_all_tables_come_out_with_one_command(capsys: pytest.CaptureFixture[str]) -> None:
    for name in EXPECTED:
        published(name)  # skips when data are absent
    assert run(["rescore", "--table", str(EXPERIMENTS), "--data", str(PUBLISHED), "--json"]) == 0
    sums = [item["summary"] for item in json.loads(capsys.readouterr().out)]
    assert {name: sum(item[name] for item in sums) for name in sums[0]} == {
        "cells": 649, "equal": 605, "erratum": 35, "unreadable": 9, "differs": 0,
    }  # fmt: skip


@pytest.mark.parametrize("name", EXPECTED)
def test_a_published_table_comes_out(name: str) -> None:
    found = published(name)
    assert [cell for cell in found.cells if cell.status == "differs"] == []
    assert (len(found.cells), found.n("equal"), found.n("erratum"), found.n("unreadable")) == EXPECTED[name]


def test_the_bug_column_of_defects4c_table_2_is_equal() -> None:
    found = published("defects4c-table-2")
    assert {cell.status for cell in found.cells if cell.column == "bugs"} == {"equal"}


def test_the_codebert_row_of_npr4j_table_9_comes_out_as_printed_and_as_it_should_be() -> None:
    row = [cell for cell in published("npr4j-table-9").cells if cell.row == "CodeBERT" and cell.analysis == "checks"]
    assert [cell.as_printed for cell in row[:3]] == ["44/92", "52/133", "55/161"] == [cell.published for cell in row[:3]]
    assert [cell.ours for cell in row[:3]] == ["45/92", "52/132", "55/160"]


def test_the_union_of_the_nine_systems_is_127_and_the_best_per_type_95() -> None:
    cells = {cell.row: cell for cell in published("npr4j-ensembles").cells}
    assert (cells["union"].ours, cells["union"].published, cells["union"].as_printed) == (127, 95, 95)
    assert "sum over bug types" in cells["union"].reason
    assert cells["best system per type"].ours == 95
