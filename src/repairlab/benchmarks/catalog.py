"""Find a benchmark by name or folder; its bugs, and those that a filter leaves, are read when they are asked for."""

from collections.abc import Callable, Iterator
from fnmatch import fnmatchcase
from pathlib import Path
from typing import Annotated, get_type_hints, overload

from repairlab.benchmarks.folder import read_head
from repairlab.benchmarks.index import IndexedBugs
from repairlab.benchmarks.labels_file import LABELS_NAME
from repairlab.core.amounts import count
from repairlab.core.arguments import check_value, checked
from repairlab.core.benchmark import Benchmark
from repairlab.core.bug import Bug, Labels
from repairlab.core.errors import UnknownItemError, UserError, unknown
from repairlab.languages.facts import names as language_names
from repairlab.languages.language import default_cache

BUILT_IN = Path(__file__).parent.parent / "benchmarks" / "data"


def benchmark_names() -> list[str]:
    """Return the names of the built-in benchmarks."""
    return sorted(path.parent.name for path in BUILT_IN.glob("*/benchmark.toml"))


def open_benchmark(name: str, *, found_labels: bool = True) -> Benchmark:
    """Open a built-in benchmark by name, or any other by the path of its folder; each bug is read when it is asked for.

    Labels that were found beside it (`repairlab label`) stand in for those that a bug does not state, unless they are not wanted.
    """
    folder = find_folder(name)
    head, folders = read_head(folder)
    labels = folder / LABELS_NAME if found_labels else None
    return Benchmark(
        name=head.name,
        version=head.version,
        licence=head.licence,
        description=head.description,
        bugs=IndexedBugs(head.name, folders, default_cache(), labels=labels),
    )


def open_bug(reference: str) -> Bug:
    """Read one bug given as `benchmark/bug` (the benchmark may be a folder: `path/to/benchmark/bug`), and no other."""
    name, bug_id = split_reference(reference)
    return open_benchmark(name).bug(bug_id)


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


class LazyBenchmark:
    """Bugs of one benchmark, in its order: all of them, or those that `filter` left.

    Each bug is read when it is asked for; a filter by what bugs are reads them all, one after the other.
    """

    def __init__(self, name: str | Path) -> None:
        """Take the name of a built-in benchmark, or the folder of another one; only its list of bugs is read."""
        self.source = str(name)
        """The name or folder that it was loaded by."""
        self.folder = find_folder(self.source).absolute()  # the current folder may change before a bug is read
        self.benchmark: Benchmark = open_benchmark(str(self.folder))
        """The whole benchmark, with bugs that a filter left out: its digest is over all of them."""
        self.name, self.version = self.benchmark.name, self.benchmark.version
        self.licence, self.description = self.benchmark.licence, self.benchmark.description
        self.ids: tuple[str, ...] = self.benchmark.ids
        self.is_whole = True
        """Whether no filter left a bug out."""

    def __len__(self) -> int:
        return len(self.ids)

    def __contains__(self, bug: object) -> bool:
        return (bug.id if isinstance(bug, Bug) else bug) in self.ids

    def __iter__(self) -> Iterator[Bug]:
        return map(self.benchmark.bug, self.ids)

    @overload
    def __getitem__(self, which: str | int) -> Bug: ...
    @overload
    def __getitem__(self, which: slice) -> "LazyBenchmark": ...
    @checked()
    def __getitem__(self, which: Annotated[str | int | slice, "an id, a place or a slice"]) -> "Bug | LazyBenchmark":
        """Return a bug by id or place, or a part of the benchmark by a slice."""
        if isinstance(which, slice):
            return self._part(self.ids[which])
        if isinstance(which, int) and not -len(self) <= which < len(self):
            raise IndexError(f"{self.name} has no bug at place {which}; it has {len(self)}")
        bug_id = self.ids[which] if isinstance(which, int) else which.removeprefix(f"{self.name}/")
        if bug_id not in self.ids:
            raise UnknownItemError(*unknown(f"bug of {self.name}", bug_id, self.ids).args)
        return self.benchmark.bug(bug_id)

    @checked()
    def filter(
        self,
        *patterns: Annotated[str, "shell patterns of ids, each as an argument of its own"],
        language: str | None = None,
        where: Callable[[Bug], bool] | None = None,
        limit: int | None = None,
        **labels: str,
    ) -> "LazyBenchmark":
        """Return the bugs that match all that is said; a filter that leaves none is an error, for it is a typo.

        `patterns` are shell patterns of ids, of which one must match; `labels` are those of `Labels`, such as `split="test"`.
        """
        for label, value in labels.items():
            if label not in Labels.__dataclass_fields__:
                raise unknown("label", label, (*Labels.__dataclass_fields__, "language", "where", "limit"))
            check_value("LazyBenchmark.filter()", label, value, get_type_hints(Labels)[label])
        if language is not None and language not in language_names():
            raise unknown("language", language, language_names())
        if limit is not None and limit < 1:
            raise UserError(f"limit is {limit}: at least 1 bug is needed")
        ids = [bug_id for bug_id in self.ids if not patterns or any(fnmatchcase(bug_id, pattern) for pattern in patterns)]
        if language is not None or where is not None or labels:
            ids = [
                bug.id
                for bug in map(self.benchmark.bug, ids)
                if (language is None or bug.problem.language == language)
                and all(getattr(bug.labels, label) == value for label, value in labels.items())
                and (where is None or where(bug))
            ]
        return self._part(tuple(ids[:limit]))

    def _part(self, ids: tuple[str, ...]) -> "LazyBenchmark":
        if not ids:
            raise UserError(f"no bug of {self.name} is left: none of {len(self.ids)} matches")
        part = LazyBenchmark.__new__(LazyBenchmark)
        part.__dict__.update(self.__dict__)
        part.ids, part.is_whole = ids, False
        return part

    def __repr__(self) -> str:
        shown = ", ".join(self.ids[:3]) + (", …" if len(self.ids) > 3 else "")
        return f"<benchmark {self.name} {self.version}: {count(len(self.ids), 'bug')} ({shown})>"
