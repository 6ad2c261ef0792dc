"""`repairlab check`."""

import time
from collections import Counter
from collections.abc import Callable, Iterable, Iterator, Mapping
from contextlib import contextmanager
from pathlib import Path
from typing import Annotated

import typer

from repairlab.benchmarks.catalog import Benchmark, find_folder, open_benchmark
from repairlab.benchmarks.health import (
    BUILD,
    Health,
    HealthCard,
    card_data,
    card_place,
    check_command,
    go_on,
    make_card,
    need_place,
    with_bugs,
    write_card,
)
from repairlab.building.amending import exclude, exclusion_line, leave_out, project_of_bug, shows_nothing, store_error, store_limits
from repairlab.building.check import check_bugs
from repairlab.cli.options import Include, Json, Limit, on_machine
from repairlab.cli.output import count, data, print_json, progress_bar, say, talk, write
from repairlab.core.bug import Bug
from repairlab.core.errors import Interrupted, UserError
from repairlab.core.outcome import STRENGTHS
from repairlab.validation.machine import Machine, environment_of

_CARD_SHARE = 20
"""Writing the card takes at most so small a part of the time."""


@on_machine("workers", "executor", "sandbox", "allow_unsafe")
def check(
    benchmark: Annotated[str, typer.Argument(help="Name or folder of a benchmark.")],
    repeat: Annotated[
        int,
        typer.Option(
            "--repeat",
            help="Validate each tree N times: tests as listed, reversed, and each alone, in turn. Tests that flip are flaky.",
        ),
    ] = 1,
    card: Annotated[
        Path | None,
        typer.Option("--card", help="File for the health card. [default: health.json of the benchmark, if all bugs are checked]"),
    ] = None,
    resume: Annotated[
        bool, typer.Option("--resume", help="Continue the card; keep its results for bugs that have not changed.")
    ] = False,
    exclude_flaky: Annotated[
        bool,
        typer.Option(
            "--exclude-flaky",
            help="Add flaky tests to test.excluded of their bugs, and of all bugs mined from their project.",
        ),
    ] = False,
    exclude_failing: Annotated[
        bool,
        typer.Option(
            "--exclude-failing",
            help="Exclude tests that fail with the reference fix, and regression tests that fail on the buggy tree.",
        ),
    ] = False,
    store_errors: Annotated[
        bool,
        typer.Option(
            "--store-errors",
            help="Store the first failing message in healthy bugs that have none, for run --show-error.",
        ),
    ] = False,
    lower_limits: Annotated[
        bool,
        typer.Option(
            "--store-limits",
            help="Lower the time limits of healthy bugs to five times what the reference fix needs, at least 1 s of CPU time.",
        ),
    ] = False,
    counter_tests: Annotated[
        bool,
        typer.Option(
            "--counter-tests/--no-counter-tests",
            help="Find out how strongly passes can be checked, and try the fix in other surroundings; takes most of the time.",
        ),
    ] = True,
    include: Include = None,
    limit: Limit = None,
    json: Json = False,
    *,
    here: Machine,
) -> None:
    """Prove that bugs fail unpatched and pass with their reference fix."""
    if repeat < 1:
        raise UserError(f"--repeat is {repeat}: a check needs at least 1")
    card, no_card = _place(card, benchmark, is_whole=not include and limit is None)
    if resume and card is None:
        raise UserError("--resume needs --card FILE, which says what was checked")
    opened = open_benchmark(benchmark)
    bugs = opened.select(tuple(include or ()), limit=limit)
    environment = environment_of([bug.problem.language for bug in bugs], here)
    if resume and card is not None and card.exists():
        so_far = go_on(card, opened, environment, repeats=repeat)
    else:
        so_far = make_card(opened, (), environment, repeats=repeat)
    found = {bug.bug_id: bug for bug in so_far.bugs}
    left = [bug for bug in bugs if bug.id not in found]

    def made(of: Iterable[str]) -> HealthCard:
        return with_bugs(so_far, [found[bug_id] for bug_id in of if bug_id in found])

    with progress_bar() as progress, _card_file(card, lambda: made(opened.ids)) as write_sometimes:
        task = progress.add_task("bugs checked", total=len(bugs), completed=len(bugs) - len(left))

        def receive(health: Health) -> None:
            found[health.bug_id] = health
            write_sometimes()
            progress.advance(task)

        try:
            check_bugs(left, here, receive, repeats=repeat, counter_tests=counter_tests, limits=lower_limits, notify=talk().print)
        except Interrupted:
            if not found:
                raise
    shown = made(bug.id for bug in bugs)
    if json:
        print_json(card_data(shown))
    else:
        _print(opened, shown)
    if no_card:
        talk().print(no_card, markup=False, soft_wrap=True)
    _exclude(benchmark, shown, flaky=exclude_flaky, failing=exclude_failing)
    _store(bugs, found, errors=store_errors, limits=lower_limits)
    if shown.n_bugs < len(bugs):
        how = "go on with the same command and --resume" if card else "with --card it could be resumed"
        say(f"Stopped after {shown.n_bugs} of {count(len(bugs), 'bug')}; this is what they showed; {how}")
        raise typer.Exit(130)
    if shown.sick:
        say(f"Look closer with: repairlab work checkout {benchmark}/{shown.sick[0].bug_id} DIR")
        raise typer.Exit(1)


def _place(card: Path | None, benchmark: str, *, is_whole: bool) -> tuple[Path | None, str]:
    """Return where the health card is written, or what to say instead; a card of a part is for those who name its file."""
    if card is not None:
        need_place(card)
        return card, ""
    if not is_whole:
        return None, ""
    place = card_place(benchmark)
    why = f"No health card: {find_folder(benchmark)} is built in or cannot be written to"
    return place, "" if place else f"{why}. Make one elsewhere with: {check_command(benchmark)}"


@contextmanager
def _card_file(path: Path | None, card: Callable[[], HealthCard]) -> Iterator[Callable[[], None]]:
    """Give what writes the card unless it did so a moment ago; it is written in the end, too, however that comes."""
    if path is None:
        yield lambda: None
        return
    due = 0.0

    def write_sometimes() -> None:
        nonlocal due
        start = time.monotonic()
        if start >= due:
            write_card(path, card())
            due = time.monotonic() + _CARD_SHARE * (time.monotonic() - start)

    try:
        yield write_sometimes
    finally:
        if (last := card()).bugs:
            write_card(path, last)
            say(f"Health card written to {path}")


def _print(benchmark: Benchmark, card: HealthCard) -> None:
    for bug in card.sick:
        for problem in bug.problems:
            write(f"bug {bug.bug_id}: {problem}")
        for flip in bug.flips:
            write(
                f"bug {bug.bug_id}: test {flip.test} is flaky: {flip.flips} of {count(flip.runs, 'run')} of the {flip.tree} tree "
                f"differ, by {flip.cause} ({', '.join(f'{name} {n}' for name, n in flip.verdicts.items())})"
            )
        if bug.not_survived:
            there = "; ".join(bug.not_survived)
            data().print(f"bug {bug.bug_id}: the reference fix fails in other surroundings ({there}); passes are not tried there")
        if names := _excludable(bug, flaky=True, failing=True):
            whole = benchmark.bug(bug.bug_id)
            line = f"exclude by name under [test] in bug.toml: {exclusion_line(whole, names)}"
            advice = "no test that shows the bug is of use; leave it out of the benchmark" if shows_nothing(whole, names) else line
            write(f"bug {bug.bug_id}: {advice}")
    healthy = f"{card.n_healthy} of {count(card.n_bugs, 'bug')} healthy"
    data().print(f"{card.benchmark} {card.version}: {healthy}, each checked {count(card.repeats, 'time')}")
    if card.n_tests:
        bare = [bug.bug_id for bug in card.bugs if bug.n_tests and len(bug.unguarded or ()) == bug.n_tests]
        without = f"; bugs without any: {', '.join(bare)}" if bare else ""
        are = "is blind or has" if card.n_tests == 1 else "are blind or have"
        data().print(f"{card.n_tests - card.n_unguarded} of {count(card.n_tests, 'unit test')} {are} counter-tests{without}")
    strengths = Counter(bug.strength for bug in card.bugs if bug.strength)
    if strengths:
        parts = ", ".join(f"{strength} in {count(strengths[strength], 'bug')}" for strength in reversed(STRENGTHS))
        data().print(f"a pass can be {parts}")


def _excludable(bug: Health, *, flaky: bool, failing: bool) -> tuple[str, ...]:
    names = (*(bug.flaky if flaky else ()), *(bug.failing if failing else ()))
    return tuple(name for name in names if name != BUILD)


def _store(bugs: Iterable[Bug], found: Mapping[str, Health], *, errors: bool, limits: bool) -> None:
    """Write what was learnt of healthy bugs to their bug.toml."""
    sound = [(bug, health) for bug in bugs if (health := found.get(bug.id)) and health.healthy]
    if errors:
        lacking = [(bug, health.error) for bug, health in sound if health.error and not bug.problem.error]
        for bug, error in lacking:
            store_error(bug, error)
        say(f"{count(len(lacking), 'first failing message')} stored")
    if limits:
        n = sum(health.needed_s is not None and store_limits(bug, health.needed_s) for bug, health in sound)
        say(f"{count(n, 'time limit')} lowered")


def _exclude(benchmark: str, card: HealthCard, *, flaky: bool, failing: bool) -> None:
    if not (flaky or failing):
        return
    opened = open_benchmark(benchmark)
    for bug in card.sick:
        if names := _excludable(bug, flaky=flaky, failing=failing):
            try:
                exclude(opened.bug(bug.bug_id), names)
            except UserError as error:
                say(str(error))
            else:
                say(f"bug {bug.bug_id}: {count(len(names), 'test')} excluded in its bug.toml; check again")
    if flaky:
        _exclude_from_neighbours(open_benchmark(benchmark), card)


def _exclude_from_neighbours(benchmark: Benchmark, card: HealthCard) -> None:
    """Leave tests that flip for one mined bug out of all bugs of its project: what depends on chance does so for each."""
    unsteady: dict[str, set[str]] = {}
    for bug in card.sick:
        if project := project_of_bug(bug.bug_id):
            unsteady.setdefault(project, set()).update(bug.flaky)
    for told in leave_out((bug for bug in benchmark if unsteady.get(project_of_bug(bug.id))), unsteady):
        say(f"bug {told}; check again")
