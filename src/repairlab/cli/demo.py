"""`repairlab demo`."""

from collections import defaultdict
from pathlib import Path
from typing import Annotated

import typer

from repairlab.benchmarks.catalog import Benchmark, open_benchmark
from repairlab.cli.options import Include, Json, Limit, on_machine
from repairlab.cli.output import count, say
from repairlab.cli.report import write_report
from repairlab.cli.run import run_to_end
from repairlab.languages.facts import title
from repairlab.runs.experiment import make_experiment
from repairlab.study.page import make_report
from repairlab.validation.machine import Machine
from repairlab.validation.preflight import missing_tools

REPAIRERS = ("copy", "templates", "reference")
PER_LANGUAGE = 2
"""Bugs of each language, unless all are asked for."""
N, N_FULL = 10, 50
"""Candidates per bug."""


@on_machine("workers", "sandbox", "allow_unsafe", "isolation", "use_verdicts", "recheck")
def demo(
    full: Annotated[bool, typer.Option("--full", help="Use all bugs and more candidates; takes many minutes.")] = False,
    n: Annotated[int | None, typer.Option("-n", help="Candidates per bug. [default: 10, with --full 50]")] = None,
    to: Annotated[
        Path | None, typer.Option("--to", help="Folder for the three runs, resumed if it exists. [default: runs/demo]")
    ] = None,
    include: Include = None,
    limit: Limit = None,
    json: Json = False,
    *,
    here: Machine,
) -> None:
    """Run three repairers on built-in bugs and show the leaderboard."""
    benchmark = open_benchmark("starter")
    n = n or (N_FULL if full else N)
    to = to or Path("runs") / ("demo-full" if full else "demo")
    per_language = len(benchmark) if full or limit else PER_LANGUAGE
    chosen = tuple(include or ()) or some_of_each_language(benchmark, per_language=per_language)
    n_bugs = len(benchmark.select(chosen, limit=limit))
    ks = (*(k for k in (1, 5, 10, 20, 50, 100, 200) if k < n), n)
    folders = []
    for name in REPAIRERS:
        say(f"{name} on {benchmark.name} ({count(n_bugs, 'bug')}, up to {count(n, 'candidate')} each)")
        settings = make_experiment(
            {
                "benchmark": "starter",
                "repairer": name,
                "n": n,
                "k": ks,
                "stop_when_fixed": True,
                "include": chosen,
                "limit": limit,
            }
        )
        folders.append(to / name)
        run_to_end(settings, benchmark, to / name, here)
    write_report(make_report(folders, k=n), to / "report.html", as_json=json)


def some_of_each_language(benchmark: Benchmark, *, per_language: int = PER_LANGUAGE) -> tuple[str, ...]:
    """Return the ids of a few bugs of each language whose tools are here, evenly spread over the benchmark."""
    by_language: dict[str, list[str]] = defaultdict(list)
    for bug in benchmark:
        by_language[bug.problem.language].append(bug.id)
    for name in list(by_language):
        if problem := missing_tools(name):
            say(f"no {title(name)} bugs: {problem}")
            del by_language[name]
    numbers = {name: min(per_language, len(ids)) for name, ids in by_language.items()}
    return tuple(ids[len(ids) * at // numbers[name]] for name, ids in by_language.items() for at in range(numbers[name]))
