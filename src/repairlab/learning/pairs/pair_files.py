"""Sets of bug–fix pairs on disk: pairs.toml and one JSON Lines file per split. Read and written as a stream."""

import json
import re
import tomllib
from collections.abc import Iterator
from contextlib import ExitStack
from pathlib import Path
from typing import IO, Any

from pydantic import TypeAdapter, ValidationError

from repairlab.benchmarks.writing import toml
from repairlab.core.errors import UserError, unknown
from repairlab.core.pair import Pair, PairSet
from repairlab.core.record import SCHEMA_VERSION, to_data, to_json
from repairlab.core.storage.checking import checked, plain_error, take_schema

HEAD = "pairs.toml"
_SPLIT = re.compile(r"[\w-]+")


class PairWriter:
    """Writes pairs split by split to a new folder; a pair that its split has already is left out."""

    def __init__(self, folder: Path, stack: ExitStack) -> None:
        """Take the folder, and what closes files at the end."""
        self._folder = folder
        self._stack = stack
        self._files: dict[str, IO[str]] = {}
        self._seen: dict[str, set[int]] = {}
        self.counts: dict[str, int] = {}
        self.repeated = 0

    def add(self, split: str, pair: Pair) -> bool:
        """Write one pair; false when its split has it already."""
        if split not in self._files:
            self._files[split] = self._stack.enter_context((self._folder / f"{split}.jsonl").open("w", encoding="utf-8"))
            self._seen[split], self.counts[split] = set(), 0
        text = hash((pair.buggy, pair.fixed, pair.context))
        if text in self._seen[split]:
            self.repeated += 1
            return False
        self._seen[split].add(text)
        self.counts[split] += 1
        self._files[split].write(to_json(pair) + "\n")
        return True

    def finish(self, facts: PairSet) -> None:
        """Write what is said of the whole set."""
        head = {"schema": SCHEMA_VERSION, **to_data(facts), "splits": self.counts}
        (self._folder / HEAD).write_text(toml(head), encoding="utf-8")


def read_head(folder: Path) -> tuple[PairSet, dict[str, int]]:
    """Return what is said of a set, and how many pairs each split has."""
    path = folder / HEAD
    try:
        text = path.read_text(encoding="utf-8")
        facts: dict[str, Any] = tomllib.loads(text)
    except FileNotFoundError:
        raise UserError(f"{folder} is no set of pairs: it has no {HEAD}") from None
    except (tomllib.TOMLDecodeError, UnicodeDecodeError) as error:
        raise UserError(f"{path} is not valid TOML: {error}") from None
    take_schema(facts, str(path))
    splits = facts.pop("splits", {})
    odd = [name for name in splits if not _SPLIT.fullmatch(name)] if isinstance(splits, dict) else []
    if odd:
        raise UserError(f"{path}: {odd[0]!r} is no name of a split; letters, digits, - and _ are")
    return checked(PairSet, facts, str(path), toml=text), checked(dict[str, int], splits, f"{path}, [splits]")


def read_pairs(folder: Path, split: str) -> Iterator[Pair]:
    """Yield the pairs of one split in their order."""
    _, splits = read_head(folder)
    if split not in splits:
        raise unknown("split", split, splits)
    reader = TypeAdapter(Pair)
    with (folder / f"{split}.jsonl").open(encoding="utf-8") as file:
        for number, line in enumerate(file, start=1):
            where, data = f"{file.name}, line {number}", None
            try:
                data = json.loads(line)
                yield reader.validate_python(data)
            except ValidationError as error:
                raise plain_error(Pair, error, data, where) from None
            except ValueError as error:
                raise UserError(f"{where}: not valid JSON: {error}") from None
