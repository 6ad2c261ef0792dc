"""Fixes of classical repair tools on Defects4J (`APR_fixes_all.json`): correct and overfitting ones by tool, unranked."""

import re
from collections.abc import Iterator, Sequence
from pathlib import Path

from repairlab.core.errors import UserError
from repairlab.core.foreign import as_type, field, read_object
from repairlab.formats.format import Sight
from repairlab.metrics.published import PublishedOutcome, PublishedResults, PublishedVerdict, make_results

_VERDICTS = {"correct": PublishedVerdict.CORRECT, "overfit": PublishedVerdict.REJECTED}
_BUG = re.compile(r"([A-Za-z]+)[_-](\d+)")


def recognises_results(sight: Sight) -> bool:
    """Return whether the first tool has lists of correct or overfitting fixes."""
    value = sight.value
    return isinstance(value, dict) and any(isinstance(value.get(name), list) for name in _VERDICTS)


def read_results(paths: Sequence[Path]) -> PublishedResults:
    """Read files of fixes."""
    return make_results(item for path in paths for item in _outcomes(path))


def _outcomes(path: Path) -> Iterator[PublishedOutcome]:
    for tool, entry in read_object(path).items():
        where = f"{path}, entry {tool!r}"
        lists = as_type(entry, dict, where)
        for name in lists:
            if name not in _VERDICTS:
                raise UserError(f"{where}: unknown field {name!r}; known are correct and overfit")
        for name, verdict in _VERDICTS.items():
            for number, value in enumerate(field(lists, name, list, where), start=1):
                place = f"{where}, {name}, item {number}"
                found = _BUG.fullmatch(as_type(value, str, place))
                if not found:
                    raise UserError(f"{place}: {value!r} is no bug of Defects4J; it should look like Chart_14")
                yield PublishedOutcome(system=tool, bug=f"defects4j/{found[1]}-{found[2]}", rank=None, verdict=verdict)
