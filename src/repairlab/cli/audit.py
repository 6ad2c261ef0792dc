"""`repairlab audit`."""

from pathlib import Path
from typing import Annotated

import typer

from repairlab.benchmarks.catalog import find_folder, open_benchmark
from repairlab.benchmarks.health import CARD_NAME, read_card
from repairlab.cli.options import Json
from repairlab.cli.output import data, print_json, print_table
from repairlab.core.record import to_data
from repairlab.mining.audit import audit as audit_bugs

_SHOWN = 30
"""Findings that a table shows; --json has all."""


def audit(
    benchmark: Annotated[str, typer.Argument(help="Name or folder of a benchmark.")],
    pairs: Annotated[
        list[Path] | None, typer.Option("--pairs", help="Set of pairs that models are trained on; may be repeated.")
    ] = None,
    card: Annotated[Path | None, typer.Option("--card", help=f"Health card; by default {CARD_NAME} of the benchmark.")] = None,
    json: Json = False,
) -> None:
    """Look for what makes a benchmark mislead: duplicates, told fixes, tests too narrow."""
    opened = open_benchmark(benchmark)
    place = card or find_folder(benchmark) / CARD_NAME
    known = read_card(place) if card or place.is_file() else None
    found = list(audit_bugs(opened.bugs, card=known, pairs=pairs or ()))
    findings = [finding for audited in found for finding in audited.findings]
    if json:
        print_json({"benchmark": opened.name, "rules": [to_data(audited) | {"level": audited.level} for audited in found]})
        raise typer.Exit(1 if any(finding.level == "fail" for finding in findings) else 0)
    rows = [(audited.rule, audited.level, len(audited.findings), audited.skipped or audited.about) for audited in found]
    print_table(f"{opened.name}: {len(opened.ids)} bugs", ["rule", "result", "findings", "what must hold"], rows)
    if findings:
        findings.sort(key=lambda finding: finding.level)
        shown = [(finding.level, finding.rule, finding.bug_id, finding.evidence) for finding in findings[:_SHOWN]]
        print_table("Findings", ["level", "rule", "bug", "evidence"], shown)
    fails = sum(finding.level == "fail" for finding in findings)
    more = f"; the first {_SHOWN} are above, --json has all" if len(findings) > _SHOWN else ""
    data().print(f"{fails} failed, {len(findings) - fails} warnings{more}", markup=False)
    raise typer.Exit(1 if fails else 0)
