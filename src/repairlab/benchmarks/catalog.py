"""Find a benchmark by name or folder and read it with the languages at hand."""

from pathlib import Path

from repairlab.benchmarks.folder import read_head
from repairlab.benchmarks.index import BugReader
from repairlab.benchmarks.labels_file import LabelledReader
from repairlab.core.benchmark import Benchmark, LazyBugs
from repairlab.core.bug import Bug
from repairlab.core.errors import UserError, unknown
from repairlab.core.problem import Target
from repairlab.core.text import Span
from repairlab.languages.facts import names
from repairlab.languages.table import default_cache, language

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
    reader = BugReader(head.name, folders, find_target, default_cache())
    read = LabelledReader(reader, folder) if found_labels else reader
    return Benchmark(
        name=head.name,
        version=head.version,
        licence=head.licence,
        description=head.description,
        bugs=LazyBugs(tuple(folders), read, reader.digest_of),
    )


def open_bug(reference: str) -> Bug:
    """Read one bug given as `benchmark/bug` (the benchmark may be a folder: `path/to/benchmark/bug`), and no other."""
    name, bug_id = split_reference(reference)
    return open_benchmark(name).bug(bug_id)


def split_reference(reference: str) -> tuple[str, str]:
    """Return the name or folder of the benchmark, and the bug's id."""
    name, slash, bug_id = reference.rpartition("/")
    if not slash:
        raise UserError(
            f"{reference!r} is no bug. Write BENCHMARK/BUG, for example starter/python-example; see: repairlab list starter"
        )
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


def find_target(language_name: str, source: str, name: str | None) -> tuple[Target, str]:
    """Return the function called `name` (or the whole file) and its text without comments."""
    if language_name not in names():
        raise unknown("language", language_name, names())
    syntax = language(language_name).syntax
    if name is None:
        span = Span(start=0, end=len(source))
    else:
        functions = syntax.functions(source)
        found = [function for function in functions if name in (function.qualified, function.signature)]
        if len(found) != 1:
            known = [function.qualified for function in functions]
            raise (
                unknown("target function", name, known)
                if not found
                else UserError(f"target function {name!r} is there {len(found)} times")
            )
        span = found[0].span
    text = span.of(source)
    return Target(name=name, span=span, text=text), syntax.strip_comments(text)
