"""`repairlab plugins`."""

from typing import Annotated

import typer

from repairlab.cli.options import Json
from repairlab.cli.output import print_json, print_table
from repairlab.core.errors import unknown
from repairlab.registry import BUILT_IN, KINDS, PartFinding, parts_of


def plugins(
    kind: Annotated[str | None, typer.Argument(help=f"Only this kind: {', '.join(KINDS)}.")] = None,
    json: Json = False,
) -> None:
    """List all parts by kind: ours and those of other packages, and whether they load."""
    if kind is not None and kind not in KINDS:
        raise unknown("kind of part", kind, KINDS)
    kinds = [kind] if kind else list(KINDS)
    found = {name: list(parts_of(name).findings()) for name in kinds}
    if json:
        print_json([_data(finding) for findings in found.values() for finding in findings])
    else:
        for name, findings in found.items():
            rows = [
                (item.part.name, item.part.source, "no" if item.problem else "yes", item.problem or item.about) for item in findings
            ]
            print_table(name, ["name", "from", "works", "what it is"], rows)
    if any(item.problem and item.part.source != BUILT_IN for findings in found.values() for item in findings):
        raise typer.Exit(1)


def _data(finding: PartFinding) -> dict[str, object]:
    part = finding.part
    return {
        "kind": part.kind,
        "name": part.name,
        "source": part.source,
        "path": part.path,
        "works": not finding.problem,
        "problem": finding.problem,
        "about": finding.about,
    }
