"""`repairlab compare`."""

from pathlib import Path
from typing import Annotated

import typer

from repairlab.cli.options import Json
from repairlab.cli.output import data, print_json, print_table, talk
from repairlab.cli.run_folders import Partial, warn_unchecked
from repairlab.report.comparison import Comparison, compare_runs


def compare(
    run_a: Annotated[Path, typer.Argument(help="A run folder.")],
    run_b: Annotated[Path, typer.Argument(help="Another one, over the same bugs.")],
    k: Annotated[int, typer.Option("-k", help="The k of pass@k (or top@k, when a run stopped early).")] = 1,
    partial: Partial = False,
    json: Json = False,
) -> None:
    """Compare two runs bug by bug."""
    warn_unchecked([run_a, run_b])
    found = compare_runs(run_a, run_b, k=k, partial=partial)
    if json:
        print_json(found.data())
    else:
        _print(found)
    for text in found.missing:
        talk().print(text, markup=False)
    for item in found.differing:
        talk().print(f"Take care, the settings differ: in {run_b} {item} as in {run_a}", markup=False)
    if found.overlap.lost:
        talk().print(f"{len(found.overlap.lost)} bugs are left out because a run could not decide them", markup=False)


def _print(found: Comparison) -> None:
    shared, console, change = found.overlap, data(), found.difference
    for name, run in (("A", found.a), ("B", found.b)):
        console.print(f"{name}: {run.manifest.experiment.repairer}, {run.folder}", markup=False)
    metric = found.metric.replace("@k", f"@{found.k}")
    rows = [
        (f"fixed by both (first {found.first})", len(shared.both)),
        ("fixed only by A", len(shared.only_a)),
        ("fixed only by B", len(shared.only_b)),
        ("fixed by neither", len(shared.neither)),
    ]
    print_table("", ["bugs", "number"], rows)
    console.print(f"exact McNemar test: p = {shared.p_value:.4f}")
    values = f"{metric}: A {100 * found.value_a:.1f} %, B {100 * found.value_b:.1f} %"
    interval = f"A − B = {100 * change.value:+.1f} points [{100 * change.low:+.1f}, {100 * change.high:+.1f}]"
    console.print(f"{values}, {interval} (95 %, paired bootstrap over {change.n_bugs} bugs)", markup=False)
    for name, bugs in (("only A", shared.only_a), ("only B", shared.only_b)):
        console.print(f"{name}: {', '.join(bugs) or 'none'}", markup=False)
