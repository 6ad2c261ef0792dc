"""`repairlab publish`."""

import shlex
from pathlib import Path
from typing import Annotated

import typer

from repairlab.benchmarks.catalog import find_folder
from repairlab.benchmarks.health import CARD_NAME, card_place, check_command
from repairlab.building.harbor.tasks import write_tasks
from repairlab.building.publishing import PublishSettings
from repairlab.building.publishing import publish as publish_benchmark
from repairlab.cli.options import Json, warn_unchecked
from repairlab.cli.output import print_json, print_table, progress_bar, talk, write
from repairlab.core.amounts import count
from repairlab.core.errors import UserError
from repairlab.core.record import to_data
from repairlab.study.run_tables import is_run, publish_runs


def publish(
    sources: Annotated[
        list[str], typer.Argument(metavar="BENCHMARK_OR_RUNS...", help="Name or folder of a benchmark, or run folders.")
    ],
    to: Annotated[Path | None, typer.Option("--to", help="New folder for tables, data card, checksums and change log.")] = None,
    harbor: Annotated[Path | None, typer.Option("--harbor", help="New folder for tasks of Harbor, one per bug, instead.")] = None,
    previous: Annotated[Path | None, typer.Option("--previous", help="The last publication, for the change log.")] = None,
    context: Annotated[
        bool, typer.Option("--context", help="Include all files that a repairer may read, not only the one to fix.")
    ] = False,
    parquet: Annotated[bool, typer.Option("--parquet/--no-parquet", help="Write Parquet beside JSON Lines.")] = True,
    json: Json = False,
) -> None:
    """Write a benchmark or runs as tables for others to use.

    A benchmark becomes tables without tests or fixes, a data card, checksums and changes; runs become Parquet. With --harbor, each
    bug of a benchmark becomes a task of Harbor.
    """
    if harbor:
        if to or previous or context or not parquet or len(sources) > 1 or is_run(sources[0]):
            raise UserError("--harbor takes one benchmark, and no --to, --previous, --context or --no-parquet")
        _publish_tasks(sources[0], harbor, json=json)
        return
    if to is None:
        raise UserError("name a new folder: --to for tables, --harbor for tasks of Harbor")
    if any(map(is_run, sources)):
        if previous or context or not parquet:
            raise UserError(
                "--previous, --context and --no-parquet are for benchmarks; runs are written as Parquet, without a change log"
            )
        _publish_runs(sources, to, json=json)
        return
    if len(sources) > 1:
        raise UserError(f"{len(sources)} benchmarks are given; publish one at a time. Run folders may be several")
    (benchmark,) = sources
    with progress_bar() as progress:
        bar = progress.add_task("bugs written", total=None)
        settings = PublishSettings(previous=previous, context=context, parquet=parquet)
        made = publish_benchmark(benchmark, to, settings, done=lambda: progress.advance(bar))
    folder = find_folder(benchmark)
    if not (folder / CARD_NAME).is_file():
        copy = shlex.quote(f"{folder.name}-copy")
        elsewhere = f"cp -r {shlex.quote(str(folder))} {copy} && repairlab check {copy}; then publish {copy}"
        advice = f"{check_command(benchmark)}; then publish again" if card_place(benchmark) else elsewhere
        talk().print(f"No health card. Make one with: {advice}", markup=False, soft_wrap=True)
    if json:
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
