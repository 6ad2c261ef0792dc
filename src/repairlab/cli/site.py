"""`repairlab site`."""

from pathlib import Path
from typing import Annotated, cast, get_args

import typer

from repairlab.cli.options import Partial, Runs, finished, warn_unchecked
from repairlab.cli.output import count, say, write
from repairlab.core.errors import UserError, unknown
from repairlab.study.bugs import Choice
from repairlab.study.site import write_site


def site(
    runs: Runs,
    to: Annotated[Path, typer.Option("--to", help="Folder of the site.")],
    title: Annotated[str, typer.Option("--title", help="Title of the index page.")] = "Repair leaderboards",
    k: Annotated[int | None, typer.Option("-k", help="Rank by pass@k (or top@k) at this k.")] = None,
    candidates: Annotated[
        str | None,
        typer.Option("--candidates", help="Write a page for each bug, with these candidates: first, plausible or all."),
    ] = None,
    url: Annotated[str, typer.Option("--url", help="Where the site will be, for previews of links to it.")] = "",
    partial: Partial = False,
) -> None:
    """Write a static site of leaderboards from runs.

    For example: repairlab site runs/* --to public
    """
    if len(set(runs)) < len(runs):
        raise UserError(f"a run is given twice: {next(run for run in runs if runs.count(run) > 1)}")
    if candidates is not None and candidates not in get_args(Choice):
        raise unknown("choice of candidates", candidates, get_args(Choice))
    warn_unchecked(runs)
    chosen = runs if partial else finished(runs)
    choice = cast(Choice, candidates) if candidates else None
    boards = write_site(chosen, to, title=title, k=k, partial=partial, candidates=choice, url=f"{url.rstrip('/')}/" if url else "")
    write(str(to / "index.html"))
    say(f"{count(len(boards), 'leaderboard')} of {count(len(chosen), 'run')}")
