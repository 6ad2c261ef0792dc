"""Files of NL2Fix: verdicts of its validator (`*-validated.jsonl`) and its dataset, whose statistics are table 1."""

import re
from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import Any

from repairlab.core.errors import UserError
from repairlab.core.foreign import as_type, field, parse_json, read_text
from repairlab.core.record import record
from repairlab.published.grid import Statistics
from repairlab.published.judgement import Judgement, Results, Ruling, results
from repairlab.published.nl2fix_dataset import statistics
from repairlab.published.reading import correctness, files_of, objects, read_object

_HEAD = re.compile(r'\s*\{\s*"[A-Za-z]+_\d+_[^"]+_\d+_\d+"\s*:\s*\{\s*"(src|patches)"')
_KEY = re.compile(r"([A-Za-z]+)_(\d+)_.+_\d+_\d+")  # the path between may itself have underscores
_VERDICTS = "*-validated.jsonl"


def recognise(path: Path, head: str) -> bool:
    """Whether a file begins as the dataset or verdicts do, or a folder has verdicts."""
    return bool(_HEAD.match(head)) if path.is_file() else any(path.glob(_VERDICTS))


def read(paths: Sequence[Path]) -> Results | Statistics:
    """Read the dataset, or files of verdicts or folders of them; the folder's name tells the system."""
    verdicts = [path.is_dir() or path.name.endswith(".jsonl") for path in paths]
    if len(paths) == 1 and not verdicts[0]:
        return statistics(read_object(paths[0]), paths[0])
    if not all(verdicts):
        raise UserError(f"{paths[verdicts.index(False)]} is no {_VERDICTS}; give the dataset alone, or only verdicts")
    bugs: list[str] = []
    found: list[_Patch] = []
    for path in files_of(paths, _VERDICTS):
        for patch in _patches(path):
            bugs.append(patch.bug)
            found.append(patch)
    # Whether the first patch has the index 0 or 1 is not said; a 0 anywhere tells.
    offset = 1 if any(patch.index == 0 for patch in found) else 0
    return results(
        (Judgement(system=patch.system, bug=patch.bug, rank=patch.index + offset, ruling=patch.ruling) for patch in found), bugs
    )


@record
class _Patch:
    system: str
    bug: str
    index: int
    ruling: Ruling


def _patches(path: Path) -> Iterator[_Patch]:
    system = path.absolute().parent.name
    for number, line in enumerate(read_text(path).splitlines(), start=1):
        if not line.strip():
            continue
        for key, entry in as_type(parse_json(line, path, number), dict, f"{path}, line {number}", "it").items():
            where = f"{path}, line {number}, entry {key!r}"
            found = _KEY.fullmatch(key)
            if not found:
                raise UserError(f"{where}: the key should be PROJECT_BUG_PATH_FIRST_LAST, such as Csv_4_src/A.java_10_20")
            patches = field(as_type(entry, dict, where, "it"), "patches", list, where)
            for place, item in objects(patches, where):
                index = field(item, "index", int, place)
                if index < 0:
                    raise UserError(f"{place}: the field 'index' is {index}; it counts patches")
                yield _Patch(system=system, bug=f"defects4j/{found[1]}-{found[2]}", index=index, ruling=_ruling(item, place))


def _ruling(item: dict[str, Any], where: str) -> Ruling:
    """Return the verdict; a patch called plausible that fails a relevant test is wrong, as NL2Fix counts it."""
    ruling = correctness(item, where)
    failing = item.get("failing_relevant")
    if ruling is Ruling.PLAUSIBLE and failing is not None:
        return Ruling.WRONG if field(item, "failing_relevant", int, where) > 0 else ruling
    return ruling
