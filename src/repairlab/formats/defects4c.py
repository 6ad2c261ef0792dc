"""Defects4C: patches as whole files named MD5@COMMIT___FILE, and counts of bug labels by category and location."""

import hashlib
import re
from collections import Counter
from collections.abc import Iterable, Iterator, Sequence
from pathlib import Path, PurePosixPath
from typing import Any

from repairlab.benchmarks.catalog import Benchmark
from repairlab.core.amounts import count
from repairlab.core.errors import UserError
from repairlab.core.foreign import as_type, field, objects, read_csv, read_json, read_text
from repairlab.core.record import record
from repairlab.core.storage.folders import new_folder
from repairlab.core.table import Cell, Table, named_rows
from repairlab.formats.format import ExternalCandidate, JudgedCandidate, Sight, Unreadable
from repairlab.formats.reading import Maker, files_of, read_entries
from repairlab.formats.writing import file_text, rendered, write_text
from repairlab.metrics.published import DatasetStatistics

_NAME = re.compile(r"([0-9a-fA-F]{32})@([0-9a-fA-F]{7,40})___(.+)")


def recognises(sight: Sight) -> bool:
    """Return whether a folder holds files with such names."""
    return any(_NAME.fullmatch(PurePosixPath(name).name) for name in sight.names)


def read(path: Path, benchmark: Benchmark) -> Iterator[ExternalCandidate | Unreadable]:
    """Read patched files in order of their names, at any depth below the folder; ignore other files."""
    maker = Maker(benchmark, repairer="defects4c")
    files = [file for file in sorted(path.rglob("*@*___*")) if file.is_file()] if path.is_dir() else [path]
    named = ((file.name, file) for file in files)
    return read_entries(maker.index, named, lambda file: [_candidates_of(file, maker)])


def _candidates_of(file: Path, maker: Maker) -> ExternalCandidate:
    name = _NAME.fullmatch(file.name)
    if name is None:
        raise UserError("the name is not MD5@COMMIT___FILE")
    bug = maker.index.of_commit(name[2])
    if PurePosixPath(bug.problem.path).name != name[3]:
        raise UserError(f"the file to fix of bug {bug.id} is {bug.problem.path}, not {name[3]}")
    return maker.file(bug, read_text(file))


def write(samples: Iterable[JudgedCandidate], benchmark: Benchmark, path: Path) -> tuple[str, ...]:
    """Write each distinct patched file once; ranks are lost."""
    notes: list[str] = []
    twice = 0
    with new_folder(path) as folder:
        for item in rendered(samples, benchmark, file_text, notes):
            bug = item.bug
            if not re.fullmatch(r"[0-9a-fA-F]{7,40}", bug.origin.commit or ""):
                raise UserError(f"bug {bug.id} has no commit, by which Defects4C names its patches")
            digest = hashlib.md5(item.text.encode("utf-8", "surrogatepass"), usedforsecurity=False).hexdigest()
            file = folder / f"{digest}@{bug.origin.commit}___{PurePosixPath(bug.problem.path).name}"
            twice += file.exists()
            write_text(file, item.text)
    if twice:
        notes.append(f"{count(twice, 'candidate')} left out, being equal to another")
    return tuple(notes)


CATEGORIES = {
    "A.1": "Incorrect Function Usage",
    "A.2": "Fault Input Type",
    "A.3": "Incorrect Function Return Value",
    "A.4": "Incorrect Variable Usage",
    "B": "Control Expression Error",
    "C.1": "Null Pointer Dereference",
    "C.2": "Uncontrolled Resource Consumption",
    "C.3": "Memory Overflow",
    "D.1": "Improper Condition Organization",
    "D.2": "Wrong Function Call Sequence",
}
"""The taxonomy of Defects4C, table 2."""
_RECORDS = "bugs_list_new.json"
_CSV = re.compile(r"(project|cve),.*\blabel\b")


@record
class _Label:
    kind: str
    """bugs or vulnerabilities."""
    category: str
    location: str


def recognises_results(sight: Sight) -> bool:
    """Return whether a file begins as labels or records do, or a folder has records."""
    records = any(PurePosixPath(name).match(_RECORDS) for name in sight.names) or "commit_after" in sight.entry
    return records or bool(_CSV.match(sight.head))


def read_results(paths: Sequence[Path]) -> DatasetStatistics:
    """Read CSV files of labels, records of projects, or folders with such records below."""
    notes: list[str] = []
    labels: list[_Label] = []
    for path in files_of(paths, f"**/{_RECORDS}"):
        labels += _of_csv(path, notes) if path.suffix == ".csv" else _of_records(path)
    tables = [_table("categories", "category", labels, [item.category for item in labels], CATEGORIES)]
    if any(item.location for item in labels):
        tables.append(_table("locations", "location", labels, [item.location for item in labels], ("line", "hunk", "function")))
    return DatasetStatistics(tables=tuple(tables), notes=tuple(notes))


def _table(name: str, corner: str, labels: list[_Label], of: list[str], known: Sequence[str] | dict[str, str]) -> Table:
    kinds = [kind for kind in ("bugs", "vulnerabilities") if any(item.kind == kind for item in labels)]
    counts = Counter((item.kind, value) for item, value in zip(labels, of, strict=True))
    rows = [*known, *(value for value in dict.fromkeys(of) if value not in known)]
    numbers = {row or "no label": [counts[kind, row] for kind in kinds] for row in rows}
    numbers["all"] = [sum(item.kind == kind for item in labels) for kind in kinds]
    cells: dict[str, tuple[Cell, ...]] = {row: (*found, sum(found)) for row, found in numbers.items()}
    return Table(name=name, title=f"Faults by {corner}", columns=(corner, *kinds, "all"), rows=named_rows(cells))


def _of_csv(path: Path, notes: list[str]) -> list[_Label]:
    """Read labels of bugs, or those of vulnerabilities, of which only rows marked 1 count."""
    vulnerabilities = read_text(path).split("\n", 1)[0].startswith("cve,")
    columns = ("cve", "vul", "label") if vulnerabilities else ("project", "status", "label")
    rows = read_csv(path, columns)
    for where, row in rows:
        if row["label"] not in CATEGORIES and row["label"].strip():
            raise UserError(f"{where}: the column 'label' is {row['label']!r}; known are {', '.join(CATEGORIES)}")
    kept = [row for _, row in rows if not vulnerabilities or row["vul"] == "1"]
    if len(kept) < len(rows):
        notes.append(f"{path}: {len(rows) - len(kept)} of {len(rows)} rows are not marked 1 in the column 'vul' and do not count")
    kind = "vulnerabilities" if vulnerabilities else "bugs"
    return [_Label(kind=kind, category=row["label"].strip(), location="") for row in kept]


def _of_records(path: Path) -> Iterator[_Label]:
    for where, item in objects(as_type(read_json(path), list, str(path), "the file"), str(path)):
        about = field(item, "type", dict, where)
        is_bug = field(about, "type", str, where) == "bug"
        category = field(about, "id", str, where) if is_bug else ""
        if is_bug and category not in CATEGORIES:
            raise UserError(f"{where}: the field 'type.id' is {category!r}; known are {', '.join(CATEGORIES)}")
        files = field(item, "files", dict, where)
        place = _location(field(files, "src0_location", dict, where), where)
        yield _Label(kind="bugs" if is_bug else "vulnerabilities", category=category, location=place)


def _location(entry: dict[str, Any], where: str) -> str:
    if field(entry, "line_is_single", bool, where):
        return "line"
    return "hunk" if field(entry, "hunk_is_single", bool, where) else "function"
