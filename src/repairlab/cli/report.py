"""`repairlab report`."""

from pathlib import Path
from typing import Annotated, cast, get_args

import typer

from repairlab.cli.options import Json
from repairlab.cli.output import data, print_json, print_table, talk
from repairlab.cli.run_folders import Partial, Runs, warn_unchecked
from repairlab.core.errors import unknown
from repairlab.core.score import Score
from repairlab.study.evidence import Choice
from repairlab.study.leaderboard import Leaderboard, Row
from repairlab.study.page import ReportPage, make_report, store_report
from repairlab.study.scores import percent


def report(
    runs: Runs,
    output: Annotated[
        Path | None,
        typer.Option("--output", "-o", help="The HTML file; by default report.html in the first run folder, and with --json none."),
    ] = None,
    k: Annotated[int | None, typer.Option("-k", help="Rank by pass@k (or top@k) at this k.")] = None,
    candidates: Annotated[
        str,
        typer.Option(
            "--candidates", help="Of each bug show the first plausible candidate (first), every plausible one, or all of them."
        ),
    ] = "first",
    partial: Partial = False,
    json: Json = False,
) -> None:
    """Write an HTML report over runs."""
    warn_unchecked(runs)
    if candidates not in get_args(Choice):
        raise unknown("choice of candidates", candidates, get_args(Choice))
    made = make_report(runs, k=k, partial=partial, evidence=cast(Choice, candidates))
    write_report(made, output or (None if json else runs[0] / "report.html"), as_json=json)


def write_report(made: ReportPage, output: Path | None, *, as_json: bool) -> None:
    """Print the leaderboard of a report, and write the page where one is wanted."""
    for text in made.missing:
        talk().print(text, markup=False)
    if output is not None:
        store_report(made, output)
    if as_json:
        print_json({"report": None if output is None else str(output), "leaderboard": made.leaderboard.data()})
    else:
        _print(made.leaderboard)
    if output is not None:
        talk().print(f"Report written to {output}", markup=False)


def _print(board: Leaderboard) -> None:
    is_grouped = len(board.groups) > 1
    rows = [
        (
            *([row.group or "–"] if is_grouped else []),
            "oracle" if row.is_oracle else "–" if row.rank is None else str(row.rank),
            row.system,
            _value(row.score),
            _fixed(row),
            row.score.n_undecided if row.score else 0,
        )
        for row in board.rows
    ]
    columns = ["rank", "system", board.title, "fixed bugs", "undecided"]
    print_table("Leaderboard", ["group", *columns] if is_grouped else columns, rows)
    for text in board.captions:
        data().print(text, markup=False)
    for row in board.rows:
        if row.coverage:
            data().print(f"{row.system}: {row.coverage}", markup=False)
        if row.reason and row.group is None:
            talk().print(f"{row.system} is not ranked: {row.reason}", markup=False)


def _value(score: Score | None) -> str:
    if score is None:
        return "–"
    return f"{percent(score, score.value)} ({percent(score, score.low)} – {percent(score, score.high)})"


def _fixed(row: Row) -> str:
    score = row.other("fixed")
    return f"{round(score.value * score.n_bugs)} of {score.n_bugs}" if score else "–"
