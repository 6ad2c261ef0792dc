"""What verbs make of run folders that are damaged, unfinished, or older than the checks."""

import json
from collections.abc import Callable
from pathlib import Path

import pytest

from repairlab.benchmarks.catalog import open_benchmark
from repairlab.cli.main import run
from repairlab.runs.integrity import write_seal
from repairlab.runs.store import Store
from tests.study.conftest import BUGS, benchmark, make_run

__all__ = ["benchmark", "make_run"]

MakeRun = Callable[..., Path]
Capture = pytest.CaptureFixture[str]
READERS = {
    "score": ("score", "RUN"),
    "report": ("report", "RUN"),
    "compare": ("score", "--compare", "RUN", "OTHER"),
    "tables": ("report", "--tables", "RUN", "OTHER"),
    "rank": ("rank", "RUN", "--by", "majority"),
    "rescore": ("rescore", "RUN"),
    "convert": ("publish", "RUN", "BENCHMARK", "--format", "repairlab", "--to", "OUT"),
    "run": ("run", "--resume", "RUN"),
    "show": ("show", "RUN"),
    "show a bug": ("show", "RUN", BUGS[0]),
    "show a candidate": ("show", "RUN", BUGS[0], "1"),
}


def older(folder: Path) -> Path:
    """Make a run one of before lines had checks."""
    (folder / "seal.json").unlink(missing_ok=True)
    whole = json.loads((folder / "run.json").read_text(encoding="utf-8"))
    bare = {key: value for key, value in whole.items() if key not in ("id", "check")}
    (folder / "run.json").write_text(json.dumps(bare), encoding="utf-8")
    for path in folder.glob("*.jsonl"):
        lines = [line[: line.rindex(b',"line"')] + b"}\n" for line in path.read_bytes().splitlines()]
        path.write_bytes(b"".join(lines))
    return folder


@pytest.fixture
def runs(make_run: MakeRun, benchmark: Path) -> tuple[Path, Path]:
    digest = open_benchmark(str(benchmark)).digest
    made = [make_run(name, n=4, digest=digest, benchmark=str(benchmark)) for name in ("chat", "neural")]
    for folder in made:
        write_seal(Store(folder))
    return made[0], made[1]


@pytest.mark.parametrize("verb", READERS)
def test_four_halved_lines_stop_every_verb_that_reads_a_run(
    verb: str, runs: tuple[Path, Path], benchmark: Path, capsys: Capture
) -> None:
    folder, other = runs
    lines = (folder / "outcomes.jsonl").read_bytes().splitlines(keepends=True)
    for index in range(4, 8):
        lines[index] = lines[index][: len(lines[index]) // 2] + b"\n"
    (folder / "outcomes.jsonl").write_bytes(b"".join(lines))
    places = {"RUN": str(folder), "OTHER": str(other), "BENCHMARK": str(benchmark), "OUT": str(folder / "out.jsonl")}
    assert run([places.get(word, word) for word in READERS[verb]]) == 2
    said = capsys.readouterr()
    assert said.out == ""
    assert f"the run in {folder} is damaged: outcomes.jsonl, line 5" in said.err
    assert f"repairlab run --resume {folder} --repair" in said.err


@pytest.mark.parametrize("verb", [verb for verb in READERS if verb not in ("rank", "run")])
def test_a_run_of_before_there_were_checks_opens_with_one_line_of_warning(
    verb: str, runs: tuple[Path, Path], benchmark: Path, capsys: Capture
) -> None:
    folder, other = runs
    older(folder)
    places = {"RUN": str(folder), "OTHER": str(other), "BENCHMARK": str(benchmark), "OUT": str(folder.parent / "out.jsonl")}
    assert run([places.get(word, word) for word in READERS[verb]]) == 0
    warnings = [line for line in capsys.readouterr().err.splitlines() if "before lines had checks" in line]
    assert warnings == [f"made before lines had checks, so damage would not be noticed: {folder}"]


def test_one_unfinished_run_does_not_stop_the_tables_of_the_others(make_run: MakeRun, capsys: Capture) -> None:
    folders = [make_run("chat", n=2), make_run("neural", n=2, unfinished=3), make_run("templates", n=2)]
    assert run(["report", "--tables", *map(str, folders), "--only", "overlap", "--json"]) == 0
    said = capsys.readouterr()
    assert f"{folders[1]} is skipped: 3 of 12 bugs are unfinished (--partial takes the others)" in said.err
    (table,) = json.loads(said.out)["tables"]
    assert {name for row in table["rows"] for name in row[0].split(" + ")} <= {"chat", "templates"}
    assert run(["report", "--tables", *map(str, folders), "--only", "projects", "--json", "--partial"]) == 0
    (table,) = json.loads(capsys.readouterr().out)["tables"]
    assert f"{folders[1]}: 3 of 12 bugs are unfinished and left out." in table["notes"]


def test_tables_of_nothing_but_unfinished_runs_are_refused(make_run: MakeRun, capsys: Capture) -> None:
    folders = [make_run("chat", n=2, unfinished=1), make_run("neural", n=2, unfinished=1)]
    for chosen in (folders, folders[:1]):
        assert run(["report", "--tables", *map(str, chosen)]) == 2
        assert "--partial" in capsys.readouterr().err


def test_unfinished_runs_are_compared_by_what_both_have_finished(make_run: MakeRun, capsys: Capture) -> None:
    a, b = make_run("chat", n=2), make_run("neural", n=2, unfinished=3)
    assert run(["score", "--compare", str(a), str(b)]) == 2
    assert "--partial" in capsys.readouterr().err
    assert run(["score", "--compare", str(a), str(b), "--partial", "--json"]) == 0
    said = capsys.readouterr()
    found = json.loads(said.out)
    n = sum(len(found[name]) for name in ("both", "only_a", "only_b", "neither", "undecided"))
    assert n == 9 and found["unfinished"] == [f"{b}: 3 of 12 bugs are unfinished and left out"]
    assert found["unfinished"][0] in said.err


def test_an_unfinished_run_is_reported_in_part_when_asked_for(make_run: MakeRun, tmp_path: Path, capsys: Capture) -> None:
    folder = make_run("chat", n=2, unfinished=3)
    assert run(["report", str(folder)]) == 2
    assert "--partial" in capsys.readouterr().err
    assert run(["report", str(folder), "--partial", "--candidates", "all", "-o", str(tmp_path / "page.html")]) == 0
    assert "3 of 12 bugs are unfinished and left out" in capsys.readouterr().err
    assert run(["report", str(folder), "--partial", "--candidates", "alle"]) == 2
    assert "Did you mean 'all'?" in capsys.readouterr().err
