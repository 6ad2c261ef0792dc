import dataclasses
import json
import os
import signal
import subprocess
import sys
import time
from pathlib import Path

import pytest

from repairlab.benchmarks.catalog import open_benchmark
from repairlab.core.candidate import Candidate, Edit
from repairlab.core.outcome import Outcome, Verdict
from repairlab.runs.experiment import make_experiment
from repairlab.runs.run import finish_run, start_run
from repairlab.runs.samples import read_samples
from repairlab.runs.store import Store
from repairlab.validation.machine import Machine
from tests import builders

REPAIRLAB = [sys.executable, "-m", "repairlab"]
WRONG = "def total(numbers):\n    return {}\n"
RIGHT = "def total(numbers):\n    return sum(numbers)\n"
SLEEPING = "import time\n\ndef total(numbers):\n    time.sleep(1000)\n"


def facts(folder: Path) -> list[tuple[object, ...]]:
    """Return all that a run found out, without times and the order of the files."""
    store = Store(folder)
    outcomes = {outcome.candidate_id: outcome for outcome in store.outcomes()}
    assert len(outcomes) == len(list(store.outcomes())), "no outcome twice"
    ranks = [(item.bug_id, item.rank) for item in store.candidates()]
    assert len(ranks) == len(set(ranks)), "no candidate twice"
    found = [
        (item.bug_id, item.rank, item.id, outcomes[item.id].verdict, outcomes[item.id].equivalent_to) for item in store.candidates()
    ]
    return [*sorted(found), *sorted((end.bug_id, end.ended) for end in store.ends())]


def given(n: int) -> list[Candidate]:
    """Return candidates of which a third are fixes, and two thirds are duplicates but for comments."""
    texts = [RIGHT if number % 3 else WRONG.format(number // 6) for number in range(n)]
    return [
        builders.candidate(
            "sum",
            Edit(path="main.py", text=f"# {rank % 7}\n{text}\nprint(total(int(word) for word in input().split()))\n"),
            rank=rank,
            repairer="file",
        )
        for rank, text in enumerate(texts, start=1)
    ]


def test_one_bug_shared_by_many_workers_gives_what_one_worker_gives(tiny: Path, tmp_path: Path, machine: Machine) -> None:
    benchmark = open_benchmark(str(tiny))
    candidates = {"sum": given(120)}
    for workers in (1, 4):
        folder = tmp_path / str(workers)
        here = dataclasses.replace(machine, workers=workers)
        settings = {"benchmark": str(tiny), "repairer": "file", "n": 120, "include": ["sum"]}
        start_run(make_experiment(settings), benchmark, folder, here)
        finish_run(benchmark, folder, here, lambda step: None, given=candidates)
    assert facts(tmp_path / "1") == facts(tmp_path / "4")
    (samples,) = read_samples(Store(tmp_path / "4"))
    assert samples.ended == "asked" and len(samples.verdicts) == 120
    assert sum(outcome.equivalent_to is None for outcome in Store(tmp_path / "4").outcomes()) == 21


def test_a_repairers_candidates_are_shared_too(tiny: Path, tmp_path: Path, machine: Machine) -> None:
    benchmark = open_benchmark(str(tiny))
    for workers in (1, 4):
        folder = tmp_path / str(workers)
        here = dataclasses.replace(machine, workers=workers)
        settings = {"benchmark": str(tiny), "repairer": "templates", "n": 30, "include": ["sum"]}
        start_run(make_experiment(settings), benchmark, folder, here)
        finish_run(benchmark, folder, here, lambda step: None)
    assert facts(tmp_path / "1") == facts(tmp_path / "4")


def below(pid: int) -> list[int]:
    """Return the children of a process."""
    try:
        return [int(child) for child in Path(f"/proc/{pid}/task/{pid}/children").read_text().split()]
    except OSError:
        return []


def workers_of(process: subprocess.Popen[bytes]) -> list[int]:
    """Return the worker processes of a run: they are forked from a child of it."""
    return [worker for child in below(process.pid) for worker in below(child)]


def command_lines(pid: int) -> list[bytes]:
    """Return the command lines of a process and all below it."""
    try:
        below = Path(f"/proc/{pid}/task/{pid}/children").read_text().split()
        return [Path(f"/proc/{pid}/cmdline").read_bytes(), *(line for child in below for line in command_lines(int(child)))]
    except OSError:
        return []


@pytest.mark.slow
def test_killed_workers_change_nothing(tiny: Path, tmp_path: Path, machine: Machine) -> None:
    command = [*REPAIRLAB, "run", str(tiny), "--repairer", "templates", "-i", "sum", "-n", "40", "-j", "2", "--no-cache", "--to"]
    subprocess.run([*command, str(tmp_path / "whole")], check=True, capture_output=True)
    disturbed = Store(tmp_path / "disturbed")
    process = subprocess.Popen([*command, str(disturbed.folder)], stderr=subprocess.DEVNULL, stdout=subprocess.DEVNULL)
    for wanted in (3, 9, 20, 31):
        while len(list(disturbed.outcomes())) < wanted and process.poll() is None:
            time.sleep(0.01)
        for pid in workers_of(process)[:1]:
            os.kill(pid, signal.SIGKILL)
    assert process.wait() == 0
    assert facts(disturbed.folder) == facts(tmp_path / "whole")


@pytest.mark.slow
def test_a_candidate_over_which_workers_die_is_undecided_and_the_run_goes_on(tiny: Path, tmp_path: Path, machine: Machine) -> None:
    file = tmp_path / "given.jsonl"
    texts = (WRONG.format(1), RIGHT, SLEEPING)
    file.write_text("".join(json.dumps({"bug": "sum", "function": text}) + "\n" for text in texts))
    store = Store(tmp_path / "r")
    command = [*REPAIRLAB, "validate", str(tiny), str(file), "--only-given", "-j", "1", "--no-cache", "--to", str(store.folder)]
    process = subprocess.Popen(command, stderr=subprocess.DEVNULL, stdout=subprocess.DEVNULL)
    killed: set[int] = set()
    while process.poll() is None:
        asleep = len(list(store.outcomes())) == 2
        for pid in workers_of(process) if asleep else ():
            if pid not in killed and any(b"main.py" in line for line in command_lines(pid)):
                killed.add(pid)
                os.kill(pid, signal.SIGKILL)
        time.sleep(0.05)
    assert process.returncode == 0 and len(killed) >= 3  # one may have died before it began with this candidate
    outcomes = {outcome.candidate_id: outcome for outcome in store.outcomes()}
    wrong, right, lost = (outcomes[candidate.id] for candidate in store.candidates())
    assert (wrong.verdict, lost.verdict, right.verdict) == (Verdict.WRONG, Verdict.UNDECIDED, Verdict.PLAUSIBLE)
    assert "died by SIGKILL" in lost.message and "3 times over this candidate" in lost.message


MEMORY = """
import sys
from pathlib import Path
from repairlab.core.candidate import Candidate, Origin
from repairlab.languages.language import default_cache
from repairlab.benchmarks.catalog import open_benchmark
from repairlab.runs.worker import open_worker
from repairlab.runs.experiment import Experiment
from repairlab.validation.machine import Machine
from repairlab.runs.store import Store
from repairlab.runs.messages import Entry, OutcomeKnown, Order, Task
from repairlab.sandbox.sandbox import FakeSandbox, exited

def resident_mb():
    return int(Path("/proc/self/statm").read_text().split()[1]) * 4096 / 2**20

tiny, folder = Path(sys.argv[1]), Path(sys.argv[2])
store, entries = Store(folder), []
folder.mkdir()
for rank in range(1, 10_001):
    origin = Origin(repairer="file")
    candidate = Candidate(bug_id="sum", edits=(), rank=rank, origin=origin, problem="unreadable", answer=f"{rank} " * 500)
    entries.append(Entry(candidate_id=candidate.id, place=store.append(candidate), form=str(rank)))
sizes, seen = [], 0

def emit(event):
    global seen
    seen += isinstance(event, OutcomeKnown)
    if isinstance(event, OutcomeKnown) and seen in (100, 10_000):
        sizes.append(resident_mb())

task = Task(
    bug=open_benchmark(str(tiny)).bug("sum"), experiment=Experiment(benchmark="tiny", repairer="file", n=10_000), folder=folder,
    machine=Machine(cache=default_cache(), use_verdicts=False), environment="", tools="", given=None, candidates={},
    outcomes={}, given_up={},
)
with open_worker(FakeSandbox(lambda command: exited()), emit) as execute:
    for first in range(0, len(entries), 200):
        some = tuple(entries[first : first + 200])
        bodies = store.bodies_at(Candidate, [entry.place for entry in some])
        execute(Order(bug_id="sum", entries=some, candidates=bodies, task=None if first else task))
print(seen, *sizes)
"""


@pytest.mark.slow
def test_ten_thousand_candidates_need_no_more_memory_than_a_hundred(tiny: Path, tmp_path: Path) -> None:
    done = subprocess.run(
        [sys.executable, "-c", MEMORY, str(tiny), str(tmp_path / "r")], capture_output=True, text=True, check=False
    )
    assert done.returncode == 0, done.stderr
    n, after_100, after_10_000 = map(float, done.stdout.split())
    assert n == 10_000
    assert after_10_000 - after_100 < 8, "megabytes; the records of 10,000 candidates are 30"


def test_a_duplicate_costs_no_validation(tiny: Path, tmp_path: Path, machine: Machine) -> None:
    benchmark = open_benchmark(str(tiny))
    folder = tmp_path / "r"
    settings = {"benchmark": str(tiny), "repairer": "file", "n": 6, "include": ["sum"]}
    start_run(make_experiment(settings), benchmark, folder, machine)
    finish_run(benchmark, folder, machine, lambda step: None, given={"sum": given(6)})
    outcomes: list[Outcome] = list(Store(folder).outcomes())
    assert sorted(outcome.equivalent_to is None for outcome in outcomes) == [False] * 4 + [True] * 2
    assert all(outcome.isolation == f"{machine.sandbox}/warm" and not outcome.cached for outcome in outcomes)
