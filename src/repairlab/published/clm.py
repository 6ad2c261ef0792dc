"""VerdictCache of lin-tan/clm (`*_validate.json`): executed patches of one model on one benchmark, in the order they were drawn."""

import re
from collections.abc import Iterator, Sequence
from pathlib import Path

from repairlab.core.errors import UserError
from repairlab.core.foreign import field
from repairlab.published.judgement import Judgement, Results, results
from repairlab.published.reading import correctness, files_of, objects, read_object

_HEAD = re.compile(r'\s*\{\s*"config"\s*:\s*"[^"]*"\s*,\s*"data"\s*:\s*\{')
_SUFFIX = "_validate.json"
_LOCATED = re.compile(r"([A-Za-z]+)_(\d+)_.+_\d+-\d+")


def recognise(path: Path, head: str) -> bool:
    """Whether a file begins as such verdicts do, or a folder has such files."""
    return bool(_HEAD.match(head)) if path.is_file() else any(path.glob(f"*{_SUFFIX}"))


def read(paths: Sequence[Path]) -> Results:
    """Read files of verdicts, or all `*_validate.json` of folders; the file's name tells the model, its folder the benchmark."""
    bugs: list[str] = []
    judgements: list[Judgement] = []
    for path in files_of(paths, f"*{_SUFFIX}"):
        judgements += _judgements(path, bugs)
    return results(judgements, bugs)


def _judgements(path: Path, bugs: list[str]) -> Iterator[Judgement]:
    benchmark = path.absolute().parent.name
    system = path.name.removesuffix(_SUFFIX).removesuffix(".json")
    for key, entry in field(read_object(path), "data", dict, str(path)).items():
        where = f"{path}, entry {key!r}"
        located = _LOCATED.fullmatch(key)
        bugs.append(f"{benchmark}/{located[1]}-{located[2]}" if located else f"{benchmark}/{key}")
        if not isinstance(entry, dict):
            raise UserError(f"{where}: it should be an object with the field 'output'")
        for rank, (place, item) in enumerate(objects(field(entry, "output", list, where), where), start=1):
            yield Judgement(system=system, bug=bugs[-1], rank=rank, ruling=correctness(item, place))
