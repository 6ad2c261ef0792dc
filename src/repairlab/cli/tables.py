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
from repairlab.core.storage.encoding import write_aside
from repairlab.core.table import Table, shown
from repairlab.study.bugs import read_texts
from repairlab.study.papers.facts import PaperFacts, RunFacts
from repairlab.study.papers.reading import read_facts
from repairlab.study.papers.table import NEED_CODE, TABLES, Tables, check_names, make_tables
from repairlab.study.scores import percent
from repairlab.study.svg import draw
from repairlab.study.systems import read_systems

_OVERVIEW = ("system", "fixed bugs", "candidates", "plausible rate", "compile rate")


def tables(
    runs: Runs,
    only: Annotated[
        list[str] | None, typer.Option("--only", help="Print this table, by its name; may be given several times.")
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
    is_index = not (only or csv or json or to)
    for name, reason in made.left_out.items() if not is_index else ():
        talk().print(f"no table {name}: {reason}", markup=False)
    if is_index:
        _print_index(facts, made)
    elif to is not None:
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


def _print_index(facts: PaperFacts, made: Tables) -> None:
    """Print one row per system, and which tables there are."""
    print_table("Systems", _OVERVIEW, [_overview(run) for run in facts.runs])
    titles = {table.name: table.title for table in made.tables}
    texts = {name: titles.get(name) or f"– {made.left_out[name]}" for name in (*titles, *made.left_out)}
    print_table("Tables", ["name", "what it shows"], [(name, texts[name]) for name in TABLES])
    talk().print("Print a table with --only NAME; --csv, --json and --to DIR give all of them", markup=False)


def _overview(run: RunFacts) -> tuple[str, ...]:
    scores = {item.metric: item for item in run.scores.result.scores}
    rates = (percent(scores[name], scores[name].value) if name in scores else "–" for name in ("plausible rate", "compile rate"))
    n_fixed, n_candidates = sum(bug.is_fixed for bug in run.bugs), sum(len(bug.samples.verdicts) for bug in run.bugs)
    return (run.name, f"{n_fixed} of {len(run.decided)}", f"{n_candidates:,}", *rates)


def _print(table: Table) -> None:
    title = f"{table.name}: {table.title}" + (f" ({table.source})" if table.source else "")
    print_table(title, table.columns, [[shown(cell) for cell in row] for row in table.rows], n_heads=table.n_heads)
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
