"""`repairlab compare`."""

from pathlib import Path
from typing import Annotated

import typer

from repairlab.cli.options import Json
from repairlab.cli.output import data, print_json, print_table, talk
from repairlab.cli.run_folders import Partial, warn_unchecked
from repairlab.core.words import count
from repairlab.report.comparison import COLUMNS, Comparison, compare_runs


def compare(
    run_a: Annotated[Path, typer.Argument(help="A run folder.")],
    run_b: Annotated[Path, typer.Argument(help="Another one, over the same bugs.")],
    k: Annotated[int, typer.Option("-k", help="The k of pass@k (or top@k, when a run stopped early).")] = 1,
    partial: Partial = False,
    json: Json = False,
) -> None:
    """Compare two runs bug by bug."""
    warn_unchecked([run_a, run_b])
    found = compare_runs(run_a, run_b, k=k, partial=partial)
    if json:
        print_json(found.data())
    else:
        _print(found)
    for text in found.missing:
        talk().print(text, markup=False)
    for item in found.differing:
        talk().print(f"Take care, the settings differ: in {run_b} {item} as in {run_a}", markup=False)
    if found.overlap.lost:
        talk().print(f"{count(len(found.overlap.lost), 'bug')} left out: a run could not decide every candidate", markup=False)


def _print(found: Comparison) -> None:
    shared, console = found.overlap, data()
    for name in found.names:
        console.print(name, markup=False)
    print_table("", COLUMNS, found.rows())
    console.print(f"exact McNemar test: p = {shared.p_value:.4f}")
    console.print(found.summary, markup=False)
    for which, bugs in (("only A", shared.only_a), ("only B", shared.only_b)):
        console.print(f"{which}: {', '.join(bugs) or 'none'}", markup=False)
