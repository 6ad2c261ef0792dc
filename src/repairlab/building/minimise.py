"""Shrink fixes to those runs of changed lines that the tests need.

Refactoring, comments and other changes that came with a fix drop out; the original patch stays beside the smaller one. Each is
written as soon as it is found, and `minimised.jsonl` records which fixes were tried, so that an interrupted run resumes.
"""

import contextlib
import json
from collections.abc import Callable, Iterator, Sequence
from difflib import SequenceMatcher
from pathlib import Path
from typing import TypeVar

from repairlab.benchmarks.catalog import find_folder, open_benchmark
from repairlab.benchmarks.folder import load_bug
from repairlab.building.importers.importer import TreeFile
from repairlab.building.importers.small_programs import patch_of
from repairlab.core.bug import Bug
from repairlab.core.candidate import Edit
from repairlab.core.errors import UserError
from repairlab.core.outcome import Verdict
from repairlab.core.record import record
from repairlab.core.storage.encoding import decode, encode, write_aside
from repairlab.core.text import split_lines
from repairlab.runs.executors.pool import open_pool
from repairlab.runs.executors.work_queue import calling, run_each
from repairlab.sandbox.sandbox import Sandbox
from repairlab.validation.apply import changed_files
from repairlab.validation.machine import Machine
from repairlab.validation.validator import BugValidator, Conditions

ORIGINAL = "fix.original.patch"
"""The fix as it was, beside fix.patch."""
LOOKED_AT = "minimised.jsonl"
"""A line for each fix that was tried, in the folder of the benchmark."""
_FIX = "fix.patch"
T = TypeVar("T")


@record
class MinimiseTask:
    """A bug whose fix is to be shrunk."""

    folder: Path
    benchmark: str
    bug_id: str


@record
class Minimised:
    """The result."""

    bug_id: str
    n_before: int
    """Runs of lines that the fix changes."""
    n_after: int
    patch: str = ""
    """The smaller fix; empty if there is none."""


@record
class _Run:
    """Lines of a file that the fix replaces."""

    path: str
    first: int
    last: int
    lines: tuple[str, ...]


def minimise_benchmark(benchmark: str, machine: Machine, started: Callable[[int], None], done: Callable[[Minimised], None]) -> None:
    """Shrink the fixes of all bugs of a benchmark; `done` also gets those that were tried before."""
    folder = find_folder(benchmark)
    opened = open_benchmark(str(folder))
    known = _looked_at(folder / LOOKED_AT)
    started(len(opened.ids))
    for bug_id in opened.ids:
        if bug_id in known:
            done(known[bug_id])
        else:
            _put_back(folder / "bugs" / bug_id)

    def receive(found: Minimised) -> None:
        if found.patch:
            _replace_fix(folder / "bugs" / found.bug_id, found.patch)
        with (folder / LOOKED_AT).open("ab") as file:
            file.write(b"\n" + encode(found))  # the previous line may have been cut short
        done(found)

    tasks = (
        MinimiseTask(folder=folder / "bugs" / bug_id, benchmark=opened.name, bug_id=bug_id)
        for bug_id in opened.ids
        if bug_id not in known
    )
    with open_pool(machine) as pool:
        run_each(calling(minimise), tasks, pool, receive)


def _looked_at(path: Path) -> dict[str, Minimised]:
    known = {}
    for line in path.read_bytes().split(b"\n") if path.is_file() else ():
        with contextlib.suppress(ValueError, UserError):  # cut short, or of another version
            found = decode(Minimised, json.loads(line), str(path))
            known[found.bug_id] = found
    return known


def _replace_fix(bug: Path, patch: str) -> None:
    write_aside(bug / ORIGINAL, (bug / _FIX).read_bytes().decode())
    write_aside(bug / _FIX, patch)


def _put_back(bug: Path) -> None:
    """Undo a write that was interrupted before it was recorded."""
    if (bug / ORIGINAL).exists():
        (bug / ORIGINAL).replace(bug / _FIX)


def minimise(task: MinimiseTask, sandbox: Sandbox, notify: Callable[[Minimised], None]) -> None:
    """Search for the smallest plausible part of a fix."""
    bug = load_bug(task.folder, task.benchmark, bug_id=task.bug_id)
    fixed = changed_files(bug.fix, bug)
    old = {path: _before(bug, path) for path in fixed}
    runs = [
        run
        for path, text in fixed.items()
        if text is not None and old[path] is not None
        for run in _runs(path, old[path] or "", text)
    ]
    whole = {path: text for path, text in fixed.items() if text is None or old[path] is None}

    def texts(kept: Sequence[_Run]) -> dict[str, str | None]:
        paths = dict.fromkeys(run.path for run in kept)
        return {**whole, **{path: _applied(old[path] or "", [run for run in kept if run.path == path]) for path in paths}}

    with BugValidator(Conditions(bug=bug), sandbox) as validator:

        def passes(kept: Sequence[_Run]) -> bool:
            edits = tuple(Edit(path=path, text=text) for path, text in texts(kept).items())
            return validator.validate(bug.candidate(edits, "minimise")).verdict is Verdict.PLAUSIBLE

        kept = smallest(runs, passes) if len(runs) > 1 and passes(runs) else runs
    patch = ""
    if len(kept) < len(runs):
        new = texts(kept)
        before = {path: TreeFile(content=text.encode()) for path in new if (text := old[path]) is not None}
        patch = patch_of(before, {path: TreeFile(content=text.encode()) for path, text in new.items() if text is not None})
    notify(Minimised(bug_id=bug.id, n_before=len(runs), n_after=len(kept), patch=patch))


def smallest(items: Sequence[T], passes: Callable[[Sequence[T]], bool]) -> list[T]:
    """Return a part that passes and of which no item can be left out (Zeller and Hildebrandt 2002, ddmin on complements).

    >>> smallest("abcdefgh", lambda part: {"b", "g"} <= set(part))
    ['b', 'g']
    """
    kept, n = list(items), 2
    while len(kept) > 1:
        size = max(1, len(kept) // n)
        for start in range(0, len(kept), size):
            rest = kept[:start] + kept[start + size :]
            if rest and passes(rest):
                kept, n = rest, max(n - 1, 2)
                break
        else:
            if size == 1:
                break
            n = min(len(kept), 2 * n)
    return kept


def _before(bug: Bug, path: str) -> str | None:
    file = Path(bug.tree.source) / path
    return file.read_bytes().decode() if file.is_file() else None


def _runs(path: str, before: str, after: str) -> Iterator[_Run]:
    old, new = split_lines(before), split_lines(after)
    for tag, first, last, start, end in SequenceMatcher(None, old, new, autojunk=False).get_opcodes():
        if tag != "equal":
            yield _Run(path=path, first=first, last=last, lines=tuple(new[start:end]))


def _applied(before: str, runs: Sequence[_Run]) -> str:
    lines = split_lines(before)
    for run in sorted(runs, key=lambda run: run.first, reverse=True):
        lines[run.first : run.last] = run.lines
    return "".join(lines)
