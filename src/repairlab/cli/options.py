"""Options that several verbs share, declared once."""

import os
from pathlib import Path
from typing import Annotated

import typer

from repairlab.core.errors import UserError
from repairlab.languages.table import default_cache
from repairlab.runs.pool import Machine

Include = Annotated[
    list[str] | None,
    typer.Option("--include", "-i", help="Only bugs whose id matches this shell pattern; may be given several times."),
]
Limit = Annotated[int | None, typer.Option("--limit", help="At most so many bugs.")]
Workers = Annotated[int | None, typer.Option("--workers", "-j", help="Worker processes; by default one per core.")]
SandboxName = Annotated[str, typer.Option("--sandbox", help="bubblewrap, process, or auto: the best that works here.")]
AllowUnsafe = Annotated[
    bool, typer.Option("--allow-unsafe", help="Allow running candidates without isolation (only for code that you trust).")
]
Json = Annotated[bool, typer.Option("--json", help="Print JSON for programs instead of a table.")]
WorkFolder = Annotated[Path, typer.Option("--work", "-w", help="The working copy; by default the current folder.")]


def machine(workers: int | None, sandbox: str, allow_unsafe: bool) -> Machine:
    """Return how to run work on this machine."""
    if workers is not None and workers < 1:
        raise UserError(f"-j is {workers}: at least 1 worker is needed")
    cores = len(os.sched_getaffinity(0))
    return Machine(cache=default_cache(), sandbox=sandbox, allow_unsafe=allow_unsafe, workers=workers or cores)


def numbers(text: str, option: str) -> tuple[int, ...]:
    """Read a list of whole numbers such as 1,5,10."""
    try:
        return tuple(int(part) for part in text.split(","))
    except ValueError:
        raise UserError(f"{option} is {text!r}: write whole numbers separated by commas, such as 1,5,10") from None
