"""Unified diffs: a folder BUG/N.diff or BUG.diff (or .patch), or one such file."""

import re
from collections.abc import Iterable, Iterator
from pathlib import Path

from repairlab.benchmarks.catalog import Benchmark
from repairlab.core.foreign import read_text
from repairlab.core.storage.folders import new_folder
from repairlab.formats.format import ExternalCandidate, JudgedCandidate, Sight, Unreadable
from repairlab.formats.reading import Maker, read_entries
from repairlab.formats.writing import diff_text, rendered, write_text

_ENDINGS = (".diff", ".patch")


def recognises(sight: Sight) -> bool:
    """Return whether there are only diffs, by their names."""
    names = sight.names or (sight.path.name,)
    return all(name.endswith(_ENDINGS) and name.count("/") <= 1 for name in names) and not any("@" in name for name in names)


def read(path: Path, benchmark: Benchmark) -> Iterator[ExternalCandidate | Unreadable]:
    """Read diffs; those of a bug are ranked by number, then by name."""
    maker = Maker(benchmark)
    root = path if path.is_dir() else path.parent
    files = [file for file in path.rglob("*") if file.is_file() and file.suffix in _ENDINGS] if path.is_dir() else [path]
    named = ((file.relative_to(root).as_posix(), file) for file in sorted(files, key=_order))
    return read_entries(maker.index, named, lambda file: [maker.diff(maker.bug(_bug(file, root)), read_text(file))])


def _bug(file: Path, root: Path) -> str:
    parts = file.relative_to(root).parts
    return file.stem if len(parts) == 1 else parts[0]


def _order(file: Path) -> tuple[str, int, str]:
    number = re.search(r"\d+", file.stem)
    return str(file.parent), int(number[0]) if number else 0, file.name


def write(samples: Iterable[JudgedCandidate], benchmark: Benchmark, path: Path) -> tuple[str, ...]:
    """Write one diff per candidate, numbered by rank; one without edits is an empty file."""
    notes: list[str] = []
    with new_folder(path) as folder:
        for item in rendered(samples, benchmark, diff_text, notes):
            write_text(folder / item.bug.id / f"{item.sample.candidate.rank}.diff", item.text)
    return tuple(notes)
