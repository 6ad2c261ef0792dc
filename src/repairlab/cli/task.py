"""`repairlab task`."""

from pathlib import Path
from typing import Annotated

import typer

from repairlab.benchmarks.catalog import benchmark_names
from repairlab.cli.options import Include, Json
from repairlab.cli.output import data, print_json
from repairlab.serve.harnesses.evaluation import EvaluationSettings
from repairlab.serve.harnesses.lm_eval_task import write_task


def task(
    benchmark: Annotated[str, typer.Argument(help="Name or folder of a benchmark.")],
    to: Annotated[Path, typer.Option("--to", help="Folder for the task, which lm_eval gets as --include_path.")],
    strategy: Annotated[str, typer.Option("--strategy", help="How a model is asked; see docs/strategies.md.")] = "zero-shot",
    localisation: Annotated[str, typer.Option("--localisation", help="line, hunk, function or file.")] = "line",
    include: Include = None,
    json: Json = False,
) -> None:
    """Write a benchmark as a task of lm-evaluation-harness. Inspect needs none: `inspect eval repairlab/BENCHMARK`."""
    is_folder = benchmark not in benchmark_names() and Path(benchmark).is_dir()
    name = str(Path(benchmark).absolute()) if is_folder else benchmark  # lm_eval may be started elsewhere
    settings = EvaluationSettings(benchmark=name, strategy=strategy, localisation=localisation, include=tuple(include or ()))
    path = write_task(settings, to)
    if json:
        print_json({"task": path.stem, "path": str(path)})
        return
    data().print(f"Task {path.stem} written to {path}", markup=False)
