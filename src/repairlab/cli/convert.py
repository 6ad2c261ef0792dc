"""`repairlab convert`."""

from pathlib import Path
from typing import Annotated

import typer

from repairlab.benchmarks.catalog import open_benchmark
from repairlab.cli.options import Json
from repairlab.cli.output import count, data, print_json, print_table, talk
from repairlab.cli.run_folders import warn_unchecked
from repairlab.core.errors import UserError
from repairlab.core.record import to_data
from repairlab.formats.table import FORMATS
from repairlab.runs.store import Store
from repairlab.study.converting import convert_candidates


def convert(
    source: Annotated[
        Path | None,
        typer.Argument(metavar="RUN_OR_FILE", help="A run folder, or candidates in any format; without it all formats are listed."),
    ] = None,
    benchmark: Annotated[str | None, typer.Argument(help="Name or folder of the benchmark; by default the run's own.")] = None,
    format_name: Annotated[str | None, typer.Option("--format", help=f"What to write: {', '.join(FORMATS)}.")] = None,
    to: Annotated[
        Path | None, typer.Option("--to", help="New file or folder; its ending chooses between forms of a format.")
    ] = None,
    source_format: Annotated[
        str | None, typer.Option("--from", help="Format of the file to read; recognised when it is obvious.")
    ] = None,
    json: Json = False,
) -> None:
    """Write candidates in another tool's format."""
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
        talk().print(message, markup=False)
    if json:
        print_json(to_data(made) | {"path": str(made.path), "format": format_name})
        return
    data().print(
        f"{count(made.n_candidates, 'candidate')} read, {len(made.errors)} unreadable; written to {made.path} as {format_name}",
        markup=False,
    )
