"""Scores of run folders, and the verbs that print them."""

import dataclasses
import itertools
import json
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from repairlab.cli.main import run
from repairlab.core.errors import UserError
from repairlab.core.problem import Visibility
from repairlab.runs.experiment import Experiment, Manifest
from repairlab.runs.store import Store
from repairlab.study.comparison import compare_runs
from repairlab.study.scores import read_run, scores_of, settings_of

MakeRun = Callable[..., Path]


def test_score_prints_one_object_per_run_and_stores_it(make_run: MakeRun, capsys: pytest.CaptureFixture[str]) -> None:
    folder = make_run("chat", n=3, bugs=4)
    assert run(["score", str(folder), "-k", "1,2", "--json"]) == 0
    printed = json.loads(capsys.readouterr().out)
    assert (printed["run"], printed["benchmark"], printed["repairer"]) == (str(folder), "toy", "chat")
    first = printed["scores"][0]
    assert list(first) == ["metric", "k", "value", "low", "high", "n_bugs", "n_samples", "n_undecided", "signature"]
    assert (first["metric"], first["k"], first["n_bugs"]) == ("pass@k", 1, 4)
    assert [item["k"] for item in printed["scores"] if item["metric"] == "TCA@k"] == [1, 2]
    stored = json.loads((folder / "scores.json").read_text(encoding="utf-8"))
    assert stored == {"schema": 1, **printed}


def test_a_single_bug_has_no_interval(make_run: MakeRun, capsys: pytest.CaptureFixture[str]) -> None:
    printed = []
    for bugs in (1, 2):
        assert run(["score", str(make_run(str(bugs), n=2, bugs=bugs))]) == 0
        printed += [line for line in capsys.readouterr().out.splitlines() if "pass@1 " in line]
    alone, both = printed
    assert alone.count("%") == 1 and both.count("%") == 3


def test_score_of_several_runs_is_a_list(make_run: MakeRun, capsys: pytest.CaptureFixture[str]) -> None:
    folders = [str(make_run(name, n=2, bugs=2)) for name in ("chat", "neural")]
    assert run(["score", *folders, "--json"]) == 0
    captured = capsys.readouterr()
    assert [item["run"] for item in json.loads(captured.out)] == folders
    assert captured.err == ""  # nobody asked for pass@5


@pytest.mark.parametrize(
    ("settings", "options", "said"),
    [
        ({"n": 1}, [], []),
        ({"n": 1, "policy": "first-failure"}, [], []),
        ({"n": 1, "strength": 0.0}, [], []),
        ({"n": 4, "stop": True}, [], []),
        ({"n": 4}, ["--duplicates", "merged"], []),
        ({"n": 4, "policy": "first-failure"}, ["-k", "1"], []),
        ({"n": 4}, ["-k", "1,4"], []),
        ({"n": 1}, ["-k", "5"], ["no pass@5: k is 5, but the run asked for n = 1"]),
        ({"n": 4, "strength": 0.9, "stop": True}, ["-k", "1"], ["no pass@1: the run stopped at the first plausible candidate"]),
        ({"n": 4}, ["-k", "1,9"], ["no pass@9: k is 9, but the run asked for n = 4"]),
    ],
)
def test_score_says_what_is_missing_only_when_it_was_asked_for(
    settings: dict[str, Any], options: list[str], said: list[str], make_run: MakeRun, capsys: pytest.CaptureFixture[str]
) -> None:
    assert run(["score", str(make_run("chat", bugs=4, **settings)), *options]) == 0
    lines = [line for line in capsys.readouterr().err.splitlines() if ": no " in line]
    assert len(lines) == len(said) and all(text in line for line, text in zip(lines, said, strict=True))


def test_score_prints_a_table_and_says_what_is_left_out(make_run: MakeRun, capsys: pytest.CaptureFixture[str]) -> None:
    folder = make_run("chat", n=10, bugs=4, stop=True, strength=0.5, policy="first-failure")
    assert run(["score", str(folder), "-k", "1"]) == 0
    captured = capsys.readouterr()
    assert "top@1" in captured.out
    assert "signature top@1|bugs:4#" in captured.out
    assert " % – " in captured.out
    assert "no pass@1: the run stopped at the first plausible candidate" in captured.err
    assert "TCA" not in captured.err


def test_an_unfinished_run_is_refused_unless_its_finished_bugs_are_asked_for(
    make_run: MakeRun, capsys: pytest.CaptureFixture[str]
) -> None:
    folder = make_run("chat", n=2, bugs=4, unfinished=1)
    assert run(["score", str(folder)]) == 2
    assert f"Go on with: repairlab run --resume {folder}, or add --partial" in capsys.readouterr().err
    assert run(["score", str(folder), "--partial"]) == 0
    assert "1 unfinished bugs are left out" in capsys.readouterr().err
    assert scores_of(folder, partial=True).result.scores[0].n_bugs == 3


def test_partial_scores_need_a_finished_bug(make_run: MakeRun) -> None:
    with pytest.raises(UserError, match="is unfinished: 2 of 2 bugs are open"):
        read_run(make_run("chat", n=2, bugs=2, unfinished=2), partial=True)


@pytest.mark.parametrize(
    ("options", "message"), [(["-k", "0"], "each k must be 1 or more"), (["--duplicates", "some"], "write counted or merged")]
)
def test_wrong_options_are_refused(options: list[str], message: str, make_run: MakeRun, capsys: pytest.CaptureFixture[str]) -> None:
    assert run(["score", str(make_run("chat", n=1, bugs=1)), *options]) == 2
    assert message in capsys.readouterr().err


def test_a_folder_without_a_run_is_refused(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    assert run(["score", str(tmp_path)]) == 2
    assert "is no run folder" in capsys.readouterr().err


def test_merged_duplicates_count_once(make_run: MakeRun) -> None:
    folder = make_run("chat", n=20, bugs=2, strength=0.5)
    counted, merged = read_run(folder), read_run(folder, duplicates="merged")
    assert [len(item.verdicts) for item in merged.samples] == [item.distinct for item in counted.samples]
    assert sum(len(item.verdicts) for item in counted.samples) > sum(len(item.verdicts) for item in merged.samples)
    scores = scores_of(folder, ks=(1,), duplicates="merged").result
    assert "duplicates:merged" in scores.scores[0].signature
    assert "duplicate rate" in scores.left_out


def test_scores_come_from_the_command_line_with_merged_duplicates_too(make_run: MakeRun) -> None:
    assert run(["score", str(make_run("chat", n=2, bugs=1)), "--duplicates", "merged"]) == 0


def test_what_the_repairer_was_shown_is_part_of_the_signature(make_run: MakeRun) -> None:
    plain = Store(make_run("chat", n=1, bugs=1)).manifest()
    experiment = Experiment(
        benchmark="toy", repairer="chat", visibility=Visibility(error=True, context=False), rounds=3, feedback="none"
    )
    fields = {name: getattr(plain, name) for name in Manifest.__dataclass_fields__}
    changed = Manifest(**{**fields, "experiment": experiment})
    assert settings_of(plain, "counted").conditions == (("localisation", "line"),)
    assert settings_of(changed, "counted").conditions == (
        ("localisation", "line"), ("error", "shown"), ("context", "hidden"), ("rounds", "3"), ("feedback", "none"),
    )  # fmt: skip


def test_compare_shows_who_fixed_what(make_run: MakeRun, capsys: pytest.CaptureFixture[str]) -> None:
    a, b = make_run("chat", n=4, strength=0.5), make_run("templates", n=3, strength=0.1)
    assert run(["score", "--compare", str(a), str(b), "--json"]) == 0
    captured = capsys.readouterr()
    found = json.loads(captured.out)
    lists = [set(found[name]) for name in ("both", "only_a", "only_b", "neither", "undecided")]
    assert sum(map(len, lists)) == len(set.union(*lists)) == 12
    assert found["metric"] == "pass@k"
    assert found["fixed_among_first"] == 3
    assert found["difference"]["low"] <= found["difference"]["value"] <= found["difference"]["high"]
    assert found["difference"]["value"] == pytest.approx(found["a"]["value"] - found["b"]["value"])
    assert "Settings differ: n = 4 (A), 3 (B)" in captured.err


def test_compare_prints_a_table_and_falls_back_to_top_at_k(make_run: MakeRun, capsys: pytest.CaptureFixture[str]) -> None:
    a, b = make_run("chat", n=4, strength=0.5, stop=True, bugs=6), make_run("neural", n=4, strength=0.5, bugs=6)
    assert run(["score", "--compare", str(a), str(b), "-k", "2"]) == 0
    printed = capsys.readouterr().out
    for text in ("fixed by both (first 4)", "exact McNemar test: p = ", "top@2: A ", "only A: ", "only B: "):
        assert text in printed


def test_runs_on_different_benchmarks_or_bugs_are_not_compared(make_run: MakeRun) -> None:
    a = make_run("chat", n=1, bugs=2)
    with pytest.raises(UserError, match=r"different benchmarks: toy@1\.0\.0#feedfacefeedface"):
        compare_runs(a, make_run("neural", n=1, bugs=2, digest="other"))
    with pytest.raises(UserError, match="the runs have different bugs"):
        compare_runs(a, make_run("templates", n=1, bugs=3))


def test_compare_leaves_undecided_bugs_out_and_says_so(make_run: MakeRun, capsys: pytest.CaptureFixture[str]) -> None:
    a, b = make_run("lost", n=1), make_run("chat", n=1)
    lost = [item.bug_id for item in read_run(a).samples if {verdict.value for verdict in item.verdicts} == {"UNDECIDED"}]
    assert run(["score", "--compare", str(a), str(b), "--json"]) == 0
    assert set(lost) <= set(json.loads(capsys.readouterr().out)["undecided"])


def test_three_runs_are_compared_pair_by_pair_with_adjusted_p_values(make_run: MakeRun, capsys: pytest.CaptureFixture[str]) -> None:
    folders = [str(make_run(name, n=4, strength=strength)) for name, strength in (("chat", 0.9), ("neural", 0.3), ("copy", 0.0))]
    assert run(["score", "--compare", *folders, "--json"]) == 0
    pairs = json.loads(capsys.readouterr().out)["pairs"]
    assert [(pair["a"]["run"], pair["b"]["run"]) for pair in pairs] == list(itertools.combinations(folders, 2))
    assert run(["score", "--compare", *folders[:2], "--json"]) == 0
    assert json.loads(capsys.readouterr().out) == {key: value for key, value in pairs[0].items() if key != "holm_p"}
    assert all(pair["mcnemar_p"] <= pair["holm_p"] <= 1 for pair in pairs)
    smallest = min(pairs, key=lambda pair: pair["mcnemar_p"])
    assert smallest["holm_p"] == pytest.approx(min(1.0, 3 * smallest["mcnemar_p"]))
    assert run(["score", "--compare", *folders]) == 0
    printed = capsys.readouterr().out
    assert "C: copy, " in printed and "p (Holm)" in printed
    assert printed.count("pass@1") == 3


def test_scores_of_several_runs_end_with_their_comparison(make_run: MakeRun, capsys: pytest.CaptureFixture[str]) -> None:
    a, b = (str(make_run(name, n=4, bugs=4)) for name in ("chat", "neural"))
    assert run(["score", "--compare", a, b]) == 0
    compared = capsys.readouterr().out
    assert run(["score", a, b]) == 0
    printed = capsys.readouterr().out
    assert printed.count("signature ") == 2 and printed.endswith(compared)
    other = str(make_run("templates", n=1, bugs=3))
    assert run(["score", a, other]) == 0
    printed, said = capsys.readouterr()
    assert printed.count("signature ") == 2 and "McNemar" not in printed
    assert "The runs are not compared: the runs have different bugs" in said


def test_a_run_alone_is_not_compared(make_run: MakeRun, capsys: pytest.CaptureFixture[str]) -> None:
    assert run(["score", "--compare", str(make_run("chat", n=1, bugs=1))]) == 2
    assert "only one run is given" in capsys.readouterr().err


def test_a_run_says_how_strong_its_passes_are_where_that_is_known(make_run: MakeRun) -> None:
    old = read_run(make_run("chat", n=1, bugs=2))
    assert old.strength == ""
    strong = dataclasses.replace(old.sampled[0], strengths=("blind", "checked", "blind"))
    assert dataclasses.replace(old, sampled=(strong,)).strength == "passes: 2 blind, 1 checked, 0 unchecked"
