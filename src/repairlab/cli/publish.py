"""`repairlab publish`."""

import shlex
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Annotated

import typer

from repairlab.benchmarks.catalog import benchmark_names, find_folder, open_benchmark
from repairlab.benchmarks.health import CARD_NAME, card_place, check_command
from repairlab.building.harbor.tasks import write_tasks
from repairlab.building.publishing import PublishSettings
from repairlab.building.publishing import publish as publish_benchmark
from repairlab.cli.options import Include, Json, need, warn_unchecked
from repairlab.cli.output import print_json, print_table, progress_bar, say, talk, write
from repairlab.core.amounts import count
from repairlab.core.errors import UserError
from repairlab.core.record import to_data
from repairlab.formats.table import FORMATS
from repairlab.runs.store import Store
from repairlab.serve.harnesses.evaluation import EvaluationSettings
from repairlab.serve.harnesses.lm_eval_task import write_task
from repairlab.study.external_candidates import convert_candidates
from repairlab.study.run_tables import is_run, publish_runs


def publish(
    sources: Annotated[
        list[str] | None,
        typer.Argument(
            metavar="SOURCE...",
            help="A benchmark or run folders; with --format, candidates and their benchmark. Without it, all formats are listed.",
        ),
    ] = None,
    to: Annotated[
        Path | None, typer.Option("--to", help="New folder or file; its ending selects the form of some formats.")
    ] = None,
    format_name: Annotated[
        str | None, typer.Option("--format", help=f"Write the candidates of a run or file instead: {', '.join(FORMATS)}.")
    ] = None,
    source_format: Annotated[
        str | None, typer.Option("--from", help="With --format: format of the file to read; recognised where obvious.")
    ] = None,
    harbor: Annotated[Path | None, typer.Option("--harbor", help="New folder for tasks of Harbor, one per bug, instead.")] = None,
    task: Annotated[
        bool, typer.Option("--task", help="Write a benchmark as a task of lm-evaluation-harness, for its --include_path.")
    ] = False,
    strategy: Annotated[
        str | None, typer.Option("--strategy", help="With --task: how a model is asked. [default: zero-shot]")
    ] = None,
    localisation: Annotated[
        str | None, typer.Option("--localisation", help="With --task: line, hunk, function, file or none. [default: line]")
    ] = None,
    include: Include = None,
    previous: Annotated[Path | None, typer.Option("--previous", help="The last publication, for the change log.")] = None,
    context: Annotated[
        bool, typer.Option("--context", help="Include all files that a repairer may read, not only the one to fix.")
    ] = False,
    parquet: Annotated[bool, typer.Option("--parquet/--no-parquet", help="Write Parquet beside JSON Lines.")] = True,
    json: Json = False,
) -> None:
    """Write benchmarks, runs or candidates for others and their tools.

    A benchmark becomes tables without tests or fixes, a data card, checksums and changes; runs become Parquet. With --format,
    candidates are written for another tool; with --harbor or --task, bugs for another harness. Inspect needs nothing written:
    `inspect eval repairlab/BENCHMARK`.
    """
    of_tables = {"--previous": previous, "--context": context, "--no-parquet": not parquet}
    of_tasks = {"--strategy": strategy, "--localisation": localisation, "--include": include}
    if task:
        _refuse("--task", of_tables | {"--format": format_name, "--from": source_format, "--harbor": harbor}, sources)
        if not sources or to is None:
            raise UserError("--task needs a benchmark and --to DIR, such as: repairlab publish starter --task --to tasks")
        _write_task(sources[0], to, strategy or "zero-shot", localisation or "line", tuple(include or ()), as_json=json)
        return
    need("--task", of_tasks)
    if not sources:
        _list_formats(as_json=json)
        return
    if format_name or source_format or Path(sources[0]).is_file():
        _refuse("--format", of_tables | {"--harbor": harbor})
        _convert(sources, format_name, to, source_format, as_json=json)
        return
    if harbor:
        _refuse("--harbor", of_tables | {"--to": to}, sources)
        if is_run(sources[0]):
            raise UserError(f"--harbor takes a benchmark, and {sources[0]} is a run")
        _publish_tasks(sources[0], harbor, json=json)
        return
    if to is None:
        raise UserError("name a new folder: --to for tables, --harbor for tasks of Harbor; with --format, --to a file or folder")
    if any(map(is_run, sources)):
        if previous or context or not parquet:
            raise UserError(
                "--previous, --context and --no-parquet are for benchmarks; runs are written as Parquet, without a change log"
            )
        _publish_runs(sources, to, json=json)
        return
    _publish_benchmark(sources, to, PublishSettings(previous=previous, context=context, parquet=parquet), as_json=json)


def _publish_benchmark(sources: Sequence[str], to: Path, settings: PublishSettings, *, as_json: bool) -> None:
    if len(sources) > 1:
        raise UserError(
            f"{len(sources)} benchmarks are given; publish one at a time. Run folders may be several; candidates need --format"
        )
    (benchmark,) = sources
    with progress_bar() as progress:
        bar = progress.add_task("bugs written", total=None)
        made = publish_benchmark(benchmark, to, settings, done=lambda: progress.advance(bar))
    folder = find_folder(benchmark)
    if not (folder / CARD_NAME).is_file():
        copy = shlex.quote(f"{folder.name}-copy")
        elsewhere = f"cp -r {shlex.quote(str(folder))} {copy} && repairlab check {copy}; then publish {copy}"
        advice = f"{check_command(benchmark)}; then publish again" if card_place(benchmark) else elsewhere
        talk().print(f"No health card. Make one with: {advice}", markup=False, soft_wrap=True)
    if as_json:
        print_json({**to_data(made), "folder": str(made.folder)})
        return
    print_table(f"{benchmark} published to {to}", ["table", "rows"], list(made.rows.items()))
    if made.changes:
        write("against the last version: " + ", ".join(f"{n} {kind}" for kind, n in made.changes.items()))


def _publish_tasks(benchmark: str, to: Path, *, json: bool) -> None:
    with progress_bar() as progress:
        bar = progress.add_task("tasks written", total=None)
        made = write_tasks(benchmark, to, done=lambda: progress.advance(bar))
    for remark in made.left_out:
        talk().print(f"left out {remark}", markup=False, soft_wrap=True)
    if json:
        print_json({**to_data(made), "folder": str(made.folder)})
        return
    write(f"{count(len(made.bugs), 'task')} written to {to}")


def _publish_runs(sources: list[str], to: Path, *, json: bool) -> None:
    warn_unchecked([Path(source) for source in sources])
    with progress_bar() as progress:
        bar = progress.add_task("rows written", total=None)
        made = publish_runs(sources, to, done=lambda n: progress.advance(bar, n))
    if json:
        print_json({**to_data(made), "folder": str(made.folder)})
        return
    print_table(f"{', '.join(made.runs)} published to {to}", ["table", "rows"], list(made.rows.items()))


def _refuse(flag: str, given: Mapping[str, object], sources: Sequence[str] | None = None) -> None:
    """Refuse options, and more than one source, that `flag` leaves no use for."""
    if wrong := [*(sources or ())[1:], *(name for name, value in given.items() if value)]:
        raise UserError(f"{flag} has no use for {', '.join(wrong)}; leave {', '.join(wrong)} out")


def _list_formats(*, as_json: bool) -> None:
    formats = {name: FORMATS.about(name) for name in FORMATS}
    if as_json:
        print_json(formats)
    else:
        print_table("Formats", ["name", "what it is"], list(formats.items()))


def _convert(sources: Sequence[str], format_name: str | None, to: Path | None, source_format: str | None, *, as_json: bool) -> None:
    """Write candidates for another tool; those of a run are for its own benchmark."""
    source, benchmark = Path(sources[0]), next(iter(sources[1:]), None)
    if len(sources) > 2:  # candidates and their benchmark
        raise UserError(f"--format takes candidates and one benchmark; leave {', '.join(sources[2:])} out")
    if benchmark is None and (source / "run.json").is_file():
        benchmark = Store(source).manifest().experiment.benchmark
    missing = {"BENCHMARK, which the candidates are for": benchmark, "--format NAME": format_name, "--to PATH": to}
    if benchmark is None or format_name is None or to is None:
        names = ", ".join(name for name, value in missing.items() if value is None)
        raise UserError(f"to convert {source}, add {names}; `repairlab publish` lists the formats")
    warn_unchecked([source])
    made = convert_candidates(source, open_benchmark(benchmark), format_name, to, source_format=source_format)
    for message in (*made.errors, *made.notes):
        say(message)
    if as_json:
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
