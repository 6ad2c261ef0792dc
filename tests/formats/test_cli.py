"""Formats from the command line: validated and converted, as a user does it."""

import json
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest

from repairlab.cli.main import run as run_cli
from tests.conftest import PROGRAM
from tests.formats.test_reading import DIFF

FUNCTION = "def total(numbers):\n    return sum(numbers)"
WRONG = "def total(numbers):\n    return 7"
FILES: dict[str, tuple[str, Any]] = {
    "swebench": ("c.json", [{"instance_id": "tiny/sum", "model_patch": DIFF}, {"instance_id": "sum", "model_patch": "no diff"}]),
    "evalplus": ("c.jsonl", [{"task_id": "sum", "solution": FUNCTION}, {"task_id": "SUM", "solution": PROGRAM}]),
    "repairbench": (
        "c.jsonl",
        [{"identifier": "sum", "evaluation": [{"generation": FUNCTION, "test": True}, {"generation": WRONG, "test": True}]}],
    ),
    "nl2fix": (
        "sum-validated.jsonl",
        [{"sum": {"patches": [{"patch": FUNCTION, "correctness": "plausible"}, {"patch": WRONG, "correctness": "wrong"}]}}],
    ),
    "npr4j-patches": ("c.patches", {"sum": {"0": FUNCTION, "1": WRONG}}),
    "fixeval": (
        "generation.json",
        [{"src_id": "sum", "detokenized_generations": [PROGRAM.replace("= 1", "= 0"), PROGRAM], "generations": []}],
    ),
}


def said(capsys: pytest.CaptureFixture[str], *arguments: str) -> tuple[int, str, str]:
    """Run a command and return its exit code, standard output and standard error."""
    code = run_cli(list(arguments))
    out, err = capsys.readouterr()
    return code, out, err


def store(folder: Path, name: str) -> Path:
    file, value = FILES[name]
    lines = value if file.endswith(".jsonl") else [value]
    (folder / file).write_text("".join(json.dumps(line) + "\n" for line in lines))
    return folder / file


@pytest.mark.usefixtures("sandbox")
@pytest.mark.parametrize("name", FILES)
def test_others_candidates_are_validated(tiny: Path, tmp_path: Path, name: str, capsys: pytest.CaptureFixture[str]) -> None:
    path = store(tmp_path, name)
    arguments = ["validate", str(tiny), str(path), "-j", "1", "--no-cache", "--to", str(tmp_path / "run"), "--json"]
    code, out, err = said(capsys, *arguments)
    assert code == 0, err
    found = json.loads(out)
    assert found["format"] == name
    verdicts = [entry["verdict"] for entry in found["outcomes"]]
    assert verdicts == ["PLAUSIBLE", "UNAPPLICABLE" if name == "swebench" else "WRONG"]
    assert ("agreement" in found) == (name in ("nl2fix", "repairbench"))


@pytest.mark.parametrize(
    "entries",
    [
        [{"instance_id": "sum", "model_name_or_path": model, "model_patch": DIFF} for model in ("alpha", "beta", "alpha")],
        [{"bug": "sum", "model": model, "function": FUNCTION} for model in ("alpha", "beta")],
    ],
    ids=["swebench", "own"],
)
def test_a_file_of_several_models_is_refused(
    tiny: Path, tmp_path: Path, entries: list[dict[str, str]], capsys: pytest.CaptureFixture[str]
) -> None:
    path = tmp_path / "predictions.jsonl"
    path.write_text("".join(json.dumps(entry) + "\n" for entry in entries))
    code, _, err = said(capsys, "validate", str(tiny), str(path), "--to", str(tmp_path / "run"))
    assert code == 2 and not (tmp_path / "run").exists()
    assert f"{path} holds candidates of 2 models, which would be scored as one: alpha, beta. Split it into one file per" in err


@pytest.mark.usefixtures("sandbox")
def test_agreement_with_published_verdicts_is_told(tiny: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    path = store(tmp_path, "repairbench")
    arguments = [
        "validate",
        str(tiny),
        str(path),
        "--format",
        "repairbench",
        "-j",
        "1",
        "--no-cache",
        "--to",
        str(tmp_path / "run"),
    ]
    code, out, err = said(capsys, *arguments)
    assert code == 0, err
    assert "agreement with the published verdicts: 1 of 2 candidates (50.0 %); on plausible or not: 1, kappa 0.000" in out
    assert "Disagreements" in out and "Published and ours" in out
    _, out, _ = said(capsys, *arguments, "--json")
    found = json.loads(out)["agreement"]
    assert found["matrix"] == {"pass": {"PLAUSIBLE": 1, "WRONG": 1}} and found["share"] == 0.5
    assert [(item["bug_id"], item["rank"], item["ours"]) for item in found["disagreements"]] == [("sum", 2, "WRONG")]


@pytest.mark.usefixtures("sandbox")
def test_a_run_is_converted_with_its_verdicts_and_agrees_with_itself(
    tiny: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    common = ["-j", "1", "--no-cache"]
    said(capsys, "validate", str(tiny), str(store(tmp_path, "nl2fix")), *common, "--to", str(tmp_path / "run"))
    for name, file in (("clm", "v.json"), ("repairlab", "v.jsonl")):
        code, out, err = said(capsys, "publish", str(tmp_path / "run"), str(tiny), "--format", name, "--to", str(tmp_path / file))
        assert code == 0, err
        assert f"2 candidates read, 0 unreadable; written to {tmp_path / file} as {name}" in out
        again = ["validate", str(tiny), str(tmp_path / file), *common, "--to", str(tmp_path / name), "--json"]
        found = json.loads(said(capsys, *again)[1])
        assert (found["format"], found["agreement"]["n"], found["agreement"]["n_agree"]) == (name, 2, 2)
    (tiny / "benchmark.toml").write_text((tiny / "benchmark.toml").read_text().replace("1.0.0", "1.0.1"))
    code, _, err = said(capsys, "publish", str(tmp_path / "run"), str(tiny), "--format", "clm", "--to", str(tmp_path / "x.json"))
    assert code == 2 and "is a run on tiny 1.0.0" in err and "tiny here is 1.0.1" in err


def test_a_file_is_converted_to_any_other_format(tiny: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    path = store(tmp_path, "nl2fix")
    with path.open("a") as file:
        file.write("{\n")
    code, out, err = said(capsys, "publish", str(path), str(tiny), "--format", "diffs", "--to", str(tmp_path / "d"), "--json")
    assert code == 0
    assert json.loads(out)["n_candidates"] == 2 and "line 2: not valid JSON" in err
    assert (tmp_path / "d/sum/1.diff").read_text().startswith("--- a/main.py\n+++ b/main.py\n")
    for name, place in (("swebench", "s.jsonl"), ("clm", "c.json"), ("npr4j-results", "r.json"), ("evalplus", "e")):
        assert said(capsys, "publish", str(path), str(tiny), "--format", name, "--to", str(tmp_path / place))[0] == 0
    assert json.loads((tmp_path / "c.json").read_text())["data"]["sum"]["output"][0]["correctness"] == "plausible"


@pytest.mark.usefixtures("sandbox")
def test_of_very_many_unreadable_entries_only_some_are_told(tiny: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    path = tmp_path / "c.patches"
    path.write_text(
        json.dumps(
            {"sum": {"1": FUNCTION}}
            | {f"bug-{n}": {"1": "x"} for n in range(30)}
            | {f"sum{'-' * n}": {"1": n} for n in range(1, 31)}
        )
    )
    arguments = ["validate", str(tiny), str(path), "-j", "1", "--no-cache", "--to", str(tmp_path / "run"), "--json"]
    code, out, err = said(capsys, *arguments)
    assert code == 0
    assert err.count("'bug-") == 5 and "30 entries name no bug of tiny: " in err and " and 25 more" in err
    assert len(json.loads(out)["unreadable"]) == json.loads(out)["n_unreadable"] == 60
    assert err.count("should be text") == 20 and "30 entries are unreadable; the first 20 are above, --json has all" in err


def test_formats_are_listed_and_wrong_use_is_explained(tiny: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    assert "npr4j-patchinfo" in said(capsys, "publish")[1]
    assert "clm" in json.loads(said(capsys, "publish", "--json")[1])
    path = store(tmp_path, "nl2fix")
    code, _, err = said(capsys, "publish", str(path), str(tiny), "--format", "swebench")
    assert code == 2 and "--to PATH" in err
    code, _, err = said(capsys, "publish", str(path), str(tiny), "--format", "swebnch", "--to", str(tmp_path / "x"))
    assert code == 2 and "Did you mean 'swebench'?" in err
    code, _, err = said(
        capsys, "publish", str(path), str(tiny), "--from", "clm", "--format", "swebench", "--to", str(tmp_path / "x")
    )
    assert code == 2 and not (tmp_path / "x").exists()
    code, _, err = said(capsys, "validate", str(tiny), str(path), "--format", "swebench")
    assert code == 2 and "holds no usable candidate" in err


@pytest.mark.slow
def test_odd_candidates_get_a_verdict_each_and_stop_nothing(tiny: Path, tmp_path: Path) -> None:
    """Each of these ended the command with a traceback, or kept it busy for minutes; the output itself must be printable, too."""
    path = tmp_path / "odd.jsonl"
    odd = [
        {"bug": "sum", "edits": [{"path": "\ud800.py", "text": ""}]},
        {"bug": "sum", "edits": [{"path": "x/" * 3000 + "y", "text": ""}]},
        {"bug": "sum", "file": "print('\ud800')\n"},
        {"bug": "sum", "file": "#" * 10_000_000},
        {"bug": "sum", "file": PROGRAM.replace("= 1", "= 0")},
    ]
    failing = "class Cart:\n    def __init__(self, prices):\n        raise ValueError('\\ud800')\n"
    path.write_text("".join(json.dumps(line) + "\n" for line in [*odd, {"bug": "shop", "file": failing}]))
    command = [sys.executable, "-m", "repairlab", "validate", str(tiny), str(path), "--to", str(tmp_path / "run"), "--no-cache"]
    assert subprocess.run(command, capture_output=True, check=False).returncode == 0
    done = subprocess.run([*command, "--json"], capture_output=True, check=True)
    verdicts = [outcome["verdict"] for outcome in json.loads(done.stdout)["outcomes"]]
    assert verdicts == ["WRONG", "UNAPPLICABLE", "UNAPPLICABLE", "UNCOMPILABLE", "UNAPPLICABLE", "PLAUSIBLE"]


@pytest.mark.usefixtures("sandbox")
def test_scores_of_a_file_are_for_the_usual_k_as_far_as_it_has_candidates(
    tiny: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    path = tmp_path / "c.jsonl"
    texts = [*(WRONG.replace("7", str(wrong)) for wrong in range(10, 15)), FUNCTION]
    path.write_text("".join(json.dumps({"bug": "sum", "function": text}) + "\n" for text in texts))
    code, _, err = said(capsys, "validate", str(tiny), str(path), "-i", "sum", "-j", "1", "--to", str(tmp_path / "run"))
    assert code == 0, err
    _, out, _ = said(capsys, "score", str(tmp_path / "run"), "--json")
    found = {item["k"]: item["value"] for item in json.loads(out)["scores"] if item["metric"] == "pass@k"}
    assert list(found) == [1, 5] and found[5] == pytest.approx(5 / 6)
