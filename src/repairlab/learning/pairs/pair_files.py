"""Sets of bug–fix pairs on disk: pairs.toml and one JSON Lines file per split, read and written as a stream.

A set made from another has beside its pairs dropped.jsonl (one line for each pair left out) and made.jsonl (one line for each step
since the import).
"""

import json
import re
import tomllib
from collections import Counter
from collections.abc import Callable, Iterable, Iterator, Mapping
from contextlib import ExitStack
from itertools import islice
from pathlib import Path
from typing import IO, Any, TypeVar

from pydantic import TypeAdapter, ValidationError

from repairlab.benchmarks.writing import toml
from repairlab.core.errors import UserError, unknown
from repairlab.core.installation import VERSION
from repairlab.core.pair import Pair, PairSet
from repairlab.core.record import SCHEMA_VERSION, record, to_data, to_json
from repairlab.core.storage.checking import checked, plain_error, take_schema
from repairlab.core.storage.folders import new_folder

T = TypeVar("T")
HEAD = "pairs.toml"
_SPLIT = re.compile(r"[\w-]+")


class PairWriter:
    """Writes pairs split by split to a new folder; a pair that its split already has is left out."""

    def __init__(self, folder: Path, stack: ExitStack) -> None:
        """Take the folder, and what closes files at the end."""
        self._folder = folder
        self._stack = stack
        self._files: dict[str, IO[str]] = {}
        self._seen: dict[str, set[int]] = {}
        self.counts: dict[str, int] = {}
        self.repeated = 0

    def add(self, split: str, pair: Pair) -> bool:
        """Write one pair; return false if its split already has it."""
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
        """Write the description of the whole set."""
        head = {"schema": SCHEMA_VERSION, **to_data(facts), "splits": self.counts}
        (self._folder / HEAD).write_text(toml(head), encoding="utf-8")


def read_head(folder: Path) -> tuple[PairSet, dict[str, int]]:
    """Return the description of a set, and how many pairs each split has."""
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
    """Yield the pairs of one split in order."""
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


DROPPED, MADE = "dropped.jsonl", "made.jsonl"


@record
class Drop:
    """Why a pair is left out."""

    reason: str
    of: str = ""
    """What it repeats, if that is the reason: a pair as SPLIT/ID, or a bug."""
    similarity: float | None = None


Decision = str | Drop
"""The split that a pair goes to, or why it is dropped."""
Decide = Callable[[str, Pair], Decision]


@record
class Rewritten:
    """What came of it."""

    folder: Path
    splits: dict[str, int]
    dropped: dict[str, int]
    """Reason → number of pairs."""


def rewrite(
    source: Path, to: Path, step: Mapping[str, object], decide: Decide, *, done: Callable[[], None] = lambda: None
) -> Rewritten:
    """Write a new set with the kept pairs of another, or nothing at all; `step` is recorded in made.jsonl."""
    facts, before = read_head(source)
    dropped: Counter[str] = Counter()
    with new_folder(to) as aside, ExitStack() as stack:
        writer = PairWriter(aside, stack)
        log = stack.enter_context((aside / DROPPED).open("w", encoding="utf-8"))
        for split, pair in every_pair(source):
            decision = decide(split, pair)
            if isinstance(decision, str) and not writer.add(decision, pair):
                decision = Drop(reason="repeated in its new split")
            if isinstance(decision, Drop):
                dropped[decision.reason] += 1
                facts_of_drop = {"split": split, "id": pair.id, "reason": decision.reason, "of": decision.of or None}
                log.write(to_json(facts_of_drop | {"similarity": decision.similarity}) + "\n")
            done()
        if not writer.counts:
            raise UserError(f"no pair of {source} is left ({_reasons(dropped)}); nothing was written")
        made = {**step, "source": facts.name, "from": before, "to": writer.counts, "dropped": dict(dropped)}
        history = (source / MADE).read_text(encoding="utf-8") if (source / MADE).is_file() else ""
        (aside / MADE).write_text(history + json.dumps(made | {"repairlab": VERSION}) + "\n", encoding="utf-8")
        stack.close()
        writer.finish(facts)
    return Rewritten(folder=to, splits=writer.counts, dropped=dict(dropped))


def every_pair(folder: Path) -> Iterator[tuple[str, Pair]]:
    """Yield all pairs of a set with their splits, split by split."""
    _, splits = read_head(folder)
    for split in splits:
        for pair in read_pairs(folder, split):
            yield split, pair


def in_chunks(items: Iterable[T], n: int) -> Iterator[list[T]]:
    """Yield items in lists of at most n."""
    rest = iter(items)
    while chunk := list(islice(rest, n)):
        yield chunk


def _reasons(dropped: Counter[str]) -> str:
    return ", ".join(f"{reason}: {n}" for reason, n in dropped.most_common()) or "it is empty"
