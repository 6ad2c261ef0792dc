"""`repairlab pair`."""

from pathlib import Path
from typing import Annotated

import typer

from repairlab.building.importers.importer import Settings
from repairlab.building.mining.pairing import PairingSettings, pair_submissions
from repairlab.building.mining.submission_forms.table import FORMS
from repairlab.building.mining.submission_paths import STEPS
from repairlab.cli.mine import draw_funnel
from repairlab.cli.options import AllowUnsafe, Json, SandboxName, Workers, machine
from repairlab.cli.output import count, data, print_json, print_table, progress_bar, talk
from repairlab.cli.pairs import shares_of
from repairlab.core.errors import unknown
from repairlab.core.record import to_data


def pair(
    submissions: Annotated[Path, typer.Argument(help=f"A folder or file with submissions: {', '.join(FORMS)}.")],
    to: Annotated[Path, typer.Option("--to", help="New folder for the set of pairs.")],
    path: Annotated[
        str, typer.Option("--path", help="; ".join(f"{name}: {about}" for name, about in STEPS.items()) + ".")
    ] = "last",
    problems: Annotated[
        Path | None,
        typer.Option("--problems", help="Folder with the test cases of problems: pairs are then proved by running them."),
    ] = None,
    language: Annotated[str | None, typer.Option("--language", help="Only submissions in this language.")] = None,
    keep_near: Annotated[
        bool, typer.Option("--keep-near", help="Keep pairs whose fix nearly repeats an earlier one of the same problem.")
    ] = False,
    max_characters: Annotated[
        int | None, typer.Option("--max-characters", help="Longest program; FixEval took 6000.", min=1)
    ] = None,
    shares: Annotated[str, typer.Option("--shares", help="Splits and their shares of the pairs.")] = "train=0.8,valid=0.1,test=0.1",
    seed: Annotated[int, typer.Option("--seed", help="Of the splits.")] = 0,
    limit: Annotated[int | None, typer.Option("--limit", help="At most so many problems.")] = None,
    checker: Annotated[str | None, typer.Option("--checker", help="How outputs are compared, as test.checker in bug.toml.")] = None,
    name: Annotated[str | None, typer.Option("--name", help="Of the set; by default that of its folder.")] = None,
    workers: Workers = None,
    sandbox: SandboxName = "auto",
    allow_unsafe: AllowUnsafe = False,
    json: Json = False,
) -> None:
    """Make bug–fix pairs of what people handed in: a rejected program and the accepted one that it became."""
    steps = next((item for item in STEPS if item == path), None)
    if steps is None:
        raise unknown("path", path, STEPS)
    settings = PairingSettings(
        steps=steps,
        language=language,
        drop_near=not keep_near,
        max_characters=max_characters,
        limit=limit,
        shares=shares_of(shares),
        seed=seed,
        tests=problems,
        judge=Settings(checker=checker),
    )
    with progress_bar() as progress:
        task = progress.add_task("reading submissions", total=None)
        made = pair_submissions(
            submissions,
            name or to.name,
            settings,
            to,
            started=lambda n: progress.update(task, total=n, description="pairs tried"),
            done=lambda _: progress.advance(task),
            machine=machine(workers, sandbox, allow_unsafe),
        )
    table = draw_funnel(made.stages, to, "Submissions")
    if json:
        print_json(to_data(made) | {"folder": str(to)})
        return
    for note in made.notes:
        talk().print(note, markup=False)
    print_table(table.title, list(table.columns), [list(row) for row in table.rows])
    splits = ", ".join(f"{split} {n}" for split, n in made.splits.items())
    proved = f", {made.n_bugs} proved by running and written as bugs, too" if made.n_bugs else ", none run: there are no tests"
    data().print(f"{count(sum(made.splits.values()), 'pair')} written to {to} ({splits}){proved}", markup=False)
    talk().print(f"Next: repairlab pairs stats {to}", markup=False)
