"""Options that several verbs share, declared once."""

from pathlib import Path
from typing import Annotated, Literal

import typer

from repairlab.core.errors import UserError
from repairlab.runs.executors.local_machine import local_machine
from repairlab.validation.machine import LOCAL, RECHECK, Machine

Include = Annotated[
    list[str] | None,
    typer.Option("--include", "-i", help="Only bugs whose id matches this shell pattern; may be given several times."),
]
Limit = Annotated[int | None, typer.Option("--limit", help="At most so many bugs.")]
Workers = Annotated[
    int | None, typer.Option("--workers", "-j", help="Worker processes; by default one for each core that this process may use.")
]
ExecutorName = Annotated[
    str,
    typer.Option(
        "--executor",
        help="Where workers are: local, ray (the Ray cluster that this machine belongs to), or the address of one (ray://HOST:PORT).",
    ),
]
SandboxName = Annotated[
    str, typer.Option("--sandbox", help="bubblewrap, landlock, podman, docker, process, or auto: the best that works here.")
]
AllowUnsafe = Annotated[
    bool, typer.Option("--allow-unsafe", help="Allow running candidates without isolation (only for code that you trust).")
]
IsolationName = Annotated[
    str,
    typer.Option("--isolation", help="warm, or process: a fresh process for every test and a clean build for every candidate."),
]
NoCache = Annotated[bool, typer.Option("--no-cache", help="Neither use verdicts of earlier runs nor keep those of this one.")]
Recheck = Annotated[int, typer.Option("--recheck", help="Make one in so many verdicts of earlier runs again and compare; 0: none.")]
Repair = Annotated[
    bool, typer.Option("--repair", help="Move damaged files of the run aside, keep what is intact and run again what is missing.")
]
Libraries = Annotated[Path | None, typer.Option("--libs", help="Folder with jars or wheels that projects need.")]
Interpreter = Annotated[
    str | None, typer.Option("--python", help="Interpreter for Python projects: a release, e.g. 3.9, or a path.")
]
SortRepeats = Annotated[int, typer.Option("--repeat", min=1, help="How often tests run on each tree while they are sorted.")]
Json = Annotated[bool, typer.Option("--json", help="Print JSON for programs instead of a table.")]
WorkFolderArgument = Annotated[Path | None, typer.Argument(metavar="FOLDER", help="The working copy, as with --work.")]
WorkFolder = Annotated[Path, typer.Option("--work", "-w", help="The working copy; by default the current folder.")]


def machine(
    workers: int | None,
    sandbox: str,
    allow_unsafe: bool,
    *,
    isolation: str = "warm",
    no_cache: bool = False,
    recheck: int = RECHECK,
    access: object | None = None,
    executor: str = LOCAL,
    keep_going: bool = False,
) -> Machine:
    """Return how to run work on this machine."""
    return local_machine(
        workers=workers,
        sandbox=sandbox,
        allow_unsafe=allow_unsafe,
        isolation=isolation,
        cache=not no_cache,
        recheck=recheck,
        access=access,
        executor=executor,
        keep_going=keep_going,
    )


def tests_to_sort(text: str) -> Literal["relevant", "all"]:
    """Read the value of --tests."""
    if text == "all":
        return "all"
    if text == "relevant":
        return "relevant"
    raise UserError(f"--tests {text!r} is not known. Possible: relevant, all")


def numbers(text: str, option: str) -> tuple[int, ...]:
    """Read a list of whole numbers such as 1,5,10."""
    try:
        return tuple(int(part) for part in text.split(","))
    except ValueError:
        raise UserError(f"{option} is {text!r}: write whole numbers separated by commas, such as 1,5,10") from None
