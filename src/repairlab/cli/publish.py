"""`repairlab publish`."""

from pathlib import Path
from typing import Annotated

import typer

from repairlab.cli.options import Json
from repairlab.cli.output import data, print_json, print_table, progress_bar
from repairlab.core.record import to_data
from repairlab.mining.publishing import PublishSettings
from repairlab.mining.publishing import publish as publish_benchmark


def publish(
    benchmark: Annotated[str, typer.Argument(help="Name or folder of a benchmark.")],
    to: Annotated[Path, typer.Option("--to", help="New folder for tables, data card, checksums and change log.")],
    previous: Annotated[Path | None, typer.Option("--previous", help="The last publication, for the change log.")] = None,
    context: Annotated[
        bool, typer.Option("--context", help="Put all files that a repairer may read into the problems, not the one to fix alone.")
    ] = False,
    parquet: Annotated[bool, typer.Option("--parquet/--no-parquet", help="Write Parquet beside JSON Lines.")] = True,
    json: Json = False,
) -> None:
    """Write a benchmark for others: data card, tables without tests or fixes, pairs, labels, checksums, change log."""
    with progress_bar() as progress:
        bar = progress.add_task("bugs written", total=None)
        settings = PublishSettings(previous=previous, context=context, parquet=parquet)
        made = publish_benchmark(benchmark, to, settings, done=lambda: progress.advance(bar))
    if json:
        print_json({**to_data(made), "folder": str(made.folder)})
        return
    print_table(f"{benchmark} published to {to}", ["table", "rows"], list(made.rows.items()))
    if made.changes:
        data().print("against the last version: " + ", ".join(f"{n} {kind}" for kind, n in made.changes.items()), markup=False)
