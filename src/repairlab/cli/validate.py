"""`repairlab validate`."""

from pathlib import Path
from typing import Annotated

import typer

from repairlab.cli.options import AllowUnsafe, IsolationName, Json, NoCache, Recheck, SandboxName, Workers, machine
from repairlab.cli.output import count, data, print_json, print_table, talk
from repairlab.cli.run import run_to_end
from repairlab.core.record import digest
from repairlab.runs.catalog import open_benchmark
from repairlab.runs.experiment import make_experiment
from repairlab.runs.given import read_given
from repairlab.runs.pool import RECHECK
from repairlab.runs.store import Store


def validate(
    benchmark: Annotated[str, typer.Argument(help="Name or folder of a benchmark.")],
    candidates: Annotated[
        Path, typer.Argument(help='JSON Lines: {"bug": ID} with "function", "file" (new text), "patch" (unified diff) or "edits".')
    ],
    policy: Annotated[str, typer.Option("--policy", help="first-failure, or full: run every test.")] = "first-failure",
    confirm: Annotated[int, typer.Option("--confirm", help="Run a failing test so often again, alone, before it counts.")] = 0,
    to: Annotated[Path | None, typer.Option("--to", help="Run folder; by default runs/NAME-DIGEST of the file.")] = None,
    workers: Workers = None,
    sandbox: SandboxName = "auto",
    allow_unsafe: AllowUnsafe = False,
    isolation: IsolationName = "warm",
    no_cache: NoCache = False,
    recheck: Recheck = RECHECK,
    json: Json = False,
) -> None:
    """Validate candidates made elsewhere."""
    here = machine(workers, sandbox, allow_unsafe, isolation=isolation, no_cache=no_cache, recheck=recheck)
    opened = open_benchmark(benchmark)
    given = read_given(candidates, opened)
    for error in given.errors:
        talk().print(error, markup=False)
    if given.errors:
        talk().print(f"{count(len(given.errors), 'line')} could not be read and left out", markup=False)
    settings = make_experiment(
        {
            "benchmark": benchmark,
            "repairer": "file",
            "n": max(map(len, given.candidates.values())),
            "k": (1,),
            "policy": policy,
            "confirm": confirm,
            "include": tuple(sorted(given.candidates)),
        }
    )
    folder = to or Path("runs") / f"{candidates.stem}-{digest(settings, given.candidates)[:8]}"
    run_to_end(settings, opened, folder, here, given.candidates)
    _show(Store(folder), n_unreadable=len(given.errors), as_json=json)


def _show(store: Store, *, n_unreadable: int, as_json: bool) -> None:
    outcomes = {outcome.candidate_id: outcome for outcome in store.outcomes()}
    rows = [(candidate, outcomes[candidate.id]) for candidate in store.candidates() if candidate.id in outcomes]
    rows.sort(key=lambda row: (row[0].bug_id, row[0].rank))
    if as_json:
        entries = [
            {
                "bug": candidate.bug_id,
                "rank": candidate.rank,
                "candidate": candidate.id,
                "verdict": outcome.verdict.value,
                "code": outcome.verdict.code,
                "stage": outcome.stage,
                "message": outcome.message,
                "passed": outcome.n_passed,
                "n_tests": outcome.n_tests,
                "equivalent_to": outcome.equivalent_to,
                "cached": outcome.cached,
            }
            for candidate, outcome in rows
        ]
        print_json({"run": str(store.folder), "n_unreadable": n_unreadable, "outcomes": entries})
        return
    table = [
        (candidate.bug_id, candidate.rank, outcome.verdict.value, outcome.stage, outcome.message.split("\n")[0][:100])
        for candidate, outcome in rows
    ]
    print_table("Verdicts", ["bug", "rank", "verdict", "stage", "message"], table)
    plausible = sum(outcome.verdict.value == "PLAUSIBLE" for _, outcome in rows)
    data().print(f"{plausible} of {count(len(rows), 'candidate')} plausible; {count(n_unreadable, 'line')} unreadable")
