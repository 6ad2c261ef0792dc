"""`repairlab check`."""

import time
from pathlib import Path
from typing import Annotated

import typer

from repairlab.cli.options import AllowUnsafe, Include, Json, Limit, SandboxName, Workers, machine
from repairlab.cli.output import count, data, print_json, progress_bar, talk
from repairlab.core.benchmark import Benchmark
from repairlab.core.errors import Interrupted, UserError
from repairlab.runs.catalog import open_benchmark
from repairlab.runs.check import check_bugs
from repairlab.runs.exclusions import exclude, exclusion_line
from repairlab.runs.health import BUILD, Health, HealthCard, card_data, go_on, make_card, with_bugs, write_card
from repairlab.runs.run import environment_of

_CARD_EVERY_S = 5.0


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
    resume: Annotated[
        bool, typer.Option("--resume", help="Go on with the card: what it says of bugs that have not changed since is kept.")
    ] = False,
    exclude_flaky: Annotated[
        bool, typer.Option("--exclude-flaky", help="Write flaky tests to test.excluded in the bug.toml of their bugs.")
    ] = False,
    exclude_failing: Annotated[
        bool, typer.Option("--exclude-failing", help="Likewise tests that fail with the reference fix, too.")
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
    if resume and card is None:
        raise UserError("--resume needs --card FILE, which says what was checked")
    opened = open_benchmark(benchmark)
    bugs = opened.select(tuple(include or ()), limit=limit)
    here = machine(workers, sandbox, allow_unsafe)
    environment = environment_of([bug.problem.language for bug in bugs], here)
    if resume and card is not None and card.exists():
        so_far = go_on(card, opened, environment, repeats=repeat)
    else:
        so_far = make_card(opened, (), environment, repeats=repeat)
    found = {bug.bug_id: bug for bug in so_far.bugs}
    left = [bug for bug in bugs if bug.id not in found]
    order = {bug.id: number for number, bug in enumerate(opened)}
    written = time.monotonic()

    def made() -> HealthCard:
        return with_bugs(so_far, sorted(found.values(), key=lambda bug: order[bug.bug_id]))

    with progress_bar() as progress:
        task = progress.add_task("bugs checked", total=len(bugs), completed=len(bugs) - len(left))

        def receive(health: Health) -> None:
            nonlocal written
            found[health.bug_id] = health
            progress.advance(task)
            if card is not None and time.monotonic() > written + _CARD_EVERY_S:
                write_card(card, made())
                written = time.monotonic()

        try:
            check_bugs(left, here, receive, repeats=repeat)
        except Interrupted:
            if not found:
                raise
    if card is not None:
        write_card(card, made())
        talk().print(f"Health card written to {card}", markup=False)
    if json:
        print_json(card_data(made()))
    else:
        _print(opened, made())
    if exclude_flaky or exclude_failing:
        _exclude(opened, made(), flaky=exclude_flaky, failing=exclude_failing)
    if n_missing := sum(bug.id not in found for bug in left):
        how = "go on with the same command and --resume" if card else "with --card it could be resumed"
        stopped = f"Stopped after {len(bugs) - n_missing} of {count(len(bugs), 'bug')}"
        talk().print(f"{stopped}; this is what they showed; {how}", markup=False)
        raise typer.Exit(130)
    if sick := made().sick:
        talk().print(f"Look closer with: repairlab checkout {benchmark}/{sick[0].bug_id} DIR", markup=False)
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
        if names := _excludable(bug, flaky=True, failing=True):
            line = exclusion_line(benchmark.bug(bug.bug_id), names)
            data().print(f"bug {bug.bug_id}: exclude by name under [test] in bug.toml: {line}", markup=False)
    healthy = f"{card.n_healthy} of {count(card.n_bugs, 'bug')} healthy"
    data().print(f"{card.benchmark} {card.version}: {healthy}, each checked {count(card.repeats, 'time')}")


def _excludable(bug: Health, *, flaky: bool, failing: bool) -> tuple[str, ...]:
    names = (*(bug.flaky if flaky else ()), *(bug.failing if failing else ()))
    return tuple(name for name in names if name != BUILD)


def _exclude(benchmark: Benchmark, card: HealthCard, *, flaky: bool, failing: bool) -> None:
    for bug in card.sick:
        if names := _excludable(bug, flaky=flaky, failing=failing):
            try:
                exclude(benchmark.bug(bug.bug_id), names)
            except UserError as error:
                talk().print(str(error), markup=False)
            else:
                talk().print(f"bug {bug.bug_id}: {count(len(names), 'test')} excluded in its bug.toml; check again", markup=False)
