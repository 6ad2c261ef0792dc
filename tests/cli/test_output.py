"""How verbs speak where there is no terminal."""

import pytest

from repairlab.cli import output


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
