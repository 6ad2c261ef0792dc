"""How verbs speak where there is no terminal, and when they are stopped."""

import json
import subprocess
import sys
from collections.abc import Callable, Iterable, Sequence
from pathlib import Path
from typing import Any

import pytest

from repairlab.benchmarks.health import Health
from repairlab.building.discovery import Search
from repairlab.cli import output
from repairlab.cli.main import run
from repairlab.core.bug import Bug
from repairlab.core.errors import Interrupted
from repairlab.core.outcome import Verdict
from repairlab.runs.executors.executor import Executor
from repairlab.runs.executors.work_queue import run_each
from repairlab.sandbox.sandbox import Sandbox
from repairlab.validation.machine import Machine


def test_a_reader_that_has_seen_enough_is_no_failure() -> None:
    command = f"set -o pipefail; {sys.executable} -m repairlab list starter --json | head -0"
    assert subprocess.run(["bash", "-c", command], check=False, capture_output=True).returncode == 0


def test_a_log_says_now_and_then_how_far_a_job_is(capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(output, "LOG_EVERY_S", 0.01)

    def wait_for(line: str) -> None:
        said = ""
        while line not in said:
            said += capsys.readouterr().err

    with output.progress_bar() as progress:
        task = progress.add_task("bugs checked", total=4)
        wait_for("0 of 4 bugs checked\n")  # although nothing happens
        progress.advance(task, 3)
        wait_for("3 of 4 bugs checked\n")
    with output.progress_bar() as progress:
        progress.advance(progress.add_task("pairs read", total=None), 500)
        wait_for("500 pairs read\n")


def test_a_check_that_is_stopped_shows_what_it_found(
    tiny: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    sick = Health(
        bug_id="sum",
        problems=("the buggy tree passes every test",),
        flaky=(),
        flips=(),
        excluded=(),
        buggy_verdict=Verdict.PLAUSIBLE,
        repeats=1,
        cpu_s=0.0,
        limit_share=0.0,
    )

    def stop_after_one(bugs: Sequence[Bug], machine: Machine, receive: Callable[[Health], None], **how: object) -> None:
        receive(sick)
        raise Interrupted

    monkeypatch.setattr("repairlab.cli.check.check_bugs", stop_after_one)
    assert run(["check", str(tiny), "--card", str(tmp_path / "card.json")]) == 130
    said = capsys.readouterr()
    assert "bug sum: the buggy tree passes every test" in said.out and "0 of 1 bug healthy" in said.out
    assert "Stopped after 1 of " in said.err
    assert json.loads((tmp_path / "card.json").read_text())["n_bugs"] == 1


PROGRAM = "#include <stdio.h>\nint main() {{ puts({}); }}\n"


@pytest.fixture
def pairs(tmp_path: Path) -> Path:
    """Return a folder with two pairs of programs in the form of Codeflaws."""
    for number in ("1", "2"):
        folder = tmp_path / f"pairs/{number}-A-bug-10-11"
        folder.mkdir(parents=True)
        wrong, right = (PROGRAM.format(f'"{letter}"') for letter in "ab")
        texts = {f"{number}-A-10.c": wrong, f"{number}-A-11.c": right, "input-neg1": "1", "output-neg1": "b"}
        for name, text in texts.items():
            (folder / name).write_text(text)
    return tmp_path / "pairs"


def test_an_import_that_is_stopped_writes_nothing(
    pairs: Path, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    def stop(*_: object) -> None:
        raise Interrupted

    monkeypatch.setattr("repairlab.building.importing.run_each", stop)
    assert run(["import", "codeflaws", str(pairs), "--to", str(pairs.parent / "made")]) == 130
    assert capsys.readouterr().err.endswith("repairlab: stopped; nothing was written\n")
    assert sorted(path.name for path in pairs.parent.iterdir()) == ["pairs"]


def test_an_import_that_was_stopped_goes_on(
    pairs: Path, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch, sandbox: Sandbox
) -> None:
    runs: list[list[str]] = []

    def run_some(work: Any, found: Iterable[Search], executor: Executor, receive: Any, lost: Any) -> None:
        searches = list(found)
        runs.append([search.folder.name for search in searches])
        run_each(work, searches[:1], executor, receive, lost)
        if len(searches) > 1:
            raise Interrupted

    monkeypatch.setattr("repairlab.building.importing.run_each", run_some)
    command = ["import", "codeflaws", str(pairs), "--to", str(pairs.parent / "made")]
    assert run(command) == 130
    assert "nothing was written to" in (said := " ".join(capsys.readouterr().err.split())) and "the same command goes on" in said
    journal = pairs.parent / "made.partial"
    journal.write_bytes(journal.read_bytes() + b'\n{"schema": 1, "key": "cut')
    assert run(command) == 0
    assert runs == [["1-A-bug-10-11", "2-A-bug-10-11"], ["2-A-bug-10-11"]]
    assert "2 bugs imported" in capsys.readouterr().out
    assert sorted(path.name for path in pairs.parent.iterdir()) == ["made", "pairs"]


def test_an_import_does_not_go_on_with_what_has_changed(
    pairs: Path, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch, sandbox: Sandbox
) -> None:
    runs: list[list[str]] = []

    def run_and_stop(work: Any, found: Iterable[Search], executor: Executor, receive: Any, lost: Any) -> None:
        searches = list(found)
        runs.append([search.bug_id for search in searches])
        run_each(work, searches, executor, receive, lost)
        if len(runs) == 1:
            raise Interrupted

    monkeypatch.setattr("repairlab.building.importing.run_each", run_and_stop)
    command = ["import", "codeflaws", str(pairs), "--to", str(pairs.parent / "made")]
    assert run(command) == 130
    (pairs / "1-A-bug-10-11/1-A-10.c").write_text(PROGRAM.format('"c"'))
    assert run(command) == 0
    assert runs == [["1-A-bug-10-11", "2-A-bug-10-11"], ["1-A-bug-10-11"]]


@pytest.mark.parametrize("kind", ["file", "folder", "json"])
def test_what_lies_in_the_way_of_the_journal_stays(
    pairs: Path, capsys: pytest.CaptureFixture[str], sandbox: Sandbox, kind: str
) -> None:
    journal = pairs.parent / "made.partial"
    if kind == "folder":
        journal.mkdir()
    else:
        journal.write_text("my notes\n" if kind == "file" else "5\n")
    assert run(["import", "codeflaws", str(pairs), "--to", str(pairs.parent / "made")]) == 2
    assert "made.partial is in the way" in capsys.readouterr().err
    assert sorted(path.name for path in pairs.parent.iterdir()) == ["made.partial", "pairs"]


@pytest.mark.parametrize("to", [".", "/"])
def test_an_import_needs_a_new_folder(pairs: Path, capsys: pytest.CaptureFixture[str], to: str) -> None:
    assert run(["import", "codeflaws", str(pairs), "--to", to]) == 2
    assert "exists and is not an empty folder" in capsys.readouterr().err
