"""People label bugs by a taxonomy: the file is read or refused, answers become the records of `label`."""

import csv
import json
from pathlib import Path

import pytest

from repairlab.benchmarks.labels_file import LABELS_NAME, read_labels
from repairlab.cli.main import run
from repairlab.core.errors import UserError
from repairlab.study.assessment.ratings import CORRECTNESS, read_taxonomy

TAXONOMY = 'name = "kind"\nquestion = "It is"\n[labels]\nlogic = "a wrong condition"\nvalue = "a wrong value"\n'


@pytest.fixture
def taxonomy(tmp_path: Path) -> Path:
    path = tmp_path / "kind.toml"
    path.write_text(TAXONOMY, encoding="utf-8")
    return path


def test_a_taxonomy_is_toml_or_csv(taxonomy: Path, tmp_path: Path) -> None:
    found = read_taxonomy(taxonomy)
    assert (found.name, found.question, list(found.labels)) == ("kind", "It is", ["logic", "value", "unsure"])
    table = tmp_path / "kind.csv"
    table.write_text("label,meaning\nlogic,a wrong condition\nvalue,a wrong value\n", encoding="utf-8")
    assert read_taxonomy(table).labels == found.labels
    assert found.label_of(" LOGIC ") == found.label_of("log") == "logic"
    for text in ("lo", "other", ""):
        with pytest.raises(UserError, match="unknown label"):
            found.label_of(text)
    with pytest.raises(UserError, match="has none"):
        found.rules_of("R7")
    assert CORRECTNESS.rules_of("7") == ("R7",)


@pytest.mark.parametrize(
    ("name", "text", "words"),
    [
        ("a.toml", "labels = [", "is no TOML"),
        ("a.toml", "[lables]\na = 'x'\n", "'lables' is not known"),
        ("a.toml", "[labels]\na = 1\nb = 2\n", "no table"),
        ("a.toml", "[labels]\na = 'x'\n", "1 label"),
        ("a.toml", "[labels]\na = 'x'\nA = 'y'\n", "differ in case"),
        ("a.toml", "[labels]\na = 'x'\n'' = 'y'\n", "printable"),
        ("a.csv", "name\nx\n", "label"),
        ("a.csv", "label\nx\nx\n", "several rows"),
    ],
)
def test_what_is_no_taxonomy_is_refused(tmp_path: Path, name: str, text: str, words: str) -> None:
    (tmp_path / name).write_text(text, encoding="utf-8")
    with pytest.raises(UserError, match=words):
        read_taxonomy(tmp_path / name)


def label(capsys: pytest.CaptureFixture[str], *arguments: object) -> tuple[int, str, str]:
    code = run(["label", *map(str, arguments)])
    said = capsys.readouterr()
    return code, said.out, said.err


def fill(path: Path, **labels: str) -> None:
    """Fill the sheet of a rater, by bug."""
    with path.open(newline="", encoding="utf-8") as file:
        rows = list(csv.DictReader(file))
    with path.open("w", newline="", encoding="utf-8") as file:
        writer = csv.DictWriter(file, list(rows[0]))
        writer.writeheader()
        writer.writerows(row | {"label": labels.get(row["bug"], "")} for row in rows)


def test_sheets_become_labels(tiny: Path, taxonomy: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    folder = tmp_path / "project"
    code, out, _ = label(capsys, tiny, "--taxonomy", taxonomy, "--raters", "ada,ben", "--to", folder, "--json")
    assert code == 0
    begun = json.loads(out)
    assert begun["tasks"] == 2 and begun["labels"] == []
    ada, ben = (folder / "sheets" / f"{name}.csv" for name in ("ada", "ben"))
    assert "prices" in ada.read_text(encoding="utf-8")
    fill(ada, shop="value", sum="logic")
    assert "not taken yet" in label(capsys, tiny, "--to", folder)[2]
    fill(ben, shop="VALUE", sum="value")
    assert label(capsys, tiny, "--to", folder, "--take", ada, "--take", ben)[0] == 0
    found = {item.bug: item for item in read_labels(folder / LABELS_NAME)}
    assert (found["shop"].rule, found["shop"].values, found["shop"].is_suggested) == ("kind", ("value",), False)
    assert (found["sum"].values, found["sum"].is_suggested) == (("logic", "value"), True)
    disagreements = folder / "sheets" / "disagreements.csv"
    fill(disagreements, sum="logic")
    code, out, _ = label(capsys, tiny, "--to", folder, "--adjudicate", disagreements, "--by", "eva", "--json")
    assert code == 0 and json.loads(out)["disagreements"] == 0
    assert {item.bug: item.values for item in read_labels(folder / LABELS_NAME)} == {"shop": ("value",), "sum": ("logic",)}


def test_what_makes_no_project_is_refused(tiny: Path, taxonomy: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    assert "name it with --to" in label(capsys, tiny, "--taxonomy", taxonomy)[2]
    assert "cannot read the taxonomy" in label(capsys, tiny, "--taxonomy", tmp_path / "none.toml", "--to", tmp_path / "p")[2]
    assert "is not empty" in label(capsys, tiny, "--taxonomy", taxonomy, "--to", tiny)[2]
    assert label(capsys, tiny, "--taxonomy", "category", "--raters", "ada", "--to", tmp_path / "p")[0] == 0
    assert "not what is asked now" in label(capsys, tiny, "--taxonomy", taxonomy, "--to", tmp_path / "p")[2]
    sheet = tmp_path / "p" / "sheets" / "ada.csv"
    fill(sheet, shop="Z.9")
    code, _, err = label(capsys, tiny, "--to", tmp_path / "p", "--take", sheet)
    assert code == 2 and "unknown label 'Z.9'" in err and "Nothing of the sheet was taken" in err
    (tmp_path / "p" / "labelling.json").write_text("{", encoding="utf-8")
    assert "cannot be read" in label(capsys, tiny, "--to", tmp_path / "p")[2]


def test_rounds_share_no_bug_and_the_last_rates_labelled_ones_again(
    taxonomy: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    def begin(name: str, *more: object) -> list[str]:
        code, _, err = label(
            capsys,
            "starter",
            "--taxonomy",
            taxonomy,
            "--raters",
            "ada,ben",
            "--to",
            tmp_path / name,
            "-i",
            "go-*",
            "--share",
            "0.5",
            *more,
        )
        assert code == 0, err
        with (tmp_path / name / "sheets" / "ada.csv").open(newline="", encoding="utf-8") as file:
            return sorted(row["bug"] for row in csv.DictReader(file))

    def rate(name: str, ben: str, *more: object) -> str:
        sheets = tmp_path / name / "sheets"
        for rater, said in (("ada", "value"), ("ben", ben)):
            with (sheets / f"{rater}.csv").open(newline="", encoding="utf-8") as file:
                rows = [row["bug"] for row in csv.DictReader(file)]
            fill(sheets / f"{rater}.csv", **{bug: said if number else "logic" for number, bug in enumerate(sorted(rows))})
        code, out, err = label(
            capsys, "starter", "--to", tmp_path / name, "--take", sheets / "ada.csv", "--take", sheets / "ben.csv", *more
        )
        assert code == 0, err
        return out

    first = begin("one")
    rate("one", "value")
    second = begin("two", "--after", tmp_path / "one")
    assert len(first) == 4 and len(second) == 2 and not set(first) & set(second)
    rate("two", "logic")
    third = begin("three", "--after", tmp_path / "one", "--after", tmp_path / "two", "--again")
    assert third and set(third) <= {*first, *second}
    told = rate("three", "value", "--after", tmp_path / "one", "--after", tmp_path / "two")
    assert "Rounds" in told and told.count("Cohen's kappa") >= 2
    for more, words in (
        (("--again",), "name their folders with --after"),
        (("--share", "0"), "--share is 0"),
        (("--after", tmp_path / "no"), "cannot be read"),
    ):
        code, _, err = label(capsys, "starter", "--taxonomy", taxonomy, "--to", tmp_path / "new", *more)
        assert code == 2 and words in err
