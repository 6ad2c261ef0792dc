"""The table of docs/results/importing.md, made from a small benchmark that is imported and checked for real."""

import shutil
from pathlib import Path

import pytest

from repairlab.benchmarks.catalog import open_benchmark
from repairlab.benchmarks.health import Health, make_card, write_card
from repairlab.building.check import check_bugs
from repairlab.building.import_record import read_import_record
from repairlab.building.importers.importer import Settings
from repairlab.building.importing import import_benchmark
from repairlab.core.errors import UserError
from repairlab.validation.machine import Machine
from scripts.importing_table import BEGIN, END, main, reason_of

PROGRAM = "n = int(input())\nprint(n + {})\n"


@pytest.fixture(scope="module")
def imported(tmp_path_factory: pytest.TempPathFactory, machine: Machine) -> Path:
    """Return the folder of a benchmark of three records: one healthy, one whose programs are equal, one that shows nothing."""
    source, folder = tmp_path_factory.mktemp("source"), tmp_path_factory.mktemp("made") / "small"
    for name, wrong, answer in (("good", 1, 3), ("equal", 0, 3), ("blind", 1, 4)):
        for path, text in {
            "buggy/main.py": PROGRAM.format(wrong),
            "fixed/main.py": PROGRAM.format(0),
            "tests/1.in": "3\n",
            "tests/1.out": f"{answer}\n",
        }.items():
            (source / name / path).parent.mkdir(parents=True, exist_ok=True)
            (source / name / path).write_text(text)
    import_benchmark("programs", [source], folder, Settings(), lambda n: None, lambda name: None, machine=machine)
    found: list[Health] = []
    benchmark = open_benchmark(str(folder))
    check_bugs(list(benchmark), machine, found.append)
    write_card(folder / "health.json", make_card(benchmark, found, {}, repeats=1))
    return folder


def test_the_table_says_of_every_record_what_came_of_it(imported: Path, capsys: pytest.CaptureFixture[str]) -> None:
    assert main([str(imported)]) == 0
    head, _, line = capsys.readouterr().out.splitlines()
    cells = dict(zip(head.split(" | "), line.split(" | "), strict=True))
    made = read_import_record(imported)
    assert made.importer == "programs" and made.n_records == 3 and made.cpu_s >= 0
    assert (cells["records"], cells["imported"]) == ("3", str(len(made.bugs)))
    assert int(cells["healthy"]) >= 1 and cells["dropped, by reason"].startswith("1: ")
    assert main([str(imported), "--records"]) == 0
    lines = {line.split("\t")[1]: line.split("\t")[2] for line in capsys.readouterr().out.splitlines()}
    assert lines.keys() == {"good", "equal", "blind"}
    assert lines["good"] == "healthy" and lines["equal"].startswith("dropped: ") and lines["blind"] != "healthy"


def test_a_benchmark_that_was_imported_in_parts_is_one_row(
    imported: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    for part in ("first", "second"):
        shutil.copytree(imported, tmp_path / "whole" / part)
    (tmp_path / "whole/second/health.json").unlink()
    assert main([str(tmp_path / "whole")]) == 0
    _, _, line = capsys.readouterr().out.splitlines()
    made = read_import_record(imported)
    wanted = ["programs (whole)", "6", str(2 * len(made.bugs)), str(len(made.bugs))]
    assert line.removeprefix("| ").split(" | ")[:4] == wanted


def test_the_table_is_put_between_the_marks_of_a_page(imported: Path, tmp_path: Path) -> None:
    page = tmp_path / "page.md"
    page.write_text(f"before\n{BEGIN}\nold\n{END}\nafter\n")
    assert main([str(imported), "--to", str(page)]) == 0
    text = page.read_text()
    assert text.startswith("before\n") and text.endswith("after\n") and "old" not in text and "| 3 |" in text
    assert main([str(imported), "--to", str(page)]) == 0 and page.read_text() == text


def test_a_folder_that_was_not_imported_and_a_page_without_marks_are_errors(
    imported: Path, tiny: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    assert main([str(tiny)]) == 2 and "import.json is missing" in capsys.readouterr().err
    (tmp_path / "page.md").write_text("nothing\n")
    assert main([str(imported), "--to", str(tmp_path / "page.md")]) == 2 and "no place for the table" in capsys.readouterr().err
    (tiny / "import.json").write_text("{}")
    with pytest.raises(UserError, match=r"import\.json: schema"):
        read_import_record(tiny)


def test_reasons_that_differ_in_names_alone_are_one() -> None:
    first = reason_of("project a___b: /x/y.git has no commit 0123456789abcdef0123456789abcdef01234567")
    assert first == reason_of("project c___d: /z.git has no commit fedcba9876543210fedcba9876543210fedcba98")
