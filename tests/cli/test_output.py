"""How verbs speak where there is no terminal, and when they are stopped."""

import json
from collections.abc import Callable, Sequence
from pathlib import Path

import pytest

from repairlab.cli import output
from repairlab.cli.main import run
from repairlab.core.bug import Bug
from repairlab.core.errors import Interrupted
from repairlab.core.outcome import Verdict
from repairlab.runs.health import Health
from repairlab.runs.pool import Machine


def test_a_log_says_now_and_then_how_far_a_job_is(capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch) -> None:
    clock = [0.0]
    monkeypatch.setattr("time.monotonic", lambda: clock[0])
    with output.progress_bar() as progress:
        task = progress.add_task("bugs checked", total=4)
        for second in (30, 61, 100, 125):
            clock[0] = second
            progress.advance(task)
    with output.progress_bar() as progress:
        task = progress.add_task("pairs read", total=None)
        clock[0] += 60
        progress.advance(task, 500)
    assert capsys.readouterr() == ("", "2 of 4 bugs checked\n4 of 4 bugs checked\n500 pairs read\n")


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

    def stop_after_one(bugs: Sequence[Bug], machine: Machine, receive: Callable[[Health], None], *, repeats: int) -> None:
        receive(sick)
        raise Interrupted

    monkeypatch.setattr("repairlab.cli.check.check_bugs", stop_after_one)
    assert run(["check", str(tiny), "--card", str(tmp_path / "card.json")]) == 130
    said = capsys.readouterr()
    assert "bug sum: the buggy tree passes every test" in said.out and "0 of 1 bug healthy" in said.out
    assert "Stopped after 1 of " in said.err
    assert json.loads((tmp_path / "card.json").read_text())["n_bugs"] == 1


def test_an_import_that_is_stopped_writes_nothing(
    tmp_path: Path, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    folder = tmp_path / "1-A-bug-10-11"
    folder.mkdir()
    program = "#include <stdio.h>\nint main() {{ puts({}); }}\n"
    texts = {"1-A-10.c": program.format('"a"'), "1-A-11.c": program.format('"b"'), "input-neg1": "1", "output-neg1": "b"}
    for name, text in texts.items():
        (folder / name).write_text(text)

    def stop(*_: object) -> None:
        raise Interrupted

    monkeypatch.setattr("repairlab.runs.importing.run_pool", stop)
    assert run(["import", "codeflaws", str(tmp_path), "--to", str(tmp_path / "made")]) == 130
    assert capsys.readouterr().err.endswith("repairlab: stopped; nothing was written\n")
    assert sorted(path.name for path in tmp_path.iterdir()) == [folder.name]
