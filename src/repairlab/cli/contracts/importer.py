"""What every importer promises: bugs that can be written, read again and checked: they fail unpatched and pass with their fix."""

from collections.abc import Callable, Iterator, Sequence
from pathlib import Path

from repairlab.benchmarks.catalog import open_benchmark
from repairlab.benchmarks.health import Health
from repairlab.building.check import check_bugs
from repairlab.building.importers.importer import Settings
from repairlab.building.importers.table import IMPORTERS
from repairlab.building.importing import import_benchmark
from repairlab.cli.contracts.check import Check, NotTried, SelfTestContext, attempt

_LIMIT = 5
"""Bugs that are imported."""


def checks(name: str, context: SelfTestContext) -> Iterator[Check]:
    """Try an importer on the sources that were given, or on an example that it writes itself (its attribute `example`)."""
    folder = context.folder / "imported"
    yield attempt("it imports bugs", lambda: _imports(name, context, folder))
    yield attempt("its bugs fail unpatched and pass with their fix", lambda: _is_healthy(context, folder))


def _imports(name: str, context: SelfTestContext, folder: Path) -> str:
    example: Callable[[Path], Sequence[Path]] | None = getattr(IMPORTERS[name], "example", None)
    if not context.sources and example is None:
        raise NotTried("it brings no example: give a source behind its name")
    sources = context.sources or (example(context.folder / "source") if example else ())
    made = import_benchmark(
        name,
        sources,
        folder,
        Settings(limit=_LIMIT),
        started=lambda n: None,  # noqa: ARG005
        done=lambda bug_id: None,  # noqa: ARG005
        machine=context.machine,
    )
    return "".join(f"{bug.id} was dropped: {bug.reason}. " for bug in made.dropped)


def _is_healthy(context: SelfTestContext, folder: Path) -> str:
    if not folder.is_dir():
        raise NotTried("nothing was imported")
    found: list[Health] = []
    check_bugs(list(open_benchmark(str(folder))), context.machine, found.append)
    return "; ".join(f"{health.bug_id}: {health.problems[0]}" for health in found if health.problems)
