"""`repairlab selftest`."""

from pathlib import Path
from typing import Annotated

import typer

from repairlab.cli.contracts.run import find_part, run_selftest
from repairlab.cli.options import AllowUnsafe, Json, SandboxName, machine
from repairlab.cli.output import data, print_json
from repairlab.core.record import to_data
from repairlab.runs.experiment import read_experiment


def selftest(
    part: Annotated[str, typer.Argument(help="KIND/NAME, or NAME where only one kind has it; see: repairlab plugins")],
    sources: Annotated[list[Path] | None, typer.Argument(help="What an importer shall read.")] = None,
    config: Annotated[
        Path | None, typer.Option("--config", help="TOML file with settings of a repairer, in a table of its name.")
    ] = None,
    sandbox: SandboxName = "auto",
    allow_unsafe: AllowUnsafe = False,
    json: Json = False,
) -> None:
    """Try a part, one of ours or of another package, against all that its kind promises."""
    kind, name = find_part(part)
    settings = read_experiment(config).get(name, {}) if config else {}
    checks = []
    for check in run_selftest(kind, name, machine(1, sandbox, allow_unsafe), settings=settings, sources=tuple(sources or ())):
        checks.append(check)
        if not json:
            mark = (
                "[red]wrong[/red]    "
                if check.problem
                else "[yellow]not tried[/yellow]"
                if check.not_tried
                else "[green]ok[/green]       "
            )
            data().print(f"{mark} {check.name}", end=": " if check.problem or check.not_tried else "\n")
            if check.problem or check.not_tried:
                data().print(check.problem or check.not_tried, markup=False)
    if json:
        print_json({"kind": kind, "name": name, "checks": [to_data(check) for check in checks]})
    if any(check.problem for check in checks):
        raise typer.Exit(1)
