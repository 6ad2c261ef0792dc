"""`repairlab report`."""

import json as json_texts
from collections.abc import Mapping, Sequence
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

_FORMS = {"csv": "csv", "json": "json", "latex": "tex"}
"""Format of tables → ending of its files."""
_OVERVIEW = ("system", "fixed bugs", "candidates", "plausible rate", "compile rate")


def report(
    runs: Runs,
    output: Annotated[
        Path | None,
        typer.Option("--output", "-o", help="The HTML file. [default: report.html in the first run folder; none with --json]"),
    ] = None,
    k: Annotated[int | None, typer.Option("-k", help="Rank by pass@k (or top@k) at this k.")] = None,
    candidates: Annotated[
        str | None,
        typer.Option(
            "--candidates",
            help="Candidates to show per bug: first (the first plausible one), plausible or all. "
            "[default: first; of more than 1,000 none]",
        ),
    ] = None,
    tables: Annotated[
        bool, typer.Option("--tables", help="List the papers' tables and figures instead, or print those of --only.")
    ] = False,
    only: Annotated[
        list[str] | None, typer.Option("--only", help="With --tables: only the table of this name; repeatable.")
    ] = None,
    form: Annotated[
        str | None, typer.Option("--format", help="With --tables: print or write all as csv, json or latex (for booktabs).")
    ] = None,
    to: Annotated[
        Path | None,
        typer.Option("--to", help="With --tables: folder for all tables (.csv, or in the --format) and pictures (.svg)."),
    ] = None,
    partial: Partial = False,
    json: Json = False,
) -> None:
    """Write an HTML report, or the papers' tables and figures."""
    if tables:
        of_page = {"--output": output, "-k": k, "--candidates": candidates}
        if wrong := [name for name, value in of_page.items() if value]:
            raise UserError(f"{', '.join(wrong)} goes with the HTML report, not with --tables; leave one of them out")
        if form and json:
            raise UserError("--format and --json are both given; choose one")
        show_tables(runs, only or (), form="json" if json else form, to=to, partial=partial)
        return
    need("--tables", {"--only": only, "--format": form, "--to": to})
    warn_unchecked(runs)
    if candidates is not None and candidates not in get_args(Choice):
        raise unknown("choice of candidates", candidates, get_args(Choice))
    made = make_report(runs, k=k, partial=partial, evidence=cast(Choice | None, candidates))
    write_report(made, output or (None if json else runs[0] / "report.html"), as_json=json)


def write_report(made: ReportPage, output: Path | None, *, as_json: bool) -> None:
    """Print the leaderboard of a report and, if wanted, write the page."""
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


def show_tables(runs: Sequence[Path], only: Sequence[str], *, form: str | None, to: Path | None, partial: bool) -> None:
    """Print or write the papers' tables, made from runs."""
    names = only or list(TABLES)
    check_names(names)
    if form is not None and form not in _FORMS:
        raise unknown("format of tables", form, _FORMS)
    warn_unchecked(runs)
    systems = read_systems(runs if partial else finished(runs), partial=partial)
    needs = not NEED_CODE.isdisjoint(names)
    facts = read_facts(systems, read_texts(systems), closeness=needs, codebleu="codebleu" in only)
    made = make_tables(facts, names)
    is_index = not (only or form or to)
    for name, reason in made.left_out.items() if not is_index else ():
        say(f"no table {name}: {reason}")
    signatures = dict.fromkeys(run.scores.result.scores[0].signature for run in facts.runs if run.scores.result.scores)
    texts = {table.name: _text(table, form or "csv", "\n".join(signatures)) for table in made.tables}
    if is_index:
        _print_index(facts, made)
    elif to is not None:
        _write(made.tables, texts, to, form or "csv")
    elif form == "json":
        print_json({"tables": [table.data() for table in made.tables], "left_out": made.left_out})
    elif form is not None:
        for table in made.tables:
            if len(made.tables) > 1 and form == "csv":
                write(f"# {table.name}")
            data().print(texts[table.name], markup=False, end="", soft_wrap=True)
    else:
        for table in made.tables:
            _print_table(table)
    if only and made.left_out and not made.tables:
        raise UserError(f"these runs do not support {'the table' if len(only) == 1 else 'any of the tables'} {', '.join(only)}")


def _text(table: Table, form: str, comment: str) -> str:
    if form == "json":
        return json_texts.dumps(table.data(), indent=2, ensure_ascii=False) + "\n"
    return table.latex(comment) if form == "latex" else table.csv()


def _print_index(facts: PaperFacts, made: Tables) -> None:
    """Print one row per system, and which tables there are."""
    print_table("Systems", _OVERVIEW, [_overview(run) for run in facts.runs])
    titles = {table.name: table.title for table in made.tables}
    texts = {name: titles.get(name) or f"– {made.left_out[name]}" for name in (*titles, *made.left_out)}
    print_table("Tables", ["name", "what it shows"], [(name, texts[name]) for name in TABLES])
    say("Print a table with --only NAME; --format csv, json or latex, and --to DIR give all of them")


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


def _write(made: Sequence[Table], texts: Mapping[str, str], folder: Path, form: str) -> None:
    try:
        folder.mkdir(parents=True, exist_ok=True)
        for table in made:
            files = {f"{table.name}.{_FORMS[form]}": texts[table.name]}
            if table.figure:
                files[f"{table.name}.svg"] = f"{draw(table.figure)}\n"
            for name, content in files.items():
                write_aside(folder / name, content.encode("utf-8", "replace").decode("utf-8"))
                write(str(folder / name))
    except OSError as error:
        raise UserError(f"cannot write to {folder}: {error.strerror}; choose another place with --to") from None
