"""From a run with plausible candidates to labels and scores that count correct ones."""

import csv
import json
from pathlib import Path

import pytest

from repairlab.cli.main import run
from repairlab.runs.integrity import find_damage
from repairlab.runs.store import Store
from repairlab.study.assessment.labels import read_labels

FIX = "def total(numbers):\n    result = 0\n    for number in numbers:\n        result += number\n    return result\n"
OVERFITTING = "def total(numbers):\n    numbers = list(numbers)\n    return 3 if len(numbers) == 2 else numbers[0]\n"
CANDIDATES = (
    FIX,
    FIX.replace("result = 0", "result  =  0  # nothing yet"),
    "def total(numbers):\n    return sum(numbers)\n",
    OVERFITTING,
)


@pytest.fixture
def judged(tiny: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> Path:
    """Validate four plausible candidates and a wrong one."""
    lines = [{"bug": "sum", "function": text} for text in (*CANDIDATES, "def total(numbers):\n    return 7\n")]
    (tmp_path / "candidates.jsonl").write_text("".join(json.dumps(line) + "\n" for line in lines), encoding="utf-8")
    folder = tmp_path / "run"
    command = ["validate", str(tiny), str(tmp_path / "candidates.jsonl"), "-i", "sum", "--to", str(folder), "-j", "1", "--no-cache"]
    assert run(command) == 0
    capsys.readouterr()
    return folder


def assess(folder: Path, capsys: pytest.CaptureFixture[str], *more: str) -> dict[str, object]:
    assert run(["assess", str(folder), "-j", "1", "--inputs", "12", "--json", *more]) == 0
    found: dict[str, object] = json.loads(capsys.readouterr().out)
    return found


def fill(path: Path, label: str, **others: str) -> None:
    """Fill in a sheet: a label for all tasks, but for those whose candidate holds a text."""
    with path.open(encoding="utf-8", newline="") as file:
        rows = list(csv.DictReader(file))
    for row in rows:
        row["label"] = next((other for text, other in others.items() if text in row["candidate"]), label)
    with path.open("w", encoding="utf-8", newline="") as file:
        writer = csv.DictWriter(file, list(rows[0]))
        writer.writeheader()
        writer.writerows(rows)


def scores(folder: Path, capsys: pytest.CaptureFixture[str]) -> dict[str, dict[str, float]]:
    assert run(["score", str(folder), "--json", "-k", "1"]) == 0
    return {item["metric"]: item for item in json.loads(capsys.readouterr().out)["scores"]}


def test_two_raters_by_csv_until_correct_candidates_are_counted(
    judged: Path, tiny: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    sheets = tmp_path / "sheets"
    found = assess(judged, capsys, "--raters", "ada,ben", "--to", str(sheets))
    assert (found["n_candidates"], found["n_tasks"]) == (4, 3), "two differ in layout alone"
    assert found["rules"] == {"R0": 1}
    assert (found["n_measured"], found["n_differ"]) == (2, 1)
    assert found["labels"] == {"correct": 2, "open": 2}
    text = (sheets / "ada.csv").read_text(encoding="utf-8")
    assert "file" not in text.partition("\n")[0] and "result  =  0" not in text, "the fix needs no rater"
    assert (sheets / "ben.csv").is_file()

    fill(sheets / "ada.csv", "correct", **{"numbers[0]": "overfitting"})
    fill(sheets / "ben.csv", "correct")
    filled = (sheets / "ben.csv").read_bytes()
    assert run(["assess", str(judged), "-j", "1", "--to", str(sheets)]) == 2
    assert "2 labels that were not taken yet" in capsys.readouterr().err
    assert (sheets / "ben.csv").read_bytes() == filled
    found = assess(judged, capsys, "--take", str(sheets / "ada.csv"), "--take", str(sheets / "ben.csv"), "--to", str(sheets))
    assert found["sources"] == {"identical": 1, "agreed": 1, "open": 1}
    assert found["n_disagreements"] == 1
    assert scores(judged, capsys)["pass@k[correct]"]["value"] == pytest.approx(3 / 4)

    assert assess(judged, capsys, "--either-rejects")["sources"] == {"identical": 1, "agreed": 1, "one rejects": 1}
    assert assess(judged, capsys)["sources"] == {"identical": 1, "agreed": 1, "one rejects": 1}, "as last time"
    assert assess(judged, capsys, "--adjudicated")["sources"] == {"identical": 1, "agreed": 1, "open": 1}

    fill(sheets / "disagreements.csv", "overfitting")
    found = assess(judged, capsys, "--adjudicate", str(sheets / "disagreements.csv"), "--by", "cleo")
    assert found["labels"] == {"correct": 3, "overfitting": 1}
    assert found["by_label"] == {"wrong_differs": 1, "wrong_same": 0, "right_differs": 0, "right_same": 1}
    measured = scores(judged, capsys)
    assert measured["pass@k"]["value"] == pytest.approx(4 / 5)
    assert measured["pass@k[correct]"]["value"] == pytest.approx(3 / 5)
    assert measured["fixed[correct]"]["value"] == 1
    assert "labels:" in str(measured["fixed[correct]"]["signature"])

    assert run(["audit", str(tiny), "--run", str(judged), "--json"]) == 1
    weak = next(rule for rule in json.loads(capsys.readouterr().out)["rules"] if rule["rule"] == "tests too weak")
    assert [(item["bug_id"], item["level"]) for item in weak["findings"]] == [("sum", "fail")]

    labels = read_labels(judged)
    assert labels is not None
    settled = next(label for label in labels.labels if label.source == "adjudicated")
    assert [(item.rater, item.label) for item in settled.ratings] == [("ada", "overfitting"), ("ben", "correct")]
    assert settled.rulings[0].judge == "cleo"
    assert find_damage(Store(judged)) == [], "the seal of the run holds"
    assert run(["assess", str(judged), "-j", "1"]) == 0
    assert "Krippendorff's alpha" in capsys.readouterr().out


def test_held_out_tests_speak(judged: Path, tiny: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    other = tmp_path / "more"
    for path in tiny.rglob("*"):
        if path.is_file():
            place = other / path.relative_to(tiny)
            place.parent.mkdir(parents=True, exist_ok=True)
            place.write_bytes(path.read_bytes())
    (other / "bugs/sum/cases/03.in").write_text("4 5\n", encoding="utf-8")
    (other / "bugs/sum/cases/03.out").write_text("9\n", encoding="utf-8")
    assert run(["assess", str(judged), "-j", "1", "--inputs", "0"]) == 0
    capsys.readouterr()
    found = assess(judged, capsys)
    assert (found["n_measured"], found["n_held_out"]) == (2, 0), "what was not asked for before is found out now"
    found = assess(judged, capsys, "--held-out", str(other))
    assert (found["n_held_out"], found["n_held_out_failed"]) == (2, 1)
    assert found["by_held_out"] == {"wrong_differs": 1, "wrong_same": 0, "right_differs": 0, "right_same": 1}
    assert run(["assess", str(judged), "-j", "1", "--inputs", "0", "--held-out", str(other), "--again", "--json"]) == 0
    assert json.loads(capsys.readouterr().out)["n_measured"] == 0
    source = other / "bugs/sum/buggy/main.py"
    source.write_text(source.read_text(encoding="utf-8") + "# more\n", encoding="utf-8")
    assert run(["assess", str(judged), "-j", "1", "--held-out", str(other)]) == 2
    assert "has another source" in capsys.readouterr().err
    assert run(["audit", str(tiny), "--run", str(judged)]) == 0
    assert "1 of 3 plausible candidates" in capsys.readouterr().out.replace("\n", "")


def test_hints_show_the_counterexample(judged: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    assess(judged, capsys, "--raters", "ada", "--per-task", "1", "--to", str(tmp_path / "sheets"), "--hints")
    assert "differs from the fix on" in (tmp_path / "sheets" / "ada.csv").read_text(encoding="utf-8")


@pytest.mark.parametrize(
    ("more", "said"),
    [
        (["--raters", "ada,ben"], "name their folder with --to"),
        (["--inputs", "-1"], "--inputs is -1"),
        (["--raters", "a/b", "--to", "SHEETS"], "'a/b' is no name of a rater"),
        (["--take", "missing.csv"], "missing.csv is missing"),
        (["--held-out", "nowhere"], "unknown benchmark 'nowhere'"),
    ],
)
def test_bad_input_is_one_message(
    judged: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str], more: list[str], said: str
) -> None:
    options = [str(tmp_path / "sheets") if word == "SHEETS" else word for word in more]
    assert run(["assess", str(judged), "-j", "1", *(["--inputs", "0"] if "--inputs" not in more else []), *options]) == 2
    assert said in capsys.readouterr().err


def test_a_folder_that_is_no_run_is_refused(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    assert run(["assess", str(tmp_path)]) == 2
    assert "is no run folder" in capsys.readouterr().err
    assert list(tmp_path.iterdir()) == [], "nothing is left there"


def test_an_audit_wants_runs_that_were_assessed(
    judged: Path, tiny: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    assert run(["audit", str(tiny), "--run", str(judged)]) == 2
    assert "was not assessed" in capsys.readouterr().err
    assert run(["audit", "starter", "--run", str(judged)]) == 2
    assert "is a run on tiny, not on starter" in capsys.readouterr().err


def test_a_changed_benchmark_is_refused(judged: Path, tiny: Path, capsys: pytest.CaptureFixture[str]) -> None:
    (tiny / "bugs/sum/cases/02.out").write_text("6\n", encoding="utf-8")
    assert run(["assess", str(judged), "-j", "1"]) == 2
    assert "but the run used" in capsys.readouterr().err


def test_labels_of_another_run_are_refused(judged: Path, capsys: pytest.CaptureFixture[str]) -> None:
    (judged / "labels.json").write_text(json.dumps({"schema": 1, "run": "x", "candidates": {}, "labels": []}), encoding="utf-8")
    assert run(["score", str(judged)]) == 2
    assert "is of another run" in capsys.readouterr().err
