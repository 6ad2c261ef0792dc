"""Import somebody's benchmark into a folder of our own form. Called by the verb `import`."""

import shutil
from collections.abc import Callable, Sequence
from pathlib import Path

from repairlab.benchmarks.folder import load_bug
from repairlab.benchmarks.writing import new_folder, toml, write_file, write_head
from repairlab.core.bug import Bug
from repairlab.core.errors import UserError
from repairlab.core.record import SCHEMA_VERSION, record
from repairlab.importers.importer import Dropped, ImportedBug, Settings
from repairlab.importers.table import importer
from repairlab.languages.table import default_cache
from repairlab.runs.catalog import find_target
from repairlab.runs.discovery import Found, Search, discover, write_down
from repairlab.runs.journal import journal_of
from repairlab.runs.pool import Machine, run_pool


@record
class Imported:
    """What came of an import."""

    folder: Path
    bugs: tuple[str, ...]
    dropped: tuple[Dropped, ...]
    notes: tuple[str, ...]


def import_benchmark(
    name: str,
    sources: Sequence[Path],
    folder: Path,
    settings: Settings,
    started: Callable[[int], None],
    done: Callable[[str], None],
    *,
    machine: Machine | None = None,
) -> Imported:
    """Read a source with the importer of this name and write all of it, or nothing, to a new folder.

    An import that was stopped while it ran tests goes on from there.

    `started` is told how many bugs there will be, `done` the id of each. Tests that must be found by running
    them are, and programs that must prove themselves do, with the workers and the sandbox of `machine`.
    """
    machine = machine or Machine(cache=default_cache())
    with journal_of(folder, machine) as journal, new_folder(folder) as aside:
        found = importer(name)(sources, settings)
        started(found.n_bugs)
        write_head(aside, name=found.name, version=found.version, licence=found.licence, description=found.description)
        bugs: list[str] = []
        dropped: list[Dropped] = []
        notes: list[str] = []
        searches: dict[str, Search] = {}
        left: list[Search] = []

        def receive(result: Found) -> None:
            if result.problem:
                bugs.remove(result.bug_id)
                dropped.append(Dropped(id=result.bug_id, reason=result.problem))
                shutil.rmtree(aside / "bugs" / result.bug_id)
            else:
                write_down(searches[result.bug_id], result)
            notes.extend(f"{result.bug_id}: {note}" for note in result.notes)
            done(result.bug_id)

        def receive_new(result: Found) -> None:
            journal.keep(result)
            receive(result)

        for bug in found.bugs:
            if isinstance(bug, ImportedBug):
                try:
                    written = _write(aside, bug, found.name)
                except UserError as error:
                    dropped.append(Dropped(id=bug.id, reason=str(error)))
                else:
                    bugs.append(bug.id)
                    notes += [f"{bug.id}: {note}" for note in bug.notes]
                    if bug.discover or bug.proof != "none":
                        searches[bug.id] = search = _search(aside, bug, found.name)
                        if known := journal.find(written, search):
                            receive(known)
                        else:
                            left.append(search)
                        continue
            else:
                dropped.append(bug)
            done(bug.id)
        if left:
            run_pool(discover, left, machine, receive_new)
        if not bugs:
            reason = f" The first: {dropped[0].id}: {dropped[0].reason}" if dropped else ""
            raise UserError(f"no bug could be imported; {len(dropped)} were dropped.{reason}")
    return Imported(folder=folder, bugs=tuple(bugs), dropped=tuple(dropped), notes=tuple(notes))


def _search(benchmark: Path, bug: ImportedBug, name: str) -> Search:
    folder = benchmark / "bugs" / bug.id
    return Search(folder=folder, benchmark=name, facts=bug.facts, places=bug.discover, unsorted=bug.unsorted, proof=bug.proof)


def _write(benchmark: Path, bug: ImportedBug, name: str) -> Bug:
    """Write one bug and read it again, so that no folder is left that nobody can read."""
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
        return load_bug(folder, name, find_target, bug_id=bug.id)
