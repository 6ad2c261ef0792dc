"""`repairlab study`."""

import contextlib
import time
from collections.abc import Callable, Iterator, Sequence
from fnmatch import fnmatchcase
from pathlib import Path
from typing import Annotated

import typer

from repairlab.cli.options import Json, on_machine
from repairlab.cli.output import RunBar, count, print_json, print_table, progress_bar, say, write
from repairlab.cli.train import summary, train_model
from repairlab.core.amounts import dollars
from repairlab.core.errors import HarnessError, Interrupted, UserError
from repairlab.core.record import to_data
from repairlab.core.table import Table, shown
from repairlab.learning.networks.folder import WEIGHTS
from repairlab.learning.training.settings import load_system
from repairlab.runs.matrix import CellEnd, cell_folder, plan_cells, run_cells, seconds_of, spent_usd
from repairlab.runs.messages import Step
from repairlab.runs.repairing import asks_model
from repairlab.runs.run import bugs_left
from repairlab.runs.store import Disagreement, Store
from repairlab.runs.study_file import Cell, Study, read_study
from repairlab.study.study_page import CellState, write_page
from repairlab.validation.machine import Machine


@on_machine("workers", "executor", "sandbox", "allow_unsafe", "isolation", "use_verdicts", "recheck", "keep_going")
def study(
    file: Annotated[Path, typer.Argument(help="TOML file: systems, conditions, benchmarks and seeds.")],
    to: Annotated[
        Path | None, typer.Option("--to", help="Folder of the study, resumed if it exists. [default: studies/NAME]")
    ] = None,
    only: Annotated[
        list[str] | None, typer.Option("--only", help="Run only cells whose name matches this shell pattern; repeatable.")
    ] = None,
    k: Annotated[int, typer.Option("-k", help="The k of pass@k in the results.")] = 1,
    dry_run: Annotated[bool, typer.Option("--dry-run", help="Show cells, requests and cost; run nothing.")] = False,
    page: Annotated[bool, typer.Option("--page", help="Run nothing; write the page of what is finished.")] = False,
    json: Json = False,
    *,
    here: Machine,
) -> None:
    """Run a study: systems × conditions × benchmarks × seeds.

    The same command resumes it. For example: repairlab study experiments/nl2fix.toml
    """
    asked = read_study(file, to)
    folder = asked.folder
    cells = [cell for cell in asked.cells if not only or any(fnmatchcase(cell.name, pattern) for pattern in only)]
    if not cells:
        raise UserError(f"no cell matches {', '.join(only or ())}; the first is called {asked.cells[0].name}")
    wanted = {cell.training.folder: cell.training for cell in cells if cell.training}
    models = {place: training for place, training in wanted.items() if not (place / WEIGHTS).is_file()}
    if dry_run:
        for place, training in models.items():
            say(f"trains {training.system} on {training.pairs} to {place}")
        _show_plan([cell for cell in cells if not (cell.training and cell.training.folder in models)], folder, here, as_json=json)
        return
    for training in () if page else models.values():
        settings = load_system(training.system, preset=training.preset, changes=training.set)
        made = train_model(settings, training.pairs, training.folder, seed=training.seed, device=training.device, resume=True)
        if made:
            say(summary(made, training.folder))
    problems = {} if page else _run(asked, cells, file, folder, here)
    _show_results(asked, folder, problems, k=k, as_json=json)
    if problems:
        more = f" (and {len(problems) - 1} more)" if len(problems) > 1 else ""
        raise HarnessError(
            f"{count(len(problems), 'cell')} of {len(cells)} not finished: {next(iter(problems.values()))}{more}. "
            f"Go on with: {_again(file, to)}"
        )


def _again(file: Path, to: Path | None) -> str:
    return f"repairlab study {file}{f' --to {to}' if to else ''}"


def _run(asked: Study, cells: Sequence[Cell], file: Path, folder: Path, here: Machine) -> dict[str, str]:
    """Run what is left of the cells and tell of each; returns why some are not finished."""
    folder.mkdir(parents=True, exist_ok=True)
    start, problems, n_run = time.monotonic(), dict[str, str](), 0
    is_run = set[str]()

    @contextlib.contextmanager
    def watch(cell: Cell, n_bugs: int) -> Iterator[Callable[[Step], None]]:
        is_run.add(cell.name)
        n_other = 0

        def take(step: Step) -> None:
            nonlocal n_other
            if isinstance(step, Disagreement):
                n_other += 1
            else:
                bar(step)

        with progress_bar() as progress:
            bar = RunBar(progress, n_bugs, asks_model=asks_model(cell.experiment))
            yield take
        if n_other:
            said = f"WARNING: {count(n_other, 'verdict')} of earlier runs did not come out again; see disagreements.jsonl"
            say(f"{cell.title}: {said}")

    try:
        for number, end in enumerate(run_cells(asked, cells, folder, here, watch), start=1):
            if end.problem:
                problems[end.cell.name] = f"{end.cell.title}: {end.problem}"
            n_run += end.cell.name in is_run
            say(_line(end, number, len(cells), is_new=end.cell.name in is_run))
            if n_run and number < len(cells):
                left = (len(cells) - number) * (time.monotonic() - start) / n_run
                say(f"        {count(len(cells) - number, 'cell')} left, about {_duration(left)}")
    except (Interrupted, KeyboardInterrupt):
        say(f"Stopped; everything so far is in {folder}. Go on with: {_again(file, folder)}")
        raise typer.Exit(130) from None
    return problems


def _line(end: CellEnd, number: int, total: int, *, is_new: bool) -> str:
    where = f"[{number}/{total}] {end.cell.title}"
    if end.problem:
        return f"{where}: NOT FINISHED: {end.problem}"
    outcome = f"{end.seconds:.1f} s" if is_new else "done already"
    return f"{where}: {outcome}" + (f", ${dollars(spent_usd(end.folder))}" if asks_model(end.cell.experiment) else "")


def _duration(seconds: float) -> str:
    return f"{seconds:.0f} s" if seconds < 90 else f"{seconds / 60:.0f} min" if seconds < 5400 else f"{seconds / 3600:.1f} h"


def _show_plan(cells: Sequence[Cell], folder: Path, here: Machine, *, as_json: bool) -> None:
    plans = list(plan_cells(cells, folder, here))
    if as_json:
        print_json([{"cell": cell.name, **to_data(plan)} for cell, plan in plans])
        return
    rows = [
        (
            cell.title,
            plan.n_left,
            plan.n_left * plan.n_candidates,
            plan.requests if plan.requests is not None else "–",
            "–" if plan.cost_usd is None else f"${dollars(plan.cost_usd)}",
            "; ".join(plan.missing) or "–",
        )
        for cell, plan in plans
    ]
    print_table(count(len(plans), "cell"), ["cell", "bugs left", "candidates", "requests", "at most", "missing"], rows)


def _show_results(asked: Study, folder: Path, problems: dict[str, str], *, k: int, as_json: bool) -> None:
    """Write the page of the finished cells, and print the tables of results."""
    seconds, states, finished = seconds_of(folder), list[CellState](), list[tuple[Cell, Path]]()
    for cell in asked.cells:
        place = cell_folder(folder, cell)
        store = Store(place)
        left = bugs_left(store) if store.manifest_path.is_file() else None
        state = "not begun" if left is None else f"{len(left)} bugs left" if left else "finished"
        if left == []:
            finished.append((cell, place))
        states.append(
            CellState(
                cell=cell,
                folder=str(place.relative_to(folder)),
                state=problems.get(cell.name, state),
                seconds=seconds.get(cell.name, 0.0),
            )
        )
    if not finished and problems:
        return
    if not finished:
        raise UserError(f"no cell of {asked.head.name} is finished in {folder}")
    path, tables = write_page(asked, folder, states, finished, k=k)
    if as_json:
        print_json(
            {"page": str(path), "finished": len(finished), "cells": len(states), "tables": [table.data() for table in tables]}
        )
    else:
        for table in tables:
            _print(table)
    say(f"{len(finished)} of {count(len(states), 'cell')} finished; page written to {path}")


def _print(table: Table) -> None:
    print_table(table.title, table.columns, [[shown(cell) for cell in row] for row in table.rows], n_heads=table.n_heads)
    for note in table.notes:
        write(note)
