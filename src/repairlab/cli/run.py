"""`repairlab run`."""

from pathlib import Path
from typing import Annotated, Any

import typer

from repairlab.cli.options import (
    AllowUnsafe,
    Include,
    IsolationName,
    Json,
    Limit,
    NoCache,
    Recheck,
    SandboxName,
    Workers,
    machine,
    numbers,
)
from repairlab.cli.output import RunBar, progress_bar, talk
from repairlab.cli.score import show_scores
from repairlab.core.benchmark import Benchmark
from repairlab.core.candidate import Candidate
from repairlab.core.errors import HarnessError, UserError, unknown
from repairlab.repairers.table import names
from repairlab.runs.catalog import open_benchmark
from repairlab.runs.execute import Progress
from repairlab.runs.experiment import Experiment, make_experiment, read_experiment
from repairlab.runs.pool import RECHECK, Interrupted, Machine
from repairlab.runs.run import begin, complete
from repairlab.runs.store import Disagreement, Store


def run(
    benchmark: Annotated[str | None, typer.Argument(help="Name or folder of a benchmark.")] = None,
    repairer: Annotated[str | None, typer.Option("--repairer", help="copy, reference, templates, …")] = None,
    n: Annotated[int | None, typer.Option("-n", help="Candidates per bug [default: 10].")] = None,
    k: Annotated[str | None, typer.Option("-k", help="The k of pass@k, such as 1,5,10.")] = None,
    localisation: Annotated[
        str | None,
        typer.Option("--localisation", help="What is shown of the bug's place: line, hunk, function or file [default: line]."),
    ] = None,
    policy: Annotated[
        str | None,
        typer.Option("--policy", help="first-failure, or full: run every test, which TCA@k needs [default: first-failure]."),
    ] = None,
    confirm: Annotated[
        int | None, typer.Option("--confirm", help="Run a failing test so often again, alone, before it counts [default: 0].")
    ] = None,
    stop_when_fixed: Annotated[
        bool | None, typer.Option("--stop-when-fixed/--all-candidates", help="Draw no more candidates once one is plausible.")
    ] = None,
    include: Include = None,
    limit: Limit = None,
    seed: Annotated[int | None, typer.Option("--seed", help="Seed of repairers that draw at random.")] = None,
    experiment: Annotated[Path | None, typer.Option("--experiment", help="TOML file with settings; options override it.")] = None,
    to: Annotated[
        Path | None, typer.Option("--to", help="Run folder; by default runs/BENCHMARK-REPAIRER, resumed when it exists.")
    ] = None,
    resume: Annotated[
        Path | None, typer.Option("--resume", help="Go on with the run in this folder, with its own settings.")
    ] = None,
    workers: Workers = None,
    sandbox: SandboxName = "auto",
    allow_unsafe: AllowUnsafe = False,
    isolation: IsolationName = "warm",
    no_cache: NoCache = False,
    recheck: Recheck = RECHECK,
    json: Json = False,
) -> None:
    """Ask a repairer for fixes of every bug and validate them."""
    here = machine(workers, sandbox, allow_unsafe, isolation=isolation, no_cache=no_cache, recheck=recheck)
    options = {
        "benchmark": benchmark,
        "repairer": repairer,
        "n": n,
        "k": None if k is None else numbers(k, "-k"),
        "policy": policy,
        "confirm": confirm,
        "stop_when_fixed": stop_when_fixed,
        "include": tuple(include) if include else None,
        "limit": limit,
        "seed": seed,
    }
    given: dict[str, Any] = {key: value for key, value in options.items() if value is not None}
    if resume is not None:
        if experiment or to or localisation or set(given) - {"k"}:
            raise UserError("--resume goes on with the settings of the run; leave the other settings out")
        settings, folder = Store(resume).manifest().experiment, resume
    else:
        from_file = read_experiment(experiment) if experiment else {}
        if localisation is not None:
            given["visibility"] = {**from_file.get("visibility", {}), "localisation": localisation}
        settings = _experiment({**from_file, **given})
        folder = to or Path("runs") / f"{Path(settings.benchmark).name}-{settings.repairer}"
    run_to_end(settings, open_benchmark(settings.benchmark), folder, here)
    show_scores([folder], ks=None if k is None else numbers(k, "-k"), as_json=json)


def _experiment(settings: dict[str, Any]) -> Experiment:
    for key, example in (("benchmark", "repairlab run starter --repairer templates"), ("repairer", "--repairer templates")):
        if key not in settings:
            raise UserError(f"no {key} is named. For example: {example}")
    made = make_experiment(settings)
    if made.repairer not in (*names(), "reference"):
        raise unknown("repairer", made.repairer, (*names(), "reference"))
    return made


def run_to_end(
    settings: Experiment,
    benchmark: Benchmark,
    folder: Path,
    here: Machine,
    given: dict[str, list[Candidate]] | None = None,
) -> None:
    """Start or resume a run and bring it to its end, with a progress bar; an interruption says how to go on."""
    manifest = begin(settings, benchmark, folder, here)
    go_on = f"Go on with: repairlab run --resume {folder}" if given is None else f"Go on with the same command and --to {folder}"
    disagreements: list[Disagreement] = []
    try:
        with progress_bar() as progress:
            bar = RunBar(progress, len(manifest.bug_ids))
            complete(
                benchmark,
                folder,
                here,
                lambda step: bar(step) if isinstance(step, Progress) else disagreements.append(step),
                given=given,
            )
    except Interrupted:
        talk().print(f"Stopped; everything so far is in {folder}. {go_on}", markup=False)
        raise typer.Exit(130) from None
    except HarnessError as error:
        raise HarnessError(f"{error}. {go_on}") from error
    finally:
        for item in disagreements:
            talk().print(_warning(item), markup=False)
    talk().print(f"Run stored in {folder}", markup=False)


def _warning(item: Disagreement) -> str:
    return (
        f"WARNING: bug {item.bug_id}, candidate {item.candidate_id}: an earlier run found {item.cached}, this one {item.now}. "
        "The earlier verdict is forgotten. The usual cause is a flaky test; find it with: repairlab check BENCHMARK --repeat 5"
    )
