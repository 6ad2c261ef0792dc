"""Options that several verbs share, declared once."""

from collections.abc import Mapping
from pathlib import Path
from typing import Annotated, Literal

import typer

from repairlab.cli.sections import COURSE, MACHINE, VERDICTS
from repairlab.core.errors import UserError
from repairlab.runs.executors.local_machine import local_machine
from repairlab.validation.machine import LOCAL, RECHECK, Machine

Include = Annotated[
    list[str] | None,
    typer.Option("--include", "-i", help="Only bugs whose id matches this shell pattern; repeatable."),
]
Limit = Annotated[int | None, typer.Option("--limit", help="Use at most this many bugs.")]
Workers = Annotated[int | None, typer.Option("--workers", "-j", help="Worker processes [default: one per available core].")]
ExecutorName = Annotated[
    str,
    typer.Option(
        "--executor",
        help="Where workers run: local, ray (this machine's Ray cluster), or ray://HOST:PORT.",
        rich_help_panel=MACHINE,
    ),
]
SandboxName = Annotated[
    str,
    typer.Option(
        "--sandbox",
        help="bubblewrap, landlock, podman, docker, process, or auto: the best that works here.",
        rich_help_panel=MACHINE,
    ),
]
AllowUnsafe = Annotated[
    bool, typer.Option("--allow-unsafe", help="Run candidates without isolation; only for code you trust.", rich_help_panel=MACHINE)
]
IsolationName = Annotated[
    str,
    typer.Option(
        "--isolation", help="warm, or process: a fresh process per test and a clean build per candidate.", rich_help_panel=VERDICTS
    ),
]
NoCache = Annotated[bool, typer.Option("--no-cache", help="Do not read or write the verdict cache.", rich_help_panel=VERDICTS)]
Recheck = Annotated[
    int, typer.Option("--recheck", help="Recompute one in N cached verdicts and compare; 0 for none.", rich_help_panel=VERDICTS)
]
Repair = Annotated[
    bool, typer.Option("--repair", help="Move damaged files of the run aside and rerun what is missing.", rich_help_panel=COURSE)
]
Libraries = Annotated[Path | None, typer.Option("--libs", help="Folder with jars or wheels that projects need.")]
Interpreter = Annotated[
    str | None, typer.Option("--python", help="Interpreter for Python projects: a release, e.g. 3.9, or a path.")
]
SortRepeats = Annotated[int, typer.Option("--repeat", min=1, help="How often tests run on each tree while they are sorted.")]
Json = Annotated[bool, typer.Option("--json", help="Print JSON.")]


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


def need(flag: str, given: Mapping[str, object]) -> None:
    """Refuse options that are given, as they go with `flag` only, which is not."""
    if wrong := [name for name, value in given.items() if value]:
        raise UserError(f"{', '.join(wrong)} goes with {flag} only; add {flag}, or leave {', '.join(wrong)} out")
