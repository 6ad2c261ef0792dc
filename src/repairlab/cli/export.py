"""`repairlab export`."""

from pathlib import Path
from typing import Annotated

import typer

from repairlab.cli.options import WorkFolder, WorkFolderArgument
from repairlab.cli.output import data
from repairlab.runs import checkout
from repairlab.runs.checkout import bug_of


def export(
    name: Annotated[str, typer.Option("--property", "-p", help="tests.trigger, tests.all, classes.modified, path, target, …")],
    folder: WorkFolderArgument = None,
    work: WorkFolder = Path(),
    output: Annotated[Path | None, typer.Option("--output", "-o", help="Write to this file instead of standard output.")] = None,
) -> None:
    """Print a property of a working copy's bug."""
    text = "\n".join(checkout.export(bug_of(folder or work), name))
    if output is None:
        data().print(text, markup=False)
    else:
        output.write_text(text + "\n", encoding="utf-8")
