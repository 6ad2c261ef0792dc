"""The verb as a user sees it."""

import json
import xml.etree.ElementTree as ET
from pathlib import Path
from typing import Any

import pytest

from repairlab.cli.main import run
from repairlab.core.candidate import Edit
from repairlab.core.outcome import Verdict
from repairlab.runs.experiment import Experiment, Manifest
from repairlab.runs.samples import read_judged
from repairlab.runs.store import BugEnd, Store
from repairlab.study.assessment.labels import write_labels
from repairlab.study.assessment.ratings import AssessmentTask, FinalLabel
from tests import builders

DATA = Path(__file__).parents[1] / "formats" / "data"
RESULTS = str(DATA / "all_result.json")
SVG = "{http://www.w3.org/2000/svg}"


def said(capsys: pytest.CaptureFixture[str], *arguments: str, code: int = 0) -> tuple[str, str]:
    assert run(["rescore", *arguments]) == code, capsys.readouterr().err
    captured = capsys.readouterr()
    return captured.out, captured.err


def answer(capsys: pytest.CaptureFixture[str], *arguments: str) -> Any:
    return json.loads(said(capsys, *arguments, "--json")[0])


def cells(data: Any, name: str, row: str) -> dict[str, Any]:
    found: dict[str, Any] = next(
        item["cells"] for table in data["tables"] if table["name"] == name for item in table["rows"] if item["name"] == row
    )
    return found


def test_json_is_the_golden_file(capsys: pytest.CaptureFixture[str]) -> None:
    data = answer(
        capsys, RESULTS, "--against", str(DATA / "APR_fixes_all.json"), "--labels", str(DATA / "types.csv"), "--top", "1,3"
    )
    data["notes"][-1] = data["notes"][-1].partition(" in ")[0]  # the path of the labels is this machine's
    assert data == json.loads((DATA / "rescored.json").read_text(encoding="utf-8"))


def test_the_format_may_be_named_or_recognised(capsys: pytest.CaptureFixture[str]) -> None:
    assert said(capsys, "npr4j", RESULTS) == said(capsys, RESULTS)


def test_tables_name_systems_and_say_what_is_left_out(capsys: pytest.CaptureFixture[str]) -> None:
    out, err = said(capsys, RESULTS)
    assert "Systems on 5 bugs; a fix is a candidate that a person accepted" in out
    assert "Gamma" in out
    assert "contradiction: Alpha" in err
    assert "left out: coverage needs the results of other tools: --against FILE" in err


def test_systems_and_bugs_can_be_chosen(capsys: pytest.CaptureFixture[str]) -> None:
    data = answer(capsys, RESULTS, "--system", "Gamma", "--system", "beta", "-i", "defects4j/*")
    assert data["fixed"] == {"Gamma": ["defects4j/Math-3"], "beta": ["defects4j/Lang-1", "defects4j/Math-3"]}
    assert cells(answer(capsys, RESULTS, "--ranks", "written"), "checks", "beta")["top-1"] == "1/3"
    assert answer(capsys, RESULTS, "--count", "plausible")["fix"] == "plausible"


def test_several_formats_are_put_together(capsys: pytest.CaptureFixture[str]) -> None:
    data = answer(capsys, RESULTS, str(DATA / "APR_fixes_all.json"))
    assert list(data["fixed"]) == ["Alpha", "beta", "Gamma", "Old", "Older"]
    assert cells(data, "ensembles", "union")["fixed bugs"] == 5
    assert "needs ranks" in data["left_out"]["candidates"]


def test_figures_are_drawn(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    folder = tmp_path / "new" / "figures"
    said(capsys, RESULTS, "--figures", str(folder))
    assert sorted(path.name for path in folder.iterdir()) == ["benchmarks.svg", "candidates.svg", "checks.svg", "overlap.svg"]
    first = {path.name: path.read_text(encoding="utf-8") for path in folder.iterdir()}
    for text in first.values():
        assert {"Alpha", "beta", "Gamma"} <= {item.text for item in ET.fromstring(text).iter(f"{SVG}text")}
    lines = ET.fromstring(first["candidates.svg"]).findall(f"{SVG}path[{SVG}title]")
    assert [line.attrib["d"].count("L") for line in lines] == [5, 5, 5]  # two changes each, level between and after them
    said(capsys, RESULTS, "--figures", str(folder))
    assert first == {path.name: path.read_text(encoding="utf-8") for path in folder.iterdir()}


def test_names_cannot_break_a_figure(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    path = tmp_path / "r.json"
    entry = {"accepted": [{"sys": "<b>&\"'", "index": 1}], "rejected": []}
    path.write_text(json.dumps({"d<SEP>b": entry}), encoding="utf-8")
    said(capsys, str(path), "--figures", str(tmp_path))
    assert "<b>&\"'" in {item.text for item in ET.parse(tmp_path / "overlap.svg").iter(f"{SVG}text")}


def write_run(folder: Path, verdicts: dict[str, list[Verdict]], *, finished: bool = True, repairer: str = "copy") -> Path:
    store = Store(folder)
    experiment = Experiment(benchmark="toy", repairer=repairer, n=3)
    store.create(
        Manifest(
            experiment=experiment,
            benchmark_name="toy",
            benchmark_version="1.0.0",
            benchmark_digest="0" * 16,
            bug_ids=tuple(verdicts),
            languages=tuple("c" for _ in verdicts),
            repairlab="0.1.0",
            environment={},
            environment_digest="0" * 16,
            created="2026-01-02T03:04:05+00:00",
        )
    )
    for bug, found in verdicts.items():
        for rank, verdict in enumerate(found, start=1):
            edit = Edit(path="a.c", text=str(rank))
            candidate = builders.candidate(bug, edit, rank=rank, repairer="copy")
            store.append(candidate)
            store.append(builders.outcome(verdict, candidate))
        if finished:
            store.append(BugEnd(bug_id=bug, ended="asked"))
    return folder


def test_the_oracle_is_no_system_unless_it_stands_alone(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    oracle = write_run(tmp_path / "oracle", {"x": [Verdict.PLAUSIBLE]}, repairer="reference")
    other = write_run(tmp_path / "other", {"x": [Verdict.WRONG]})
    assert answer(capsys, str(oracle))["fixed"] == {"reference": ["toy/x"]}
    assert answer(capsys, str(oracle), str(other))["fixed"] == {"copy": []}


def test_runs_of_repairlab_are_results_too(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    first = write_run(tmp_path / "a", {"x": [Verdict.CRASH, Verdict.PLAUSIBLE], "y": [Verdict.UNDECIDED, Verdict.UNCOMPILABLE]})
    second = write_run(tmp_path / "b", {"x": [Verdict.TIMEOUT], "y": [Verdict.PLAUSIBLE]}, finished=False)
    data = answer(capsys, str(first))
    assert (data["fix"], data["fixed"]) == ("plausible", {"copy": ["toy/x"]})
    assert cells(data, "systems", "copy")["mean rank of the first fix"] == 2.0
    both = answer(capsys, "run", str(first), str(second))
    assert both["fixed"] == {f"copy ({first})": ["toy/x"], f"copy ({second})": ["toy/y"]}
    assert both["notes"] == [f"{second}: 2 of 2 bugs are unfinished; what there is counts"]
    assert cells(both, "ensembles", "union")["fixed bugs"] == 2


def test_labels_of_an_assessed_run_count(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    folder = write_run(tmp_path / "a", {"x": [Verdict.PLAUSIBLE] * 3, "y": [Verdict.WRONG, Verdict.PLAUSIBLE]})
    assert "these candidates are not judged" in said(capsys, str(folder), "--count", "correct", code=2)[1]
    ids = [name for found in read_judged(Store(folder)).values() for name, _ in found]
    given = dict(zip(ids, ["overfitting", "correct", None, None, "correct"], strict=True))
    tasks = [AssessmentTask(id=name, run="r", bug_id="x", candidate_id=name) for name in given]
    rules = {"correct": ("R7",)}
    labels = [FinalLabel(task=name, label=word, source="agreed", rules=rules.get(word or "", ())) for name, word in given.items()]
    write_labels(folder, tasks, labels)
    data = answer(capsys, str(folder), "--count", "correct", "--top", "1,2")
    assert (data["fix"], data["fixed"]) == ("correct", {"copy": ["toy/x", "toy/y"]})
    assert cells(data, "checks", "copy") == {"top-1": "1/2", "top-2": "2/3", "all": "2/3", "PM_K": 2}
    assert cells(data, "systems", "copy")["mean rank of the first fix"] == 2.0
    assert cells(data, "rules", "copy, toy")["top-1"] == "R7"
    assert data["notes"] == [f"{folder}: 1 plausible candidate without a final label; not counted as correct"]
    said(capsys, str(folder), "--figures", str(tmp_path / "figures"))
    assert (tmp_path / "figures" / "checks.svg").is_file()


def test_labels_of_bugs_give_rates_and_bars(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    path = tmp_path / "types.csv"
    path.write_text("bug,type\nLang-1,IncorrectOperator\nsieve,MissingNullCheck\n", encoding="utf-8")
    data = answer(capsys, RESULTS, "--labels", str(path), "--figures", str(tmp_path))
    assert cells(data, "states", "incorrect")["Alpha %"] == 100.0
    assert cells(data, "elements", "whole")["Gamma"] == 1
    bars = ET.parse(tmp_path / "states.svg").iter(f"{SVG}title")
    assert "incorrect, Alpha: 1 of 1 fixed" in {item.text for item in bars}


def test_statistics_are_shown_without_verdicts(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    path = tmp_path / "labels.csv"
    path.write_text("project,sha8,commit_url,status,label\na,1,u,1,A.1\n", encoding="utf-8")
    data = answer(capsys, str(path))
    assert cells(data, "categories", "A.1") == {"bugs": 1, "all": 1}
    assert data["fix"] is None
    assert "have only statistics" in said(capsys, str(path), "--figures", str(tmp_path), code=2)[1]
    assert "give it alone" in said(capsys, str(path), RESULTS, code=2)[1]
    assert "no verdicts to compare with" in said(capsys, RESULTS, "--against", str(path), code=2)[1]


def test_without_arguments_formats_are_listed(capsys: pytest.CaptureFixture[str]) -> None:
    assert set(answer(capsys)) == {"npr4j", "apr-fixes", "nl2fix", "clm", "defects4c", "swebench", "run"}
    assert "APR_fixes_all.json" in said(capsys)[0]


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        (["npr5j", RESULTS], "npr5j does not exist; and it is no format"),
        (["npr4j"], "no files are given for npr4j"),
        (["npr4j", "nowhere.json"], "nowhere.json does not exist"),
        (["apr-fixes", RESULTS], "unknown field 'accepted'"),
        ([RESULTS, "--system", "alpha"], "Did you mean 'Alpha'"),
        ([RESULTS, "-i", "cobol/*"], "unknown bug 'cobol/*'"),
        ([RESULTS, "--count", "corect"], "Did you mean 'correct'"),
        ([RESULTS, "--ranks", "text"], "unknown value of --ranks 'text'"),
        ([RESULTS, "--top", "0"], "--top is 0"),
        ([RESULTS, "--top", "x"], "whole numbers separated by commas"),
        ([RESULTS, "--table", "experiments"], "--table names its data itself"),
        (["run", str(DATA)], "is no run folder"),
        (["--table", "nowhere.toml"], "the table nowhere.toml is missing"),
    ],
)
def test_bad_input_is_one_message_and_exit_code_2(arguments: list[str], message: str, capsys: pytest.CaptureFixture[str]) -> None:
    out, err = said(capsys, *arguments, code=2)
    assert message in err
    assert (out, err.count("\n")) == ("", 1)


def test_results_without_any_candidate_are_an_error(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    path = tmp_path / "r.json"
    path.write_text('{"d<SEP>b": {"accepted": [], "rejected": []}}', encoding="utf-8")
    assert "nothing to count" in said(capsys, str(path), code=2)[1]
