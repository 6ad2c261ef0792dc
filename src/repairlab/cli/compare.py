"""`repairlab compare`."""

from pathlib import Path
from typing import Annotated

import typer

from repairlab.cli.options import Json
from repairlab.cli.output import count, data, print_json, print_table, talk
from repairlab.cli.run_folders import Partial, warn_unchecked
from repairlab.core.errors import UserError
from repairlab.study.comparison import COLUMNS, PAIR_COLUMNS, Comparison, PairwiseComparison, compare_all


def compare(
    runs: Annotated[list[Path], typer.Argument(help="Two run folders or more, over the same bugs.")],
    k: Annotated[int, typer.Option("-k", help="The k of pass@k (or top@k, when a run stopped early).")] = 1,
    partial: Partial = False,
    json: Json = False,
) -> None:
    """Compare runs bug by bug, every pair of them."""
    if len(runs) < 2:
        raise UserError(f"only one run is given, {runs[0]}; name another one over the same bugs to compare it with")
    warn_unchecked(runs)
    found = compare_all(runs, k=k, partial=partial)
    if len(runs) == 2:
        pair = found.pairs[0]
        print_json(pair.data()) if json else _print(pair)
    else:
        print_json(found.data()) if json else _print_pairs(found)
    for text in dict.fromkeys(text for pair in found.pairs for text in pair.missing):
        talk().print(text, markup=False)
    for pair in found.pairs:
        for item in pair.differing:
            talk().print(f"Take care, the settings differ: in {pair.b.folder} {item} as in {pair.a.folder}", markup=False)
        if pair.overlap.lost:
            where = "" if len(runs) == 2 else f"{pair.a.folder} and {pair.b.folder}: "
            talk().print(f"{where}{count(len(pair.overlap.lost), 'bug')} left out because a run could not decide", markup=False)


def _print_pairs(found: PairwiseComparison) -> None:
    console = data()
    for name in found.names:
        console.print(name, markup=False)
    print_table("", PAIR_COLUMNS, found.rows())
    console.print(
        "Difference: first minus second, in points; paired bootstrap over bugs. Only first: bugs that only this run fixed. "
        "p: exact McNemar test; p (Holm): adjusted for the number of pairs."
    )


def _print(found: Comparison) -> None:
    shared, console = found.overlap, data()
    for name in found.names:
        console.print(name, markup=False)
    print_table("", COLUMNS, found.rows())
    console.print(f"exact McNemar test: p = {shared.p_value:.4f}")
    console.print(found.summary, markup=False)
    for which, bugs in (("only A", shared.only_a), ("only B", shared.only_b)):
        console.print(f"{which}: {', '.join(bugs) or 'none'}", markup=False)
