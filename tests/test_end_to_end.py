"""The whole line on four bugs in four languages: from the benchmark to the leaderboard, twice, byte for byte the same."""

import json
from pathlib import Path

import pytest

from repairlab.cli.main import run
from repairlab.runs.store import Store
from repairlab.sandbox.sandbox import Sandbox

BUGS = ("python-island-count", "java-handshakes", "c-lap-time-mean", "cpp-range-sums")


@pytest.mark.slow
def test_four_bugs_in_four_languages_give_the_same_leaderboard_every_time(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str], sandbox: Sandbox
) -> None:
    chosen = [part for bug in BUGS for part in ("-i", bug)]
    printed = []
    for workers in ("1", "2"):
        (tmp_path / workers).mkdir()
        monkeypatch.chdir(tmp_path / workers)
        assert run(["demo", "-n", "6", "-j", workers, "--no-cache", "--json", *chosen]) == 0
        printed.append(capsys.readouterr().out)
    assert printed[0] == printed[1]
    rows = {row["system"]: row["score"]["value"] for row in json.loads(printed[0])["leaderboard"]["rows"]}
    assert rows["copy"] == 0 and rows["reference"] == 1
    assert all(len(list(Store(tmp_path / "1/runs/demo" / name).outcomes())) for name in rows)
    assert "report.html" in {path.name for path in (tmp_path / "1/runs/demo").iterdir()}
