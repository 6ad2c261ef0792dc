"""`repairlab import`."""  # noqa: N999  # the verb's name

from pathlib import Path
from typing import Annotated, cast, get_args

import typer

from repairlab.building.importers.importer import Settings, SortedTests
from repairlab.building.importers.pairs import PAIR_SETS, import_pairs
from repairlab.building.importers.table import IMPORTERS
from repairlab.building.importing import import_benchmark
from repairlab.cli.options import Include, Interpreter, Json, Libraries, Limit, SortRepeats, need, on_machine, one_of
from repairlab.cli.output import count, print_json, print_table, progress_bar, say, write
from repairlab.core.errors import UserError
from repairlab.core.record import to_data
from repairlab.languages.fix_extent import EXTENTS, Extent
from repairlab.validation.machine import Machine


@on_machine("workers", "sandbox", "allow_unsafe")
def import_bugs(
    name: Annotated[str | None, typer.Argument(help="Importer; without it, all are listed.")] = None,
    sources: Annotated[list[Path] | None, typer.Argument(metavar="SOURCE...", help="Files or folders to read.")] = None,
    to: Annotated[Path | None, typer.Option("--to", help="New folder for the benchmark.")] = None,
    language: Annotated[str | None, typer.Option("--language", help="Language to import, if the source has several.")] = None,
    checker: Annotated[
        str | None, typer.Option("--checker", help="How outputs are compared if the source does not say, e.g. float-1e-8.")
    ] = None,
    clones: Annotated[
        Path | None,
        typer.Option("--clones", help="Folder with clones of the subject projects, bare or not; missing ones are added."),
    ] = None,
    libraries: Libraries = None,
    python: Interpreter = None,
    relax_pins: Annotated[
        bool,
        typer.Option(
            "--relax-pins/--keep-pins",
            help="Replace Python packages that cannot be built by later versions, or drop the bug.",
        ),
    ] = True,
    via: Annotated[str | None, typer.Option("--via", help="Use an installed tool instead, e.g. defects4j.")] = None,
    tests: Annotated[
        str, typer.Option("--tests", help="Test classes to sort (Defects4J): relevant to the fix, or all.")
    ] = "relevant",
    extent: Annotated[
        str, typer.Option("--extent", help=f"Only bugs whose fix changes at most this: {', '.join(EXTENTS)}.")
    ] = "files",
    issues: Annotated[
        list[Path] | None,
        typer.Option("--issues", help="Tracker export with the bugs' issues, or a folder of NUMBER.md; repeatable."),
    ] = None,
    comments: Annotated[bool, typer.Option("--comments", help="With --issues, also import comments from before the fix.")] = False,
    repeat: SortRepeats = 1,
    include: Include = None,
    limit: Limit = None,
    json: Json = False,
    *,
    here: Machine,
) -> None:
    """Import a published benchmark or a set of bug–fix pairs."""
    if name is None:
        _list(as_json=json)
        return
    if to is None:
        raise UserError("where to write to is not said: add --to DIR, a new folder")
    if name in PAIR_SETS:
        _import_pairs(name, list(sources or ()), to, limit, as_json=json)
        return
    if not issues:
        need("--issues", {"--comments": comments})
    settings = Settings(
        include=tuple(include or ()),
        limit=limit,
        language=language,
        checker=checker,
        clones=clones,
        libraries=libraries,
        python=python,
        relax_pins=relax_pins,
        via=via,
        tests=one_of("set of tests", tests, get_args(SortedTests)),
        repeat=repeat,
        extent=cast(Extent, extent),
        issues=tuple(issues or ()),
        comments=comments,
    )
    with progress_bar() as progress:
        task = progress.add_task("bugs read", total=None)
        made = import_benchmark(
            name,
            list(sources or ()),
            to,
            settings,
            started=lambda n: progress.update(task, total=n),
            done=lambda _: progress.advance(task),
            at=lambda bug, stage: progress.update(task, description=f"bugs read ({bug}: {stage})"),
            machine=here,
        )
    if json:
        print_json(to_data(made) | {"folder": str(made.folder)})
        return
    for remark in made.remarks:
        say(remark)
    write(f"{count(len(made.bugs), 'bug')} imported to {made.folder}, {len(made.dropped)} dropped")
    say(f"Next: repairlab check {made.folder}")


def _list(*, as_json: bool) -> None:
    importers = {name: IMPORTERS.about(name) for name in IMPORTERS}
    if as_json:
        print_json({"benchmarks": importers, "pairs": PAIR_SETS})
        return
    print_table("Benchmarks", ["name", "source"], list(importers.items()))
    print_table("Bug–fix pairs without tests", ["name", "source"], list(PAIR_SETS.items()))


def _import_pairs(name: str, sources: list[Path], to: Path, limit: int | None, *, as_json: bool) -> None:
    with progress_bar() as progress:
        task = progress.add_task("pairs read", total=None)
        made = import_pairs(name, sources, to, lambda: progress.advance(task), limit=limit)
    if as_json:
        print_json(to_data(made) | {"folder": str(made.folder)})
        return
    if made.unchanged or made.repeated:
        say(f"left out: {made.unchanged} in which nothing is fixed, {made.repeated} repeated")
    if made.alone:
        say(f"without the class around the method: {made.alone}; name the folder that has the files")
    splits = ", ".join(f"{split} {n}" for split, n in made.splits.items())
    write(f"{count(sum(made.splits.values()), 'pair')} imported to {made.folder}: {splits}")
