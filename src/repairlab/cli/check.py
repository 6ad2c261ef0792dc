"""`repairlab check`."""

from typing import Annotated

import typer

from repairlab.cli.options import AllowUnsafe, Include, Json, Limit, SandboxName, Workers, machine
from repairlab.cli.output import count, data, print_json, progress_bar, talk
from repairlab.core.errors import UserError
from repairlab.core.record import to_data
from repairlab.runs.catalog import open_benchmark
from repairlab.runs.check import Health, check_bugs
from repairlab.runs.run import environment_of


def check(
    benchmark: Annotated[str, typer.Argument(help="Name or folder of a benchmark.")],
    repeat: Annotated[
        int, typer.Option("--repeat", help="Validate each tree so often; tests that flip are reported as flaky.")
    ] = 1,
    include: Include = None,
    limit: Limit = None,
    workers: Workers = None,
    sandbox: SandboxName = "auto",
    allow_unsafe: AllowUnsafe = False,
    json: Json = False,
) -> None:
    """Prove that bugs fail unpatched and pass with their reference fix."""
    if repeat < 1:
        raise UserError(f"--repeat is {repeat}: a check needs at least 1")
    opened = open_benchmark(benchmark)
    bugs = opened.select(tuple(include or ()), limit=limit)
    here = machine(workers, sandbox, allow_unsafe)
    environment_of([bug.problem.language for bug in bugs], here)
    found: dict[str, Health] = {}
    with progress_bar() as progress:
        task = progress.add_task("bugs checked", total=len(bugs))

        def receive(health: Health) -> None:
            found[health.bug_id] = health
            progress.advance(task)

        check_bugs(bugs, here, receive, repeats=repeat)
    cards = [found[bug.id] for bug in bugs]
    sick = [card for card in cards if not card.healthy]
    if json:
        head = {"benchmark": opened.name, "version": opened.version, "digest": opened.digest, "repeats": repeat}
        print_json({**head, "n_bugs": len(cards), "n_healthy": len(cards) - len(sick), "bugs": [to_data(card) for card in cards]})
    else:
        for card in sick:
            for problem in card.problems:
                data().print(f"bug {card.bug_id}: {problem}", markup=False)
            for name in card.flaky:
                data().print(
                    f"bug {card.bug_id}: test {name} is flaky; exclude it by name under test.excluded in bug.toml", markup=False
                )
        healthy = f"{len(cards) - len(sick)} of {count(len(cards), 'bug')} healthy"
        data().print(f"{opened.name} {opened.version}: {healthy}, each checked {count(repeat, 'time')}")
    if sick:
        talk().print(f"Look closer with: repairlab checkout {benchmark}/{sick[0].bug_id} DIR", markup=False)
        raise typer.Exit(1)
