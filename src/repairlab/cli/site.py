"""`repairlab site`."""

from pathlib import Path
from typing import Annotated

import typer

from repairlab.cli.options import Partial, Runs, finished, warn_unchecked
from repairlab.cli.output import count, progress_bar, say, write
from repairlab.core.errors import UserError
from repairlab.study.site import write_site


def site(
    runs: Runs,
    to: Annotated[Path, typer.Option("--to", help="Folder of the site.")],
    title: Annotated[str, typer.Option("--title", help="Title of the index page.")] = "Repair leaderboards",
    k: Annotated[int | None, typer.Option("-k", help="Rank by pass@k (or top@k) at this k.")] = None,
    partial: Partial = False,
) -> None:
    """Write a static site of leaderboards from runs.

    For example: repairlab site runs/* --to public
    """
    if len(set(runs)) < len(runs):
        raise UserError(f"a run is given twice: {next(run for run in runs if runs.count(run) > 1)}")
    warn_unchecked(runs)
    chosen = runs if partial else finished(runs)
    with progress_bar() as bar:
        task = bar.add_task("runs", total=len(chosen))
        boards = write_site(
            chosen,
            to,
            title=title,
            k=k,
            partial=partial,
            progress=lambda page: bar.advance(task) if page.startswith("runs/") else None,
        )
    write(str(to / "index.html"))
    say(f"{count(len(boards), 'leaderboard')} of {count(len(chosen), 'run')}")
