"""NPR4J's candidate lists of 2024: BUG.SYSTEM.patchinfo.json and, beside it, the whole patched files that it names.

The paths in such a list are those of the machine it was made on. Only their ends count, looked up below the list's own folder,
so that a list cannot make us read files elsewhere.
"""

import json
from collections.abc import Iterable, Iterator
from pathlib import Path, PurePosixPath
from typing import Any

from repairlab.benchmarks.catalog import Benchmark
from repairlab.core.bug import Bug
from repairlab.core.candidate import Edit
from repairlab.core.errors import UserError
from repairlab.core.foreign import as_type, field, objects, read_json, read_text
from repairlab.core.storage.folders import new_folder
from repairlab.formats.format import ExternalCandidate, JudgedCandidate, Sight, Unreadable
from repairlab.formats.reading import Maker, read_entries
from repairlab.formats.writing import changed_files, write_text

_ENDING = ".patchinfo.json"


def recognises(sight: Sight) -> bool:
    """Return whether the file, or one of a folder, is a list of patches."""
    return any(name.endswith(_ENDING) for name in (*sight.names, sight.path.name)) or "patch_contents" in sight.entry


def read(path: Path, benchmark: Benchmark) -> Iterator[ExternalCandidate | Unreadable]:
    """Read one list, or all lists of a folder; the candidates of a bug are ranked by patch_index."""
    maker = Maker(benchmark, repairer="npr4j")
    for file in sorted(path.rglob(f"*{_ENDING}")) if path.is_dir() else [path]:
        try:
            entries = sorted(enumerate(as_type(read_json(file), list), start=1), key=lambda item: _index(item[1]))
        except UserError as error:
            if not path.is_dir():
                raise
            yield Unreadable(where=file.name, reason=str(error))
            continue
        system = file.name.removesuffix(_ENDING).rpartition(".")[2] or None
        named = ((f"{file.name}, entry {number}", (entry, system, file.parent)) for number, entry in entries)
        yield from read_entries(maker.index, named, lambda item: [_candidates_of(*item, maker)])


def _index(entry: Any) -> int:
    index = entry.get("patch_index") if isinstance(entry, dict) else None
    return int(index) if isinstance(index, int) or (isinstance(index, str) and index.isdecimal()) else 0


def _candidates_of(value: Any, system: str | None, folder: Path, maker: Maker) -> ExternalCandidate:
    entry = as_type(value, dict)
    bug = maker.bug(field(entry, "bug_id", str))
    contents = [item for _, item in objects(field(entry, "patch_contents", list), "patch_contents")]
    edits = [
        Edit(
            path=field(item, "relative_file_position", str),
            text=read_text(_find(field(item, "patch_content_position", str), folder)),
        )
        for item in contents
    ]
    if not edits:
        return maker.unusable(bug, "the answer is empty", None)
    return maker.made(bug, tuple(edits), maker.origin(system))


def _find(position: str, folder: Path) -> Path:
    """Return the file below `folder` that has the longest part of a path's end."""
    parts = [part for part in PurePosixPath(position.replace("\\", "/")).parts if part not in ("/", "..", ".")]
    for start in range(len(parts)):
        tail = folder.joinpath(*parts[start:])
        if tail.is_file() and tail.resolve().is_relative_to(folder.resolve()):
            return tail
    name = "/".join(parts[-2:])
    raise UserError(f"patch_content_position: {name!r} is not below {folder}, with or without the folders before it")


def write(samples: Iterable[JudgedCandidate], benchmark: Benchmark, path: Path) -> tuple[str, ...]:
    """Write a folder with one list per bug and system, and the patched files beside them."""
    notes: list[str] = []
    lists: dict[str, list[dict[str, Any]]] = {}
    with new_folder(path) as folder:
        for sample in samples:
            bug, rank = benchmark.bug(sample.candidate.bug_id), sample.candidate.rank
            try:
                contents = list(_contents(sample, bug, folder)) if sample.candidate.problem is None else []
            except UserError as error:
                notes.append(f"bug {bug.id}, rank {rank}: left out, since {error}")
                continue
            system = _system(sample)
            entry = {"bug_id": bug.id, "patch_index": rank, "patch_contents": contents}
            lists.setdefault(f"{bug.id}.{system}{_ENDING}", []).append(entry)
        if not lists:
            raise UserError(f"this format can say none of the candidates. The first: {notes[0] if notes else 'there is none'}")
        for name, entries in lists.items():
            write_text(folder / name, json.dumps(entries, indent=1) + "\n")
    return tuple(notes)


def _system(sample: JudgedCandidate) -> str:
    origin = sample.candidate.origin
    return (origin.model or origin.repairer).replace("/", "-").replace(".", "-")


def _contents(sample: JudgedCandidate, bug: Bug, folder: Path) -> Iterator[dict[str, str]]:
    changed = changed_files(sample.candidate, bug)
    if None in changed.values():
        raise UserError("it deletes a file, which a list of patched files cannot say")
    for path, text in changed.items():
        name = PurePosixPath(path)
        position = PurePosixPath(bug.id, _system(sample), str(sample.candidate.rank), f"{name.as_posix()}.patch")
        write_text(folder / position, text or "")
        yield {"relative_file_position": path, "patch_content_position": position.as_posix()}
