"""The one page of a study: progress, results, paired tests, pictures and the papers' tables, and each table as a file."""

import dataclasses
import json
from collections.abc import Sequence
from pathlib import Path

from repairlab.core.errors import UserError
from repairlab.core.record import record
from repairlab.core.storage.encoding import write_aside
from repairlab.core.table import Table
from repairlab.runs.study_file import Cell, Study
from repairlab.study.bugs import read_texts
from repairlab.study.charts import draw
from repairlab.study.page_templates import environment
from repairlab.study.papers.facts import read_facts
from repairlab.study.papers.table import TABLES, make_tables
from repairlab.study.study_results import BenchmarkResults, Finished, read_finished, results
from repairlab.study.systems import read_systems

_NOT_SHOWN = ("bug-cost", "codebleu")


@record
class CellState:
    """A cell of the matrix as the page shows it."""

    cell: Cell
    folder: str
    """Relative to the study's folder."""
    state: str
    """`finished`, `12 of 76 bugs`, or why it stopped."""
    seconds: float


@record
class Section:
    """One benchmark of the page."""

    results: BenchmarkResults
    papers: tuple[Table, ...]
    seed: int


def write_page(
    study: Study, folder: Path, states: Sequence[CellState], finished: Sequence[tuple[Cell, Path]], *, k: int = 1
) -> tuple[Path, list[Table]]:
    """Write `results.html`, `results.json` and the tables; returns the page and the tables of results."""
    seconds = {item.cell.name: item.seconds for item in states}
    cells = read_finished(finished, seconds)
    found = results(cells, k=k) if cells else ()
    sections = [_section(item, [cell for cell in cells if cell.cell.benchmark == item.name]) for item in found]
    html = (
        environment("repairlab.study")
        .get_template("study.html")
        .render(
            study=study,
            states=states,
            sections=sections,
            n_finished=len(finished),
            n_candidates=sum(len(samples.verdicts) for cell in cells for samples in cell.run.samples),
            seconds=sum(seconds.values()),
            versions=sorted({cell.run.manifest.repairlab for cell in cells}),
        )
    )
    tables = [table for section in sections for table in (section.results.table, section.results.tests) if table]
    pictures = [table for section in sections for table in section.results.pictures]
    papers = [table for section in sections for table in section.papers]
    try:
        (folder / "tables").mkdir(parents=True, exist_ok=True)
        for table in (*tables, *pictures, *papers):
            if table.rows:
                _write(folder / "tables" / f"{table.name}.csv", table.csv())
            if table.figure:
                _write(folder / "tables" / f"{table.name}.svg", f"{draw(table.figure)}\n")
        data = {"name": study.head.name, "finished": len(finished), "cells": len(study.cells)}
        data |= {"tables": [table.data() for table in tables]}
        _write(folder / "results.json", json.dumps(data, indent=2, ensure_ascii=False) + "\n")
        _write(folder / "results.html", html)
    except OSError as error:
        raise UserError(f"cannot write to {folder}: {error.strerror}; choose another place with --to") from None
    return folder / "results.html", tables


def _section(found: BenchmarkResults, cells: Sequence[Finished]) -> Section:
    """Return the page's part on a benchmark; the papers' tables use the first seed of each system and condition."""
    first = {(item.cell.system, item.cell.condition): item for item in reversed(cells)}
    chosen = [item for item in cells if first[item.cell.system, item.cell.condition] is item]
    systems = [
        dataclasses.replace(system, name=f"{item.cell.system} · {item.cell.condition}")
        for item, system in zip(chosen, read_systems([item.run.folder for item in chosen]), strict=True)
    ]
    made = make_tables(read_facts(systems, read_texts(systems)), [name for name in TABLES if name not in _NOT_SHOWN])
    short = Path(found.name).name
    papers = tuple(dataclasses.replace(table, name=f"{short}-{table.name}") for table in made.tables)
    return Section(results=found, papers=papers, seed=min(item.cell.seed for item in chosen))


def _write(path: Path, text: str) -> None:
    write_aside(path, text.encode("utf-8", "replace").decode("utf-8"))
