"""`repairlab show`: a run, a bug, a candidate; in the terminal and as JSON."""

import dataclasses
import json
import re
from collections import Counter
from collections.abc import Callable
from pathlib import Path

import pytest

from repairlab.benchmarks.catalog import open_benchmark
from repairlab.cli.main import run
from repairlab.core.model import Message, Prompt
from repairlab.core.outcome import Verdict
from repairlab.core.record import digest
from repairlab.repairers.llm.client.cached_model import RecordedModel
from repairlab.repairers.llm.client.model import Sampling, ScriptedModel
from repairlab.runs.store import Store
from repairlab.runs.transcripts import TranscriptWriter
from tests.study.conftest import BUGS, HOSTILE, benchmark, make_run

__all__ = ["benchmark", "make_run"]

MakeRun = Callable[..., Path]
Capture = pytest.CaptureFixture[str]


@pytest.fixture
def folder(make_run: MakeRun, benchmark: Path) -> Path:
    return make_run("chat", n=6, bugs=4, unfinished=1, digest=open_benchmark(str(benchmark)).digest, benchmark=str(benchmark))


def test_a_run_shows_its_bugs_with_counts(folder: Path, capsys: Capture) -> None:
    assert run(["show", str(folder)]) == 0
    printed = capsys.readouterr().out
    for bug in BUGS[:4]:
        assert bug in printed
    assert "unfinished" in printed
    assert run(["show", str(folder), "--json"]) == 0
    shown = json.loads(capsys.readouterr().out)
    assert [line["bug"] for line in shown["bugs"]] == list(BUGS[:4])
    outcomes = [item.verdict.value for item in Store(folder).outcomes() if item.bug_id == BUGS[0]]
    assert sum(shown["bugs"][0]["verdicts"].values()) == shown["bugs"][0]["n"] <= 6
    assert set(shown["bugs"][0]["verdicts"]) == set(outcomes)


def test_a_bug_shows_its_candidates_by_rank(folder: Path, capsys: Capture) -> None:
    assert run(["show", str(folder), BUGS[0], "--json"]) == 0
    lines = json.loads(capsys.readouterr().out)["candidates"]
    assert [line["rank"] for line in lines] == sorted(item.rank for item in Store(folder).candidates() if item.bug_id == BUGS[0])
    assert {line["verdict"] for line in lines} <= {verdict.value for verdict in Verdict}
    assert run(["show", str(folder), BUGS[0]]) == 0
    printed = capsys.readouterr().out
    for candidate, n in Counter(line["candidate"] for line in lines).items():
        assert printed.count(candidate) == 1 and (n == 1 or f" ×{n} " in printed)


def test_a_candidate_shows_diff_verdict_tests_and_log(folder: Path, capsys: Capture) -> None:
    wrong = next(item for item in Store(folder).outcomes() if item.verdict is Verdict.WRONG)
    candidate = next(item for item in Store(folder).candidates() if item.id == wrong.candidate_id)
    assert run(["show", str(folder), candidate.bug_id, str(candidate.rank)]) == 0
    printed = capsys.readouterr().out
    assert "WRONG (WA), stage cases" in printed
    assert re.search(r"^--- a/", printed, re.MULTILINE) and re.search(r"^\+.*WRONG", printed, re.MULTILINE)
    assert "02 <b>bold</b>" in printed and "1 of 2 tests passed" in printed
    assert "line 11 of the log" in printed
    assert not re.search("[\x00-\x08\x1b\u202e\ud800]", printed), "hostile text does not reach the terminal as it is"
    assert run(["show", str(folder), candidate.bug_id, str(candidate.rank), "--json"]) == 0
    shown = json.loads(capsys.readouterr().out)
    assert shown["outcome"]["verdict"] == "WRONG" and shown["diff"].startswith("--- a/") and shown["answer"] is None
    assert HOSTILE in shown["outcome"]["evidence"]


def test_a_candidate_shows_what_the_model_was_asked_and_answered(folder: Path, capsys: Capture) -> None:
    store = Store(folder)
    prompt = Prompt(messages=(Message(role="user", content="Mend :bug: [red]it[/red]."),))
    RecordedModel(ScriptedModel(["Here is \x1b[31mthe answer."]), TranscriptWriter(store).keep).complete(prompt, Sampling())
    first = next(store.candidates())
    origin = dataclasses.replace(first.origin, prompt=digest(prompt), answer=digest("Here is \x1b[31mthe answer."))
    store.append(dataclasses.replace(first, origin=origin, rank=99))
    assert run(["show", str(folder), first.bug_id, "99"]) == 0
    printed = capsys.readouterr().out
    assert "[user]\nMend :bug: [red]it[/red]." in printed
    assert "Here is ⟦U+001B⟧[31mthe answer." in printed
    assert run(["show", str(folder), first.bug_id, "99", "--json"]) == 0
    assert json.loads(capsys.readouterr().out)["answer"] == "Here is \x1b[31mthe answer."


def test_without_the_benchmark_the_new_text_is_shown(make_run: MakeRun, capsys: Capture) -> None:
    folder = make_run("chat", n=2, bugs=1, benchmark="no-such-benchmark")
    candidate = next(item for item in Store(folder).candidates() if item.edits)
    assert run(["show", str(folder), candidate.bug_id, str(candidate.rank)]) == 0
    printed = capsys.readouterr().out
    assert "no diff: benchmark toy cannot be opened" in printed and "def answer(value):" in printed


def test_what_is_not_there_is_a_clear_error(folder: Path, tmp_path: Path, capsys: Capture) -> None:
    assert run(["show", str(folder), BUGS[0][:-2]]) == 2
    assert f"Did you mean '{BUGS[0]}'?" in capsys.readouterr().err
    assert run(["show", str(folder), BUGS[0], "77"]) == 2
    assert f"bug {BUGS[0]} has no candidate of rank 77. Known: 1, 2, 3" in capsys.readouterr().err
    assert run(["show", str(tmp_path / "nowhere")]) == 2
    assert "is no run folder" in capsys.readouterr().err


@pytest.mark.parametrize("verb", ["show", "score", "report"])
def test_a_model_whose_name_holds_codes_for_the_terminal_is_named_harmlessly(verb: str, make_run: MakeRun, capsys: Capture) -> None:
    folder = make_run("chat", n=2, bugs=2, model="some/\x1b[31mmodel\u202e")
    assert run([verb, str(folder)]) == 0
    printed = capsys.readouterr().out
    assert "some/⟦U+001B⟧[31mmodel⟦U+202E⟧" in printed and not re.search("[\x1b\u202e]", printed)
