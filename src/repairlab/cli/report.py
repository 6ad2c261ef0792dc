"""`repairlab report`."""

import json as json_texts
from collections.abc import Sequence
from pathlib import Path
from typing import Annotated, cast, get_args

import typer

from repairlab.cli.options import Json, Partial, Runs, finished, need, warn_unchecked
from repairlab.cli.output import data, print_json, print_table, say, write
from repairlab.core.errors import UserError, unknown
from repairlab.core.storage.encoding import write_aside
from repairlab.core.table import Table, shown
from repairlab.study.bugs import Choice, read_texts
from repairlab.study.charts import draw
from repairlab.study.leaderboard import Leaderboard
from repairlab.study.page import ReportPage, make_report, store_report
from repairlab.study.papers.facts import PaperFacts, RunFacts, read_facts
from repairlab.study.papers.table import NEED_CODE, TABLES, Tables, check_names, make_tables
from repairlab.study.scores import number
from repairlab.study.systems import read_systems

_OVERVIEW = ("system", "fixed bugs", "candidates", "plausible rate", "compile rate")


def report(
    runs: Runs,
    output: Annotated[
        Path | None,
        typer.Option("--output", "-o", help="The HTML file. [default: report.html in the first run folder; none with --json]"),
    ] = None,
    k: Annotated[int | None, typer.Option("-k", help="Rank by pass@k (or top@k) at this k.")] = None,
    candidates: Annotated[
        str,
        typer.Option("--candidates", help="Candidates to show per bug: first (the first plausible one), plausible or all."),
    ] = "first",
    tables: Annotated[
        bool, typer.Option("--tables", help="List the papers' tables and figures instead, or print those of --only.")
    ] = False,
    only: Annotated[
        list[str] | None, typer.Option("--only", help="With --tables: only the table of this name; repeatable.")
    ] = None,
    csv: Annotated[bool, typer.Option("--csv", help="With --tables: print all as comma-separated values.")] = False,
    to: Annotated[
        Path | None,
        typer.Option("--to", help="With --tables: folder for all tables (.csv, or .json with --json) and pictures (.svg)."),
    ] = None,
    partial: Partial = False,
    json: Json = False,
) -> None:
    """Write an HTML report, or the papers' tables and figures."""
    if tables:
        of_page = {"--output": output, "-k": k, "--candidates": candidates != "first"}
        if wrong := [name for name, value in of_page.items() if value]:
            raise UserError(f"{', '.join(wrong)} goes with the HTML report, not with --tables; leave one of them out")
        show_tables(runs, only or (), csv=csv, to=to, partial=partial, as_json=json)
        return
    need("--tables", {"--only": only, "--csv": csv, "--to": to})
    warn_unchecked(runs)
    if candidates not in get_args(Choice):
        raise unknown("choice of candidates", candidates, get_args(Choice))
    made = make_report(runs, k=k, partial=partial, evidence=cast(Choice, candidates))
    write_report(made, output or (None if json else runs[0] / "report.html"), as_json=json)


def write_report(made: ReportPage, output: Path | None, *, as_json: bool) -> None:
    """Print the leaderboard of a report, and write the page where one is wanted."""
    for text in made.missing:
        say(text)
    if output is not None:
        store_report(made, output)
    if as_json:
        print_json({"report": None if output is None else str(output), "leaderboard": made.leaderboard.data()})
    else:
        _print(made.leaderboard)
    if output is not None:
        say(f"Report written to {output}")


def _print(board: Leaderboard) -> None:
    columns, rows = board.table()
    print_table("Leaderboard", columns, rows)
    for text in board.captions:
        write(text)
    for row in board.rows:
        if row.coverage:
            write(f"{row.system}: {row.coverage}")
        if row.reason and row.group is None:
            say(f"{row.system} is not ranked: {row.reason}")


def show_tables(runs: Sequence[Path], only: Sequence[str], *, csv: bool, to: Path | None, partial: bool, as_json: bool) -> None:
    """Print or write the tables that the papers have, made from runs."""
    names = only or list(TABLES)
    check_names(names)
    if csv and as_json:
        raise UserError("--csv and --json are both given; choose one")
    warn_unchecked(runs)
    systems = read_systems(runs if partial else finished(runs), partial=partial)
    needs = not NEED_CODE.isdisjoint(names)
    facts = read_facts(systems, read_texts(systems), closeness=needs, codebleu="codebleu" in only)
    made = make_tables(facts, names)
    is_index = not (only or csv or as_json or to)
    for name, reason in made.left_out.items() if not is_index else ():
        say(f"no table {name}: {reason}")
    if is_index:
        _print_index(facts, made)
    elif to is not None:
        _write(made.tables, to, as_json=as_json)
    elif as_json:
        print_json({"tables": [table.data() for table in made.tables], "left_out": made.left_out})
    elif csv:
        _print_csv(made)
    else:
        for table in made.tables:
            _print_table(table)
    if only and made.left_out and not made.tables:
        raise UserError(f"these runs do not support {'the table' if len(only) == 1 else 'any of the tables'} {', '.join(only)}")


def _print_index(facts: PaperFacts, made: Tables) -> None:
    """Print one row per system, and which tables there are."""
    print_table("Systems", _OVERVIEW, [_overview(run) for run in facts.runs])
    titles = {table.name: table.title for table in made.tables}
    texts = {name: titles.get(name) or f"– {made.left_out[name]}" for name in (*titles, *made.left_out)}
    print_table("Tables", ["name", "what it shows"], [(name, texts[name]) for name in TABLES])
    say("Print a table with --only NAME; --csv, --json and --to DIR give all of them")


def _overview(run: RunFacts) -> tuple[str, ...]:
    scores = {item.metric: item for item in run.scores.result.scores}
    rates = (number(scores.get(name)) for name in ("plausible rate", "compile rate"))
    n_fixed, n_candidates = sum(bug.is_fixed for bug in run.bugs), sum(len(bug.samples.verdicts) for bug in run.bugs)
    return (run.name, f"{n_fixed} of {len(run.decided)}", f"{n_candidates:,}", *rates)


def _print_table(table: Table) -> None:
    title = f"{table.name}: {table.title}" + (f" ({table.source})" if table.source else "")
    print_table(title, table.columns, [[shown(cell) for cell in row] for row in table.rows], n_heads=table.n_heads)
    for note in table.notes:
        write(note)
    data().print()


def _print_csv(made: Tables) -> None:
    for table in made.tables:
        if len(made.tables) > 1:
            write(f"# {table.name}")
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
                write(str(folder / name))
    except OSError as error:
        raise UserError(f"cannot write to {folder}: {error.strerror}; choose another place with --to") from None
