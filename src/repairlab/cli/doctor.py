"""`repairlab doctor`: whether this machine and the parts that are installed work."""

import dataclasses
import shutil
import subprocess
from collections.abc import Iterable, Iterator, Sequence
from pathlib import Path
from typing import Annotated

import typer

from repairlab.cli.options import Json, need, on_machine
from repairlab.cli.output import data, print_json, print_table, write
from repairlab.core.errors import UserError, unknown
from repairlab.core.record import to_data
from repairlab.languages.language import default_cache
from repairlab.registry import BUILT_IN, KINDS, PartFinding, parts_of
from repairlab.repairers.command.preset import presets
from repairlab.sandbox.doctor import DoctorFinding
from repairlab.validation.machine import Machine
from repairlab.validation.preflight import diagnose

_PATIENCE_S = 30
_WRONG = "[red]wrong[/red]    "


@on_machine("sandbox", "allow_unsafe")
def doctor(
    names: Annotated[
        list[str] | None, typer.Argument(metavar="NAME", help="With --parts, a kind; with --try, a part and the sources it needs.")
    ] = None,
    parts: Annotated[
        bool, typer.Option("--parts", help=f"List installed parts and whether they load; kinds: {', '.join(KINDS)}.")
    ] = False,
    try_part: Annotated[
        bool,
        typer.Option("--try", help="Test a part, KIND/NAME, against everything its kind promises; an importer needs its sources."),
    ] = False,
    agents: Annotated[bool, typer.Option("--agents", help="Say which agents with a preset are installed.")] = False,
    config: Annotated[
        Path | None, typer.Option("--config", help="With --try: TOML file with settings of a repairer, in a table of its name.")
    ] = None,
    json: Json = False,
    *,
    here: Machine,
) -> None:
    """Check this machine, or list and try installed parts."""
    chosen = [option for option, given in (("--parts", parts), ("--try", try_part), ("--agents", agents)) if given]
    if len(chosen) > 1:
        raise UserError(f"{' and '.join(chosen)} are both given; choose one")
    if not try_part:
        need("--try", {"--config": config, "--sandbox": here.sandbox != "auto", "--allow-unsafe": here.allow_unsafe})
    if parts:
        _list_parts(names or (), as_json=json)
    elif try_part:
        _try_part(names or (), config, dataclasses.replace(here, workers=1), as_json=json)
    elif names:
        raise UserError(f"{names[0]!r} is given without --parts or --try; to try a part write: repairlab doctor --try {names[0]}")
    else:
        _tell(_agents() if agents else diagnose(default_cache()), as_json=json)


def _agents() -> Iterator[DoctorFinding]:
    for name, preset in presets().items():
        if not preset.is_agent:
            continue
        path = shutil.which(preset.program)
        said = (
            f"{path}, {_version(path)}" if path else f"no program {preset.program} on the search path; --program may name another"
        )
        yield DoctorFinding(name=name, ok=path is not None, detail=said, needed=False, remedy=preset.install)


def _version(program: str) -> str:
    try:
        done = subprocess.run(
            [program, "--version"], capture_output=True, text=True, check=False, timeout=_PATIENCE_S, stdin=subprocess.DEVNULL
        )
    except (OSError, subprocess.TimeoutExpired):
        return "which does not say its version"
    lines = done.stdout.strip().splitlines()
    return lines[0] if done.returncode == 0 and lines else "which does not say its version"


def _tell(found: Iterable[DoctorFinding], *, as_json: bool) -> None:
    findings = []
    for finding in found:
        findings.append(finding)
        if not as_json:
            mark = (
                "[green]ok[/green]     " if finding.ok else "[red]missing[/red]" if finding.needed else "[yellow]absent[/yellow] "
            )
            data().print(f"{mark} [bold]{finding.name}[/bold]: ", end="")
            write(finding.detail)
            if finding.remedy and not finding.ok:
                write(f"        → {finding.remedy}")
    if as_json:
        print_json([to_data(finding) for finding in findings])
    if not all(finding.ok or not finding.needed for finding in findings):
        raise typer.Exit(1)


def _list_parts(kinds: Sequence[str], *, as_json: bool) -> None:
    if wrong := [kind for kind in kinds if kind not in KINDS]:
        raise unknown("kind of part", wrong, KINDS)
    found = {kind: list(parts_of(kind).findings()) for kind in kinds or KINDS}
    if as_json:
        print_json([_part_data(finding) for findings in found.values() for finding in findings])
    for kind, findings in found.items() if not as_json else ():
        rows = [
            (item.part.name, item.part.source, "no" if item.problem else "yes", item.problem or item.about) for item in findings
        ]
        print_table(kind, ["name", "from", "works", "what it is"], rows)
    if any(item.problem and item.part.source != BUILT_IN for findings in found.values() for item in findings):
        raise typer.Exit(1)


def _part_data(finding: PartFinding) -> dict[str, object]:
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


def _try_part(names: Sequence[str], config: Path | None, here: Machine, *, as_json: bool) -> None:
    if not names:
        raise UserError("--try needs a part, KIND/NAME; list them with: repairlab doctor --parts")
    from repairlab.cli.contracts.selftest import find_part, run_selftest  # noqa: PLC0415  # loads every room of the package
    from repairlab.runs.experiment import read_experiment  # noqa: PLC0415

    kind, name = find_part(names[0])
    settings = read_experiment(config).get(name, {}) if config else {}
    checks = []
    for check in run_selftest(kind, name, here, settings=settings, sources=tuple(map(Path, names[1:]))):
        checks.append(check)
        if not as_json:
            said = check.problem or check.not_tried
            mark = _WRONG if check.problem else "[yellow]not tried[/yellow]" if said else "[green]ok[/green]       "
            data().print(f"{mark} {check.name}", end=": " if said else "\n")
            if said:
                write(said)
    if as_json:
        print_json({"kind": kind, "name": name, "checks": [to_data(check) for check in checks]})
    if any(check.problem for check in checks):
        raise typer.Exit(1)
