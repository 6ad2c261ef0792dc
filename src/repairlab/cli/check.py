"""`repairlab check`."""

from pathlib import Path
from typing import Annotated

import typer

from repairlab.cli.options import AllowUnsafe, Include, Json, Limit, SandboxName, Workers, machine
from repairlab.cli.output import count, data, print_json, progress_bar, talk
from repairlab.core.benchmark import Benchmark
from repairlab.core.errors import Interrupted, UserError
from repairlab.runs.catalog import open_benchmark
from repairlab.runs.check import check_bugs
from repairlab.runs.exclusions import exclude_flaky, exclusion_line
from repairlab.runs.health import BUILD, Health, HealthCard, card_data, make_card, write_card
from repairlab.runs.run import environment_of


def check(
    benchmark: Annotated[str, typer.Argument(help="Name or folder of a benchmark.")],
    repeat: Annotated[
        int,
        typer.Option(
            "--repeat",
            help="Validate each tree so often: tests as listed, in reverse, each alone, in turn. Tests that flip are flaky.",
        ),
    ] = 1,
    card: Annotated[
        Path | None,
        typer.Option("--card", help="Also write the health card to this file; reports show health.json of a run or benchmark."),
    ] = None,
    exclude: Annotated[
        bool, typer.Option("--exclude-flaky", help="Write flaky tests to test.excluded in the bug.toml of their bugs.")
    ] = False,
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
    environment = environment_of([bug.problem.language for bug in bugs], here)
    found: dict[str, Health] = {}
    with progress_bar() as progress:
        task = progress.add_task("bugs checked", total=len(bugs))

        def receive(health: Health) -> None:
            found[health.bug_id] = health
            progress.advance(task)

        try:
            check_bugs(bugs, here, receive, repeats=repeat)
        except Interrupted:
            if not found:
                raise
    made = make_card(opened, [found[bug.id] for bug in bugs if bug.id in found], environment, repeats=repeat)
    if card is not None:
        write_card(card, made)
        talk().print(f"Health card written to {card}", markup=False)
    if json:
        print_json(card_data(made))
    else:
        _print(opened, made)
    if exclude:
        _exclude(opened, made)
    if len(found) < len(bugs):
        talk().print(f"Stopped after {len(found)} of {count(len(bugs), 'bug')}; this is what they showed", markup=False)
        raise typer.Exit(130)
    if made.sick:
        talk().print(f"Look closer with: repairlab checkout {benchmark}/{made.sick[0].bug_id} DIR", markup=False)
        raise typer.Exit(1)


def _print(benchmark: Benchmark, card: HealthCard) -> None:
    for bug in card.sick:
        for problem in bug.problems:
            data().print(f"bug {bug.bug_id}: {problem}", markup=False)
        for flip in bug.flips:
            data().print(
                f"bug {bug.bug_id}: test {flip.test} is flaky: {flip.flips} of {count(flip.runs, 'run')} of the {flip.tree} tree "
                f"differ, by {flip.cause} ({', '.join(f'{name} {n}' for name, n in flip.verdicts.items())})",
                markup=False,
            )
        if any(name != BUILD for name in bug.flaky):
            line = exclusion_line(benchmark.bug(bug.bug_id), bug)
            data().print(f"bug {bug.bug_id}: exclude it by name under [test] in bug.toml: {line}", markup=False)
    healthy = f"{card.n_healthy} of {count(card.n_bugs, 'bug')} healthy"
    data().print(f"{card.benchmark} {card.version}: {healthy}, each checked {count(card.repeats, 'time')}")


def _exclude(benchmark: Benchmark, card: HealthCard) -> None:
    for bug in card.sick:
        if any(name != BUILD for name in bug.flaky):
            exclude_flaky(benchmark.bug(bug.bug_id), bug)
            talk().print(f"bug {bug.bug_id}: flaky tests excluded in its bug.toml; check again", markup=False)
