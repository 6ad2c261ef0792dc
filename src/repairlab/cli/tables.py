"""`repairlab tables`."""

import json as json_texts
from collections.abc import Sequence
from pathlib import Path
from typing import Annotated

import typer

from repairlab.cli.options import Json
from repairlab.cli.output import data, print_json, print_table, talk
from repairlab.cli.run_folders import Partial, Runs, finished, warn_unchecked
from repairlab.core.errors import UserError
from repairlab.core.table import Table, shown
from repairlab.report.bugs import read_texts
from repairlab.report.papers.reading import read_facts
from repairlab.report.papers.table import NEED_CODE, TABLES, Tables, check_names, make_tables
from repairlab.report.svg import draw
from repairlab.report.systems import read_systems
from repairlab.storage.encoding import write_aside


def tables(
    runs: Runs,
    only: Annotated[
        list[str] | None, typer.Option("--only", help="Only this table, by its name; may be given several times.")
    ] = None,
    csv: Annotated[bool, typer.Option("--csv", help="Print comma-separated values instead of tables.")] = False,
    to: Annotated[
        Path | None,
        typer.Option("--to", help="Write each table to this folder (.csv, or .json with --json), and its picture (.svg)."),
    ] = None,
    partial: Partial = False,
    json: Json = False,
) -> None:
    """Make the papers' tables and figures from runs."""
    names = only or list(TABLES)
    check_names(names)
    if csv and json:
        raise UserError("--csv and --json are both given; choose one")
    warn_unchecked(runs)
    systems = read_systems(runs if partial else finished(runs), evidence=None, partial=partial)
    facts = read_facts(systems, read_texts(systems), closeness=not NEED_CODE.isdisjoint(names))
    made = make_tables(facts, names)
    for name, reason in made.left_out.items():
        talk().print(f"no table {name}: {reason}", markup=False)
    if to is not None:
        _write(made.tables, to, as_json=json)
    elif json:
        print_json({"tables": [table.data() for table in made.tables], "left_out": made.left_out})
    elif csv:
        _print_csv(made)
    else:
        for table in made.tables:
            _print(table)
    if only and made.left_out and not made.tables:
        raise UserError(f"these runs support none of the tables {', '.join(only)}")


def _print(table: Table) -> None:
    title = f"{table.name}: {table.title}" + (f" ({table.source})" if table.source else "")
    print_table(title, table.columns, [[shown(cell) for cell in row] for row in table.rows])
    for note in table.notes:
        data().print(note, markup=False)
    data().print()


def _print_csv(made: Tables) -> None:
    for table in made.tables:
        if len(made.tables) > 1:
            data().print(f"# {table.name}", markup=False)
        data().print(table.csv(), markup=False, end="")


def _write(made: Sequence[Table], folder: Path, *, as_json: bool) -> None:
    try:
        folder.mkdir(parents=True, exist_ok=True)
        for table in made:
            text = json_texts.dumps(table.data(), indent=2, ensure_ascii=False) + "\n" if as_json else table.csv()
            files = {f"{table.name}.{'json' if as_json else 'csv'}": text}
            if table.figure:
                files[f"{table.name}.svg"] = f"{draw(table.figure)}\n"
            for name, content in files.items():
                write_aside(folder / name, content.encode("utf-8", "replace").decode("utf-8"))
                data().print(str(folder / name), markup=False)
    except OSError as error:
        raise UserError(f"cannot write to {folder}: {error.strerror}; choose another place with --to") from None
