"""The leaderboard ranks comparable runs only."""

import json
import re
from collections.abc import Callable
from pathlib import Path

import pytest

from repairlab.cli.main import run
from repairlab.core.errors import UserError
from repairlab.report.leaderboard import leaderboard
from repairlab.report.scores import scores_of

MakeRun = Callable[..., Path]

GOLDEN = Path(__file__).parent / "leaderboard.json"


def test_the_leaderboard_json_is_the_same_byte_for_byte(
    make_run: MakeRun, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    make_run("templates", strength=0.12, n=10)
    make_run("chat", strength=0.5, n=10, model="acme/large-2")
    make_run("neural", strength=0.25, n=5)
    monkeypatch.chdir(tmp_path)
    assert run(["report", "templates", "chat", "neural", "-o", "out/report.html", "--json"]) == 0
    assert capsys.readouterr().out == GOLDEN.read_text(encoding="utf-8")
    assert (tmp_path / "out" / "report.html").is_file()


def test_rows_with_another_signature_are_listed_unranked_with_the_reason(make_run: MakeRun) -> None:
    names = ["chat", "neural", "templates"]
    folders = [make_run("chat", n=3, bugs=3), make_run("neural", n=3, bugs=3), make_run("templates", n=2, bugs=3)]
    entries = [(name, scores_of(folder, ks=(1,))) for name, folder in zip(names, folders, strict=True)]
    board = leaderboard(entries)
    assert board.title == "pass@1"
    assert [row.rank for row in board.rows][-1] is None
    assert board.rows[-1].reason == "n is 2, not 3"


def test_equal_values_share_a_rank(make_run: MakeRun) -> None:
    folder = make_run("chat", n=3, bugs=3)
    entries = [(name, scores_of(folder, ks=(1,))) for name in ("one", "two")]
    assert [row.rank for row in leaderboard(entries).rows] == [1, 1]


def test_runs_that_stopped_early_are_ranked_by_top_at_k(make_run: MakeRun) -> None:
    folders = {"chat": make_run("chat", n=6, bugs=6, stop=True, strength=0.5), "neural": make_run("neural", n=6, bugs=6)}
    entries = [(name, scores_of(folder, ks=(1, 5))) for name, folder in folders.items()]
    assert leaderboard(entries).title == "top@1"
    assert leaderboard(entries, k=5).title == "top@5"
    with pytest.raises(UserError, match="no metric at k = 77 is common to these runs; they have k = 1, 5"):
        leaderboard(entries, k=77)


def test_without_a_shared_k_the_share_of_fixed_bugs_ranks(make_run: MakeRun) -> None:
    entries = [
        ("chat", scores_of(make_run("chat", n=2, bugs=2), ks=(1,))),
        ("neural", scores_of(make_run("neural", n=2, bugs=2), ks=(2,))),
    ]
    assert leaderboard(entries).title == "fixed"


def test_the_report_is_written_into_the_first_run_and_a_table_is_printed(
    make_run: MakeRun, capsys: pytest.CaptureFixture[str]
) -> None:
    folders = [make_run("chat", n=3, bugs=3), make_run("neural", n=2, bugs=3)]
    assert run(["report", *map(str, folders), "-k", "2"]) == 0
    captured = capsys.readouterr()
    assert "pass@2" in captured.out
    assert json.loads((folders[0] / "run.json").read_text(encoding="utf-8"))["benchmark_name"] == "toy"
    assert (folders[0] / "report.html").is_file()
    assert "neural is not ranked: n is 2, not 3" in captured.err


def test_the_oracle_stands_apart_and_is_never_ranked(make_run: MakeRun, capsys: pytest.CaptureFixture[str]) -> None:
    names = ("reference", "chat", "neural")
    folders = [make_run(name, n=3, bugs=3, strength=2.0 if name == "reference" else 0.3) for name in names]
    board = leaderboard([(name, scores_of(folder, ks=(1,))) for name, folder in zip(names, folders, strict=True)])
    assert sorted(row.rank or 0 for row in board.rows[:2]) == [1, 2]
    assert [(row.system, row.rank, row.is_oracle, row.reason) for row in board.rows[2:]] == [("reference", None, True, "")]
    assert run(["report", *map(str, folders)]) == 0
    captured = capsys.readouterr()
    assert re.search(r"oracle +│ reference", captured.out) and "not ranked" not in captured.err


def test_the_oracle_alone_is_shown_without_a_rank(make_run: MakeRun) -> None:
    board = leaderboard([("reference", scores_of(make_run("reference", n=3, bugs=3), ks=(1,)))])
    assert [(row.rank, row.is_oracle) for row in board.rows] == [(None, True)]


def test_an_oracle_with_other_k_does_not_change_what_ranks(make_run: MakeRun) -> None:
    entries = [(name, scores_of(make_run(name, n=3, bugs=3), ks=ks)) for name, ks in (("reference", (2,)), ("chat", (1,)))]
    assert leaderboard(entries).title == "pass@1"
