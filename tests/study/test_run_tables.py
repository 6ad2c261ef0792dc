"""Runs as Parquet: all records are there, once; and the page about it is true."""

import hashlib
from contextlib import chdir
from pathlib import Path
from typing import Any

import polars
import pytest

from repairlab.cli.main import run
from repairlab.core.candidate import Candidate, Edit, Origin
from repairlab.core.outcome import Outcome, TestResult, TestVerdict, Verdict
from repairlab.runs.experiment import Manifest, make_experiment
from repairlab.runs.store import BugEnd, Store
from repairlab.study.run_tables import COLUMNS
from tests.test_documentation import ROOT, blocks

PAGE = ROOT / "docs" / "guides" / "run-tables.md"
BUGS = ("c-1", "py-1", "py-2")


def candidate(bug: str, rank: int, text: str, cost: float) -> Candidate:
    origin = Origin(repairer="llm", model="m", cost_usd=cost, seed=7)
    return Candidate(bug_id=bug, edits=(Edit(path="main.py", text=text),), rank=rank, origin=origin)


def outcome(proposed: Candidate, verdict: Verdict, *tests: TestResult) -> Outcome:
    return Outcome(
        candidate_id=proposed.id,
        bug_id=proposed.bug_id,
        verdict=verdict,
        stage="build" if verdict is Verdict.UNCOMPILABLE else "cases",
        policy="full",
        message="\ud800 is half a character",
        tests=tests,
        n_tests=2,
    )


def write_run(folder: Path, verdicts: dict[str, tuple[Verdict, ...]], *, cost: float) -> None:
    """Write a run whose candidates have these verdicts, by bug and in the order of their ranks."""
    store = Store(folder)
    store.create(
        Manifest(
            experiment=make_experiment({"benchmark": "tiny", "repairer": "copy"}),
            benchmark_name="tiny",
            benchmark_version="1",
            benchmark_digest="d",
            bug_ids=BUGS,
            languages=("c", "python", "python"),
            repairlab="0.1.0",
            environment={},
            environment_digest="e",
            created="2026-11-17T00:00:00+00:00",
        )
    )
    for bug, found in verdicts.items():
        for rank, verdict in enumerate(found, start=1):
            proposed = candidate(bug, rank, f"{folder.name} {rank}", cost)
            store.append(proposed)
            passed = TestVerdict.PASSED if verdict is Verdict.PLAUSIBLE else TestVerdict.WRONG
            ran = (
                TestResult(id="01", verdict=TestVerdict.PASSED, cpu_s=0.5),
                TestResult(id="02", verdict=passed, cpu_s=float(rank)),
            )
            if rank == 1:
                store.append(outcome(proposed, Verdict.UNDECIDED))  # tried again: the last one counts
            store.append(outcome(proposed, verdict, *(() if verdict is Verdict.UNCOMPILABLE else ran)))
        store.append(BugEnd(bug_id=bug, ended="asked"))


@pytest.fixture
def runs(tmp_path: Path) -> Path:
    good, bad, broken = Verdict.PLAUSIBLE, Verdict.WRONG, Verdict.UNCOMPILABLE
    write_run(tmp_path / "alpha", {"py-1": (bad, good), "py-2": (good, good), "c-1": (broken, bad)}, cost=0.25)
    write_run(tmp_path / "beta", {"py-1": (good, bad), "py-2": (bad, bad), "c-1": (broken, broken)}, cost=0.5)
    return tmp_path


def publish(folder: Path, *names: str) -> Path:
    assert run(["publish", *(str(folder / name) for name in names), "--to", str(folder / "tables")]) == 0
    return folder / "tables"


def test_every_record_of_a_run_is_a_row(runs: Path, capsys: pytest.CaptureFixture[str]) -> None:
    tables = publish(runs, "alpha", "beta")
    frames = {name: polars.read_parquet(tables / f"{name}.parquet") for name in COLUMNS}
    assert {name: frame.columns for name, frame in frames.items()} == {name: list(columns) for name, columns in COLUMNS.items()}
    assert {name: len(frame) for name, frame in frames.items()} == {
        "runs": 2,
        "bugs": 6,
        "candidates": 12,
        "outcomes": 12,
        "tests": 18,
    }
    assert "UNDECIDED" not in frames["outcomes"]["verdict"].to_list()
    assert frames["outcomes"]["message"][0] == "? is half a character"
    first = frames["candidates"].row(0, named=True)
    assert first["edits"] == [{"path": "main.py", "start": None, "end": None, "text": "alpha 1"}]
    assert (first["seed"], first["logprob"]) == (7, None)
    for line in (tables / "SHA256SUMS").read_text().splitlines():
        digest, name = line.split("  ")
        assert hashlib.sha256((tables / name).read_bytes()).hexdigest() == digest
    assert {path.name for path in tables.iterdir()} == {*(f"{name}.parquet" for name in COLUMNS), "README.md", "SHA256SUMS"}


def test_a_run_without_records_gives_empty_tables(tmp_path: Path) -> None:
    write_run(tmp_path / "empty", {}, cost=0)
    tables = publish(tmp_path, "empty")
    assert polars.read_parquet(tables / "tests.parquet").schema["cpu_s"] == polars.Float64
    assert polars.read_parquet(tables / "bugs.parquet")["ended"].to_list() == ["unfinished"] * 3


def test_runs_of_the_same_name_are_kept_apart(runs: Path, tmp_path: Path) -> None:
    write_run(tmp_path / "more" / "alpha", {}, cost=0)
    tables = publish(runs, "alpha", "more/alpha")
    assert polars.read_parquet(tables / "runs.parquet")["run"].n_unique() == 2


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        (("alpha", "starter"), "starter is no run folder"),
        (("alpha", "alpha"), "a run is given twice"),
        (("alpha", "--context"), "are for benchmarks"),
        (("starter", "starter"), "2 benchmarks are given"),
        (("damaged",), "is damaged"),
    ],
)
def test_what_cannot_be_published_is_said(
    runs: Path, arguments: tuple[str, ...], message: str, capsys: pytest.CaptureFixture[str]
) -> None:
    write_run(runs / "damaged", {"py-1": (Verdict.WRONG,)}, cost=0)
    path = runs / "damaged" / "outcomes.jsonl"
    path.write_bytes(path.read_bytes().replace(b"WRONG", b"CRASH"))
    with chdir(runs):
        assert run(["publish", *arguments, "--to", "out"]) == 2
    assert message in capsys.readouterr().err and not (runs / "out").exists()


ANSWERS: dict[str, list[tuple[Any, ...]]] = {
    "Which bugs does only one system fix?": [("py-2", "alpha")],
    "Where do candidates fail to compile?": [
        ("alpha", "c", 0.5),
        ("alpha", "python", 0.0),
        ("beta", "c", 1.0),
        ("beta", "python", 0.0),
    ],
    "What does a fixed bug cost?": [("alpha", 0.75), ("beta", 3.0), ("gamma", None)],
    "At which rank is the first plausible candidate?": [("alpha", "py-1", 2), ("alpha", "py-2", 1), ("beta", "py-1", 1)],
    "Which tests take longest?": [
        ("c-1", "02", 2.0),
        ("py-1", "02", 2.0),
        ("py-2", "02", 2.0),
        ("c-1", "01", 0.5),
        ("py-1", "01", 0.5),
        ("py-2", "01", 0.5),
    ],
    "Which test rejects most candidates?": [("py-1", "02", 2), ("py-2", "02", 2), ("c-1", "02", 1)],
}


def published_questions(runs: Path) -> Path:
    write_run(runs / "gamma", {}, cost=0)
    Store(runs / "gamma").append(candidate("py-1", 1, "x", 1.0))
    publish(runs, "alpha", "beta", "gamma")
    return runs


def test_the_queries_of_the_page_answer_its_questions(runs: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    duckdb = pytest.importorskip("duckdb", reason="the extra duckdb is not installed")
    monkeypatch.chdir(published_questions(runs))
    queries = {block.before.removeprefix("### "): block.text for block in blocks(PAGE) if block.kind == "sql"}
    assert {question: duckdb.sql(text).fetchall() for question, text in queries.items()} == ANSWERS


def test_the_polars_code_of_the_page_answers_its_first_question(runs: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(published_questions(runs))
    names: dict[str, Any] = {}
    exec(next(block.text for block in blocks(PAGE) if block.kind == "python"), names)
    assert names["only_one"].rows() == next(iter(ANSWERS.values()))


def test_the_page_names_every_column() -> None:
    rows = [line for line in PAGE.read_text(encoding="utf-8").splitlines() if line.startswith("| `")]
    named = {row.split("`")[1]: set(row.split("`")[3::2]) for row in rows}
    assert named == {table: set(columns) for table, columns in COLUMNS.items()}
