"""What published results are read with, besides `core.foreign`."""

from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import Any

from repairlab.core.errors import UserError
from repairlab.core.foreign import as_type, field, read_json
from repairlab.published.judgement import Ruling


def files_of(paths: Sequence[Path], pattern: str) -> list[Path]:
    """Return the files, with those that match in place of each folder."""
    found: list[Path] = []
    for path in paths:
        inside = sorted(path.glob(pattern)) if path.is_dir() else [path]
        if not inside:
            raise UserError(f"{path} has no file {pattern}")
        found += inside
    return found


def read_object(path: Path) -> dict[str, Any]:
    """Return the content of a file with one JSON object."""
    return as_type(read_json(path), dict, str(path), "the file")


def objects(values: Sequence[Any], where: str) -> Iterator[tuple[str, dict[str, Any]]]:
    """Yield where each object of a list is, for messages, and the object."""
    for number, value in enumerate(values, start=1):
        place = f"{where}, item {number}"
        yield place, as_type(value, dict, place, "it")


CORRECTNESS = {
    "plausible": Ruling.PLAUSIBLE,
    "wrong": Ruling.WRONG,
    "uncompilable": Ruling.UNCOMPILABLE,
    "timeout": Ruling.TIMEOUT,
    "init-error": Ruling.UNDECIDED,
}
"""The words of `correctness`, which NL2Fix and clm share."""


def correctness(entry: dict[str, Any], where: str) -> Ruling:
    """Return what the field `correctness` says; null means that the candidate was never run."""
    if "correctness" in entry and entry["correctness"] is None:
        return Ruling.UNDECIDED
    word = field(entry, "correctness", str, where)
    if word not in CORRECTNESS:
        raise UserError(f"{where}: the field 'correctness' is {word!r}; known are {', '.join(CORRECTNESS)} and null")
    return CORRECTNESS[word]
