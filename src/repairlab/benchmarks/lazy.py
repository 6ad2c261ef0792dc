"""A benchmark whose bugs are read when they are asked for, and parts of it. What `repairlab.load` gives."""

from collections.abc import Callable, Iterator
from fnmatch import fnmatchcase
from functools import cached_property
from pathlib import Path
from typing import overload

from repairlab.benchmarks.catalog import find_folder, find_target, open_benchmark
from repairlab.benchmarks.folder import load_bug, read_head
from repairlab.core.benchmark import Benchmark
from repairlab.core.bug import Bug, Labels
from repairlab.core.errors import UserError, unknown


class LazyBenchmark:
    """Bugs of one benchmark, in its order: all of them, or those that `filter` left.

    One bug by id is read alone; all are read at once, and once, by whatever needs them: iterating, or a filter by what they are.
    """

    def __init__(self, name: str | Path) -> None:
        """Take the name of a built-in benchmark, or the folder of another one; only its list of bugs is read."""
        self.source = str(name)
        """The name or folder that it was loaded by."""
        self.folder = find_folder(self.source).absolute()  # the current folder may change before a bug is read
        head, self._folders = read_head(self.folder)
        self.name, self.version, self.licence, self.description = head.name, head.version, head.licence, head.description
        self.ids: tuple[str, ...] = tuple(self._folders)
        self._read: dict[str, Bug] = {}
        self._parent: LazyBenchmark | None = None

    @cached_property
    def benchmark(self) -> Benchmark:
        """The whole benchmark, with bugs that a filter left out: its digest is over all of them."""
        return self._parent.benchmark if self._parent else open_benchmark(str(self.folder))

    @property
    def is_whole(self) -> bool:
        """Whether no filter left a bug out."""
        return self._parent is None

    def __len__(self) -> int:
        return len(self.ids)

    def __contains__(self, bug: object) -> bool:
        return (bug.id if isinstance(bug, Bug) else bug) in self.ids

    def __iter__(self) -> Iterator[Bug]:
        wanted = set(self.ids)
        return (bug for bug in self.benchmark if bug.id in wanted)

    @overload
    def __getitem__(self, which: str | int) -> Bug: ...
    @overload
    def __getitem__(self, which: slice) -> "LazyBenchmark": ...
    def __getitem__(self, which: str | int | slice) -> "Bug | LazyBenchmark":
        """Return a bug by id or place, or a part of the benchmark by a slice."""
        if isinstance(which, slice):
            return self._part(self.ids[which])
        bug_id = self.ids[which] if isinstance(which, int) else which.removeprefix(f"{self.name}/")
        if bug_id not in self.ids:
            raise unknown(f"bug of {self.name}", bug_id, self.ids)
        if bug_id not in self._read:
            self._read[bug_id] = load_bug(self._folders[bug_id], self.name, find_target)
        return self._read[bug_id]

    def filter(
        self,
        *patterns: str,
        language: str | None = None,
        where: Callable[[Bug], bool] | None = None,
        limit: int | None = None,
        **labels: str,
    ) -> "LazyBenchmark":
        """Return the bugs that match all that is said; a filter that leaves none is an error, for it is a typo.

        `patterns` are shell patterns of ids, of which one must match; `labels` are those of `Labels`, such as `split="test"`.
        """
        for label in labels:
            if label not in Labels.__dataclass_fields__:
                raise unknown("label", label, Labels.__dataclass_fields__)
        ids = [bug_id for bug_id in self.ids if not patterns or any(fnmatchcase(bug_id, pattern) for pattern in patterns)]
        if language is not None or where is not None or labels:
            known = {bug.id: bug for bug in self}
            ids = [
                bug_id
                for bug_id in ids
                if (language is None or known[bug_id].problem.language == language)
                and all(getattr(known[bug_id].labels, label) == value for label, value in labels.items())
                and (where is None or where(known[bug_id]))
            ]
        return self._part(tuple(ids[:limit]))

    def _part(self, ids: tuple[str, ...]) -> "LazyBenchmark":
        if not ids:
            raise UserError(f"no bug of {self.name} is left: none of {len(self.ids)} matches")
        part = LazyBenchmark.__new__(LazyBenchmark)
        part.__dict__.update({key: value for key, value in self.__dict__.items() if key != "benchmark"})
        part.ids, part._parent = ids, self
        return part

    def __repr__(self) -> str:
        shown = ", ".join(self.ids[:3]) + (", …" if len(self.ids) > 3 else "")
        return f"<benchmark {self.name} {self.version}: {len(self.ids)} bugs ({shown})>"
