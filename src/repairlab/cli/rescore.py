"""`repairlab rescore`."""

from collections.abc import Sequence
from pathlib import Path
from typing import Annotated, Any, get_args

import typer

from repairlab.cli.options import Include, Json, numbers, one_of, warn_unchecked
from repairlab.cli.output import count, data, print_json, print_table, say
from repairlab.core.errors import UserError
from repairlab.core.figure import Figure
from repairlab.core.record import to_data
from repairlab.core.table import Table, shown
from repairlab.metrics.published import FixCriterion, RankOrder
from repairlab.study.analyses import GROUPS, candidate_curves, check_curves, group_bars, overlap_map
from repairlab.study.charts import draw
from repairlab.study.published_table import Status, TableComparison, compare_table, read_tables
from repairlab.study.rescoring import ALL_FORMATS, Rescored, RescoreOptions, read_results, rescore_results


def rescore(
    arguments: Annotated[
        list[str] | None,
        typer.Argument(
            metavar="[FORMAT] FILE...",
            help="Published results; the format is recognised where obvious. Without any, formats are listed.",
        ),
    ] = None,
    table: Annotated[
        list[Path] | None, typer.Option("--table", help="A published table (TOML) to recompute and compare, or a folder of them.")
    ] = None,
    data_folder: Annotated[Path, typer.Option("--data", help="Folder with the data that tables name.")] = Path(),
    brief: Annotated[bool, typer.Option("--brief", help="Print only cells that differ.")] = False,
    system: Annotated[list[str] | None, typer.Option("--system", help="Only this system; repeatable.")] = None,
    include: Include = None,
    what: Annotated[
        str | None,
        typer.Option(
            "--count", help="What counts as a fix: correct (a person accepted it) or plausible. [default: what the results have]"
        ),
    ] = None,
    ranks: Annotated[str, typer.Option("--ranks", help="number: sort ranks as numbers; written: as text.")] = "number",
    top: Annotated[str, typer.Option("--top", help="Numbers of plausible candidates to check.")] = "1,2,3,4,5,6,7,8,9,10",
    against: Annotated[
        Path | None, typer.Option("--against", help="Results of other tools, for the coverage of their fixes.")
    ] = None,
    labels: Annotated[
        Path | None, typer.Option("--labels", help="Labels of bugs: labels.jsonl, CSV with bug,type, or JSON.")
    ] = None,
    figures: Annotated[Path | None, typer.Option("--figures", help="Folder for figures (SVG).")] = None,
    json: Json = False,
) -> None:
    """Compute scores from published verdicts without running tests."""
    if table:
        if arguments:
            raise UserError(f"--table names its data itself; leave {arguments[0]} out, or leave --table out")
        _tables(table, data_folder, brief=brief, as_json=json)
        return
    if not arguments:
        _formats(as_json=json)
        return
    ks = numbers(top, "--top")
    if min(ks) < 1:
        raise UserError(f"--top is {top}: each number must be 1 or more")
    asked = RescoreOptions(
        systems=tuple(system or ()),
        include=tuple(include or ()),
        count=None if what is None else one_of("value of --count", what, get_args(FixCriterion)),
        order=one_of("value of --ranks", ranks, get_args(RankOrder)),
        top=ks,
        against=against,
        labels=labels,
    )
    warn_unchecked([Path(text) for text in arguments or ()])
    found = rescore_results(read_results(arguments), asked)
    _show(found, as_json=json)
    if figures is not None:
        _write_figures(found, figures)


def _formats(*, as_json: bool) -> None:
    if as_json:
        print_json(ALL_FORMATS)
    else:
        print_table("Formats", ["name", "files"], list(ALL_FORMATS.items()))


def _show(found: Rescored, *, as_json: bool) -> None:
    if as_json:
        print_json(
            {
                "fix": found.ranked.count if found.ranked else None,
                "tables": [_data(table) for table in found.tables],
                "fixed": {system: list(bugs) for system, bugs in found.ranked.fixed.items()} if found.ranked else {},
                "left_out": dict(found.left_out),
                "notes": list(found.notes),
            }
        )
    else:
        for table in found.tables:
            print_table(table.title, table.columns, [[shown(cell) for cell in row] for row in table.rows])
    for note in found.notes:
        say(note)
    for reason in found.left_out.values():
        say(f"left out: {reason}")


def _data(table: Table) -> dict[str, Any]:
    columns = table.columns[1:]
    rows = [{"name": name, "cells": dict(zip(columns, cells, strict=True))} for name, *cells in table.rows]
    return {"name": table.name, "title": table.title, "columns": list(columns), "rows": rows}


def _write_figures(found: Rescored, folder: Path) -> None:
    if found.ranked is None:
        raise UserError("--figures needs verdicts; these files have only statistics")
    made: dict[str, Figure] = {}
    by_name = {table.name: table for table in found.tables}
    if "candidates" in by_name:
        made["candidates.svg"] = candidate_curves(found.ranked)
    if "checks" in by_name:
        made["checks.svg"] = check_curves(found.ranked)
    made["overlap.svg"] = overlap_map(by_name["overlap"])
    for name in (*GROUPS, "benchmarks"):
        if name in by_name:
            made[f"{name}.svg"] = group_bars(found.ranked, by_name[name])
    folder.mkdir(parents=True, exist_ok=True)
    for name, figure in made.items():
        (folder / name).write_text(f"{draw(figure)}\n", encoding="utf-8")
        say(f"Figure written to {folder / name}")


def _tables(paths: Sequence[Path], folder: Path, *, brief: bool, as_json: bool) -> None:
    comparisons = [compare_table(item, folder) for path in paths for item in read_tables(path).values()]
    counts = [_counts(item) for item in comparisons]
    if as_json:
        print_json([to_data(item) | {"summary": found} for item, found in zip(comparisons, counts, strict=True)])
    else:
        for item in comparisons:
            _print_comparison(item, brief=brief)
        if len(comparisons) > 1:
            rows = [(item.title, *found.values()) for item, found in zip(comparisons, counts, strict=True)]
            rows.append(("all", *(sum(found[name] for found in counts) for name in counts[0])))
            print_table("All tables", ["table", *counts[0]], rows)
    if any(found["differs"] for found in counts):
        raise typer.Exit(1)


def _counts(item: TableComparison) -> dict[str, int]:
    return {"cells": len(item.cells)} | {status: item.n(status) for status in get_args(Status)}


def _print_comparison(item: TableComparison, *, brief: bool) -> None:
    cells = [cell for cell in item.cells if not brief or cell.status != "equal"]
    rows = [
        (
            cell.analysis,
            cell.row,
            cell.column,
            shown(cell.ours),
            shown(cell.published),
            cell.difference,
            "" if cell.as_printed is None else shown(cell.as_printed),
            "" if cell.status == "equal" else cell.status,
        )
        for cell in cells
    ]
    if rows:
        columns = ["analysis", "row", "column", "ours", "published", "difference", "ours, counted as printed", ""]
        print_table(item.title, columns, rows)
    found = _counts(item)
    words = {
        "erratum": "known erratum" if found["erratum"] == 1 else "known errata",
        "unreadable": "unreadable in the paper",
        "differs": "DIFFERENT",
    }
    said = "".join(f", {found[name]} {word}" for name, word in words.items() if found[name])
    console = data()
    console.print(f"{item.title}: {count(found['cells'], 'cell')}, {found['equal']} equal{said}", markup=False)
    for reason in dict.fromkeys(cell.reason for cell in item.cells if cell.reason):
        console.print(f"  erratum: {reason}", markup=False)
    for note in item.notes:
        console.print(f"  note: {note}", markup=False)
