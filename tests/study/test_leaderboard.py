"""The leaderboard ranks comparable runs only."""

import itertools
import json
import re
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from repairlab.cli.main import run
from repairlab.core.errors import UserError
from repairlab.study.leaderboard import leaderboard
from repairlab.study.scores import scores_of

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


def test_a_system_that_is_alone_with_its_settings_has_no_rank_and_says_why(make_run: MakeRun) -> None:
    names = ["chat", "neural", "templates"]
    folders = [make_run("chat", n=3, bugs=3), make_run("neural", n=3, bugs=3), make_run("templates", n=2, bugs=3)]
    entries = [(name, scores_of(folder, ks=(1,))) for name, folder in zip(names, folders, strict=True)]
    board = leaderboard(entries)
    assert board.title == "pass@1"
    alone = next(row for row in board.rows if row.system == "templates")
    assert (alone.rank, alone.reason) == (None, "no other run has the same settings (n: 2)")
    assert sorted(row.rank or 0 for row in board.rows) == [0, 1, 2]
    assert {group.settings for group in board.groups} == {("n: 3",), ("n: 2",)}


def test_a_run_with_no_other_to_compare_with_has_no_rank(make_run: MakeRun) -> None:
    board = leaderboard([("chat", scores_of(make_run("chat", n=3, bugs=3), ks=(1,)))])
    assert [(row.rank, row.reason) for row in board.rows] == [(None, "")]
    assert board.captions == []


FIVE: tuple[dict[str, Any], ...] = (
    {"name": "copy", "n": 1, "strength": 0.0},
    {"name": "chat", "n": 6, "strength": 0.9, "stop": True, "policy": "first-failure"},
    {"name": "neural", "n": 4, "strength": 0.4},
    {"name": "templates", "n": 6, "strength": 0.3, "digest": "other"},
    {"name": "reference", "n": 2, "strength": 2.0},
)


def run_all(make_run: MakeRun) -> list[Path]:
    return [make_run(**settings, bugs=6) for settings in FIVE]


def test_the_order_of_the_runs_changes_nothing(make_run: MakeRun) -> None:
    entries = [(folder.name, scores_of(folder, ks=(1,))) for folder in run_all(make_run)]
    assert len({json.dumps(leaderboard(order).data()) for order in itertools.permutations(entries)}) == 1


def test_the_printed_leaderboard_is_the_same_in_any_order(make_run: MakeRun, capsys: pytest.CaptureFixture[str]) -> None:
    folders = [str(folder) for folder in run_all(make_run)]
    printed = set()
    for order in (folders, folders[::-1]):
        assert run(["report", *order, "-k", "1", "-o", f"{folders[0]}/page.html"]) == 0
        captured = capsys.readouterr()
        printed.add((captured.out, captured.err))
    assert len(printed) == 1


def test_a_run_of_other_settings_does_not_change_the_ranks_of_the_rest(make_run: MakeRun) -> None:
    entries = [(folder.name, scores_of(folder, ks=(1,))) for folder in run_all(make_run)]
    board = leaderboard(entries)
    assert board.title == "top@1"  # of different n and policy, but on the same bugs: comparable
    ranks = {row.system: (row.group, row.rank) for row in board.rows}
    assert ranks == {"chat": ("A", 1), "neural": ("A", 2), "copy": ("A", 3), "templates": ("B", None), "reference": (None, None)}
    assert leaderboard(entries[:3]).captions == []
    assert board.captions[1:3] == [
        f"Group {name}: benchmark: toy@1.0.0#{digest}" for name, digest in (("A", "feedfacefeedface"), ("B", "other"))
    ]
    assert "bugs: 6#" in board.captions[3] and "localisation: line" in board.captions[3]


def test_runs_that_differ_in_n_alone_are_ranked_by_top_at_k(make_run: MakeRun) -> None:
    entries = [(name, scores_of(make_run(name, n=n, bugs=3), ks=(1,))) for name, n in (("chat", 3), ("neural", 2), ("copy", 1))]
    board = leaderboard(entries)
    assert board.title == "top@1" and len(board.groups) == 1
    assert all(row.rank is not None for row in board.rows)
    assert leaderboard(entries[:1]).title == "pass@1"


def test_groups_are_sorted_by_their_best_score_not_by_their_size(make_run: MakeRun) -> None:
    settings = (("copy", 0.0, "one"), ("templates", 0.0, "one"), ("chat", 0.9, "two"))
    entries = [
        (name, scores_of(make_run(name, n=4, bugs=6, strength=strength, digest=digest), ks=(1,)))
        for name, strength, digest in settings
    ]
    assert [(row.group, row.rank, row.system) for row in leaderboard(entries).rows] == [
        ("A", None, "chat"),
        ("B", 1, "copy"),
        ("B", 1, "templates"),
    ]


def test_json_writes_no_page_unless_a_file_is_named(make_run: MakeRun, tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    folder = make_run("chat", n=2, bugs=2)
    before = sorted(folder.iterdir())
    assert run(["report", str(folder), "--json"]) == 0
    captured = capsys.readouterr()
    assert json.loads(captured.out)["report"] is None and "written" not in captured.err
    assert sorted(folder.iterdir()) == before
    assert run(["report", str(folder), "--json", "-o", str(tmp_path / "page.html")]) == 0
    assert json.loads(capsys.readouterr().out)["report"] == str(tmp_path / "page.html")
    assert (tmp_path / "page.html").is_file()


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
    folders = [make_run("chat", n=3, bugs=3), make_run("neural", n=2, bugs=3), make_run("copy", n=2, bugs=3)]
    assert run(["report", *map(str, folders), "-k", "2"]) == 0
    captured = capsys.readouterr()
    assert "pass@2" in captured.out
    assert json.loads((folders[0] / "run.json").read_text(encoding="utf-8"))["benchmark_name"] == "toy"
    assert (folders[0] / "report.html").is_file()
    assert re.search(r"│ [AB] +│ – +│ chat", captured.out)
    assert "Group A: n: " in captured.out and "Group B: n: " in captured.out


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
