"""`repairlab score`."""

from collections.abc import Sequence
from pathlib import Path
from typing import Annotated

import typer

from repairlab.cli.options import Json, numbers
from repairlab.cli.output import data, print_json, print_table, talk
from repairlab.cli.run_folders import Partial, Runs, warn_unchecked
from repairlab.core.errors import UserError
from repairlab.core.score import Score
from repairlab.core.words import count
from repairlab.metrics.settings import Duplicates
from repairlab.study.scores import SCORE_COLUMNS, RunScores, score_rows, scores_of, store_scores, worth_saying


def score(
    runs: Runs,
    k: Annotated[str | None, typer.Option("-k", help="The k of pass@k, such as 1,5,10; by default those of the run.")] = None,
    partial: Partial = False,
    duplicates: Annotated[str, typer.Option("--duplicates", help="counted, or merged: equal candidates count once.")] = "counted",
    json: Json = False,
) -> None:
    """Compute the scores of a run."""
    show_scores(runs, ks=None if k is None else numbers(k, "-k"), as_json=json, partial=partial, duplicates=_duplicates(duplicates))


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
    print_scores(scores.title, scores.result.scores)
    if scores.run.coverage:
        data().print(scores.run.coverage, markup=False)


def print_scores(title: str, scores: Sequence[Score]) -> None:
    """Print scores as a table, and the signature of the first."""
    print_table(title, SCORE_COLUMNS, score_rows(scores))
    if scores:
        data().print(f"signature {scores[0].signature}", markup=False)


def _say(scores: RunScores, asked: Sequence[int] | None) -> None:
    run = scores.run
    reasons: dict[str, list[str]] = {}
    for metric, reason in worth_saying(scores.result, asked).items():
        reasons.setdefault(reason, []).append(metric)
    for reason, metrics in reasons.items():
        talk().print(f"{run.folder}: no {', '.join(metrics)}: {reason}", markup=False)
    if run.n_unfinished:
        talk().print(f"{run.folder}: {run.n_unfinished} unfinished bugs are left out (--partial)", markup=False)
    undecided = max((item.n_undecided for item in scores.result.scores), default=0)
    if undecided:
        talk().print(f"{run.folder}: {count(undecided, 'candidate')} UNDECIDED and left out; see: repairlab doctor", markup=False)
