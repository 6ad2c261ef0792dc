"""The verb `tables`, the pictures it writes, and the tables in the page."""

import csv
import json
from pathlib import Path
from xml.etree import ElementTree

import pytest

from repairlab.cli.main import run
from repairlab.core.figure import Axis, Figure, Shape
from repairlab.repairers.llm.settings import LlmSettings
from repairlab.study.charts import Curve, bar_chart, draw, line_chart
from repairlab.study.page import make_report
from repairlab.study.papers.table import TABLES
from tests.study.papers.conftest import FIX, LIKE, WRONG, Bench

DRAWS = {"Cli-1": (FIX, WRONG), "Csv-1": (LIKE, WRONG)}


def said(capsys: pytest.CaptureFixture[str], *arguments: str | Path, code: int = 0) -> tuple[str, str]:
    assert run(["report", "--tables", *map(str, arguments)]) == code, capsys.readouterr().err
    captured = capsys.readouterr()
    return captured.out, captured.err


@pytest.fixture
def two(bench: Bench) -> tuple[Path, Path]:
    llm = LlmSettings(model="acme/a")
    return bench.run("one", DRAWS, llm=llm), bench.run("two", {"Cli-1": (FIX, FIX), "Math-1": (FIX, WRONG)}, llm=llm)


def test_without_a_name_one_row_per_system_and_the_names_of_all_tables_are_printed(
    two: tuple[Path, Path], capsys: pytest.CaptureFixture[str]
) -> None:
    out, err = said(capsys, *two)
    listed = {line.split("│")[1].strip(): line for line in out.splitlines() if line.startswith("│")}
    assert set(TABLES) < set(listed)
    assert "– no run is a conversation" in listed["conversation"] and "no table" not in err
    assert "2 of 6" in listed["zero-shot · acme/a (one)"]


def test_tables_that_are_asked_for_are_printed(two: tuple[Path, Path], capsys: pytest.CaptureFixture[str]) -> None:
    out, err = said(capsys, *two, "--only", "candidates", "--only", "overlap", "--only", "conversation")
    assert "candidates: " in out and "overlap: " in out and "projects" not in out
    assert "no table conversation: no run is a conversation" in err


def test_json_has_rows_as_numbers(two: tuple[Path, Path], capsys: pytest.CaptureFixture[str]) -> None:
    out, _ = said(capsys, *two, "--json", "--only", "candidates", "--only", "conversation")
    found = json.loads(out)
    assert [table["name"] for table in found["tables"]] == ["candidates"]
    assert found["tables"][0]["source"] == "NL2Fix, table 2"
    assert found["tables"][0]["rows"][0][2:] == [4, 0.0, 100.0, 100.0, 0.0, 50.0]
    assert list(found["left_out"]) == ["conversation"]


def test_csv_can_be_read_again(two: tuple[Path, Path], capsys: pytest.CaptureFixture[str]) -> None:
    out, _ = said(capsys, *two, "--format", "csv", "--only", "projects")
    rows = list(csv.DictReader(out.splitlines()))
    assert [row["project"] for row in rows] == ["Cli", "Csv", "Math", "all"]
    assert rows[-1]["zero-shot · acme/a (two)"] == "2/6"
    several, _ = said(capsys, *two, "--format", "csv", "--only", "projects", "--only", "cost")
    assert several.startswith("# projects\n")


def test_files_are_written_with_pictures(two: tuple[Path, Path], tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    out, _ = said(capsys, *two, "--to", tmp_path / "out")
    assert str(tmp_path / "out" / "overlap.svg") in out
    assert (tmp_path / "out" / "overlap.csv").read_text(encoding="utf-8").startswith("systems,how many,bugs,")
    for name in ("overlap", "similarity"):
        assert ElementTree.parse(tmp_path / "out" / f"{name}.svg").getroot().tag.endswith("svg")
    said(capsys, *two, "--to", tmp_path / "json", "--json", "--only", "cost")
    assert json.loads((tmp_path / "json" / "cost.json").read_text(encoding="utf-8"))["name"] == "cost"


def test_wrong_input_is_named(two: tuple[Path, Path], tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    assert "Did you mean 'overlap'" in said(capsys, *two, "--only", "overlaps", code=2)[1]
    assert "choose one" in said(capsys, *two, "--format", "csv", "--json", code=2)[1]
    assert "do not support the table overlap" in said(capsys, two[0], "--only", "overlap", code=2)[1]
    assert "is no run folder" in said(capsys, tmp_path / "none", code=2)[1]
    (tmp_path / "file").touch()
    assert "choose another place" in said(capsys, *two, "--to", tmp_path / "file", code=2)[1]


def test_the_page_has_the_tables_and_the_pictures(two: tuple[Path, Path]) -> None:
    html = make_report(two).html
    assert 'id="cost"' in html
    assert "Tokens and cost of each bug" in html
    assert 'id="table-similarity"' in html
    assert 'aria-label="Bugs fixed by exactly these systems"' in html
    assert "No table <code>conversation</code>" in html


def test_hostile_names_stay_text_in_pictures() -> None:
    name = "</text><script>alert(1)</script>\u202e\x00"
    shapes = tuple(Shape(kind=kind, x=1, y=1, text=name) for kind in ("text", "box", "dot"))
    text = str(draw(Figure(width=9, height=9, title=name, words=name, shapes=shapes)))
    root = ElementTree.fromstring(text)
    assert not [item for item in root.iter() if item.tag.endswith("script")]
    assert "⟦U+202E⟧⟦U+0000⟧" in text


def test_many_systems_still_have_colours() -> None:
    text = str(draw(Figure(width=9, height=9, title="", words="", shapes=(Shape(kind="dot", x=1, y=1, tone="11"),))))
    assert "var(--s3" in text


def test_a_legend_shows_long_names_whole_on_several_lines() -> None:
    name = "one-shot · vllm/acme/Large-Coder-7B-Instruct · T=0.2"
    bars = bar_chart("Bars", "share", (name, "short"), {"a": (50.0, 20.0)}, {"a": ("1 of 2", "1 of 5")}, "")
    curve = Curve(name=name, index=0, points=((0.0, 1.0),))
    lines = line_chart("Lines", Axis(low=0, high=1), Axis(low=0, high=1), [curve], "")
    for figure in (bars, lines):
        shown = [shape.text for shape in figure.shapes if shape.kind == "text"]
        assert name.replace(" ", "") in "".join(shown).replace(" ", "")
        assert not any("…" in text for text in shown)


def test_tables_come_as_latex_with_their_signature(two: list[str], tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    out, _ = said(capsys, *two, "--format", "latex", "--only", "projects")
    assert out.count("\\toprule") == out.count("\\bottomrule") == 1 and "% " in out.splitlines()[0]
    assert any(line.startswith("% ") and "benchmark:" in line for line in out.splitlines())
    said(capsys, *two, "--format", "latex", "--to", str(tmp_path / "tables"))
    assert (tmp_path / "tables" / "projects.tex").read_text(encoding="utf-8") == out
    assert "unknown format of tables" in said(capsys, *two, "--format", "tex", code=2)[1]
