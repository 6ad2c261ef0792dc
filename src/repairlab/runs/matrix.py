"""Run the cells of a study one after another; each is a run folder, so that a study resumes wherever it was stopped."""

import contextlib
import dataclasses
import gc
import json
import time
from collections.abc import Callable, Iterator, Sequence
from pathlib import Path

from repairlab.benchmarks.catalog import Benchmark, open_benchmark
from repairlab.core.amounts import dollars
from repairlab.core.errors import HarnessError, UserError
from repairlab.core.model import Access
from repairlab.core.record import record
from repairlab.core.storage.encoding import write_aside
from repairlab.repairers.ledger import FILE, read_requests
from repairlab.runs.messages import Step
from repairlab.runs.plan import RunPlan, plan_run
from repairlab.runs.repairing import access_of, prices_of
from repairlab.runs.run import bugs_left, finish_run, start_run
from repairlab.runs.store import Store
from repairlab.runs.study_file import Cell, Study
from repairlab.validation.machine import Machine

STATE = "study.json"


@record
class CellEnd:
    """How a cell ended."""

    cell: Cell
    folder: Path
    seconds: float
    """Spent on it, over all starts."""
    problem: str = ""
    """Why it is not finished."""


def cell_folder(study: Path, cell: Cell) -> Path:
    """Return the run folder of a cell."""
    return study / "cells" / cell.name


def plan_cells(cells: Sequence[Cell], folder: Path, machine: Machine) -> Iterator[tuple[Cell, RunPlan]]:
    """Yield what each cell would do."""
    opened: dict[str, Benchmark] = {}
    for cell in cells:
        yield cell, plan_run(cell.experiment, _opened(opened, cell), cell_folder(folder, cell), _machine(cell, machine))


def run_cells(
    study: Study,
    cells: Sequence[Cell],
    folder: Path,
    machine: Machine,
    watch: Callable[[Cell, int], contextlib.AbstractContextManager[Callable[[Step], None]]],
) -> Iterator[CellEnd]:
    """Finish the cells one by one and yield each; a cell on which our own machinery fails is skipped.

    Every cell is prepared before the first one runs, so that wrong settings show at once. `watch` is entered with the number of
    bugs for each cell with work left, and gives what takes its steps.
    """
    opened: dict[str, Benchmark] = {}
    for cell in cells:
        try:
            start_run(cell.experiment, _opened(opened, cell), cell_folder(folder, cell), _limited(study, cell, machine))
        except (UserError, HarnessError) as error:
            raise type(error)(f"{cell.title}: {error}") from error
    for cell in cells:
        place = cell_folder(folder, cell)
        store = Store(place)
        if not bugs_left(store):
            yield CellEnd(cell=cell, folder=place, seconds=seconds_of(folder).get(cell.name, 0.0))
            continue
        start, problem = time.monotonic(), ""
        try:
            with watch(cell, len(store.manifest().bug_ids)) as step:
                finish_run(_opened(opened, cell), place, _budgeted(study, cell, folder, machine), step)
        except HarnessError as error:
            problem = str(error)
        finally:
            seconds = seconds_of(folder)
            seconds[cell.name] = round(seconds.get(cell.name, 0.0) + time.monotonic() - start, 1)
            write_aside(folder / STATE, json.dumps({"name": study.head.name, "seconds": seconds}, indent=2) + "\n")
        gc.collect()  # a model in this process holds the memory of its device
        yield CellEnd(cell=cell, folder=place, seconds=seconds[cell.name], problem=problem)


def seconds_of(folder: Path) -> dict[str, float]:
    """Return how long each cell of a study has taken so far."""
    path = folder / STATE
    try:
        return dict(json.loads(path.read_text(encoding="utf-8"))["seconds"]) if path.is_file() else {}
    except (ValueError, KeyError, TypeError):
        raise UserError(f"{path} was not written by repairlab; remove it, and only the times of earlier cells are lost") from None


def spent_usd(folder: Path) -> float:
    """Return what a run has paid so far, where prices are known."""
    return sum(request.cost_usd or 0.0 for request in read_requests(folder / FILE, prices_of(folder)))


def _opened(opened: dict[str, Benchmark], cell: Cell) -> Benchmark:
    if cell.benchmark not in opened:
        opened[cell.benchmark] = open_benchmark(cell.benchmark)
    return opened[cell.benchmark]


def _machine(cell: Cell, machine: Machine) -> Machine:
    return machine if cell.access is None else dataclasses.replace(machine, access=cell.access)


def _budgeted(study: Study, cell: Cell, folder: Path, machine: Machine) -> Machine:
    """Return the machine with what is left of the study's money as the cell's limit."""
    limit = study.head.cost_limit_usd
    if limit is None or not isinstance(access_of(cell.experiment, machine), Access):
        return _machine(cell, machine)
    others = [cell_folder(folder, other) for other in study.cells if other.name != cell.name]
    left = limit - sum(spent_usd(other) for other in others if other.is_dir())
    if left <= 0:
        raise HarnessError(f"the study has spent its ${dollars(limit)}; raise cost_limit_usd to go on")
    return _limited(study, cell, machine, left)


def _limited(study: Study, cell: Cell, machine: Machine, left: float | None = None) -> Machine:
    """Return the machine with the cell's limit: its own, or what is left of the study's money if that is less."""
    machine = _machine(cell, machine)
    left, access = study.head.cost_limit_usd if left is None else left, access_of(cell.experiment, machine)
    if left is None or not isinstance(access, Access):
        return machine
    own = left if access.cost_limit_usd is None else min(left, access.cost_limit_usd)
    return dataclasses.replace(machine, access=dataclasses.replace(access, cost_limit_usd=own))
