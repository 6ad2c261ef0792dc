"""`repairlab demo`."""

from pathlib import Path
from typing import Annotated

import typer

from repairlab.cli.options import AllowUnsafe, Include, IsolationName, Json, Limit, NoCache, Recheck, SandboxName, Workers, machine
from repairlab.cli.output import count, talk
from repairlab.cli.report import write_report
from repairlab.cli.run import run_to_end
from repairlab.report.page import make_report
from repairlab.runs.catalog import open_benchmark
from repairlab.runs.experiment import make_experiment
from repairlab.runs.pool import RECHECK

REPAIRERS = ("copy", "templates", "reference")


def demo(
    n: Annotated[int, typer.Option("-n", help="Candidates per bug.")] = 50,
    to: Annotated[Path, typer.Option("--to", help="Folder for the three runs; resumed when it exists.")] = Path("runs/demo"),
    include: Include = None,
    limit: Limit = None,
    workers: Workers = None,
    sandbox: SandboxName = "auto",
    allow_unsafe: AllowUnsafe = False,
    isolation: IsolationName = "warm",
    no_cache: NoCache = False,
    recheck: Recheck = RECHECK,
    json: Json = False,
) -> None:
    """Run the whole line on the built-in benchmark and show the leaderboard."""
    here = machine(workers, sandbox, allow_unsafe, isolation=isolation, no_cache=no_cache, recheck=recheck)
    benchmark = open_benchmark("starter")
    n_bugs = len(benchmark.select(tuple(include or ()), limit=limit))
    ks = (*(k for k in (1, 5, 10, 20, 50, 100, 200) if k < n), n)
    folders = []
    for name in REPAIRERS:
        talk().print(f"{name} on {benchmark.name} ({count(n_bugs, 'bug')}, up to {count(n, 'candidate')} each)", markup=False)
        settings = make_experiment(
            {
                "benchmark": "starter",
                "repairer": name,
                "n": n,
                "k": ks,
                "stop_when_fixed": True,
                "include": tuple(include or ()),
                "limit": limit,
            }
        )
        folders.append(to / name)
        run_to_end(settings, benchmark, to / name, here)
    write_report(make_report(folders, k=n), to / "report.html", as_json=json)
