"""`repairlab audit`."""

import shlex
from collections.abc import Sequence
from pathlib import Path
from typing import Annotated

import typer

from repairlab.benchmarks.catalog import find_folder, open_benchmark
from repairlab.benchmarks.health import CARD_NAME, card_place, check_command, read_card
from repairlab.building.audit import audit as audit_bugs
from repairlab.building.audit import audit_runs
from repairlab.building.coverage import FixCoverage, measure_coverage
from repairlab.cli.options import Json, on_machine
from repairlab.cli.output import print_json, print_table, progress_bar, talk, write
from repairlab.core.amounts import count
from repairlab.core.bug import Bug
from repairlab.core.record import to_data
from repairlab.validation.machine import Machine

_SHOWN = 30
"""Findings that a table shows; --json has all."""


@on_machine("workers", "sandbox", "allow_unsafe")
def audit(
    benchmark: Annotated[str, typer.Argument(help="Name or folder of a benchmark.")],
    pairs: Annotated[
        list[Path] | None, typer.Option("--pairs", help="Set of pairs that models are trained on; repeatable.")
    ] = None,
    card: Annotated[Path | None, typer.Option("--card", help=f"Health card. [default: {CARD_NAME} of the benchmark]")] = None,
    run: Annotated[
        list[Path] | None,
        typer.Option("--run", help="Assessed run, to find tests that let wrong candidates pass; repeatable."),
    ] = None,
    coverage: Annotated[
        bool, typer.Option("--coverage", help="Run the trigger tests to see whether they cover the fix; nothing else is run.")
    ] = False,
    json: Json = False,
    *,
    here: Machine,
) -> None:
    """Audit a benchmark for duplicates, leaked fixes and weak tests."""
    opened = open_benchmark(benchmark)
    place = card or find_folder(benchmark) / CARD_NAME
    known = read_card(place) if card or place.is_file() else None
    if known is None:
        again = "" if card_place(benchmark) else f" && repairlab audit {shlex.quote(benchmark)} --card {CARD_NAME}"
        talk().print(f"There is no health card. Make one with: {check_command(benchmark)}{again}", markup=False, soft_wrap=True)
    covered = _measured(tuple(opened), here) if coverage else None
    found = list(audit_bugs(opened, card=known, pairs=pairs or (), coverage=covered))
    found.append(audit_runs(run or [], opened.name))
    findings = [finding for audited in found for finding in audited.findings]
    if json:
        print_json({"benchmark": opened.name, "rules": [to_data(audited) | {"level": audited.level} for audited in found]})
        raise typer.Exit(1 if any(finding.level == "fail" for finding in findings) else 0)
    rows = [(audited.rule, audited.level, len(audited.findings), audited.skipped or audited.about) for audited in found]
    print_table(f"{opened.name}: {count(len(opened.ids), 'bug')}", ["rule", "result", "findings", "what must hold"], rows)
    if findings:
        findings.sort(key=lambda finding: finding.level)
        shown = [(finding.level, finding.rule, finding.bug_id, finding.evidence) for finding in findings[:_SHOWN]]
        print_table("Findings", ["level", "rule", "bug", "evidence"], shown)
    fails = sum(finding.level == "fail" for finding in findings)
    more = f"; the first {_SHOWN} are above, --json has all" if len(findings) > _SHOWN else ""
    write(f"{fails} failed, {count(len(findings) - fails, 'warning')}{more}")
    raise typer.Exit(1 if fails else 0)


def _measured(bugs: Sequence[Bug], on: Machine) -> list[FixCoverage]:
    """Measure what trigger tests cover."""
    found: list[FixCoverage] = []
    with progress_bar() as progress:
        bar = progress.add_task("fixes covered or not", total=len(bugs))

        def done(item: FixCoverage) -> None:
            found.append(item)
            progress.advance(bar)

        measure_coverage(bugs, on, done)
    return sorted(found, key=lambda item: item.bug_id)
