"""Find a benchmark by name or folder; its bugs, and those selected by a filter, are read on demand.

Bugs that were read are indexed, without trees and cases. An entry is valid as long as no file of its bug has changed; one that is
stale, damaged or missing costs the time of reading the bug.
"""

import dataclasses
import functools
import hashlib
import json
import os
import time
import zlib
from collections.abc import Callable, Iterator, Sequence
from contextlib import suppress
from copy import copy
from fnmatch import fnmatchcase
from pathlib import Path
from typing import Annotated, Any, get_type_hints, overload

from repairlab.benchmarks import bug_files, protection
from repairlab.benchmarks import folder as reading
from repairlab.benchmarks.bug_files import CaseFiles, CaseList, FolderState, TreeContext, state_of
from repairlab.benchmarks.folder import load_bug, read_head
from repairlab.benchmarks.labels_file import LABELS_NAME, completed, stated_labels
from repairlab.core.amounts import count
from repairlab.core.arguments import check_value, checked
from repairlab.core.bug import Bug, Labels, Oracle, Provenance, Tree, remember_digest
from repairlab.core.errors import UnknownItemError, UserError, unknown
from repairlab.core.problem import Problem
from repairlab.core.record import SCHEMA_VERSION, digest, record
from repairlab.core.storage.database import Database
from repairlab.core.storage.encoding import decode, encode
from repairlab.languages.facts import names as language_names
from repairlab.languages.language import default_cache
from repairlab.validation.cache import engine_digest

BUILT_IN = Path(__file__).parent.parent / "benchmarks" / "data"
FILE = f"bugs-{SCHEMA_VERSION}.sqlite"
LARGEST_MB = 1024
MOST_KEPT = 256
"""How many bugs of a benchmark are kept in memory."""
SETTLED_S = 2.0
"""A file that changed just before it was looked at may change again within one tick of the file system's clock."""
_LISTING = "repairlab list BENCHMARK"
_SCHEMA = "CREATE TABLE IF NOT EXISTS bugs (number INTEGER PRIMARY KEY AUTOINCREMENT, key TEXT UNIQUE, signature TEXT, value BLOB);"


def benchmark_names() -> list[str]:
    """Return the names of the built-in benchmarks."""
    return sorted(path.parent.name for path in BUILT_IN.glob("*/benchmark.toml"))


def split_reference(reference: str) -> tuple[str, str]:
    """Return the name or folder of the benchmark, and the bug's id."""
    name, slash, bug_id = reference.rpartition("/")
    if not slash:
        there = [
            f"{benchmark}/{reference}" for benchmark in benchmark_names() if (BUILT_IN / benchmark / "bugs" / reference).is_dir()
        ]
        hint = f"Did you mean {there[0]!r}?" if there else "For example: starter/python-version-order; see: repairlab list starter"
        raise UserError(f"{reference[:80]!r} names no benchmark. Write BENCHMARK/BUG. {hint}")
    return name, bug_id


def find_folder(benchmark: str) -> Path:
    """Return the folder of a benchmark, given by its name or as a folder."""
    if benchmark in benchmark_names():
        return BUILT_IN / benchmark
    if Path(benchmark).is_dir():
        return Path(benchmark)
    name, _, bug_id = benchmark.rpartition("/")
    if name in benchmark_names() or (name and Path(name, "benchmark.toml").is_file()):
        raise UserError(f"{benchmark!r} names the bug {bug_id!r} of a benchmark; name the benchmark alone: {name!r}")
    raise UserError(f"{unknown('benchmark', benchmark, benchmark_names())} A folder with a benchmark.toml is fine too.")


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


class Benchmark:
    """Bugs of one benchmark, in a fixed order: all of them, or those that `filter` left.

    Each bug is read when it is asked for, and the last ones are kept; a filter by what bugs are reads them all, one by one.
    """

    def __init__(self, name: str | Path, cache: Path, *, found_labels: bool = True, settled_s: float = SETTLED_S) -> None:
        """Take the name or folder of a benchmark, and the folder of the index; only the list of bugs is read."""
        self.source = str(name)
        """The name or folder that it was opened by."""
        self.folder = find_folder(self.source).absolute()  # the current folder may change before a bug is read
        head, self._folders = read_head(self.folder)
        self.name, self.version, self.licence, self.description = head.name, head.version, head.licence, head.description
        self.ids = tuple(self._folders)
        self._whole: Benchmark | None = None
        self._cache = cache
        self._labels = self.folder / LABELS_NAME if found_labels else None
        self._settled_s = settled_s
        self._kept: dict[str, Bug] = {}
        self._names: dict[str, str] = {}
        self._opened: tuple[int, Database] | None = None

    def __len__(self) -> int:
        return len(self.ids)

    def __contains__(self, bug: object) -> bool:
        return (bug.id if isinstance(bug, Bug) else bug) in self.ids

    def __iter__(self) -> Iterator[Bug]:
        return map(self._bug, self.ids)

    @overload
    def __getitem__(self, which: str | int) -> Bug: ...
    @overload
    def __getitem__(self, which: slice) -> "Benchmark": ...
    @checked()
    def __getitem__(self, which: Annotated[str | int | slice, "an id, a place or a slice"]) -> "Bug | Benchmark":
        """Return a bug by id or place, or a part of the benchmark by a slice."""
        if isinstance(which, slice):
            return self._part(self.ids[which])
        if isinstance(which, str):
            return self.bug(which)
        if not -len(self) <= which < len(self):
            raise IndexError(f"{self.name} has no bug at place {which}; it has {len(self)}")
        return self._bug(self.ids[which])

    def __repr__(self) -> str:
        shown = ", ".join(self.ids[:3]) + (", …" if len(self.ids) > 3 else "")
        return f"<benchmark {self.name} {self.version}: {count(len(self.ids), 'bug')} ({shown})>"

    def __getstate__(self) -> dict[str, object]:
        return {**self.__dict__, "_opened": None}  # a connection belongs to its process

    @property
    def whole(self) -> "Benchmark":
        """Return all bugs, including those that a filter excluded."""
        return self._whole or self

    @functools.cached_property
    def digest(self) -> str:
        """Return the hash over name, version and every bug of the whole; entries of the index need not become bugs for that."""
        if self._whole:
            return self._whole.digest
        digests = [self._kept[bug_id].digest if bug_id in self._kept else self._digest(bug_id) for bug_id in self.ids]
        return digest(self.name, self.version, digests)

    def bug(self, bug_id: str) -> Bug:
        """Return one bug by id, with or without the benchmark's name before it."""
        wanted = bug_id.removeprefix(f"{self.name}/")
        if wanted not in self.ids:
            raise UnknownItemError(*unknown(f"bug of {self.name}", wanted, self.ids, listing=_LISTING).args)
        return self._bug(wanted)

    def select(self, include: tuple[str, ...] = (), *, limit: int | None = None) -> tuple[Bug, ...]:
        """Return the bugs whose id matches one of the shell patterns (all without any), at most `limit`; each must match one."""
        return tuple(map(self._bug, self.select_ids(include, limit=limit)))

    def select_ids(self, include: tuple[str, ...] = (), *, limit: int | None = None) -> tuple[str, ...]:
        """Return the ids of the bugs that `select` returns, without reading any."""
        if limit is not None and limit < 1:
            raise UserError(f"--limit is {limit}: at least 1 bug is needed")
        patterns = [pattern.removeprefix(f"{self.name}/") for pattern in include]
        matchless = [pattern for pattern in patterns if not self._matching([pattern])]
        if matchless:
            raise unknown(f"bug of {self.name}", matchless, self.ids, listing=_LISTING)
        return tuple(self._matching(patterns)[:limit])

    @checked()
    def filter(
        self,
        *patterns: Annotated[str, "shell patterns of ids, each as an argument of its own"],
        language: str | None = None,
        where: Callable[[Bug], bool] | None = None,
        limit: int | None = None,
        **labels: str,
    ) -> "Benchmark":
        """Return the bugs that match all that is said; a filter that leaves none is an error, for it is a typo.

        `patterns` are shell patterns of ids, of which one must match; `labels` are those of `Labels`, such as `split="test"`.
        """
        for label, value in labels.items():
            if label not in Labels.__dataclass_fields__:
                raise unknown("label", label, (*Labels.__dataclass_fields__, "language", "where", "limit"))
            check_value("Benchmark.filter()", label, value, get_type_hints(Labels)[label])
        if language is not None and language not in language_names():
            raise unknown("language", language, language_names())
        if limit is not None and limit < 1:
            raise UserError(f"limit is {limit}: at least 1 bug is needed")
        ids = self._matching(patterns)
        if language is not None or where is not None or labels:
            ids = [
                bug.id
                for bug in map(self._bug, ids)
                if (language is None or bug.problem.language == language)
                and all(getattr(bug.labels, label) == value for label, value in labels.items())
                and (where is None or where(bug))
            ]
        return self._part(tuple(ids[:limit]))

    def _matching(self, patterns: Sequence[str]) -> list[str]:
        return [bug_id for bug_id in self.ids if not patterns or any(fnmatchcase(bug_id, pattern) for pattern in patterns)]

    def _part(self, ids: tuple[str, ...]) -> "Benchmark":
        if not ids:
            raise UserError(f"no bug of {self.name} is left: none of {len(self.ids)} matches")
        part = copy(self)
        part.ids, part._whole = ids, self.whole
        return part

    def _bug(self, bug_id: str) -> Bug:
        if self._whole:
            return self._whole._bug(bug_id)
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
            return load_bug(folder, self.name)  # which says what is missing
        state, key = state_of(folder), self._key(folder)
        if (known := self._look_up(key, folder, state)) is not None:
            return known
        bug = load_bug(folder, self.name)
        if not any(path.is_symlink() for path in folder.iterdir()):  # links are not followed when looking for changes
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
        return digest(engine_digest(), _reading_digest(), self.name, str(folder.absolute()))

    def _data(self, key: str, state: FolderState) -> dict[str, Any] | None:
        rows = self._database.rows("SELECT value FROM bugs WHERE key = ? AND signature = ?", (key, state.signature))
        try:
            data = json.loads(zlib.decompress(rows[0][0])) if rows else None
        except Exception:  # damaged in some way: the same as nothing
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
        """Share equal names: bugs of one project have most of theirs in common, and there are thousands."""
        return tuple(self._names.setdefault(name, name) for name in tests)


@functools.cache
def _reading_digest() -> str:
    """Return a hash of the code that reads bugs; the engine's hash covers the search for targets."""
    files = [Path(module.__file__ or "") for module in (reading, protection, bug_files)]
    return digest(*(hashlib.sha256(path.read_bytes()).hexdigest() for path in files))


def open_benchmark(name: str | Path, *, found_labels: bool = True) -> Benchmark:
    """Open a built-in benchmark by name, or any other by the path of its folder; each bug is read when it is asked for.

    Labels that were found beside it (`repairlab label`) stand in for those that a bug does not state, unless they are not wanted.
    """
    return Benchmark(name, default_cache(), found_labels=found_labels)


def open_bug(reference: str) -> Bug:
    """Read one bug given as `benchmark/bug` (the benchmark may be a folder: `path/to/benchmark/bug`), and no other."""
    name, bug_id = split_reference(reference)
    return open_benchmark(name).bug(bug_id)
