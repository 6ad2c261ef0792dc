"""Runs of which no candidate could be decided: nothing of them may look like success."""

import json
from pathlib import Path

import pytest

from repairlab.cli.main import run
from repairlab.core.outcome import Verdict
from repairlab.study.leaderboard import leaderboard
from repairlab.study.scores import scores_of
from tests.cli.test_rescore import write_run

Capture = pytest.CaptureFixture[str]
IE, W = Verdict.UNDECIDED, Verdict.WRONG
WHY = "none of 1 candidate was decided: "


@pytest.fixture
def broken(tiny: Path) -> Path:
    """Return a benchmark of one bug whose checker says of every output that it cannot judge it."""
    facts = tiny / "bugs/sum/bug.toml"
    facts.write_text(facts.read_text().replace("[test]\n", '[test]\nchecker = "program"\n') + '[checker]\nlanguage = "python"\n')
    checker = tiny / "bugs/sum/checker"
    checker.mkdir()
    (checker / "checker.py").write_text('import sys\nprint("disk full", file=sys.stderr)\nsys.exit(3)\n')
    return tiny


def test_run_score_and_validate_end_with_3_after_storing(broken: Path, tmp_path: Path, capsys: Capture) -> None:
    folder = tmp_path / "my run"
    assert run(["run", str(broken), "-i", "sum", "--repairer", "copy", "-n", "1", "--to", str(folder), "-j", "1"]) == 3
    told = capsys.readouterr().err
    assert WHY in told and f"; see: repairlab doctor; `repairlab run --resume '{folder}'` judges them again" in told
    assert (folder / "scores.json").is_file() and (folder / "seal.json").is_file()
    assert run(["score", str(folder), "--json"]) == 3
    printed = capsys.readouterr()
    assert WHY in printed.err and [item["metric"] for item in json.loads(printed.out)["scores"]] == ["duplicate rate"]
    given = tmp_path / "given.jsonl"
    given.write_text(json.dumps({"bug": "sum", "file": "print(0)\n"}) + "\n")
    assert run(["validate", str(broken), str(given), "--to", str(tmp_path / "given")]) == 3
    printed = capsys.readouterr()
    assert WHY in printed.err and f"`repairlab validate BENCHMARK CANDIDATES --to {tmp_path / 'given'}` judges" in printed.err
    assert "UNDECIDED" in printed.out


def test_a_run_without_a_decided_candidate_says_so_in_scores_and_reports(tmp_path: Path, capsys: Capture) -> None:
    folder = write_run(tmp_path / "lost", {"x": [IE, IE], "y": [IE]})
    assert run(["score", str(folder)]) == 3
    told = capsys.readouterr().err
    assert f"{folder}: no pass@1: no bug has a value, because none was decided" in told
    assert f"{folder}: 3 candidates UNDECIDED and left out; see: repairlab doctor" in told
    assert "none of 3 candidates was decided: " in told
    found = scores_of(folder)
    assert found.n_undecided == 3
    assert [row.n_undecided for row in leaderboard([("lost", found)]).rows] == [3]
    assert run(["report", str(folder)]) == 0
    row = next(line for line in capsys.readouterr().out.splitlines() if "copy" in line)
    assert row.rstrip(" │|").split()[-1] == "3"


def test_one_decided_candidate_is_enough(tmp_path: Path, capsys: Capture) -> None:
    assert run(["score", str(write_run(tmp_path / "run", {"x": [IE, W], "y": [IE]}))]) == 0
    assert "2 candidates UNDECIDED" in capsys.readouterr().err
    assert run(["score", str(write_run(tmp_path / "none", {"x": []}))]) == 0
