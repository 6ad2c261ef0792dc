"""`repairlab label`."""

import csv
from collections import Counter
from collections.abc import Sequence
from pathlib import Path
from typing import Annotated

import typer

from repairlab.benchmarks.catalog import benchmark_names, find_folder, open_benchmark
from repairlab.benchmarks.labels_file import LABELS_NAME, write_labels
from repairlab.cli.label_project import FilledSheets, RaterDraw, label_by_people
from repairlab.cli.models import asked_model
from repairlab.cli.options import Include, Json
from repairlab.cli.output import count, data, print_json, print_table, progress_bar, talk
from repairlab.cli.rating import SHEETS, Overlap, PerTask, Raters, SettledBy, SettledSheet, TakenSheets
from repairlab.core.errors import UserError
from repairlab.core.record import to_data
from repairlab.study.assessment.bug_project import is_project
from repairlab.study.labelling.label import RULES, Labelled, StatedAgreement, agreement_with_stated, label_bugs
from repairlab.study.stored_run import Run

_SHOWN = 12
"""Values of a rule that a table shows; --json has all."""


def label(
    benchmark: Annotated[str, typer.Argument(help="Name or folder of a benchmark.")],
    include: Include = None,
    to: Annotated[
        Path | None, typer.Option("--to", help=f"File for the labels; by default {LABELS_NAME} of the benchmark.")
    ] = None,
    types: Annotated[
        Path | None, typer.Option("--types", help="CSV with bug and type (NPR4J) as well, for `rescore --labels`.")
    ] = None,
    run: Annotated[
        list[Path] | None,
        typer.Option("--run", help="Run of a system: difficulty is then by how many solve a bug; may be repeated."),
    ] = None,
    model: Annotated[
        str | None, typer.Option("--model", help="Model that suggests a category, too: PROVIDER/NAME as for `run`.")
    ] = None,
    base_url: Annotated[str | None, typer.Option("--base-url", help="Address of the model's server.")] = None,
    taxonomy: Annotated[
        str | None,
        typer.Option(
            "--taxonomy",
            help="Let people label bugs by this taxonomy, in the folder --to: a TOML or CSV file, or category (Defects4C).",
            rich_help_panel=SHEETS,
        ),
    ] = None,
    raters: Raters = None,
    overlap: Overlap = 1.0,
    per_task: PerTask = 2,
    seed: Annotated[int, typer.Option("--seed", help="Of the draw.", rich_help_panel=SHEETS)] = 0,
    take: TakenSheets = None,
    adjudicate: SettledSheet = None,
    by: SettledBy = "adjudicator",
    json: Json = False,
) -> None:
    """Label bugs by fix: location, patterns, category, difficulty.

    Repair actions and patterns, error types and the state and element of a fix are labelled, too.
    """
    opened = open_benchmark(benchmark, found_labels=False)
    if taxonomy is not None or raters is not None or take or adjudicate or (to is not None and is_project(to)):
        if to is None:
            raise UserError("people label bugs in a folder of its own; name it with --to")
        chosen = [bug.id for bug in opened.select(tuple(include or ()))]
        draw = RaterDraw(raters=raters, overlap=overlap, per_task=per_task, seed=seed)
        sheets = FilledSheets(taken=tuple(take or ()), settled=adjudicate, by=by)
        label_by_people(benchmark, opened, chosen, to, taxonomy, draw, sheets, as_json=json)
        return
    if to is None and benchmark in benchmark_names():
        raise UserError(f"{benchmark} is built in and is not written to; name a file for its labels with --to")
    place = to or find_folder(benchmark) / LABELS_NAME
    bugs = opened.select(tuple(include or ()))
    if include and to is None:
        raise UserError("--include labels a part of the bugs; name a file for that with --to, the benchmark's own has them all")
    solved = _solved(run or ())
    with progress_bar() as progress, asked_model(model, base_url) as asked:
        task = progress.add_task("bugs labelled", total=len(bugs))
        found = label_bugs(bugs, solved=solved, model=asked, done=lambda _: progress.advance(task))
    if not found.labels:
        raise UserError(f"no bug of {opened.name} has labels; the first: {next(iter(found.skipped.items()), 'there is none')}")
    write_labels(place, found.labels)
    if types:
        _write_types(types, found)
    stated = agreement_with_stated({bug.id: bug.labels for bug in bugs}, found)
    if json:
        print_json({"benchmark": opened.name, "file": str(place), "agreement": to_data(stated)} | to_data(found))
        return
    _print(f"{opened.name}: {count(len(bugs), 'bug')}", found, stated)
    data().print(f"Labels written to {place}", markup=False)


def _print(title: str, found: Labelled, stated: Sequence[StatedAgreement]) -> None:
    for bug, reason in found.skipped.items():
        talk().print(f"no labels for {bug}: {reason}", markup=False)
    rows = []
    for rule, about in RULES.items():
        values = Counter(value for item in found.labels if item.rule == rule for value in item.values)
        shown = ", ".join(f"{value} {n}" for value, n in values.most_common(_SHOWN))
        rows.append((rule, about, shown + (", …" if len(values) > _SHOWN else "")))
    print_table(title, ["rule", "what it says", "values"], rows)
    if stated:
        lines = [
            (
                item.rule,
                item.n,
                f"{100 * item.same / item.n:.0f} %",
                ", ".join(f"{k} ({n})" for k, n in list(item.others.items())[:6]),
            )
            for item in stated
        ]
        print_table("Beside what bugs state themselves", ["rule", "bugs", "same", "stated → found"], lines)


def _write_types(path: Path, found: Labelled) -> None:
    with path.open("w", newline="", encoding="utf-8") as file:
        rows = csv.writer(file)
        rows.writerow(("bug", "type"))
        rows.writerows((item.bug, item.values[0]) for item in found.labels if item.rule == "type")


def _solved(runs: Sequence[Path]) -> dict[str, tuple[int, int]]:
    """Return how many of the runs that tried a bug have a plausible candidate for it."""
    solved: dict[str, tuple[int, int]] = {}
    for path in runs:
        for line in Run(path).bugs():
            won, tried = solved.get(line.bug, (0, 0))
            solved[line.bug] = won + (line.first_plausible is not None), tried + 1
    return solved
