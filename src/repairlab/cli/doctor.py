"""`repairlab doctor`."""

import typer

from repairlab.cli.options import Json
from repairlab.cli.output import data, print_json
from repairlab.core.record import to_data
from repairlab.languages.table import default_cache
from repairlab.validation.doctor import diagnose


def doctor(json: Json = False) -> None:
    """Say what works on this machine and how to get what is missing."""
    findings = []
    for finding in diagnose(default_cache()):
        findings.append(finding)
        if not json:
            mark = (
                "[green]ok[/green]     " if finding.ok else "[red]missing[/red]" if finding.needed else "[yellow]absent[/yellow] "
            )
            data().print(f"{mark} [bold]{finding.name}[/bold]: ", end="")
            data().print(finding.detail, markup=False)
            if finding.remedy and not finding.ok:
                data().print(f"        → {finding.remedy}", markup=False)
    if json:
        print_json([to_data(finding) for finding in findings])
    if not all(finding.ok or not finding.needed for finding in findings):
        raise typer.Exit(1)
