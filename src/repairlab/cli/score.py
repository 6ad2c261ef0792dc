"""`repairlab score`."""

from collections.abc import Sequence
from pathlib import Path
from typing import Annotated

import typer

from repairlab.cli.options import Json, Partial, Runs, numbers, require_decided, warn_unchecked
from repairlab.cli.output import data, print_json, print_table, say, write
from repairlab.core.amounts import count
from repairlab.core.errors import UserError
from repairlab.metrics.metric import Duplicates
from repairlab.metrics.table import Scores
from repairlab.study.comparison import COLUMNS, PAIR_COLUMNS, Comparison, PairwiseComparison, compare_all
from repairlab.study.diffs import visible
from repairlab.study.scores import SCORE_COLUMNS, RunScores, score_rows, scores_of, store_scores, worth_saying


def score(
    runs: Runs,
    k: Annotated[str | None, typer.Option("-k", help="The k of pass@k, such as 1,5,10. [default: those of the run]")] = None,
    compare: Annotated[
        bool, typer.Option("--compare", help="Print only the comparison of runs, bug by bug, at one k. [default: 1]")
    ] = False,
    partial: Partial = False,
    duplicates: Annotated[str, typer.Option("--duplicates", help="counted, or merged: equal candidates count once.")] = "counted",
    json: Json = False,
) -> None:
    """Compute the scores of runs and compare them bug by bug."""
    ks = None if k is None else numbers(k, "-k")
    merging = _duplicates(duplicates)
    check_ks(ks)
    if compare:
        if len(ks or ()) > 1:
            raise UserError(f"-k is {k}: a comparison is at one k, such as {k.split(',')[0] if k else 1}")
        if merging == "merged":
            raise UserError("--duplicates merged is for scores, not for --compare; leave one of them out")
        if len(runs) < 2:
            raise UserError(f"only one run is given, {runs[0]}; name another one over the same bugs to compare it with")
        warn_unchecked(runs)
        show_comparison(compare_all(runs, k=(ks or (1,))[0], partial=partial), as_json=json)
        return
    show_scores(runs, ks=ks, as_json=json, partial=partial, duplicates=merging)
    if len(runs) > 1 and not json:
        try:
            found = compare_all(runs, k=(ks or (1,))[0], partial=partial)
        except UserError as error:
            say(f"The runs are not compared: {error}")
        else:
            data().print()
            show_comparison(found)
    require_decided(runs)


def _duplicates(text: str) -> Duplicates:
    if text == "counted":
        return "counted"
    if text == "merged":
        return "merged"
    raise UserError(f"--duplicates is {text!r}: write counted or merged")


def show_scores(
    folders: Sequence[Path],
    *,
    ks: Sequence[int] | None,
    as_json: bool,
    partial: bool = False,
    duplicates: Duplicates = "counted",
) -> None:
    """Compute, store and print the scores of runs."""
    check_ks(ks)
    warn_unchecked(folders)
    found = [scores_of(folder, ks=ks, partial=partial, duplicates=duplicates) for folder in folders]
    for item in found:
        store_scores(item)
    if as_json:
        print_json(found[0].data() if len(found) == 1 else [item.data() for item in found])
    for item in found:
        if not as_json:
            _print(item)
        _say(item, ks)


def check_ks(ks: Sequence[int] | None) -> None:
    """Refuse a k that makes no sense for any run."""
    if ks is not None and (not ks or min(ks) < 1):
        raise UserError(f"-k is {','.join(map(str, ks))}: each k must be 1 or more")


def _print(scores: RunScores) -> None:
    print_scores(scores.title, scores.result)
    for text in filter(None, (scores.run.strength, scores.run.coverage)):
        write(text)


def print_scores(title: str, found: Scores) -> None:
    """Print scores as a table, and the signature of the first."""
    print_table(title, SCORE_COLUMNS, score_rows(found))
    if found.scores:
        write(f"signature {found.scores[0].signature}")


def _say(scores: RunScores, asked: Sequence[int] | None) -> None:
    run = scores.run
    reasons: dict[str, list[str]] = {}
    for metric, reason in worth_saying(scores.result, asked).items():
        reasons.setdefault(reason, []).append(metric)
    for reason, metrics in reasons.items():
        say(f"{run.folder}: no {', '.join(metrics)}: {reason}")
    if run.n_unfinished:
        say(f"{run.folder}: {run.n_unfinished} unfinished bugs are left out (--partial)")
    if scores.n_undecided:
        undecided = count(scores.n_undecided, "candidate")
        say(f"{run.folder}: {undecided} UNDECIDED and left out; see: repairlab doctor")


def show_comparison(found: PairwiseComparison, *, as_json: bool = False) -> None:
    """Print every pair of some runs, and what makes the pairs unequal."""
    if len(found.runs) == 2:
        pair = found.pairs[0]
        print_json(pair.data()) if as_json else _print_pair(pair)
    else:
        print_json(found.data()) if as_json else _print_pairs(found)
    for text in dict.fromkeys(text for pair in found.pairs for text in pair.missing):
        say(text)
    for pair in found.pairs:
        if pair.differing:
            runs = "" if len(found.runs) == 2 else f" between {pair.a.folder} (A) and {pair.b.folder} (B)"
            say(f"Settings differ{runs}: {'; '.join(pair.differing)}")
        if pair.overlap.lost:
            where = "" if len(found.runs) == 2 else f"{pair.a.folder} and {pair.b.folder}: "
            say(f"{where}{count(len(pair.overlap.lost), 'bug')} left out because a run could not decide")


def _print_pairs(found: PairwiseComparison) -> None:
    console = data()
    for name in found.names:
        write(visible(name))
    print_table("", PAIR_COLUMNS, found.rows())
    console.print(
        "Difference: first minus second, in points; paired bootstrap over bugs. Only first: bugs that only this run fixed. "
        "p: exact McNemar test; p (Holm): adjusted for the number of pairs."
    )


def _print_pair(found: Comparison) -> None:
    shared, console = found.overlap, data()
    for name in found.names:
        write(visible(name))
    print_table("", COLUMNS, found.rows())
    console.print(f"exact McNemar test: p = {shared.p_value:.4f}")
    console.print(found.summary, markup=False)
    for which, bugs in (("only A", shared.only_a), ("only B", shared.only_b)):
        console.print(f"{which}: {', '.join(bugs) or 'none'}", markup=False)
