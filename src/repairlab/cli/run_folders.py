"""What verbs say of the run folders that they are given, before they read them."""

from collections.abc import Sequence
from pathlib import Path
from typing import Annotated

import typer

from repairlab.cli.output import talk
from repairlab.core.errors import UserError
from repairlab.runs.integrity import has_checks
from repairlab.runs.samples import open_bugs
from repairlab.runs.store import Store

Runs = Annotated[list[Path], typer.Argument(help="Run folders.")]
Partial = Annotated[bool, typer.Option("--partial", help="Take the finished bugs of unfinished runs.")]


def warn_unchecked(folders: Sequence[Path]) -> None:
    """Say which runs are of before lines had checks: damage of these cannot be noticed."""
    bare = [str(folder) for folder in folders if (folder / "run.json").is_file() and not has_checks(folder)]
    if bare:
        talk().print(f"made before lines had checks, so damage would not be noticed: {', '.join(bare)}", markup=False)


def finished(folders: Sequence[Path]) -> list[Path]:
    """Return the runs that are finished, and say which are not; one folder alone is never passed over."""
    if len(folders) == 1:
        return list(folders)
    found = []
    for folder in folders:
        store = Store(folder)
        n_open, n = len(open_bugs(store)), len(store.manifest().bug_ids)
        if n_open:
            talk().print(f"{folder} is skipped: {n_open} of {n} bugs are unfinished (--partial takes the others)", markup=False)
        else:
            found.append(folder)
    if not found:
        raise UserError("none of these runs is finished; go on with: repairlab run --resume DIR, or add --partial")
    return found
