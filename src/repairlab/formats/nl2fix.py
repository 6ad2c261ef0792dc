"""NL2Fix: candidates by method, with verdicts in its `-validated.jsonl`; and its dataset, whose fixes and issues are measured.

A method is named PROJECT_NUMBER_PATH_FIRST_LAST, with the lines that it has in the buggy file; a patch is its new text.
"""

import dataclasses
import difflib
import re
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from pathlib import Path
from typing import Any, NamedTuple

from repairlab.benchmarks.catalog import Benchmark
from repairlab.core.bug import Bug
from repairlab.core.errors import UserError
from repairlab.core.foreign import as_type, field, objects, parse_json, read_object
from repairlab.core.outcome import Verdict
from repairlab.core.record import record
from repairlab.core.table import Cell, Table, named_rows
from repairlab.core.text import line_of
from repairlab.formats.format import (
    WORDS,
    ExternalCandidate,
    JudgedCandidate,
    KnownVerdict,
    Sight,
    Unreadable,
    correctness,
    known_verdict,
    word,
)
from repairlab.formats.reading import Maker, files_of, lines_of, located, look, read_entries
from repairlab.formats.writing import Rendered, by_bug, function_text, rendered, write_json, write_lines
from repairlab.metrics.published import DatasetStatistics, PublishedOutcome, PublishedResults, PublishedVerdict, make_results

_VALIDATED = "-validated.jsonl"


def recognises(sight: Sight) -> bool:
    """Return whether the first method has a list of patches."""
    value = sight.value
    return any(name.endswith(_VALIDATED) for name in sight.names) or (
        isinstance(value, dict) and isinstance(value.get("patches"), list)
    )


def read(path: Path, benchmark: Benchmark) -> Iterator[ExternalCandidate | Unreadable]:
    """Read candidates, with verdicts where there are some, from a file or from all validated files of a folder."""
    maker = Maker(benchmark, repairer="nl2fix")
    keys = {key_of(bug): bug for bug in benchmark}
    for file in sorted(path.glob(f"*{_VALIDATED}")) if path.is_dir() else [path]:
        for where, table in _tables(file):
            if isinstance(table, Unreadable):
                yield table
                continue
            named = ((f"{where}, entry {key!r}", (key, value)) for key, value in table.items())
            yield from read_entries(maker.index, named, lambda item: _candidates_of(*item, maker, keys))


def _tables(file: Path) -> Iterator[tuple[str, dict[str, Any] | Unreadable]]:
    """Yield the objects of a file: itself, or one per line."""
    if not look(file).lines:
        yield file.name, read_object(file)
        return
    for where, line in lines_of(file):
        try:
            yield where, as_type(parse_json(line), dict)
        except UserError as error:
            yield where, Unreadable(where=where, reason=str(error))


def _candidates_of(key: str, value: Any, maker: Maker, keys: dict[str, Bug]) -> Iterator[ExternalCandidate]:
    bug = maker.bug(keys[key].id if key in keys else key)
    patches = [item for _, item in _patches(value)]
    numbered = all(isinstance(item.get("index"), int) for item in patches)
    for item in sorted(patches, key=lambda item: item["index"]) if numbered else patches:
        yield maker.function(bug, field(item, "patch", str), known=_known(item))


def _patches(value: Any) -> Iterator[tuple[str, dict[str, Any]]]:
    """Yield where each patch of a method is, and the patch."""
    return objects(field(as_type(value, dict), "patches", list), "patches")


def _known(item: dict[str, Any]) -> KnownVerdict | None:
    """Return the verdict: correct is plausible without a failing relevant test."""
    found = known_verdict(item.get("correctness"))
    if found and found.word == "plausible" and _fails_relevant(item):
        return KnownVerdict(word="plausible, relevant tests fail", verdicts=WORDS["wrong"])
    return found


def _fails_relevant(item: dict[str, Any]) -> bool:
    return item.get("failing_relevant") is not None and field(item, "failing_relevant", int) > 0


def recognises_results(sight: Sight) -> bool:
    """Return whether it is a file or folder of verdicts, or the dataset."""
    return recognises(sight) or is_dataset(sight.value)


def read_results(paths: Sequence[Path]) -> PublishedResults | DatasetStatistics:
    """Read the dataset, or files of verdicts or folders of them; the folder's name tells the system."""
    has_verdicts = [path.is_dir() or path.name.endswith(".jsonl") for path in paths]
    if len(paths) == 1 and not has_verdicts[0]:
        return statistics(read_object(paths[0]), paths[0])
    if not all(has_verdicts):
        raise UserError(f"{paths[has_verdicts.index(False)]} is no *{_VALIDATED}; give the dataset alone, or only verdicts")
    found = [item for path in files_of(paths, f"*{_VALIDATED}") for item in _outcomes(path)]
    bugs = dict.fromkeys(item.bug for item in found)
    # Whether the first patch has the index 0 or 1 is not said; a 0 anywhere tells.
    offset = 1 if any(item.rank == 0 for item in found) else 0
    return make_results((dataclasses.replace(item, rank=(item.rank or 0) + offset) for item in found), bugs)


def _outcomes(path: Path) -> Iterator[PublishedOutcome]:
    """Yield the verdicts of a file, with the index of a patch as its rank."""
    system = path.absolute().parent.name
    for where, table in _tables(path):
        with located(f"{path.parent}/{where}"):
            if isinstance(table, Unreadable):
                raise UserError(table.reason)
        for key, value in table.items():
            with located(f"{path.parent}/{where}, entry {key!r}"):
                project, number = project_and_number(key)
                for place, item in _patches(value):
                    index = field(item, "index", int, place)
                    if index < 0:
                        raise UserError(f"{place}: the field 'index' is {index}; it counts patches")
                    verdict = correctness(item, place)
                    if verdict is PublishedVerdict.PLAUSIBLE and _fails_relevant(item):
                        verdict = PublishedVerdict.WRONG  # as NL2Fix counts it
                    yield PublishedOutcome(system=system, bug=f"defects4j/{project}-{number}", rank=index, verdict=verdict)


def key_of(bug: Bug) -> str:
    """Return the name of a bug's method as NL2Fix writes it."""
    problem = bug.problem
    number = re.fullmatch(r"(?:.*-)?([A-Za-z]+)-(\d+)", bug.id)
    first, last = (line_of(problem.source, at) for at in (problem.target.span.start, max(problem.target.span.end - 1, 0)))
    return f"{f'{number[1]}_{number[2]}' if number else bug.id}_{problem.path}_{first}_{last}"


def write(samples: Iterable[JudgedCandidate], benchmark: Benchmark, path: Path) -> tuple[str, ...]:
    """Write one object of candidates; with the ending .jsonl one line per method, with verdicts."""
    notes: list[str] = []
    groups = by_bug(rendered(samples, benchmark, function_text, notes))
    if path.suffix == ".jsonl":
        write_lines(path, ({key_of(bug): {"patches": [_validated(item) for item in group]}} for bug, group in groups))
    else:
        write_json(path, {key_of(bug): _candidates(group) for bug, group in groups})
    return tuple(notes)


def _candidates(group: list[Rendered]) -> dict[str, Any]:
    patches = [_patch(item) for item in group]
    return {"prompt": "", "patches": patches, "response_length": len(patches), "unique_patches": len({item.text for item in group})}


def _patch(item: Rendered) -> dict[str, Any]:
    return {"patch": item.text, "index": item.sample.candidate.rank - 1}


def _validated(item: Rendered) -> dict[str, Any]:
    """Return a patch with its verdict, and the counts of tests if all of them ran."""
    sample = item.sample
    entry = _patch(item) | {"correctness": word(sample.verdict)}
    if sample.n_tests is None or sample.n_passed is None:
        return entry
    trigger = len(item.bug.oracle.trigger)
    if sample.verdict is Verdict.PLAUSIBLE:
        entry |= {"total_trigger": trigger, "passing_trigger": trigger, "failing_relevant": 0}
    return entry | {"total_relevant": sample.n_tests - trigger}


_WORD = re.compile(r"\w+|[^\w\s]+")
_KEY = re.compile(r"([A-Za-z]+)_(\d+)_.+_\d+_\d+")  # the path between may itself have underscores
HEAD = ("project", "bugs", "single-hunk bugs", "hunks", "changed lines", "changed tokens", "title length", "description length")


@record
class Size:
    """How large one bug is."""

    hunks: int
    lines: int
    """Sum over hunks of the larger of removed and added lines."""
    tokens: int
    """Edit distance of the two texts without comments, in tokens."""
    title: int
    """Words and runs of other characters."""
    description: int


class Versions(NamedTuple):
    """The same code before and after a fix."""

    buggy: str
    fixed: str


def measured(code: Versions, tokens: Callable[[str], Sequence[str]], *, title: str, description: str) -> Size:
    r"""Measure a bug.

    >>> code = Versions("a = 1\nb = 2\nc = 3", "a = 0\nb = 2\nc = 0\nd = 4")
    >>> measured(code, str.split, title="It's wrong", description="")
    Size(hunks=2, lines=3, tokens=5, title=4, description=0)
    """
    from rapidfuzz.distance import Levenshtein  # noqa: PLC0415  # 42 modules: whoever asks what format a file has needs none of them

    matched = difflib.SequenceMatcher(None, code.buggy.splitlines(), code.fixed.splitlines())
    hunks = [max(b - a, d - c) for tag, a, b, c, d in matched.get_opcodes() if tag != "equal"]
    return Size(
        hunks=len(hunks),
        lines=sum(hunks),
        tokens=Levenshtein.distance(tokens(code.buggy), tokens(code.fixed)),
        title=len(_WORD.findall(title)),
        description=len(_WORD.findall(description)),
    )


def size_of(entry: dict[str, Any], where: str) -> Size:
    """Measure one bug of the dataset, which has the tokens of each text beside it."""
    before, after, *tokens = (
        field(entry, name, str, where) for name in ("src", "fixed_src", "src_wo_comments", "fixed_src_wo_comments")
    )
    known = dict(zip((before, after), tokens, strict=True))
    return measured(
        Versions(before, after),
        lambda text: known[text].split(),
        title=field(entry, "summary", str, where),
        description="" if entry.get("Description", "") is None else field(entry, "Description", str, where),
    )


def is_dataset(value: Any) -> bool:
    """Return whether the first value of a file is that of the dataset."""
    return isinstance(value, dict) and "src" in value and "fixed_src" in value


def project_and_number(key: str) -> tuple[str, str]:
    """Return project and number of the bug that a method's key names."""
    found = _KEY.fullmatch(key)
    if not found:
        raise UserError("the key should be PROJECT_BUG_PATH_FIRST_LAST, such as Csv_4_src/A.java_10_20")
    return found[1], found[2]


def statistics(dataset: dict[str, Any], path: Path) -> DatasetStatistics:
    """Return the statistics of a dataset."""
    projects: dict[str, list[Size]] = {}
    for key, entry in dataset.items():
        where = f"{path}, entry {key!r}"
        with located(where):
            project, _ = project_and_number(key)
        projects.setdefault(project, []).append(size_of(as_type(entry, dict, where), where))
    if not projects:
        raise UserError(f"{path} has no bugs")
    title = "Bugs by project; means per bug from the third column on"
    return DatasetStatistics(tables=(Table(name="statistics", title=title, columns=HEAD, rows=rows_by_project(projects)),))


def rows_by_project(projects: Mapping[str, Sequence[Size]]) -> tuple[tuple[Cell, ...], ...]:
    """Return a row for each project, and one for all bugs."""
    rows = {name: _row(projects[name]) for name in sorted(projects)}
    return named_rows({**rows, "Overall": _row([size for sizes in projects.values() for size in sizes])})


def _row(sizes: Sequence[Size]) -> tuple[Cell, ...]:
    n = len(sizes)
    return (
        n,
        sum(size.hunks == 1 for size in sizes),
        sum(size.hunks for size in sizes) / n,
        sum(size.lines for size in sizes) / n,
        sum(size.tokens for size in sizes) / n,
        sum(size.title for size in sizes) / n,
        sum(size.description for size in sizes) / n,
    )
