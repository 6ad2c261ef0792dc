"""`repairlab convert`."""

from pathlib import Path
from typing import Annotated

import typer

from repairlab.benchmarks.catalog import benchmark_names, open_benchmark
from repairlab.cli.options import Include, Json, need, warn_unchecked
from repairlab.cli.output import count, print_json, print_table, say, write
from repairlab.core.errors import UserError
from repairlab.core.record import to_data
from repairlab.formats.table import FORMATS
from repairlab.runs.store import Store
from repairlab.serve.harnesses.evaluation import EvaluationSettings
from repairlab.serve.harnesses.lm_eval_task import write_task
from repairlab.study.external_candidates import convert_candidates


def convert(
    source: Annotated[
        Path | None,
        typer.Argument(
            metavar="SOURCE",
            help="A run folder, or candidates in any format; with --task, a benchmark. Without it, all formats are listed.",
        ),
    ] = None,
    benchmark: Annotated[str | None, typer.Argument(help="Name or folder of the benchmark. [default: the run's own]")] = None,
    format_name: Annotated[str | None, typer.Option("--format", help=f"What to write: {', '.join(FORMATS)}.")] = None,
    to: Annotated[
        Path | None, typer.Option("--to", help="New file or folder; its ending selects the form of some formats.")
    ] = None,
    source_format: Annotated[
        str | None, typer.Option("--from", help="Format of the file to read; recognised where obvious.")
    ] = None,
    task: Annotated[
        bool,
        typer.Option("--task", help="Write a benchmark as a task of lm-evaluation-harness, for its --include_path."),
    ] = False,
    strategy: Annotated[
        str | None, typer.Option("--strategy", help="With --task: how a model is asked. [default: zero-shot]")
    ] = None,
    localisation: Annotated[
        str | None, typer.Option("--localisation", help="With --task: line, hunk, function, file or none. [default: line]")
    ] = None,
    include: Include = None,
    json: Json = False,
) -> None:
    """Write candidates or a benchmark for another tool.

    Inspect needs no conversion: `inspect eval repairlab/BENCHMARK`.
    """
    if task:
        if wrong := [
            name for name, value in {"--format": format_name, "--from": source_format, benchmark: benchmark}.items() if value
        ]:
            raise UserError(f"--task takes one benchmark, --to and how it is asked; leave {', '.join(map(str, wrong))} out")
        if source is None or to is None:
            raise UserError("--task needs a benchmark and --to DIR, such as: repairlab convert starter --task --to tasks")
        _write_task(str(source), to, strategy or "zero-shot", localisation or "line", tuple(include or ()), as_json=json)
        return
    need("--task", {"--strategy": strategy, "--localisation": localisation, "--include": include})
    if source is None:
        formats = {name: FORMATS.about(name) for name in FORMATS}
        if json:
            print_json(formats)
        else:
            print_table("Formats", ["name", "what it is"], list(formats.items()))
        return
    if benchmark is None and (source / "run.json").is_file():
        benchmark = Store(source).manifest().experiment.benchmark
    missing = {"BENCHMARK, which the candidates are for": benchmark, "--format NAME": format_name, "--to PATH": to}
    if benchmark is None or format_name is None or to is None:
        names = ", ".join(name for name, value in missing.items() if value is None)
        raise UserError(f"to convert {source}, add {names}; `repairlab convert` lists the formats")
    warn_unchecked([source])
    made = convert_candidates(source, open_benchmark(benchmark), format_name, to, source_format=source_format)
    for message in (*made.errors, *made.notes):
        say(message)
    if json:
        print_json(to_data(made) | {"path": str(made.path), "format": format_name})
        return
    write(f"{count(made.n_candidates, 'candidate')} read, {len(made.errors)} unreadable; written to {made.path} as {format_name}")


def _write_task(benchmark: str, to: Path, strategy: str, localisation: str, include: tuple[str, ...], *, as_json: bool) -> None:
    is_folder = benchmark not in benchmark_names() and Path(benchmark).is_dir()
    name = str(Path(benchmark).absolute()) if is_folder else benchmark  # lm_eval may be started elsewhere
    path = write_task(EvaluationSettings(benchmark=name, strategy=strategy, localisation=localisation, include=include), to)
    if as_json:
        print_json({"task": path.stem, "path": str(path)})
    else:
        write(f"Task {path.stem} written to {path}")
