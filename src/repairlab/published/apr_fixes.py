"""Fixes of classical repair tools on Defects4J (`APR_fixes_all.json`): correct and overfitting ones by tool, without ranks."""

import re
from collections.abc import Iterator, Sequence
from pathlib import Path

from repairlab.core.errors import UserError
from repairlab.core.foreign import as_type, field
from repairlab.published.judgement import Judgement, Results, Ruling, results
from repairlab.published.reading import read_object

_RULINGS = {"correct": Ruling.CORRECT, "overfit": Ruling.REJECTED}
_HEAD = re.compile(r'\s*\{\s*"[^"]+"\s*:\s*\{\s*"(correct|overfit)"\s*:\s*\[')
_BUG = re.compile(r"([A-Za-z]+)[_-](\d+)")


def recognise(path: Path, head: str) -> bool:
    """Whether a file begins as such a list does."""
    return path.is_file() and bool(_HEAD.match(head))


def read(paths: Sequence[Path]) -> Results:
    """Read files of fixes."""
    return results(item for path in paths for item in _judgements(path))


def _judgements(path: Path) -> Iterator[Judgement]:
    for tool, entry in read_object(path).items():
        where = f"{path}, entry {tool!r}"
        lists = as_type(entry, dict, where, "it")
        for name in lists:
            if name not in _RULINGS:
                raise UserError(f"{where}: unknown field {name!r}; known are correct and overfit")
        for name, ruling in _RULINGS.items():
            for number, value in enumerate(field(lists, name, list, where), start=1):
                place = f"{where}, {name}, item {number}"
                found = _BUG.fullmatch(as_type(value, str, place, "it"))
                if not found:
                    raise UserError(f"{place}: {value!r} is no bug of Defects4J; it should look like Chart_14")
                yield Judgement(system=tool, bug=f"defects4j/{found[1]}-{found[2]}", rank=None, ruling=ruling)
