"""Results of NPR4J (`all_result.json`): plausible patches with system and rank, accepted or rejected by a person."""

import re
from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import Any

from repairlab.core.errors import UserError
from repairlab.core.foreign import as_type, field
from repairlab.published.judgement import Judgement, Results, Ruling, results
from repairlab.published.reading import objects, read_object

_RULINGS = {"accepted": Ruling.CORRECT, "rejected": Ruling.REJECTED}
_HEAD = re.compile(r'\s*\{\s*"[^"]+<SEP>[^"]+"\s*:\s*\{\s*"(accepted|rejected)"')
_RANK = re.compile(r"[0-9]{1,9}")


def recognise(path: Path, head: str) -> bool:
    """Whether a file begins as such results do."""
    return path.is_file() and bool(_HEAD.match(head))


def read(paths: Sequence[Path]) -> Results:
    """Read files of results."""
    judgements: list[Judgement] = []
    bugs: list[str] = []
    for path in paths:
        for key, entry in read_object(path).items():
            where = f"{path}, entry {key!r}"
            benchmark, separator, bug = key.partition("<SEP>")
            if not (separator and benchmark and bug):
                raise UserError(f"{where}: the key should be BENCHMARK<SEP>BUG, such as defects4j<SEP>Time-4")
            bugs.append(f"{benchmark}/{bug}")
            judgements += _judgements(as_type(entry, dict, where, "it"), bugs[-1], where)
    texts = sum(item.written is not None for item in judgements)
    notes = [f"{texts} ranks are written as text; they are read as numbers"] if texts else []
    return results(judgements, bugs, notes)


def _judgements(entry: dict[str, Any], bug: str, where: str) -> Iterator[Judgement]:
    for name in entry:
        if name not in _RULINGS:
            raise UserError(f"{where}: unknown field {name!r}; known are accepted and rejected")
    for name, ruling in _RULINGS.items():
        for place, item in objects(field(entry, name, list, where), f"{where}, {name}"):
            rank, written = _rank(item, place)
            yield Judgement(system=_system(item, place), bug=bug, rank=rank, ruling=ruling, written=written)


def _system(item: dict[str, Any], where: str) -> str:
    """Return the name of the system, which some runs write to `sys` and others to `tool`."""
    if "sys" not in item and "tool" not in item:
        raise UserError(f"{where}: the field 'sys' (or 'tool') is missing; found are {', '.join(sorted(item)) or 'none'}")
    return field(item, "sys" if "sys" in item else "tool", str, where)


def _rank(item: dict[str, Any], where: str) -> tuple[int, str | None]:
    """Return the rank as a number, and as it is written where that is text."""
    value = item.get("index")
    written = value if isinstance(value, str) else None
    if written is not None and _RANK.fullmatch(written):
        value = int(written)
    rank = value if isinstance(value, int) and not isinstance(value, bool) else field(item, "index", int, where)
    if rank < 1:
        raise UserError(f"{where}: the field 'index' is {rank}; ranks begin with 1")
    return rank, written
