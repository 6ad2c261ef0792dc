"""The same candidates again: verdicts from the cache, through the code that a run goes through."""

import dataclasses
import tempfile
from pathlib import Path

from side_by_side import Cost, Row, candidates_of, main, measure

from repairlab.benchmarks.catalog import open_benchmark
from repairlab.core.bug import Bug
from repairlab.core.candidate import Candidate
from repairlab.core.outcome import Outcome
from repairlab.languages.language import default_cache
from repairlab.runs.experiment import Experiment
from repairlab.runs.messages import CandidateProposed, Entry, Event, Order, OutcomeKnown, Task
from repairlab.runs.store import Store, decoded
from repairlab.runs.worker import open_worker
from repairlab.sandbox.sandbox import Sandbox
from repairlab.sandbox.table import open_sandbox
from repairlab.validation.machine import RECHECK, Machine


def row(*, quick: bool) -> Row:
    """Run 100 candidates, then the same again in new run folders."""
    n = 20 if quick else 100
    bug = open_benchmark("starter").bug("python-island-count")
    candidates = candidates_of(bug, n)
    sandbox = open_sandbox(cache=default_cache())
    with tempfile.TemporaryDirectory(prefix="cache-") as name:
        folder = Path(name)
        machine = Machine(cache=folder, recheck=0)
        first, _ = run(bug, candidates, machine, sandbox, folder / "first")
        again = [run(bug, candidates, machine, sandbox, folder / f"again-{number}") for number in range(5)]
        sampled, cost = run(bug, candidates, dataclasses.replace(machine, recheck=RECHECK), sandbox, folder / "sampled")
    outcomes, ours = min(again, key=lambda pair: pair[1].wall_s)
    assert all(outcome.cached for outcome in outcomes)
    n_again = sum(not outcome.cached for outcome in sampled)
    return Row(
        work=f"the same {n} candidates again",
        n=n,
        ours=ours,
        target=1000,
        n_different=sum(one.verdict is not other.verdict for one, other in zip(first, outcomes, strict=True)),
        n_plausible=sum(outcome.verdict == "PLAUSIBLE" for outcome in outcomes),
        note=f"best of {len(again)} runs; {n / cost.wall_s:.0f}/s with {n_again} of them made again as a sample",
    )


def run(bug: Bug, candidates: list[Candidate], machine: Machine, sandbox: Sandbox, folder: Path) -> tuple[list[Outcome], Cost]:
    """Do what a worker does for one bug of a run."""
    folder.mkdir()
    task = Task(
        bug=bug,
        experiment=Experiment(benchmark="starter", repairer="file", n=len(candidates)),
        folder=folder,
        machine=machine,
        environment="",
        tools="",
        given=tuple(candidates),
        candidates={},
        outcomes={},
        given_up={},
    )
    store, entries = Store(folder), list[Entry]()
    candidates_by_place: dict[int, bytes] = {}
    outcomes: list[Outcome] = []

    def take(event: Event) -> None:
        if isinstance(event, CandidateProposed):
            place = store.append_body(Candidate, event.body)
            entries.append(Entry(candidate_id=event.candidate_id, place=place, form=event.form))
            candidates_by_place[place] = event.body
        if isinstance(event, OutcomeKnown):
            outcomes.append(decoded(Outcome, event.body))
            store.append_body(Outcome, event.body)

    def execute() -> None:
        with open_worker(sandbox, take) as do:
            do(Order(bug_id=bug.id, task=task))
            do(Order(bug_id=bug.id, task=None, entries=tuple(entries), candidates=candidates_by_place))

    _, cost = measure(execute)
    return outcomes, cost


if __name__ == "__main__":
    main(row)
