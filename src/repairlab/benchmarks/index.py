"""The bugs of a benchmark's folder, read on demand and indexed, without their trees and cases.

An entry counts as long as no file of its bug has changed. One that is stale, damaged or missing costs the time of reading the bug.
"""

import dataclasses
import functools
import hashlib
import json
import os
import time
import zlib
from collections.abc import Sequence
from contextlib import suppress
from pathlib import Path
from typing import Any, overload

from repairlab.benchmarks import bug_files, protection
from repairlab.benchmarks import folder as reading
from repairlab.benchmarks.bug_files import CaseFiles, CaseList, FolderState, TreeContext, state_of
from repairlab.benchmarks.folder import load_bug
from repairlab.benchmarks.labels_file import completed, stated_labels
from repairlab.core.bug import Bug, Labels, Oracle, Provenance, Tree, remember_digest
from repairlab.core.problem import Problem
from repairlab.core.record import SCHEMA_VERSION, digest, record
from repairlab.core.storage.database import Database
from repairlab.core.storage.encoding import decode, encode
from repairlab.validation.cache import engine_digest

FILE = f"bugs-{SCHEMA_VERSION}.sqlite"
LARGEST_MB = 1024
MOST_KEPT = 256
"""How many bugs of a benchmark are kept in memory."""
SETTLED_S = 2.0
"""A file that changed a moment before it was looked at may change again within the same tick of the file system's clock."""
_SCHEMA = "CREATE TABLE IF NOT EXISTS bugs (number INTEGER PRIMARY KEY AUTOINCREMENT, key TEXT UNIQUE, signature TEXT, value BLOB);"


@record
class _Entry:
    """A bug without the texts of its tree and its cases."""

    digest: str
    problem: Problem
    oracle: Oracle
    cases: CaseList | None
    tree: Tree
    origin: Provenance
    labels: Labels


class IndexedBugs(Sequence[Bug]):
    """Bugs of a benchmark's folder in a fixed order; each is read when it is asked for, and the last ones are kept."""

    def __init__(
        self, benchmark: str, folders: dict[str, Path], cache: Path, *, labels: Path | None = None, settled_s: float = SETTLED_S
    ) -> None:
        """Take the benchmark's name, the folders of its bugs by id, the folder of the index, and the file of labels found."""
        self.ids = tuple(folders)
        self._benchmark = benchmark
        self._folders = folders
        self._cache = cache
        self._labels = labels
        self._settled_s = settled_s
        self._kept: dict[str, Bug] = {}
        self._names: dict[str, str] = {}
        self._opened: tuple[int, Database] | None = None

    def __len__(self) -> int:
        return len(self.ids)

    @overload
    def __getitem__(self, which: int) -> Bug: ...
    @overload
    def __getitem__(self, which: slice) -> tuple[Bug, ...]: ...
    def __getitem__(self, which: int | slice) -> Bug | tuple[Bug, ...]:
        """Return a bug by its place, or several by a slice."""
        if isinstance(which, slice):
            return tuple(map(self._bug, self.ids[which]))
        return self._bug(self.ids[which])

    def __eq__(self, other: object) -> bool:
        return isinstance(other, IndexedBugs) and self.ids == other.ids and all(map(Bug.__eq__, self, other))

    __hash__ = None  # type: ignore[assignment]  # its bugs may change on disk

    def __getstate__(self) -> dict[str, object]:
        return {**self.__dict__, "_opened": None}  # a connection belongs to its process

    def digests(self) -> list[str]:
        """Return the digests of all bugs; entries need not become records for that."""
        return [self._kept[bug_id].digest if bug_id in self._kept else self._digest(bug_id) for bug_id in self.ids]

    def _bug(self, bug_id: str) -> Bug:
        bug = self._kept.pop(bug_id, None) or self._labelled(self._read(bug_id))
        self._kept[bug_id] = bug
        while len(self._kept) > MOST_KEPT:
            self._kept.pop(next(iter(self._kept)), None)
        return bug

    def _labelled(self, bug: Bug) -> Bug:
        """Add the labels that were found where the bug states none; they do not change its digest."""
        found = self._found.get(bug.id)
        return remember_digest(dataclasses.replace(bug, labels=completed(bug.labels, found)), bug.digest) if found else bug

    @functools.cached_property
    def _found(self) -> dict[str, dict[str, str]]:
        return stated_labels(self._labels)

    def _read(self, bug_id: str) -> Bug:
        folder = self._folders[bug_id]
        if not folder.is_dir():
            return load_bug(folder, self._benchmark)  # which says what is missing
        state, key = state_of(folder), self._key(folder)
        if (known := self._look_up(key, folder, state)) is not None:
            return known
        bug = load_bug(folder, self._benchmark)
        if not any(path.is_symlink() for path in folder.iterdir()):  # what lies behind a link is not looked at for changes
            self._keep(key, bug, state)
        return bug

    def _digest(self, bug_id: str) -> str:
        folder = self._folders[bug_id]
        with suppress(OSError):
            data = self._data(self._key(folder), state_of(folder))
            if data is not None and isinstance(known := data.get("digest"), str):
                return known
        return self._read(bug_id).digest

    @property
    def _database(self) -> Database:
        if self._opened is None or self._opened[0] != os.getpid():
            self._opened = (os.getpid(), Database(self._cache / FILE, _SCHEMA, busy_timeout_s=1.0))
            self._opened[1].prune(["bugs"], LARGEST_MB)
        return self._opened[1]

    def _key(self, folder: Path) -> str:
        return digest(engine_digest(), _reading_digest(), self._benchmark, str(folder.absolute()))

    def _data(self, key: str, state: FolderState) -> dict[str, Any] | None:
        rows = self._database.rows("SELECT value FROM bugs WHERE key = ? AND signature = ?", (key, state.signature))
        try:
            data = json.loads(zlib.decompress(rows[0][0])) if rows else None
        except Exception:  # damaged, in whatever way: the same as nothing
            return None
        return data if isinstance(data, dict) else None

    def _look_up(self, key: str, folder: Path, state: FolderState) -> Bug | None:
        data = self._data(key, state)
        if data is None:
            return None
        try:
            entry = decode(_Entry, data, FILE)
        except Exception:  # as above
            return None
        problem, oracle = entry.problem, entry.oracle
        context = TreeContext(folder / "buggy", entry.tree.digest, without=problem.path, hidden=oracle.test.files)
        bug = Bug(
            problem=dataclasses.replace(problem, context=context),
            oracle=dataclasses.replace(
                oracle,
                trigger=self._share(oracle.trigger),
                regression=self._share(oracle.regression),
                cases=self._cases(folder, entry.cases) if entry.cases else (),
            ),
            tree=dataclasses.replace(entry.tree, source=str(folder / "buggy")),
            origin=entry.origin,
            labels=entry.labels,
        )
        return remember_digest(bug, entry.digest)

    def _keep(self, key: str, bug: Bug, state: FolderState) -> None:
        if time.time() - state.changed < self._settled_s:
            return
        entry = _Entry(
            digest=bug.digest,
            problem=dataclasses.replace(bug.problem, context=()),
            oracle=dataclasses.replace(bug.oracle, cases=()),
            cases=bug.oracle.cases.listed if isinstance(bug.oracle.cases, CaseFiles) else None,
            tree=bug.tree,
            origin=bug.origin,
            labels=bug.labels,
        )
        row = (key, state.signature, zlib.compress(encode(entry), 1))
        self._database.write("INSERT OR REPLACE INTO bugs (key, signature, value) VALUES (?, ?, ?)", row)

    def _cases(self, folder: Path, listed: CaseList) -> CaseFiles:
        return CaseFiles(folder / "cases", dataclasses.replace(listed, ids=self._share(listed.ids)))

    def _share(self, tests: tuple[str, ...]) -> tuple[str, ...]:
        """Return the same names; bugs of one project share most of theirs, and thousands of them."""
        return tuple(self._names.setdefault(name, name) for name in tests)


@functools.cache
def _reading_digest() -> str:
    """Return a hash of the code that reads bugs; the engine's hash covers the search for targets."""
    files = [Path(module.__file__ or "") for module in (reading, protection, bug_files)]
    return digest(*(hashlib.sha256(path.read_bytes()).hexdigest() for path in files))
