"""Defects4C's patches: whole patched files in a folder, named MD5@COMMIT___FILE after the text, the fixing commit and the file."""

import hashlib
import re
from collections.abc import Iterable, Iterator
from pathlib import Path, PurePosixPath

from repairlab.core.benchmark import Benchmark
from repairlab.core.errors import UserError
from repairlab.core.foreign import read_text
from repairlab.core.storage.new_folder import new_folder
from repairlab.core.words import count
from repairlab.formats.format import ExternalCandidate, JudgedCandidate, Sight, Unreadable
from repairlab.formats.making import Maker
from repairlab.formats.reading import read_entries
from repairlab.formats.writing import file_text, rendered, write_text

_NAME = re.compile(r"([0-9a-fA-F]{32})@([0-9a-fA-F]{7,40})___(.+)")


def recognises(sight: Sight) -> bool:
    """Return whether a folder holds files with such names."""
    return any(_NAME.fullmatch(PurePosixPath(name).name) for name in sight.names)


def read(path: Path, benchmark: Benchmark) -> Iterator[ExternalCandidate | Unreadable]:
    """Read patched files in the order of their names, below the folder at whatever depth; other files are left alone."""
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
