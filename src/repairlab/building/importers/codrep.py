"""CodRep's one-line fixes as pairs: its datasets with whole files, or JSON Lines with a few lines around each. `pairs` calls it."""

import gzip
import json
import re
from collections.abc import Iterator
from pathlib import Path
from typing import Any

from repairlab.core.errors import UserError
from repairlab.core.foreign import field, read_text
from repairlab.core.pair import Pair
from repairlab.core.words import count

_DATASET = re.compile(r"Dataset(\d+)")
_TEST = "4"
"""What SequenceR was tested on: its published targets are those of this dataset."""


def codrep_pairs(source: Path) -> Iterator[tuple[str, Pair]]:
    """Yield split and pair; Dataset4 is `test`, the others are `train`."""
    if source.is_file():
        yield from _from_lines(source)
        return
    folders = sorted(path.parent for path in (*source.glob("Tasks"), *source.glob("*/Tasks"), *source.glob("*/*/Tasks")))
    if not folders:
        raise UserError(f"{source} holds no folder Tasks; give CodRep's folder Datasets, or one of its datasets")
    for folder in folders:
        found = _DATASET.fullmatch(folder.name)
        for task in sorted((folder / "Tasks").glob("*.txt"), key=lambda path: (len(path.stem), path.stem)):
            yield _pair(task, read_text(folder / "Solutions" / task.name), found[1] if found else folder.name)


def _pair(task: Path, solution: str, dataset: str) -> tuple[str, Pair]:
    """Read a task: the new line, an empty one, then the file; its solution is the number of the line that is replaced."""
    fixed, _, rest = _with_newlines(read_text(task)).partition("\n")
    file = rest.removeprefix("\n")
    lines = file.split("\n")
    number = int(solution) if solution.strip().isdecimal() else 0
    if not 1 <= number <= len(lines):
        raise UserError(f"{task}: its solution says line {solution.strip()!r}, and the file has {count(len(lines), 'line')}")
    return _placed(f"{dataset}-{task.stem}", lines[: number - 1], lines[number - 1], lines[number:], fixed, dataset)


def _from_lines(path: Path) -> Iterator[tuple[str, Pair]]:
    open_text = gzip.open if path.suffix == ".gz" else open
    try:
        with open_text(path, "rt", encoding="utf-8") as file:
            for number, line in enumerate(file, start=1):
                where = f"{path}, line {number}"
                entry: Any = json.loads(line)
                if not isinstance(entry, dict):
                    raise UserError(f"{where}: not a JSON object but {type(entry).__name__}")
                buggy, fixed = (field(entry, name, str, where) for name in ("buggy", "fixed"))
                before, after = ([str(text) for text in field(entry, name, list, where)] for name in ("before", "after"))
                dataset = str(field(entry, "ds", int, where))
                yield _placed(f"{dataset}-{field(entry, 'id', int, where)}", before, buggy, after, fixed, dataset)
    except FileNotFoundError:
        raise UserError(f"{path} is missing") from None
    except (OSError, ValueError) as error:
        raise UserError(f"{path} is no file of JSON Lines: {error}") from None


def _placed(name: str, before: list[str], line: str, after: list[str], fixed: str, dataset: str) -> tuple[str, Pair]:
    buggy = line.strip()
    start = sum(len(text) + 1 for text in before) + (line.index(buggy) if buggy else 0)
    context = "\n".join([*before, line, *after])
    split = "test" if dataset == _TEST else "train"
    return split, Pair(id=name, buggy=buggy, fixed=fixed.strip(), context=context, start=start)


def _with_newlines(text: str) -> str:
    return text.replace("\r\n", "\n")
