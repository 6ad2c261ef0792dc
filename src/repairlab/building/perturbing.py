"""Make a benchmark whose bugs look different and mean the same: what a repairer loses on it, it knew by heart (NPR4J § 7).

Every bug is checked: its perturbed tree must fail the same tests, and its perturbed fix must pass. Bugs that cannot be changed, or
do not stand the check, are left out with the reason.
"""

import json
import shutil
from collections.abc import Callable, Sequence
from pathlib import Path

from repairlab.benchmarks.bug_files import read_tree
from repairlab.benchmarks.catalog import Benchmark, open_benchmark
from repairlab.benchmarks.folder import load_bug
from repairlab.benchmarks.health import Health
from repairlab.benchmarks.writing import write_head
from repairlab.building.check import check_bugs
from repairlab.building.importers.importer import TreeFile
from repairlab.building.importers.small_programs import patch_of
from repairlab.core.bug import Bug
from repairlab.core.diff import apply_edits
from repairlab.core.errors import UserError
from repairlab.core.record import digest, record, to_data
from repairlab.core.storage.encoding import write_aside
from repairlab.core.storage.folders import new_folder
from repairlab.languages.perturbation import PERTURBATIONS, FileVersions, cannot_perturb, check_perturbations, perturbed
from repairlab.validation.machine import Machine

MADE = "perturbed.json"
"""In the folder of a perturbed benchmark: its source, its changes, and the fate of each bug."""


@record
class Perturbed:
    """A perturbed benchmark."""

    source: str
    """Digest of the bugs that it was made of."""
    changes: tuple[str, ...]
    made: dict[str, tuple[str, ...]]
    """The changes that each bug got."""
    left_out: dict[str, str]


def perturbed_name(benchmark: Benchmark, changes: Sequence[str], ids: Sequence[str]) -> str:
    """Return the name of a perturbed benchmark, which tells that of the original and whether it has all its bugs."""
    changes = [change for change in PERTURBATIONS if change in changes]
    part = "" if len(ids) == len(benchmark) else f"-{digest(tuple(ids))[:8]}"
    return "+".join((benchmark.name + part, *changes))


def perturb(
    benchmark: Benchmark,
    bugs: Sequence[Bug],
    changes: Sequence[str],
    folder: Path,
    machine: Machine,
    *,
    done: Callable[[], None] = lambda: None,
) -> Perturbed:
    """Write the perturbed benchmark to a folder; one that is there already, of the same bugs, is taken as it is."""
    check_perturbations(changes)
    changes = [name for name in PERTURBATIONS if name in changes]
    source = digest([bug.digest for bug in bugs], list(changes))
    if (folder / MADE).is_file():
        found = Perturbed(**json.loads((folder / MADE).read_text(encoding="utf-8")))
        if found.source != source:
            raise UserError(f"{folder} was made of other bugs: remove it, or name another place for the run with --to")
        return found
    made: dict[str, tuple[str, ...]] = {}
    left_out: dict[str, str] = {}
    with new_folder(folder) as aside:
        name = perturbed_name(benchmark, changes, [bug.id for bug in bugs])
        about = f"{benchmark.name} {benchmark.version} with {', '.join(changes)}; bugs and fixes mean the same."
        write_head(aside, name=name, version=benchmark.version, licence=benchmark.licence, description=about)
        for bug in bugs:
            try:
                made[bug.id] = _write(bug, changes, aside / "bugs" / bug.id)
            except UserError as error:
                left_out[bug.id] = str(error)
                shutil.rmtree(aside / "bugs" / bug.id, ignore_errors=True)

        def receive(health: Health) -> None:
            if not health.healthy or health.undecided:
                left_out[health.bug_id] = f"perturbed, it does not stand its check: {'; '.join(health.problems) or 'flaky tests'}"
            done()

        if made:
            check_bugs(list(open_benchmark(str(aside))), machine, receive, counter_tests=False)
        for bug_id in left_out.keys() & made:
            shutil.rmtree(aside / "bugs" / bug_id)
            del made[bug_id]
        if not made:
            first = next(iter(left_out.items()), ("", "there is no bug"))
            raise UserError(f"none of {len(bugs)} bugs can be perturbed by {', '.join(changes)}. The first: {first[0]}: {first[1]}")
        result = Perturbed(source=source, changes=tuple(changes), made=made, left_out=left_out)
        write_aside(aside / MADE, json.dumps(to_data(result), indent=2) + "\n")
    return result


def _write(bug: Bug, changes: Sequence[str], folder: Path) -> tuple[str, ...]:
    """Write a bug with all changes that its file allows; return these, or raise UserError with the reasons where there is none."""
    path, language = bug.problem.path, bug.problem.language
    before = read_tree(Path(bug.tree.source)).texts
    after = {**before, **apply_edits(bug.oracle.reference, before)}
    versions = FileVersions(before[path], after[path] or "")
    made, reasons = [], []
    for name in changes:
        why = cannot_perturb(name, language)
        new = None if why else perturbed(name, language, versions)
        if new is None:
            reasons.append(why or f"{name} finds nothing to change")
        else:
            versions = new
            made.append(name)
    if not made:
        raise UserError("; ".join(reasons))
    shutil.copytree(Path(bug.tree.source).parent, folder, symlinks=True)
    (folder / "buggy" / path).write_bytes(versions.buggy.encode())
    old, new_texts = {**before, path: versions.buggy}, {**after, path: versions.fixed}
    patch = patch_of(
        *({item: TreeFile(content=text.encode()) for item, text in texts.items() if text is not None} for texts in (old, new_texts))
    )
    (folder / "fix.patch").write_bytes(patch.encode())
    load_bug(folder, bug.problem.benchmark)
    return tuple(made)
