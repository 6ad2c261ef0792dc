"""What the one process costs that hands out the work of a run to many machines: the real schedule, with workers that only pretend.

Workers say what those of a cluster would say, after the time that validations take, on a clock of their own. Measured is the CPU
time of the schedule, of what it stores and of what it packs and unpacks; calls to a cluster are not in it.
Run: PYTHONPATH=src python bench/handing_out.py [--workers 10,100,1000] [--bugs 200] [-n 100] [--seconds 0.07]
"""

import argparse
import dataclasses
import heapq
import json
import pickle
import tempfile
import time
from collections.abc import Callable
from pathlib import Path
from typing import Any

from repairlab.benchmarks.catalog import open_benchmark
from repairlab.core.bug import remember_digest
from repairlab.core.candidate import Candidate, Edit, Origin
from repairlab.core.outcome import Outcome, TestResult, TestVerdict, Verdict
from repairlab.core.storage.encoding import encode
from repairlab.runs.executors.executor import Source
from repairlab.runs.experiment import make_experiment
from repairlab.runs.first_starts import FirstStarts
from repairlab.runs.messages import (
    CandidateProposed,
    Event,
    Order,
    OutcomeKnown,
    ProposalsEnded,
    Task,
    ValidationStarted,
    WorkerTime,
)
from repairlab.runs.scheduler import Scheduler
from repairlab.runs.store import Store
from repairlab.validation.machine import local_machine

OPENING_S = 0.3
"""What it takes to open a bug."""


def main() -> None:
    """Hand the same work out to more and more workers."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--workers", default="10,100,1000", help="numbers of workers [default: 10,100,1000]")
    parser.add_argument("--bugs", type=int, default=200)
    parser.add_argument("-n", type=int, default=100, help="candidates of each bug [default: 100]")
    parser.add_argument("--seconds", type=float, default=0.07, help="what a validation takes [default: 0.07]")
    options = parser.parse_args()
    print(f"{options.bugs} bugs × {options.n} candidates of {options.seconds:g} s")
    print(f"{'workers':>7} {'parcels':>8} {'ms per candidate':>17} {'busy':>6}", flush=True)
    for workers in map(int, options.workers.split(",")):
        with tempfile.TemporaryDirectory(prefix="handing-out-") as folder:
            Path(folder, "run.json").write_text(json.dumps({"id": "0123456789abcdef"}))
            crowd = Crowd(workers, options.n, options.seconds)
            store = Store(Path(folder))
            schedule = Scheduler(store, lambda event: None, first_starts=FirstStarts(store, None), given_up={})  # noqa: ARG005
            schedule.run(tasks(Path(folder), options.bugs, options.n), crowd)
            n = Path(folder, "outcomes.jsonl").read_bytes().count(b"\n")
        busy = n * options.seconds / (crowd.now * workers)
        print(f"{workers:>7} {crowd.parcels:>8} {1000 * crowd.cpu_s / n:>17.3f} {busy:>6.2f}", flush=True)


def tasks(folder: Path, n_bugs: int, n: int) -> list[Task]:
    """Return a task for each of so many bugs, all of which are alike."""
    bug = open_benchmark("starter").bug("python-version-order")
    experiment = make_experiment({"benchmark": "starter", "repairer": "templates", "n": n})
    made = []
    for number in range(n_bugs):
        named = dataclasses.replace(bug, problem=dataclasses.replace(bug.problem, id=f"bug-{number}"))
        made.append(
            Task(
                bug=remember_digest(named, f"{number:016x}"),
                experiment=experiment,
                folder=folder,
                machine=local_machine(executor="ray", cache=False),
                environment="",
                tools="",
                given=None,
                candidates={},
                outcomes={},
                given_up={},
            )
        )
    return made


class Crowd:
    """An executor whose workers do nothing but take their time."""

    is_remote = True

    def __init__(self, workers: int, n: int, seconds: float) -> None:
        self.workers, self._n, self._seconds = workers, n, seconds
        self.now, self.cpu_s, self.parcels = 0.0, 0.0, 0
        edit = Edit(path="packages/version.py", text="x = 1\n" * 200)
        origin = Origin(repairer="templates")
        self._candidate = encode(Candidate(bug_id="bug-0", edits=(edit,), rank=1, origin=origin), id="0" * 16)
        tests = tuple(TestResult(id=f"tests/test_version.py::test_{number}", verdict=TestVerdict.PASSED) for number in range(8))
        outcome = Outcome(
            bug_id="bug-0",
            candidate_id="0" * 16,
            verdict=Verdict.WRONG,
            stage="regression",
            tests=tests,
            n_tests=8,
            environment="",
            policy="full",
        )
        self._outcome = encode(outcome)

    def run(self, work: Any, source: Source[Any], receive: Callable[[Any, int], None], *, wakeup: int | None = None) -> None:
        """Have all parcels done."""
        del work, wakeup
        at_work: list[tuple[float, int, bytes]] = []
        idle = list(range(self.workers))
        while True:
            begin = time.thread_time()
            taken = [(worker, parcel) for worker in idle if (parcel := source.take(worker)) is not None]
            sent = [(worker, parcel.item, len(pickle.dumps(parcel.item))) for worker, parcel in taken]
            self.cpu_s += time.thread_time() - begin
            self.parcels += len(sent)
            idle = [worker for worker in idle if worker not in {worker for worker, _, _ in sent}]
            for worker, order, _ in sent:
                took, events = self._done(order)
                heapq.heappush(at_work, (self.now + took, worker, pickle.dumps(events)))
            if not at_work:
                return
            self.now, worker, said = heapq.heappop(at_work)
            begin = time.thread_time()
            for event in pickle.loads(said):
                receive(event, worker)
            source.finish(worker)
            self.cpu_s += time.thread_time() - begin
            idle.append(worker)

    def _done(self, order: Order) -> tuple[float, list[Event]]:
        """Return how long an order takes, and what is said of it."""
        name = order.bug_id
        if order.proposes:
            said: list[Event] = [
                CandidateProposed(
                    bug_id=name, candidate_id=f"{name}-{number}", rank=number + 1, form=f"{name}-{number}", body=self._candidate
                )
                for number in range(self._n)
            ]
            return OPENING_S, [*said, ProposalsEnded(bug_id=name, ended="asked")]
        said = []
        for entry in order.entries:
            said.append(ValidationStarted(bug_id=name, candidate_id=entry.candidate_id))
            judged = OutcomeKnown(
                bug_id=name,
                candidate_id=entry.candidate_id,
                verdict=Verdict.WRONG,
                message="",
                seconds=self._seconds,
                body=self._outcome,
            )
            said.append(judged)
        said.append(WorkerTime(bug_id=name, seconds={}))
        return (OPENING_S if order.task else 0.0) + len(order.entries) * self._seconds, said


if __name__ == "__main__":
    main()
