"""Import somebody's benchmark into a folder of our own form; workers find its tests, here or on other machines."""

import dataclasses
import shutil
import tempfile
from collections.abc import Callable, Iterable, Iterator, Sequence
from contextlib import contextmanager
from pathlib import Path
from typing import Any

from repairlab.benchmarks.folder import load_bug
from repairlab.benchmarks.writing import toml, write_file, write_head
from repairlab.building.discovery import DiscoveredTests, DiscoveryStage, Search, cpu_s_so_far, discovering, write_down
from repairlab.building.import_record import ImportRecord, Journal, write_import_record
from repairlab.building.importers.importer import Dropped, Import, ImportedBug, Settings
from repairlab.building.importers.table import IMPORTERS
from repairlab.building.mining.issues import Issues, attached
from repairlab.building.mining.selecting import wider
from repairlab.core.bug import Bug, remember_digest
from repairlab.core.errors import HarnessError, Interrupted, UserError, unknown
from repairlab.core.record import SCHEMA_VERSION, digest, record
from repairlab.core.storage.folders import new_folder
from repairlab.languages.fix_extent import EXTENTS, Extent
from repairlab.languages.language import default_cache
from repairlab.runs.executors.executor import Delivery, Parcel
from repairlab.runs.executors.pool import open_pool
from repairlab.runs.executors.work_queue import open_executor, run_each
from repairlab.sandbox.sandbox import Sandbox
from repairlab.validation.machine import LOCAL, Machine
from repairlab.validation.preflight import lock_of, provide

_REASONS = 20
"""If at least this many bugs were dropped and none is left, the reason is reported."""


@record
class Imported:
    """The result of an import."""

    folder: Path
    bugs: tuple[str, ...]
    dropped: tuple[Dropped, ...]
    notes: tuple[str, ...]

    @property
    def remarks(self) -> tuple[str, ...]:
        """Return what its user should know: which bugs are missing and why, and what to heed of the others."""
        return (*(f"dropped {bug.id}: {bug.reason}" for bug in self.dropped), *self.notes)


def import_benchmark(  # noqa: PLR0913  # three of them are told how it goes on
    name: str,
    sources: Sequence[Path],
    folder: Path,
    settings: Settings,
    started: Callable[[int], None],
    done: Callable[[str], None],
    *,
    machine: Machine | None = None,
    at: Callable[[str, str], None] = lambda bug_id, stage: None,  # noqa: ARG005
) -> Imported:
    """Read a source with the importer of this name and write all of it, or nothing, to a new folder."""
    if settings.extent not in EXTENTS:
        raise unknown("extent of a fix", settings.extent, EXTENTS)

    def read() -> Import:
        found = IMPORTERS[name](sources, settings)
        if not settings.issues:
            return found
        issues = Issues(settings.issues)
        return dataclasses.replace(found, bugs=(attached(bug, issues, comments=settings.comments) for bug in found.bugs))

    return write_benchmark(name, read, folder, settings, started, done, machine=machine, at=at)


def write_benchmark(  # noqa: PLR0913  # as above
    name: str,
    read: Callable[[], Import],
    folder: Path,
    settings: Settings,
    started: Callable[[int], None],
    done: Callable[[str], None],
    *,
    machine: Machine | None = None,
    at: Callable[[str, str], None] = lambda bug_id, stage: None,  # noqa: ARG005
    notify: Callable[[str], None] = lambda text: None,  # noqa: ARG005
    settled: Callable[[DiscoveredTests], None] = lambda found: None,  # noqa: ARG005
    finish: Callable[[Path, Sequence[str]], None] = lambda folder, bugs: None,  # noqa: ARG005
) -> Imported:
    """Write all bugs that `read` finds, or nothing, to a new folder.

    What was stopped while it ran tests goes on from there.

    `started` is told how many bugs there will be, `done` the id of each, `at` what is being done for one. Tests that must be found
    by running them are, and programs that must prove themselves do, with the workers and the sandbox of `machine`.
    `notify` is told which machines of a cluster are left out, `settled` what was found by running a bug; `finish` may add to the
    folder before it gets its name.
    """
    machine = machine or Machine(cache=default_cache())
    journal, began = Journal(folder, machine), cpu_s_so_far()
    with new_folder(folder) as aside:
        found = read()
        started(found.n_bugs)
        write_head(aside, name=found.name, version=found.version, licence=found.licence, description=found.description)
        made = _Folder(aside, found.name, settings, done)

        def settle(result: DiscoveredTests) -> None:
            made.settle(result)
            settled(result)

        def unknown() -> Iterator[Search]:
            for search in filter(None, map(made.add, found.bugs)):
                # What a generator makes is not in the journal.
                if not search.generator and (known := journal.find(search)):
                    settle(known)
                else:
                    yield search

        def receive(result: DiscoveredTests | DiscoveryStage) -> None:
            if isinstance(result, DiscoveryStage):
                at(result.bug_id, result.stage)
                return
            journal.keep(result)
            settle(result)

        def lost(search: Search, reason: str) -> None:
            receive(DiscoveredTests(bug_id=search.bug_id, problem=reason))

        try:
            discover_all(unknown(), machine, receive, lost, notify)
        except Interrupted:
            raise journal.stopped() from None
        if not made.bugs:
            raise _nothing(made.dropped)
        record_of = ImportRecord(
            importer=name,
            bugs=tuple(made.bugs),
            dropped=tuple(made.dropped),
            notes=tuple(made.notes),
            cpu_s=round(cpu_s_so_far() - began + made.cpu_s, 1),
        )
        write_import_record(aside, record_of)
        finish(aside, made.bugs)
    journal.remove()
    return Imported(folder=folder, bugs=tuple(made.bugs), dropped=tuple(made.dropped), notes=tuple(made.notes))


def _nothing(dropped: Sequence[Dropped]) -> UserError:
    reasons = "".join(f"\n  {bug.id}: {bug.reason}" for bug in dropped[:_REASONS])
    rest = f"\n  … and {len(dropped) - _REASONS} more" if len(dropped) > _REASONS else ""
    count = f"{len(dropped)} {'was' if len(dropped) == 1 else 'were'} dropped"
    return UserError(f"no bug could be imported; {count}{':' if reasons else ''}{reasons}{rest}")


class _Folder:
    """The folder of a benchmark while it is written, and what there is to report."""

    def __init__(self, folder: Path, name: str, settings: Settings, done: Callable[[str], None]) -> None:
        self._folder = folder
        self._name = name
        self._repeat, self._extent = settings.repeat, settings.extent
        self._done = done
        self._searches: dict[str, Search] = {}
        self.bugs: list[str] = []
        self.dropped: list[Dropped] = []
        self.notes: list[str] = []
        self.cpu_s = 0.0

    def add(self, bug: ImportedBug | Dropped) -> Search | None:
        """Write a bug; return what must be found out before it is finished, if anything."""
        if isinstance(bug, ImportedBug):
            try:
                written = _write(self._folder, bug, self._name, self._extent)
            except (UserError, HarnessError) as error:
                bug = Dropped(id=bug.id, reason=str(error))
            else:
                self.bugs.append(bug.id)
                self.notes += [f"{bug.id}: {note}" for note in bug.notes]
                if bug.discover or bug.proof != "none":
                    self._searches[bug.id] = self._search(bug, written)
                    return self._searches[bug.id]
        if isinstance(bug, Dropped):
            self.dropped.append(bug)
        self._done(bug.id)
        return None

    def settle(self, result: DiscoveredTests) -> None:
        """Take what was found out about a bug."""
        self.cpu_s += result.cpu_s
        if result.problem:
            self.bugs.remove(result.bug_id)
            self.dropped.append(Dropped(id=result.bug_id, reason=result.problem))
            shutil.rmtree(self._folder / "bugs" / result.bug_id)
        else:
            write_down(self._searches[result.bug_id], result)
        self.notes += [f"{result.bug_id}: {note}" for note in result.notes]
        self._done(result.bug_id)

    def _search(self, bug: ImportedBug, written: Bug) -> Search:
        return Search(
            folder=self._folder / "bugs" / bug.id,
            benchmark=self._name,
            bug_id=bug.id,
            digest=written.digest,
            language=written.problem.language,
            facts=bug.facts,
            places=bug.discover,
            unsorted=bug.unsorted,
            proof=bug.proof,
            generator=bug.generator,
            older_release=bug.older_release,
            other_env=bug.other_env,
            generous=bug.generous,
            repeat=self._repeat,
        )


def _write(benchmark: Path, bug: ImportedBug, name: str, extent: Extent) -> Bug:
    """Write one bug and read it back, so that no unreadable folder is left."""
    for lock, text in bug.locks.items():
        write_file(benchmark, f"environments/{lock}.txt", text.encode())
    with new_folder(benchmark / "bugs" / bug.id) as folder:
        (folder / "bug.toml").write_text(toml({"schema": SCHEMA_VERSION, **bug.facts}), encoding="utf-8")
        (folder / "issue.md").write_text(f"{bug.title}\n\n{bug.description}".rstrip() + "\n", encoding="utf-8")
        (folder / "fix.patch").write_bytes(bug.patch.encode())
        (folder / "buggy").mkdir()
        for path, file in bug.tree.items():
            write_file(folder / "buggy", path, file.content, executable=file.executable, link=file.link)
        for path, content in bug.checker.items():
            write_file(folder / "checker", path, content)
        for case, (given, expected) in bug.cases.items():
            write_file(folder, f"cases/{case}.in", given)
            write_file(folder, f"cases/{case}.out", expected)
        written = load_bug(folder, name, bug_id=bug.id)
        if reason := wider(written, extent):
            raise UserError(reason)
        return remember_digest(written, written.digest)  # now: the folder is about to be renamed


_Found = DiscoveredTests | DiscoveryStage


def discover_all(
    searches: Iterable[Search],
    machine: Machine,
    receive: Callable[[_Found], None],
    lost: Callable[[Search, str], None],
    notify: Callable[[str], None],
) -> None:
    """Find the tests of all bugs; `notify` gets the machines that are left out."""
    if machine.executor == LOCAL:
        with open_pool(machine) as pool:
            run_each(discovering, searches, pool, receive, lost)
        return
    found = [(search, load_bug(search.folder, search.benchmark)) for search in searches]
    if found:  # else an earlier start has found everything
        with open_executor(machine, {bug.tool_need for _, bug in found}, notify=notify) as executor:
            parcels: Iterable[Any] = (Parcel(item=search, folders=_parcel_folders(search, bug)) for search, bug in found)
            run_each(_discovering_there, parcels, executor, receive, lambda parcel, reason: lost(parcel.item, reason))


def _parcel_folders(search: Search, bug: Bug) -> dict[str, dict[str, Path]]:
    contents = {_parcel_place(search): search.folder}
    if bug.oracle.build.environment:
        lock = lock_of(bug)
        contents[f"environments/{lock.name}"] = lock
    return {_parcel_key(search): contents}


@contextmanager
def _discovering_there(sandbox: Sandbox, notify: Callable[[_Found], None]) -> Iterator[Callable[[Delivery], None]]:
    with discovering(sandbox, notify) as discover:
        yield lambda delivery: _discover_there(delivery, discover, notify)


def _discover_there(delivery: Delivery, discover: Callable[[Search], None], notify: Callable[[_Found], None]) -> None:
    """Find the tests of a bug sent here, in a copy, since the search may change it."""
    search: Search = delivery.item
    sent = delivery.folders[_parcel_key(search)]
    with tempfile.TemporaryDirectory(prefix="repairlab-", ignore_cleanup_errors=True) as folder:
        shutil.copytree(sent, folder, symlinks=True, dirs_exist_ok=True)
        here = dataclasses.replace(search, folder=Path(folder, _parcel_place(search)))
        try:
            bug = load_bug(here.folder, here.benchmark)
            if bug.oracle.build.environment:
                provide(bug)
        except (UserError, HarnessError) as error:
            notify(DiscoveredTests(bug_id=search.bug_id, problem=str(error)))
        else:
            discover(here)
    shutil.rmtree(sent, ignore_errors=True)  # nobody asks for it again


def _parcel_place(search: Search) -> str:
    return f"bugs/{search.bug_id}"


def _parcel_key(search: Search) -> str:
    return digest(search.bug_id, search.digest)
