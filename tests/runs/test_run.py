import os
import signal
import subprocess
import sys
import time
from collections import Counter
from pathlib import Path
from typing import Any

import pytest

from repairlab.benchmarks.catalog import open_benchmark
from repairlab.core.errors import UserError
from repairlab.core.outcome import Verdict
from repairlab.runs.experiment import make_experiment, read_experiment
from repairlab.runs.messages import Progress
from repairlab.runs.run import finish_run, start_run
from repairlab.runs.samples import read_samples
from repairlab.runs.store import Store
from repairlab.validation.machine import Machine

REPAIRLAB = [sys.executable, "-m", "repairlab"]


def run(tiny: Path, folder: Path, machine: Machine, **settings: Any) -> list[Progress]:
    benchmark = open_benchmark(str(tiny))
    start_run(make_experiment({"benchmark": str(tiny), **settings}), benchmark, folder, machine)
    steps: list[Progress] = []
    finish_run(benchmark, folder, machine, lambda step: steps.append(step) if isinstance(step, Progress) else None)
    return steps


def contents(folder: Path) -> Counter[tuple[object, ...]]:
    """Return what a run found out, without times."""
    verdicts = {outcome.candidate_id: outcome.verdict for outcome in Store(folder).outcomes()}
    return Counter((item.bug_id, item.rank, item.id, verdicts.get(item.id)) for item in Store(folder).candidates())


def test_copy_fixes_nothing_and_reference_everything(tiny: Path, tmp_path: Path, machine: Machine) -> None:
    run(tiny, tmp_path / "copy", machine, repairer="copy", n=3)
    run(tiny, tmp_path / "reference", machine, repairer="reference", n=3)
    for name, verdict in (("copy", Verdict.WRONG), ("reference", Verdict.PLAUSIBLE)):
        samples = read_samples(Store(tmp_path / name))
        assert [(item.bug_id, item.verdicts, item.ended) for item in samples] == [
            ("shop", (verdict,), "exhausted"),
            ("sum", (verdict,), "exhausted"),
        ]


def test_a_finished_run_started_again_does_nothing(tiny: Path, tmp_path: Path, machine: Machine) -> None:
    run(tiny, tmp_path / "r", machine, repairer="templates", n=4)
    before = {path.name: path.read_bytes() for path in (tmp_path / "r").glob("*.json*")}
    steps = run(tiny, tmp_path / "r", machine, repairer="templates", n=4)
    assert {path.name: path.read_bytes() for path in (tmp_path / "r").glob("*.json*")} == before
    assert all(step.verdict is None for step in steps) and len(steps) == 2


def test_a_run_cut_anywhere_goes_on_without_doing_anything_twice(tiny: Path, tmp_path: Path, machine: Machine) -> None:
    run(tiny, tmp_path / "whole", machine, repairer="templates", n=8)
    run(tiny, tmp_path / "cut", machine, repairer="templates", n=8)
    cut = tmp_path / "cut"
    (cut / "seal.json").unlink()
    for name, keep in (("candidates.jsonl", 7), ("outcomes.jsonl", 5), ("bugs.jsonl", 0)):
        lines = (cut / name).read_bytes().split(b"\n")
        (cut / name).write_bytes(b"\n".join(lines[:keep]) + (b"\n" + lines[keep][:20] if keep else b""))
    run(tiny, cut, machine, repairer="templates", n=8)
    assert contents(cut) == contents(tmp_path / "whole")
    assert max(Counter(outcome.candidate_id for outcome in Store(cut).outcomes()).values()) == 1


@pytest.mark.slow
def test_a_killed_run_goes_on_and_gives_the_same_results(tiny: Path, tmp_path: Path, machine: Machine) -> None:
    command = [
        sys.executable,
        "-m",
        "repairlab",
        "run",
        str(tiny),
        "--repairer",
        "templates",
        "-n",
        "12",
        "-j",
        "2",
        "--no-cache",
        "--to",
    ]
    subprocess.run([*command, str(tmp_path / "whole")], check=True, capture_output=True)
    killed = tmp_path / "killed"
    process = subprocess.Popen([*command, str(killed)], stderr=subprocess.DEVNULL, stdout=subprocess.DEVNULL)
    while not (killed / "outcomes.jsonl").exists() or len(list(Store(killed).outcomes())) < 4:
        time.sleep(0.01)
    process.send_signal(signal.SIGKILL)
    process.wait()
    at_kill = len(list(Store(killed).outcomes()))
    time.sleep(0.5)
    assert len(list(Store(killed).outcomes())) <= at_kill + 1, "workers must die with the run"
    subprocess.run([*REPAIRLAB, "run", "--resume", str(killed), "--no-cache"], check=True, capture_output=True)
    assert contents(killed) == contents(tmp_path / "whole")
    assert max(Counter(outcome.candidate_id for outcome in Store(killed).outcomes()).values()) == 1


@pytest.mark.slow
@pytest.mark.parametrize("number", [signal.SIGINT, signal.SIGTERM])
def test_ctrl_c_and_schedulers_stop_a_run_cleanly(tiny: Path, tmp_path: Path, machine: Machine, number: signal.Signals) -> None:
    folder = tmp_path / "r"
    command = [
        sys.executable,
        "-m",
        "repairlab",
        "run",
        str(tiny),
        "--repairer",
        "templates",
        "-n",
        "200",
        "--no-cache",
        "--to",
        str(folder),
    ]
    process = subprocess.Popen(command, stderr=subprocess.PIPE, stdout=subprocess.DEVNULL, text=True, start_new_session=True)
    while not (folder / "outcomes.jsonl").exists():
        time.sleep(0.01)
    os.killpg(process.pid, number)
    _, talk = process.communicate()
    assert process.returncode == 130
    assert f"repairlab run --resume {folder}" in talk
    assert "Traceback" not in talk


def test_stopping_when_fixed_draws_no_more_candidates(tiny: Path, tmp_path: Path, machine: Machine) -> None:
    run(tiny, tmp_path / "r", machine, repairer="templates", n=100, stop_when_fixed=True, include=["sum"])
    (samples,) = read_samples(Store(tmp_path / "r"))
    assert samples.ended == "solved"
    assert samples.verdicts[-1] is Verdict.PLAUSIBLE and Verdict.PLAUSIBLE not in samples.verdicts[:-1]


def test_a_run_folder_of_another_benchmark_version_or_settings_is_refused(tiny: Path, tmp_path: Path, machine: Machine) -> None:
    run(tiny, tmp_path / "r", machine, repairer="copy", n=1)
    with pytest.raises(UserError, match="other settings: n was 1, now 2"):
        run(tiny, tmp_path / "r", machine, repairer="copy", n=2)
    (tiny / "bugs/sum/cases/01.out").write_text("4\n")
    with pytest.raises(UserError, match="Choose another folder"):
        run(tiny, tmp_path / "r", machine, repairer="copy", n=1)


@pytest.mark.parametrize(
    ("settings", "message"),
    [
        ({"n": 0}, "at least 1 candidate"),
        ({"k": [0]}, "each k must be 1 or more"),
        ({"n": "many"}, "n is 'many'"),
        ({"policy": "some"}, "policy: unknown value 'some'"),
        ({"visibility": {"localisation": "word"}}, "localisation"),
    ],
)
def test_wrong_settings_are_clear_errors(settings: dict[str, object], message: str) -> None:
    with pytest.raises(UserError, match=message):
        make_experiment({"benchmark": "starter", "repairer": "copy", **settings})


def test_settings_come_from_a_file_and_unknown_ones_are_errors(tmp_path: Path) -> None:
    file = tmp_path / "e.toml"
    file.write_text('benchmark = "starter"\nrepairer = "copy"\n[visibility]\nlocalisation = "function"\n')
    assert make_experiment(read_experiment(file)).visibility.localisation == "function"
    file.write_text("workerz = 3\n")
    with pytest.raises(UserError, match="unknown setting 'workerz'"):
        read_experiment(file)
    file.write_text("x = ")
    with pytest.raises(UserError, match="not valid TOML"):
        read_experiment(file)
    with pytest.raises(UserError, match="is missing"):
        read_experiment(tmp_path / "none.toml")
