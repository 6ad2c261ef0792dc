"""`repairlab checkout`."""

from pathlib import Path
from typing import Annotated

import typer

from repairlab.benchmarks.catalog import open_bug
from repairlab.cli.output import talk
from repairlab.runs.checkout import check_out


def checkout(
    bug: Annotated[str, typer.Argument(help="BENCHMARK/BUG, for example starter/c-ring-buffer-wrap.")],
    folder: Annotated[Path, typer.Argument(help="A new folder.")],
    fixed: Annotated[bool, typer.Option("--fixed", help="The fixed tree instead of the buggy one.")] = False,
    no_tests: Annotated[bool, typer.Option("--no-tests", help="Leave the tests out: what a repairer may see.")] = False,
) -> None:
    """Write a bug's tree to a folder to work on."""
    found = open_bug(bug)
    check_out(bug, found, folder, fixed=fixed, tests=not no_tests)
    talk().print(f"Checked out {bug} ({'fixed' if fixed else 'buggy'}) to {folder}", markup=False)
