"""`repairlab minimise`."""

from typing import Annotated

import typer

from repairlab.building.minimise import ORIGINAL, Minimised, minimise_benchmark
from repairlab.cli.options import Json, on_machine
from repairlab.cli.output import count, print_json, print_table, progress_bar, write
from repairlab.core.record import to_data
from repairlab.validation.machine import Machine


@on_machine("workers", "sandbox", "allow_unsafe")
def minimise(
    benchmark: Annotated[str, typer.Argument(help="Folder of a benchmark; its fixes are rewritten.")],
    json: Json = False,
    *,
    here: Machine,
) -> None:
    """Remove from reference fixes what their tests do not need."""
    found: list[Minimised] = []
    with progress_bar() as progress:
        task = progress.add_task("fixes looked at", total=None)

        def done(result: Minimised) -> None:
            found.append(result)
            progress.advance(task)

        minimise_benchmark(benchmark, here, started=lambda n: progress.update(task, total=n), done=done)
    found.sort(key=lambda result: result.bug_id)
    if json:
        print_json({"bugs": [to_data(result) for result in found]})
        return
    smaller = [result for result in found if result.patch]
    rows = [(result.bug_id, result.n_before, result.n_after) for result in smaller]
    if not rows:
        write(f"No fix can be made smaller: all {count(len(found), 'fix', 'fixes')} need every line")
        return
    print_table("Runs of lines that fixes change", ["bug", "before", "after"], rows)
    made = f"{len(smaller)} of {count(len(found), 'fix', 'fixes')} made smaller"
    write(f"{made}; {ORIGINAL} keeps each as it was")
